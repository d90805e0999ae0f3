#include "psi/target/target.h"

#include <gtest/gtest.h>

#include "psi/pipeline/pass_table.h"

namespace psi {
namespace {

Inst inst_of(Opcode op, Type type = Type::i32) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  return inst;
}

TEST(Target, IsFoundByName) {
  ASSERT_FALSE(targets().empty());
  EXPECT_EQ(targets().front().name, "generic");
  for (const Target& target : targets()) EXPECT_EQ(find_target(target.name), &target);
  EXPECT_EQ(find_target("pdp-11"), nullptr);
}

TEST(Target, KnowsItsAddresses) {
  const Target& generic = *find_target("generic");
  EXPECT_TRUE(generic.can_access(12, INT64_MIN, 1));

  const Target& x86 = *find_target("x86-64");
  EXPECT_TRUE(x86.can_access(8, INT32_MAX, 4));
  EXPECT_FALSE(x86.can_access(16, 0, 4));
  EXPECT_FALSE(x86.can_access(0, int64_t{INT32_MAX} + 1, 4));
  EXPECT_FALSE(x86.can_access(-4, 0, 4));

  // The offset counts in units of the access; an index goes alone.
  const Target& hexagon = *find_target("hexagon");
  EXPECT_TRUE(hexagon.can_access(0, 4092, 4));
  EXPECT_FALSE(hexagon.can_access(0, 4096, 4));
  EXPECT_TRUE(hexagon.can_access(0, -4096, 4));
  EXPECT_FALSE(hexagon.can_access(0, 2, 4));
  EXPECT_TRUE(hexagon.can_access(8, 0, 4));
  EXPECT_FALSE(hexagon.can_access(8, 4, 4));

  const Target& aarch64 = *find_target("aarch64");
  EXPECT_TRUE(aarch64.can_access(0, 32760, 8));
  EXPECT_FALSE(aarch64.can_access(0, 32768, 8));
  EXPECT_TRUE(aarch64.can_access(0, -256, 8));
  EXPECT_FALSE(aarch64.can_access(0, -257, 8));
  EXPECT_TRUE(aarch64.can_access(8, 0, 8));
  EXPECT_TRUE(aarch64.can_access(1, 0, 8));
  EXPECT_FALSE(aarch64.can_access(4, 0, 8));

  const Target& riscv = *find_target("riscv");
  EXPECT_TRUE(riscv.can_access(0, -2048, 4));
  EXPECT_FALSE(riscv.can_access(0, 2048, 4));
  EXPECT_FALSE(riscv.can_access(1, 0, 4));

  const Target& st200 = *find_target("st200");
  EXPECT_TRUE(st200.can_access(0, 255, 4));
  EXPECT_FALSE(st200.can_access(0, 256, 4));  // there is room for more, at a price

  EXPECT_TRUE(find_target("ia64")->can_access(0, 0, 8));
  EXPECT_FALSE(find_target("ia64")->can_access(0, 1, 8));
}

TEST(Target, KnowsWhatCanBeGuarded) {
  const Target& playdoh = *find_target("playdoh");
  for (Opcode op : {Opcode::Add, Opcode::Load, Opcode::Cmpp, Opcode::Fdiv, Opcode::Br, Opcode::Call}) {
    EXPECT_TRUE(playdoh.can_guard(inst_of(op))) << info(op).name;
  }
  EXPECT_FALSE(playdoh.can_guard(inst_of(Opcode::Psi)));
  EXPECT_FALSE(playdoh.can_guard(inst_of(Opcode::Phi)));
  EXPECT_FALSE(playdoh.can_guard(inst_of(Opcode::Select)));  // which it does not have

  const Target& st231p = *find_target("st231p");
  EXPECT_TRUE(st231p.can_guard(inst_of(Opcode::Load)));
  EXPECT_TRUE(st231p.can_guard(inst_of(Opcode::Store)));
  EXPECT_FALSE(st231p.can_guard(inst_of(Opcode::Add)));
  EXPECT_FALSE(st231p.can_guard(inst_of(Opcode::Mov)));

  const Target& hexagon = *find_target("hexagon");
  EXPECT_TRUE(hexagon.can_guard(inst_of(Opcode::Add)));
  EXPECT_FALSE(hexagon.can_guard(inst_of(Opcode::Mul)));
}

TEST(Target, KnowsWhatIsRedirected) {
  const Target& x86 = *TargetTable::builtin().find("x86-64");
  for (Opcode op : {Opcode::Load, Opcode::Store, Opcode::Sdiv, Opcode::Urem}) {
    EXPECT_TRUE(x86.redirects(op)) << info(op).name;
    EXPECT_TRUE(x86.can_guard(op)) << info(op).name;
  }
  EXPECT_FALSE(x86.redirects(Opcode::Call));
  EXPECT_FALSE(x86.can_guard(Opcode::Mov));
  EXPECT_EQ(x86.predication(), Predication::Select);
  // What can be guarded has no need.
  EXPECT_FALSE(TargetTable::builtin().find("st231p")->redirects(Opcode::Load));
}

TEST(Target, KnowsItsKindOfPredication) {
  auto kind = [](std::string_view name) { return find_target(name)->predication(); };
  EXPECT_EQ(kind("generic"), Predication::Full);
  EXPECT_EQ(kind("playdoh"), Predication::Full);
  EXPECT_EQ(kind("ia64"), Predication::Full);
  EXPECT_EQ(kind("hexagon"), Predication::Partial);
  EXPECT_EQ(kind("st231p"), Predication::Partial);
  EXPECT_EQ(kind("select"), Predication::Select);
  EXPECT_EQ(kind("x86-64"), Predication::Select);
  EXPECT_EQ(kind("none"), Predication::None);
  EXPECT_EQ(kind("riscv"), Predication::None);
}

TEST(Target, KnowsItsCompares) {
  const Target& ia64 = *find_target("ia64");
  EXPECT_TRUE(ia64.has_cmpp());
  for (Action action : {Action::un, Action::uc, Action::on, Action::ac, Action::cc}) {
    EXPECT_TRUE(ia64.has_action(action));
  }
  EXPECT_FALSE(ia64.has_action(Action::none));
  EXPECT_FALSE(ia64.free_complement);
  EXPECT_FALSE(find_target("st231p")->has_cmpp());
  EXPECT_FALSE(find_target("st231p")->has_action(Action::un));
  EXPECT_FALSE(find_target("hexagon")->can_guard(Opcode::Cmpp));
}

TEST(Target, KnowsUnitsAndLatencies) {
  const Target& playdoh = *find_target("playdoh");
  EXPECT_EQ(playdoh.latency(inst_of(Opcode::Add)), 1u);
  EXPECT_EQ(playdoh.latency(inst_of(Opcode::Load)), 2u);
  EXPECT_EQ(playdoh.latency(inst_of(Opcode::Mul)), 3u);
  EXPECT_EQ(playdoh.latency(inst_of(Opcode::Fadd, Type::f64)), 3u);
  EXPECT_EQ(playdoh.latency(inst_of(Opcode::Br)), 1u);
  EXPECT_EQ(playdoh.latency(inst_of(Opcode::Psi)), 0u);
  EXPECT_EQ(playdoh.unit(inst_of(Opcode::Store)), Unit::Memory);
  EXPECT_EQ(playdoh.unit(inst_of(Opcode::Phi)), std::nullopt);
  // Comparisons of floating-point numbers are made by another unit.
  EXPECT_EQ(playdoh.unit(inst_of(Opcode::Cmp, Type::i32)), Unit::Integer);
  EXPECT_EQ(playdoh.unit(inst_of(Opcode::Cmp, Type::f32)), Unit::Float);
  EXPECT_EQ(playdoh.latency(inst_of(Opcode::Cmp, Type::f32)), 3u);
  // A select is a guarded move there.
  EXPECT_EQ(playdoh.executed_as(OpGroup::Select), OpGroup::Move);
  EXPECT_EQ(find_target("none")->executed_as(OpGroup::Select), OpGroup::Branch);

  const Target& st231p = *find_target("st231p");
  EXPECT_EQ(st231p.num_units(Unit::Integer), 4u);
  EXPECT_EQ(st231p.num_units(Unit::Multiply), 2u);
  EXPECT_EQ(st231p.num_units(Unit::Memory), 1u);
  EXPECT_EQ(st231p.num_units(Unit::Float), 0u);
  EXPECT_FALSE(st231p.has(OpGroup::Float));
  EXPECT_EQ(st231p.latency(inst_of(Opcode::Fadd, Type::f32)), st231p.latency(OpGroup::Call));
  EXPECT_EQ(st231p.unit(inst_of(Opcode::Fadd, Type::f32)), Unit::Branch);
}

TEST(Target, KnowsItsRegistersAndImmediates) {
  const Target& st231p = *find_target("st231p");
  EXPECT_EQ(st231p.register_class(RegisterKind::General).count, 64u);
  EXPECT_EQ(st231p.register_class(RegisterKind::Predicate).count, 8u);
  EXPECT_EQ(st231p.register_kind(Type::i1), RegisterKind::Predicate);
  EXPECT_EQ(st231p.register_kind(Type::f32), RegisterKind::General);
  EXPECT_EQ(find_target("ia64")->register_class(RegisterKind::Predicate).count, 64u);
  EXPECT_EQ(find_target("riscv")->register_kind(Type::i1), RegisterKind::General);
  EXPECT_TRUE(st231p.has_immediate(inst_of(Opcode::Add), -256));
  EXPECT_FALSE(st231p.has_immediate(inst_of(Opcode::Add), 256));
  EXPECT_FALSE(st231p.has_immediate(inst_of(Opcode::Store), 0));
}

TEST(Target, TableTakesEachNameOnce) {
  TargetTable table = TargetTable::builtin();
  Target mine = *find_target("select");
  EXPECT_FALSE(table.add(mine));
  mine.name = "mine";
  EXPECT_TRUE(table.add(mine));
  EXPECT_FALSE(table.add(mine));
  EXPECT_EQ(table.find("mine")->summary, mine.summary);
  EXPECT_EQ(find_target("mine"), nullptr);
}

TEST(Target, AFileTakesThePlaceOfABuiltinTarget) {
  TargetTable table = TargetTable::builtin();
  Target mine = *find_target("select");
  mine.summary = "from a file";
  ASSERT_TRUE(table.add(mine, "a.target"));
  ASSERT_TRUE(table.add(mine, "a.target"));
  EXPECT_EQ(table.all().size(), targets().size());
  EXPECT_EQ(table.find("select")->summary, "from a file");
  EXPECT_EQ(table.find("a.target"), table.find("select"));
  EXPECT_FALSE(table.add(mine, "b.target"));
  EXPECT_EQ(table.find("b.target"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
}

TEST(Target, FilesInListsOfPasses) {
  EXPECT_EQ(targets_in_passes("gvn,if-convert( target = a/b.target , size=3),x(mytarget=no,target=\"a,b\")"),
            (std::vector<std::string>{"a/b.target", "a,b"}));
  EXPECT_TRUE(targets_in_passes("target=x,gvn(target").empty());
  PassTable table = PassTable::builtin();
  TargetTable targets = TargetTable::builtin();
  Target mine = *find_target("select");
  mine.name = "mine";
  ASSERT_TRUE(targets.add(mine, "odd (1), mine.target"));
  table.set_targets(targets);
  Result<PassList> passes = parse_passes(table, "addresses(target=\"odd (1), mine.target\")");
  ASSERT_TRUE(passes) << passes.message();
  EXPECT_EQ(targets.find(passes->front().arguments.target())->name, "mine");
}

}  // namespace
}  // namespace psi
