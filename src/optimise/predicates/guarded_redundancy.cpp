// Merges equal computations under two guards into one, under a guard that contains both.
//
//     %p, %q = cmpp.un.uc.lt %a, %b if %r       %p, %q = cmpp.un.uc.lt %a, %b if %r
//     %p ? %x = add %a, 1                       %r ? %x = add %a, 1
//     %q ? %y = add %a, 1                ==>    ... %x for %y
//
// If the domain of the earlier one contains that of the later one, nothing needs to change; gvn finds that,
// too. If not, the earlier one gets a guard that contains both, if such a guard is defined above it and is
// not undef there (reading an undef guard is undefined behaviour). Without speculation the guard must be the
// exact union; with it, any larger guard or none suffices: only pure instructions are changed.
//
// Requires: SSA form. Ensures: the same form, blocks and order of instructions. Near-linear: an expression is
// compared with a bounded number of equal ones, under a bounded number of guards.
#include "psi/optimise/guarded_redundancy.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cfg/substitution.h"
#include "optimise/value_numbering/value_keys.h"
#include "optimise/value_numbering/value_table.h"
#include "optimise/value_numbering/value_walk.h"
#include "psi/analysis/defined.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"
#include "psi/predicate/guard_facts.h"

namespace psi {
namespace optimise {
namespace {

class GuardedRedundancy {
 public:
  GuardedRedundancy(PassContext& context, GuardFacts& guards)
      : context_(context),
        function_(context.function),
        analyses_(context.analyses),
        uses_(analyses_.get<Uses>()),
        guards_(guards),
        defined_(function_, analyses_),
        speculates_(context.arguments.flag("speculate")),
        substitution_(function_),
        keys_(function_),
        table_(function_.num_insts() / 4),
        domains_(function_.num_regs()),
        is_widened_(function_.num_regs()),
        calls_(function_.num_insts()) {}

  void run() {
    std::vector<size_t> scopes;
    walk_dominators(
        function_, analyses_,
        [&](BlockId b) {
          scopes.push_back(table_.mark());
          uint32_t calls = 0;
          for (InstId id : function_.insts(b)) {
            calls_[id.index()] = calls;
            calls += function_.inst(id).op == Opcode::Call;
            visit(id);
          }
        },
        [&] {
          table_.forget_to(scopes.back());
          scopes.pop_back();
        });
    if (removed_.empty()) return;
    substitution_.apply(analyses_, context_.counters);
    remove();
    if (contained_) context_.counters.add("computations found under a larger guard", contained_);
    if (merged_) context_.counters.add("computations merged under one guard", merged_);
  }

 private:
  Term domain(Reg r) {
    return is_widened_[r.index()] ? domains_[r.index()] : guards_.domain(Operand::reg(r));
  }

  void visit(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.is_phi()) return;
    for (Operand& operand : function_.operands(id)) {
      if (operand.is_reg()) operand = substitution_(operand);
    }
    if (inst.num_results() != 1 || !inst.is_pure() || inst.is_psi()) return;
    if (inst.is_copy() || !keys_.make(id, std::as_const(function_).operands(id))) return;
    Reg result = inst.results[0];
    Operand entry;
    Operand found = table_.find(keys_.words(), [&](Operand value) {
      if (value.is_negated() != keys_.is_complement()) return false;
      if (entry.is_none()) entry = value;
      return guards_.contains(domain(value.reg()), guards_.domain(Operand::reg(result)));
    });
    if (!found.is_none()) {
      ++contained_;
      return replace(id, found.reg());
    }
    if (!entry.is_none() && merge(uses_.definition(entry.reg()), id)) return replace(id, entry.reg());
    table_.add(keys_.words(), Operand::predicate(result, keys_.is_complement()));
  }

  void replace(InstId id, Reg by) {
    substitution_.set(function_.inst(id).results[0], Operand::reg(by));
    removed_.resize(function_.num_insts());
    removed_[id.index()] = 1;
    if (context_.remarks) context_.remarks->done(function_, id, "replaced by " + name(by));
  }

  // Gives the earlier of two equal instructions a guard under which it can replace the later one.
  bool merge(InstId first, InstId second) {
    Term one = domain(function_.inst(first).results[0]);
    Term other = guards_.guard(second);
    Guard wide = cover(first, second, one, other);
    bool covers = guards_.contains(term(wide), one) && guards_.contains(term(wide), other);
    if (!covers || (wide && !is_known_at(wide, first))) {
      refuse(first, second);
      return false;
    }
    Inst& inst = function_.inst(first);
    if (context_.remarks) {
      context_.remarks->done(function_, first,
                             "computed under " + name(wide) + " instead of " + name(inst.guard));
    }
    inst.guard = wide;
    Reg result = inst.results[0];
    is_widened_[result.index()] = 1;
    domains_[result.index()] = term(wide);
    ++merged_;
    return true;
  }

