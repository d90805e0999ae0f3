// Machine instructions in the IR: text, verifier, meanings, interpreter.
#include <gtest/gtest.h>

#include "psi/interp/interpret.h"
#include "psi/ir/instruction_set.h"
#include "psi/ir/meaning.h"
#include "psi/predicate/guard_facts.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

// A form whose meaning is a function in text: its parameters are the operands, and `ret` names nothing, since
// results are registers.
MachineForm form(std::string name, std::string_view parameters, std::string_view body,
                 std::initializer_list<std::string_view> results, Effect effect = Effect::Pure) {
  std::string text = "func $m(" + std::string(parameters) + ") ssa {\n@entry:\n" + std::string(body) +
                     "  ret\n@t:\n  unreachable\n}\n";
  Result<Module> module = parse(text);
  EXPECT_TRUE(module) << module.message();
  MachineForm made;
  made.name = std::move(name);
  made.effect = effect;
  made.takes_guard = made.takes_negated_guard = true;
  Meaning& meaning = made.meaning;
  meaning.body = *module->find_function("m");
  std::span<const InstId> insts = meaning.body.insts(meaning.body.entry());
  std::vector<InstId> kept(insts.begin(), insts.end() - 1);
  meaning.body.set_insts(meaning.body.entry(), kept);
  for (Reg param : meaning.body.params) {
    MachineOperand operand;
    operand.type = meaning.body.type(param);
    operand.name = meaning.body.name(param);
    made.operands.push_back(operand);
    meaning.operands.push_back(param);
    meaning.targets.push_back(BlockId());
  }
  for (std::string_view result : results) {
    Reg reg = find_reg(meaning.body, result);
    meaning.results[made.results.size()] = reg;
    made.results.push_back({meaning.body.type(reg), std::string(result)});
  }
  return made;
}

void add_literal(MachineForm& form, size_t operand, int64_t min, int64_t max) {
  form.operands[operand].kind = MachineOperand::Kind::Literal;
  form.operands[operand].literals = form.operands[operand].guarded_literals = {{min, max}};
}

void add_target(MachineForm& form) {
  MachineOperand operand;
  operand.kind = MachineOperand::Kind::Block;
  operand.name = "t";
  form.operands.push_back(operand);
  form.meaning.operands.push_back(Reg());
  form.meaning.targets.push_back(find_block(form.meaning.body, "t"));
}

std::shared_ptr<const InstructionSet> toy() {
  auto set = std::make_shared<InstructionSet>("toy", 64);
  set->add(form("add", "%a: i64, %b: i64", "  %d = add.i64 %a, %b\n", {"d"}));
  MachineForm immediate = form("add", "%a: i64, %b: i64", "  %d = add.i64 %a, %b\n", {"d"});
  add_literal(immediate, 1, -8, 7);
  set->add(immediate);
  set->add(form("const", "%a: i64", "  %d = mov.i64 %a\n", {"d"}));
  MachineForm constant = form("const", "%a: i64", "  %d = mov.i64 %a\n", {"d"});
  add_literal(constant, 0, INT64_MIN, INT64_MAX);
  set->add(constant);
  MachineForm post = form("load.post", "%b: i64, %i: i64",
                          "  %n = add.i64 %b, %i\n  %a = inttoptr.i64.ptr %b\n  %d = load.i64 %a\n",
                          {"d", "n"}, Effect::Read);
  add_literal(post, 1, -64, 64);
  set->add(post);
  set->add(form("store", "%v: i64, %b: i64", "  %a = inttoptr.i64.ptr %b\n  store.i64 %v, %a\n", {},
                Effect::Write));
  set->add(form("clt", "%a: i64, %b: i64", "  %d = cmp.lt.i64 %a, %b\n", {"d"}));
  MachineForm jump = form("jump", "", "  br @t\n", {}, Effect::Control);
  add_target(jump);
  set->add(jump);
  MachineForm branch =
      form("blt", "%a: i64, %b: i64", "  %p = cmp.lt.i64 %a, %b\n  %p ? br @t\n", {}, Effect::Control);
  branch.falls_through = true;
  add_target(branch);
  set->add(branch);
  MachineForm ret = form("ret", "", "  ret\n", {}, Effect::Control);
  std::span<const InstId> insts = ret.meaning.body.insts(ret.meaning.body.entry());
  ret.meaning.variable = insts.front();
  ret.variable_operands = true;
  ret.is_return = true;
  set->add(ret);
  add_boundary_forms(*set);
  return set;
}

