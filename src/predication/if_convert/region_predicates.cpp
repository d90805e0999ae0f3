#include "predication/if_convert/region_predicates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::predication {

RegionPredicates::RegionPredicates(Builder& builder, Analyses& analyses, const RegionGraph& graph,
                                   const ControlClasses& classes, const Target& target)
    : builder_(builder),
      function_(builder.function()),
      code_(builder),
      uses_(analyses.get<Uses>()),
      graph_(graph),
      classes_(classes),
      target_(target),
      is_needed_(classes.size()),
      guards_(classes.size()) {}

// --- What is needed ---------------------------------------------------------------------------------------

void RegionPredicates::need(uint32_t c) {
  if (c == ControlClasses::kAlways || is_needed_[c]) return;
  is_needed_[c] = 1;
  worklist_.push_back(c);
}

// A predicate needs those of the blocks whose branches decide it.
void RegionPredicates::close() {
  first_outcome_.assign(graph_.edges().size() + 1, 0);
  for (size_t i = 0; i < worklist_.size(); ++i) {
    for (uint32_t e : classes_.decisions(worklist_[i])) {
      need(classes_.of_node(graph_.edges()[e].from));
      ++first_outcome_[e + 1];
    }
  }
  for (size_t e = 0; e + 1 < first_outcome_.size(); ++e) first_outcome_[e + 1] += first_outcome_[e];
  classes_of_edge_.resize(first_outcome_.back());
  std::vector<uint32_t> next(first_outcome_.begin(), first_outcome_.end() - 1);
  for (uint32_t c = 1; c < classes_.size(); ++c) {
    if (!is_needed_[c]) continue;
    for (uint32_t e : classes_.decisions(c)) classes_of_edge_[next[e]++] = c;
  }
}

// --- Decisions --------------------------------------------------------------------------------------------

void RegionPredicates::decide(uint32_t node, InstId id) {
  outcomes_.clear();
  uint32_t first = graph_.first_outgoing(node);
  for (uint32_t e = first; e < first + graph_.outgoing(node).size(); ++e) {
    for (uint32_t i = first_outcome_[e]; i < first_outcome_[e + 1]; ++i)
      outcomes_.push_back({e, classes_of_edge_[i]});
  }
  if (outcomes_.empty()) return;
  num_defined_ += outcomes_.size();
  const Inst terminator = function_.inst(id);
  if (!decide_by_cmpp(node, terminator)) decide_by_logic(node, terminator);
}

InstId RegionPredicates::comparison(Operand condition) const {
  if (!condition.is_reg()) return InstId();
  InstId id = uses_.definition(condition.reg());
  return id && function_.inst(id).op == Opcode::Cmp ? id : InstId();
}

bool RegionPredicates::decide_by_cmpp(uint32_t node, const Inst& terminator) {
  if (!target_.has_cmpp() || !terminator.is_branch()) return false;
  InstId id = comparison(as_branch(function_, terminator).condition);
  if (!id) return false;
  Guard input = guards_[classes_.of_node(node)];
  auto is_single = [&](const Outcome& outcome) { return classes_.decisions(outcome.of_class).size() == 1; };
  // One instruction cannot add to a predicate twice.
  std::vector<uint32_t> decided;
  for (const Outcome& outcome : outcomes_) decided.push_back(outcome.of_class);
  std::ranges::sort(decided);
  if (std::ranges::adjacent_find(decided) != decided.end()) return false;
  // The condition itself suffices.
  if (input.is_always() && target_.free_complement && std::ranges::all_of(outcomes_, is_single)) return false;
  auto action = [&](const Outcome& outcome) {
    bool is_else = graph_.edges()[outcome.edge].index == 1;
    if (is_first(outcome.of_class)) return is_else ? Action::uc : Action::un;
    return is_else ? Action::oc : Action::on;
  };
  for (const Outcome& outcome : outcomes_) {
    if (!target_.has_action(action(outcome))) return false;
  }
  // The two sides of the branch share an instruction: classes with no other decision come first.
  std::vector<Outcome> sorted;
  std::ranges::copy_if(outcomes_, std::back_inserter(sorted), is_single);
  std::ranges::copy_if(outcomes_, std::back_inserter(sorted), std::not_fn(is_single));
  outcomes_ = std::move(sorted);

  const Inst cmp = function_.inst(id);
  const Compared compared = as_compared(function_, id);
  for (std::span<const Outcome> rest = outcomes_; !rest.empty();) {
    std::span<const Outcome> targets = rest.first(std::min<size_t>(2, rest.size()));
    rest = rest.subspan(targets.size());
    std::array actions{Action::none, Action::none};
    std::array<Operand, 2> old;
    size_t num_old = 0;
    for (size_t k = 0; k < targets.size(); ++k) {
      uint32_t c = targets[k].of_class;
      actions[k] = action(targets[k]);
      if (!is_first(c)) old[num_old++] = code_.positive(guards_[c].as_operand());
    }
    builder_.guard(Guard());
    auto [first, second] = builder_.cmpp(actions[0], actions[1], cmp.cond(), cmp.type, compared.left,
                                         compared.right, input.as_operand(), std::span(old).first(num_old));
    guards_[targets[0].of_class] = Guard(first, false);
    if (second) guards_[targets[1].of_class] = Guard(second, false);
  }
  return true;
}