  // A guard that is true where one of the two is; that of the first instruction if there is none.
  Guard cover(InstId first, InstId second, Term one, Term other) {
    Guard none = function_.inst(first).guard;
    Term both = guards_.either(one, other);
    // Another block may be reached less often than this one.
    bool is_near = uses_.block(first) == uses_.block(second);
    if (!is_near && !speculates_) return none;
    if (guards_.contains(both, Term::always())) return Guard();
    candidates_.assign(1, function_.inst(second).guard);
    add_inputs(function_.inst(first).guard);
    for (size_t i = 0; i < candidates_.size(); ++i) {
      Guard guard = candidates_[i];
      Term wide = term(guard);
      bool fits = guards_.contains(wide, one) && guards_.contains(wide, other) && is_known_at(guard, first);
      if (fits && (speculates_ || guards_.contains(both, wide))) return guard;
      if (candidates_.size() < kMaxCandidates) add_inputs(guard);
    }
    return speculates_ ? Guard() : none;
  }

  // Adds the inputs of a predicate's definition, which contain it.
  void add_inputs(Guard guard) {
    if (!guard || guard.is_negated()) return;
    InstId id = uses_.definition(guard.reg());
    if (!id) return;
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (inst.op == Opcode::Cmpp) {
      Operand input = as_cmpp(operands).input;
      if (input.reads_reg()) candidates_.push_back(Guard(input));
    }
    if (inst.op == Opcode::And) {
      for (Operand operand : operands) {
        if (operand.is_reg()) candidates_.push_back(Guard(operand));
      }
    }
    if (inst.guard) candidates_.push_back(inst.guard);
  }

  Term term(Guard guard) { return guards_.term(guard); }

  // Is the guard's register defined above the instruction, and not undef there?
  bool is_known_at(Guard guard, InstId id) {
    BlockId b = uses_.block(id);
    if (InstId definition = uses_.definition(guard.reg())) {
      BlockId above = uses_.block(definition);
      if (above == b ? uses_.position(definition) >= uses_.position(id)
                     : !analyses_.get<Dominators>().dominates(above, b)) {
        return false;
      }
    }
    return guard == function_.inst(id).guard || defined_.at(guard.reg(), {b, calls_[id.index()]});
  }

  void refuse(InstId first, InstId second) {
    if (!context_.remarks) return;
    const Inst& one = function_.inst(first);
    context_.remarks->refused(function_, second,
                              "not replaced: this is defined under " + name(function_.inst(second).guard) +
                                  ", " + name(one.results[0]) + " only under " + name(one.guard));
  }

  std::string name(Reg r) const {
    std::string_view name = function_.name(r);
    return "%" + (name.empty() ? std::to_string(r.index()) : std::string(name));
  }
  std::string name(Guard guard) const {
    if (!guard) return "no guard";
    return (guard.is_negated() ? "!" : "") + name(guard.reg());
  }

  void remove() {
    std::vector<InstId> kept;
    for (BlockId b : function_.layout()) {
      kept.clear();
      std::ranges::copy_if(function_.insts(b), std::back_inserter(kept),
                           [&](InstId id) { return id.index() >= removed_.size() || !removed_[id.index()]; });
      if (kept.size() < function_.insts(b).size()) function_.set_insts(b, kept);
    }
  }

  static constexpr size_t kMaxCandidates = 8;

  PassContext& context_;
  Function& function_;
  Analyses& analyses_;
  const Uses& uses_;
  GuardFacts& guards_;
  Defined defined_;
  bool speculates_;
  cfg::Substitution substitution_;
  ValueKeys keys_;
  ValueTable table_;
  std::vector<Term> domains_;        // by Reg: of those whose guard has changed
  std::vector<uint8_t> is_widened_;  // by Reg
  std::vector<uint32_t> calls_;      // by InstId: how many come before it in its block
  std::vector<uint8_t> removed_;     // by InstId; empty: none
  std::vector<Guard> candidates_;
  uint64_t contained_ = 0, merged_ = 0;
};

}  // namespace
}  // namespace optimise

std::vector<PassOption> guarded_redundancy_options() {
  return {PassOption::flag("speculate", false, "compute also where neither of the two was executed")};
}

void guarded_redundancy(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context.function, context.analyses, context.counters);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  auto& guards = context.analyses.get<GuardFacts>();
  if (guards.any()) optimise::GuardedRedundancy(context, guards).run();
}

}  // namespace psi
