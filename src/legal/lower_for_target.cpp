// Each step makes one kind of instruction legal and may leave others for the steps behind it: cmpps become
// compares and logic, guards become selects, guarded moves or branches, and what is left gets its literals
// and addresses in registers.
#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <functional>
#include <span>
#include <utility>

#include "legal/rules.h"
#include "predication/reverse_if_convert/lower_cmpp.h"
#include "psi/legal/legal.h"
#include "psi/predication/reverse_if_convert.h"

namespace psi {
namespace {

class TargetLowering {
 public:
  TargetLowering(Function& function, const Target& target)
      : function_(function), target_(target), kept_guards_(target.guarded) {
    // What it may become must take the guard, too.
    if (!kept_guards_[static_cast<size_t>(Opcode::PtrAdd)]) {
      kept_guards_.reset(static_cast<size_t>(Opcode::PtrIndex));
    }
  }
  const std::bitset<kNumOpcodes>& kept_guards() const { return kept_guards_; }

  // What branches do not have to do. Are there guards that they have to?
  bool lower_predication() {
    rewrite(&TargetLowering::lower_cmpp);
    rewrite(&TargetLowering::lower_select);
    rewrite(&TargetLowering::lower_guard);
    return num_branches_ > 0;
  }
  void lower_operands() {
    rewrite(&TargetLowering::lower_complement);
    legal::AddressRules addresses(function_, target_);
    addresses_ = &addresses;
    rewrite(&TargetLowering::lower_address);
    rewrite(&TargetLowering::lower_literals);
  }

  void report(Counters& counters) const {
    auto add = [&](const char* name, uint64_t count) {
      if (count > 0) counters.add(name, count);
    };
    add("cmpps lowered for the target", num_cmpps_);
    add("selects lowered for the target", num_selects_);
    add("guards lowered for the target", num_guards_);
    add("complements lowered for the target", num_complements_);
    add("addresses lowered for the target", num_addresses_);
    add("literals lowered for the target", num_literals_);
  }

 private:
  // A step appends to `out_` what stands for an instruction: the instruction itself, if nothing is wrong with
  // it.
  using Step = void (TargetLowering::*)(InstId);
  void rewrite(Step step) {
    for (BlockId b : function_.layout()) {
      std::span<const InstId> before = function_.insts(b);
      insts_.assign(before.begin(), before.end());
      out_.clear();
      for (InstId id : insts_) (this->*step)(id);
      if (!std::ranges::equal(out_, insts_)) function_.set_insts(b, out_);
    }
  }

  // --- Cmpps, selects, guards ---

  void lower_cmpp(InstId id) {
    const Inst& inst = function_.inst(id);
    bool is_bad = legal::bad_action(inst, target_) || legal::has_bad_guard(inst, target_) ||
                  (inst.op == Opcode::Cmpp && !target_.has_cmpp());
    if (inst.op != Opcode::Cmpp || !is_bad) return out_.push_back(id);
    predication::lower_cmpp(function_, id, out_);
    ++num_cmpps_;
  }

  // Two moves, the second one guarded.
  void lower_select(InstId id) {
    Inst inst = function_.inst(id);
    if (inst.op != Opcode::Select || target_.has_select) return out_.push_back(id);
    ++num_selects_;
    std::array<Operand, 3> operands;
    std::ranges::copy(function_.operands(inst), operands.begin());
    auto [predicate, chosen, other] = operands;
    // A select by undef is undef, a guard that is undef undefined behaviour.
    predicate = add(id, Opcode::Freeze, Type::i1, {predicate});
    // Not into what the second move reads, and not where the select has a guard of its own.
    bool is_direct = !inst.guard && Operand::reg(inst.results[0]) != chosen;
    Reg result = is_direct ? inst.results[0] : function_.add_reg(inst.type);
    if (Operand::reg(result) != other) add(id, Opcode::Mov, result, {other});
    add(id, Opcode::Mov, result, {chosen}, Guard(predicate));
    if (!is_direct) add(id, Opcode::Mov, inst.results[0], {Operand::reg(result)}, inst.guard);
  }

  // What has no effect but its result is executed always, and the result chosen. The rest is for branches.
  void lower_guard(InstId id) {
    Inst inst = function_.inst(id);
    if (!inst.guard || kept_guards_[static_cast<size_t>(inst.op)]) return out_.push_back(id);
    bool moves_guarded = target_.guarded[static_cast<size_t>(Opcode::Mov)];
    bool is_pure = inst.is_pure() && inst.num_results() == 1;
    if (!is_pure || (!moves_guarded && !target_.has_select)) {
      ++num_branches_;
      return out_.push_back(id);
    }
    ++num_guards_;
    Reg result = inst.results[0];
    Operand value;
    if (inst.op == Opcode::Mov) {
      value = std::as_const(function_).operands(id)[0];
    } else {
      Inst always = inst;
      always.guard = {};
      always.results[0] = function_.add_reg(function_.type(result));
      value = Operand::reg(always.results[0]);
      out_.push_back(copy(id, always));
    }
    if (moves_guarded) return add(id, Opcode::Mov, result, {value}, inst.guard);
    Operand old = Operand::reg(result);
    if (inst.guard.is_negated()) std::swap(value, old);
    add(id, Opcode::Select, result, {Operand::reg(inst.guard.reg()), value, old});
  }

