// Psi-web: the second step out of psi-SSA form. The registers of each psi are not to interfere, so that they
// can become one.
//
//     p ? a = ...                        p ? a = ...
//     q ? b = ...                        q ? b = ...
//     r ? c = ...                        q ? b' = b
//     x = psi p ? a, q ? b, r ? c   ==>  r ? c = ...
//     s ? d = add b, 1                   x = psi p ? a, q ? b', r ? c
//                                        s ? d = add b, 1
//
// The SSA book, section 15.4.2, with two additions. What an argument carries of those to its left must be
// kept as well as its own value, wherever guards exclude each other. And a copy may clash with what another
// argument has in its web from another psi; then that one is copied (psi_repair.h).
//
// Requires normalized psis. Ensures that renaming each web to one register, and dropping psis, is right.
// Costs the live ranges of registers in psis and, for each that joins a web, the definitions of the web in
// them.

#include "destruct/psi_repair.h"
#include "destruct/psi_steps.h"

namespace psi::destruction {

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

}  // namespace psi::destruction

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_web(PassContext& context) {
  const PassArguments& arguments = context.arguments;
  DestructOptions options;
  options.psi = arguments["method"] == "2007"      ? PsiMethod::Web2007
                : arguments["method"] == "isolate" ? PsiMethod::Isolate
                                                   : PsiMethod::Web;
  options.predicates = arguments["predicates"] == "aware";
  options.values = arguments["values"] == "aware";
  options.left_only = arguments["left-only"] == "on";
  options.ignore_result = arguments["ignore-result"] == "on";
  if (!destruction::has_psis(context.function, context.analyses.dominators())) return;
  // Changes nothing if it has been done.
  destruction::normalize_psis(context.function, context.analyses, options, context.counters);
  destruction::make_psi_webs(context.function, context.analyses, options, context.counters);
}

std::vector<PassOption> psi_web_options() {
  return {
      {"method", {"web", "2007", "isolate"}, "which arguments are copied, and where"},
      {"predicates", {"aware", "blind"}, "let registers under exclusive predicates share"},
      {"values", {"aware", "blind"}, "let registers of the same value share"},
      {"left-only", {"on", "off"}, "method=2007: repair only the left one of two that interfere"},
      {"ignore-result", {"on", "off"}, "method=2007: interference with the psi's result is none"},
  };
}

}  // namespace psi
