#include "predicate/edge_terms.h"

#include "psi/ir/views.h"

namespace psi::predicate {
namespace {

void take_switch(Type type, const SwitchView& choice, Term taken, Predicates& predicates,
                 std::vector<EdgeTerm>& edges) {
  PredicateTerms& terms = predicates.terms();
  size_t otherwise = edges.size();
  edges.push_back({choice.otherwise, {}});
  Term none = Term::always();
  for (auto [literal, target] : choice.cases) {
    Term equal = predicates.compare(type, Cond::eq, choice.value, literal);
    edges.push_back({target, terms.both(taken, equal)});
    none = terms.both(none, !equal);
  }
  edges[otherwise].term = terms.both(taken, none);
}

}  // namespace

void collect_edge_terms(BlockId block, Predicates& predicates, std::vector<EdgeTerm>& edges) {
  const Function& function = predicates.scanned();
  PredicateTerms& terms = predicates.terms();
  edges.clear();
  Term left = Term::always();
  for (InstId id : function.terminators(block)) {
    const Inst& terminator = function.inst(id);
    Term guard = predicates.value(terminator.guard.as_operand());
    Term taken = terms.both(left, guard);
    left = terms.both(left, !guard);
    if (terminator.op == Opcode::Switch) {
      take_switch(terminator.type, as_switch(function, terminator), taken, predicates, edges);
    } else if (terminator.is_jump()) {
      edges.push_back({jump_target(function, terminator), taken});
    } else if (terminator.is_branch()) {
      BranchView branch = as_branch(function, terminator);
      Term condition = predicates.value(branch.condition);
      edges.push_back({branch.then, terms.both(taken, condition)});
      edges.push_back({branch.otherwise, terms.both(taken, !condition)});
    }
  }
}

}  // namespace psi::predicate
