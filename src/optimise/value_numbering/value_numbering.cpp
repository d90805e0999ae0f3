// Numbers registers so that registers with equal numbers are equal.
//
//     %i = phi [@a: 0], [@b: %i1]      number of %i: %i
//     %j = phi [@a: 0], [@b: %j1]                %j: %i
//     %i1 = add %i, 1                           %i1: %i1
//     %j1 = add %j, 1                           %j1: %i1
//
// The algorithm of L. T. Simpson's thesis (Value-Driven Redundancy Elimination, Rice University 1996, chapter
// 4): blocks are numbered in reverse post-order with a table of expressions over numbers, repeatedly with an
// empty table, until nothing changes. The first iteration is optimistic about values from back edges; later
// ones correct wrong numbers. Registers that do not depend on a back edge are numbered once, before the
// iterations, and stay in the table: in code without loops that is all.
//
// The guard is part of an expression, so registers of one number have one domain, except copies and phis of
// one value, which are undef where their operand is.
#include "psi/optimise/value_numbering.h"

#include <algorithm>
#include <utility>

#include "optimise/value_numbering/value_keys.h"
#include "optimise/value_numbering/value_table.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

class NumberingIterations {
 public:
  NumberingIterations(const Function& function, Analyses& analyses, std::vector<Operand>& number)
      : function_(function),
        order_(analyses.get<Order>()),
        number_(number),
        keys_(function),
        table_(function.num_insts() / 2) {}

  // The number of iterations; 0 if the limit is reached.
  uint32_t run() {
    constexpr uint32_t kMaxIterations = 32;
    for (Reg param : function_.params) number_[param.index()] = Operand::reg(param);
    for (BlockId b : order_.reverse_post_order()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).results[0]) continue;
        if (is_known(id)) {
          visit(id, b);
        } else {
          open_.push_back({id, b});
        }
      }
    }
    size_t fixed = table_.mark();
    for (uint32_t iteration = 1; iteration <= kMaxIterations; ++iteration) {
      changed_ = false;
      table_.forget_to(fixed);
      for (const Place& place : open_) visit(place.inst, place.block);
      if (!changed_ || open_.empty()) return iteration;
    }
    return 0;
  }

 private:
  // None: not known yet, compatible with everything.
  Operand number(Operand operand) const {
    if (!operand.reads_reg()) return operand;
    Operand number = number_[operand.reg().index()];
    return operand.is_negated() && !number.is_none() ? complement(number) : number;
  }

  // Those with effects have a number of their own.
  static bool is_numbered(const Inst& inst) { return inst.computes(); }

  // Does all that it reads have a number?
  bool is_known(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (!is_numbered(inst)) return true;
    auto is_none = [&](Operand operand) {
      return operand.reads_reg() && number_[operand.reg().index()].is_none();
    };
    if (inst.guard && is_none(inst.guard.as_operand())) return false;
    return std::ranges::none_of(function_.operands(id), is_none);
  }

  void set(Reg r, Operand number) {
    changed_ |= number_[r.index()] != number;
    number_[r.index()] = number;
  }

  void visit(InstId id, BlockId b) {
    const Inst& inst = function_.inst(id);
    if (inst.is_phi()) return visit_phi(id, b);
    if (!is_numbered(inst)) {
      return set(inst.results[0], Operand::reg(inst.results[0]));
    }
    std::span<const Operand> operands = function_.operands(id);
    operands_.resize(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) operands_[i] = number(operands[i]);
    if (inst.is_copy() && !inst.guard) return set(inst.results[0], operands_[0]);
    for (int target = 0; target < 2 && inst.results[static_cast<size_t>(target)]; ++target) {
      Reg result = inst.results[static_cast<size_t>(target)];
      if (!keys_.make(id, operands_, target)) {
        set(result, Operand::reg(result));
        continue;
      }
      keys_.make_exact(inst.guard ? number(inst.guard.as_operand()) : Operand());
      look_up(result, keys_.words());
    }
  }

  void visit_phi(InstId id, BlockId b) {
    Reg result = function_.inst(id).results[0];
    PhiEntries entries = phi_entries(function_, id);
    Operand common;
    bool differs = false;
    words_.assign({static_cast<uint32_t>(Opcode::Phi), b.index(), static_cast<uint32_t>(entries.size())});
    for (PhiEntry entry : entries) {
      Operand value = number(entry.value);
      words_.push_back(entry.block.index());
      words_.push_back(value.raw());
      if (value.is_none()) continue;
      differs |= !common.is_none() && value != common;
      common = value;
    }
    // A definition below the block belongs to the next iteration of the loop.
    if (!differs && !common.is_none()) return set(result, common);
    look_up(result, words_);
  }

  void look_up(Reg result, std::span<const uint32_t> words) {
    optimise::ValueTable::Key key(words);
    Operand found = table_.find(key, [](Operand) { return true; });
    if (found.is_none()) {
      found = Operand::reg(result);
      table_.add(key, found);
    }
    set(result, found);
  }

  struct Place {
    InstId inst;
    BlockId block;
  };

  const Function& function_;
  const Order& order_;
  std::vector<Operand>& number_;
  std::vector<Place> open_;  // in order: registers that depend on a back edge
  optimise::ValueKeys keys_;
  optimise::ValueTable table_;
  std::vector<Operand> operands_;
  std::vector<uint32_t> words_;
  bool changed_ = false;
};

}  // namespace

ValueNumbering::ValueNumbering(const Function& function, Analyses& analyses)
    : number_(function.num_regs()), is_shared_(function.num_regs()) {
  num_iterations_ = NumberingIterations(function, analyses, number_).run();
  if (num_iterations_ == 0) std::ranges::fill(number_, Operand());
  std::vector<Reg> first(function.num_regs());
  for (uint32_t i = 0; i < number_.size(); ++i) {
    if (number_[i].is_none()) number_[i] = Operand::reg(Reg(i));
    if (!number_[i].is_reg()) continue;
    Reg& other = first[number_[i].reg().index()];
    if (!other) {
      other = Reg(i);
    } else {
      is_shared_[other.index()] = is_shared_[i] = 1;
    }
  }
}

}  // namespace psi
