// Psi-web: the second step out of psi-SSA form. Afterwards the registers of each psi do not interfere, so
// that they can be merged.
//
//     p ? a = ...                        p ? a = ...
//     q ? b = ...                        q ? b = ...
//     r ? c = ...                        q ? b' = b
//     x = psi p ? a, q ? b, r ? c   ==>  r ? c = ...
//     s ? d = add b, 1                   x = psi p ? a, q ? b', r ? c
//                                        s ? d = add b, 1
//
// The SSA book, section 15.4.2, with two additions. The values that an argument carries for those to its left
// must be kept as well as its own, wherever guards are disjoint. And a copy may clash with a register in
// another argument's web from another psi; then that one is copied (psi_repair.h).
//
// Requires normalized psis. Ensures that renaming each web to one register, and dropping psis, is right.
// Costs the live ranges of registers in psis and, for each that joins a web, the definitions of the web in
// them.

#include "destruct/psi_repair.h"
#include "destruct/psi_steps.h"
#include "psi/analysis/dominators.h"

namespace psi::destruct {

std::vector<Reg> make_psi_webs(Function& function, Analyses& analyses, const DestructOptions& options,
                               Counters& counters) {
  std::vector<Reg> webs;
  if (options.psi == PsiMethod::Isolate) {
    webs = copy_psi_arguments(function, analyses, counters);
  } else {
    PsiRepair repair(function, analyses, options);
    for (uint32_t c = 0; c < repair.chains().chains().size(); ++c) {
      if (options.psi == PsiMethod::Web2007) {
        repair_2007(repair, c, options);
      } else {
        repair.repair(c, CopyPlace::AboveNext, {});
      }
    }
    webs = repair.finish(counters);
  }
  analyses.drop(Keeps::ControlFlow);
  return webs;
}

}  // namespace psi::destruct

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_web(PassContext& context) {
  const PassArguments& arguments = context.arguments;
  DestructOptions options;
  options.psi = arguments.word("method") == "2007"      ? PsiMethod::Web2007
                : arguments.word("method") == "isolate" ? PsiMethod::Isolate
                                                        : PsiMethod::Web;
  options.predicates = arguments.word("predicates") == "aware";
  options.values = arguments.word("values") == "aware";
  options.left_only = arguments.flag("left-only");
  options.ignore_result = arguments.flag("ignore-result");
  if (!destruct::has_psis(context.function, context.analyses.get<Dominators>())) return;
  // Changes nothing if already done.
  destruct::normalize_psis(context.function, context.analyses, options, context.counters);
  destruct::make_psi_webs(context.function, context.analyses, options, context.counters);
}

std::vector<PassOption> psi_web_options() {
  return {
      PassOption::word("method", {"web", "2007", "isolate"}, "which arguments are copied, and where"),
      PassOption::word("predicates", {"aware", "blind"}, "let registers under exclusive predicates share"),
      PassOption::word("values", {"aware", "blind"}, "let registers of the same value share"),
      PassOption::flag("left-only", true, "method=2007: repair only the left one of two that interfere"),
      PassOption::flag("ignore-result", true, "method=2007: ignore interference with the psi's result"),
  };
}

}  // namespace psi
