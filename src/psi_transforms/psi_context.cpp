#include "psi_transforms/psi_context.h"

#include <algorithm>
#include <array>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi_transforms/unread.h"

namespace psi::psi_transforms {
PsiContext::PsiContext(const Module& module, Function& function, Analyses& analyses, Counters& counters,
                       Remarks* remarks, const PsiTransformOptions& options)
    : module_(module),
      function_(function),
      counters_(counters),
      remarks_(remarks),
      options_(options),
      dominators_(analyses.get<Dominators>()),
      uses_(analyses.get<Uses>()),
      facts_(analyses.get<GuardFacts>()),
      defined_(function, analyses),
      num_regs_(function.num_regs()),
      calls_(function.num_insts()),
      names_(1) {
  for (BlockId b : blocks()) {
    uint32_t calls = 0;
    for (InstId id : function.insts(b)) {
      calls_[id.index()] = calls;
      calls += function.inst(id).op == Opcode::Call;
    }
  }
}

// --- Psis -----------------------------------------------------------------------------------------------

std::span<const InstId> PsiContext::psis_in(BlockId b) {
  psis_.clear();
  for (InstId id : function_.insts(b)) {
    if (function_.inst(id).is_psi()) psis_.push_back(id);
  }
  return psis_;
}

void PsiContext::load(InstId psi, std::vector<Argument>& arguments) {
  arguments.clear();
  for (auto [guard, value] : psi_arguments(function_, psi)) arguments.push_back({guard, value, term(guard)});
}

void PsiContext::store(InstId psi, std::span<const Argument> arguments) {
  pairs_.clear();
  for (const Argument& argument : arguments) add_psi_argument(pairs_, argument.guard, argument.value);
  function_.set_operands(psi, pairs_);
}

InstId PsiContext::psi_of(Operand value) const {
  if (!value.is_reg() || value.reg().index() >= num_regs_) return {};
  InstId id = uses_.definition(value.reg());
  return id && function_.inst(id).is_psi() ? id : InstId();
}

// --- Places ---------------------------------------------------------------------------------------------

const PsiContext::Made* PsiContext::made(Operand operand) const {
  if (!operand.reads_reg() || operand.reg().index() < num_regs_) return nullptr;
  return &made_[operand.reg().index() - num_regs_];
}

bool PsiContext::is_available(Operand value, InstId at) const {
  if (!value.reads_reg()) return true;
  InstId id;
  if (const Made* known = made(value)) {
    if (known->anchor == at) return !known->is_behind;
    id = known->anchor;
  } else {
    id = uses_.definition(value.reg());
    if (!id) return uses_.is_param(value.reg());
  }
  BlockId above = uses_.block(id), below = uses_.block(at);
  if (above == below) return uses_.position(id) < uses_.position(at);
  return dominators_.dominates(above, below);
}

bool PsiContext::is_above(Reg a, Reg b) const {
  InstId first = uses_.definition(a), second = uses_.definition(b);
  if (!first || !second) return !first && second;
  BlockId above = uses_.block(first), below = uses_.block(second);
  if (above == below) return uses_.position(first) < uses_.position(second);
  return dominators_.dominates(above, below);
}

// --- New instructions -----------------------------------------------------------------------------------

Reg PsiContext::make(Opcode op, std::initializer_list<Operand> operands, InstId psi, Term term) {
  Inst inst;
  inst.op = op;
  inst.type = Type::i1;
  inst.results[0] = function_.add_reg(Type::i1);
  insertions_.push_back({psi, false, function_.add_inst(inst, std::span(operands.begin(), operands.size()))});
  made_.push_back({psi, false, term, Term::always()});
  add_name(term, Operand::reg(inst.results[0]));
  add_name(!term, Operand::not_reg(inst.results[0]));
  return inst.results[0];
}

// `and` is false where one operand is, even if the other is undef.
Operand PsiContext::materialise(Operand a, Operand b, InstId psi) {
  if (!has_names_) find_names();
  Term of_a = term(a);
  Term both_terms = both(of_a, term(b));
  auto as_value = [&](Operand guard) {
    if (!guard.is_negated()) return guard;
    return Operand::reg(make(Opcode::Not, {Operand::reg(guard.reg())}, psi, term(guard)));
  };
  Operand first = as_value(a), second = as_value(b);
  count("predicates materialised");
  return Operand::reg(make(Opcode::And, {first, second}, psi, both_terms));
}

Reg PsiContext::add_psi(InstId psi, std::span<const Argument> arguments) {
  Inst inst;
  inst.op = Opcode::Psi;
  inst.type = function_.inst(psi).type;
  Reg old = function_.inst(psi).results[0];
  inst.results[0] = function_.add_reg(inst.type, function_.name(old));
  Term domain = Term::never();
  for (const Argument& argument : arguments) {
    domain = either(domain, both(argument.term, this->domain(argument.value)));
  }
  pairs_.clear();
  for (const Argument& argument : arguments) add_psi_argument(pairs_, argument.guard, argument.value);
  InstId id = function_.add_inst(inst, pairs_);
  function_.copy_place(psi, id);
  insertions_.push_back({psi, true, id});
  made_.push_back({psi, true, Term::always(), domain});
  return inst.results[0];
}

void PsiContext::apply() {
  struct Edit {
    BlockId block;
    uint32_t position;  // in front of which
    InstId inst;        // none: remove; in creation order at one position
  };
  std::vector<Edit> edits;
  edits.reserve(insertions_.size() + removed_.size());
  for (const Insertion& insertion : insertions_) {
    uint32_t position = uses_.position(insertion.anchor) + (insertion.is_behind ? 1 : 0);
    edits.push_back({uses_.block(insertion.anchor), position, insertion.inst});
  }
  for (InstId id : removed_) edits.push_back({uses_.block(id), uses_.position(id), {}});
  std::ranges::sort(edits, {}, [](const Edit& edit) { return std::pair(edit.block, edit.inst); });
  BlockEdits block_edits;
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].inst) {
      block_edits.insert_before(edits[i].position, edits[i].inst);
    } else {
      block_edits.remove(edits[i].position);
    }
    if (i + 1 == edits.size() || edits[i + 1].block != edits[i].block) {
      block_edits.apply(function_, edits[i].block);
    }
  }
  insertions_.clear();
  removed_.clear();
}

// --- Of all ---------------------------------------------------------------------------------------------

OptionalPsiContext::OptionalPsiContext(PassContext& context, const PsiTransformOptions& options) {
  Function& function = context.function;
  auto is_psi = [&](InstId id) { return function.inst(id).is_psi(); };
  auto has_psi = [&](BlockId b) { return std::ranges::any_of(function.insts(b), is_psi); };
  if (std::ranges::none_of(function.layout(), has_psi)) return;
  context_.emplace(context.module, function, context.analyses, context.counters, context.remarks, options);
}

void remove_unread_psis(PsiContext& context) {
  Function& function = context.function();
  Unread unread(function, context.blocks());
  uint64_t removed = unread.remove([&](InstId id) { return function.inst(id).is_psi(); });
  if (removed) context.count("psis removed", removed);
}

}  // namespace psi::psi_transforms
