// The pass scope: around every pass on every function it dumps, times, checks the form, and verifies.
//
// Passes see one function at a time, so functions are processed in parallel: in groups of adjacent functions,
// whose reports are merged in module order. The result does not depend on the number of threads.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/fingerprint.h"
#include "pipeline/fixpoint.h"
#include "psi/ir/instruction_set.h"
#include "psi/pipeline/pipeline.h"
#include "psi/text/text.h"

namespace psi {
namespace {

bool wanted(const std::vector<std::string>& names, const std::string& pass) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == "all" || name == pass; });
}

// Of some functions: what there is to tell, of those before the one that failed, too.
struct Part {
  PipelineReport report;
  std::optional<PassFailure> failure;
};

using Clock = std::chrono::steady_clock;

// Some functions, one after the other.
class PassScope {
 public:
  PassScope(const Module& module, const PassList& passes, const PipelineOptions& options)
      : module_(module), passes_(passes), options_(options) {
    for (const PassCall& call : passes) {
      auto is_same = [&](const PassReport& earlier) { return earlier.pass == call.text; };
      same_as_.push_back(static_cast<size_t>(std::ranges::find_if(part_.report.passes, is_same) -
                                             part_.report.passes.begin()));
      part_.report.passes.push_back({call.text, 0, {}, {}});
    }
    done_with_.resize(passes.size());
  }

  Part run(std::span<Function* const> functions) {
    for (Function* function : functions) {
      if (!run(*function)) break;
    }
    return std::move(part_);
  }

 private:
  static constexpr uint32_t kOutsideCaches = 10'000;  // instructions that do not fit the caches

  bool run(Function& function) {
    Analyses analyses(function);
    Form form = function.form;
    if (options_.by_function) {
      part_.report.functions.push_back({function.symbol, std::vector<Counters>(passes_.size())});
    }
    std::ranges::fill(done_with_, std::nullopt);
    start_ = Clock::now();
    Fingerprint before;  // of the function as it is now, if that is known
    bool is_known = false, changed = false;
    auto look_at = [&] {
      if (!is_known) before = fingerprint(function);
      is_known = true;
    };
    for (PassWalk walk(passes_); !walk.at_end(); walk.next(changed, before.size)) {
      const PassCall& call = passes_[walk.index()];
      if (walk.in_group()) look_at();
      std::optional<uint64_t>& done_with = done_with_[same_as_[walk.index()]];
      changed = false;
      if (walk.in_group() && done_with == before.text) continue;
      if (walk.in_group() && call.pass->needs_guards && !before.has_guards) continue;
      if (call.only_from && call.only_from != form) continue;
      // A new form is a change. Behind the last pass nobody asks.
      bool is_last = !walk.in_group() && walk.index() + 1 == passes_.size();
      bool compares = walk.in_group() || (!call.pass->makes && !is_last);
      if (compares) look_at();
      if (!run_one(walk, function, analyses)) return false;
      Keeps keeps = call.pass->keeps;
      if (compares) {
        Fingerprint after = fingerprint(function);
        changed = after.text != before.text;
        if (walk.in_group() && !changed) done_with = after.text;
        if (!call.pass->makes) keeps = std::max(keeps, kept(before, after));
        before = after;
      }
      is_known = compares;
      analyses.drop(keeps);
      if (options_.verify_each && !check_analyses(*call.pass, function, analyses)) return false;
      if (walk.in_group() && before.insts > kOutsideCaches && before.size < before.insts / 2) {
        // Walks over records far apart are slow.
        function.compact(Function::Spare::Keep);
        analyses.drop(Keeps::Nothing);
        before = fingerprint(function);
      }
    }
    return true;
  }

