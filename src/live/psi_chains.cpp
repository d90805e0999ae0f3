#include "live/psi_chains.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::live {

PsiChains::PsiChains(Function& function, Analyses& analyses, Points& points, GuardFacts& guards)
    : function_(function),
      dominators_(analyses.get<Dominators>()),
      uses_(analyses.get<Uses>()),
      points_(points),
      guards_(guards),
      num_old_regs_(function.num_regs()),
      chain_of_(num_old_regs_, kNone) {
  collect();
  find_outer_chains();
  find_values();
}

void PsiChains::collect() {
  for (BlockId b : dominators_.preorder()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (!inst.is_psi()) continue;
      Chain chain{id, inst.results[0], static_cast<uint32_t>(links_.size()), 0, inst.results[0], {}};
      auto number = static_cast<uint32_t>(chains_.size());
      for (auto [guard, value] : psi_arguments(function_, id)) {
        if (!value.is_reg()) continue;
        Reg source = value.reg();
        links_.push_back({.source = source, .guard = Guard(guard), .chain = number});
        if (chain.count++ == 0) chain.top = top(source);
        chain.written.add(written(source), guards_.terms());
      }
      // Each ends where the next begins.
      Point end = points_.of(id);
      for (uint32_t l = chain.first + chain.count; l-- > chain.first;) {
        links_[l].end = links_[l].first_end = end;
        end = definition(top(links_[l].source));
      }
      chain_of_[chain.result.index()] = number;
      chains_.push_back(chain);
    }
  }
  link_start_.resize(num_old_regs_ + 1);
  for (const Link& link : links_) ++link_start_[link.source.index() + 1];
  std::partial_sum(link_start_.begin(), link_start_.end(), link_start_.begin());
  link_of_.resize(links_.size());
  std::vector<uint32_t> next(link_start_.begin(), link_start_.end() - 1);
  for (uint32_t l = 0; l < links_.size(); ++l) link_of_[next[links_[l].source.index()]++] = l;
}

// Chains of psis, each only the first argument of the next, share the values to the left of the last one.
void PsiChains::find_outer_chains() {
  outer_.resize(chains_.size());
  for (auto c = static_cast<uint32_t>(chains_.size()); c-- > 0;) {
    outer_[c] = c;
    uint32_t r = chains_[c].result.index();
    if (link_start_[r + 1] - link_start_[r] != 1) continue;
    uint32_t l = link_of_[link_start_[r]];
    if (l == chains_[links_[l].chain].first) outer_[c] = outer_[links_[l].chain];
  }
}

void PsiChains::find_values() {
  values_.resize(num_old_regs_);
  for (uint32_t r = 0; r < num_old_regs_; ++r) values_[r].number = r;
  for (BlockId b : dominators_.preorder()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.op == Opcode::Mov) {
        Operand source = std::as_const(function_).operands(id)[0];
        if (!source.is_reg()) continue;
        values_[inst.results[0].index()] = copied(source.reg(), guards_.term(inst.guard));
      } else if (inst.is_psi()) {
        const Chain& chain = chains_[chain_of_[inst.results[0].index()]];
        values_[chain.result.index()] = merged(chain);
      }
    }
  }
}

PsiChains::Value PsiChains::copied(Reg source, Term written_where) const {
  Value result = value(source);
  result.is_whole = result.is_whole && contains(guards_, written(source), written_where);
  return result;
}

PsiChains::Value PsiChains::merged(const Chain& chain) const {
  Value own{chain.result.index(), true};
  std::span<const Link> arguments = links(chain);
  if (arguments.empty()) return own;
  Value common = values_[arguments[0].source.index()];
  for (const Link& argument : arguments) {
    Value other = values_[argument.source.index()];
    if (other.number != common.number) return own;
    common.is_whole = common.is_whole && other.is_whole;
  }
  return common;
}

// --- Registers ------------------------------------------------------------------------------------------

Point PsiChains::definition(Reg r) const {
  if (is_new(r)) return added(r).point;
  if (!moved_.empty()) {
    if (auto at = moved_.find(r); at != moved_.end()) return at->second;
  }
  return points_.of_definition(r);
}

std::optional<PsiChains::Old> PsiChains::old_value(Reg r) const {
  InstId id = is_new(r) ? InstId() : uses_.definition(r);
  if (!id || function_.inst(id).op != Opcode::Cmpp || function_.inst(id).count <= 3) return std::nullopt;
  const Inst& cmpp = function_.inst(id);
  if (!is_partial(cmpp.action(cmpp.results[0] == r ? 0 : 1))) return std::nullopt;
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  Operand value = cmpp.results[0] == r ? operands[3] : operands.back();
  if (value.is_undef()) return std::nullopt;
  Point gap = points_.gap_above(id);
  return Old{{gap.block, gap.index, UINT32_MAX}, value};
}

