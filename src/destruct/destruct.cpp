// Out of psi-SSA form.
//
//     @loop: i2 = phi [@entry: i1], [@loop: i3]          @loop: i = add i, 1
//            i3 = add i2, 1                       ==>           br p, @loop, @exit
//            br p, @loop, @exit
//
// The three steps of the psi-SSA papers are psi-normalize, psi-web and, by one of several methods, phi-web;
// `unified` does all three at once. All methods have the same kind of result: copies, and webs of registers
// that may each become one.
//
// Requires: SSA form. Ensures: plain form, every block reachable. Cost: that of the method.
#include "psi/destruct/destruct.h"

#include <array>
#include <utility>

#include "cfg/critical_edges.h"
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/methods.h"
#include "destruct/psi_steps.h"
#include "destruct/web_names.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"

namespace psi {
namespace {

using namespace destruct;

constexpr std::array<std::pair<std::string_view, PhiMethod>, 6> kMethods = {{
    {"unified", PhiMethod::Unified},
    {"boissinot", PhiMethod::Boissinot},
    {"briggs", PhiMethod::Briggs},
    {"sreedhar3", PhiMethod::Sreedhar3},
    {"sreedhar2", PhiMethod::Sreedhar2},
    {"naive", PhiMethod::Naive},
}};

void translate(Translation& t) {
  switch (t.options.method) {
    case PhiMethod::Unified:
      return translate_unified(t);
    case PhiMethod::Boissinot:
      return translate_boissinot(t);
    case PhiMethod::Briggs:
      return translate_briggs(t);
    case PhiMethod::Sreedhar3:
      return translate_sreedhar3(t);
    case PhiMethod::Sreedhar2:
      return translate_sreedhar2(t);
    case PhiMethod::Naive:
      return translate_naive(t);
  }
}

struct Merges {
  uint64_t phis = 0, psis = 0;
  bool partial_compares = false;
};

Merges count_merges(const Function& function) {
  Merges merges;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      merges.phis += inst.is_phi();
      merges.psis += inst.is_psi();
      merges.partial_compares = merges.partial_compares || inst.has_old_values();
    }
  }
  return merges;
}

}  // namespace

std::string_view phi_method_name(PhiMethod method) {
  for (const auto& [name, known] : kMethods) {
    if (known == method) return name;
  }
  return {};
}

std::optional<PhiMethod> phi_method_from_name(std::string_view name) {
  for (const auto& [known, method] : kMethods) {
    if (known == name) return method;
  }
  return std::nullopt;
}

namespace {

// Only functions with fewer registers are translated by several methods.
constexpr uint32_t kLarge = 5'000;

// How psis are translated: in two steps before phis, or by the method itself.
enum class Psis : uint8_t { None, InSteps, WithPhis };

CopiesLeft run_method(Function& function, Analyses& analyses, const DestructOptions& options, Psis psis,
                      Counters& counters, StepTimes& times) {
  StepClock clock(times);
  Copies copies(function);
  if (psis == Psis::InSteps) {
    normalize_psis(function, analyses, options, counters);
    clock.end("psi-normalize");
    make_psi_webs(function, analyses, options, counters);
    clock.end("psi-web");
  }
  Webs webs(function.num_regs());
  Translation translation{function, analyses, options, copies, webs, counters, times, psis == Psis::WithPhis};
  translate(translation);
  clock = StepClock(times);
  counters.add("copies by phi-web", copies.num_inserted());
  CopiesLeft left = finish(function, analyses, webs, copies, counters);
  clock.end("renaming");
  return left;
}

// Unified, and if copies remain also other methods; the one with the fewest copies wins. The two steps for
// psis have special cases for single psis. Heuristics that are usually better may be worse in one function.
// And coalescing does not see the temporaries of cycles of copies, while method III of Sreedhar et al. leaves
// no cycles.
CopiesLeft run_best_method(Function& function, Analyses& analyses, const DestructOptions& options,
                           bool has_psis, Counters& counters, StepTimes& times) {
  Psis psis = has_psis ? Psis::WithPhis : Psis::None;
  if (function.num_regs() >= kLarge) return run_method(function, analyses, options, psis, counters, times);
  Function before = function;
  Counters best_counters;
  CopiesLeft best = run_method(function, analyses, options, psis, best_counters, times);
  auto attempt = [&](PhiMethod method) {
    Function other = before;
    Analyses other_analyses(other);
    Counters found;
    DestructOptions changed = options;
    changed.method = method;
    // Webs of psis found free of interference stay so only if nothing moves.
    changed.sink = options.sink && !has_psis;
    CopiesLeft left =
        run_method(other, other_analyses, changed, has_psis ? Psis::InSteps : Psis::None, found, times);
    if (left.weight >= best.weight) return;
    function = std::move(other);
    best = left;
    best_counters = std::move(found);
  };
  bool psis_cost = has_psis && best.weight > 0;
  if (psis_cost) attempt(PhiMethod::Unified);
  if (psis_cost || best.temporaries > 0) {
    attempt(PhiMethod::Boissinot);
    attempt(PhiMethod::Sreedhar3);
  }
  counters.add(best_counters);
  return best;
}

}  // namespace

