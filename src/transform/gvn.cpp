// Replaces computations by registers that hold their value already.
//
//     %a = add %x, %y           %a = add %x, %y
//     store %a, %p              store %a, %p
//     %b = add %y, %x    ==>    ... %a for %b, %a for %c
//     %c = load %p
//
// A walk down the dominator tree with a table of the expressions above (P. Briggs, K. Cooper, L. Simpson,
// "Value Numbering", Software: Practice and Experience 27(6), 1997), which along the way learns from branches
// what is equal below them, and finds the values of loads in memory (gvn_loads.h). Before it, with
// scope=global, what is equal around loops is found by partition (value_numbering.cpp).
//
// Guards: y may be replaced by an equal x only if the domain of x contains that of y. Where it does not, y
// counts as another value, and may in turn replace what x could not: so what holds for an expression over y,
// where only x is known, is never mixed up.
//
// Requires: SSA form. Ensures: the same form; volatile accesses, calls with effects, slots and freezes stay.
// Near-linear: a load looks at a bounded number of accesses, an expression at a bounded number of equal ones.
#include <algorithm>
#include <array>
#include <utility>

#include "psi/alias.h"
#include "psi/evaluate.h"
#include "psi/text.h"
#include "psi/transform.h"
#include "psi/value_numbering.h"
#include "transform/gvn_loads.h"
#include "transform/gvn_values.h"
#include "transform/terminators.h"
#include "transform/value_keys.h"
#include "transform/value_removal.h"
#include "transform/value_table.h"
#include "transform/value_walk.h"

namespace psi {
namespace transform {
namespace {

struct GvnOptions {
  bool loads = true;
  bool branches = true;
  bool guards = true;
};

class GvnWalk {
 public:
  // `numbers`: what is known to be equal besides, or null.
  GvnWalk(PassContext& context, const GvnOptions& options, const ValueNumbering* numbers)
      : context_(context),
        options_(options),
        numbers_(numbers),
        function_(context.function),
        analyses_(context.analyses),
        guards_(function_, analyses_),
        values_(function_, analyses_, guards_),
        alias_(context.module, function_, analyses_.uses(), analyses_.order()),
        loads_(context.module, function_, analyses_, guards_, alias_, values_),
        keys_(function_, &alias_),
        table_(function_.num_insts() / 4),
        is_dead_(function_.num_insts()) {}

  // True if something changed.
  bool run() {
    walk();
    bool changed = changed_ || !values_.substitution().empty();
    finish();
    return changed;
  }

 private:
  void walk() {
    struct Scope {
      size_t table;
      size_t values;
    };
    std::vector<Scope> scopes;
    walk_dominators(
        function_, analyses_,
        [&](BlockId b) {
          scopes.push_back({table_.mark(), values_.mark()});
          visit(b);
        },
        [&] {
          table_.forget_to(scopes.back().table);
          values_.forget_to(scopes.back().values);
          scopes.pop_back();
        });
  }

  void visit(BlockId b) {
    std::span<const BlockId> predecessors = analyses_.cfg().predecessors(b);
    if (options_.branches && predecessors.size() == 1) values_.take_edge(predecessors[0], b);
    for (InstId id : function_.insts(b)) visit(id);
    if (options_.branches) tell_phis(b);
  }

  // What phis behind the block read from it.
  void tell_phis(BlockId b) {
    constexpr size_t kMaxOperands = 64;
    std::span<const BlockId> successors = analyses_.cfg().successors(b);
    if (successors.size() == 1 && values_.mark() == 0) return;
    for (BlockId to : successors) {
      if (function_.insts(to).empty() || !function_.inst(function_.insts(to)[0]).is_phi()) continue;
      size_t mark = values_.mark();
      if (successors.size() <= 16 && std::ranges::count(successors, to) == 1) values_.take_edge(b, to);
      for (InstId id : function_.insts(to)) {
        if (!function_.inst(id).is_phi() || function_.inst(id).count > kMaxOperands) break;
        std::span<Operand> pairs = function_.operands(id);
        for (size_t i = 0; i < pairs.size(); i += 2) {
          if (pairs[i].block() == b) rewrite(pairs[i + 1]);
        }
      }
      values_.forget_to(mark);
    }
  }

