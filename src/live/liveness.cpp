// Liveness by the classic equations over bit vectors,
//
//   out(b) = arguments that phis of successors take from b, and in(s) for every successor s
//   in(b)  = registers that b reads before it kills them, and out(b) without those killed in b
//
// solved by a worklist that starts in post-order. A block is processed again when the live-in set of a
// successor has grown: at most once per register in theory, about once per surrounding loop in practice.
//
// Memory: blocks times registers, twice, and once more while computing.

#include "psi/live/liveness.h"

#include <deque>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

class Solver {
 public:
  Solver(const Function& function, const Cfg& cfg, const Order& order, LivenessRules rules, BitMatrix& in,
         BitMatrix& out)
      : function_(function),
        cfg_(cfg),
        order_(order),
        rules_(rules),
        in_(in),
        out_(out),
        killed_(order.num_reachable(), function.num_regs()) {}

  void run() {
    for (BlockId b : order_.reverse_post_order()) summarize(b);
    propagate();
  }

 private:
  // Collects the registers that the block reads before it kills them, those that it kills, and those that its
  // phis read at the ends of other blocks.
  void summarize(BlockId b) {
    uint32_t row = order_.number(b);
    std::span<const InstId> insts = function_.insts(b);
    for (size_t i = insts.size(); i-- > 0;) {
      const Inst& inst = function_.inst(insts[i]);
      for (uint32_t k = 0; k < inst.num_results(); ++k) define(row, inst, k);
      if (inst.is_phi()) {
        read_phi(inst);
        continue;
      }
      if (inst.guard) in_.set(row, inst.guard.reg().index());
      for (Operand operand : function_.operands(inst)) {
        if (operand.reads_reg()) in_.set(row, operand.reg().index());
      }
    }
  }

  void define(uint32_t row, const Inst& inst, uint32_t which) {
    uint32_t r = inst.results[which].index();
    bool has_old_value = !is_ssa(function_.form);
    bool is_partial_target =
        inst.op == Opcode::Cmpp && is_partial(inst.action(static_cast<int>(which))) && has_old_value;
    bool is_guarded = inst.guard && has_old_value;
    if (!is_partial_target && !is_guarded) {
      in_.reset(row, r);
      killed_.set(row, r);
    } else if (is_partial_target || rules_.guarded_definitions_read) {
      in_.set(row, r);
    }
  }

  void read_phi(const Inst& phi) {
    for (auto [block, value] : phi_entries(function_, phi)) {
      uint32_t from = order_.number(block);
      if (from == Order::kUnreachable || !value.reads_reg()) continue;
      out_.set(from, value.reg().index());
    }
  }

  void propagate() {
    std::vector<uint8_t> waiting(order_.num_reachable(), 1);
    std::deque<uint32_t> work;
    for (uint32_t row = order_.num_reachable(); row-- > 0;) work.push_back(row);
    while (!work.empty()) {
      uint32_t row = work.front();
      work.pop_front();
      waiting[row] = 0;
      BlockId b = order_.reverse_post_order()[row];
      collect_out(b, row);
      if (!update_in(row)) continue;
      for (BlockId p : cfg_.predecessors(b)) {
        uint32_t from = order_.number(p);
        if (from == Order::kUnreachable || waiting[from]) continue;
        waiting[from] = 1;
        work.push_back(from);
      }
    }
  }

  void collect_out(BlockId b, uint32_t row) {
    std::span<uint64_t> out = out_.row(row);
    for (BlockId to : cfg_.successors(b)) {
      std::span<const uint64_t> in = in_.row(order_.number(to));
      for (size_t i = 0; i < out.size(); ++i) out[i] |= in[i];
    }
  }

  // Has it grown? The block's own reads were in it from the start.
  bool update_in(uint32_t row) {
    std::span<uint64_t> in = in_.row(row);
    std::span<const uint64_t> out = out_.row(row);
    std::span<const uint64_t> killed = killed_.row(row);
    bool grown = false;
    for (size_t i = 0; i < in.size(); ++i) {
      uint64_t now = in[i] | (out[i] & ~killed[i]);
      grown |= now != in[i];
      in[i] = now;
    }
    return grown;
  }

  const Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  const LivenessRules rules_;
  BitMatrix& in_;
  BitMatrix& out_;
  BitMatrix killed_;
};

}  // namespace

Liveness::Liveness(const Function& function, const Cfg& cfg, const Order& order, LivenessRules rules)
    : row_(cfg.num_blocks()),
      in_(order.num_reachable(), function.num_regs()),
      out_(order.num_reachable(), function.num_regs()) {
  for (uint32_t i = 0; i < cfg.num_blocks(); ++i) row_[i] = order.number(BlockId(i));
  Solver(function, cfg, order, rules, in_, out_).run();
}

}  // namespace psi
