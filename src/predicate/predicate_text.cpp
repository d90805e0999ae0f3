#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "psi/predicate/text.h"

namespace psi {
namespace {

// The depth to which a term is shown; below it is `...`.
constexpr uint32_t kMaxDepth = 12;

std::string_view sign(Cond cond) {
  constexpr std::array<std::string_view, kNumConds> kSigns = {
      "==", "!=", "<", "<=", ">",   ">=",  "<u", "<=u", ">u",  ">=u", "==",  "<>",
      "<",  "<=", ">", ">=", "ord", "==?", "!=", "<?",  "<=?", ">?",  ">=?", "uno"};
  return kSigns[static_cast<size_t>(cond)];
}

// The condition that is true for exactly these outcomes of a comparison, if there is one.
std::optional<Cond> cond_of(Type type, uint8_t outcomes) {
  int first = is_float(type) ? kNumIntConds : 0, last = is_float(type) ? kNumConds : kNumIntConds;
  for (int i = first; i < last; ++i) {
    if (outcomes_of(static_cast<Cond>(i)) == outcomes) return static_cast<Cond>(i);
  }
  return std::nullopt;
}

}  // namespace

PredicateText::PredicateText(const Module& module, const Function& function, Predicates& predicates,
                             BlockId block, DisplayNames names)
    : module_(module), function_(function), predicates_(predicates), names_(std::move(names)) {
  if (block) {
    name_block(block);
  } else {
    name_registers();
  }
}

// --- Names ----------------------------------------------------------------------------------------------

void PredicateText::add(std::string name, Term term) {
  uint32_t index = static_cast<uint32_t>(named_.size());
  by_term_.try_emplace(term.raw(), index);
  by_name_[name] = index;
  named_.push_back({std::move(name), term});
}

void PredicateText::forget(size_t first) {
  for (size_t i = first; i < named_.size(); ++i) {
    by_name_.erase(named_[i].name);
    auto at = by_term_.find(named_[i].term.raw());
    if (at != by_term_.end() && at->second == i) by_term_.erase(at);
  }
  named_.resize(std::min(first, named_.size()));
}

void PredicateText::name_registers() {
  for (Reg param : function_.params) {
    if (function_.type(param) == Type::i1) add(name(param, 0), predicates_.value(param));
  }
  for (BlockId b : function_.layout()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      for (Reg r : inst.results) {
        if (r && function_.type(r) == Type::i1) add(name(r, 0), predicates_.value(r));
      }
    }
  }
}

// The registers that the block reads on entry, then its definitions.
void PredicateText::name_block(BlockId block) {
  for (InstId id : function_.insts(block)) {
    for (Reg r : function_.inst(id).results) {
      if (r) ++definitions_[r];
    }
  }
  for (ValueNumber i = 0; i < predicates_.num_values(); ++i) {
    auto [operand, version] = predicates_.numbered_value(i);
    if (!operand.is_reg() || function_.type(operand.reg()) != Type::i1 || version != 0) continue;
    add(name(operand.reg(), 0), predicates_.terms().bit(i));
  }
  std::unordered_map<Reg, uint32_t> versions;
  for (InstId id : function_.insts(block)) {
    const Inst& inst = function_.inst(id);
    for (int i = 0; i < 2; ++i) {
      Reg r = inst.results[i];
      if (!r) continue;
      uint32_t version = ++versions[r];
      if (function_.type(r) == Type::i1) add(name(r, version), predicates_.value_of(id, i));
    }
  }
}

std::string PredicateText::name(Reg r, uint32_t version) const {
  std::string out;
  names_.append(out, r);
  auto count = definitions_.find(r);
  if (count == definitions_.end() || (count->second == 1 && version == 1)) return out;
  return fmt::format("{}@{}", out, version);
}

std::optional<Term> PredicateText::find(std::string_view name) const {
  auto at = by_name_.find(std::string(name));
  if (at != by_name_.end()) return named_[at->second].term;
  if (!name.starts_with('%')) return std::nullopt;
  Reg r = find_reg(function_, name.substr(1));
  if (!r || function_.type(r) != Type::i1) return std::nullopt;
  return predicates_.value(r);
}

// --- Terms ----------------------------------------------------------------------------------------------

std::string PredicateText::known_name(Term term) const {
  if (term == Term::always()) return "true";
  if (term == Term::never()) return "false";
  if (auto at = by_term_.find(term.raw()); at != by_term_.end()) return named_[at->second].name;
  auto at = by_term_.find((!term).raw());
  return at == by_term_.end() ? std::string() : '!' + named_[at->second].name;
}

std::string PredicateText::term(Term term) const {
  std::string name = known_name(term);
  return name.empty() ? structure(term, [&](Term part) { return known_name(part); }) : name;
}

