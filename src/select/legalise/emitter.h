// Makes the instructions that stand for another one. What depends on literals alone is computed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "psi/ir/function.h"
#include "select/legalise/computed.h"

namespace psi::select {

// Operands in braces: unlike arguments they are computed in the order in which they are written, so that the
// result does not depend on the compiler.
struct Two {
  Operand a, b;
};
struct Choice {
  Operand predicate, a, b;
};

class Emitter {
 public:
  // Instructions are appended to `out`.
  Emitter(Function& function, std::vector<InstId>& out) : function_(function), out_(out) {}

  Function& function() { return function_; }
  // What follows stands for this instruction: it has its line, and no guard unless one is set.
  void begin(InstId origin) { origin_ = origin, guard_ = {}; }
  InstId origin() const { return origin_; }
  void guard(Guard guard) { guard_ = guard; }
  Guard guard() const { return guard_; }

  Operand literal(Type type, uint64_t bits) { return function_.literal(type, bits); }
  bool is_literal(Operand operand, uint64_t bits) const;
  Type type(Operand operand) const { return function_.type(operand); }

  // What has been computed already is used again.
  void reuse(const ComputedValues* computed) { computed_ = computed; }

  // The type is that of the last operand.
  Operand op(Opcode op, std::initializer_list<Operand> operands);
  Operand add(Two of) { return op(Opcode::Add, {of.a, of.b}); }
  Operand sub(Two of) { return op(Opcode::Sub, {of.a, of.b}); }
  Operand mul(Two of) { return op(Opcode::Mul, {of.a, of.b}); }
  Operand and_(Two of) { return op(Opcode::And, {of.a, of.b}); }
  Operand or_(Two of) { return op(Opcode::Or, {of.a, of.b}); }
  Operand xor_(Two of) { return op(Opcode::Xor, {of.a, of.b}); }
  Operand not_(Operand a) { return op(Opcode::Not, {a}); }
  Operand shl(Operand a, unsigned amount) { return op(Opcode::Shl, {a, literal(type(a), amount)}); }
  Operand lshr(Operand a, unsigned amount) { return op(Opcode::Lshr, {a, literal(type(a), amount)}); }
  Operand ashr(Operand a, unsigned amount) { return op(Opcode::Ashr, {a, literal(type(a), amount)}); }
  Operand cmp(Cond cond, Two of);
  Operand select(Choice of) { return op(Opcode::Select, {of.predicate, of.a, of.b}); }
  Operand convert(Opcode op, Type to, Operand a);
  Operand freeze(Operand a);

  Operand load(Type type, Operand address, uint64_t align, uint32_t flags);
  void store(Operand value, Operand address, uint64_t align, uint32_t flags);
  // Address and offset of the pointers' width.
  Operand advance(Operand address, uint64_t offset);
  // None if there is no result.
  Operand call(SymbolId callee, Type result, std::span<const Operand> arguments);

  // A record with one result, unless what it computes is known.
  Operand make(const Inst& inst, std::span<const Operand> operands, Type result);
  // Any record; it gets the guard, and a result of this type if it is to have one.
  Operand append(Inst inst, std::span<const Operand> operands, Type result);
  InstId append(Inst inst, std::span<const Operand> operands);

 private:
  // What is known without an instruction; none if there has to be one.
  Operand fold(const Inst& inst, std::span<const Operand> operands);
  Operand simplify(const Inst& inst, std::span<const Operand> operands);

  Function& function_;
  std::vector<InstId>& out_;
  InstId origin_;
  Guard guard_;
  const ComputedValues* computed_ = nullptr;
};

}  // namespace psi::select
