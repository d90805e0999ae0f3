// The literals that rules compute, and their conditions.
#include <bit>
#include <cmath>

#include "optimise/algebra/rules_match.h"

namespace psi::optimise {
namespace {

// 1 / x, where that and x are powers of two.
std::optional<uint64_t> exact_reciprocal(uint64_t bits, Type type) {
  if (type == Type::f32) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    int exponent = 0;
    if (!std::isnormal(value) || std::fabs(std::frexp(value, &exponent)) != 0.5f) return std::nullopt;
    float result = 1.0f / value;
    return std::isnormal(result) ? std::optional<uint64_t>(std::bit_cast<uint32_t>(result)) : std::nullopt;
  }
  double value = std::bit_cast<double>(bits);
  int exponent = 0;
  if (!std::isnormal(value) || std::fabs(std::frexp(value, &exponent)) != 0.5) return std::nullopt;
  double result = 1.0 / value;
  return std::isnormal(result) ? std::optional<uint64_t>(std::bit_cast<uint64_t>(result)) : std::nullopt;
}

}  // namespace

uint64_t RuleMatcher::compute_of_variable(RuleStep step) {
  Operand operand = bound_[step.variable];
  Type type = function_.type(operand);
  switch (step.kind) {
    case RuleStep::Kind::Literal:
      return function_.literal_bits(operand);
    case RuleStep::Kind::Signed:
      return static_cast<uint64_t>(function_.literal_signed(operand));
    case RuleStep::Kind::OperandWidth:
      return function_.bit_width(type);
    case RuleStep::Kind::Bits:
      return function_.value_mask(type);
    case RuleStep::Kind::Zeros:
      return known_(operand).zeros;
    case RuleStep::Kind::Ones:
      return known_(operand).ones;
    case RuleStep::Kind::Uses:
      return operand.is_reg() ? graph_.num_uses(operand.reg()) : 0;
    case RuleStep::Kind::IsInt:
      return is_int(type);
    case RuleStep::Kind::IsCanonical: {
      // Arithmetic makes a single NaN; other values may have any bits.
      InstId definition = graph_.definition(operand);
      if (!definition) return false;
      Opcode op = function_.inst(definition).op;
      return (op >= Opcode::Fadd && op <= Opcode::Fmax) || op == Opcode::Sqrt || op == Opcode::Fma ||
             op == Opcode::Sitofp || op == Opcode::Uitofp;
    }
    case RuleStep::Kind::Reciprocal:
      return exact_reciprocal(function_.literal_bits(operand), type).value_or(0);
    default:
      return exact_reciprocal(function_.literal_bits(operand), type).has_value();
  }
}

uint64_t RuleMatcher::compute(const std::vector<RuleStep>& steps) {
  using Kind = RuleStep::Kind;
  std::array<uint64_t, 16> stack;
  size_t top = 0;
  for (const RuleStep& step : steps) {
    if (step.kind == Kind::Number) {
      stack[top++] = static_cast<uint64_t>(step.number);
      continue;
    }
    if (step.kind == Kind::Width) {
      stack[top++] = function_.bit_width(function_.inst(root_).type);
      continue;
    }
    if (step.kind <= Kind::ExactReciprocal) {
      stack[top++] = compute_of_variable(step);
      continue;
    }
    uint64_t b = stack[top - 1];
    if (step.kind <= Kind::Not) {
      uint64_t& result = stack[top - 1];
      switch (step.kind) {
        case Kind::Log2:
          result = static_cast<uint64_t>(std::bit_width(b)) - 1;
          break;
        case Kind::Pow2:
          result = std::has_single_bit(b);
          break;
        case Kind::Negate:
          result = 0 - b;
          break;
        case Kind::Complement:
          result = ~b;
          break;
        default:
          result = b == 0;
      }
      continue;
    }
    --top;
    uint64_t& a = stack[top - 1];
    switch (step.kind) {
      case Kind::Mul:
        a *= b;
        break;
      case Kind::Add:
        a += b;
        break;
      case Kind::Sub:
        a -= b;
        break;
      case Kind::Shl:
        a = b < 64 ? a << b : 0;
        break;
      case Kind::Shr:
        a = b < 64 ? a >> b : 0;
        break;
      case Kind::And:
        a &= b;
        break;
      case Kind::Xor:
        a ^= b;
        break;
      case Kind::Or:
        a |= b;
        break;
      case Kind::Eq:
        a = a == b;
        break;
      case Kind::Ne:
        a = a != b;
        break;
      case Kind::Lt:
        a = a < b;
        break;
      case Kind::Le:
        a = a <= b;
        break;
      case Kind::Gt:
        a = a > b;
        break;
      case Kind::Ge:
        a = a >= b;
        break;
      case Kind::SignedLt:
        a = static_cast<int64_t>(a) < static_cast<int64_t>(b);
        break;
      case Kind::Both:
        a = a && b;
        break;
      default:
        a = a || b;
    }
  }
  return stack[0];
}

}  // namespace psi::optimise
