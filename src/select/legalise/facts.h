// What the rest asks of a target: which types its registers hold, and which instructions of the IR a form of
// its own covers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "psi/ir/instruction_set.h"

namespace psi::select {

// How a value of a type is held.
struct Carrier {
  enum class Kind : uint8_t {
    Same,   // as it is
    Wide,   // in a wider integer, of which the upper bits are unspecified
    Split,  // as two integers of 32 bits
    None,   // not at all
  };
  Kind kind = Kind::None;
  Type type = Type::none;  // of each part, a type that is held
};

class TargetFacts {
 public:
  TargetFacts() = default;
  // `held`: by type.
  TargetFacts(std::array<bool, kNumTypes> held, unsigned pointer_bits);

  unsigned pointer_bits() const { return pointer_bits_; }
  Type address_type() const { return pointer_bits_ == 32 ? Type::i32 : Type::i64; }
  const std::array<bool, kNumTypes>& held() const { return held_; }
  bool holds(Type type) const { return held_[static_cast<size_t>(type)]; }
  Carrier carrier(Type type) const { return carriers_[static_cast<size_t>(type)]; }
  // The narrowest integer but i1 that registers hold.
  Type word() const { return carrier(Type::i8).type; }

  // --- Covered by a form ----------------------------------------------------------------------------
  // A form that does what one instruction does, on registers and on literals of some operands.
  struct Covering {
    uint32_t form = UINT32_MAX;
    bool takes_guard = false;
    bool takes_negated_guard = false;
  };
  void add_form(uint32_t index, const MachineForm& form);
  // Does a form do this? Of a compare also one with exchanged operands.
  bool covers(const Function& function, const Inst& inst, std::span<const Operand> operands) const;
  // The operation on registers.
  bool covers(Opcode op, Type type, uint8_t kind = 0) const;
  // Would a form that covers it take the guard?
  bool takes_guard(const Function& function, const Inst& inst, std::span<const Operand> operands) const;

  // A load of a narrow integer, extended to the wide one: with the sign (sext), or with zeros; none: there is
  // none.
  std::optional<Opcode> extending_load(Type narrow, Type wide) const;
  bool has_truncating_store(Type narrow, Type wide) const;
  // The alignment that an access of this type needs.
  uint64_t access_align(Type type) const;
  // A value of `wide`, truncated to `narrow` and extended by `op`, is one instruction.
  bool extends_in_register(Opcode op, Type narrow, Type wide) const;

  // Forms are compared by the bits that they see: pointers and, in the registers of integers, floating-point
  // numbers are integers where only their bits count.
  Type canonical(Opcode op, Type type) const;
  // Floating-point numbers are in the same registers as integers of their width.
  void share_registers(Type number) { shared_[static_cast<size_t>(number)] = true; }

 private:
  struct Entry {
    Opcode op = Opcode::Add;
    Type type = Type::none;
    uint8_t kind = 0;
    uint8_t actions = 0;    // of a cmpp
    bool has_input = true;  // of a cmpp: a predicate; none counts as true
    Covering covering;
    const MachineForm* form = nullptr;
    std::vector<uint8_t> order;  // by operand of the instruction: that of the form
  };
  struct Access {
    bool is_store = false;
    Type narrow = Type::none, wide = Type::none;
    Opcode extension = Opcode::Mov;  // none
    uint64_t align = 1;
    Covering covering;
  };

  const Entry* find(const Function& function, const Inst& inst, std::span<const Operand> operands,
                    bool wants_guard) const;
  bool fits(const Entry& entry, const Function& function, const Inst& inst,
            std::span<const Operand> operands) const;

  std::array<bool, kNumTypes> held_{};
  std::array<bool, kNumTypes> shared_{};
  std::array<Carrier, kNumTypes + 1> carriers_{};
  unsigned pointer_bits_ = 64;
  std::vector<Entry> entries_;
  std::array<std::vector<uint32_t>, kNumOpcodes> by_opcode_;
  std::vector<Access> accesses_;
  Covering call_, return_, branch_;
};

}  // namespace psi::select