  void rewrite(Operand& operand) {
    if (!operand.reads_reg()) return;
    Operand by = values_.here(operand);
    if (by == operand) return;
    // Where it is replaced everywhere, that is what changes the function.
    changed_ |= by != values_.everywhere(operand);
    operand = by;
  }

  void visit(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.is_phi()) return visit_phi(id);
    if (inst.is_psi()) {
      if (!rewrite_psi(id)) return;
    } else if (!rewrite_operands(id)) {
      return;
    }
    alias_.update(id);
    if (!inst.results[0] || inst.op == Opcode::Slot) return;
    if (inst.op == Opcode::Load) {
      if (!options_.loads) return;
      Operand value = loads_.find(id);
      if (!value.is_none()) return replace(id, inst.results[0], value, loads_replaced_);
      // It may have become a conversion.
      if (function_.inst(id).op == Opcode::Load) return;
      changed_ = true;
      ++loads_replaced_;
    }
    if (inst.op == Opcode::Call) return visit_call(id);
    if (info(inst.op).effect != Effect::Pure && info(inst.op).effect != Effect::Trap) return;
    number(id);
  }

  // False if the instruction is never executed.
  bool rewrite_operands(InstId id) {
    Inst& inst = function_.inst(id);
    if (inst.guard) {
      Operand guard = values_.here(inst.guard.as_operand());
      if (guard.is_literal()) {
        bool is_true = function_.literal_bits(guard) != 0;
        if (!is_true && inst.is_terminator()) return true;
        changed_ = true;
        if (!is_true) {
          drop(id);
          return false;
        }
        inst.guard = Guard();
      } else if (guard.reads_reg()) {
        inst.guard = Guard(guard);
      }
    }
    std::span<Operand> operands = function_.operands(id);
    size_t mark = values_.mark();
    if (options_.guards && inst.guard && !inst.is_terminator()) {
      values_.assume(Operand::reg(inst.guard.reg()), !inst.guard.is_negated());
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      // A call through a register stays one.
      if (i == 0 && inst.op == Opcode::Call && !values_.here(operands[0]).is_reg()) continue;
      rewrite(operands[i]);
    }
    values_.forget_to(mark);
    return inst.op != Opcode::Cmpp || !resolve_targets(id);
  }

  // With a false input each target of a cmpp keeps what it had, or becomes false.
  bool resolve_targets(InstId id) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (!operands[2].is_literal() || function_.literal_bits(operands[2]) != 0) return false;
    size_t old = 3;
    for (int target = 0; target < 2; ++target) {
      Reg result = inst.results[static_cast<size_t>(target)];
      if (!result) continue;
      bool keeps = is_partial(inst.action(target));
      values_.replace(result, keeps ? operands[old++] : function_.literal(Type::i1, uint64_t{0}));
      ++replaced_;
    }
    return true;
  }

  void drop(InstId id) {
    is_dead_[id.index()] = 1;
    for (Reg result : function_.inst(id).results) {
      if (result) values_.replace(result, Operand::undef(function_.type(result)));
    }
    ++never_executed_;
  }

  // False if the psi is replaced.
  bool rewrite_psi(InstId id) {
    Reg result = function_.inst(id).results[0];
    std::span<const Operand> pairs = std::as_const(function_).operands(id);
    pairs_.clear();
    for (size_t i = 0; i < pairs.size(); i += 2) {
      Operand guard = pairs[i] == Operand::always() ? pairs[i] : values_.here(pairs[i]);
      if (guard.is_undef()) guard = pairs[i];
      if (guard.is_literal() && guard != Operand::always()) {
        changed_ = true;
        if (function_.literal_bits(guard) == 0) continue;
        guard = Operand::always();
      }
      if (guard == Operand::always()) pairs_.clear();
      pairs_.insert(pairs_.end(), {guard, values_.here(pairs[i + 1])});
    }
    if (pairs_.empty()) pairs_.assign({Operand::always(), Operand::undef(function_.type(result))});
    if (!std::ranges::equal(pairs_, pairs)) {
      changed_ = true;
      function_.set_operands(id, pairs_);
    }
    for (size_t i = 3; i < pairs_.size(); i += 2) {
      if (pairs_[i] != pairs_[1]) return true;
    }
    if (!values_.may_replace(result, pairs_[1])) return true;
    replace(id, result, pairs_[1], replaced_);
    return false;
  }

