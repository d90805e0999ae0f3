#include "psi_transforms/decisions.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace psi::psi_transforms {
namespace {

constexpr size_t kMaxDecisions = 16;
constexpr size_t kMaxConditions = 32;

}  // namespace

void Decisions::clear() {
  all_.clear();
  conditions_.clear();
  is_full_ = false;
}

bool Decisions::add(Operand guard, Operand value) {
  size_t which = all_.size();
  all_.push_back({0, 0, value});
  if (guard != Operand::always()) require(all_.back(), guard);
  while (which < all_.size() && !is_full_) {
    if (!split(which)) ++which;
    is_full_ = is_full_ || all_.size() > kMaxDecisions;
  }
  return !is_full_;
}

// Splits off one condition, if there is one.
bool Decisions::split(size_t which) {
  for (uint32_t rest = all_[which].conditions(); rest != 0; rest &= rest - 1) {
    uint32_t bit = rest & (0 - rest);
    InstId id = uses_.definition(conditions_[static_cast<size_t>(std::countr_zero(bit))]);
    if (!id || function_.inst(id).guard) continue;
    Opcode op = function_.inst(id).op;
    if (op != Opcode::And && op != Opcode::Or && op != Opcode::Not) continue;
    std::span<const Operand> operands = function_.operands(id);
    if (!std::ranges::all_of(operands, &Operand::is_reg)) continue;

    Decision decision = all_[which];
    bool is_true = (decision.holds & bit) != 0;
    decision.holds &= ~bit;
    decision.fails &= ~bit;
    auto part = [&](size_t i) {
      return is_true == (op != Opcode::Not) ? operands[i] : complement(operands[i]);
    };
    Decision other = decision;
    bool is_first = require(decision, part(0));
    bool is_second = false;
    if (op != Opcode::Not && (op == Opcode::And) == is_true) {
      is_first = require(decision, part(1)) && is_first;
    } else if (op != Opcode::Not) {
      // The first, or not the first but the second.
      is_second = require(other, complement(part(0)));
      is_second = require(other, part(1)) && is_second;
    }
    auto at = all_.begin() + static_cast<std::ptrdiff_t>(which);
    if (is_first && is_second) {
      *at = decision;
      all_.insert(at + 1, other);
    } else if (is_first || is_second) {
      *at = is_first ? decision : other;
    } else {
      all_.erase(at);
    }
    return true;
  }
  return false;
}

std::optional<uint32_t> Decisions::bit_of(Reg condition) {
  auto at = std::ranges::find(conditions_, condition);
  if (at == conditions_.end()) {
    if (conditions_.size() == kMaxConditions) return {};
    conditions_.push_back(condition);
    at = conditions_.end() - 1;
  }
  return uint32_t{1} << (at - conditions_.begin());
}

// False if it contradicts another.
bool Decisions::require(Decision& decision, Operand condition) {
  std::optional<uint32_t> bit = bit_of(condition.reg());
  if (!bit) {
    is_full_ = true;
    return true;
  }
  (condition.is_negated() ? decision.fails : decision.holds) |= *bit;
  return (decision.holds & decision.fails) == 0;
}

bool DecisionTree::build(std::span<const Decision> decisions) {
  nodes_.clear();
  nodes_.emplace_back().left.assign(decisions.begin(), decisions.end());
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (!split(n)) return false;
  }
  return true;
}

bool DecisionTree::split(uint32_t n) {
  std::vector<Decision> left = std::move(nodes_[n].left);
  // An argument that is always taken hides those to its left.
  auto is_always = [](const Decision& decision) { return decision.conditions() == 0; };
  auto last = std::find_if(left.rbegin(), left.rend(), is_always);
  if (last != left.rend()) left.erase(left.begin(), last.base() - 1);
  bool has_default = left[0].conditions() == 0;
  bool is_same = std::ranges::all_of(left, [&](const Decision& d) { return d.value == left[0].value; });
  if (is_same) {
    nodes_[n].value = left[0].value;
    return true;
  }
  uint32_t common = ~uint32_t{0};
  for (const Decision& decision : std::span(left).subspan(has_default)) common &= decision.conditions();
  if (common == 0) return false;
  uint32_t bit = common & (0 - common);

  auto part = [&](uint32_t Decision::* side) {
    std::vector<Decision> some;
    for (Decision decision : left) {
      if (decision.conditions() != 0 && !(decision.*side & bit)) continue;
      decision.*side &= ~bit;
      some.push_back(decision);
    }
    return some;
  };
  std::vector<Decision> yes = part(&Decision::holds), no = part(&Decision::fails);
  // Where no guard is true the value does not matter.
  if (yes.empty() || no.empty()) {
    nodes_[n].left = yes.empty() ? std::move(no) : std::move(yes);
    return split(n);
  }
  uint32_t first = static_cast<uint32_t>(nodes_.size());
  nodes_[n].condition = static_cast<uint32_t>(std::countr_zero(bit));
  nodes_[n].yes = first;
  nodes_[n].no = first + 1;
  nodes_[n].is_frozen = has_default;
  nodes_.emplace_back().left = std::move(yes);
  nodes_.emplace_back().left = std::move(no);
  return true;
}

}  // namespace psi::psi_transforms
