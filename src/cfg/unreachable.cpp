// Removes the blocks that no path from the entry reaches.
//
//     @a: br @c              @a: br @c
//     @b: br @c       ==>    @c: %x = phi [@a: %1]
//     @c: %x = phi [@a: %1], [@b: %2]
//
// Requires: any form. Ensures: the same form; every block is reachable. In plain form a register may have had
// its only definitions in removed blocks; where it is still read it is defined as undef at the entry, its
// value before. Linear.
#include "psi/cfg/unreachable.h"

#include <vector>

#include "psi/analysis/order.h"
#include "psi/ir/edits.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

class UnreachableRemoval {
 public:
  UnreachableRemoval(Function& function, Analyses& analyses, Counters& counters)
      : function_(function), order_(analyses.get<Order>()), counters_(counters) {}

  void run() {
    if (order_.num_reachable() == function_.layout().size()) return;
    drop_phi_arguments();
    drop_blocks();
    define_orphans();
  }

 private:
  void drop_phi_arguments() {
    for (BlockId b : order_.reverse_post_order()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).is_phi()) break;
        size_t dropped =
            drop_phi_entries(function_, id, [&](BlockId from) { return !order_.is_reachable(from); });
        if (dropped > 0) counters_.add("phi arguments removed", dropped);
      }
    }
  }

  void drop_blocks() {
    std::vector<BlockId> layout;
    for (BlockId b : function_.layout()) {
      if (order_.is_reachable(b)) {
        layout.push_back(b);
        continue;
      }
      counters_.add("blocks removed", 1);
      counters_.add("instructions removed", function_.insts(b).size());
      for (InstId id : function_.insts(b)) {
        for (Reg result : function_.inst(id).results) {
          if (result) removed_.push_back(result);
        }
      }
    }
    function_.set_layout(std::move(layout));
  }

  void define_orphans() {
    if (removed_.empty() || is_ssa(function_.form)) return;
    std::vector<bool> defined(function_.num_regs()), mentioned(function_.num_regs());
    for (Reg param : function_.params) defined[param.index()] = true;
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        if (inst.guard) mentioned[inst.guard.reg().index()] = true;
        for (Operand operand : std::as_const(function_).operands(id)) {
          if (operand.reads_reg()) mentioned[operand.reg().index()] = true;
        }
        for (Reg result : inst.results) {
          if (result) defined[result.index()] = true;
        }
      }
    }
    BlockEdits edits;
    for (Reg r : removed_) {
      if (defined[r.index()] || !mentioned[r.index()]) continue;
      defined[r.index()] = true;
      Inst inst;
      inst.op = Opcode::Mov;
      inst.type = function_.type(r);
      inst.results[0] = r;
      edits.insert_before(0, function_.add_inst(inst, std::array{Operand::undef(inst.type)}));
      counters_.add("undef definitions added", 1);
    }
    edits.apply(function_, function_.entry());
  }

  Function& function_;
  const Order& order_;
  Counters& counters_;
  std::vector<Reg> removed_;  // results of removed instructions
};

}  // namespace

void dce_unreachable(Function& function, Analyses& analyses, Counters& counters) {
  UnreachableRemoval(function, analyses, counters).run();
}

void dce_unreachable(PassContext& context) {
  dce_unreachable(context.function, context.analyses, context.counters);
}

}  // namespace psi
