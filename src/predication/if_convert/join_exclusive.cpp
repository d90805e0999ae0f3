// join-exclusive: merges an operation that both sides of a branch have, each with its own operands.
//
//      p ? q = sdiv.i32 a, s            t = select p, a, b
//     !p ? r = sdiv.i32 b, s    ==>     q = sdiv.i32 t, s
//
// After if-conversion the two are in one block under complementary guards. Exactly one executes, so the
// merged one needs no guard. It replaces the second one, so between the two nothing may read the result of
// the first, or access memory if they do. Only loads, stores and divisions are merged: targets with selects
// only can speculate the others.
//
// Requires SSA form; ensures it. Near-linear: of those under one guard, only the last few are candidates.
#include <algorithm>
#include <array>
#include <vector>

#include "psi/ir/edits.h"
#include "psi/predication/if_convert.h"

namespace psi {
namespace {

constexpr size_t kMaxWaiting = 16;

class ExclusiveJoining {
 public:
  explicit ExclusiveJoining(PassContext& context)
      : function_(context.function), counters_(context.counters), value_of_(function_.num_regs()) {}

  void run() {
    for (BlockId b : function_.layout()) join_in(b);
    if (joined_ > 0) read_joined();
    counters_.add("joined", joined_);
  }

 private:
  struct Waiting {
    InstId inst;
    uint32_t position;
  };

  void join_in(BlockId b) {
    waiting_.clear();
    std::span<const InstId> insts = function_.insts(b);
    for (uint32_t i = 0; i < insts.size(); ++i) {
      drop_those_read(insts[i]);
      if (!is_worthwhile(function_.inst(insts[i]))) {
        drop_accesses(function_.inst(insts[i]));
        continue;
      }
      auto partner =
          std::ranges::find_if(waiting_, [&](Waiting w) { return are_partners(w.inst, insts[i]); });
      if (partner != waiting_.end()) {
        join(partner->inst, insts[i], i);
        edits_.remove(partner->position);
        waiting_.erase(partner);
        drop_accesses(function_.inst(insts[i]));
        continue;
      }
      drop_accesses(function_.inst(insts[i]));
      if (waiting_.size() == kMaxWaiting) waiting_.erase(waiting_.begin());
      waiting_.push_back({insts[i], i});
    }
    if (!edits_.empty()) edits_.apply(function_, b);
  }

  static bool is_access(const Inst& inst) { return inst.op == Opcode::Load || inst.op == Opcode::Store; }

  bool is_worthwhile(const Inst& inst) const {
    return inst.guard && !inst.has_flag(Inst::kVolatile) &&
           (is_access(inst) || group_of(inst.op) == OpGroup::Divide);
  }

  bool are_partners(InstId first, InstId second) const {
    const Inst &a = function_.inst(first), &b = function_.inst(second);
    return a.op == b.op && a.type == b.type && a.flags == b.flags && a.guard.reg() == b.guard.reg() &&
           a.guard.is_negated() != b.guard.is_negated();
  }

  // A load may pass loads; nothing else passes an access.
  void drop_accesses(const Inst& inst) {
    Effect effect = inst.effect();
    if (effect != Effect::Read && effect != Effect::Write) return;
    std::erase_if(waiting_, [&](Waiting w) {
      const Inst& waits = function_.inst(w.inst);
      return is_access(waits) && (effect == Effect::Write || waits.op == Opcode::Store);
    });
  }

  void drop_those_read(InstId reader) {
    if (waiting_.empty()) return;
    auto is_read = [&](Waiting w) {
      Reg result = function_.inst(w.inst).results[0];
      if (!result) return false;
      const Inst& inst = function_.inst(reader);
      return (inst.guard && inst.guard.reg() == result) ||
             std::ranges::any_of(std::as_const(function_).operands(reader), [&](Operand operand) {
               return operand.reads_reg() && operand.reg() == result;
             });
    };
    std::erase_if(waiting_, is_read);
  }

  void join(InstId first, InstId second, uint32_t position) {
    Guard guard = function_.inst(first).guard;
    for (uint32_t i = 0; i < function_.inst(second).count; ++i) {
      Operand a = function_.operands(first)[i], b = function_.operands(second)[i];
      if (a == b) continue;
      if (guard.is_negated()) std::swap(a, b);
      bool is_address = is_access(function_.inst(second)) && i + 1 == function_.inst(second).count;
      Inst select;
      select.op = Opcode::Select;
      select.type = is_address ? Type::ptr : function_.inst(second).type;
      select.results[0] = function_.add_reg(select.type);
      edits_.insert_before(position, function_.add_inst(select, std::array{Operand::reg(guard.reg()), a, b}));
      function_.operands(second)[i] = Operand::reg(select.results[0]);
    }
    if (function_.line(first) != function_.line(second)) function_.set_line(second, 0);
    if (function_.origin(first) != function_.origin(second)) function_.set_origin(second, 0);
    Inst& joined = function_.inst(second);
    joined.guard = Guard();
    joined.extra = std::min(joined.extra, function_.inst(first).extra);  // the alignment
    if (Reg result = function_.inst(first).results[0]) value_of_[result.index()] = joined.results[0];
    ++joined_;
  }

  void read_joined() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        for (Operand& operand : function_.operands(id)) {
          if (!operand.reads_reg() || operand.reg().index() >= value_of_.size()) continue;
          Reg value = value_of_[operand.reg().index()];
          if (value) operand = Operand::predicate(value, operand.is_negated());
        }
        Inst& inst = function_.inst(id);
        if (!inst.guard || inst.guard.reg().index() >= value_of_.size()) continue;
        Reg value = value_of_[inst.guard.reg().index()];
        if (value) inst.guard = Guard(value, inst.guard.is_negated());
      }
    }
  }

  Function& function_;
  Counters& counters_;
  BlockEdits edits_;
  std::vector<Waiting> waiting_;  // in the block that is looked at
  std::vector<Reg> value_of_;     // by Reg: its replacement
  uint64_t joined_ = 0;
};

}  // namespace

void join_exclusive(PassContext& context) { ExclusiveJoining(context).run(); }

}  // namespace psi
