// Removes dead stores.
//
//     store 1, %p            %x = load %q (elsewhere)
//     %x = load %q    ==>    store 2, %p
//     store 2, %p
//
// Each block is walked from its end. A store is dead if a later one of the block, under a guard that contains
// its own, overwrites all of it and nothing in between may read it; and in a block that returns, if it writes
// a slot whose address does not escape and nothing reads it before the end.
//
// Requires: SSA form. Ensures: the same form; volatile accesses stay. Linear, as a bounded number of later
// stores and reads is tracked.
#include "psi/optimise/dse.h"

#include <algorithm>
#include <vector>

#include "optimise/memory/memory_accesses.h"
#include "psi/analysis/alias.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"
#include "psi/predicate/guard_facts.h"

namespace psi {
namespace optimise {
namespace {

class DeadStores {
 public:
  explicit DeadStores(PassContext& context)
      : context_(context),
        function_(context.function),
        guards_(context.analyses.get<GuardFacts>()),
        alias_(context.module, function_, context.analyses.get<Uses>(), context.analyses.get<Order>()) {}

  void run() {
    for (BlockId b : function_.layout()) visit(b);
    if (removed_) context_.counters.add("stores removed", removed_);
  }

 private:
  static constexpr size_t kMaxKept = 32;

  struct Write {
    Bytes bytes;
    Term guard;
  };

  void visit(BlockId b) {
    writes_.clear();
    reads_.clear();
    reads_all_ =
        function_.inst(function_.insts(b).back()).op != Opcode::Ret || function_.terminators(b).size() > 1;
    kept_.clear();
    std::span<const InstId> list = function_.insts(b);
    for (size_t i = list.size(); i > 0; --i) {
      if (!is_dead(list[i - 1])) kept_.push_back(list[i - 1]);
    }
    if (kept_.size() == list.size()) return;
    removed_ += list.size() - kept_.size();
    std::ranges::reverse(kept_);
    function_.set_insts(b, kept_);
  }

  // Is it a dead store? If not, records its effect.
  bool is_dead(InstId id) {
    const Inst& inst = function_.inst(id);
    switch (inst.op) {
      case Opcode::Load:
        read(alias_.read(id));
        return false;
      case Opcode::Memcpy:
      case Opcode::Memmove:
      case Opcode::Memset:
      case Opcode::Store:
        break;
      case Opcode::Call:
        if (promises(context_.module, function_, id).readnone) return false;
        read_shared();
        return false;
      default:
        if (inst.writes_memory() && inst.op != Opcode::Slot) read_shared();
        return false;
    }
    Write write{alias_.written(id), guards_.any() ? guards_.guard(id) : Term::always()};
    bool is_dead = !inst.has_flag(Inst::kVolatile) && (is_overwritten(write) || is_unread(write.bytes));
    if (is_dead) {
      if (context_.remarks) context_.remarks->done(function_, id, "removed: what it writes is never read");
      return true;
    }
    // Its own operand is read before.
    if (writes_.size() == kMaxKept) writes_.erase(writes_.begin());
    writes_.push_back(write);
    if (inst.op == Opcode::Memcpy || inst.op == Opcode::Memmove) {
      Bytes source{alias_.address(as_mem_copy(function_, id).from), write.bytes.size};
      read(source);
    }
    return false;
  }

  bool is_overwritten(const Write& write) {
    return std::ranges::any_of(writes_, [&](const Write& later) {
      const Address& from = write.bytes.address;
      const Address& to = later.bytes.address;
      if (from.base != to.base || from.index != to.index || from.scale != to.scale) return false;
      if (later.bytes.size == Bytes::kUnknown || write.bytes.size > later.bytes.size) return false;
      uint64_t distance = static_cast<uint64_t>(from.offset) - static_cast<uint64_t>(to.offset);
      return distance <= later.bytes.size - write.bytes.size && guards_.contains(later.guard, write.guard);
    });
  }

  bool is_unread(const Bytes& bytes) const {
    if (reads_all_ || !alias_.is_private(bytes.address.object)) return false;
    return std::ranges::none_of(reads_, [&](const Bytes& read) { return alias_.may_overlap(read, bytes); });
  }

  void read(const Bytes& bytes) {
    std::erase_if(writes_, [&](const Write& write) { return alias_.may_overlap(write.bytes, bytes); });
    reads_all_ |= reads_.size() == kMaxKept;
    if (!reads_all_) reads_.push_back(bytes);
  }

  // What is known elsewhere may be read there.
  void read_shared() {
    std::erase_if(writes_,
                  [&](const Write& write) { return !alias_.is_private(write.bytes.address.object); });
  }

  PassContext& context_;
  Function& function_;
  GuardFacts& guards_;
  Alias alias_;
  std::vector<Write> writes_;  // below, and not read in between
  std::vector<Bytes> reads_;   // below, if the block returns
  bool reads_all_ = false;
  std::vector<InstId> kept_;
  uint64_t removed_ = 0;
};

}  // namespace
}  // namespace optimise

void dse(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context.function, context.analyses, context.counters);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  optimise::DeadStores(context).run();
}

}  // namespace psi