  bool run_one(const PassWalk& walk, Function& function, Analyses& analyses) {
    size_t index = walk.index();
    const PassCall& call = passes_[index];
    PassReport& report = part_.report.passes[index];
    const Pass& pass = *call.pass;
    if (!pass.accepts(function.form)) return reject_form(pass, function);
    if (!pass.accepts(function)) return reject_code(pass, function);
    dump(options_.print_before, pass, "before", function);
    std::string before;
    Fingerprint was;
    if (options_.verify_each) {
      before = print(module_, function);
      was = fingerprint(function);
      start_ = Clock::now();
    }

    Remarks* remarks = options_.remarks ? &part_.report.remarks : nullptr;
    if (remarks) remarks->begin(pass.name, module_.name(function.symbol));
    const TargetTable& targets = options_.targets ? *options_.targets : TargetTable::builtin();
    size_t old_remarks = part_.report.remarks.all().size();
    Counters counted;
    bool counts_apart = options_.by_function || options_.follow;
    Counters& counters = counts_apart ? counted : report.counters;
    PassContext context{module_,  function,     analyses, call.arguments,
                        counters, report.steps, remarks,  targets};
    pass.run(context);
    if (context.refusals.has_errors()) {
      fail(PassFailure::Kind::Refused, pass, function,
           fmt::format("pass '{}' on ${}: {}", pass.name, module_.name(function.symbol),
                       context.refusals.first_error()));
      return false;
    }
    if (options_.by_function) part_.report.functions.back().counters[index].add(counted);
    if (counts_apart) report.counters.add(counted);
    if (pass.makes) function.form = *pass.makes;
    Clock::time_point end = Clock::now();
    double seconds = std::chrono::duration<double>(end - start_).count();
    report.seconds += seconds;
    start_ = end;

    dump(options_.print_after, pass, "after", function);
    if (options_.verify_each && !verify(pass, function, was, before)) return false;
    if (options_.follow) {
      std::span<const Remark> new_remarks = std::span(part_.report.remarks.all()).subspan(old_remarks);
      options_.follow(function, {index, walk.iteration(), counted, new_remarks, seconds});
      start_ = Clock::now();
    }
    return true;
  }

  // `was`, `before`: the function before the pass.
  bool verify(const Pass& pass, const Function& function, const Fingerprint& was, std::string& before) {
    VerifyOptions verify_options;
    verify_options.oracle = options_.oracle;
    Diagnostics broken = verifies(module_, function, verify_options).diagnostics();
    if (Keeps keeps = kept(was, fingerprint(function)); keeps < pass.keeps) {
      broken.error({}, keeps == Keeps::Nothing ? "control flow has changed, which the pass says it keeps"
                       : pass.keeps == Keeps::Predicates
                           ? "predicates have changed, which the pass says it keeps"
                           : "instructions have changed, though the pass says it keeps all");
    }
    start_ = Clock::now();
    if (!broken.has_errors()) return true;
    PassFailure& failure = fail(PassFailure::Kind::Broken, pass, function,
                                fmt::format("pass '{}' broke ${}", pass.name, module_.name(function.symbol)));
    failure.add(broken);
    failure.broken = std::move(broken);
    failure.text_before = std::move(before);
    return false;
  }

  // Whatever a pass says that it keeps, or keeps for itself while it changes the function, must hold.
  bool check_analyses(const Pass& pass, const Function& function, const Analyses& analyses) {
    std::optional<std::string_view> outdated = analyses.outdated();
    start_ = Clock::now();
    if (!outdated) return true;
    fail(PassFailure::Kind::Broken, pass, function,
         fmt::format("pass '{}' left {} of ${} as it no longer is", pass.name, *outdated,
                     module_.name(function.symbol)));
    return false;
  }

  bool reject_form(const Pass& pass, const Function& function) {
    std::vector<std::string_view> forms;
    for (Form form : pass.needs) forms.push_back(form_name(form));
    fail(PassFailure::Kind::WrongForm, pass, function,
         fmt::format("pass '{}' needs {} form, but ${} is in {} form", pass.name, fmt::join(forms, " or "),
                     module_.name(function.symbol), form_name(function.form)));
    return false;
  }

  bool reject_code(const Pass& pass, const Function& function) {
    std::string_view name = module_.name(function.symbol);
    fail(PassFailure::Kind::WrongForm, pass, function,
         function.instruction_set
             ? fmt::format("pass '{}' works on generic instructions, but ${} has those of {}", pass.name,
                           name, function.instruction_set->name())
             : fmt::format("pass '{}' works on instructions of a target, but ${} names none", pass.name,
                           name));
    return false;
  }

  PassFailure& fail(PassFailure::Kind kind, const Pass& pass, const Function& function, std::string message) {
    PassFailure& failure = part_.failure.emplace();
    failure.kind = kind;
    failure.pass = pass.name;
    failure.function = function.symbol;
    failure.error({}, std::move(message));
    return failure;
  }

  void dump(const std::vector<std::string>& names, const Pass& pass, std::string_view when,
            const Function& function) {
    if (!options_.dump || !wanted(names, pass.name)) return;
    options_.dump(fmt::format("# {} {} on ${}\n{}", when, pass.name, module_.name(function.symbol),
                              print(module_, function)));
    start_ = Clock::now();
  }