  void visit_phi(InstId id) {
    Reg result = function_.inst(id).results[0];
    std::span<const Operand> pairs = std::as_const(function_).operands(id);
    BlockId b = analyses_.uses().block(id);
    Operand common;
    bool has_undef = false, differs = false;
    for (size_t i = 1; i < pairs.size() && !differs; i += 2) {
      Operand value = values_.everywhere(pairs[i]);
      if (value == Operand::reg(result)) continue;
      if (value.is_undef()) {
        has_undef = true;
        continue;
      }
      differs = !common.is_none() && common != value;
      common = value;
    }
    if (!differs) {
      if (common.is_none()) common = Operand::undef(function_.type(result));
      bool fits = !common.is_reg() || !has_undef ||
                  analyses_.dominators().strictly_dominates(values_.block_of(common.reg()), b);
      if (fits && values_.may_replace(result, common)) return replace(id, result, common, replaced_);
    }
    if (find_number(id, result)) return;
    words_.assign({static_cast<uint32_t>(Opcode::Phi), b.index(), static_cast<uint32_t>(pairs.size())});
    for (Operand operand : pairs) words_.push_back(values_.everywhere(operand).raw());
    find_or_add(id, result, words_, false);
  }

  void visit_call(InstId id) {
    FunctionAttributes attributes = promises(context_.module, function_, id);
    if (attributes.readnone) return number(id);
    if (!attributes.readonly || !options_.loads) return;
    Operand value = loads_.find_call(id);
    if (!value.is_none()) replace(id, function_.inst(id).results[0], value, calls_replaced_);
  }

  // What an instruction without effects computes.
  void number(InstId id) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    Reg result = inst.results[0];
    if (inst.op == Opcode::Mov && values_.may_replace(result, operands[0])) {
      return replace(id, result, operands[0], replaced_);
    }
    if (Operand value = fold(id); !value.is_none()) return replace(id, result, value, folded_);
    if (inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex) {
      Address address = alias_.address(Operand::reg(result));
      if (address.index.is_none() && address.offset == 0 && values_.may_replace(result, address.base)) {
        return replace(id, result, address.base, replaced_);
      }
    }
    if (find_number(id, result)) return;
    for (int target = 0; target < 2 && inst.results[static_cast<size_t>(target)]; ++target) {
      if (!keys_.make(id, operands, target)) return;
      find_or_add(id, inst.results[static_cast<size_t>(target)], keys_.words(), keys_.is_complement());
    }
  }

