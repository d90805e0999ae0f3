// The definitions of psi arguments, while psis change and copies are added (psi_normalize.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "live/guard_reads.h"
#include "live/guard_union.h"
#include "live/points.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::destruct {

struct PsiArgument {
  Guard guard;
  Operand value;

  bool is_undef() const { return value.is_undef(); }
  bool is_reg() const { return value.is_reg(); }
  Reg reg() const { return value.reg(); }
};

class PsiDefinitions {
 public:
  PsiDefinitions(const Function& function, Analyses& analyses, const live::Points& points,
                 GuardFacts& guards)
      : function_(function),
        uses_(analyses.get<Uses>()),
        points_(points),
        guards_(guards),
        num_old_regs_(function.num_regs()),
        merge_of_(num_old_regs_) {}

  bool is_new(Reg r) const { return r.index() >= num_old_regs_; }
  live::Point definition(Reg r) const;
  // The first definition that it is made of: a psi is made of those of its arguments.
  live::Point top(Reg r) const;
  // Where these write.
  live::GuardUnion written(Reg r) const;
  // The guard that says so; nothing if there is none, or if a psi has no value there.
  std::optional<Guard> guard(Reg r) const;
  // Does it have a value wherever it is written?
  bool is_full(Reg r) const;
  // Could the first argument, if this is a psi, be copied under its guard without writing more?
  bool is_tight(Reg r) const;

  void add_copy(Reg r, live::Point point, Guard guard);
  // A psi that is in order: its arguments but for the first write only where their guards are true.
  void add_psi(Reg r, live::Point point, std::span<const PsiArgument> arguments);

 private:
  static constexpr int kMaxDepth = 16;

  struct Merge {
    live::GuardUnion written;
    bool is_full = true;
    std::optional<Guard> guard;
    live::Point top;
    PsiArgument first;  // none if all are undef
  };
  struct Copy {
    live::Point point;
    Guard guard;
  };

  const Copy& copy(Reg r) const { return copies_[copy_of_[r.index() - num_old_regs_]]; }
  // None if no psi defines it.
  const Merge* merge(Reg r) const {
    return is_new(r) || merge_of_[r.index()] == 0 ? nullptr : &merges_[merge_of_[r.index()] - 1];
  }

  const Function& function_;
  const Uses& uses_;
  const live::Points& points_;
  GuardFacts& guards_;
  uint32_t num_old_regs_;
  std::vector<uint32_t> merge_of_;  // by Reg: one above its place in merges_
  std::vector<Merge> merges_;
  std::vector<uint32_t> copy_of_;  // by Reg from num_old_regs_ on
  std::vector<Copy> copies_;
};

}  // namespace psi::destruct
