// Selection block by block. Forwards, each instruction gets the cheapest pattern that covers it, by the costs
// of what its operands cost in turn: dynamic programming over trees, where a value with several readers is a
// tree of its own. Backwards, patterns are taken where their values are wanted, and what they cover is not.
//
// Covering more is never dearer in words; of equal costs the shorter chain of latencies wins, then the order
// of the description. The pattern of a load or store may also provide a value that the program computes from
// the same operands nearby, as post-increments do.
#include "psi/select/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "psi/ir/views.h"
#include "psi/text/text.h"
#include "select/matcher.h"
#include "select/prepare.h"

namespace psi {
namespace {

using select::Matcher;
using select::Pattern;
using select::PatternNode;
using select::RootKey;
using select::Values;

constexpr uint32_t kImpossible = 1u << 20;  // words

struct Cost {
  uint32_t words = kImpossible;
  uint32_t height = 0;
  bool operator<(const Cost& other) const {
    return words != other.words ? words < other.words : height < other.height;
  }
};

struct Choice {
  static constexpr uint32_t kStays = UINT32_MAX;          // generic
  static constexpr uint32_t kUncovered = UINT32_MAX - 1;  // for others to cover
  uint32_t pattern = kStays;
  Cost cost;
  uint32_t match = 0;  // in matches_
};

class Selector {
 public:
  Selector(const Module& module, Function& function, const SelectionPatterns::Tables& tables,
           const SelectionOptions& options)
      : module_(module), function_(function), tables_(tables), options_(options), set_(tables.set()) {}

  Result<void> run() {
    select::prepare(function_, tables_);
    values_.emplace(function_, tables_);
    choices_.assign(function_.num_insts(), {});
    demand_.assign(function_.num_regs(), false);
    provider_.assign(function_.num_insts(), InstId());
    for (BlockId b : function_.layout()) choose(b);
    function_.instruction_set = tables_.description().instructions;
    for (BlockId b : function_.layout()) emit(b);
    if (failures_.has_errors()) return failures_;
    if (options_.counters) {
      options_.counters->add("instructions selected", num_selected_);
      options_.counters->add("instructions covered by others", num_covered_);
      options_.counters->add("literals loaded", num_literals_);
    }
    return {};
  }

 private:
  // What phis, psis, moves, freezes and slots read is read as it is.
  static bool stays_generic(const Inst& inst) {
    switch (inst.op) {
      case Opcode::Phi:
      case Opcode::Mov:
      case Opcode::Freeze:
      case Opcode::Slot:
      case Opcode::Unreachable:
        return true;
      default:
        return inst.is_machine();
    }
  }

  bool is_free(const Inst& inst) const {
    return inst.format() == Format::Convert && tables_.is_free(inst.op, inst.from(), inst.type);
  }

  // --- Costs
  // ------------------------------------------------------------------------------------------------

  Cost cost_of(Operand operand, const MachineOperand& wanted) {
    if (operand.is_literal()) {
      for (const LiteralAlternative& wired : wanted.literals) {
        if (wired.holds(function_.literal_bits(operand), operand.literal_type())) return {0, 0};
      }
      return {literal_words(operand), 1};
    }
    if (operand.is_symbol()) return {address_words(), 1};
    if (!operand.is_reg()) return {0, 0};
    InstId id = values_->definition(operand);
    if (!id) return {0, 0};
    const Choice& choice = choices_[id.index()];
    // What others read as well is not this reader's to pay.
    bool is_own = values_->has_one_use(operand.reg()) && !values_->is_read_elsewhere(operand.reg());
    if (choice.pattern == Choice::kStays) return {0, choice.cost.height};
    if (choice.pattern == Choice::kUncovered) return {kImpossible, 0};
    return {is_own ? choice.cost.words : 0, choice.cost.height};
  }

  uint32_t literal_words(Operand literal) {
    uint32_t index = literal_pattern(literal);
    if (index == Choice::kStays) return 2;  // a sequence of the description's
    const Pattern& pattern = tables_.patterns()[index];
    return pattern.words + extra_words(set_.form(pattern.form).operands[0], literal, false);
  }

