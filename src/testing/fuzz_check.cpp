#include "testing/fuzz_check.h"

#include <fmt/format.h>

#include "psi/interp/interpret.h"
#include "psi/pipeline/pipeline.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi::testing {
namespace {

using Kind = FuzzFailure::Kind;
using Status = Outcome::Status;

// Passes may make a program slower, but not by this much.
constexpr uint64_t kMaxSlowdown = 50;
constexpr uint64_t kFuelToSpare = 100'000;

std::string first_error(const Diagnostics& diagnostics) {
  if (diagnostics.all().empty()) return "";
  const Diagnostic& first = diagnostics.all().front();
  return first.context.empty() ? first.message : fmt::format("{}, in {}", first.message, first.context);
}

// Empty if the module's text parses to the module.
std::string text_problem(const Module& module, const TargetTable* targets) {
  std::string text = print(module);
  const TargetInstructionSets sets(targets ? *targets : TargetTable::builtin());
  Result<Module> parsed = parse(text, nullptr, &sets);
  if (!parsed) return fmt::format("the printed text does not parse: {}", first_error(parsed.diagnostics()));
  std::string again = print(*parsed);
  if (again == text) return "";
  size_t line = 1, start = 0;
  for (size_t i = 0; i < text.size() && i < again.size() && text[i] == again[i]; ++i) {
    if (text[i] == '\n') ++line, start = i + 1;
  }
  auto line_of = [&](const std::string& all) { return all.substr(start, all.find('\n', start) - start); };
  return fmt::format("line {} is '{}', but '{}' when printed again", line, line_of(text), line_of(again));
}

}  // namespace

std::optional<FuzzFailure> Check::fail(Kind kind, std::string why) {
  FuzzFailure failure;
  failure.kind = kind;
  failure.why = why_ = std::move(why);
  return failure;
}

std::optional<FuzzFailure> Check::fail(Kind kind, std::string why, const Module& module, const Run& run) {
  std::optional<FuzzFailure> failure = fail(kind, std::move(why));
  failure->function = module.name(run.function);
  failure->arguments = run.arguments;
  return failure;
}

Outcome Check::execute(const Module& module, const Run& run, uint64_t fuel) {
  InterpretOptions options;
  options.fuel = fuel;
  options.record = true;
  options.stub_externals = true;
  Outcome outcome = interpret(module, run.function, run.arguments, options);
  steps_ += outcome.stats.total_executed() + outcome.stats.total_nullified();
  return outcome;
}

std::optional<FuzzFailure> Check::test(const Module& module, std::span<const Run> runs) {
  if (Result<void> verified = verifies(module); !verified) {
    return fail(Kind::Generator, "does not verify: " + first_error(verified.diagnostics()));
  }
  if (std::string problem = text_problem(module, targets_); !problem.empty()) return fail(Kind::Text, problem);

  std::vector<Outcome> before;
  for (const Run& run : runs) {
    before.push_back(execute(module, run, fuel_));
    ++runs_;
    const Outcome& outcome = before.back();
    if (outcome.status == Status::Undefined) {
      std::string where = outcome.inst ? print(module, module.function(outcome.function), outcome.inst) : "";
      return fail(Kind::Generator, fmt::format("{}, at {}", outcome.message, where), module, run);
    }
    if (outcome.status == Status::Exhausted || outcome.status == Status::Unsupported) ++skipped_;
  }

  Module after = module;
  if (!passes_.empty()) {
    PipelineOptions options;
    options.verify_each = true;
    options.targets = targets_;
    PipelineResult result = run_passes(after, passes_, options);
    if (!result) {
      const PassFailure& wrong = result.diagnostics();
      bool broken = wrong.kind == PassFailure::Kind::Broken;
      std::string why = wrong.first_error();
      if (broken) why += ": " + first_error(wrong.broken);
      std::optional<FuzzFailure> failure = fail(broken ? Kind::Broken : Kind::WrongForm, why);
      failure->pass = wrong.pass;
      return failure;
    }
    if (Result<void> verified = verifies(after); !verified) {
      return fail(Kind::Broken, "the result does not verify: " + first_error(verified.diagnostics()));
    }
    if (std::string problem = text_problem(after, targets_); !problem.empty()) {
      return fail(Kind::Text, "after the passes: " + problem);
    }
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (before[i].status == Status::Exhausted || before[i].status == Status::Unsupported) continue;
    uint64_t needed = before[i].stats.total_executed() + before[i].stats.total_nullified();
    Outcome outcome = execute(after, runs[i], kMaxSlowdown * needed + kFuelToSpare);
    Result<void> refined = refines(before[i], outcome);
    if (refined) continue;
    return fail(passes_.empty() ? Kind::Repeat : Kind::Mismatch, refined.message(), module, runs[i]);
  }
  return std::nullopt;
}

bool Check::fails_alike(const Module& module, const Run& run, const FuzzFailure& failure) {
  bool needs_run = !failure.function.empty();
  if (needs_run) {
    if (module.kind(run.function) != SymbolKind::Function) return false;
    const Function& function = module.function(run.function);
    if (function.is_declaration() || function.params.size() != run.arguments.size()) return false;
  }
  std::optional<FuzzFailure> found = test(module, needs_run ? std::span(&run, 1) : std::span<const Run>());
  return found && found->kind == failure.kind && found->pass == failure.pass;
}

void Check::limit_fuel(const Module& module, const Run& run) {
  Outcome outcome = execute(module, run, fuel_);
  fuel_ = std::min(fuel_, 10 * (outcome.stats.total_executed() + outcome.stats.total_nullified()) + 1000);
}

}  // namespace psi::testing