class Toy final : public InstructionSets {
 public:
  std::shared_ptr<const InstructionSet> find(std::string_view name) const override {
    return name == "toy" ? set_ : nullptr;
  }

 private:
  std::shared_ptr<const InstructionSet> set_ = toy();
};

constexpr std::string_view kSum = R"(global $table align 8 { i64 3, i64 4, i64 5 }

func $sum(%n: i64) -> i64 ssa target toy {
@entry:
  %start: ptr = mov $table
  %zero = mov.i64 0
  toy.jump @head
@head:
  %at = phi [@entry: %start], [@body: %next]
  %i = phi [@entry: %zero], [@body: %i1]
  %s = phi [@entry: %zero], [@body: %s1]
  toy.blt %i, %n, @body
  toy.jump @done
@body:
  %v, %next: ptr = toy.load.post %at, 8
  %odd = toy.clt %v, %zero
  !%odd ? %t = toy.add %s, %v
  %s1 = psi %s, !%odd ? %t
  %i1 = toy.add %i, 1
  toy.jump @head
@done:
  toy.ret %s
}
)";

std::string valid_text() {
  std::string text(kSum);
  text.replace(text.find("%start: ptr = mov"), 17, "%start = mov.ptr");
  return text;
}

TEST(MachineInsts, TextIsReadAndWritten) {
  Toy sets;
  std::string text = valid_text();
  Result<Module> module = parse(text, nullptr, &sets);
  ASSERT_TRUE(module) << render(module, "toy", text);
  EXPECT_TRUE(verifies(*module)) << verifies(*module).message();
  std::string printed = print(*module);
  Result<Module> again = parse(printed, nullptr, &sets);
  ASSERT_TRUE(again) << render(again, "toy", printed);
  EXPECT_EQ(print(*again), printed);
  EXPECT_NE(printed.find("%v, %next: ptr = toy.load.post %at, 8"), std::string::npos) << printed;
}

TEST(MachineInsts, ChooseTheFirstFormThatTakesTheOperands) {
  Toy sets;
  Result<Module> module = parse(
      "func $f(%a: i64) -> i64 ssa target toy {\n@entry:\n  %b = toy.add %a, 7\n  %c = toy.add %b, %a\n"
      "  toy.ret %c\n}\n",
      nullptr, &sets);
  ASSERT_TRUE(module) << module.message();
  const Function& f = *module->find_function("f");
  std::span<const InstId> insts = f.insts(f.entry());
  EXPECT_EQ(f.inst(insts[0]).form(), 1u);
  EXPECT_EQ(f.inst(insts[1]).form(), 0u);
}

TEST(MachineInsts, SayWhyTheyAreRefused) {
  Toy sets;
  auto error = [&](std::string_view line) {
    std::string text =
        "func $f(%a: i64, %n: i32) ssa target toy {\n@entry:\n  " + std::string(line) + "\n  toy.ret\n}\n";
    Result<Module> module = parse(text, nullptr, &sets);
    return module ? verifies(*module).message() : module.message();
  };
  EXPECT_EQ(error("%b = toy.add %a, 7"), "");
  EXPECT_NE(error("%b = toy.add %a, 100").find("must be a register"), std::string::npos);
  EXPECT_NE(error("%b = toy.add %a, %n").find("is i32, but must be 64 bits wide"), std::string::npos);
  EXPECT_NE(error("%b = toy.add %a").find("takes 2 operands, but has 1"), std::string::npos);
  EXPECT_NE(error("%b = toy.ad %a, 7").find("did you mean"), std::string::npos);
  EXPECT_NE(error("%b, %c = toy.load.post %a, 100").find("literal out of its range"), std::string::npos);
  EXPECT_NE(error("toy.add %a, 7").find("has 1 result, not 0"), std::string::npos);
  EXPECT_NE(parse("func $f() target none {\n@a:\n  ret\n}\n", nullptr, &sets)
                .message()
                .find("there is no target 'none' with instructions"),
            std::string::npos);
}

TEST(MachineInsts, MeanWhatTheirMeaningSays) {
  Toy sets;
  Result<Module> module = parse(valid_text(), nullptr, &sets);
  ASSERT_TRUE(module);
  EXPECT_EQ(interpret(*module, "sum", {0}).number(), 0);
  EXPECT_EQ(interpret(*module, "sum", {2}).number(), 7);
  EXPECT_EQ(interpret(*module, "sum", {3}).number(), 12);
  EXPECT_EQ(interpret(*module, "sum", {4}).status, Outcome::Status::Undefined);
  Expanded expanded = expand_meanings(*module->find_function("sum"));
  EXPECT_TRUE(verifies(*module, expanded.function)) << verifies(*module, expanded.function).message();
}

