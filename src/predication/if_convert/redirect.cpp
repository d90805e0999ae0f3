// redirect: guarded loads, stores and divisions for targets that have selects only.
//
//     p ? store.i32 x, a       ==>      s = slot 4                 (once, at the entry)
//                                       t = select p, a, s
//                                       store.i32 x, t
//     p ? q = sdiv.i32 x, y    ==>      t = select p, y, 1
//                                       q = sdiv.i32 x, t
//
// Where the guard is false the access goes to an unused slot, or the divisor is 1. The result is then defined
// where it was undefined before; a select reads only the arm that it takes, so the address may be undefined
// there. The stored value may be undefined, too, and is frozen. Volatile accesses keep their guards, since
// each is observable.
//
// Requires SSA form; ensures it. Linear.
#include <algorithm>
#include <array>
#include <utility>

#include "psi/analysis/defined.h"
#include "psi/ir/edits.h"
#include "psi/ir/views.h"
#include "psi/predication/if_convert.h"

namespace psi {
namespace {

class Redirection {
 public:
  explicit Redirection(PassContext& context)
      : function_(context.function), counters_(context.counters), defined_(function_, context.analyses) {}

  void run() {
    for (BlockId b : function_.layout()) redirect_in(b);
    for (const Slot& slot : {loaded_, stored_}) {
      if (slot.address) add_slot(slot);
    }
    counters_.add("loads", loads_);
    counters_.add("stores", stores_);
    counters_.add("divisions", divisions_);
  }

 private:
  // One for loads and one for stores: a load must not wait for a redundant store.
  struct Slot {
    Reg address;
    int64_t size = 0;
    uint64_t align = 1;
  };

  void redirect_in(BlockId b) {
    block_ = b;
    std::span<const InstId> insts = function_.insts(b);
    for (uint32_t i = 0; i < insts.size(); ++i) {
      const Inst& inst = function_.inst(insts[i]);
      if (!inst.guard || inst.has_flag(Inst::kVolatile)) continue;
      if (inst.op == Opcode::Load || inst.op == Opcode::Store) {
        redirect_access(insts[i], i);
      } else if (group_of(inst.op) == OpGroup::Divide) {
        redirect_division(insts[i], i);
      }
    }
    if (!edits_.empty()) edits_.apply(function_, b);
  }

  void redirect_access(InstId id, uint32_t position) {
    const Inst& access = function_.inst(id);
    bool is_load = access.op == Opcode::Load;
    Slot& slot = is_load ? loaded_ : stored_;
    if (!slot.address) slot.address = function_.add_reg(Type::ptr);
    slot.size = std::max(slot.size, static_cast<int64_t>(function_.byte_size(access.type)));
    slot.align = std::max(slot.align, access.align());
    ++(is_load ? loads_ : stores_);
    if (!is_load) freeze_stored(id, position);
    redirect(id, position, is_load ? kLoadAddress : kStoreAddress, Type::ptr, Operand::reg(slot.address));
  }

  void freeze_stored(InstId store, uint32_t position) {
    Operand value = as_store(function_, store).value;
    if (value.is_literal() || value.is_symbol()) return;
    if (value.is_reg() && defined_.at(value.reg(), {block_, 0})) return;
    Inst freeze;
    freeze.op = Opcode::Freeze;
    freeze.type = function_.inst(store).type;
    freeze.results[0] = function_.add_reg(freeze.type);
    edits_.insert_before(position, function_.add_inst(freeze, std::array{value}));
    function_.operands(store)[kStoredValue] = Operand::reg(freeze.results[0]);
  }

  // An undefined dividend may be divided by 1, too.
  void redirect_division(InstId id, uint32_t position) {
    Type type = function_.inst(id).type;
    ++divisions_;
    redirect(id, position, 1, type, function_.literal(type, int64_t{1}));
  }

  // Operand number `at` becomes `instead` where the guard is false, and the guard is removed.
  void redirect(InstId id, uint32_t position, uint32_t at, Type type, Operand instead) {
    Guard guard = std::exchange(function_.inst(id).guard, Guard());
    Operand real = function_.operands(id)[at];
    std::array<Operand, 3> operands = {Operand::reg(guard.reg()), real, instead};
    if (guard.is_negated()) std::swap(operands[1], operands[2]);
    Inst select;
    select.op = Opcode::Select;
    select.type = type;
    select.results[0] = function_.add_reg(type);
    edits_.insert_before(position, function_.add_inst(select, operands));
    function_.operands(id)[at] = Operand::reg(select.results[0]);
  }

  void add_slot(const Slot& slot) {
    Inst inst;
    inst.op = Opcode::Slot;
    inst.results[0] = slot.address;
    while (inst.align() < slot.align) ++inst.extra;
    edits_.insert_before(
        0, function_.add_inst(inst, std::array{function_.literal(function_.address_type(), slot.size)}));
    edits_.apply(function_, function_.entry());
  }

  Function& function_;
  Counters& counters_;
  Defined defined_;
  BlockEdits edits_;
  BlockId block_;  // the one that is looked at
  Slot loaded_, stored_;
  uint64_t loads_ = 0, stores_ = 0, divisions_ = 0;
};

}  // namespace

void redirect(PassContext& context) { Redirection(context).run(); }

}  // namespace psi
