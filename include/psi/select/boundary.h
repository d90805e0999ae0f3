// Values of types that no register of the target holds, where they cross the boundary of a function: as
// parameters, arguments, results of calls and of va_arg, and returned values. Signatures and calls keep their
// types through legalisation and selection; between the boundary and the rest stand these shapes, each the
// meaning of one of the boundary forms that every instruction set has (psi/ir/instruction_set.h). A predicate
// crosses as an integer, too.
//
//     lo      %l = trunc.i64.i32 %x
//     hi      %t = lshr.i64 %x, 32            %h = trunc.i64.i32 %t
//     widen   %w = zext.i8.i32 %x             from i8, i16 (and i32)
//     bits    %b = bitcast.f64.i64 %x
//         of an %x that comes in: a parameter, the result of a call or va_arg, or of `bits`
//     pair    %a = zext.i32.i64 %l            %b = zext.i32.i64 %h
//             %s = shl.i64 %b, 32             %x = or.i64 %a, %s
//     narrow  %x = trunc.i32.i8 %w            the upper bits of %w are zero
//     bits    %x = bitcast.i64.f64 %b
//         of an %x that goes out: an argument, a returned value, or the operand of `bits`
//
// What goes out is not read by anything else. A literal goes out as it is. Halves and wide values are in
// registers of the target, or literals.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "psi/ir/function.h"

namespace psi {

enum class BoundaryShape : uint8_t {
  None,
  Inner,  // belongs to one of the others: the shift of `hi`, all but the `or` of `pair`
  Lo,
  Hi,
  Pair,
  Widen,
  Narrow,
  Bits,
};

// Linear.
class BoundaryShapes {
 public:
  // `held`: the types that registers hold, by type.
  BoundaryShapes(const Function& function, std::array<bool, kNumTypes> held);

  BoundaryShape of(InstId inst) const { return shapes_[inst.index()]; }
  // Does the register hold a value that crosses, as the type that it has in the program?
  bool crosses(Reg reg) const { return crossing_[reg.index()]; }

 private:
  struct Definition {
    InstId inst;
    bool is_only = true;
  };
  void find_definitions(const Function& function);
  void find_incoming(const Function& function);
  void find_outgoing(const Function& function, Operand value);
  bool changes(Type type) const {
    return type != Type::none && type != Type::ptr && !held_[static_cast<size_t>(type)];
  }

  std::array<bool, kNumTypes> held_;
  std::vector<Definition> definitions_;  // by register
  std::vector<bool> crossing_;           // by register
  std::vector<BoundaryShape> shapes_;    // by instruction
};

}  // namespace psi
