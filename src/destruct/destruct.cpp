// Out of psi-SSA form.
//
//     @loop: i2 = phi [@entry: i1], [@loop: i3]          @loop: i = add i, 1
//            i3 = add i2, 1                       ==>           br p, @loop, @exit
//            br p, @loop, @exit
//
// The three steps of the psi-SSA papers are psi-normalize, psi-web and, by one of several methods, phi-web;
// `unified` does all three at once. What a method leaves is the same in each case: copies, and webs of
// registers that may each become one.
//
// Requires: SSA form. Ensures: plain form, every block reachable. Cost: that of the method.
#include "psi/destruct.h"

#include <array>
#include <utility>

#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/methods.h"
#include "destruct/psi_steps.h"
#include "destruct/split_edges.h"
#include "destruct/web_names.h"
#include "psi/transform.h"

namespace psi {
namespace {

using namespace destruction;

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
      merges.partial_compares = merges.partial_compares || (inst.op == Opcode::Cmpp && inst.count > 3);
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

// Only functions with fewer registers are taken apart in several ways.
constexpr uint32_t kLarge = 5'000;

// How psis are seen to: in two steps before phis are, or by the method itself.
enum class Psis : uint8_t { None, InSteps, WithPhis };

void take_apart(Function& function, Analyses& analyses, const DestructOptions& options, Psis psis,
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
  finish(function, analyses, webs, copies, counters);
  clock.end("renaming");
}

// Unified, and where that is not the last word other ways as well, whichever leaves least. The two steps for
// psis know tricks for a psi by itself that all at once does not. Heuristics that are better as a rule may be
// worse in one function. And coalescing does not see what temporary a circle of copies will need, while
// method III of Sreedhar et al. leaves no circles.
void take_apart_best(Function& function, Analyses& analyses, const DestructOptions& options, bool has_psis,
                     Counters& counters, StepTimes& times) {
  Psis psis = has_psis ? Psis::WithPhis : Psis::None;
  if (function.num_regs() >= kLarge) return take_apart(function, analyses, options, psis, counters, times);
  Function before = function;
  Counters best;
  take_apart(function, analyses, options, psis, best, times);
  auto attempt = [&](PhiMethod method) {
    Function other = before;
    Analyses other_analyses(other);
    Counters found;
    DestructOptions changed = options;
    changed.method = method;
    // Webs of psis that were found free of interference stay so only as long as nothing moves.
    changed.sink = options.sink && !has_psis;
    take_apart(other, other_analyses, changed, has_psis ? Psis::InSteps : Psis::None, found, times);
    if (found["copies left weighted"] >= best["copies left weighted"]) return;
    function = std::move(other);
    best = std::move(found);
  };
  bool psis_cost = has_psis && best["copies left weighted"] > 0;
  if (psis_cost) attempt(PhiMethod::Unified);
  if (psis_cost || best["temporaries"] > 0) {
    attempt(PhiMethod::Boissinot);
    attempt(PhiMethod::Sreedhar3);
  }
  counters.add(best);
}

}  // namespace

void destruct(Function& function, Analyses& analyses, const DestructOptions& options, Counters& counters,
              StepTimes& times) {
  StepClock clock(times);
  if (analyses.order().num_reachable() != function.layout().size()) {
    dce_unreachable(function, analyses, counters);
    analyses.drop(Keeps::Nothing);
  }
  Merges merges = count_merges(function);
  counters.add("phis", merges.phis);
  counters.add("psis", merges.psis);
  if (options.split_critical && merges.phis > 0) split_critical_edges(function, analyses, counters);
  if (merges.partial_compares) {
    Copies copies(function);
    isolate_partial_compares(function, analyses.dominators(), copies);
    copies.apply();
    analyses.drop(Keeps::ControlFlow);
  }
  analyses.frequencies();
  clock.end("graph");

  if (options.method == PhiMethod::Unified && merges.phis + merges.psis > 0) {
    take_apart_best(function, analyses, options, merges.psis > 0, counters, times);
  } else {
    take_apart(function, analyses, options, merges.psis > 0 ? Psis::InSteps : Psis::None, counters, times);
  }
  close_gaps(function);
  function.compact(Function::Spare::Keep);
  analyses.drop(Keeps::ControlFlow);
}

// --- As a pass ----------------------------------------------------------------------------------------

void destruct(PassContext& context) {
  const PassArguments& arguments = context.arguments;
  DestructOptions options;
  options.method = *phi_method_from_name(arguments["method"]);
  options.psi = arguments["psi"] == "2007"      ? PsiMethod::Web2007
                : arguments["psi"] == "isolate" ? PsiMethod::Isolate
                                                : PsiMethod::Web;
  options.split_critical = arguments["split-critical"] == "on";
  options.predicates = arguments["predicates"] == "aware";
  options.values = arguments["values"] == "aware";
  options.sink = arguments["sink"] == "on";
  options.share = arguments["share"] == "on";
  options.promote = arguments["promote"] == "on";
  options.permute = arguments["permute"] == "on";
  options.left_only = arguments["left-only"] == "on";
  options.ignore_result = arguments["ignore-result"] == "on";
  destruct(context.function, context.analyses, options, context.counters, context.times);
}

std::vector<PassOption> destruct_options() {
  PassOption method{"method", {}, "how the registers of phis become one"};
  for (const auto& [name, value] : kMethods) method.values.emplace_back(name);
  return {
      std::move(method),
      {"psi", {"web", "2007", "isolate"}, "how those of psis do (unified sees to both at once)"},
      {"split-critical", {"off", "on"}, "give critical edges a block of their own first"},
      {"predicates", {"aware", "blind"}, "let registers under exclusive predicates share"},
      {"values", {"aware", "blind"}, "let registers of the same value share"},
      {"sink", {"on", "off"}, "unified: move definitions down where that spares copies"},
      {"share", {"on", "off"}, "unified: let one copy do for several"},
      {"promote", {"on", "off"}, "psi-normalize: enlarge guards instead of copying"},
      {"permute", {"on", "off"}, "psi-normalize: reorder exclusive arguments instead of copying"},
      {"left-only", {"on", "off"}, "psi=2007: repair only the left one of two that interfere"},
      {"ignore-result", {"on", "off"}, "psi=2007: interference with the psi's result is none"},
  };
}

}  // namespace psi
