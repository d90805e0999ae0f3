// The linear form of addresses and indices: base + index * scale + offset, all modulo 2^64, or 2^32 with
// pointers of 32 bits.
//
//     %j = add.i64 %i, 3              i * 1 + 3
//     %k = shl.i64 %j, 2              i * 4 + 12
//     %q = ptradd %p, %k         p  + i * 4 + 12
//     %r = ptradd %q, 8          p  + i * 4 + 20
//
// Where the register is defined, so are the base and the index: every step gives undef if one of its operands
// is. Their definitions dominate that of the register. Linear in the registers.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

struct AddressForm {
  Operand base;       // of an address: a register, symbol or literal; none for an integer
  Operand index;      // a register of a pointer's width; none if there is none
  int64_t scale = 0;  // 0 where there is no index
  int64_t offset = 0;

  bool has_index() const { return !index.is_none(); }
  bool same_but_offset(const AddressForm& other) const {
    return base == other.base && index == other.index && scale == other.scale;
  }
  bool operator==(const AddressForm&) const = default;
};

class AddressForms {
 public:
  // All blocks are reachable.
  AddressForms(const Function& function, Analyses& analyses);

  // Of a value of type ptr or of the integer type of its width.
  AddressForm of(Operand value) const;
  // A scale, offset or distance as a signed number of a pointer's width.
  int64_t wrapped(int64_t number) const {
    return function_.sign_extend(static_cast<uint64_t>(number), Type::ptr);
  }
  // Was the register computed from something else?
  bool is_known(Reg r) const { return index_[r.index()] != 0; }

 private:
  bool define(const Inst& inst, AddressForm& form) const;
  bool define_integer(const Inst& inst, AddressForm& form) const;

  const Function& function_;
  std::vector<uint32_t> index_;  // by Reg: index in forms_ + 1; 0: a leaf
  std::vector<AddressForm> forms_;
};

// a + b, where that has one index at most. a may have a base.
bool add(const AddressForm& a, const AddressForm& b, AddressForm& sum);
// Wrapping, as the instructions do.
int64_t wrapping_add(int64_t a, int64_t b);
int64_t wrapping_mul(int64_t a, int64_t b);

}  // namespace psi::optimise
