#include "optimise/insertions.h"

#include <algorithm>

namespace psi::optimise {

void Insertions::apply(Function& function) {
  auto by_block = [](const Insertion& a, const Insertion& b) { return a.block.index() < b.block.index(); };
  // The phi that was added last comes first.
  std::ranges::sort(phis_, [](const Insertion& a, const Insertion& b) {
    return a.block != b.block ? a.block < b.block : a.order > b.order;
  });
  std::ranges::sort(ends_, [](const Insertion& a, const Insertion& b) {
    return a.block != b.block ? a.block < b.block : a.order < b.order;
  });
  std::vector<InstId> list;
  auto phi = phis_.begin(), end = ends_.begin();
  while (phi != phis_.end() || end != ends_.end()) {
    BlockId b = end == ends_.end() || (phi != phis_.end() && by_block(*phi, *end)) ? phi->block : end->block;
    list.clear();
    for (; phi != phis_.end() && phi->block == b; ++phi) list.push_back(phi->inst);
    std::span<const InstId> old = function.insts(b);
    size_t body = old.size() - function.terminators(b).size();
    list.insert(list.end(), old.begin(), old.begin() + static_cast<ptrdiff_t>(body));
    for (; end != ends_.end() && end->block == b; ++end) list.push_back(end->inst);
    list.insert(list.end(), old.begin() + static_cast<ptrdiff_t>(body), old.end());
    function.set_insts(b, list);
  }
}

}  // namespace psi::optimise
