// Which memory accesses may touch the same bytes.
//
//     %p = ptradd %s, 8             s + 8
//     %q = ptrindex %p, %i, 4, 4    s + 4 * i + 12
//
// An address is decomposed into a base object or unknown pointer, a constant, and at most one variable part.
// Two addresses differ if they have different base objects, if one is a slot whose address does not escape,
// or if the bases are equal and the offsets disjoint.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/ir/module.h"
#include "psi/pass/analyses.h"

namespace psi {

struct Address {
  Operand object;  // the origin: a register that is no computed address, a symbol or a literal
  Operand base;    // the same, or an address with a second variable part
  Operand index;   // none: there is no variable part
  int64_t scale = 0;
  int64_t offset = 0;
  bool operator==(const Address&) const = default;
};

// A range of bytes from an address on.
struct Bytes {
  static constexpr uint64_t kUnknown = UINT64_MAX;
  Address address;
  uint64_t size = kUnknown;
};

class Alias {
 public:
  // Linear. Registers must have one definition each.
  Alias(const Module& module, const Function& function, const Uses& uses, const Order& order);

  // The decomposition of the pointer.
  Address address(Operand pointer) const;
  // Decomposes the result of a ptradd or ptrindex again, after its operands have changed.
  void update(InstId id);

  // May an access to one affect an access to the other?
  bool may_overlap(const Bytes& a, const Bytes& b) const;
  // Do both start at the same byte?
  static bool same_start(const Address& a, const Address& b) { return a == b; }
  // A slot whose address does not escape: calls and unknown pointers do not reach it.
  bool is_private(Operand object) const { return is(object, Kind::Private); }
  // Memory that nobody writes.
  bool is_constant(Operand object) const;
  // The bytes that a store, memcpy, memmove or memset writes; those that a load reads.
  Bytes written(InstId id) const;
  Bytes read(InstId id) const;

 private:
  enum class Kind : uint8_t { Unknown, Param, Slot, Private };

  void find_private_slots(const Uses& uses);
  bool is_escape(const Use& use) const;
  bool may_be_same_object(Operand a, Operand b) const;
  bool is_object(Operand object) const {
    return object.is_symbol() || is(object, Kind::Slot) || is(object, Kind::Private);
  }
  bool is(Operand object, Kind kind) const {
    return object.is_reg() && object.reg().index() < kind_.size() && kind_[object.reg().index()] == kind;
  }

  const Module& module_;
  const Function& function_;
  std::vector<Kind> kind_;       // by Reg
  std::vector<uint32_t> where_;  // by Reg: in addresses_, from 1; 0: it is a base
  std::vector<Address> addresses_;
};

}  // namespace psi