// Sums and products of more than two are written without parentheses.
std::string PredicateText::write(Term term, const Part& part, uint32_t depth) const {
  const PredicateTerms& terms = predicates_.terms();
  if (terms.kind(term) == PredicateTerms::Kind::Always) return known_name(term);
  if (terms.kind(term) == PredicateTerms::Kind::Condition) return condition(term);
  if (depth > kMaxDepth) return "...";
  bool is_sum = term.is_negated();
  std::string out;
  for (Term factor : {terms.first(term), terms.second(term)}) {
    Term next = is_sum ? !factor : factor;
    std::string text = part(next);
    if (text.empty()) {
      text = write(next, part, depth + 1);
      bool is_other = terms.kind(next) == PredicateTerms::Kind::Both && next.is_negated() != is_sum;
      if (is_other) text = '(' + text + ')';
    }
    if (!out.empty()) out += is_sum ? " | " : " & ";
    out += text;
  }
  return out;
}

std::string PredicateText::expression(const PredicateExpr& expression, const PartitionGraph& graph) const {
  std::string out;
  expression.for_each([&](Symbol s) {
    if (!out.empty()) out += " | ";
    out += term(graph.term(s));
  });
  return out.empty() ? "false" : out;
}

// --- Conditions -----------------------------------------------------------------------------------------

std::string PredicateText::value(ValueNumber number) const {
  auto [operand, version] = predicates_.numbered_value(number);
  return operand.is_reg() ? name(operand.reg(), version) : print(module_, function_, operand);
}

// As the program writes a literal that is compared with the value: conditions do not tell pointers from
// integers.
std::string PredicateText::literal_of(ValueNumber number, Type type, uint64_t bits) const {
  Operand operand = predicates_.numbered_value(number).operand;
  return print_literal(function_.type(operand) == Type::ptr ? Type::ptr : type, bits);
}

std::string PredicateText::condition(Term term) const {
  const Condition& condition = predicates_.terms().condition(term);
  switch (condition.kind) {
    case Condition::Kind::Bit:
      return (term.is_negated() ? "!" : "") + value(condition.left);
    case Condition::Kind::Pair:
      return pair(condition, term.is_negated());
    case Condition::Kind::Range:
      break;
  }
  return range(condition, term.is_negated());
}

std::string PredicateText::pair(const Condition& condition, bool negated) const {
  uint8_t outcomes = condition.outcomes;
  if (negated) outcomes ^= all_outcomes(condition.type);
  std::string left = value(condition.left), right = value(condition.right);
  if (std::optional<Cond> cond = cond_of(condition.type, outcomes)) {
    return fmt::format("{} {} {}", left, sign(*cond), right);
  }
  // As signed and as unsigned numbers at once.
  std::string out;
  auto add = [&](uint8_t outcome, std::string_view text) {
    if (!(outcomes & outcome)) return;
    out += out.empty() ? "" : " | ";
    out += fmt::format(fmt::runtime(text), left, right);
  };
  add(Condition::Equal, "{0} == {1}");
  add(Condition::LessLess, "{0} < {1} & {0} <u {1}");
  add(Condition::LessGreater, "{0} < {1} & {0} >u {1}");
  add(Condition::GreaterLess, "{0} > {1} & {0} <u {1}");
  add(Condition::GreaterGreater, "{0} > {1} & {0} >u {1}");
  return '(' + out + ')';
}

std::string PredicateText::range(const Condition& condition, bool negated) const {
  std::string left = value(condition.left);
  auto literal = [&](int64_t number) {
    uint64_t bits = static_cast<uint64_t>(number) & value_mask(condition.type);
    return literal_of(condition.left, condition.type, bits);
  };
  int64_t lowest = sign_extend(uint64_t{1} << (bit_width(condition.type) - 1), condition.type);
  if (condition.low == condition.high) {
    return fmt::format("{} {} {}", left, negated ? "!=" : "==", literal(condition.low));
  }
  if (condition.low == lowest) {
    return fmt::format("{} {} {}", left, negated ? ">" : "<=", literal(condition.high));
  }
  if (condition.high == -(lowest + 1)) {
    return fmt::format("{} {} {}", left, negated ? "<" : ">=", literal(condition.low));
  }
  std::string out = fmt::format("{} <= {} <= {}", literal(condition.low), left, literal(condition.high));
  return negated ? "!(" + out + ')' : out;
}

std::string PredicateText::witness(const Witness& witness) const {
  std::string out;
  for (const WitnessValue& known : witness) {
    if (predicates_.terms().is_fixed(known.number)) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} = {}", value(known.number), literal_of(known.number, known.type, known.bits));
  }
  return out;
}

}  // namespace psi