CopiesLeft destruct_ssa(Function& function, Analyses& analyses, const DestructOptions& options,
                        Counters& counters, StepTimes& times) {
  StepClock clock(times);
  if (analyses.get<Order>().num_reachable() != function.layout().size()) {
    dce_unreachable(function, analyses, counters);
    analyses.drop(Keeps::Nothing);
  }
  Merges merges = count_merges(function);
  counters.add("phis", merges.phis);
  counters.add("psis", merges.psis);
  if (options.split_critical && merges.phis > 0) cfg::split_critical_edges(function, analyses, counters);
  if (merges.partial_compares) {
    Copies copies(function);
    isolate_partial_compares(function, analyses.get<Dominators>(), copies);
    copies.apply();
    analyses.drop(Keeps::ControlFlow);
  }
  analyses.get<Frequencies>();
  clock.end("graph");

  Psis in_steps = merges.psis > 0 ? Psis::InSteps : Psis::None;
  CopiesLeft left = options.method == PhiMethod::Unified && merges.phis + merges.psis > 0
                        ? run_best_method(function, analyses, options, merges.psis > 0, counters, times)
                        : run_method(function, analyses, options, in_steps, counters, times);
  close_gaps(function);
  function.compact(Function::Spare::Keep);
  analyses.drop(Keeps::ControlFlow);
  return left;
}

// --- As a pass ----------------------------------------------------------------------------------------

void destruct_ssa(PassContext& context) {
  const PassArguments& arguments = context.arguments;
  DestructOptions options;
  options.method = *phi_method_from_name(arguments.word("method"));
  options.psi = arguments.word("psi") == "2007"      ? PsiMethod::Web2007
                : arguments.word("psi") == "isolate" ? PsiMethod::Isolate
                                                     : PsiMethod::Web;
  options.split_critical = arguments.flag("split-critical");
  options.predicates = arguments.word("predicates") == "aware";
  options.values = arguments.word("values") == "aware";
  options.sink = arguments.flag("sink");
  options.share = arguments.flag("share");
  options.promote = arguments.flag("promote");
  options.permute = arguments.flag("permute");
  options.left_only = arguments.flag("left-only");
  options.ignore_result = arguments.flag("ignore-result");
  destruct_ssa(context.function, context.analyses, options, context.counters, context.times);
}

std::vector<PassOption> destruct_options() {
  PassOption method = PassOption::word("method", {}, "how the webs of phis are coalesced");
  for (const auto& [name, value] : kMethods) method.values.emplace_back(name);
  return {
      std::move(method),
      PassOption::word("psi", {"web", "2007", "isolate"},
                       "how those of psis do (unified sees to both at once)"),
      PassOption::flag("split-critical", false, "give critical edges a block of their own first"),
      PassOption::word("predicates", {"aware", "blind"}, "let registers under exclusive predicates share"),
      PassOption::word("values", {"aware", "blind"}, "let registers of the same value share"),
      PassOption::flag("sink", true, "unified: sink definitions where that saves copies"),
      PassOption::flag("share", true, "unified: share one copy among several uses"),
      PassOption::flag("promote", true, "psi-normalize: enlarge guards instead of copying"),
      PassOption::flag("permute", true, "psi-normalize: reorder exclusive arguments instead of copying"),
      PassOption::flag("left-only", true, "psi=2007: repair only the left one of two that interfere"),
      PassOption::flag("ignore-result", true, "psi=2007: ignore interference with the psi's result"),
  };
}

}  // namespace psi
