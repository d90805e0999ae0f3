// The algebra of instructions: rules that say what an instruction may be replaced by.
//
//     {"add of add", "add(add(x, A), B)", "add(x, A + B)"}
//     {"udiv by power", "udiv(x, A)", "lshr(x, log2(A))", "pow2(A)"}
//
// A pattern is written like a nest of instructions. `x` stands for any operand, `A` (upper case) for a
// literal, a number for itself in the type of its operand; equal names are equal operands. `cmp.c` matches
// any condition, `cmp.e` equalities, `cmp.s` and `cmp.u` signed and unsigned orders, `cmp.i` all of these,
// `cmp.f` those of floats; a replacement may write the condition matched as `!c` negated, `~c` with operands
// exchanged, `+c` unsigned. `add|sub` stands for two rules. `t = trunc(x)` names an inner instruction.
//
// In a replacement, a non-instruction computes a literal, in 64 bits, for the type of its operand: `s(A)` is
// A with its sign, `w` the width of the instruction replaced, `width(x)` and `bits(x)` that of an operand and
// the mask of so many bits, `zeros(x)` and `ones(x)` its known bits, `uses(x)` the number of its uses,
// `int(x)` whether it is an integer, `canonical(x)` whether it is no NaN but the one that arithmetic makes.
// `zresize` and `sresize` are zext and sext, trunc, or nothing, depending on the types. A replacement whose
// types do not fit does not apply, nor does one of more instructions than it makes dead.
//
// The texts are compiled once, when first asked for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/opcode.h"

namespace psi::optimise {

struct RuleText {
  std::string_view name;
  std::string_view pattern;
  std::string_view replacement;
  std::string_view condition = "";
};

// The tables, one for each kind of instruction.
std::span<const RuleText> arithmetic_rules();
std::span<const RuleText> logic_rules();
std::span<const RuleText> shift_rules();
std::span<const RuleText> compare_rules();
std::span<const RuleText> convert_rules();
std::span<const RuleText> select_rules();
std::span<const RuleText> float_rules();
std::span<const RuleText> pointer_rules();

// A computation of a literal or a condition, in postfix order.
struct RuleStep {
  enum class Kind : uint8_t {
    // of nothing, of a variable
    Number,
    Width,
    Literal,
    Signed,
    OperandWidth,
    Bits,
    Zeros,
    Ones,
    Uses,
    IsInt,
    IsCanonical,
    Reciprocal,
    ExactReciprocal,
    // of one value
    Log2,
    Pow2,
    Negate,
    Complement,
    Not,
    // of two
    Mul,
    Add,
    Sub,
    Shl,
    Shr,
    And,
    Xor,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    SignedLt,
    Both,
    Either,
  };
  Kind kind = Kind::Number;
  uint8_t variable = 0;
  int64_t number = 0;
};

// The conditions that `cmp.c` and so on stand for; Fixed: the one that is written.
enum class CondClass : uint8_t { Fixed, Any, Int, Equality, Signed, Unsigned, Float };
bool is_in(Cond cond, CondClass conds);

struct RuleNode {
  enum class Kind : uint8_t { Operand, Literal, Number, Inst, Resize, Computed };
  Kind kind = Kind::Operand;
  Opcode op = Opcode::Mov;  // Inst; Resize: zext or sext
  CondClass cond_class = CondClass::Fixed;
  Cond cond = Cond::eq;
  bool negated = false, swapped = false, as_unsigned = false;
  uint8_t variable = kNone;  // what an operand or literal is bound to; of an Inst, its name
  uint8_t num_children = 0;
  std::array<uint8_t, 4> children = {};
  int64_t number = 0;
  std::vector<RuleStep> steps;  // Computed

  static constexpr uint8_t kNone = 255;
};

struct Rule {
  static constexpr uint8_t kMaxVariables = 8;

  std::string_view name;
  uint32_t number = 0;  // of the text, from 0
  const RuleText* text = nullptr;
  std::vector<RuleNode> nodes;
  uint8_t pattern = 0;              // its root in nodes
  uint8_t replacement = 0;          // likewise
  std::vector<RuleStep> condition;  // empty: always
  std::vector<std::string> variables;
};

// A quick filter on the root of a pattern.
struct RuleFilter {
  static constexpr uint8_t kAnything = 255, kLiteral = 254;

  // For each of the first two operands: the opcode of its definition, or one of the above.
  uint8_t first = kAnything, second = kAnything;
  bool is_same = false;    // both are the same operand
  bool is_number = false;  // the second one is this number
  int64_t number = 0;
  uint32_t conds = UINT32_MAX;  // by Cond; for compares
};

class Rules {
 public:
  static const Rules& all();

  // Those whose pattern has this opcode at its root, in the order of the tables. Commutative patterns are
  // there in both orders.
  std::span<const Rule> of(Opcode op) const { return by_op_[static_cast<size_t>(op)]; }
  // One for each of them.
  std::span<const RuleFilter> filters(Opcode op) const { return filters_[static_cast<size_t>(op)]; }
  // The places in of(op) of those that can match if the first operand is so, as a filter says it.
  std::span<const uint16_t> candidates(Opcode op, uint8_t first) const {
    const Candidates& candidates = candidates_[static_cast<size_t>(op)];
    return candidates.empty() ? std::span<const uint16_t>()
                              : candidates[candidate_list_[static_cast<size_t>(op)][first]];
  }
  // All, alternatives apart, in one order each; `number` counts the texts that they come from.
  std::span<const Rule> each() const { return each_; }
  uint32_t num_texts() const { return num_texts_; }
  // Errors in the tables.
  std::span<const std::string> errors() const { return errors_; }

 private:
  using Candidates = std::vector<std::vector<uint16_t>>;

  Rules();
  void add(const RuleText& text);
  void sort_candidates();

  std::array<std::vector<Rule>, kNumOpcodes> by_op_;
  std::array<std::vector<RuleFilter>, kNumOpcodes> filters_;
  // By opcode: the lists of candidates, the first for operands that no filter names; and which one is whose.
  std::array<Candidates, kNumOpcodes> candidates_;
  std::array<std::array<uint8_t, 256>, kNumOpcodes> candidate_list_ = {};
  std::vector<Rule> each_;
  uint32_t num_texts_ = 0;
  std::vector<std::string> errors_;
};

}  // namespace psi::optimise
