#include "predication/if_convert/region_psis.h"

#include <array>

#include "psi/ir/views.h"

namespace psi::predication {

void RegionPsis::define(const Merge& merge) {
  set_merged(merge.phi, merge);
  function_.append(builder_.block(), merge.phi);
  if (merge.is_partial) make_total(merge.phi);
}

// Where no argument is taken it may be any value; a copy of it is defined everywhere.
void RegionPsis::make_total(InstId psi) {
  Inst mov;
  mov.op = Opcode::Mov;
  mov.type = function_.inst(psi).type;
  mov.results[0] = function_.inst(psi).results[0];
  Reg partial = function_.add_reg(mov.type);
  function_.inst(psi).results[0] = partial;
  function_.append(builder_.block(), function_.add_inst(mov, std::array{Operand::reg(partial)}));
  ++copies_;
}

Operand RegionPsis::value(const Merge& merge) {
  std::span<const MergeArgument> arguments = merges_.arguments(merge);
  if (arguments.empty()) return Operand::undef(merge.type);
  if (arguments.size() == 1 && arguments[0].of_class == ControlClasses::kAlways) return arguments[0].value;
  Inst inst;
  inst.op = Opcode::Psi;
  inst.type = merge.type;
  inst.results[0] = function_.add_reg(merge.type);
  InstId id = function_.add_inst(inst, {});
  set_merged(id, merge);
  function_.append(builder_.block(), id);
  return Operand::reg(inst.results[0]);
}

// Turns the instruction into a psi of the merge, or a copy.
void RegionPsis::set_merged(InstId id, const Merge& merge) {
  std::span<const MergeArgument> arguments = merges_.arguments(merge);
  pairs_.clear();
  for (const MergeArgument& argument : arguments) {
    Operand value = argument.value;
    bool is_first = &argument == &arguments.front();
    if (argument.is_partial && !is_first) value = copy(value, merge.type, argument.of_class);
    add_psi_argument(pairs_, predicates_.guard(argument.of_class).as_operand(), value);
  }
  PsiArguments made = psi_arguments(pairs_);
  bool is_copy = made.empty() || (made.size() == 1 && made.front().guard == Operand::always());
  function_.inst(id).op = is_copy ? Opcode::Mov : Opcode::Psi;
  if (made.empty()) {
    function_.set_operands(id, std::array{Operand::undef(merge.type)});
  } else if (is_copy) {
    function_.set_operands(id, std::array{made.front().value});
    ++copies_;
  } else {
    function_.set_operands(id, pairs_);
    ++psis_;
  }
}

Operand RegionPsis::copy(Operand value, Type type, uint32_t of_class) {
  Inst mov;
  mov.op = Opcode::Mov;
  mov.type = type;
  builder_.guard(target_.can_guard(mov) ? predicates_.guard(of_class) : Guard());
  ++copies_;
  return Operand::reg(builder_.op(Opcode::Mov, type, {value}));
}

// Where the block is not executed its predicates may be undef, and a psi must not read them.
void RegionPsis::guard_arguments(InstId psi, uint32_t c) {
  pairs_.assign(function_.operands(psi).begin(), function_.operands(psi).end());
  bool is_first = true;
  for (auto [guard, value] : mutable_psi_arguments(pairs_)) {
    if (!std::exchange(is_first, false) || guard != Operand::always()) {
      guard = predicates_.both(c, Guard(guard)).as_operand();
    }
  }
  function_.set_operands(psi, pairs_);
}

}  // namespace psi::predication
