// Integers are bit vectors, floating-point values are floating-point values, so comparisons are what they
// are.

#include "exact/formulas.h"

#include <bit>
#include <limits>
#include <string>

namespace psi::exact {

z3::expr Formulas::of(Term term) {
  // Parts are older than their wholes.
  for (uint32_t node = nodes_.size(); node <= term.node(); ++node)
    nodes_.push_back(make(Term::of_node(node)));
  return literal(term);
}

z3::expr Formulas::literal(Term term) const {
  z3::expr node = nodes_[term.node()];
  return term.is_negated() ? !node : node;
}

z3::expr Formulas::make(Term term) {
  switch (terms_.kind(term)) {
    case PredicateTerms::Kind::Always:
      return context_.bool_val(true);
    case PredicateTerms::Kind::Both:
      return literal(terms_.first(term)) && literal(terms_.second(term));
    case PredicateTerms::Kind::Condition:
      break;
  }
  const Condition& condition = terms_.condition(term);
  z3::expr left = value(condition.type, condition.left);
  switch (condition.kind) {
    case Condition::Kind::Bit:
      return left == context_.bv_val(1, 1);
    case Condition::Kind::Range: {
      unsigned width = bit_width(condition.type);
      return z3::sle(context_.bv_val(condition.low, width), left) &&
             z3::sle(left, context_.bv_val(condition.high, width));
    }
    case Condition::Kind::Pair:
      break;
  }
  return outcomes(condition, left, value(condition.type, condition.right));
}

z3::expr Formulas::outcomes(const Condition& condition, const z3::expr& a, const z3::expr& b) {
  z3::expr result = context_.bool_val(false);
  auto add = [&](uint8_t outcome, const z3::expr& formula) {
    if (condition.outcomes & outcome) result = result || formula;
  };
  if (is_float(condition.type)) {
    add(Condition::Equal, z3::fp_eq(a, b));
    add(Condition::Less, a < b);
    add(Condition::Greater, a > b);
    add(Condition::Unordered, a.mk_is_nan() || b.mk_is_nan());
    return result;
  }
  add(Condition::Equal, a == b);
  add(Condition::LessLess, z3::slt(a, b) && z3::ult(a, b));
  add(Condition::LessGreater, z3::slt(a, b) && z3::ugt(a, b));
  add(Condition::GreaterLess, z3::sgt(a, b) && z3::ult(a, b));
  add(Condition::GreaterGreater, z3::sgt(a, b) && z3::ugt(a, b));
  return result;
}

z3::expr Formulas::value(Type type, ValueNumber number) {
  if (std::optional<uint64_t> bits = terms_.known_bits(number)) {
    z3::expr vector = context_.bv_val(*bits, bit_width(type));
    if (type == Type::f32) return vector.mk_from_ieee_bv(context_.fpa_sort<32>());
    if (type == Type::f64) return vector.mk_from_ieee_bv(context_.fpa_sort<64>());
    return vector;
  }
  std::string name = "v" + std::to_string(number);
  if (type == Type::f32) return context_.fpa_const(name.c_str(), 8, 24);
  if (type == Type::f64) return context_.fpa_const(name.c_str(), 11, 53);
  return context_.bv_const(name.c_str(), bit_width(type));
}

uint64_t Formulas::bits(const z3::model& model, Type type, ValueNumber number) {
  z3::expr found = model.eval(value(type, number), true);
  if (is_float(type)) {
    // The solver has a single NaN, without bits.
    if (Z3_fpa_is_numeral_nan(context_, found)) {
      return type == Type::f32 ? std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN())
                               : std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
    }
    found = found.mk_to_ieee_bv().simplify();
  }
  return found.get_numeral_uint64();
}

}  // namespace psi::exact
