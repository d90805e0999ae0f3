#include "destruct/live_ranges.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace psi::destruction {

LiveRanges::LiveRanges(const Function& function, Analyses& analyses, const Copies& copies,
                       Conditions& conditions, std::vector<uint8_t> wanted, Cut cut)
    : function_(function),
      analyses_(analyses),
      cfg_(analyses.cfg()),
      order_(analyses.order()),
      dominators_(analyses.dominators()),
      copies_(copies),
      conditions_(conditions),
      wanted_(std::move(wanted)),
      cut_(cut) {
  find_definitions();
  find_values_of_phis();
  find_outer_psis();
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
  auto define = [&](Reg r, BlockId b, uint32_t position, Guard guard, bool writes) {
    definitions_[r.index()] = {b, position, guard, writes};
  };
  for (Reg param : function_.params) define(param, function_.entry(), 0, Guard(), true);
  for (BlockId b : dominators_.preorder()) {
    for_each_position(b, [&](InstId id, uint32_t position) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi()) {
        define(inst.results[0], b, head_position(b), Guard(), false);
        return;
      }
      for (Reg r : inst.results) {
        if (r) define(r, b, position, inst.guard, !inst.is_psi());
      }
      if (inst.op == Opcode::Mov) {
        find_value(inst);
      } else if (inst.is_psi()) {
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

// A guard says something of the time since a definition only if its register is not computed anew in between:
// it was computed before, or no path leads round to it but past the definition.
Guard LiveRanges::lasting(Guard guard, const Definition& definition) const {
  if (guard.is_always()) return guard;
  const Definition& own = definitions_[guard.reg().index()];
  if (!own.block) return Guard();
  if (own.block == definition.block || comes_before(own, definition)) return guard;
  if (!comes_before(definition, own)) return Guard();
  const Loops& loops = analyses_.loops();
  LoopId loop = loops.of(own.block);
  return loop == loops.of(definition.block) && (!loop || loops.is_reducible(loop)) ? guard : Guard();
}

void LiveRanges::read(Operand operand, BlockId b, uint32_t position, Guard guard) {
  if (!operand.reads_reg() || !wanted_[operand.reg().index()]) return;
  Reg r = operand.reg();
  uint32_t condition = Conditions::kAlways;
  if (conditions_.aware()) {
    const Definition& definition = definitions_[r.index()];
    condition = conditions_.when(lasting(guard, definition), conditions_.term(definition.guard));
  }
  add_read(r, {condition, true, b, position});
}

// Where the first of the definitions is that a value is made of.
const Definition* LiveRanges::first_definition(Operand value) const {
  if (!value.is_reg()) return nullptr;
  Reg first = first_of_psi_[value.reg().index()];
  return &definitions_[first ? first.index() : value.reg().index()];
}

// The registers of a psi that is itself an argument also carry what stands to its left there.
void LiveRanges::find_outer_psis() {
  if (first_of_psi_.empty()) return;
  left_of_psi_.resize(function_.num_regs(), Term::never());
  std::span<const BlockId> blocks = dominators_.preorder();
  for (size_t k = blocks.size(); k-- > 0;) {
    std::span<const InstId> insts = function_.insts(blocks[k]);
    for (size_t n = insts.size(); n-- > 0;) {
      const Inst& psi = function_.inst(insts[n]);
      if (!psi.is_psi()) continue;
      Term left = left_of_psi_[psi.results[0].index()];
      std::span<const Operand> pairs = function_.operands(psi);
      for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
        Operand value = pairs[i + 1];
        if (value.is_reg() && first_of_psi_[value.reg().index()] && left != Term::never()) {
          Term& known = left_of_psi_[value.reg().index()];
          known = conditions_.either(known, left);
        }
        left = conditions_.either(left, conditions_.term(Guard(pairs[i])));
      }
    }
  }
}

void LiveRanges::collect_psi_reads(BlockId b, uint32_t position, const Inst& psi) {
  std::span<const Operand> pairs = function_.operands(psi);
  Term domain = left_of_psi_[psi.results[0].index()];
  bool is_first = domain == Term::never();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    Guard guard(pairs[i]);
    Operand value = pairs[i + 1];
    domain = conditions_.either(domain, conditions_.term(guard));
    if (!value.is_reg()) continue;
    // Undefined arguments are not there.
    size_t next = i + 2;
    while (next + 1 < pairs.size() && !pairs[next + 1].is_reg()) next += 2;
    bool own_value = is_first;
    is_first = false;
    if (!wanted_[value.reg().index()]) continue;
    const Definition& definition = definitions_[value.reg().index()];
    // An argument that is always defined carries nothing else.
    bool is_always = definition.guard.is_always() && !first_of_psi_[value.reg().index()];
    own_value = own_value || is_always;
    Term carried = is_always ? Term::always() : domain;
    if (next + 1 < pairs.size()) {
      const Definition& at = *first_definition(pairs[next + 1]);
      Guard not_next = lasting(complement(Guard(pairs[next])), definition);
      add_read(value.reg(), {conditions_.when(not_next, carried), own_value, at.block, at.position});
    } else {
      add_read(value.reg(), {conditions_.when(Guard(), carried), own_value, b, position});
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
      std::span<const Operand> operands = function_.operands(inst);
      bool has_pairs = inst.is_phi() || inst.is_psi();
      for (size_t i = has_pairs; i < operands.size(); i += has_pairs ? 2 : 1) {
        if (inst.is_phi() && !dominators_.is_reachable(operands[i - 1].block())) continue;
        if (!inst.is_psi() || operands[i].is_reg()) count(operands[i]);
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
      if (inst.guard) read(inst.guard.as_operand(), b, position, Guard());
      std::span<const Operand> operands = function_.operands(inst);
      if (inst.is_phi()) {
        for (size_t i = 1; i < operands.size(); i += 2) {
          BlockId pred = operands[i - 1].block();
          if (dominators_.is_reachable(pred))
            read(operands[i], pred, heads_[order_.number(pred) + 1], Guard());
        }
      } else if (inst.is_psi()) {
        collect_psi_reads(b, position, inst);
      } else {
        for (Operand operand : operands) read(operand, b, position, inst.guard);
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
         left_of_psi_.capacity() * sizeof(Term) + definitions_.capacity() * sizeof(Definition) +
         values_.capacity() * sizeof(uint64_t) + start_.capacity() * sizeof(uint32_t) +
         ranges_.capacity() * sizeof(LiveRange) + places_.capacity() * sizeof(Place);
}

}  // namespace psi::destruction
