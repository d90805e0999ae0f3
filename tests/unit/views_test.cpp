// Operands by name: psi/ir/views.h.
#include "psi/ir/views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "parsing.h"
#include "psi/text/text.h"

namespace psi {
namespace {

// The only instruction of this opcode in a function of the module.
InstId find(const Function& function, Opcode op) {
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      if (function.inst(id).op == op) return id;
    }
  }
  ADD_FAILURE() << "no " << info(op).name;
  return {};
}

constexpr std::string_view kLoop = R"(
func $f(%n: i32, %p: i1) -> i32 ssa {
@entry:
  br @loop
@loop:
  %i = phi.i32 [@entry: 0], [@next: %j]
  br %p, @next, @exit
@next:
  %j = add.i32 %i, 1
  switch.i32 %j, @loop, [7: @exit], [9: @next2]
@next2:
  br @exit
@exit:
  ret %i
}
)";

TEST(Views, PhiEntries) {
  Function f = testing::parse_function(kLoop);
  InstId phi = find(f, Opcode::Phi);
  PhiEntries entries = phi_entries(f, phi);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(f.name(entries[0].block), "entry");
  EXPECT_EQ(f.literal_bits(entries.front().value), 0u);
  EXPECT_EQ(f.name(entries.back().block), "next");
  std::vector<BlockId> blocks;
  for (auto [block, value] : entries) blocks.push_back(block);
  EXPECT_EQ(blocks, (std::vector{entries[0].block, entries[1].block}));
  EXPECT_EQ(value_from(entries, blocks[1]), entries[1].value);
  EXPECT_TRUE(value_from(entries, BlockId(99)).is_none());
  EXPECT_EQ(incoming_block(f, phi, value_operand(1)), blocks[1]);
  EXPECT_EQ(entries.without_first().size(), 1u);
  EXPECT_EQ(entries.without_first().front(), entries[1]);
  EXPECT_EQ(std::ranges::find(entries, blocks[1], &PhiEntry::block), ++entries.begin());
}

TEST(Views, PhiEntriesAreChangedWhereTheyStand) {
  Function f = testing::parse_function(kLoop);
  InstId phi = find(f, Opcode::Phi);
  for (MutablePhiEntry entry : mutable_phi_entries(f, phi)) {
    if (entry.value.is_literal()) entry.value = f.literal(Type::i32, int64_t{5});
    if (f.name(entry.block()) == "next") entry.set_block(f.entry());
  }
  EXPECT_EQ(f.literal_bits(phi_entries(f, phi)[0].value), 5u);
  EXPECT_EQ(phi_entries(f, phi)[1].block, f.entry());
}

TEST(Views, EntriesThatAreDropped) {
  Function f = testing::parse_function(kLoop);
  InstId phi = find(f, Opcode::Phi);
  Operand kept = phi_entries(f, phi)[1].value;
  EXPECT_EQ(drop_phi_entries(f, phi, [](BlockId) { return false; }), 0u);
  EXPECT_EQ(drop_phi_entries(f, phi, [&](BlockId b) { return b == f.entry(); }), 1u);
  ASSERT_EQ(phi_entries(f, phi).size(), 1u);
  EXPECT_EQ(phi_entries(f, phi).front().value, kept);
  // A long list, which stands in the pool, becomes a shorter one there.
  std::vector<Operand> many;
  for (uint32_t b = 0; b < 8; ++b) add_phi_entry(many, BlockId(b), f.literal(Type::i32, uint64_t{b}));
  f.set_operands(phi, many);
  EXPECT_EQ(drop_phi_entries(f, phi, [](BlockId b) { return b.index() % 2 == 0; }), 4u);
  for (auto [block, value] : phi_entries(f, phi)) EXPECT_EQ(f.literal_bits(value), block.index());
  EXPECT_EQ(drop_phi_entries(f, phi, [](BlockId) { return true; }), 4u);
  EXPECT_TRUE(phi_entries(f, phi).empty());
}

