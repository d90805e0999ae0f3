// Complete descriptions: what the parser makes of them, and the instruction sets.
#include "psi/target/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "psi/target/target.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using ::testing::HasSubstr;

// A machine with one file and what the tests add.
std::string machine(std::string_view instructions, std::string_view more = "") {
  return "machine m\nsummary s\npointer 32\n"
         "[registers]\nfile r 4 i32 ptr\nfile p 2 i1\npairs rr of r i64\nname sp r3\nreserved sp\n"
         "[slots]\nslots 0 1\nclass alu 0 1\nclass mem 1 latency 2\n"
         "[guards]\nregisters p\n"
         "[operands]\nimmediate s8 s8\nimmediate s8x s8 or i32 words 1\nimmediate off s4*size\n"
         "mode at %b:r, %o:off \"{o}[{b}]\"\n  %x = add.i32 %b, %o\n  %address = inttoptr.i32.ptr %x\n"
         "mode %n:%b = post %b:r, %i:s8 \"[{b}]+{i}\"\n  %address = inttoptr.i32.ptr %b\n  %n = add.i32 %b, "
         "%i\n"
         "modes mem at post\n"
         "[instructions]\n" +
         std::string(instructions) + std::string(more);
}

Target described(const std::string& text) {
  Result<Target> target = parse_target(text);
  EXPECT_TRUE(target.ok()) << render(target, "m", text);
  return target.ok() ? std::move(*target) : Target();
}

std::string errors_in(const std::string& text) {
  Result<Target> target = parse_target(text);
  return render(target, "m", text);
}

const TargetDescription& tiny() { return *find_target("tiny")->description; }

TEST(Description, TinyIsComplete) {
  const TargetDescription& d = tiny();
  EXPECT_EQ(d.pointer_bits, 32u);
  EXPECT_EQ(d.slots.size(), 2u);
  EXPECT_EQ(d.registers[d.find_register("sp")].name, "r7");
  EXPECT_TRUE(d.registers[d.find_register("r7")].reserved);
  EXPECT_EQ(d.classes[d.class_for(Type::i1)].name, "p");
  EXPECT_EQ(d.class_for(Type::i64), kNone);
  EXPECT_EQ(d.forms.size(), d.instructions->num_forms());
  EXPECT_EQ(d.latency(d.find_scheduling_class("mem"), d.find_scheduling_class("alu"), ReadRole::Any, ""), 2u);
  EXPECT_EQ(d.latency(d.find_scheduling_class("mem"), d.find_scheduling_class("mem"), ReadRole::Address, ""),
            3u);
}

TEST(Description, AlternativesAndModesMakeForms) {
  const InstructionSet& set = *tiny().instructions;
  ASSERT_EQ(set.find("add").size(), 2u);
  const MachineForm& by_register = set.form(set.find("add")[0]);
  const MachineForm& by_literal = set.form(set.find("add")[1]);
  EXPECT_EQ(by_register.operands[1].kind, MachineOperand::Kind::Register);
  EXPECT_EQ(by_literal.operands[1].kind, MachineOperand::Kind::Literal);
  ASSERT_EQ(by_literal.operands[1].literals.size(), 2u);
  EXPECT_EQ(by_literal.operands[1].literals[0], (LiteralAlternative{-128, 127, 1, 0}));
  EXPECT_EQ(by_literal.operands[1].literals[1].extra_words, 1u);
  EXPECT_FALSE(by_literal.takes_guard);
  EXPECT_EQ(set.find("ldw").size(), 1u);
  EXPECT_EQ(set.find("ldw.post").size(), 1u);
}

TEST(Description, ModesAreFlattenedIntoTheMeaning) {
  const InstructionSet& set = *tiny().instructions;
  const MachineForm& load = set.form(set.find("ldb.post")[0]);
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(load.operands[0].name, "m.b");
  EXPECT_EQ(load.operands[0].tied_result, 1);
  ASSERT_EQ(load.results.size(), 2u);
  EXPECT_EQ(load.results[1].name, "m.n");
  EXPECT_EQ(load.results[1].tied_operand, 0);
  EXPECT_EQ(load.effect, Effect::Read);
  EXPECT_TRUE(load.takes_guard);
  EXPECT_TRUE(load.takes_negated_guard);
  const Function& body = load.meaning.body;
  std::vector<Opcode> ops;
  for (InstId id : body.insts(body.entry())) ops.push_back(body.inst(id).op);
  EXPECT_THAT(ops, ::testing::ElementsAre(Opcode::Inttoptr, Opcode::Add, Opcode::Load, Opcode::Sext));
}

TEST(Description, EffectsAndKindsComeFromMeanings) {
  const InstructionSet& set = *tiny().instructions;
  auto form = [&](std::string_view name) -> const MachineForm& { return set.form(set.find(name)[0]); };
  EXPECT_TRUE(form("mov").is_copy);
  EXPECT_FALSE(set.form(set.find("mov")[1]).is_copy);
  EXPECT_EQ(form("mac").results[0].tied_operand, 0);
  EXPECT_TRUE(form("call").is_call);
  EXPECT_TRUE(form("call").variable_result);
  EXPECT_TRUE(form("ret").is_return);
  EXPECT_EQ(form("jmp").effect, Effect::Control);
  EXPECT_TRUE(form("jmp").meaning.targets[0]);
  EXPECT_EQ(form("stw").effect, Effect::Write);
}