void RegionPredicates::decide_by_logic(uint32_t node, const Inst& terminator) {
  conditions_.clear();
  if (terminator.op == Opcode::Switch) {
    find_cases(terminator, outcomes_.front().edge == graph_.first_outgoing(node));
  } else if (terminator.is_branch()) {
    Operand condition = as_branch(function_, terminator).condition;
    if (condition.is_undef()) condition = Operand::never();
    Reg r = condition.is_reg() ? condition.reg() : code_.constant(condition).reg();
    conditions_ = {Guard(r, false), Guard(r, true)};
  } else {
    conditions_ = {Guard()};
  }
  Guard here = guards_[classes_.of_node(node)];
  uint32_t first = graph_.first_outgoing(node);
  uint32_t end = first + static_cast<uint32_t>(graph_.outgoing(node).size());
  // Classes that the same edge decides share its outcome.
  uint32_t last_edge = RegionGraph::kNone;
  Guard outcome;
  for (const Outcome& of : outcomes_) {
    std::span<const uint32_t> edges = classes_.decisions(of.of_class);
    auto begin = std::ranges::lower_bound(edges, first);
    edges = {begin, std::ranges::lower_bound(begin, edges.end(), end)};
    if (of.edge != edges.front()) continue;  // handled with the first
    if (edges.size() > 1 || of.edge != last_edge) outcome = conjunction(here, one_of(edges));
    last_edge = edges.size() > 1 ? RegionGraph::kNone : of.edge;
    contribute(of.of_class, outcome);
  }
}

// The condition under which one of these edges of the current terminator is taken.
Guard RegionPredicates::one_of(std::span<const uint32_t> edges) {
  auto condition = [&](uint32_t e) { return conditions_[graph_.edges()[e].index]; };
  if (edges.size() == 1) return condition(edges[0]);
  united_.clear();
  for (uint32_t e : edges) united_.push_back(condition(e).as_operand());
  return Guard(code_.any(united_));
}

// The first target of a switch is taken if no case is.
void RegionPredicates::find_cases(const Inst& terminator, bool needs_first) {
  // The tests are new instructions, which may move the list.
  std::vector<Operand> operands(function_.operands(terminator).begin(), function_.operands(terminator).end());
  SwitchView choice = as_switch(operands);
  conditions_.emplace_back();
  united_.clear();
  for (SwitchCase one : choice.cases) {
    united_.push_back(Operand::reg(code_.case_test(terminator.type, choice.value, one.literal)));
    conditions_.emplace_back(united_.back());
  }
  if (needs_first && !united_.empty()) conditions_[0] = Guard(code_.any(united_).reg(), true);
}

void RegionPredicates::contribute(uint32_t c, Guard outcome) {
  if (outcome.is_always()) outcome = Guard(code_.constant(function_.literal(Type::i1, uint64_t{1})));
  guards_[c] = is_first(c) ? outcome : Guard(code_.either(guards_[c].as_operand(), outcome.as_operand()));
}

// Where the first is false, the second may be undef: `and` is false then.
Guard RegionPredicates::conjunction(Guard a, Guard b) {
  if (b.is_always()) return a;
  if (a.is_always()) {
    return target_.free_complement ? b : Guard(code_.positive(b.as_operand()));
  }
  return Guard(code_.both(a.as_operand(), b.as_operand()));
}

Guard RegionPredicates::both(uint32_t c, Guard guard) {
  if (c == ControlClasses::kAlways) return guard;
  if (guard.is_always()) return guards_[c];
  Reg& known = conjunctions_[uint64_t{c} << 32 | guard.as_operand().raw()];
  if (!known) known = conjunction(guards_[c], guard).reg();
  return Guard(known, false);
}

}  // namespace psi::predication
