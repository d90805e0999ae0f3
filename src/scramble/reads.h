// Single reads of a register, and what may be read instead.
#pragma once

#include "scramble/knowledge.h"

namespace psi::scrambling {

class Reads {
 public:
  Reads(Scene& scene, Knowledge& knowledge) : function_(scene.function), knowledge_(knowledge) {}

  // What it reads now. A guard as a psi's guard.
  Operand value(Use use) const;
  // The executions in which the value matters.
  Term condition(Use use);
  // Apart from the values being the same: may it read `other` instead? That must be there, the psi must stay
  // consistent, and no less be known of predicates.
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
  Knowledge& knowledge_;
};

}  // namespace psi::scrambling
