#include "predication/predicated_ssa/path_predicates.h"

#include <algorithm>

#include "psi/ir/views.h"

namespace psi::predication {

std::pair<Node, Node> PathPredicates::split(Node node, Operand condition) {
  if (node == kNever) return {kNever, kNever};
  if (!condition.reads_reg()) {
    // A decision on undef is undefined behaviour, so either side is valid.
    bool holds = condition.is_literal() && (builder_.function().literal_bits(condition) & 1) != 0;
    return holds ? std::pair(node, kNever) : std::pair(kNever, node);
  }
  uint64_t key = uint64_t{node} << 32 | condition.reg().index();
  auto [at, is_new] = decision_of_.try_emplace(key, static_cast<uint32_t>(decisions_.size()));
  if (is_new) {
    auto first = static_cast<Node>(nodes_.size());
    decisions_.push_back({node, condition.reg(), {first, first + 1}});
    for (bool is_false_side : {false, true}) {
      Entry& entry = nodes_.emplace_back();
      entry.decision = at->second;
      entry.is_false_side = is_false_side;
    }
  }
  const Node* sides = decisions_[at->second].sides;
  return condition.is_negated() ? std::pair(sides[1], sides[0]) : std::pair(sides[0], sides[1]);
}

Node PathPredicates::any(std::vector<Node> nodes) {
  is_member_.resize(nodes_.size());
  std::vector<Node> met;
  while (!nodes.empty()) {
    Node node = nodes.back();
    nodes.pop_back();
    if (node == kNever || is_member_[node]) continue;
    const Entry& entry = nodes_[node];
    if (!entry.members.empty() && entry.members.size() <= kMaxFlattened) {
      nodes.insert(nodes.end(), entry.members.begin(), entry.members.end());
      continue;
    }
    if (entry.decision != kNone) {
      const Decision& decision = decisions_[entry.decision];
      Node other = decision.sides[entry.is_false_side ? 0 : 1];
      if (is_member_[other]) {
        is_member_[other] = 0;
        nodes.push_back(decision.node);
        continue;
      }
    }
    is_member_[node] = 1;
    met.push_back(node);
  }
  std::vector<Node> members;
  for (Node node : met) {
    if (is_member_[node]) members.push_back(node);
    is_member_[node] = 0;
  }
  if (members.empty()) return kNever;
  std::sort(members.begin(), members.end());
  if (members.front() == kAlways) return kAlways;
  if (members.size() == 1) return members.front();
  auto [at, is_new] = unions_.try_emplace(members, static_cast<Node>(nodes_.size()));
  if (is_new) nodes_.emplace_back().members = std::move(members);
  return at->second;
}

Operand PathPredicates::operand(Node node) {
  if (node == kAlways) return Operand::always();
  // Operands come first. Each node is computed once.
  std::vector<Node> stack = {node};
  while (!stack.empty()) {
    Node top = stack.back();
    const Entry& entry = nodes_[top];
    auto need = [&](Node other) {
      if (other != kAlways && nodes_[other].predicate.is_none()) stack.push_back(other);
    };
    if (entry.predicate.is_none()) {
      if (entry.decision != kNone) need(decisions_[entry.decision].node);
      for (Node member : entry.members) need(member);
    }
    if (stack.back() != top) continue;
    stack.pop_back();
    if (entry.predicate.is_none()) compute(top);
  }
  return nodes_[node].predicate;
}

Reg PathPredicates::case_test(Type type, Operand value, Operand literal) {
  const Function& function = builder_.function();
  size_t before = function.insts(builder_.block()).size();
  Reg test = code_.case_test(type, value, literal);
  std::span<const InstId> insts = function.insts(builder_.block());
  if (insts.size() > before) set_compare(test, insts.back());
  return test;
}

void PathPredicates::set_compare(Reg condition, InstId compare) {
  // Each use of undef is a separate value, so a repeated comparison is a different predicate.
  for (Operand operand : builder_.function().operands(compare)) {
    if (operand.is_undef()) return;
  }
  compares_[condition] = compare;
}

void PathPredicates::compute(Node node) {
  if (nodes_[node].decision != kNone) return decide(decisions_[nodes_[node].decision]);
  std::vector<Operand> members;
  for (Node member : nodes_[node].members) members.push_back(nodes_[member].predicate);
  nodes_[node].predicate = code_.any(members);
}

void PathPredicates::decide(const Decision& decision) {
  Entry& on_true = nodes_[decision.sides[0]];
  Entry& on_false = nodes_[decision.sides[1]];
  if (decision.node == kAlways) {
    on_true.predicate = Operand::reg(decision.condition);
    on_false.predicate = Operand::not_reg(decision.condition);
    return;
  }
  builder_.guard(Guard());
  const Function& function = builder_.function();
  Operand input = nodes_[decision.node].predicate;
  std::pair<Reg, Reg> sides;
  auto compare = compares_.find(decision.condition);
  if (compare != compares_.end()) {
    const Inst& inst = function.inst(compare->second);
    auto [left, right] = as_compared(function, inst);
    sides = builder_.cmpp(Action::un, Action::uc, inst.cond(), inst.type, left, right, input);
  } else {
    sides = builder_.cmpp(Action::un, Action::uc, Cond::ne, Type::i1, Operand::reg(decision.condition),
                          Operand::never(), input);
  }
  on_true.predicate = Operand::reg(sides.first);
  on_false.predicate = Operand::reg(sides.second);
}

}  // namespace psi::predication