  Operand fold(InstId id) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (operands.size() > 3 || inst.num_results() != 1) return {};
    std::array<Value, 3> inputs;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].is_undef()) {
        inputs[i].undef = true;
      } else if (operands[i].is_literal()) {
        inputs[i].bits = function_.literal_bits(operands[i]);
      } else {
        return {};
      }
    }
    std::optional<Value> value = evaluate(inst, std::span(inputs).first(operands.size()));
    if (!value) return {};
    Type type = function_.type(inst.results[0]);
    return value->undef ? Operand::undef(type) : function_.literal(type, value->bits);
  }

  // Is it equal around a loop to something that comes before?
  bool find_number(InstId id, Reg result) {
    if (!numbers_) return false;
    Operand number = numbers_->number(result);
    if (!number.is_reg()) {
      replace(id, result, number, replaced_);
    } else if (numbers_->is_shared(result)) {
      std::array key{UINT32_MAX, number.raw()};
      find_or_add(id, result, key, false);
    }
    return values_.substitution().replaces(result);
  }

  // An entry of the table is a register, or its complement if that is what the key says.
  void find_or_add(InstId id, Reg result, std::span<const uint32_t> key, bool is_complement) {
    Operand refused;
    Operand found = table_.find(key, [&](Operand value) {
      if (value.is_negated() != is_complement) return false;
      if (values_.may_replace(result, Operand::reg(value.reg()))) return true;
      refused = value;
      return false;
    });
    if (!found.is_none()) return replace(id, result, values_.here(Operand::reg(found.reg())), replaced_);
    found = table_.find(key, [&](Operand value) { return values_.here(value).is_literal(); });
    if (!found.is_none()) {
      Operand literal = values_.here(found);
      if (is_complement) literal = function_.literal(Type::i1, function_.literal_bits(literal) ^ 1);
      return replace(id, result, literal, replaced_);
    }
    if (!refused.is_none()) refuse(id, refused.reg());
    table_.add(key, Operand::predicate(result, is_complement));
  }

  void replace(InstId id, Reg result, Operand by, uint64_t& count) {
    if (context_.remarks) {
      context_.remarks->done(function_, id, "replaced by " + written(by));
    }
    values_.replace(result, by);
    ++count;
  }

  void refuse(InstId id, Reg equal) {
    if (!context_.remarks) return;
    context_.remarks->refused(function_, id,
                              written(Operand::reg(equal)) + " is equal, but not defined wherever this is");
  }

  std::string written(Operand operand) {
    if (operand.is_reg()) {
      std::string_view name = function_.name(operand.reg());
      return "%" + (name.empty() ? std::to_string(operand.reg().index()) : std::string(name));
    }
    if (operand.is_undef()) return "undef";
    if (operand.is_symbol()) return "$" + std::string(context_.module.name(operand.symbol()));
    return std::to_string(function_.literal_signed(operand));
  }

  void finish() {
    if (!changed_ && values_.substitution().empty()) return;
    loads_.insert();
    Counters& counters = context_.counters;
    values_.substitution().apply(analyses_, counters);
    if (values_.substitution().empty()) fold_branches();
    remove_replaced(function_, values_.substitution(), is_dead_);
    analyses_.drop(Keeps::ControlFlow);
    auto count = [&](std::string_view name, uint64_t amount) {
      if (amount) counters.add(name, amount);
    };
    count("values replaced", replaced_);
    count("values folded", folded_);
    count("loads replaced", loads_replaced_);
    count("calls replaced", calls_replaced_);
    count("phis added", loads_.num_phis());
    count("loads added", loads_.num_loads());
    count("instructions never executed removed", never_executed_);
  }

  void fold_branches() {
    TerminatorFolding terminators(function_);
    bool folded = false;
    for (BlockId b : function_.layout()) folded |= terminators.fold(b);
    analyses_.drop(folded ? Keeps::Nothing : Keeps::ControlFlow);
    if (folded) dce_unreachable(function_, analyses_, context_.counters);
    if (folded) analyses_.drop(Keeps::Nothing);
  }

  PassContext& context_;
  GvnOptions options_;
  const ValueNumbering* numbers_;
  Function& function_;
  Analyses& analyses_;
  GuardFacts guards_;
  GvnValues values_;
  Alias alias_;
  GvnLoads loads_;
  ValueKeys keys_;
  ValueTable table_;
  std::vector<uint8_t> is_dead_;  // by InstId: never executed
  std::vector<Operand> pairs_;
  std::vector<uint32_t> words_;
  bool changed_ = false;
  uint64_t replaced_ = 0, folded_ = 0, loads_replaced_ = 0, calls_replaced_ = 0, never_executed_ = 0;
};

}  // namespace
}  // namespace transform

std::vector<PassOption> gvn_options() {
  return {{"scope", {"global", "dominator"}, "what is equal: also around loops, or what comes before alone"},
          {"loads", {"on", "off"}, "look for values in memory"},
          {"branches", {"on", "off"}, "use what branches say below them"},
          {"guards", {"on", "off"}, "use what guards say of the operands of their instructions"}};
}

void gvn(PassContext& context) {
  constexpr int kMaxRounds = 2;
  size_t blocks = context.function.layout().size();
  dce_unreachable(context.function, context.analyses, context.counters);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  transform::GvnOptions options{context.arguments["loads"] == "on", context.arguments["branches"] == "on",
                                context.arguments["guards"] == "on"};
  // The second one knows what was equal behind back edges.
  for (int round = 0; round < kMaxRounds; ++round) {
    std::optional<ValueNumbering> numbers;
    if (round == 0 && context.arguments["scope"] == "global") {
      numbers.emplace(context.function, context.analyses);
    }
    if (!transform::GvnWalk(context, options, numbers ? &*numbers : nullptr).run()) break;
  }
}

}  // namespace psi