  uint32_t extra_words(const MachineOperand& operand, Operand literal, bool guarded) const {
    if (literal.is_symbol()) return operand.literals.empty() ? 0 : operand.literals[0].extra_words;
    for (const LiteralAlternative& each : guarded ? operand.guarded_literals : operand.literals) {
      if (each.holds(function_.literal_bits(literal), literal.literal_type())) return each.extra_words;
    }
    return 0;
  }

  // The cheapest form that loads a literal.
  uint32_t literal_pattern(Operand literal) const {
    uint32_t best = Choice::kStays, least = UINT32_MAX;
    for (uint32_t index : tables_.constants()) {
      const Pattern& pattern = tables_.patterns()[index];
      const MachineForm& form = set_.form(pattern.form);
      if (form.is_boundary || form.operands.size() != 1) continue;
      const MachineOperand& operand = form.operands[0];
      Type wanted = form.results[0].type;
      if (tables_.normal(wanted) != tables_.normal(literal.literal_type())) continue;
      if (tables_.normal(operand.type) != tables_.normal(wanted)) continue;
      for (const LiteralAlternative& each : operand.literals) {
        if (!each.holds(function_.literal_bits(literal), literal.literal_type())) continue;
        if (pattern.words + each.extra_words < least) {
          least = pattern.words + each.extra_words;
          best = index;
        }
        break;
      }
    }
    return best;
  }

  uint32_t address_words() const {
    if (tables_.addresses().empty()) return 1;
    const Pattern& pattern = tables_.patterns()[tables_.addresses().front()];
    return pattern.words +
           extra_words(set_.form(pattern.form).operands[0], Operand::symbol(SymbolId(0)), false);
  }

  // --- Choosing
  // ---------------------------------------------------------------------------------------------

  void choose(BlockId b) {
    values_->start(b);
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (!stays_generic(inst) && !is_free(inst)) choose(id);
      values_->pass(id);
    }
  }

  void choose(InstId id) {
    const Inst& inst = function_.inst(id);
    Choice& best = choices_[id.index()];
    if (inst.is_psi()) {
      PsiArguments arguments = psi_arguments(std::as_const(function_), id);
      bool is_select = arguments.size() == 2 && !arguments[0].guard.reads_reg() &&
                       arguments[1].guard.reads_reg() && values_->always_defined(arguments[0].value) &&
                       values_->always_defined(arguments[1].value);
      if (!is_select) return;
      Choice selected;
      try_all({Opcode::Select, tables_.normal(inst.type), 0, 0}, id, false, selected);
      // As a psi it costs a guarded copy, and whatever computes its guard.
      Cost stays = {can_guard_copies() ? 1u : kImpossible, 1};
      MachineOperand any;
      for (PsiArgument argument : arguments) {
        stays.words += cost_of(argument.value, any).words;
        if (argument.guard.reads_reg()) stays.words += cost_of(Operand(argument.guard.reg()), any).words;
      }
      if (selected.pattern != Choice::kStays && selected.cost.words < stays.words) best = selected;
      return;
    }
    RootKey key = tables_.key(inst);
    try_all(key, id, false, best);
    if (inst.op == Opcode::Cmp && swap_operands(inst.cond()) != inst.cond()) {
      key.kind_bits = static_cast<uint8_t>(swap_operands(inst.cond()));
      try_all(key, id, true, best);
    } else if (inst.op == Opcode::Cmp) {
      try_all(key, id, true, best);
    }
    // Others may cover it: a load under an extension.
    if (best.pattern == Choice::kStays) best.pattern = Choice::kUncovered;
  }

  std::string opcode_text(const Inst& inst) const {
    std::string text(info(inst.op).name);
    if (inst.op == Opcode::Cmp || inst.op == Opcode::Cmpp) text += fmt::format(".{}", cond_name(inst.cond()));
    if (inst.format() == Format::Convert) text += fmt::format(".{}", type_name(inst.from()));
    if (inst.type != Type::none) text += fmt::format(".{}", type_name(inst.type));
    return text;
  }

  bool can_guard_copies() const {
    return std::any_of(tables_.copies().begin(), tables_.copies().end(), [&](uint32_t index) {
      const MachineForm& form = set_.form(tables_.patterns()[index].form);
      return form.takes_guard && !form.is_boundary;
    });
  }

