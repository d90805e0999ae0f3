#include "live/live_ranges.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"

namespace psi::live {

LiveRanges::LiveRanges(const Function& function, Analyses& analyses, const ParallelCopies& copies,
                       RangeConditions& conditions, std::vector<uint8_t> wanted, Split split, Merges merges)
    : function_(function),
      analyses_(analyses),
      cfg_(analyses.get<Cfg>()),
      order_(analyses.get<Order>()),
      dominators_(analyses.get<Dominators>()),
      copies_(copies),
      conditions_(conditions),
      wanted_(std::move(wanted)),
      split_(split),
      merges_(merges) {
  find_definitions();
  find_values_of_phis();
  find_needs();
  collect_reads();
  find_ranges();
}

void LiveRanges::find_definitions() {
  uint32_t end = 0;
  for (BlockId b : order_.reverse_post_order()) {
    heads_.push_back(end);
    end += static_cast<uint32_t>(function_.insts(b).size()) + 1;
  }
  heads_.push_back(end);
  definitions_.resize(function_.num_regs());
  values_.resize(function_.num_regs());
  std::iota(values_.begin(), values_.end(), uint64_t{0});
  bool merges_write = merges_ == Merges::Write;
  auto define = [&](Reg r, BlockId b, uint32_t position, Guard guard, bool writes, InstId psi = {}) {
    definitions_[r.index()] = {b, position, guard, writes, psi};
  };
  for (Reg param : function_.params) define(param, function_.entry(), 0, Guard(), true);
  for (BlockId b : dominators_.preorder()) {
    for_each_position(b, [&](InstId id, uint32_t position) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi()) {
        define(inst.results[0], b, head_position(b), Guard(), merges_write);
        return;
      }
      for (Reg r : inst.results) {
        if (!r) continue;
        if (inst.is_psi()) {
          define(r, b, position, Guard(), merges_write, merges_write ? id : InstId());
        } else {
          define(r, b, position, inst.guard, true);
        }
      }
      if (inst.op == Opcode::Mov) {
        find_value(inst);
      } else if (inst.is_psi() && !merges_write) {
        if (first_of_psi_.empty()) first_of_psi_.resize(function_.num_regs());
        Operand first = function_.operands(inst)[1];
        Reg inner = first.is_reg() ? first_of_psi_[first.reg().index()] : Reg();
        first_of_psi_[inst.results[0].index()] = inner            ? inner
                                                 : first.is_reg() ? first.reg()
                                                                  : inst.results[0];
      }
    });
  }
}

// Does every path to b's definition pass a's?
bool LiveRanges::comes_before(const Definition& a, const Definition& b) const {
  if (a.block == b.block) return a.position <= b.position;
  return dominators_.strictly_dominates(a.block, b.block);
}

// A guard applies to the time since a definition only if its register is not recomputed in between: it was
// computed before, or every cycle to it passes the definition.
Guard LiveRanges::lasting(Guard guard, const Definition& definition, Known& known) const {
  if (guard.is_always()) return guard;
  const Definition& own = definitions_[guard.reg().index()];
  if (!own.block) return Guard();
  if (comes_before(own, definition)) return guard;
  if (own.block != definition.block && (!comes_before(definition, own) || !is_inherited(own, definition))) {
    return Guard();
  }
  known = Known::Later;
  return guard;
}

void LiveRanges::read(Operand operand, BlockId b, uint32_t position, Guard guard, Guard further,
                      Term needed) {
  if (!operand.reads_reg() || !wanted_[operand.reg().index()]) return;
  Reg r = operand.reg();
  uint32_t condition = RangeConditions::kAlways;
  if (conditions_.aware()) {
    const Definition& definition = definitions_[r.index()];
    Known known = needed == Term::always() ? Known::AtDefinition : Known::Later;
    Term where = conditions_.both(conditions_.term(definition.guard), needed);
    if (further) where = conditions_.both(where, conditions_.term(lasting(further, definition, known)));
    Guard own = lasting(guard, definition, known);
    condition = conditions_.when(own, where, known);
  }
  add_read(r, {condition, true, b, position});
}

// The first definition of a value's web.
const Definition* LiveRanges::first_definition(Operand value) const {
  if (!value.is_reg()) return nullptr;
  Reg first = first_of_psi_[value.reg().index()];
  return &definitions_[first ? first.index() : value.reg().index()];
}

// Where a psi takes an argument, no guard further right holds.
void LiveRanges::collect_psi_reads(BlockId b, uint32_t position, const Inst& psi) {
  PsiArguments arguments = psi_arguments(function_, psi);
  Term result_needed = needed(psi);
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto [guard, value] = arguments[i];
    read(guard, b, position, Guard());
    if (!value.is_reg() || !wanted_[value.reg().index()]) continue;
    const Definition& definition = definitions_[value.reg().index()];
    Known known = result_needed == Term::always() ? Known::AtDefinition : Known::Later;
    Term where = conditions_.both(conditions_.term(definition.guard), result_needed);
    for (size_t k = i + 1; k < arguments.size() && k <= i + kMaxLater; ++k) {
      Guard not_later = lasting(complement(Guard(arguments[k].guard)), definition, known);
      where = conditions_.both(where, conditions_.term(not_later));
    }
    Guard own = lasting(Guard(guard), definition, known);
    add_read(value.reg(), {conditions_.when(own, where, known), true, b, position});
  }
}

