// copy-headers: a short loop header that a predicted branch ends is copied to its back edges.
//
//     @h: %c = cmp.gt.i32 %k, %x        @h:  ... br %c, @l, @r
//         br %c, @l, @r                 @l:  ... br %p, @h1, @x
//     @l: ... br %p, @h, @x       ==>   @r:  ... br %q, @h2, @x
//     @r: ... br %q, @h, @x             @h1: ... br %c1, @l, @r
//                                       @h2: ... br %c2, @l, @r
//
// Each iteration then jumps once, and a processor predicts each copy by itself. That pays where the branch is
// mispredicted so rarely that it costs less than the jump that is saved.
//
// One of the copies compares its operands in the other order, if both are registers: code generators that
// merge blocks of equal instructions leave the two apart then.
//
// Requires SSA form; ensures it. Linear, but for sorting.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "predication/if_convert/block_copies.h"
#include "predication/if_convert/closed_blocks.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"
#include "psi/predication/if_convert.h"

namespace psi {
namespace {

using namespace predication;

constexpr size_t kMaxHeader = 6;  // instructions, the branch among them

class HeaderCopying {
 public:
  explicit HeaderCopying(PassContext& context)
      : context_(context), function_(context.function), cfg_(context.analyses.get<Cfg>()) {}

  void run() {
    std::vector<BlockId> headers;
    for (BlockId b : context_.analyses.get<Order>().reverse_post_order()) {
      if (is_short_header(b) && is_predicted(b)) headers.push_back(b);
    }
    if (headers.empty()) return;
    close_blocks(function_, context_.analyses, headers);
    context_.analyses.drop(Keeps::ControlFlow);
    BlockCopies copies(function_, context_.analyses);
    for (BlockId b : headers) {
      if (!copies.read_elsewhere(b)) copy(copies, b);
    }
    copies.finish();
    for (BlockId b : last_copies_) exchange_compared(b);
    context_.counters.add("headers copied", copies.num_copies() / 2);
  }

 private:
  std::array<BlockId, 2> sides(BlockId b) const { return {cfg_.successors(b)[0], cfg_.successors(b)[1]}; }

  // A block that control comes to from the header alone, and that goes back to it or leaves.
  bool is_side(BlockId b, BlockId header) const {
    InstId last = function_.insts(b).back();
    std::span<const BlockId> targets = cfg_.successors(b);
    return cfg_.predecessors(b).size() == 1 && function_.inst(last).op == Opcode::Br && targets.size() == 2 &&
           targets[0] != targets[1] && std::ranges::count(targets, header) == 1;
  }

  bool is_short_header(BlockId b) const {
    const Inst& branch = function_.inst(function_.insts(b).back());
    if (branch.op != Opcode::Br || cfg_.successors(b).size() != 2 || function_.terminators(b).size() != 1) {
      return false;
    }
    auto [first, second] = sides(b);
    if (first == second || first == b || second == b) return false;
    if (!is_side(first, b) || !is_side(second, b)) return false;
    if (cfg_.predecessors(b).size() < 3) return false;  // never entered
    size_t size = 0;
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi()) continue;
      bool writes = inst.writes_memory() || inst.op == Opcode::Call || inst.op == Opcode::Slot ||
                    inst.has_flag(Inst::kVolatile);
      if (writes || inst.guard || ++size > kMaxHeader) return false;
    }
    return function_.misprediction_rate(function_.insts(b).back()) &&
           can_close(function_, context_.analyses, b);
  }

  bool is_predicted(BlockId b) const {
    const Target& target = context_.target();
    InstId branch = function_.insts(b).back();
    double lost = target.misprediction * *function_.misprediction_rate(branch) / 100.0;
    bool pays = lost < target.branch_cost;
    if (!context_.remarks) return pays;
    std::string figures =
        fmt::format("mispredictions of its branch cost {:.2f} cycles, a jump {}", lost, target.branch_cost);
    if (pays) {
      context_.remarks->done(function_, branch, "loop header copied: " + figures);
    } else {
      context_.remarks->refused(function_, branch, "loop header not copied: " + figures);
    }
    return pays;
  }

  // The entries of the loop keep the header; each back edge gets a copy.
  void copy(BlockCopies& copies, BlockId header) {
    copies.find_incoming(header, incoming_);
    auto is_back = [&](const IncomingEdge& edge) { return std::ranges::count(sides(header), edge.from) > 0; };
    std::vector<IncomingEdge> back;
    std::ranges::copy_if(incoming_, std::back_inserter(back), is_back);
    std::erase_if(incoming_, is_back);
    std::vector<EdgeGroup> groups(1);
    groups[0].edges = incoming_;
    for (const IncomingEdge& edge : groups[0].edges) groups[0].frequency += edge.frequency;
    for (IncomingEdge& edge : back) {
      EdgeGroup& group = groups.emplace_back();
      group.edges = {&edge, 1};
      group.frequency = edge.frequency;
      group.is_copied = true;
    }
    copies.copy(header, groups);
    last_copies_.push_back(groups.back().copy);
  }

  void exchange_compared(BlockId b) {
    std::span<const InstId> insts = function_.insts(b);
    Operand condition = std::as_const(function_).operands(insts.back())[0];
    for (size_t i = insts.size() - 1; i-- > 0;) {
      Inst& inst = function_.inst(insts[i]);
      std::span<Operand> operands = function_.operands(insts[i]);
      if (!inst.results[0] || condition != Operand::reg(inst.results[0])) continue;
      if (inst.op == Opcode::Freeze) {
        condition = operands[0];
      } else if (inst.op == Opcode::Cmp && operands[0].is_reg() && operands[1].is_reg()) {
        inst.set_cond(swap_operands(inst.cond()));
        std::swap(operands[0], operands[1]);
      }
    }
  }

  PassContext& context_;
  Function& function_;
  const Cfg& cfg_;
  std::vector<IncomingEdge> incoming_;
  std::vector<BlockId> last_copies_;  // of each header
};

}  // namespace

void copy_headers(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  HeaderCopying(context).run();
}

}  // namespace psi