  void try_all(RootKey key, InstId id, bool swapped, Choice& best) {
    const Inst& inst = function_.inst(id);
    Matcher matcher(function_, tables_, *values_);
    Matcher::Match match;
    for (uint32_t index : tables_.find(key)) {
      const Pattern& pattern = tables_.patterns()[index];
      const MachineForm& form = set_.form(pattern.form);
      // Of an instruction with two results both must come from this root.
      if (inst.results[1] && !provides_both(pattern)) continue;
      if (inst.results[0] && pattern.roots[0].result < 0 && !form.variable_result) continue;
      if (pattern.words > best.cost.words) continue;
      if (!matcher.covers(pattern, id, swapped, match)) continue;
      Cost cost = {pattern.words, 0};
      bool guarded = inst.guard && form.takes_guard;
      for (size_t i = 0; i < form.operands.size(); ++i) {
        const MachineOperand& wanted = form.operands[i];
        Operand operand = match.operands[i];
        if (wanted.kind == MachineOperand::Kind::Register) {
          Cost of = cost_of(operand, wanted);
          cost.words += of.words;
          cost.height = std::max(cost.height, of.height);
        } else if (wanted.kind == MachineOperand::Kind::Literal ||
                   wanted.kind == MachineOperand::Kind::Symbol) {
          cost.words += extra_words(wanted, operand, guarded);
        }
      }
      cost.height += pattern.latency;
      // It saves an instruction that stands elsewhere.
      if (match.also) cost.words -= std::min(cost.words, 1u);
      if (!(cost < best.cost)) continue;
      best.cost = cost;
      best.pattern = index;
      if (best.match == 0) {
        matches_.emplace_back();
        best.match = static_cast<uint32_t>(matches_.size());
      }
      matches_[best.match - 1] = match;
    }
    if (best.pattern < Choice::kUncovered) {
      const Matcher::Match& chosen = matches_[best.match - 1];
      if (chosen.also && !provider_[chosen.also.index()]) provider_[chosen.also.index()] = id;
    }
  }

  bool provides_both(const Pattern& pattern) const {
    return pattern.num_roots >= 2 && pattern.roots[0].node == pattern.roots[1].node;
  }

  // --- Taking what is wanted, from the end of each block
  // ----------------------------------------------------

  void want(Operand operand) {
    if (operand.reads_reg()) demand_[operand.reg().index()] = true;
  }

  bool is_wanted(const Inst& inst) const {
    if (!inst.computes() && inst.effect() != Effect::Read) return true;
    if (inst.has_flag(Inst::kVolatile)) return true;
    for (Reg r : inst.results) {
      if (!r) continue;
      if (demand_[r.index()] || values_->is_read_elsewhere(r) || !values_->has_one_definition(r)) return true;
    }
    return false;
  }

  void emit(BlockId b) {
    const std::vector<InstId> ids(function_.insts(b).begin(), function_.insts(b).end());
    std::vector<bool> taken(ids.size());
    std::vector<bool> forced(ids.size());
    std::vector<bool> covered(ids.size());  // volatile loads that a taken instruction does
    std::unordered_map<uint32_t, size_t> places;
    for (size_t i = 0; i < ids.size(); ++i) places[ids[i].index()] = i;
    for (size_t i = ids.size(); i-- > 0;) {
      const Inst& inst = function_.inst(ids[i]);
      const Choice& choice = choices_[ids[i].index()];
      bool is_done = covered[i] && !demand_[inst.results[0].index()];
      if (is_done || (!forced[i] && !is_wanted(inst))) {
        if (!stays_generic(inst)) ++num_covered_;
        // A dead phi or move is for others to remove.
        if (!stays_generic(inst) && !inst.is_psi()) continue;
      }
      if (InstId provider = provided_by(ids[i])) {
        auto place = places.find(provider.index());
        if (place != places.end()) {
          forced[place->second] = true;
          // One that stands behind has been passed already.
          if (place->second < i || taken[place->second]) continue;
        }
      }
      if (choice.pattern == Choice::kUncovered) {
        fail(ids[i]);
        continue;
      }
      taken[i] = true;
      if (inst.guard) want(inst.guard.as_operand());
      if (choice.pattern == Choice::kStays) {
        for (Operand operand : std::as_const(function_).operands(ids[i])) want(operand);
        continue;
      }
      const MachineForm& form = set_.form(tables_.patterns()[choice.pattern].form);
      const Matcher::Match& match = matches_[choice.match - 1];
      for (size_t k = 0; k < form.operands.size(); ++k) want(match.operands[k]);
      if (match.load && function_.inst(match.load).has_flag(Inst::kVolatile)) {
        if (auto place = places.find(match.load.index()); place != places.end())
          covered[place->second] = true;
      }
      for (Operand operand : variable_operands(ids[i])) want(operand);
    }
    insts_.clear();
    loaded_.clear();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (taken[i]) emit_inst(ids[i], taken, places);
    }
    function_.set_insts(b, insts_);
  }