void LiveRanges::collect_reads_of_web(BlockId b, uint32_t position, const Inst& psi) {
  PsiArguments arguments = psi_arguments(function_, psi);
  const Definition& result = definitions_[psi.results[0].index()];
  const Left& left = left_of_psi_[psi.results[0].index()];
  Term domain = Term::never(), result_needed = needed(psi);
  bool is_first = left.all == Term::never();
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto [guard, value] = arguments[i];
    domain = conditions_.either(domain, conditions_.term(Guard(guard)));
    if (!value.is_reg()) continue;
    // Undefined arguments are absent.
    size_t next = i + 1;
    while (next < arguments.size() && !arguments[next].value.is_reg()) ++next;
    bool own_value = is_first;
    is_first = false;
    if (!wanted_[value.reg().index()]) continue;
    const Definition& definition = definitions_[value.reg().index()];
    // An argument that is always defined carries no other value.
    bool is_always = definition.guard.is_always() && !first_of_psi_[value.reg().index()];
    own_value = own_value || is_always;
    bool is_known = is_inherited(result, definition);
    bool is_exact = result_needed == Term::always() && left.needed == left.all;
    Known known = is_known && !is_exact ? Known::Later : Known::AtDefinition;
    Term where =
        conditions_.both(is_always ? Term::always() : domain, is_known ? result_needed : Term::always());
    where = conditions_.either(where, is_known ? left.needed : left.all);
    if (next < arguments.size()) {
      Guard not_next = lasting(complement(Guard(arguments[next].guard)), definition, known);
      for (size_t k = next + 1; k < arguments.size() && k <= next + kMaxLater; ++k) {
        Guard not_later = lasting(complement(Guard(arguments[k].guard)), definition, known);
        where = conditions_.both(where, conditions_.term(not_later));
      }
      const Definition& at = *first_definition(arguments[next].value);
      add_read(value.reg(), {conditions_.when(not_next, where, known), own_value, at.block, at.position});
    } else {
      add_read(value.reg(), {conditions_.when(Guard(), where, known), own_value, b, position});
    }
  }
}

// Makes room for them. Until they are there, first_read_ is one further on.
void LiveRanges::count_reads() {
  first_read_.resize(function_.num_regs() + 2);
  auto count = [&](Operand operand) {
    if (operand.reads_reg() && wanted_[operand.reg().index()]) ++first_read_[operand.reg().index() + 2];
  };
  for (BlockId b : dominators_.preorder()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.guard) count(inst.guard.as_operand());
      if (inst.is_phi()) {
        for (auto [from, value] : phi_entries(function_, inst)) {
          if (dominators_.is_reachable(from)) count(value);
        }
      } else if (inst.is_psi()) {
        for (auto [guard, value] : psi_arguments(function_, inst)) {
          if (merges_ != Merges::Join) count(guard);
          if (value.is_reg()) count(value);
        }
      } else {
        for (Operand operand : function_.operands(inst)) count(operand);
      }
    }
  }
  std::partial_sum(first_read_.begin(), first_read_.end(), first_read_.begin());
  reads_.resize(first_read_.back());
}

void LiveRanges::collect_reads() {
  count_reads();
  for (BlockId b : dominators_.preorder()) {
    for_each_position(b, [&](InstId id, uint32_t position) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi()) {
        for (auto [from, value] : phi_entries(function_, inst)) {
          if (dominators_.is_reachable(from)) read(value, from, heads_[order_.number(from) + 1], Guard());
        }
      } else if (inst.is_psi()) {
        if (merges_ == Merges::Join) {
          collect_reads_of_web(b, position, inst);
        } else {
          collect_psi_reads(b, position, inst);
        }
      } else {
        if (inst.guard) read(inst.guard.as_operand(), b, position, Guard());
        Term result_needed = needed(inst);
        for_each_read(inst, [&](Operand operand, Guard guard, Guard further) {
          read(operand, b, position, guard, further, result_needed);
        });
      }
    });
  }
}

uint32_t LiveRanges::end_position(BlockId b) const {
  auto body = static_cast<uint32_t>(function_.insts(b).size() - function_.terminators(b).size());
  if (body == 0) return head_position(b);
  InstId last = function_.insts(b)[body - 1];
  bool is_group = copies_.together(last) == Together::AtEnd;
  return is_group ? definitions_[function_.inst(last).results[0].index()].position : head_position(b) + body;
}

size_t LiveRanges::memory() const {
  return (heads_.capacity() + last_read_.capacity() + seen_.capacity() + first_read_.capacity()) *
             sizeof(uint32_t) +
         wanted_.capacity() + reads_.capacity() * sizeof(Read) + first_of_psi_.capacity() * sizeof(Reg) +
         left_of_psi_.capacity() * sizeof(Left) + needed_.capacity() * sizeof(GuardUnion) +
         definitions_.capacity() * sizeof(Definition) + values_.capacity() * sizeof(uint64_t) +
         start_.capacity() * sizeof(uint32_t) + ranges_.capacity() * sizeof(LiveRange) +
         segments_.capacity() * sizeof(Segment);
}

}  // namespace psi::live
