// One function, while the types of its values are made legal: types.cpp walks over it, the other files do one
// kind of instruction each.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "psi/ir/module.h"
#include "psi/ir/routines.h"
#include "select/legalise/facts.h"
#include "select/legalise/rewriter.h"
#include "select/legalise/split.h"
#include "select/legalise/types.h"

namespace psi::select {

class TypeLowering : private Rewriter {
 public:
  TypeLowering(const Module& module, Function& function, const TargetFacts& facts, TypeCounts& counts,
               Remarks* remarks);
  // Empty, or what cannot be done.
  std::string run();
  using Rewriter::culprit;
  using Rewriter::reuse;

 private:
  // A value: `hi` is none where it is in one register.
  using Parts = Pair;

  // --- The walk ---------------------------------------------------------------------------------------
  void make_parts();
  void enter();
  void lower(InstId id);
  using Rewriter::keep;
  void keep(std::span<const Operand> operands) { keep(emitter_.origin(), operands); }

  // --- Values -----------------------------------------------------------------------------------------
  Carrier carrier(Type type) const { return facts_.carrier(type); }
  bool is_same(Type type) const { return carrier(type).kind == Carrier::Kind::Same; }
  bool is_wide(Type type) const { return carrier(type).kind == Carrier::Kind::Wide; }
  bool is_split(Type type) const { return carrier(type).kind == Carrier::Kind::Split; }
  // The program's type; that of a register that has been added is its own.
  Type type_of(Operand operand) const;
  Parts parts(Operand operand);
  Operand one(Operand operand) { return parts(operand).lo; }
  // The result of the instruction, under its guard.
  void bind(Reg result, Parts value);

  // Of a value in a wider register: the upper bits as zeros, or copies of the sign.
  Operand zero_extended(Operand value, unsigned bits);
  Operand sign_extended(Operand value, unsigned bits);
  Operand with_bits(Operand value, unsigned zero, unsigned sign);
  unsigned zero_bits(Operand value) const;
  unsigned sign_bits(Operand value) const;

  Parts int_convert(Parts value, Type from, Type to, bool is_signed);
  // The bits of a floating-point number, as the parts of the integer of its width; and the other way.
  Parts bits_of(Parts number, Type type);
  Parts number_of(Parts bits, Type type);

  // --- The boundary -----------------------------------------------------------------------------------
  bool changes_at_boundary(Type type) const { return !is_same(type); }
  Parts from_boundary(Operand value, Type type);
  Operand to_boundary(Operand operand);
  Operand to_boundary(Parts value, Type type);

  // --- Kinds of instructions --------------------------------------------------------------------------
  void lower_integer(const Inst& inst, std::span<const Operand> operands);
  void lower_division(const Inst& inst, std::span<const Operand> operands);
  Parts narrow(const Inst& inst, std::span<const Operand> operands);
  Operand narrow_overflow(const Inst& inst, std::span<const Operand> operands);
  Operand narrow_funnel(const Inst& inst, std::span<const Operand> operands);
  Operand saturated(Operand value, unsigned bits);
  void lower_compare(const Inst& inst, std::span<const Operand> operands);
  void lower_convert(const Inst& inst, std::span<const Operand> operands);
  void lower_merge(const Inst& inst, std::span<const Operand> operands);
  void lower_select(const Inst& inst, std::span<const Operand> operands);
  void lower_load(const Inst& inst, Operand address);
  void lower_store(const Inst& inst, Operand value, Operand address);
  Operand load_part(Type type, Operand address, uint64_t align, uint32_t flags);
  void store_part(Type type, Operand value, Operand address, uint64_t align, uint32_t flags);
  void lower_call(const Inst& inst, std::span<const Operand> operands);

  // --- Floating point ---------------------------------------------------------------------------------
  void lower_float(const Inst& inst, std::span<const Operand> operands);
  Operand float_compare(const Inst& inst, std::span<const Operand> operands);
  Operand compare_by_routine(Cond cond, Cond holds, const Inst& inst, std::span<const Operand> operands);
  void lower_float_convert(const Inst& inst, Operand operand);
  Parts call_routine(const RuntimeRoutine* routine, std::span<const Parts> operands);

  const Module& module_;
  const TargetFacts& facts_;
  TypeCounts& counts_;
  SplitArithmetic split_;
  std::vector<Type> types_;   // of the program's registers
  std::vector<Parts> parts_;  // by such a register
  struct Known {
    uint8_t zero = 64, sign = 64;
  };
  std::vector<Known> known_;  // by register
};

}  // namespace psi::select
