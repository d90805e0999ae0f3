#include "if_convert/region_predicates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

namespace psi::if_conversion {

RegionPredicates::RegionPredicates(Function& function, Analyses& analyses, const RegionGraph& graph,
                                   const ControlClasses& classes, const Target& target,
                                   std::vector<InstId>& out)
    : function_(function),
      uses_(analyses.uses()),
      graph_(graph),
      classes_(classes),
      target_(target),
      out_(out),
      is_needed_(classes.size()),
      guards_(classes.size()) {}

// --- What is needed ---------------------------------------------------------------------------------------

void RegionPredicates::need(uint32_t c) {
  if (c == ControlClasses::kAlways || is_needed_[c]) return;
  is_needed_[c] = 1;
  worklist_.push_back(c);
}

// A predicate is made of those of the blocks whose branches decide it.
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

void RegionPredicates::decide(uint32_t node) {
  outcomes_.clear();
  uint32_t first = graph_.first_outgoing(node);
  for (uint32_t e = first; e < first + graph_.outgoing(node).size(); ++e) {
    for (uint32_t i = first_outcome_[e]; i < first_outcome_[e + 1]; ++i)
      outcomes_.push_back({e, classes_of_edge_[i]});
  }
  if (outcomes_.empty()) return;
  num_defined_ += outcomes_.size();
  Inst terminator = function_.inst(function_.terminators(graph_.block(node)).back());
  if (!decide_by_cmpp(node, terminator)) decide_by_logic(node, terminator);
}

InstId RegionPredicates::comparison(Operand condition) const {
  if (!condition.is_reg()) return InstId();
  InstId id = uses_.definition(condition.reg());
  return id && function_.inst(id).op == Opcode::Cmp ? id : InstId();
}

bool RegionPredicates::decide_by_cmpp(uint32_t node, const Inst& terminator) {
  if (!target_.has_cmpp() || terminator.op != Opcode::Br || terminator.count != 3) return false;
  Operand condition = function_.operands(terminator)[0];
  InstId id = comparison(condition);
  if (!id) return false;
  Guard input = guards_[classes_.of_node(node)];
  auto is_single = [&](const Outcome& outcome) { return classes_.decisions(outcome.of_class).size() == 1; };
  // One instruction cannot add to a predicate twice.
  std::vector<uint32_t> decided;
  for (const Outcome& outcome : outcomes_) decided.push_back(outcome.of_class);
  std::ranges::sort(decided);
  if (std::ranges::adjacent_find(decided) != decided.end()) return false;
  // The condition itself will do.
  if (input.is_always() && target_.free_complement && std::ranges::all_of(outcomes_, is_single)) return false;
  auto action = [&](const Outcome& outcome) {
    bool is_else = graph_.edges()[outcome.edge].index == 1;
    if (is_first(outcome.of_class)) return is_else ? Action::uc : Action::un;
    return is_else ? Action::oc : Action::on;
  };
  for (const Outcome& outcome : outcomes_) {
    if (!target_.has_action(action(outcome))) return false;
  }
  // The two sides of the branch share an instruction: those that nothing else decides come first.
  std::vector<Outcome> sorted;
  std::ranges::copy_if(outcomes_, std::back_inserter(sorted), is_single);
  std::ranges::copy_if(outcomes_, std::back_inserter(sorted), std::not_fn(is_single));
  outcomes_ = std::move(sorted);

  Inst cmp = function_.inst(id);
  for (size_t i = 0; i < outcomes_.size(); i += 2) {
    bool has_second = i + 1 < outcomes_.size();
    Inst inst;
    inst.op = Opcode::Cmpp;
    inst.type = cmp.type;
    inst.kind = cmp.kind;
    inst.set_actions(action(outcomes_[i]), has_second ? action(outcomes_[i + 1]) : Action::none);
    std::array<Operand, 5> operands;
    std::ranges::copy(function_.operands(id), operands.begin());
    operands[2] = input.as_operand();
    size_t count = 3;
    for (size_t k = 0; k <= (has_second ? 1 : 0); ++k) {
      uint32_t c = outcomes_[i + k].of_class;
      if (!is_first(c)) operands[count++] = Operand::reg(positive(guards_[c]));
    }
    for (size_t k = 0; k <= (has_second ? 1 : 0); ++k) {
      inst.results[k] = function_.add_reg(Type::i1);
      guards_[outcomes_[i + k].of_class] = Guard(inst.results[k], false);
    }
    out_.push_back(function_.add_inst(inst, std::span(operands).first(count)));
  }
  if (uses_.uses(condition.reg()).size() == 1) unread_.push_back(id);
  return true;
}

void RegionPredicates::decide_by_logic(uint32_t node, const Inst& terminator) {
  conditions_.clear();
  if (terminator.op == Opcode::Switch) {
    find_cases(terminator);
  } else if (terminator.op == Opcode::Br && terminator.count == 3) {
    Operand condition = function_.operands(terminator)[0];
    if (condition.is_undef()) condition = function_.literal(Type::i1, uint64_t{0});
    Reg r = condition.is_reg() ? condition.reg() : add(Opcode::Mov, condition);
    conditions_ = {Guard(r, false), Guard(r, true)};
  } else {
    conditions_ = {Guard()};
  }
  Guard here = guards_[classes_.of_node(node)];
  // Classes that the same edge decides share what it gives.
  uint32_t last_edge = RegionGraph::kNone;
  Guard outcome;
  for (size_t i = 0; i < outcomes_.size(); ++i) {
    if (outcomes_[i].edge != last_edge) {
      outcome = conjunction(here, conditions_[graph_.edges()[outcomes_[i].edge].index]);
      last_edge = outcomes_[i].edge;
    }
    contribute(outcomes_[i].of_class, outcome);
  }
}

// The first target of a switch is taken if no case is.
void RegionPredicates::find_cases(const Inst& terminator) {
  std::vector<Operand> operands(function_.operands(terminator).begin(), function_.operands(terminator).end());
  conditions_.emplace_back();
  Reg any;
  for (size_t i = 2; i + 1 < operands.size(); i += 2) {
    Inst inst;
    inst.op = Opcode::Cmp;
    inst.type = terminator.type;
    inst.set_cond(Cond::eq);
    inst.results[0] = function_.add_reg(Type::i1);
    out_.push_back(function_.add_inst(inst, std::array{operands[0], operands[i]}));
    conditions_.emplace_back(inst.results[0], false);
    any = any ? add(Opcode::Or, Operand::reg(any), Operand::reg(inst.results[0])) : inst.results[0];
  }
  if (any) conditions_[0] = Guard(any, true);
}

void RegionPredicates::contribute(uint32_t c, Guard outcome) {
  if (outcome.is_always()) outcome = Guard(add(Opcode::Mov, function_.literal(Type::i1, uint64_t{1})), false);
  if (is_first(c)) {
    guards_[c] = outcome;
    return;
  }
  Reg all = add(Opcode::Or, Operand::reg(positive(guards_[c])), Operand::reg(positive(outcome)));
  guards_[c] = Guard(all, false);
}

// --- Logic ------------------------------------------------------------------------------------------------

Reg RegionPredicates::add(Opcode op, Operand a, Operand b) {
  Inst inst;
  inst.op = op;
  inst.type = Type::i1;
  inst.results[0] = function_.add_reg(Type::i1);
  std::array operands{a, b};
  out_.push_back(function_.add_inst(inst, std::span(operands).first(b.is_none() ? 1 : 2)));
  return inst.results[0];
}

Reg RegionPredicates::positive(Guard guard) {
  if (!guard.is_negated()) return guard.reg();
  Reg& complement = complements_[guard.reg().index()];
  if (!complement) complement = add(Opcode::Not, Operand::reg(guard.reg()));
  return complement;
}

// Where the first is false, the second may be undef: `and` is false then.
Guard RegionPredicates::conjunction(Guard a, Guard b) {
  if (b.is_always()) return a;
  if (a.is_always()) {
    return b.is_negated() && !target_.free_complement ? Guard(positive(b), false) : b;
  }
  Reg first = positive(a), second = positive(b);
  return Guard(add(Opcode::And, Operand::reg(first), Operand::reg(second)), false);
}

Guard RegionPredicates::both(uint32_t c, Guard guard) {
  if (c == ControlClasses::kAlways) return guard;
  if (guard.is_always()) return guards_[c];
  Reg& known = conjunctions_[uint64_t{c} << 32 | guard.as_operand().raw()];
  if (!known) known = conjunction(guards_[c], guard).reg();
  return Guard(known, false);
}

}  // namespace psi::if_conversion