// A result may have the register of an operand: all operands are read first.
TEST(MachineInsts, ReadBeforeTheyWrite) {
  Toy sets;
  Result<Module> module = parse(
      "global $g align 8 { i64 7, i64 9 }\n\nfunc $f() -> i64 target toy {\n@entry:\n  %b = ptrtoint.ptr.i64 "
      "$g\n"
      "  %v, %b = toy.load.post %b, 8\n  %b, %x = toy.load.post %b, 0\n  %b = toy.add %b, %v\n  toy.ret "
      "%b\n}\n",
      nullptr, &sets);
  ASSERT_TRUE(module) << module.message();
  EXPECT_TRUE(verifies(*module)) << verifies(*module).message();
  EXPECT_EQ(interpret(*module, "f", {}).number(), 16);
}

// A guarded compare-and-branch or store does nothing where the guard is false.
TEST(MachineInsts, GuardsReachIntoTheMeaning) {
  Toy sets;
  Result<Module> module = parse(
      "global $g align 8 { i64 7 }\n\nfunc $f(%p: i1, %a: i64) -> i64 target toy {\n@entry:\n"
      "  %b = ptrtoint.ptr.i64 $g\n  %one = mov.i64 1\n  %p ? toy.store %a, %b\n  !%p ? toy.blt %a, %one, "
      "@low\n"
      "  toy.jump @high\n@low:\n  %r = mov.i64 -1\n  toy.ret %r\n@high:\n  %r = load.i64 $g\n  toy.ret "
      "%r\n}\n",
      nullptr, &sets);
  ASSERT_TRUE(module) << module.message();
  EXPECT_TRUE(verifies(*module)) << verifies(*module).message();
  EXPECT_EQ(interpret(*module, "f", {1, 0}).number(), 0);
  EXPECT_EQ(interpret(*module, "f", {0, 0}).number(), -1);
  EXPECT_EQ(interpret(*module, "f", {0, 5}).number(), 7);
}

TEST(MachineInsts, BoundariesOfFunctions) {
  Toy sets;
  Result<Module> module = parse(
      "func $f(%a: i64, %c: i8) -> i64 ssa target toy {\n@entry:\n  %l = toy.lo %a\n  %h = toy.hi %a\n"
      "  %w = toy.widen.i8.i32 %c\n  %s = add.i32 %h, %w\n  %r = toy.pair %s, %l\n  toy.ret %r\n}\n",
      nullptr, &sets);
  ASSERT_TRUE(module) << module.message();
  EXPECT_TRUE(verifies(*module)) << verifies(*module).message();
  EXPECT_EQ(interpret(*module, "f", {0x100000002, -1}).number(), 0x200000100);
}

// What a predicate means follows from the meaning of the instruction that computes it.
TEST(MachineInsts, PredicatesFollowFromMeanings) {
  Toy sets;
  Result<Module> module = parse(
      "func $f(%a: i64, %b: i64) -> i64 ssa target toy {\n@entry:\n  %p = toy.clt %a, %b\n"
      "  %q = toy.clt %b, %a\n  %p ? %x = toy.add %a, 1\n  %q ? %y = toy.add %b, 1\n"
      "  %z = psi %a, %p ? %x, %q ? %y\n  toy.ret %z\n}\n",
      nullptr, &sets);
  ASSERT_TRUE(module) << module.message();
  const Function& f = *module->find_function("f");
  Analyses analyses(f);
  GuardFacts& facts = analyses.get<GuardFacts>();
  Operand p = find_reg(f, "p"), q = find_reg(f, "q");
  EXPECT_TRUE(facts.excludes(facts.term(p), facts.term(q)));
  EXPECT_FALSE(facts.contains(facts.term(p), facts.term(q)));
  EXPECT_EQ(facts.guard(f.insts(f.entry())[2]), facts.term(p));
  // A psi under a guard that the definition does not cover is an error, as in generic code.
  Result<Module> wrong = parse(
      "func $f(%a: i64, %b: i64) -> i64 ssa target toy {\n@entry:\n  %p = toy.clt %a, %b\n"
      "  %p ? %x = toy.add %a, 1\n  %z = psi %a, !%p ? %x\n  toy.ret %z\n}\n",
      nullptr, &sets);
  ASSERT_TRUE(wrong) << wrong.message();
  EXPECT_NE(verifies(*wrong).message().find("psi-domain"), std::string::npos);
}

}  // namespace
}  // namespace psi
