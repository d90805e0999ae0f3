#include "optimise/algebra/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "optimise/algebra/rules_parser.h"

namespace psi::optimise {
namespace {

// `text` with the alternative `which` of each group of words joined by `|`; how many there are, in `count`.
std::string alternative(std::string_view text, size_t which, size_t& count) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::string result;
  if (text.find('|') == std::string_view::npos) return result = text;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    bool is_group = end > i && end + 1 < text.size() && text[end] == '|' && is_word(text[end + 1]);
    if (!is_group) {
      end = std::max(end, i + 1);
      result += text.substr(i, end - i);
      i = end;
      continue;
    }
    while (end < text.size() && (is_word(text[end]) || (text[end] == '|' && is_word(text[end + 1])))) ++end;
    std::string_view group = text.substr(i, end - i);
    size_t number = 0;
    for (size_t from = 0; from <= group.size(); ++number) {
      size_t bar = std::min(group.find('|', from), group.size());
      if (number == which) result += group.substr(from, bar - from);
      from = bar + 1;
    }
    count = std::max(count, number);
    i = end;
  }
  return result;
}

uint8_t filter_of(const RuleNode& node) {
  switch (node.kind) {
    case RuleNode::Kind::Literal:
    case RuleNode::Kind::Number:
      return RuleFilter::kLiteral;
    case RuleNode::Kind::Inst:
      return static_cast<uint8_t>(node.op);
    default:
      return RuleFilter::kAnything;
  }
}

RuleFilter filter_of(const Rule& rule) {
  const RuleNode& root = rule.nodes[rule.pattern];
  RuleFilter filter;
  filter.first = filter_of(rule.nodes[root.children[0]]);
  if (root.num_children > 1) {
    const RuleNode &left = rule.nodes[root.children[0]], &right = rule.nodes[root.children[1]];
    filter.second = filter_of(right);
    // What both are bound to, an operand by itself or the name of an instruction.
    filter.is_same = left.variable != RuleNode::kNone && left.variable == right.variable;
    filter.is_number = right.kind == RuleNode::Kind::Number;
    filter.number = right.number;
  }
  if (root.op != Opcode::Cmp) return filter;
  filter.conds = 0;
  for (uint32_t i = 0; i < kNumConds; ++i) {
    auto cond = static_cast<Cond>(i);
    bool matches = root.cond_class == CondClass::Fixed ? cond == root.cond : is_in(cond, root.cond_class);
    filter.conds |= uint32_t{matches} << i;
  }
  return filter;
}

bool is_fixed(const RuleNode& node) {
  return node.kind == RuleNode::Kind::Literal || node.kind == RuleNode::Kind::Number;
}

}  // namespace

bool is_in(Cond cond, CondClass conds) {
  switch (conds) {
    case CondClass::Int:
      return !is_float_cond(cond);
    case CondClass::Equality:
      return cond == Cond::eq || cond == Cond::ne;
    case CondClass::Signed:
      return cond >= Cond::lt && cond <= Cond::ge;
    case CondClass::Unsigned:
      return cond >= Cond::ult && cond <= Cond::uge;
    case CondClass::Float:
      return is_float_cond(cond);
    default:
      return true;
  }
}

const Rules& Rules::all() {
  static const Rules kRules;
  return kRules;
}

Rules::Rules() {
  for (auto table : {arithmetic_rules(), logic_rules(), shift_rules(), compare_rules(), convert_rules(),
                     select_rules(), float_rules(), pointer_rules()}) {
    for (const RuleText& text : table) add(text);
  }
  sort_candidates();
}

void Rules::sort_candidates() {
  for (size_t op = 0; op < kNumOpcodes; ++op) {
    if (filters_[op].empty()) continue;
    std::array<uint8_t, 256>& lists = candidate_list_[op];
    uint8_t num_lists = 1;
    for (const RuleFilter& filter : filters_[op]) {
      bool names = filter.first != RuleFilter::kAnything;
      if (names && lists[filter.first] == 0) lists[filter.first] = num_lists++;
    }
    candidates_[op].resize(num_lists);
    for (size_t i = 0; i < filters_[op].size(); ++i) {
      uint8_t first = filters_[op][i].first;
      for (uint8_t list = 0; list < num_lists; ++list) {
        if (first == RuleFilter::kAnything || lists[first] == list) {
          candidates_[op][list].push_back(static_cast<uint16_t>(i));
        }
      }
    }
  }
}

void Rules::add(const RuleText& text) {
  size_t count = 1;
  for (size_t which = 0; which < count; ++which) {
    std::string pattern = alternative(text.pattern, which, count);
    std::string replacement = alternative(text.replacement, which, count);
    std::string condition = alternative(text.condition, which, count);
    std::string error;
    Rule rule = parse_rule(text.name, pattern, replacement, condition, error);
    if (!error.empty()) {
      errors_.push_back(fmt::format("{}: {}", text.name, error));
      return;
    }
    rule.text = &text;
    rule.number = num_texts_;
    each_.push_back(rule);
    // Literals stand on the right already.
    std::vector<uint8_t> commutative;
    for (size_t i = 0; i <= rule.pattern; ++i) {
      const RuleNode& node = rule.nodes[i];
      if (node.kind != RuleNode::Kind::Inst) continue;
      bool exchanges =
          is_commutative(node.op) || (node.op == Opcode::Cmp && node.cond_class == CondClass::Equality);
      if (exchanges && !is_fixed(rule.nodes[node.children[1]]))
        commutative.push_back(static_cast<uint8_t>(i));
    }
    for (size_t order = 0; order < size_t{1} << commutative.size(); ++order) {
      Rule oriented = rule;
      for (size_t i = 0; i < commutative.size(); ++i) {
        auto& children = oriented.nodes[commutative[i]].children;
        if (order >> i & 1) std::swap(children[0], children[1]);
      }
      size_t op = static_cast<size_t>(rule.nodes[rule.pattern].op);
      filters_[op].push_back(filter_of(oriented));
      by_op_[op].push_back(std::move(oriented));
    }
  }
  ++num_texts_;
}

}  // namespace psi::optimise
