// The definitions and uses of each register, and the position of each instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi {

// One read of a register by an instruction.
struct Use {
  static constexpr uint32_t kGuard = UINT32_MAX;

  InstId inst;
  uint32_t operand = 0;  // which operand, or kGuard

  bool is_guard() const { return operand == kGuard; }
  bool operator==(const Use&) const = default;
};

// Covers the blocks of the layout, reachable or not. In plain form a guarded definition or a partial cmpp
// target that keeps its old contents is not a use.
class Uses {
 public:
  // Linear.
  explicit Uses(const Function& function);
  static constexpr Keeps kHoldsWith = Keeps::All;
  Uses(const Function& function, Analyses&) : Uses(function) {}

  // In layout order; of one instruction, the guard first, then the operands.
  std::span<const Use> uses(Reg r) const { return slice(uses_, use_start_, r); }
  bool is_used(Reg r) const { return !uses(r).empty(); }
  // The instructions with r as a result, in layout order: in plain form any number, in SSA form one, none for
  // a parameter.
  std::span<const InstId> definitions(Reg r) const { return slice(definitions_, definition_start_, r); }
  // The first of them, which is the one in SSA form; none if there is none.
  InstId definition(Reg r) const { return definitions(r).empty() ? InstId() : definitions(r).front(); }
  bool is_param(Reg r) const { return is_param_[r.index()] != 0; }

  // None for an instruction that no block lists.
  BlockId block(InstId id) const { return block_[id.index()]; }
  // In its block, from 0.
  uint32_t position(InstId id) const { return position_[id.index()]; }

  bool operator==(const Uses&) const = default;

 private:
  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, const std::vector<uint32_t>& start, Reg r) {
    return std::span(all).subspan(start[r.index()], start[r.index() + 1] - start[r.index()]);
  }

  std::vector<uint32_t> use_start_;         // by Reg, and one more
  std::vector<uint32_t> definition_start_;  // likewise
  std::vector<Use> uses_;
  std::vector<InstId> definitions_;
  std::vector<uint8_t> is_param_;   // by Reg
  std::vector<BlockId> block_;      // by InstId
  std::vector<uint32_t> position_;  // by InstId
};

}  // namespace psi