  const Module& module_;
  const PassList& passes_;
  const PipelineOptions& options_;
  Part part_;
  // Where the pass that runs next has begun: what lies between passes belongs to the next.
  Clock::time_point start_;
  std::vector<size_t> same_as_;  // by call: the first one of the same pass with the same options
  // By such a call: the fingerprint of the function when the pass, in a group, changed nothing.
  std::vector<std::optional<uint64_t>> done_with_;
};

std::vector<Function*> bodies(Module& module) {
  std::vector<Function*> functions;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    functions.push_back(&module.function(symbol));
  }
  return functions;
}

// The ends of the groups: each large enough for a task, and small enough to balance the load.
std::vector<size_t> group_ends(std::span<Function* const> functions) {
  constexpr uint64_t kInstructions = 5000;
  std::vector<size_t> ends;
  uint64_t size = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    size += functions[i]->num_insts();
    if (size < kInstructions && i + 1 < functions.size()) continue;
    ends.push_back(i + 1);
    size = 0;
  }
  return ends;
}

// The reports of all groups up to the first that failed.
Part put_together(std::vector<Part>& parts) {
  Part whole = std::move(parts.front());
  for (size_t i = 1; i < parts.size() && !whole.failure; ++i) {
    Part& part = parts[i];
    for (size_t pass = 0; pass < whole.report.passes.size(); ++pass) {
      PassReport& sum = whole.report.passes[pass];
      const PassReport& more = part.report.passes[pass];
      sum.seconds += more.seconds;
      sum.counters.add(more.counters);
      sum.steps.add(more.steps);
    }
    whole.report.remarks.add(std::move(part.report.remarks));
    std::ranges::move(part.report.functions, std::back_inserter(whole.report.functions));
    whole.failure = std::move(part.failure);
  }
  return whole;
}

// What passes declare for their code.
class Declarations {
 public:
  Declarations(Module& module, const PassList& passes, const PipelineOptions& options) : module_(module) {
    size_t before = module.declarations().size();
    const TargetTable& targets = options.targets ? *options.targets : TargetTable::builtin();
    for (const PassCall& call : passes) {
      if (call.pass->declare) call.pass->declare(module, call.arguments, targets);
    }
    std::span<const SymbolId> all = module.declarations();
    added_.assign(all.begin() + static_cast<ptrdiff_t>(before), all.end());
  }

  ~Declarations() {
    if (added_.empty()) return;
    std::vector<bool> is_used(module_.num_symbols());
    for (const Function* function : bodies(module_)) {
      for (BlockId block : function->layout()) {
        for (InstId id : function->insts(block)) {
          for (Operand operand : function->operands(id)) {
            if (operand.is_symbol()) is_used[operand.symbol().index()] = true;
          }
        }
      }
    }
    for (SymbolId symbol : added_) {
      if (!is_used[symbol.index()]) module_.remove(symbol);
    }
  }
  Declarations(const Declarations&) = delete;
  Declarations& operator=(const Declarations&) = delete;

 private:
  Module& module_;
  std::vector<SymbolId> added_;
};

PipelineResult result_of(Part part) {
  if (part.failure) return std::move(*part.failure);
  return std::move(part.report);
}

}  // namespace

PipelineResult run_passes(const Module& module, Function& function, const PassList& passes,
                          const PipelineOptions& options) {
  Function* functions[] = {&function};
  return result_of(PassScope(module, passes, options).run(functions));
}

PipelineResult run_passes(Module& module, const PassList& passes, const PipelineOptions& options) {
  Declarations declarations(module, passes, options);
  std::vector<Function*> functions = bodies(module);
  std::vector<size_t> ends = group_ends(functions);
  bool dumps = options.dump && !(options.print_before.empty() && options.print_after.empty());
  bool in_order = dumps || options.follow;
  if (options.threads == 1 || ends.size() < 2 || in_order) {
    return result_of(PassScope(module, passes, options).run(functions));
  }
  std::vector<Part> parts(ends.size());
  tbb::task_arena arena(options.threads == 0 ? tbb::task_arena::automatic
                                             : static_cast<int>(options.threads));
  arena.execute([&] {
    tbb::parallel_for(size_t{0}, ends.size(), [&](size_t i) {
      size_t first = i == 0 ? 0 : ends[i - 1];
      parts[i] = PassScope(module, passes, options).run(std::span(functions).subspan(first, ends[i] - first));
    });
  });
  return result_of(put_together(parts));
}

}  // namespace psi
