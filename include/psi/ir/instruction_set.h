// The instructions of a machine, as the IR knows them: operands, results, and a meaning in generic
// instructions. A function that has machine instructions points at the set that they belong to; each is an
// index into its forms. A target's description makes the set (psi/target/target.h); the IR itself knows no
// machine.
//
// A meaning is the only thing that says what a form does: the interpreter executes it, analyses of values
// look at it, selection matches it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "psi/ir/function.h"

namespace psi {

// Literals that an operand takes: from `min` to `max`, multiples of `multiple`.
struct LiteralAlternative {
  int64_t min = 0;
  int64_t max = 0;
  uint64_t multiple = 1;
  uint32_t extra_words = 0;  // beyond those of the instruction
  // As unsigned and as signed numbers: a literal has bits, a range has both kinds of numbers.
  bool holds(uint64_t bits, Type type) const;
  bool operator==(const LiteralAlternative&) const = default;
};

struct MachineOperand {
  enum class Kind : uint8_t {
    Register,  // a value
    Literal,
    Symbol,  // the address of a global or function, or a literal address
    Block,   // where a branch leads
  };

  Kind kind = Kind::Register;
  Type type = Type::none;  // in the meaning; of a symbol ptr, of a block none
  std::string name;        // in the description, without `%`; `m.b` of an addressing mode
  // Of a register: the class, as the description numbers them.
  uint16_t register_class = 0;
  // Of a literal, the first that holds it counts; under a guard there may be others, or none. Of a register:
  // literals that a register of the class always reads as.
  std::vector<LiteralAlternative> literals;
  std::vector<LiteralAlternative> guarded_literals;
  // A result that must be given the same register; -1: none.
  int8_t tied_result = -1;

  // Does it take a value of this type? Registers hold bits: of any type of the width.
  bool takes(Type value, unsigned pointer_bits) const;
};

struct MachineResult {
  Type type = Type::none;
  std::string name;
  uint16_t register_class = 0;
  int8_t tied_operand = -1;
};

// What a form does, in generic instructions: SSA form, straight-line, one block.
struct Meaning {
  // The first block has the instructions; it ends where the next instruction goes on, unless a branch or ret
  // was taken. There is an empty block for each target.
  Function body;
  std::vector<Reg> operands;     // by operand: its register in the body; none for targets
  std::vector<BlockId> targets;  // by operand: its block in the body; none for values
  std::array<Reg, 2> results;    // where the results are; of a variable result none
  InstId variable;               // the call or ret that takes the operands beyond those named
};

struct MachineForm {
  std::string name;  // in text, behind the set's name: `add`, `ldw.post`
  Effect effect = Effect::Pure;
  std::vector<MachineOperand> operands;
  std::vector<MachineResult> results;  // two at most
  bool variable_operands = false;      // arguments, or the value that is returned, behind the others
  bool variable_result = false;        // what a call returns: the only one, behind the others
  bool takes_guard = false;
  bool takes_negated_guard = false;  // has a sense for the complement of a register
  bool is_call = false;
  bool is_return = false;
  bool falls_through = false;  // a terminator behind which the next one may be reached without a guard
  bool is_copy = false;        // its meaning is a mov of its only operand, a register
  bool is_boundary = false;    // see add_boundary_forms
  bool by_name = false;        // never selected
  bool is_opaque = false;      // no meaning: every effect
  uint32_t words = 1;
  uint32_t scheduling_class = 0;  // as the description numbers them
  uint32_t entry = UINT32_MAX;    // of the description
  Meaning meaning;

  // The five opcodes of machine instructions differ in their effect.
  Opcode opcode() const;
};

class InstructionSet {
 public:
  static constexpr uint32_t kMaxForms = 65535;

  InstructionSet(std::string name, unsigned pointer_bits)
      : name_(std::move(name)), pointer_bits_(pointer_bits) {}

  const std::string& name() const { return name_; }
  unsigned pointer_bits() const { return pointer_bits_; }
  // The index of the form.
  uint32_t add(MachineForm form);
  uint32_t num_forms() const { return static_cast<uint32_t>(forms_.size()); }
  const MachineForm& form(uint32_t index) const { return forms_[index]; }
  const MachineForm& form(const Inst& machine_inst) const { return forms_[machine_inst.form()]; }
  std::span<const MachineForm> forms() const { return forms_; }
  // The forms of one name, in the order of the description; empty if there are none.
  std::span<const uint32_t> find(std::string_view name) const;

  // The first form of this name that takes the operands; nothing if none does.
  std::optional<uint32_t> choose(std::string_view name, const Function& function,
                                 std::span<const Operand> operands, Guard guard, size_t num_results) const;
  // Why the form does not take the operands and guard of this instruction; empty if it does.
  std::string refusal(const MachineForm& form, const Function& function, std::span<const Operand> operands,
                      Guard guard, size_t num_results) const;

 private:
  std::string name_;
  unsigned pointer_bits_;
  std::vector<MachineForm> forms_;
  std::unordered_map<std::string, std::vector<uint32_t>> by_name_;
};

// Forms for values of types that no register class holds, where they cross the boundary of a function. Every
// set has them; an allocator makes them copies or nothing.
//   lo, hi, pair          an i64 as two i32, and the other way
//   widen.FROM.TO         a small integer in a wider register: the upper bits are zero
//   narrow.FROM.TO        the other way; the upper bits must be zero
//   bits.FROM.TO          a floating-point number or an address as an integer of its width, and the other way
void add_boundary_forms(InstructionSet& set);

// The sets that the text of a module may name.
class InstructionSets {
 public:
  virtual ~InstructionSets() = default;
  // Null: there is none.
  virtual std::shared_ptr<const InstructionSet> find(std::string_view name) const = 0;
};

}  // namespace psi