Guard PsiChains::definition_guard(Reg r) const {
  InstId id = moved_.contains(r) ? InstId() : uses_.definition(r);
  return id ? function_.inst(id).guard : Guard();
}

GuardUnion PsiChains::written(Reg r) const {
  if (is_new(r)) return added(r).written;
  if (is_merge(r)) return chains_[chain_of_[r.index()]].written;
  return GuardUnion(guards_.term(definition_guard(r)));
}

bool PsiChains::writes_value_of(Reg writer, Reg r) const {
  Value written = value(writer);
  return written.is_whole && written.number == value(r).number;
}

bool PsiChains::copies_value_of(Operand operand, Reg writer, Reg r) const {
  if (!operand.is_reg()) return false;
  Value written = copied(operand.reg(), this->written(writer).term());
  return written.is_whole && written.number == value(r).number;
}

bool PsiChains::are_written_together(Reg a, Reg b) const {
  if (is_new(a) || is_new(b) || is_merge(a) || is_merge(b)) return false;
  InstId at_a = uses_.definition(a), at_b = uses_.definition(b);
  if (!at_a || !at_b) return !at_a && !at_b;
  if (at_a == at_b) return true;
  return function_.inst(at_a).is_phi() && function_.inst(at_b).is_phi() &&
         uses_.block(at_a) == uses_.block(at_b);
}

// Adds the registers whose values are in the web's register where this one is written; false if there are too
// many.
bool PsiChains::push_left(Reg r) {
  auto push = [](std::vector<Reg>& list, Reg next) {
    if (std::ranges::find(list, next) == list.end()) list.push_back(next);
  };
  left_of_.assign(1, r);
  for (size_t i = 0; i < left_of_.size(); ++i) {
    if (i > kMaxContents || seen_.size() > kMaxContents) return false;
    Reg next = left_of_[i];
    for_each_link(next, [&](uint32_t l) {
      if (links_[l].reg() != next) return;
      if (l == chains_[links_[l].chain].first) {
        push(left_of_, chains_[outer_[links_[l].chain]].result);
      } else {
        push(seen_, links_[l - 1].reg());
      }
    });
  }
  return true;
}

// --- Changes --------------------------------------------------------------------------------------------

PsiChains::Added& PsiChains::add(Reg r) {
  if (added_.size() <= r.index() - num_old_regs_) added_.resize(r.index() - num_old_regs_ + 1);
  return added_[r.index() - num_old_regs_] = Added();
}

Reg PsiChains::copy(uint32_t l, Point point, Point read, Term written_where) {
  Link& link = links_[l];
  Type type = function_.type(link.source);
  auto spare = std::ranges::find(spare_, type, [&](Reg r) { return function_.type(r); });
  Reg copy = spare != spare_.end() ? *spare : like(function_, link.source);
  if (spare != spare_.end()) spare_.erase(spare);
  bool is_first = l == chains_[link.chain].first;
  Added& made = add(copy);
  made.point = point;
  made.link = l;
  made.written = GuardUnion(written_where);
  made.needed = is_first ? written_where : guards_.term(link.guard);
  made.value = copied(link.source, written_where);
  link.copy = copy;
  link.copy_point = point;
  link.read_point = read;
  return copy;
}

void PsiChains::undo_copy(uint32_t l) {
  if (!links_[l].copy) return;
  spare_.push_back(links_[l].copy);
  links_[l].copy = Reg();
}

void PsiChains::update_top(uint32_t c) {
  Chain& chain = chains_[c];
  if (chain.count > 0) chain.top = top(links_[chain.first].reg());
}

Reg PsiChains::split_result(uint32_t c, Point point) {
  Chain& chain = chains_[c];
  Reg old = chain.result;
  chain.result = like(function_, old);
  Added& made = add(chain.result);
  made.point = points_.of(chain.psi);
  made.chain = c;
  made.forwarded = point;
  made.written = chain.written;
  made.needed = chain.written.term();
  made.value = values_[old.index()];
  chain_of_[old.index()] = kNone;
  moved_.emplace(old, point);
  return chain.result;
}

std::optional<Point> PsiChains::forwarded(Reg r) const {
  if (!is_new(r) || added(r).chain == kNone) return std::nullopt;
  return added(r).forwarded;
}

void PsiChains::write_psis() {
  for (const Chain& chain : chains_) {
    function_.inst(chain.psi).results[0] = chain.result;
    uint32_t l = chain.first;
    for (MutablePsiArgument argument : mutable_psi_arguments(function_, chain.psi)) {
      if (!argument.value.is_reg()) continue;
      argument.guard = links_[l].guard.as_operand();
      argument.value = Operand::reg(links_[l].reg());
      ++l;
    }
  }
}

}  // namespace psi::live
