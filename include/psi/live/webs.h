// Sets of registers that are to become one: each register is in one web, at first alone.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "psi/support/id.h"

namespace psi {

class Webs {
 public:
  Webs() = default;
  explicit Webs(uint32_t num_regs) { grow(num_regs); }

  // New registers are alone.
  void grow(uint32_t num_regs) {
    auto first = static_cast<uint32_t>(parent_.size());
    if (num_regs <= first) return;
    parent_.resize(num_regs);
    next_.resize(num_regs);
    size_.resize(num_regs, 1);
    std::iota(parent_.begin() + first, parent_.end(), first);
    std::iota(next_.begin() + first, next_.end(), first);
  }

  uint32_t num_regs() const { return static_cast<uint32_t>(parent_.size()); }

  Reg find(Reg r) const {
    uint32_t i = r.index();
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return Reg(i);
  }
  bool same(Reg a, Reg b) const { return find(a) == find(b); }
  uint32_t size(Reg r) const { return size_[find(r).index()]; }

  // Returns the representative, which is that of the larger of the two.
  Reg unite(Reg a, Reg b) {
    uint32_t large = find(a).index(), small = find(b).index();
    if (large == small) return Reg(large);
    if (size_[large] < size_[small]) std::swap(large, small);
    parent_[small] = large;
    size_[large] += size_[small];
    std::swap(next_[large], next_[small]);
    return Reg(large);
  }

  // Calls visit(Reg) for each register of a web.
  template <class Visit>
  void for_each_member(Reg r, Visit visit) const {
    uint32_t i = r.index();
    do {
      visit(Reg(i));
      i = next_[i];
    } while (i != r.index());
  }

 private:
  mutable std::vector<uint32_t> parent_;
  std::vector<uint32_t> next_;  // a circular list of the members of each web
  std::vector<uint32_t> size_;  // by representative
};

}  // namespace psi
