// Selects and predicates that replace psis, shared for equal operands.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "psi/analysis/dominators.h"
#include "psi/ir/edits.h"
#include "psi/ir/function.h"
#include "psi/pass/counters.h"

namespace psi::psi_transforms {

// An instruction is reused where it dominates.
class SharedSelects {
 public:
  SharedSelects(Function& function, const Dominators& dominators)
      : function_(function), dominators_(dominators) {}

  // New instructions go before the psi, by `edits`; the last one, if `is_last`, replaces it.
  void begin(BlockId b, uint32_t position, InstId psi) {
    block_ = b;
    position_ = position;
    psi_ = psi;
    is_last_ = false;
  }
  void set_last(bool is_last) { is_last_ = is_last; }
  // Earlier instructions no longer dominate.
  void forget() { made_.clear(); }

  // The value if the guard is true.
  Operand select(Operand guard, Operand value, Operand otherwise);
  // The condition, frozen.
  Operand frozen(Operand condition);
  // A guard: is one of them true?
  Operand either(Operand a, Operand b);
  // The psi becomes this instruction.
  void rewrite(Opcode op, std::span<const Operand> operands);

  BlockEdits& edits() { return edits_; }
  uint64_t num_selects() const { return selects_; }
  uint64_t num_shared() const { return shared_; }
  void report(Counters& counters) const;

 private:
  struct Key {
    Opcode op;
    std::array<Operand, 3> operands;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t hash = static_cast<uint64_t>(key.op);
      for (Operand operand : key.operands) hash = (hash ^ operand.raw()) * 0x9e3779b97f4a7c15;
      return hash ^ hash >> 32;
    }
  };
  struct Made {
    Reg reg;
    BlockId block;
  };

  Operand positive(Operand guard);
  Operand make(const Key& key);
  Reg add(const Key& key);

  Function& function_;
  const Dominators& dominators_;
  std::unordered_map<Key, Made, Hash> made_;
  BlockEdits edits_;
  BlockId block_;
  uint32_t position_ = 0;
  InstId psi_;
  bool is_last_ = false;
  uint64_t selects_ = 0, shared_ = 0;
  uint64_t predicates_ = 0, shared_predicates_ = 0;
};

}  // namespace psi::psi_transforms