  void fail(InstId id) {
    const Inst& inst = function_.inst(id);
    std::string name = inst.op == Opcode::Br ? std::string("a branch") : opcode_text(inst);
    failures_.error({}, fmt::format("no instruction of {} covers {}: {}", set_.name(), name,
                                    print(module_, function_, id)));
  }

  // The instruction whose choice provides this one's value.
  InstId provided_by(InstId id) const {
    InstId provider = provider_[id.index()];
    if (!provider) return {};
    const Choice& choice = choices_[provider.index()];
    if (choice.pattern >= Choice::kUncovered || matches_[choice.match - 1].also != id) return {};
    return provider;
  }

  // The arguments of a call, or what a ret gives.
  std::span<const Operand> variable_operands(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (inst.op == Opcode::Call) return as_call(function_, id).arguments;
    if (inst.op == Opcode::Ret) return function_.operands(id);
    return {};
  }

  void emit_inst(InstId id, const std::vector<bool>& taken, std::unordered_map<uint32_t, size_t>& places) {
    const Inst inst = function_.inst(id);
    const Choice& choice = choices_[id.index()];
    if (choice.pattern == Choice::kStays) {
      if (is_free(inst)) return emit_bits(id);
      insts_.push_back(id);
      return;
    }
    ++num_selected_;
    const Pattern& pattern = tables_.patterns()[choice.pattern];
    const MachineForm& form = set_.form(pattern.form);
    const Matcher::Match match = matches_[choice.match - 1];
    Inst made;
    made.op = form.opcode();
    made.set_form(pattern.form);
    uint32_t flags = inst.flags | (match.load ? function_.inst(match.load).flags : 0u);
    made.flags = flags & Inst::kVolatile;
    const PatternNode& root = tables_.node(pattern, pattern.roots[0].node);
    bool takes = form.takes_guard && (!inst.guard.is_negated() || form.takes_negated_guard);
    if (inst.guard && !root.has_guard && takes) made.guard = inst.guard;
    operands_.clear();
    for (size_t k = 0; k < form.operands.size(); ++k) {
      operands_.push_back(in_register(match.operands[k], form.operands[k], id));
    }
    MachineOperand any;
    std::vector<Operand> rest(variable_operands(id).begin(), variable_operands(id).end());
    for (Operand operand : rest) operands_.push_back(in_register(operand, any, id));
    set_results(inst, pattern, form, match, made, taken, places);
    made.type = made.results[0] ? function_.type(made.results[0]) : Type::none;
    InstId added = function_.add_inst(made, operands_);
    function_.copy_place(id, added);
    std::vector<uint64_t> counts(function_.edge_counts(id).begin(), function_.edge_counts(id).end());
    if (!counts.empty()) function_.set_edge_counts(added, counts);
    insts_.push_back(added);
    remark(id, added);
  }

  void set_results(const Inst& inst, const Pattern& pattern, const MachineForm& form,
                   const Matcher::Match& match, Inst& made, const std::vector<bool>& taken,
                   std::unordered_map<uint32_t, size_t>& places) {
    if (form.variable_result && inst.results[0]) {
      made.results[form.results.size()] = inst.results[0];
    }
    for (size_t k = 0; k < pattern.num_roots; ++k) {
      int result = pattern.roots[k].result;
      if (result < 0) continue;
      Reg& to = made.results[static_cast<size_t>(result)];
      if (k == 0) {
        to = inst.results[0];
      } else if (pattern.roots[k].node == pattern.roots[0].node && inst.results[1]) {
        to = inst.results[1];
      } else if (match.also && match.also_result == result) {
        auto place = places.find(match.also.index());
        bool is_separate = place != places.end() && taken[place->second];
        if (!is_separate) to = function_.inst(match.also).results[0];
      }
    }
    for (size_t k = 0; k < form.results.size(); ++k) {
      if (!made.results[k]) made.results[k] = function_.add_reg(form.results[k].type);
    }
  }

