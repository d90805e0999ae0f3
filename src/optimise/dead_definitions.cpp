#include "optimise/dead_definitions.h"

#include <utility>

#include "psi/analysis/uses.h"

namespace psi::optimise {
namespace {

class DeadDefinitions {
 public:
  DeadDefinitions(Function& function, Analyses& analyses, std::vector<Reg> candidates)
      : function_(function),
        analyses_(analyses),
        uses_(analyses.get<Uses>()),
        pending_(std::move(candidates)) {}

  uint64_t run() {
    if (pending_.empty()) return 0;
    reads_.resize(function_.num_regs());
    for (uint32_t r = 0; r < reads_.size(); ++r) {
      reads_[r] = static_cast<uint32_t>(uses_.uses(Reg(r)).size());
    }
    dead_.resize(function_.num_insts());
    touched_.resize(function_.num_blocks());
    while (!pending_.empty()) {
      Reg r = pending_.back();
      pending_.pop_back();
      if (InstId id = uses_.definition(r)) visit(id);
    }
    if (removed_ == 0) return 0;
    for (BlockId b : function_.layout()) {
      if (touched_[b.index()]) sweep(b);
    }
    analyses_.drop(Keeps::ControlFlow);
    return removed_;
  }

 private:
  void visit(InstId id) {
    const Inst& inst = function_.inst(id);
    if (dead_[id.index()] || !uses_.block(id) || !inst.is_pure()) return;
    for (Reg result : inst.results) {
      if (result && reads_[result.index()] > 0) return;
    }
    dead_[id.index()] = true;
    touched_[uses_.block(id).index()] = true;
    ++removed_;
    if (inst.guard) drop(inst.guard.reg());
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (operand.reads_reg()) drop(operand.reg());
    }
  }

  void drop(Reg r) {
    if (--reads_[r.index()] == 0) pending_.push_back(r);
  }

  void sweep(BlockId b) {
    kept_.clear();
    for (InstId id : function_.insts(b)) {
      if (!dead_[id.index()]) kept_.push_back(id);
    }
    function_.set_insts(b, kept_);
  }

  Function& function_;
  Analyses& analyses_;
  const Uses& uses_;
  std::vector<Reg> pending_;
  std::vector<uint32_t> reads_;   // by Reg
  std::vector<uint8_t> dead_;     // by InstId
  std::vector<uint8_t> touched_;  // by BlockId
  std::vector<InstId> kept_;
  uint64_t removed_ = 0;
};

}  // namespace

uint64_t remove_dead_definitions(Function& function, Analyses& analyses, std::vector<Reg> candidates) {
  return DeadDefinitions(function, analyses, std::move(candidates)).run();
}

}  // namespace psi::optimise
