// When results are available, and how long it takes to issue instructions, on a target.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "psi/ir/function.h"
#include "psi/target/target.h"

namespace psi::predication {

// A set of instructions; each starts when its operands are available.
class Schedule {
 public:
  Schedule(const Function& function, const Target& target)
      : function_(function), target_(target), ready_(function.num_regs()), stamp_(function.num_regs()) {}

  // Starts afresh: nothing is issued, and all registers are available.
  void start() {
    ++current_;
    height_ = 0;
    clear_issued();
  }
  void clear_issued() {
    used_.fill(0);
    issued_ = 0;
  }

  double ready(Operand operand) const { return operand.reads_reg() ? ready(operand.reg()) : 0; }
  double ready(Reg r) const { return stamp_[r.index()] == current_ ? ready_[r.index()] : 0; }
  void set_ready(Reg r, double time) {
    ready_[r.index()] = time;
    stamp_[r.index()] = current_;
    height_ = std::max(height_, time);
  }

  // Issues an instruction not before `earliest`, `times` times on the average.
  void issue(const Inst& inst, double earliest, double times = 1) {
    double start = earliest;
    for (Operand operand : function_.operands(inst)) start = std::max(start, ready(operand));
    if (inst.guard) start = std::max(start, ready(inst.guard.reg()));
    occupy(target_.unit(inst), times);
    double end = start + latency(inst);
    for (Reg result : inst.results) {
      if (result) set_ready(result, end);
    }
    height_ = std::max(height_, end);
  }
  // Phis and psis occupy none.
  void occupy(std::optional<Unit> unit, double times = 1) {
    if (!unit) return;
    used_[static_cast<size_t>(*unit)] += times;
    issued_ += times;
  }

  // The longest chain of latencies.
  double height() const { return height_; }
  // Cycles until all is issued.
  double width() const {
    double cycles = issued_ / std::max(1u, target_.issue_width);
    for (size_t unit = 0; unit < used_.size(); ++unit) {
      cycles = std::max(cycles, used_[unit] / std::max(1u, target_.units[unit]));
    }
    return cycles;
  }

 private:
  // Division by a literal is a multiplication and shifts.
  uint32_t latency(const Inst& inst) const {
    bool is_product = group_of(inst.op) == OpGroup::Divide && function_.operands(inst)[1].is_literal();
    return is_product ? target_.latency(OpGroup::Multiply) + 2 * target_.latency(OpGroup::Integer)
                      : target_.latency(inst);
  }

  const Function& function_;
  const Target& target_;
  std::vector<double> ready_;    // by Reg
  std::vector<uint32_t> stamp_;  // by Reg: of the start since which that was set
  uint32_t current_ = 0;
  std::array<double, kNumUnits> used_{};
  double issued_ = 0;
  double height_ = 0;
};

}  // namespace psi::predication
