// Replaces instructions of a function by others, one after the other. In SSA form a result becomes whatever
// value was computed for it, so that no copies are left; in plain form it is a register that is written.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "psi/pass/remarks.h"
#include "select/legalise/emitter.h"

namespace psi::select {

class Rewriter {
 public:
  // The instruction that could not be done, if any.
  InstId culprit() const { return emitter_.origin(); }

 protected:
  // `remarks` may be null.
  Rewriter(Function& function, Remarks* remarks)
      : function_(function),
        emitter_(function, out_),
        remarks_(remarks),
        num_program_regs_(function.num_regs()) {}
  ~Rewriter() = default;

  bool is_ssa() const { return psi::is_ssa(function_.form); }
  void fail(std::string why) {
    if (failure_.empty()) failure_ = std::move(why);
  }

  void remark(std::string message) {
    if (remarks_) remarks_->done(function_, emitter_.origin(), std::move(message));
  }

  // What follows stands for this instruction.
  void begin(InstId id);
  // The instruction stays.
  void keep(InstId id);
  // It stays with other operands.
  void keep(InstId id, std::span<const Operand> operands);
  // The register is what was computed, under the guard of the instruction.
  void bind(Reg reg, Operand value);
  Operand resolve(Operand operand) const;
  // After the walk: all operands are what their registers are.
  void resolve_all();
  bool is_new(Reg reg) const { return reg.index() >= num_program_regs_; }
  void move(Reg to, Operand value, Guard guard);
  // What is in `out_` may be used again in the blocks that it dominates. SSA form only.
  void reuse(const Dominators& dominators, const std::array<bool, kNumTypes>& held);
  void start_block(BlockId block);
  void note_computed(size_t first);

  Function& function_;
  std::vector<InstId> out_;
  Emitter emitter_;
  Remarks* remarks_;
  Guard guard_;             // of the instruction
  size_t group_start_ = 0;  // in out_: where what stands for the instruction begins
  std::string failure_;
  Operand pending_;  // will be bound next, too: its register must keep its name

 private:
  bool retarget(Reg reg, Reg value);

  uint32_t num_program_regs_;
  std::optional<ComputedValues> computed_;
  std::vector<Operand> alias_;  // by register: what it is; none: itself
  std::vector<Operand> scratch_;
};

}  // namespace psi::select
