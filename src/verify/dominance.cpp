// In ssa forms definitions dominate uses.

#include <fmt/format.h>

#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"
#include "verify/checks.h"

namespace psi::verify {
namespace {

class DominanceCheck {
 public:
  DominanceCheck(Context& context, const Dominators& dominators, const Definitions& definitions)
      : context_(context), function_(context.function), dominators_(dominators), definitions_(definitions) {}

  void run() {
    uint32_t position = 0;
    for (BlockId b : function_.layout()) {
      bool reachable = dominators_.is_reachable(b);
      for (InstId id : function_.insts(b)) {
        ++position;
        const Inst& inst = function_.inst(id);
        if (inst.is_phi()) {
          check_phi(b, id);
        } else if (reachable) {
          check(b, id, inst, position);
        }
        if (context_.full()) return;
      }
    }
  }

 private:
  void check(BlockId b, InstId id, const Inst& inst, uint32_t position) {
    for_each_read(function_, inst, [&](Operand operand) {
      const Definition& definition = definitions_[operand.reg()];
      bool fine =
          definition.block == b ? definition.position < position : dominators_.dominates(definition.block, b);
      if (!fine) error(b, id, operand.reg(), "is used where its definition does not dominate");
    });
  }

  // A phi reads its values at the ends of the predecessors.
  void check_phi(BlockId b, InstId id) {
    for (auto [from, value] : phi_entries(function_, id)) {
      if (!value.reads_reg()) continue;
      Reg r = value.reg();
      if (dominators_.dominates(definitions_[r].block, from)) continue;
      error(b, id, r,
            fmt::format("does not dominate the end of {}, from which the phi reads it", context_.name(from)));
    }
  }

  void error(BlockId b, InstId id, Reg r, std::string_view what) {
    context_.error(Rule::Dominance, b, id, fmt::format("{} {}", context_.name(r), what));
  }

  Context& context_;
  const Function& function_;
  const Dominators& dominators_;
  const Definitions& definitions_;
};

}  // namespace

void check_dominance(Context& context, const Dominators& dominators, const Definitions& definitions) {
  DominanceCheck(context, dominators, definitions).run();
}

}  // namespace psi::verify
