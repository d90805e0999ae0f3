// Out of SSA and psi-SSA form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "psi/counters.h"
#include "psi/pass.h"
#include "psi/step_times.h"

namespace psi {

// How the registers that phis join get into one.
enum class PhiMethod : uint8_t {
  Unified,    // ours: phis and psis at once, the fewest copies
  Boissinot,  // Boissinot et al. 2009: copies around every phi, then coalescing without an interference graph
  Briggs,     // Briggs et al. 1998: copies in the predecessors, results saved where they would be lost
  Sreedhar3,  // Sreedhar et al. 1999, method III: copies where live ranges and live sets call for them
  Sreedhar2,  // method II: copies where live ranges interfere
  Naive,      // method I: copies for the result and every argument
};

std::string_view phi_method_name(PhiMethod method);
std::optional<PhiMethod> phi_method_from_name(std::string_view name);

// How those that psis join do.
enum class PsiMethod : uint8_t {
  Web,      // the SSA book, chapter 15: normalize, then repair from right to left
  Web2007,  // de Ferriere 2007: normalize, then repair all that interferes
  Isolate,  // a copy for every argument
};

struct DestructOptions {
  PhiMethod method = PhiMethod::Unified;
  PsiMethod psi = PsiMethod::Web;
  bool split_critical = false;  // give edges from branches to joins a block of their own first
  // Interference: registers defined under predicates that exclude each other have none; nor have registers
  // of the same value.
  bool predicates = true;
  bool values = true;
  // Unified: move pure definitions down to their uses where that spares copies, and let one copy do for
  // several.
  bool sink = true;
  bool share = true;
  // Psi-normalize: enlarge guards of arguments instead of copying.
  bool promote = true;
  // The four improvements of the 2007 paper's section 4.6. `disjoint` goes with `predicates`.
  bool permute = true;        // reorder arguments that exclude each other instead of copying
  bool left_only = true;      // repair the left one of two arguments that interfere
  bool ignore_result = true;  // interference with the psi's result is none
};

// From SSA form to plain form: phis and psis are gone, each web of registers that they joined is one register
// or several with copies between them. Removes unreachable blocks.
//
// Counts the copies that each step inserts and those that are left.
void destruct(Function& function, Analyses& analyses, const DestructOptions& options, Counters& counters,
              StepTimes& times);

// The same as a pass, with its options by name.
void destruct(PassContext& context);
std::vector<PassOption> destruct_options();

// The first two steps of three, as passes of their own: they stay in SSA form. Afterwards every psi is
// normalized: from left to right its arguments are defined from top to bottom, each under the guard that it
// has in the psi.
void psi_normalize(PassContext& context);
std::vector<PassOption> psi_normalize_options();
// Then the registers of each psi do not interfere.
void psi_web(PassContext& context);
std::vector<PassOption> psi_web_options();

}  // namespace psi