TEST(Views, Control) {
  Function f = testing::parse_function(kLoop);
  InstId jump = f.insts(f.entry()).back();
  EXPECT_TRUE(f.inst(jump).is_jump());
  EXPECT_FALSE(f.inst(jump).is_branch());
  EXPECT_FALSE(is_decision(f.inst(jump)));
  EXPECT_EQ(f.name(jump_target(f, jump)), "loop");
  EXPECT_EQ(num_targets(f.inst(jump)), 1u);
  EXPECT_TRUE(decided_by(f, jump).is_none());

  InstId br = f.insts(jump_target(f, jump)).back();
  ASSERT_TRUE(f.inst(br).is_branch());
  BranchView branch = as_branch(f, br);
  EXPECT_EQ(branch.condition, Operand::reg(f.params[1]));
  EXPECT_EQ(f.name(branch.then), "next");
  EXPECT_EQ(f.name(branch.otherwise), "exit");
  EXPECT_EQ(branch.target(false), branch.otherwise);
  EXPECT_EQ(decided_by(f, br), branch.condition);
  swap_sides(f.operands(br));
  EXPECT_EQ(as_branch(f, br).then, branch.otherwise);

  InstId sw = find(f, Opcode::Switch);
  SwitchView choice = as_switch(f, sw);
  EXPECT_EQ(f.name(choice.otherwise), "loop");
  ASSERT_EQ(choice.cases.size(), 2u);
  EXPECT_EQ(f.literal_bits(choice.cases[1].literal), 9u);
  EXPECT_EQ(f.name(choice.cases[1].target), "next2");
  EXPECT_EQ(f.operands(sw)[case_operand(1)], choice.cases[1].literal);
  EXPECT_EQ(num_targets(f.inst(sw)), 3u);
  EXPECT_TRUE(is_decision(f.inst(sw)));

  EXPECT_EQ(returned(f, find(f, Opcode::Ret)), Operand::reg(f.inst(find(f, Opcode::Phi)).results[0]));
}

constexpr std::string_view kPredicates = R"(
func $f(%a: i32, %p: i1, %m: ptr) -> i32 ssa {
@entry:
  %q, %r = cmpp.un.ac.lt.i32 %a, 10 if !%p old %p
  %x1 = mov.i32 %a
  %p ? %x2 = add.i32 %a, 1
  %x = psi !%p ? %x1, %p ? %x2
  %y = select %q, %x, 4
  %s = ptrindex %m, 3, 8, 16
  %t = ptradd %m, 4
  store.i32 %y, %s
  memcpy %s, %t, 12
  memset %t, 7, 5
  %z = load.i32 %t
  %c = call.i32 $g(%z, %y)
  ret %c
}
extern func $g(i32, i32) -> i32
)";

TEST(Views, PsiArguments) {
  Function f = testing::parse_function(kPredicates);
  InstId psi = find(f, Opcode::Psi);
  PsiArguments arguments = psi_arguments(f, psi);
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(arguments[0].guard, Operand::not_reg(f.params[1]));
  EXPECT_EQ(arguments[1].guard, complement(arguments[0].guard));
  EXPECT_TRUE(always_chooses(arguments));
  EXPECT_FALSE(always_chooses(arguments.first(1)));
  EXPECT_TRUE(is_psi_guard(f.inst(psi), first_operand(1)));
  EXPECT_FALSE(is_psi_guard(f.inst(psi), value_operand(1)));
  EXPECT_FALSE(is_psi_guard(f.inst(find(f, Opcode::Select)), kCondition));
  mutable_psi_arguments(f, psi).front().guard = Operand::always();
  EXPECT_EQ(psi_arguments(f, psi).front().guard, Operand::always());
  EXPECT_TRUE(always_chooses(psi_arguments(f, psi).first(1)));
  for (MergeArgument argument : merge_arguments(f, psi)) EXPECT_TRUE(argument.value.is_reg());
}

TEST(Views, ComparesAndSelects) {
  Function f = testing::parse_function(kPredicates);
  const Inst& inst = f.inst(find(f, Opcode::Cmpp));
  CmppView cmpp = as_cmpp(f, inst);
  EXPECT_EQ(cmpp.left, Operand::reg(f.params[0]));
  EXPECT_EQ(f.literal_bits(cmpp.right), 10u);
  EXPECT_EQ(cmpp.input, Operand::not_reg(f.params[1]));
  ASSERT_EQ(cmpp.olds.size(), 1u);
  EXPECT_TRUE(inst.has_old_values());
  // The first target is not partial, so the only old value is the second one's.
  EXPECT_TRUE(old_value(f, inst, 0).is_none());
  EXPECT_EQ(old_value(f, inst, 1), cmpp.olds[0]);
  EXPECT_EQ(target_without_input(inst, f.operands(inst), 0), Operand::never());
  EXPECT_EQ(target_without_input(inst, f.operands(inst), 1), cmpp.olds[0]);
  EXPECT_EQ(as_compared(f, inst).right, cmpp.right);

  SelectView select = as_select(f, find(f, Opcode::Select));
  EXPECT_EQ(select.condition, Operand::reg(inst.results[0]));
  EXPECT_EQ(select.chosen(false), select.if_false);
  EXPECT_EQ(f.literal_bits(select.if_false), 4u);
  EXPECT_EQ(copied(f, find(f, Opcode::Mov)), cmpp.left);
}

