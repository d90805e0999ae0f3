// One pass over the block, forward, with the definitions that reach and the uses that are exposed downward,
// each with the executions in which it is so. Memory is one more register, which loads use and all effects
// define; returning from calls is another one, which potential undefined behaviour uses.

#include "psi/live/dependence_graph.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "live/disjoint_symbols.h"
#include "live/flow_symbols.h"

namespace psi {
namespace {

using live::FlowSymbols;
using live::Read;
using live::Write;
using Kind = Dependence::Kind;

// The class of a parallel write, whose targets may be written in any order; none of any other write.
ActionClass parallel_class(const Inst& inst, uint32_t target) {
  if (inst.op != Opcode::Cmpp) return ActionClass::None;
  ActionClass of = action_class(inst.action(static_cast<int>(target)));
  return is_parallel(of) ? of : ActionClass::None;
}

class DependenceBuilder {
 public:
  DependenceBuilder(const Function& function, BlockId block, FlowScope scope)
      : function_(function), ssa_(is_ssa(function.form)), insts_(function.insts(block)) {
    if (scope == FlowScope::Blind) {
      symbols_.emplace(function);
    } else {
      symbols_.emplace(function, block);
    }
  }

  std::vector<Dependence> run() {
    for (position_ = 0; position_ < insts_.size(); ++position_) {
      symbols_->accesses().look_at(insts_[position_]);
      size_t first = all_.size();
      access_registers();
      access_memory();
      keep_in_place();
      auto order = [](const Dependence& d) { return std::tuple(d.from, d.kind, d.reg); };
      std::ranges::sort(all_.begin() + static_cast<ptrdiff_t>(first), all_.end(), {}, order);
      all_.erase(std::unique(all_.begin() + static_cast<ptrdiff_t>(first), all_.end()), all_.end());
    }
    return std::move(all_);
  }

 private:
  // An access to a register, and the executions in which no definition has come since.
  struct Open {
    uint32_t position;
    ActionClass parallel;
    PredicateExpr where;
  };
  struct Place {
    std::vector<Open> definitions;
    std::vector<Open> uses;
  };

  const Inst& inst() const { return function_.inst(insts_[position_]); }

  // In SSA forms a definition must dominate its uses, executed or not.
  void access_registers() {
    for (const Read& read : symbols_->accesses().reads()) {
      if (read.operand == Read::kOldContents) continue;
      use(registers_[read.reg], ssa_ ? Term::always() : read.where, Kind::Flow, read.reg);
    }
    for (const Write& write : symbols_->accesses().writes()) {
      Place& place = registers_[write.reg];
      ActionClass how = ssa_ ? ActionClass::None : parallel_class(inst(), write.target);
      Term where = ssa_ ? Term::always() : write.makes;
      define(place, where, how, Kind::Anti, Kind::Output, write.reg);
      // Others of its kind need not stay behind a parallel write, so it does not replace earlier accesses.
      if (how == ActionClass::None) end(place, write.ends_at_least);
      open(place.definitions, where, how);
    }
  }

  void access_memory() {
    Effect effect = inst().effect();
    Term where = symbols_->accesses().executes_at_most();
    Term surely = symbols_->accesses().executes_at_least();
    // An undefined guard is read in any case.
    if (inst().guard || inst().is_psi()) {
      depend(calls_.definitions, Term::always(), Kind::Control, Reg());
    } else if (effect == Effect::Trap) {
      depend(calls_.definitions, where, Kind::Control, Reg());
    }
    if (effect == Effect::Read && !inst().has_flag(Inst::kVolatile)) {
      use(memory_, where, Kind::Memory, Reg());
    } else if (effect == Effect::Read || effect == Effect::Write) {
      define(memory_, where, ActionClass::None, Kind::Memory, Kind::Memory, Reg());
      end(memory_, surely);
      open(memory_.definitions, where, ActionClass::None);
    }
    if (inst().op == Opcode::Call) {
      end(calls_, surely);
      open(calls_.definitions, where, ActionClass::None);
    }
  }

  void keep_in_place() {
    if (inst().is_phi()) {
      if (last_phi_) add(*last_phi_, Kind::Control, Reg());
      last_phi_ = position_;
    } else if (last_phi_) {
      add(*last_phi_, Kind::Control, Reg());
    }
    if (!inst().is_terminator()) return;
    // The first terminator stays behind all others.
    uint32_t from = has_terminator_ ? position_ - 1 : 0;
    for (; from < position_; ++from) add(from, Kind::Control, Reg());
    has_terminator_ = true;
  }

  // --- Accesses -------------------------------------------------------------------------------------------

  void use(Place& place, Term where, Kind kind, Reg r) {
    depend(place.definitions, where, kind, r);
    open(place.uses, where, ActionClass::None);
  }

  void define(Place& place, Term where, ActionClass how, Kind anti, Kind output, Reg r) {
    depend(place.uses, where, anti, r);
    depend(place.definitions, where, output, r, how);
  }

  void depend(const std::vector<Open>& opens, Term where, Kind kind, Reg r,
              ActionClass how = ActionClass::None) {
    if (opens.empty()) return;
    disjoint_.compare_with(symbols_->at_most(where), symbols_->graph());
    for (const Open& open : opens) {
      if (open.position == position_ || (how != ActionClass::None && how == open.parallel)) continue;
      if (!disjoint_.is_disjoint_from(open.where)) add(open.position, kind, r);
    }
  }

  void open(std::vector<Open>& opens, Term where, ActionClass how) {
    PredicateExpr expr = PredicateAlgebra::expr(symbols_->at_most(where));
    if (!expr.empty()) opens.push_back({position_, how, std::move(expr)});
  }

  void end(Place& place, Term where) {
    Symbol here = symbols_->at_least(where);
    if (!here) return;
    for (std::vector<Open>* opens : {&place.definitions, &place.uses}) {
      for (Open& open : *opens) open.where = symbols_->algebra().lub_diff(open.where, here);
      std::erase_if(*opens, [](const Open& open) { return open.where.empty(); });
    }
  }

  void add(uint32_t from, Kind kind, Reg r) { all_.push_back({from, position_, kind, r}); }

  const Function& function_;
  const bool ssa_;
  std::span<const InstId> insts_;
  std::optional<FlowSymbols> symbols_;
  live::DisjointSymbols disjoint_;
  std::unordered_map<Reg, Place> registers_;
  Place memory_;
  Place calls_;
  uint32_t position_ = 0;
  std::optional<uint32_t> last_phi_;
  bool has_terminator_ = false;
  std::vector<Dependence> all_;
};

}  // namespace

DependenceGraph::DependenceGraph(const Function& function, BlockId block, FlowScope scope)
    : all_(DependenceBuilder(function, block, scope).run()), start_(function.insts(block).size() + 1) {
  for (const Dependence& d : all_) ++start_[d.to + 1];
  for (size_t i = 0; i + 1 < start_.size(); ++i) start_[i + 1] += start_[i];
}

uint32_t DependenceGraph::unit_latency(const Dependence& dependence) {
  return dependence.kind == Kind::Anti || dependence.kind == Kind::Control ? 0 : 1;
}

uint64_t DependenceGraph::height(const Latency& latency) const {
  std::vector<uint64_t> cycle(num_insts());
  uint64_t height = 0;
  for (uint32_t i = 0; i < num_insts(); ++i) {
    for (const Dependence& d : into(i)) cycle[i] = std::max(cycle[i], cycle[d.from] + latency(d));
    height = std::max(height, cycle[i] + 1);
  }
  return height;
}

}  // namespace psi
