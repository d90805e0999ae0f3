#include "predicate/edge_terms.h"

namespace psi::predicate {
namespace {

void take_switch(Type type, std::span<const Operand> operands, Term taken, Predicates& predicates,
                 std::vector<EdgeTerm>& edges) {
  PredicateTerms& terms = predicates.terms();
  size_t otherwise = edges.size();
  edges.push_back({operands[1].block(), {}});
  Term none = Term::always();
  for (size_t i = 2; i < operands.size(); i += 2) {
    Term equal = predicates.compare(type, Cond::eq, operands[0], operands[i]);
    edges.push_back({operands[i + 1].block(), terms.both(taken, equal)});
    none = terms.both(none, !equal);
  }
  edges[otherwise].term = terms.both(taken, none);
}

}  // namespace

void collect_edge_terms(const Function& function, BlockId block, Predicates& predicates,
                        std::vector<EdgeTerm>& edges) {
  PredicateTerms& terms = predicates.terms();
  edges.clear();
  Term left = Term::always();
  for (InstId id : function.terminators(block)) {
    const Inst& terminator = function.inst(id);
    std::span<const Operand> operands = function.operands(terminator);
    Term guard = predicates.value(terminator.guard.as_operand());
    Term taken = terms.both(left, guard);
    left = terms.both(left, !guard);
    if (terminator.op == Opcode::Switch) {
      take_switch(terminator.type, operands, taken, predicates, edges);
    } else if (terminator.op == Opcode::Br && operands.size() == 1) {
      edges.push_back({operands[0].block(), taken});
    } else if (terminator.op == Opcode::Br) {
      Term condition = predicates.value(operands[0]);
      edges.push_back({operands[1].block(), terms.both(taken, condition)});
      edges.push_back({operands[2].block(), terms.both(taken, !condition)});
    }
  }
}

}  // namespace psi::predicate