TEST(Description, ScaledImmediatesAreMultiplesOfTheAccess) {
  Target target = described(
      machine("%d:r = ldh %m:at mem \"ldh {d}, {m}\"\n  %x = load.i16 %m\n  %d = sext.i16.i32 %x\n"));
  const MachineForm& load = target.description->instructions->form(0);
  EXPECT_EQ(load.operands[1].literals[0], (LiteralAlternative{-16, 14, 2, 0}));
}

TEST(Description, PairsShareUnits) {
  Target target = described(machine("nop alu \"nop\"\n"));
  const TargetDescription& d = *target.description;
  const MachineRegister& pair = d.reg(d.find_register("rr2"));
  EXPECT_EQ(pair.num_units, 2u);
  EXPECT_EQ(pair.first_unit, d.reg(d.find_register("r2")).first_unit);
  EXPECT_EQ(d.find_register("rr1"), kNone);
}

TEST(Description, TextNamesTargetsOfATable) {
  TargetInstructionSets sets(TargetTable::builtin());
  Result<Module> module =
      parse("func $f(%a: i32) -> i32 ssa target tiny {\n@entry:\n  %b = tiny.add %a, 300\n  ret %b\n}\n",
            nullptr, &sets);
  ASSERT_TRUE(module) << module.message();
  EXPECT_FALSE(parse("func $f(%a: i32) -> i32 ssa target riscv {\n@entry:\n  ret %a\n}\n", nullptr, &sets));
}

TEST(Description, SequencesDependOnLiterals) {
  const TargetDescription& d = tiny();
  const Sequence& enter = d.sequences[d.frame.enter];
  SequenceArgument size{.literal = 16};
  Result<SequenceCode> code = instantiate(d, enter, std::span(&size, 1));
  ASSERT_TRUE(code) << code.message();
  std::string text = print(code->module, code->module.function(code->function));
  EXPECT_THAT(text, HasSubstr("%sp = tiny.add %sp, -16"));
  ASSERT_EQ(code->fixed.size(), 1u);
  EXPECT_EQ(code->fixed[0].second, d.find_register("r7"));
}

TEST(Description, SequencesAreDerivedFromForms) {
  const TargetDescription& d = tiny();
  const Sequence* spill = d.sequence(Sequence::Kind::Spill, d.find_class("r"));
  ASSERT_NE(spill, nullptr);
  EXPECT_EQ(d.instructions->form(spill->form).name, "stw");
  EXPECT_EQ(d.sequence(Sequence::Kind::Spill, d.find_class("p"))->form, kNone);
}

TEST(Description, ExpansionsAreCode) {
  const TargetDescription& d = tiny();
  // The machine's own come first.
  const Expansion& division = d.expansions.front();
  EXPECT_EQ(division.pattern.op, Opcode::Udiv);
  EXPECT_EQ(division.pattern.type, Type::i32);
  ASSERT_EQ(division.params.size(), 2u);
  EXPECT_EQ(division.operands[division.params[1].index].name, "b");
  EXPECT_TRUE(division.values[0].reg);
}

TEST(Description, CostsFollow) {
  const Target& target = *find_target("tiny");
  EXPECT_EQ(target.predication(), Predication::Partial);
  EXPECT_TRUE(target.can_guard(Opcode::Load));
  EXPECT_TRUE(target.can_guard(Opcode::Mov));
  EXPECT_FALSE(target.can_guard(Opcode::Add));
  EXPECT_TRUE(target.has_select);
  EXPECT_EQ(target.latency(OpGroup::Multiply), 3u);
  EXPECT_EQ(target.num_units(Unit::Memory), 1u);
}

TEST(Description, EachMultipliesLines) {
  Target target =
      described(machine("each A,B in x,add y,sub\neach N in 1 2\n%d:r = <A><N> %a:r alu \"<A> {d}, {a}\"\n"
                        "  %d = <B>.i32 %a, <N>\nend\nend\n"));
  std::vector<std::string> names;
  for (const InstructionEntry& entry : target.description->entries) names.push_back(entry.name);
  EXPECT_THAT(names, ::testing::ElementsAre("x1", "x2", "y1", "y2"));
}

TEST(Description, ReportsAllErrorsInTheOrderOfTheFile) {
  std::string text =
      errors_in(machine("%d:r = one %a:q alu \"one\"\n  %d = mov.i32 %a\n"
                        "%d:r = two %a:r alu23 \"two {d}, {a}\"\n  %d = mov.i32 %a\n"
                        "%d:rr = three %a:r alu \"three {d}, {a}\"\n  %d = mov.i32 %a\n"));
  size_t first = text.find("'q' is no register class"), second = text.find("there is no class 'alu23'"),
         third = text.find("%d of 'three' is i32 in its meaning, but 'rr' holds i64");
  ASSERT_NE(third, std::string::npos) << text;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
}

TEST(Description, ErrorsWithinEachPointAtTheName) {
  std::string text =
      errors_in(machine("each K in r q\n%d:r = <K> %a:<K> alu \"{d}{a}\"\n  %d = mov.i32 %a\nend\n"));
  EXPECT_THAT(text, HasSubstr("'q' is no register class"));
  EXPECT_THAT(text, HasSubstr("<K> alu"));
  EXPECT_THAT(text, HasSubstr("           ^~~"));
}

TEST(Description, RefusesBigEndianMachines) {
  std::string text = machine("nop alu \"nop\"\n");
  text.replace(text.find("pointer"), 0, "endian big\n");
  EXPECT_THAT(errors_in(text), HasSubstr("psic has no big-endian machines"));
}

}  // namespace
}  // namespace psi