  // A conversion that changes nothing, for a phi or another reader that wants its type.
  void emit_bits(InstId id) {
    const Inst inst = function_.inst(id);
    Operand from = std::as_const(function_).operands(id)[0];
    std::string name = fmt::format("bits.{}.{}", type_name(inst.from()), type_name(inst.type));
    std::span<const uint32_t> forms = set_.find(name);
    if (forms.empty() || !from.is_reg()) {
      insts_.push_back(id);
      return;
    }
    Inst made;
    made.op = set_.form(forms.front()).opcode();
    made.set_form(forms.front());
    made.results[0] = inst.results[0];
    made.type = inst.type;
    InstId added = function_.add_inst(made, {&from, 1});
    function_.copy_place(id, added);
    insts_.push_back(added);
  }

  // Literals and symbols that no immediate takes are loaded once in a block.
  Operand in_register(Operand operand, const MachineOperand& wanted, InstId reader) {
    bool is_immediate = wanted.kind != MachineOperand::Kind::Register;
    if (is_immediate || !(operand.is_literal() || operand.is_symbol())) return operand;
    if (operand.is_literal()) {
      for (const LiteralAlternative& wired : wanted.literals) {
        if (wired.holds(function_.literal_bits(operand), operand.literal_type())) return operand;
      }
    }
    auto [known, is_new] = loaded_.try_emplace(operand.raw(), Reg());
    if (!is_new) return known->second;
    Type type = operand.is_symbol() ? Type::ptr : operand.literal_type();
    Reg result = function_.add_reg(type);
    known->second = result;
    ++num_literals_;
    uint32_t index = operand.is_literal()          ? literal_pattern(operand)
                     : tables_.addresses().empty() ? Choice::kStays
                                                   : tables_.addresses().front();
    Inst made;
    made.results[0] = result;
    made.type = type;
    if (index == Choice::kStays) {
      // A sequence of the description's, once registers are known.
      made.op = Opcode::Mov;
    } else {
      uint32_t form = tables_.patterns()[index].form;
      made.op = set_.form(form).opcode();
      made.set_form(form);
    }
    InstId added = function_.add_inst(made, {&operand, 1});
    function_.copy_place(reader, added);
    insts_.push_back(added);
    return result;
  }

  void remark(InstId from, InstId to) {
    if (!options_.remarks) return;
    options_.remarks->done(function_, from, fmt::format("{}", print(module_, function_, to)));
  }

  const Module& module_;
  Function& function_;
  const SelectionPatterns::Tables& tables_;
  const SelectionOptions& options_;
  const InstructionSet& set_;
  std::optional<Values> values_;
  std::vector<Choice> choices_;  // by InstId
  std::vector<Matcher::Match> matches_;
  std::vector<bool> demand_;      // by Reg: an instruction that was taken reads it
  std::vector<InstId> provider_;  // by InstId: what may provide its value
  std::vector<InstId> insts_;
  std::vector<Operand> operands_;
  std::unordered_map<uint32_t, Reg> loaded_;  // in this block, by the operand's bits
  Diagnostics failures_;
  uint64_t num_selected_ = 0, num_covered_ = 0, num_literals_ = 0;
};

}  // namespace

Result<void> select_instructions(const Module& module, Function& function, Analyses& analyses,
                                 const SelectionPatterns& patterns, const SelectionOptions& options) {
  if (function.instruction_set) return {};
  Function selected = function;
  Result<void> result = Selector(module, selected, patterns.tables(), options).run();
  if (!result) return result;
  function = std::move(selected);
  analyses.drop(Keeps::Nothing);
  return result;
}

void select_instructions(PassContext& context) {
  const Target& target = context.target();
  if (!target.description) {
    return context.refuse(fmt::format("{} has no instructions in its description", target.name));
  }
  const auto& patterns = target.description->derived.get<SelectionPatterns>(*target.description);
  Result<void> result = select_instructions(context.module, context.function, context.analyses, patterns,
                                            {context.remarks, &context.counters});
  for (const Diagnostic& each : result.diagnostics().all()) context.refuse(each.message);
}

}  // namespace psi
