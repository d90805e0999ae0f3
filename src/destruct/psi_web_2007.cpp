// Psi-congruence (de Ferriere 2007, section 4.4): all arguments of a psi whose congruence classes interfere
// get a copy, just below their definition.
//
//     p ? a = ...                        p ? a = ...
//     q ? b = ...                        q ? b = ...
//     r ? c = ...                        q ? e = b
//     x = psi p ? a, q ? b, r ? c   ==>  r ? c = ...
//     s ? d = add b, 1                   r ? f = c
//                                        g = psi p ? a, q ? e, r ? f
//                                        x = g
//                                        s ? d = add b, 1
//
// Of the improvements of section 4.6, `left_only` copies only the left one of two arguments (here b), and
// `ignore_result` ignores interference with the result. The paper updates its interference graph for new
// variables only; where an argument must now be kept longer than its class allows, more copies are made
// (psi_repair.h).
//
// For each psi all pairs of arguments are compared.

#include <utility>

#include "destruct/psi_repair.h"

namespace psi::destruct {

using namespace live;
namespace {

// Copied without a guard, an argument under one would write too much.
bool is_guarded_argument(const PsiChains& chains, Reg r) {
  bool found = false;
  chains.for_each_link(
      r, [&](uint32_t l) { found = found || l != chains.chains()[chains.link(l).chain].first; });
  return found;
}

}  // namespace

void repair_2007(PsiRepair& repair, uint32_t c, const DestructOptions& options) {
  const Chain& chain = repair.chains().chains()[c];
  std::span<const Link> links = repair.chains().links(chain);
  std::vector<uint8_t> must_copy(links.size());
  for (size_t i = 0; i < links.size(); ++i) {
    for (size_t k = i + 1; k < links.size(); ++k) {
      if (!repair.webs().do_clash(links[i].source, links[k].source)) continue;
      must_copy[i] = true;
      if (!options.left_only) must_copy[k] = true;
    }
  }
  if (!options.ignore_result && !is_guarded_argument(repair.chains(), chain.result)) {
    Point psi = repair.chains().definition(chain.result);
    bool clashes = false;
    for (size_t i = 0; i < links.size(); ++i) {
      if (!repair.webs().is_any_live_below(links[i].source, psi)) continue;
      must_copy[i] = clashes = true;
    }
    if (clashes) repair.copy_result(c);
  }
  repair.repair(c, CopyPlace::BelowDefinition, std::move(must_copy));
}

}  // namespace psi::destruct
