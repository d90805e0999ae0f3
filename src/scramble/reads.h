// Single reads of a register, and their possible replacements.
#pragma once

#include "psi/analysis/uses.h"
#include "scramble/function_facts.h"

namespace psi::scramble {

class Reads {
 public:
  Reads(ScrambleContext& context, FunctionFacts& facts) : function_(context.function), facts_(facts) {}

  // The operand that it reads; a guard in the form of a psi's guard.
  Operand value(Use use) const;
  // The executions in which the value matters.
  Term condition(Use use);
  // May it read `other`, of equal value, instead? It must be available, the psi must stay consistent, and no
  // facts about predicates may be lost.
  bool may_be(Use use, Operand other);
  void set(Use use, Operand other);

  // Calls visit(Use) for each read of a register by an instruction.
  template <class Visit>
  void for_each(InstId id, Visit visit) const {
    if (function_.inst(id).guard) visit(Use{id, Use::kGuard});
    for (uint32_t i = 0; i < function_.operands(id).size(); ++i) {
      if (function_.operands(id)[i].reads_reg()) visit(Use{id, i});
    }
  }

 private:
  bool is_there(Use use, Operand other) const;
  bool suits_psi(Use use, Operand other);
  bool keeps_predicates(Use use, Operand other);
  Operand copied(Operand value) const;

  Function& function_;
  FunctionFacts& facts_;
};

}  // namespace psi::scramble