TEST(Views, MemoryAndCalls) {
  Function f = testing::parse_function(kPredicates);
  Operand memory = Operand::reg(f.params[2]);
  PtrIndexView index = as_ptr_index(f, find(f, Opcode::PtrIndex));
  EXPECT_EQ(index.base, memory);
  EXPECT_EQ(f.literal_bits(index.index), 3u);
  EXPECT_EQ(index.scale, 8u);
  EXPECT_EQ(index.offset, 16u);
  PtrIndexView sum = as_ptr_index(f, find(f, Opcode::PtrAdd));
  EXPECT_EQ(f.literal_bits(sum.index), 4u);
  EXPECT_EQ(sum.scale, 1u);
  EXPECT_EQ(sum.offset, 0u);

  Operand s = Operand::reg(f.inst(find(f, Opcode::PtrIndex)).results[0]);
  Operand t = Operand::reg(f.inst(find(f, Opcode::PtrAdd)).results[0]);
  EXPECT_EQ(as_store(f, find(f, Opcode::Store)).address, s);
  EXPECT_EQ(as_store(f, find(f, Opcode::Store)).value,
            Operand::reg(f.inst(find(f, Opcode::Select)).results[0]));
  EXPECT_EQ(as_mem_copy(f, find(f, Opcode::Memcpy)).to, s);
  EXPECT_EQ(as_mem_copy(f, find(f, Opcode::Memcpy)).from, t);
  EXPECT_EQ(f.literal_bits(as_mem_copy(f, find(f, Opcode::Memcpy)).size), 12u);
  EXPECT_EQ(f.literal_bits(as_mem_set(f, find(f, Opcode::Memset)).byte), 7u);
  EXPECT_EQ(written_address(f, f.inst(find(f, Opcode::Memset))), t);
  EXPECT_TRUE(written_address(f, f.inst(find(f, Opcode::Load))).is_none());
  EXPECT_EQ(load_address(f, find(f, Opcode::Load)), t);
  CallView call = as_call(f, find(f, Opcode::Call));
  EXPECT_TRUE(call.callee.is_symbol());
  ASSERT_EQ(call.arguments.size(), 2u);
  EXPECT_EQ(call.arguments[0], Operand::reg(f.inst(find(f, Opcode::Load)).results[0]));
}

TEST(Views, Complements) {
  Operand p = Operand::reg(Reg(3));
  EXPECT_EQ(complement(p), Operand::not_reg(Reg(3)));
  EXPECT_EQ(complement(complement(p)), p);
  EXPECT_EQ(complement(Operand::always()), Operand::never());
  EXPECT_EQ(complement(Operand::never()), Operand::always());
  EXPECT_EQ(complement(Operand::undef(Type::i1)), Operand::undef(Type::i1));
  EXPECT_EQ(complement(Guard(Reg(3), true)), Guard(Reg(3), false));
  EXPECT_EQ(complement(Guard()), Guard());
  Function function;
  EXPECT_EQ(Operand::truth(true), function.literal(Type::i1, uint64_t{1}));
  EXPECT_EQ(Operand::truth(false), function.literal(Type::i1, uint64_t{0}));
}

TEST(Views, ClassesOfActions) {
  EXPECT_EQ(action_class(Action::uc), ActionClass::Unconditional);
  EXPECT_EQ(action_class(Action::on), ActionClass::ParallelOr);
  EXPECT_EQ(action_class(Action::ac), ActionClass::ParallelAnd);
  EXPECT_EQ(action_class(Action::cn), ActionClass::Conditional);
  EXPECT_EQ(action_class(Action::none), ActionClass::None);
  for (Action action :
       {Action::un, Action::uc, Action::on, Action::oc, Action::an, Action::ac, Action::cn, Action::cc}) {
    ActionClass of = action_class(action);
    EXPECT_EQ(make_action(of, is_complement(action)), action);
    EXPECT_EQ(is_partial(action), of != ActionClass::Unconditional);
    EXPECT_EQ(action_name(action)[0] == 'o' || action_name(action)[0] == 'a', is_parallel(of));
  }
  EXPECT_FALSE(is_partial(Action::none));
  EXPECT_EQ(make_action(ActionClass::None, true), Action::none);
}

// A last operand without a partner, as a program that is not verified may have.
TEST(Views, HalfAPair) {
  std::array operands{Operand::always(), Operand::undef(Type::i32), Operand::always()};
  EXPECT_EQ(psi_arguments(operands).size(), 1u);
  EXPECT_TRUE(psi_arguments(std::span(operands).first(1)).empty());
}

}  // namespace
}  // namespace psi
