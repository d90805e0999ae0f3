// The statistics of a finished run. Only edges, calls, returns and nullified instructions are counted during
// execution; the rest follows from these.
#include "interp/machine.h"

namespace psi::interp {
namespace {

// Calls visit(terminator, index of the target, from, to, count) for every edge.
template <class Visit>
void for_each_edge(const DecodedFunction& decoded, Visit visit) {
  const Function& function = *decoded.function;
  size_t edge = 0;
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) {
      if (!function.inst(id).is_terminator()) continue;
      size_t target = 0;
      function.for_each_target(function.inst(id), [&](BlockId to) {
        visit(id, target++, block, to, decoded.edges[edge++].count);
      });
    }
  }
}

std::vector<uint64_t> block_counts(const DecodedFunction& decoded) {
  std::vector<uint64_t> counts(decoded.function->num_blocks());
  counts[decoded.function->entry().index()] = decoded.entered;
  for_each_edge(decoded,
                [&](InstId, size_t, BlockId, BlockId to, uint64_t count) { counts[to.index()] += count; });
  return counts;
}

size_t index_of(Opcode op) { return static_cast<size_t>(op); }

}  // namespace

void Machine::finish() {
  externals_.flush();
  for (const Frame& frame : frames_) {
    if (!frame.function->is_monitored) uncount_unexecuted(frame);
  }
  count_executed();
  for (uint32_t i = 0; monitor_ && i < decoded_.size(); ++i) {
    if (decoded_[i]) monitor_->finished(SymbolId(i), *decoded_[i]);
  }
  bool completed = outcome_.status == Outcome::Status::Returned ||
                   outcome_.status == Outcome::Status::Exited || outcome_.status == Outcome::Status::Aborted;
  if (options_.record && completed) {
    memory_.snapshot(outcome_);
    if (outcome_.result_type == Type::ptr) {
      outcome_.result.bits = memory_.canonical_slot_address(outcome_.result.bits);
    }
  }
  if (options_.profile && !monitor_) fill_profiles();
}

// count_executed counts whole blocks. Where a frame has stopped in the middle of one, the rest did not run;
// the current instruction counts as executed.
void Machine::uncount_unexecuted(const Frame& frame) {
  if (!is_counted(*frame.function)) return;
  RunStats& stats = outcome_.stats;
  const Decoded* at = frame.at;
  if (is_terminator(at->op)) {
    if (at->step != Step::Guard) ++stats.executed[index_of(at->op)];
    return;
  }
  // A frame stopped at an undef guard did not execute the instruction.
  if (at->step == Step::Guard) --stats.guarded;
  for (++at; !is_terminator(at->op); ++at) {
    if (at->step == Step::Guard) {
      --stats.guarded;
    } else {
      --stats.executed[index_of(at->op)];
    }
  }
}

void Machine::count_executed() {
  for (const auto& decoded : decoded_) {
    if (decoded && !decoded->is_monitored && is_counted(*decoded)) count_executed(*decoded);
  }
}

void Machine::count_executed(const DecodedFunction& decoded) {
  RunStats& stats = outcome_.stats;
  const Function& function = *decoded.function;
  std::vector<uint64_t> counts = block_counts(decoded);
  std::vector<BlockId> next(function.num_blocks());
  for (size_t i = 0; i + 1 < function.layout().size(); ++i) {
    next[function.layout()[i].index()] = function.layout()[i + 1];
  }
  for_each_edge(decoded, [&](InstId id, size_t, BlockId from, BlockId to, uint64_t count) {
    const Inst& inst = function.inst(id);
    stats.executed[index_of(inst.op)] += count;
    if (next[from.index()] != to) stats.branches_taken += count;
    if (!inst.is_jump() || inst.guard) stats.conditional_branches += count;
    if (inst.guard) stats.guarded += count;
  });
  for (BlockId block : function.layout()) {
    if (counts[block.index()] == 0) continue;
    for (InstId id : function.insts(block)) {
      const Inst& inst = function.inst(id);
      if (inst.is_terminator()) continue;
      stats.executed[index_of(inst.op)] += counts[block.index()];
      if (inst.guard) stats.guarded += counts[block.index()];
    }
  }
  stats.executed[index_of(Opcode::Ret)] += decoded.returns;
  stats.conditional_branches += decoded.guarded_returns;
  stats.guarded += decoded.guarded_returns;
  for (size_t i = 0; i < kNumOpcodes; ++i) {
    uint64_t nullified = decoded.nullified[i];
    stats.nullified[i] += nullified;
    // Terminators were counted when they took effect.
    if (is_terminator(static_cast<Opcode>(i))) {
      stats.conditional_branches += nullified;
    } else {
      stats.executed[i] -= nullified;
      stats.guarded -= nullified;
    }
  }
}

void Machine::fill_profiles() {
  for (SymbolId symbol : module_.declarations()) {
    if (module_.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = module_.function(symbol);
    if (function.is_declaration()) continue;
    // A function that was never called has zero counts.
    const DecodedFunction& counted = *decoded(symbol);
    FunctionProfile& profile = outcome_.profiles.emplace_back();
    profile.function = symbol;
    profile.blocks = block_counts(counted);
    profile.edges.resize(function.num_insts());
    for_each_edge(counted, [&](InstId id, size_t, BlockId, BlockId, uint64_t count) {
      profile.edges[counted.origin(id).index()].push_back(count);
    });
  }
}

}  // namespace psi::interp
