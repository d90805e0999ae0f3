// What a target can execute, instruction by instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "psi/ir/function.h"
#include "psi/target/target.h"

namespace psi::legal {

// Is there a guard on the instruction that the target cannot have?
bool has_bad_guard(const Inst& inst, const Target& target);
// Is a predicate read complemented, by a guard or as the input of a cmpp, where that takes a register?
bool reads_bad_complement(const Function& function, const Inst& inst, const Target& target);
// An action of the cmpp that the target does not have.
std::optional<Action> bad_action(const Inst& inst, const Target& target);

// An operand that is a literal which the target does not take there. Addresses are not looked at.
constexpr int kNoOperand = -1;
int bad_literal(const Function& function, const Inst& inst, const Target& target);

// Address instructions become part of the accesses that read them, where the target has such addresses, or
// are executed by themselves.
class AddressRules {
 public:
  // Linear.
  AddressRules(const Function& function, const Target& target);
  bool is_bad(InstId id) const;

 private:
  // base + index * scale + offset; a scale of 0: no index.
  struct Form {
    int64_t scale = 0;
    int64_t offset = 0;
  };
  Form form(const Inst& inst) const;
  bool can_access(Form form, unsigned size) const;
  bool is_executed_alone(const Inst& inst) const;
  void look_at_block(BlockId b);
  void read(Operand operand, unsigned access_size);

  // What a block knows of the registers that it wrote last.
  struct Definition {
    InstId inst;
    uint32_t time = 0;
  };

  const Function& function_;
  const Target& target_;
  std::vector<bool> is_computed_;        // by Reg: read by something that is not an access of that form
  std::vector<Definition> definitions_;  // by Reg: in the block that is looked at
  uint32_t block_start_ = 0, time_ = 0;
};

}  // namespace psi::legal