  void lower_complement(InstId id) {
    if (!legal::reads_bad_complement(function_, function_.inst(id), target_)) return out_.push_back(id);
    ++num_complements_;
    Guard guard = function_.inst(id).guard;
    if (guard && guard.is_negated()) {
      Operand complement = add(id, Opcode::Not, Type::i1, {Operand::reg(guard.reg())});
      // Only terminators follow the first one, and they write nothing.
      auto last = out_.end() - 1;
      auto first = last;
      while (first != out_.begin() && function_.inst(*(first - 1)).is_terminator()) --first;
      std::rotate(first, last, out_.end());
      function_.inst(id).guard = Guard(complement);
    }
    if (function_.inst(id).op == Opcode::Cmpp) {
      Operand input = std::as_const(function_).operands(id)[2];
      if (input.is_negated()) {
        Operand complement = add(id, Opcode::Not, Type::i1, {Operand::reg(input.reg())});
        function_.operands(id)[2] = complement;
      }
    }
    out_.push_back(id);
  }

  // --- Addresses and literals ---

  void lower_address(InstId id) {
    if (!addresses_->is_bad(id)) return out_.push_back(id);
    ++num_addresses_;
    Inst inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    Operand base = operands[0], index = operands[1];
    int64_t scale = 1, offset = 0;
    if (inst.op == Opcode::PtrIndex) {
      scale = function_.literal_signed(operands[2]);
      offset = function_.literal_signed(operands[3]);
    }
    Operand distance = index;
    if (index.is_literal()) {
      uint64_t product = function_.literal_bits(index) * static_cast<uint64_t>(scale);
      distance = function_.literal(function_.address_type(), product + static_cast<uint64_t>(offset));
    } else {
      if (scale != 1) distance = scaled(id, distance, static_cast<uint64_t>(scale));
      if (offset != 0) {
        distance = add(id, Opcode::Add, function_.address_type(),
                       {distance, function_.literal(function_.address_type(), offset)});
      }
    }
    if (distance.is_literal()) distance = add(id, Opcode::Mov, function_.address_type(), {distance});
    add(id, Opcode::PtrAdd, inst.results[0], {base, distance}, inst.guard);
  }
  Operand scaled(InstId id, Operand index, uint64_t scale) {
    if (!std::has_single_bit(scale)) {
      return add(id, Opcode::Mul, function_.address_type(),
                 {index, function_.literal(function_.address_type(), scale)});
    }
    int64_t bits = std::countr_zero(scale);
    return add(id, Opcode::Shl, function_.address_type(),
               {index, function_.literal(function_.address_type(), bits)});
  }

  void lower_literals(InstId id) {
    for (;;) {
      int i = legal::bad_literal(function_, function_.inst(id), target_);
      if (i == legal::kNoOperand) return out_.push_back(id);
      ++num_literals_;
      Operand literal = std::as_const(function_).operands(id)[static_cast<size_t>(i)];
      if (i == 0 && exchange(id)) continue;
      Operand value = add(id, Opcode::Mov, literal.literal_type(), {literal});
      function_.operands(id)[static_cast<size_t>(i)] = value;
    }
  }
  // The operands, where that leaves what the instruction does and brings the literal where it may stand.
  bool exchange(InstId id) {
    Inst& inst = function_.inst(id);
    bool is_compare = inst.format() == Format::Compare || inst.format() == Format::ComparePredicate;
    if (!is_compare && !is_commutative(inst.op)) return false;
    std::span<Operand> operands = function_.operands(id);
    if (operands.size() < 2 || operands[1].is_literal()) return false;
    std::swap(operands[0], operands[1]);
    if (is_compare) inst.set_cond(swap_operands(inst.cond()));
    return true;
  }

  // --- Instructions ---

  InstId copy(InstId of, const Inst& inst) {
    std::span<const Operand> old = std::as_const(function_).operands(of);
    operands_.assign(old.begin(), old.end());
    InstId id = function_.add_inst(inst, operands_);
    if (uint32_t line = function_.line(of)) function_.set_line(id, line);
    return id;
  }
  void add(InstId for_inst, Opcode op, Reg result, std::initializer_list<Operand> operands,
           Guard guard = {}) {
    Inst inst;
    inst.op = op;
    if (info(op).types != TypeSet::None) inst.type = function_.type(result);
    inst.guard = guard;
    inst.results[0] = result;
    InstId id = function_.add_inst(inst, std::span(operands.begin(), operands.size()));
    if (uint32_t line = function_.line(for_inst)) function_.set_line(id, line);
    out_.push_back(id);
  }
  Operand add(InstId for_inst, Opcode op, Type type, std::initializer_list<Operand> operands) {
    Reg result = function_.add_reg(type);
    add(for_inst, op, result, operands);
    return Operand::reg(result);
  }

  Function& function_;
  const Target& target_;
  std::bitset<kNumOpcodes> kept_guards_;
  const legal::AddressRules* addresses_ = nullptr;
  std::vector<InstId> insts_, out_;
  std::vector<Operand> operands_;
  uint64_t num_cmpps_ = 0, num_selects_ = 0, num_guards_ = 0, num_complements_ = 0, num_addresses_ = 0,
           num_literals_ = 0, num_branches_ = 0;
};

}  // namespace

void lower_for_target(const Module& module, Function& function, Analyses& analyses, const Target& target,
                      Counters& counters) {
  if (illegal_insts(module, function, target).empty()) return;
  TargetLowering lowering(function, target);
  bool needs_branches = lowering.lower_predication();
  if (needs_branches) {
    ReverseIfConvertOptions options;
    options.lower_cmpp = false;
    options.kept = lowering.kept_guards();
    reverse_if_convert(module, function, analyses, options, counters);
  }
  lowering.lower_operands();
  lowering.report(counters);
  analyses.drop(needs_branches ? Keeps::Nothing : Keeps::ControlFlow);
}

}  // namespace psi
