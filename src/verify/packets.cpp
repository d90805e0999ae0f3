// Packets of allocated form: the instructions up to and including one marked `;;` are issued together, so no
// two of them may write the same register. A block without any `;;` is not packed yet: its instructions run
// one after the other.

#include <fmt/format.h>

#include <vector>

#include "verify/checks.h"

namespace psi::verify {
namespace {

// How a result is written. Parallel writers of one kind all write the same value, so any number of them may
// write one register in one packet.
enum class Writing : uint8_t { Plain, ParallelOr, ParallelAnd };

constexpr int kNumWritings = 3;

// The most writers of one register that a new one is compared with: no machine has wider packets, and
// checking an erroneous packet of a million instructions must not take forever.
constexpr int kMaxCompared = 64;

Writing writing_of(const Inst& inst, int result) {
  if (inst.op != Opcode::Cmpp) return Writing::Plain;
  switch (action_class(inst.action(result))) {
    case ActionClass::ParallelOr:
      return Writing::ParallelOr;
    case ActionClass::ParallelAnd:
      return Writing::ParallelAnd;
    default:
      return Writing::Plain;
  }
}

class PacketCheck {
 public:
  explicit PacketCheck(Context& context)
      : context_(context), function_(context.function), writers_(function_.num_regs()) {}

  void run() {
    for (BlockId b : function_.layout()) {
      bool packed = false;
      for (InstId id : function_.insts(b)) packed |= function_.inst(id).has_flag(Inst::kStop);
      if (packed) check(b);
      if (context_.full()) return;
    }
  }

 private:
  static constexpr uint32_t kEnd = UINT32_MAX;

  struct Write {
    InstId inst;
    uint32_t next;  // the earlier write of this kind to this register in this packet
  };
  struct Writers {
    uint32_t packet = 0;
    uint32_t last[kNumWritings] = {kEnd, kEnd, kEnd};
  };

  void check(BlockId b) {
    begin_packet();
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      for (int i = 0; i < 2; ++i) {
        if (inst.results[i]) add(b, id, inst.results[i], writing_of(inst, i));
      }
      if (inst.has_flag(Inst::kStop)) begin_packet();
      if (context_.full()) return;
    }
  }

  void begin_packet() {
    ++packet_;
    writes_.clear();
  }

  void add(BlockId b, InstId id, Reg r, Writing writing) {
    Writers& writers = writers_[r.index()];
    if (writers.packet != packet_) {
      writers = Writers();
      writers.packet = packet_;
    }
    Guard guard = function_.inst(id).guard;
    for (int kind = 0; kind < kNumWritings; ++kind) {
      if (writing != Writing::Plain && kind == static_cast<int>(writing)) continue;
      int left = kMaxCompared;
      for (uint32_t at = writers.last[kind]; at != kEnd && left-- > 0; at = writes_[at].next) {
        Guard other = function_.inst(writes_[at].inst).guard;
        if (context_.oracle.disjoint(function_, guard, other) != Answer::No) continue;
        context_.error(Rule::PacketWrites, b, id,
                       fmt::format("{} is written twice in one packet", context_.name(r)));
        context_.note(writes_[at].inst, "the other instruction that writes it");
        return;
      }
    }
    uint32_t& last = writers.last[static_cast<int>(writing)];
    writes_.push_back({id, last});
    last = static_cast<uint32_t>(writes_.size() - 1);
  }

  Context& context_;
  const Function& function_;
  uint32_t packet_ = 0;
  std::vector<Writers> writers_;  // by Reg
  std::vector<Write> writes_;     // of this packet
};

}  // namespace

void check_packets(Context& context) { PacketCheck(context).run(); }

}  // namespace psi::verify
