// Out of SSA and psi-SSA form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "psi/pass/counters.h"
#include "psi/pass/pass.h"
#include "psi/pass/step_times.h"

namespace psi {

// How the webs of phis are coalesced.
enum class PhiMethod : uint8_t {
  Unified,    // phis and psis together, the fewest copies
  Boissinot,  // Boissinot et al. 2009: copies around every phi, then coalescing without an interference graph
  Briggs,     // Briggs et al. 1998: copies in the predecessors, results saved where they would be overwritten
  Sreedhar3,  // Sreedhar et al. 1999, method III: copies where live ranges and live sets require them
  Sreedhar2,  // method II: copies where live ranges interfere
  Naive,      // method I: copies for the result and every argument
};

std::string_view phi_method_name(PhiMethod method);
std::optional<PhiMethod> phi_method_from_name(std::string_view name);

// How the webs of psis are coalesced.
enum class PsiMethod : uint8_t {
  Web,      // the SSA book, chapter 15: normalize, then repair from right to left
  Web2007,  // de Ferriere 2007: normalize, then repair all interference
  Isolate,  // a copy for every argument
};

struct DestructOptions {
  PhiMethod method = PhiMethod::Unified;
  PsiMethod psi = PsiMethod::Web;
  bool split_critical = false;  // split critical edges first
  // Registers defined under disjoint predicates do not interfere; nor do registers of the same value.
  bool predicates = true;
  bool values = true;
  // Unified: sink pure definitions to their uses where that saves copies, and share one copy among several
  // uses.
  bool sink = true;
  bool share = true;
  // Psi-normalize: enlarge guards of arguments instead of copying.
  bool promote = true;
  // The four improvements of the 2007 paper's section 4.6. `disjoint` goes with `predicates`.
  bool permute = true;        // reorder disjoint arguments instead of copying
  bool left_only = true;      // repair only the left one of two interfering arguments
  bool ignore_result = true;  // ignore interference with the psi's result
};

// The copies that are left. Those of undef count nowhere.
struct CopiesLeft {
  uint64_t copies = 0;       // of registers
  uint64_t weight = 0;       // how often these are executed in one call, in hundredths
  uint64_t constants = 0;    // of literals and addresses of symbols
  uint64_t slots = 0;        // of addresses of stack slots
  uint64_t temporaries = 0;  // registers that cycles of copies needed
};

// From SSA form to plain form: phis and psis are gone, each web of registers that they joined is one register
// or several with copies between them. Removes unreachable blocks.
//
// Counts the copies that each step inserts and the copies that are left.
CopiesLeft destruct_ssa(Function& function, Analyses& analyses, const DestructOptions& options,
                        Counters& counters, StepTimes& times);

// The same as a pass, with its options by name.
void destruct_ssa(PassContext& context);
std::vector<PassOption> destruct_options();

// The first two of three steps, as separate passes that stay in SSA form. After this one every psi is
// normalized: from left to right its arguments are defined from top to bottom, each under the guard that it
// has in the psi.
void psi_normalize(PassContext& context);
std::vector<PassOption> psi_normalize_options();
// After this one the registers of each psi do not interfere.
void psi_web(PassContext& context);
std::vector<PassOption> psi_web_options();

}  // namespace psi
