// What the page asks of psic: five functions, each from one object of JSON to another. The page writes the
// request into memory of psic_allocate(); the answer stays where it is until the next call.
//
//   explore {file, text, passes, functions?}    the object of docs/explorer-data.md, or {error}
//   check   {file, text, passes?}               {messages: [{line, column, length, severity, message, rule}],
//   text,
//                                                passes?: the same for the list}
//   run     {file, text, passes?, function, arguments, fuel}
//                                               {status, result, output, message, stats}
//   passes  {}                                  {passes: [{name, summary, options}]}, pipelines among them
//   query   {file, text, passes, function, step, block, question}
//                                               {answer, engine, steps, witness}, or {error}
//   opt     {file, text, passes}                {text}: what `psic opt` prints, or {error}
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "psi/explore/explore.h"
#include "psi/interp/interpret.h"
#include "psi/pipeline/pipeline.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& request, const char* name) {
  auto found = request.find(name);
  return found != request.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string dump(const Json& answer) { return answer.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string failed(std::string_view text) { return dump({{"error", text}}); }

// A module that verifies, or why not.
struct Program {
  psi::Module module;
  psi::SourceMap map;
  psi::Diagnostics wrong;
  std::string file;
  std::string text;

  explicit Program(const Json& request) : file(text_of(request, "file")), text(text_of(request, "text")) {
    psi::Result<psi::Module> parsed = psi::parse(text, &map);
    wrong = parsed.diagnostics();
    if (!parsed) return;
    module = std::move(*parsed);
    if (wrong.has_errors()) return;
    psi::VerifyOptions options;
    options.map = &map;
    wrong = psi::verifies(module, options).diagnostics();
  }
  bool ok() const { return !wrong.has_errors(); }
  std::string why() const { return psi::render(wrong, file, text); }
};

// `[psi-domain]` at the end of a message names the rule.
std::string rule_of(std::string& message) {
  size_t open = message.rfind(" [");
  if (open == std::string::npos || !message.ends_with(']')) return {};
  std::string rule = message.substr(open + 2, message.size() - open - 3);
  if (rule.find(' ') != std::string::npos) return {};
  message.resize(open);
  return rule;
}

Json messages(const psi::Diagnostics& diagnostics) {
  Json all = Json::array();
  for (const psi::Diagnostic& d : diagnostics.all()) {
    using Severity = psi::Diagnostic::Severity;
    std::string message = d.message, rule = rule_of(message);
    all.push_back({{"line", d.where.line},
                   {"column", d.where.column},
                   {"length", d.where.length},
                   {"severity", d.severity == Severity::Error     ? "error"
                                : d.severity == Severity::Warning ? "warning"
                                                                  : "note"},
                   {"message", message},
                   {"rule", rule}});
  }
  return all;
}

psi::Result<psi::PassList> pass_list(const std::string& text) {
  return psi::parse_passes(psi::PassTable::builtin(), text);
}

std::string explore(const Json& request) {
  Program program(request);
  if (!program.ok()) return failed(program.why());
  std::string list = text_of(request, "passes");
  psi::Result<psi::PassList> passes = pass_list(list);
  if (!passes) return failed(psi::render(passes, "--passes", list));
  psi::ExploreOptions options;
  options.file = program.file;
  options.source = program.text;
  options.passes = list;
  return psi::explore_as_json(program.module, *passes, options);
}

std::string check(const Json& request) {
  Program program(request);
  Json answer = {{"messages", messages(program.wrong)}, {"text", program.why()}};
  std::string list = text_of(request, "passes");
  psi::Result<psi::PassList> passes = pass_list(list);
  answer["passes"] = messages(passes.diagnostics());
  Json functions = Json::array();
  if (program.ok()) {
    for (psi::SymbolId symbol : program.module.declarations()) {
      if (program.module.kind(symbol) != psi::SymbolKind::Function) continue;
      const psi::Function& function = program.module.function(symbol);
      if (function.is_declaration()) continue;
      Json types = Json::array();
      for (psi::Type type : function.signature.params) types.push_back(psi::type_name(type));
      functions.push_back({{"name", program.module.name(symbol)},
                           {"form", psi::form_name(function.form)},
                           {"parameters", types}});
    }
  }
  answer["functions"] = functions;
  return dump(answer);
}

std::string opt(const Json& request) {
  Program program(request);
  if (!program.ok()) return failed(program.why());
  std::string list = text_of(request, "passes");
  psi::Result<psi::PassList> passes = pass_list(list);
  if (!passes) return failed(psi::render(passes, "--passes", list));
  psi::PipelineResult result = psi::run_passes(program.module, *passes);
  if (!result) return failed(result.diagnostics().first_error());
  return dump({{"text", psi::print(program.module)}});
}

Json stats_of(const psi::RunStats& stats) {
  Json executed = Json::object(), nullified = Json::object();
  for (int i = 0; i < psi::kNumOpcodes; ++i) {
    std::string name(psi::info(static_cast<psi::Opcode>(i)).name);
    size_t at = static_cast<size_t>(i);
    if (stats.executed[at]) executed[name] = stats.executed[at];
    if (stats.nullified[at]) nullified[name] = stats.nullified[at];
  }
  return {{"executed", stats.total_executed()},
          {"guarded", stats.guarded},
          {"nullified", stats.total_nullified()},
          {"branches taken", stats.branches_taken},
          {"conditional branches", stats.conditional_branches},
          {"executed by opcode", executed},
          {"nullified by opcode", nullified}};
}

std::string run(const Json& request) {
  Program program(request);
  if (!program.ok()) return failed(program.why());
  std::string list = text_of(request, "passes"), name = text_of(request, "function");
  if (name.starts_with('$')) name.erase(0, 1);
  if (!list.empty()) {
    psi::Result<psi::PassList> passes = pass_list(list);
    if (!passes) return failed(psi::render(passes, "--passes", list));
    // Files hold functions of several forms: the passes need only fit the one that is run.
    for (psi::SymbolId symbol : program.module.declarations()) {
      if (program.module.kind(symbol) != psi::SymbolKind::Function) continue;
      psi::Function& body = program.module.function(symbol);
      if (body.is_declaration()) continue;
      psi::PipelineResult result = psi::run_passes(program.module, body, *passes);
      if (!result && program.module.name(symbol) == name) return failed(result.diagnostics().first_error());
    }
  }
  const psi::Function* function = program.module.find_function(name);
  if (!function || function->is_declaration())
    return failed(fmt::format("there is no function ${} to run", name));
  const std::vector<psi::Type>& params = function->signature.params;
  std::vector<psi::Value> arguments;
  if (request.contains("arguments") && request["arguments"].is_array()) {
    for (const Json& argument : request["arguments"]) {
      if (arguments.size() == params.size()) break;
      std::string text = argument.is_string() ? argument.get<std::string>() : argument.dump();
      std::optional<uint64_t> bits = psi::parse_literal(text, params[arguments.size()]);
      if (!bits) {
        return failed(
            fmt::format("'{}' is not a value of type {}", text, psi::type_name(params[arguments.size()])));
      }
      arguments.push_back({*bits, false});
    }
  }
  size_t given = request.contains("arguments") ? request["arguments"].size() : 0;
  if (given != params.size()) {
    return failed(fmt::format("${} takes {} argument{}, not {}", name, params.size(),
                              params.size() == 1 ? "" : "s", given));
  }
  // A page has less memory than a machine, and somebody waits.
  psi::InterpretOptions options;
  options.fuel = request.value("fuel", uint64_t{50'000'000});
  options.max_memory = uint64_t{256} << 20;
  std::string output;
  constexpr size_t kMaxOutput = size_t{1} << 20;
  bool cut = false;
  options.output = [&](std::string_view text) {
    size_t room = kMaxOutput - std::min(output.size(), kMaxOutput);
    cut |= text.size() > room;
    output += text.substr(0, room);
  };
  psi::Outcome outcome = psi::interpret(program.module, function->symbol, arguments, options);
  if (cut) output += "\n(more is left out)\n";
  using Status = psi::Outcome::Status;
  bool returned = outcome.status == Status::Returned;
  Json answer = {{"status", returned                           ? "returned"
                            : outcome.status == Status::Exited ? "exited"
                                                               : "failed"},
                 {"result", returned && outcome.result_type != psi::Type::none
                                ? psi::print_literal(outcome.result_type, outcome.result.bits)
                                : std::string()},
                 {"exit_code", outcome.exit_code},
                 {"output", output},
                 {"message", std::string()},
                 {"stats", stats_of(outcome.stats)}};
  if (!returned && outcome.status != Status::Exited) {
    psi::Diagnostics diagnostics;
    psi::Location where = list.empty() ? program.map.find(outcome.function, outcome.inst) : psi::Location{};
    where.length = 1;
    diagnostics.error(where, outcome.message);
    answer["message"] = psi::render(diagnostics, program.file, program.text);
  }
  return dump(answer);
}

Json options_of(const std::vector<psi::PassOption>& options) {
  Json all = Json::array();
  for (const psi::PassOption& option : options) {
    all.push_back({{"name", option.name},
                   {"summary", option.summary},
                   {"values", option.values},
                   {"default", option.default_value()},
                   {"describe", option.describe_values()}});
  }
  return all;
}

std::string passes(const Json&) {
  Json all = Json::array();
  for (const psi::Pass& pass : psi::PassTable::builtin().all()) {
    Json needs = Json::array();
    for (psi::Form form : pass.needs) needs.push_back(psi::form_name(form));
    all.push_back({{"name", pass.name},
                   {"summary", pass.summary},
                   {"needs", needs},
                   {"makes", pass.makes ? std::string(psi::form_name(*pass.makes)) : std::string()},
                   {"options", options_of(pass.options)}});
  }
  for (const psi::Pipeline& pipeline : psi::PassTable::builtin().pipelines()) {
    all.push_back({{"name", pipeline.name},
                   {"summary", pipeline.summary},
                   {"needs", Json::array()},
                   {"makes", std::string()},
                   {"options", options_of(pipeline.options)}});
  }
  return dump({{"passes", all}});
}

std::string query(const Json& request) {
  Program program(request);
  if (!program.ok()) return failed(program.why());
  std::string list = text_of(request, "passes");
  psi::Result<psi::PassList> passes = pass_list(list);
  if (!passes) return failed(psi::render(passes, "--passes", list));
  psi::ExploreQuestion question;
  question.function = text_of(request, "function");
  question.block = text_of(request, "block");
  question.text = text_of(request, "question");
  question.step = request.value("step", uint32_t{0});
  psi::Result<std::string> found = psi::explore_answer(program.module, *passes, {}, question);
  return found ? std::move(*found) : failed(psi::render(found, "the question", question.text));
}

std::string answer;  // NOLINT: the last one, for the page to read

template <class Function>
const char* respond(Function function, const char* request, size_t size) {
  Json parsed = Json::parse(request, request + size, nullptr, false);
  answer = parsed.is_object() ? function(parsed) : failed("the request is not an object of JSON");
  return answer.data();
}

}  // namespace

#define PSIC_EXPORT(name) extern "C" __attribute__((export_name("psic_" #name)))

PSIC_EXPORT(allocate) void* psic_allocate(size_t size) { return std::malloc(size ? size : 1); }
PSIC_EXPORT(release) void psic_release(void* memory) { std::free(memory); }
PSIC_EXPORT(answer_size) size_t psic_answer_size() { return answer.size(); }

#define PSIC_ANSWER(name)                                                       \
  PSIC_EXPORT(name) const char* psic_##name(const char* request, size_t size) { \
    return respond(name, request, size);                                        \
  }
PSIC_ANSWER(explore)
PSIC_ANSWER(check)
PSIC_ANSWER(run)
PSIC_ANSWER(passes)
PSIC_ANSWER(query)
PSIC_ANSWER(opt)
