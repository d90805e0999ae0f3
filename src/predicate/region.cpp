// Terms flow along the edges of the region, each block after its predecessors. An edge is taken where its
// block is reached, no terminator before it executes, its own does, and that chooses it.

#include <algorithm>

#include "psi/predicates.h"

namespace psi {
namespace {

class RegionTerms {
 public:
  RegionTerms(const Function& function, const Order& order, std::span<const BlockId> blocks,
              Predicates& predicates)
      : function_(function), order_(order), predicates_(predicates), terms_(predicates.terms()) {
    for (BlockId b : blocks) reached_.push_back({b, Term::never()});
    std::ranges::sort(reached_, {}, [&](const Reached& reached) { return order.number(reached.block); });
  }

  // An edge inside the region that does not go forward in the order would close a cycle, unless it leads to
  // the entry, where the region is entered anew.
  void run(BlockId entry) {
    find(entry)->term = Term::always();
    for (const Reached& reached : reached_) leave(reached.block, reached.term);
  }

  Term term(BlockId b) { return find(b)->term; }

 private:
  struct Reached {
    BlockId block;
    Term term;
  };

  // Nothing if the block is outside the region.
  Reached* find(BlockId b) {
    auto number = [&](const Reached& reached) { return order_.number(reached.block); };
    auto at = std::ranges::lower_bound(reached_, order_.number(b), {}, number);
    return at != reached_.end() && at->block == b ? &*at : nullptr;
  }

  void leave(BlockId b, Term left) {
    for (InstId id : function_.terminators(b)) {
      Term guard = predicates_.guard(id);
      take(function_.inst(id), terms_.both(left, guard));
      left = terms_.both(left, !guard);
    }
  }

  void take(const Inst& terminator, Term taken) {
    std::span<const Operand> operands = function_.operands(terminator);
    if (terminator.op == Opcode::Switch) {
      take_switch(terminator.type, operands, taken);
    } else if (terminator.op == Opcode::Br && operands.size() == 1) {
      reach(operands[0].block(), taken);
    } else if (terminator.op == Opcode::Br) {
      Term condition = predicates_.value(operands[0]);
      reach(operands[1].block(), terms_.both(taken, condition));
      reach(operands[2].block(), terms_.both(taken, !condition));
    }
  }

  void take_switch(Type type, std::span<const Operand> operands, Term taken) {
    Term none = Term::always();
    for (size_t i = 2; i < operands.size(); i += 2) {
      Term equal = predicates_.compare(type, Cond::eq, operands[0], operands[i]);
      reach(operands[i + 1].block(), terms_.both(taken, equal));
      none = terms_.both(none, !equal);
    }
    reach(operands[1].block(), terms_.both(taken, none));
  }

  void reach(BlockId b, Term term) {
    Reached* reached = find(b);
    if (reached) reached->term = terms_.either(reached->term, term);
  }

  const Function& function_;
  const Order& order_;
  Predicates& predicates_;
  PredicateTerms& terms_;
  std::vector<Reached> reached_;  // in reverse post-order
};

}  // namespace

std::vector<Term> block_terms(const Function& function, Analyses& analyses, BlockId entry,
                              std::span<const BlockId> blocks, Predicates& predicates) {
  RegionTerms region(function, analyses.order(), blocks, predicates);
  region.run(entry);
  std::vector<Term> terms;
  terms.reserve(blocks.size());
  for (BlockId b : blocks) terms.push_back(region.term(b));
  return terms;
}

}  // namespace psi
