// How errors are reported, what the predicate oracle changes, and that nothing can crash the verifier.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "iterations.h"
#include "psi/ir/builder.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"
#include "verify_cases.h"

namespace psi {
namespace {

Module parsed_only(std::string_view text, SourceMap* map = nullptr) {
  Result<Module> module = parse(text, map);
  EXPECT_TRUE(module) << render(module, "test", text);
  return module ? std::move(*module) : Module();
}

constexpr std::string_view kTwoErrors =
    "func $f(%a: i32, %b: i64) {\n"
    "@entry:\n"
    "  %x = add.i32 %a, %b\n"
    "  %a ? %y = mov %a\n"
    "  ret\n"
    "}\n";

TEST(VerifyReport, NamesThePlaceInTheText) {
  SourceMap map;
  Module module = parsed_only(kTwoErrors, &map);
  Result<void> verified = verifies(module, {.map = &map});
  EXPECT_FALSE(verified);
  ASSERT_EQ(verified.diagnostics().num_errors(), 2u);
  EXPECT_EQ(verified.diagnostics().all()[0].where.line, 3u);
  EXPECT_EQ(verified.diagnostics().all()[0].message,
            "operand 2 of add is %b of type i64, not i32 [operand-type]");
  EXPECT_TRUE(verified.diagnostics().all()[0].context.empty());
  EXPECT_EQ(verified.diagnostics().all()[1].where.line, 4u);
  EXPECT_EQ(verified.diagnostics().all()[1].message, "the guard %a has type i32, not i1 [guard-type]");
}

TEST(VerifyReport, NamesTheInstructionWhereThereIsNoText) {
  Module module = parsed_only(kTwoErrors);
  Result<void> verified = verifies(module);
  EXPECT_FALSE(verified);
  ASSERT_EQ(verified.diagnostics().num_errors(), 2u);
  EXPECT_EQ(verified.diagnostics().all()[0].context, "function $f, block @entry: %x = add.i32 %a, %b");
}

TEST(VerifyReport, FindsErrorsInEveryFunction) {
  Module module = parsed_only(
      "func $f() {\n@a:\n  br @a\n}\n"
      "func $g() -> i32 {\n@a:\n  ret\n}\n"
      "func $h(%a: i32) {\n@a:\n  %x = mov %a\n}\n");
  Result<void> verified = verifies(module);
  EXPECT_FALSE(verified);
  EXPECT_EQ(verified.diagnostics().num_errors(), 3u);
}

TEST(VerifyReport, OneFunctionAlone) {
  Module module = parsed_only("func $f() {\n@a:\n  br @a\n}\nfunc $g() {\n@a:\n  ret\n}\n");
  Result<void> verified = verifies(module, *module.find_function("g"));
  EXPECT_TRUE(verified);
  EXPECT_FALSE(verifies(module, *module.find_function("f")));
}

TEST(VerifyReport, CountsErrorsPastTheLimit) {
  std::string text = "func $f(%a: i64) {\n@a:\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("  %x{} = add.i32 %a, 1\n", i);
  text += "  ret\n}\n";
  Module module = parsed_only(text);
  Result<void> verified = verifies(module);
  EXPECT_FALSE(verified);
  EXPECT_EQ(verified.diagnostics().num_errors(), 1000u);
  EXPECT_EQ(verified.diagnostics().all().size(), Diagnostics::kMaxErrors);
}

// Knows that %q is part of %p, and that %r is the rest of it.
class PartsOracle : public PredicateOracle {
 public:
  explicit PartsOracle(const Function& f)
      : p_(find_reg(f, "p")), q_(find_reg(f, "q")), r_(find_reg(f, "r")) {}
  Answer implies(const Function& f, Guard inner, Guard outer) const override {
    if (part(inner) && outer == Guard(p_, false)) return Answer::Yes;
    if (part(outer) && inner == Guard(p_, false)) return Answer::No;
    if (part(inner) && part(outer) && inner != outer) return Answer::No;
    return PredicateOracle::implies(f, inner, outer);
  }
  Answer disjoint(const Function& f, Guard a, Guard b) const override {
    if (part(a) && part(b)) return a == b ? Answer::No : Answer::Yes;
    return PredicateOracle::disjoint(f, a, b);
  }

 private:
  bool part(Guard guard) const { return guard == Guard(q_, false) || guard == Guard(r_, false); }
  Reg p_, q_, r_;
};

TEST(VerifyOracle, SharpensPsiDomains) {
  Module module = parsed_only(R"(
func $f(%p: i1, %q: i1, %r: i1, %a: i32) ssa {
@a:
  %p ? %x = mov %a
  %q ? %y = mov %a
  %fine = psi %a, %q ? %x
  %wrong = psi %a, %p ? %y
  %wrong2 = psi %a, %r ? %y
  ret
})");
  PredicateOracle names;
  EXPECT_TRUE(verifies(module, {.oracle = &names}));
  // Nothing relates the three, so all can be wrong.
  EXPECT_EQ(verifies(module).diagnostics().num_errors(), 3u);
  PartsOracle oracle(testing::f(module));
  Result<void> verified = verifies(module, {.oracle = &oracle});
  EXPECT_FALSE(verified);
  ASSERT_EQ(verified.diagnostics().num_errors(), 2u);
  EXPECT_EQ(verified.diagnostics().all()[0].message,
            "argument 2 of psi takes %y under %p, which is defined only under %q [psi-domain]");
}

// What the predicate engine shows of different registers.
TEST(VerifyOracle, EngineKnowsPredicates) {
  auto num_errors = [](std::string_view body) {
    Module module = parsed_only(fmt::format("func $f(%a: i32, %b: i32, %i: i1) ssa {{\n{}}}", body));
    return verifies(module).diagnostics().num_errors();
  };
  // Both from one compare.
  EXPECT_EQ(num_errors("@e:\n  %p, %q = cmpp.un.uc.lt.i32 %a, %b\n  %p ? %x = mov %a\n"
                       "  %y = psi %b, %q ? %x\n  ret\n"),
            1u);
  // a < 3 lies within a < 7, and not the other way round.
  constexpr std::string_view kRanges =
      "@e:\n  %p = cmp.lt.i32 %a, 3\n  %q = cmp.lt.i32 %a, 7\n  {} ? %x = mov %a\n"
      "  %y = psi %b, {} ? %x\n  ret\n";
  EXPECT_EQ(num_errors(fmt::format(kRanges, "%q", "%p")), 0u);
  EXPECT_EQ(num_errors(fmt::format(kRanges, "%p", "%q")), 1u);
  // Under both of a pair it is always defined; under one and something else it is not.
  constexpr std::string_view kUnion =
      "@e:\n  %p, %q = cmpp.un.uc.lt.i32 %a, %b\n  %p ? %x = mov %a\n  {} ? %y = mov %b\n"
      "  %z = psi %p ? %x, {} ? %y\n  %w = psi %b, %z\n  ret\n";
  EXPECT_EQ(num_errors(fmt::format(kUnion, "%q", "%q")), 0u);
  EXPECT_EQ(num_errors(fmt::format(kUnion, "%i", "%i")), 1u);
  // A branch has decided, and a guard that is defined only under another one is read only there.
  EXPECT_EQ(num_errors("@e:\n  %i ? %x = mov %a\n  br %i, @t, @f\n"
                       "@t:\n  %y = psi %b, %x\n  ret\n@f:\n  ret\n"),
            0u);
  EXPECT_EQ(num_errors("@e:\n  %i ? %x = mov %a\n  br %i, @t, @f\n"
                       "@t:\n  ret\n@f:\n  %y = psi %b, %x\n  ret\n"),
            1u);
  EXPECT_EQ(num_errors("@e:\n  %i ? %x = mov %a\n  %i ? %p = cmp.lt.i32 %a, %b\n"
                       "  %y = psi %b, %p ? %x\n  ret\n"),
            0u);
}

TEST(VerifyOracle, ByNameAndPolarity) {
  Function f;
  Guard p(Reg(0), false), not_p(Reg(0), true), q(Reg(1), false), always;
  PredicateOracle oracle;
  EXPECT_EQ(oracle.implies(f, p, p), Answer::Yes);
  EXPECT_EQ(oracle.implies(f, p, always), Answer::Yes);
  EXPECT_EQ(oracle.implies(f, always, always), Answer::Yes);
  EXPECT_EQ(oracle.implies(f, p, not_p), Answer::No);
  EXPECT_EQ(oracle.implies(f, always, p), Answer::No);
  EXPECT_EQ(oracle.implies(f, p, q), Answer::Unknown);
  EXPECT_EQ(oracle.disjoint(f, p, not_p), Answer::Yes);
  EXPECT_EQ(oracle.disjoint(f, p, p), Answer::No);
  EXPECT_EQ(oracle.disjoint(f, p, always), Answer::No);
  EXPECT_EQ(oracle.disjoint(f, p, q), Answer::Unknown);
}

// A psi chain whose written-out domains would double with every step.
TEST(VerifyScale, DeepPsiChains) {
  std::string text = "func $f(%p: i1, %a: i32) ssa {\n@a:\n  %p ? %x0 = mov %a\n";
  for (int i = 1; i < 2000; ++i)
    text += fmt::format("  %x{} = psi %x{}, %p ? %x{}, %p ? %x{}\n", i, i - 1, i - 1, i - 1);
  text += "  ret\n}\n";
  Module module = parsed_only(text);
  Result<void> verified = verifies(module);
  EXPECT_TRUE(verified) << render(verified, "test", {});
}

TEST(VerifyScale, WidePhisAndDeepChains) {
  constexpr uint32_t kBlocks = 100'000;
  Module module;
  Function& f = module.add_function(module.intern_symbol("f"));
  f.form = Form::Ssa;
  Reg p = f.add_reg(Type::i1, "p");
  f.params = {p};
  f.signature.params = {Type::i1};
  Builder builder(f);
  std::vector<BlockId> blocks;
  for (uint32_t i = 0; i < kBlocks; ++i) blocks.push_back(f.add_block());
  std::vector<Operand> pairs;
  for (uint32_t i = 0; i + 1 < kBlocks; ++i) {
    builder.at(blocks[i]);
    builder.br(Operand::reg(p), blocks[i + 1], blocks.back());
    pairs.push_back(Operand::block(blocks[i]));
    pairs.push_back(Operand::reg(p));
  }
  builder.at(blocks.back());
  builder.phi(Type::i1, pairs);
  builder.ret();
  Result<void> verified = verifies(module);
  EXPECT_TRUE(verified) << render(verified, "test", {});
}

// Random damage to everything that can be reached from outside. What comes of it may or may not be valid; it
// must not crash (the sanitizers watch), and what the verifier accepts must be printable.
TEST(VerifyWild, NoModuleCrashesIt) {
  std::mt19937 random(5);
  auto below = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); };
  // Small numbers, numbers near the end of a range, and anything.
  auto number = [&](uint32_t range) -> uint32_t {
    switch (below(4)) {
      case 0:
        return static_cast<uint32_t>(random());
      case 1:
        return range - 1 + below(3);
      case 2:
        return UINT32_MAX - below(3);
      default:
        return below(range + 1);
    }
  };
  std::vector<Module> originals;
  for (std::string_view text : testing::valid_programs()) originals.push_back(parsed_only(text));
  int accepted = 0;
  for (int iteration = 0; iteration < testing::iterations(20'000); ++iteration) {
    Module module = originals[below(static_cast<uint32_t>(originals.size()))];
    std::vector<SymbolId> functions;
    for (SymbolId s : module.declarations()) {
      if (module.kind(s) == SymbolKind::Function) functions.push_back(s);
    }
    if (functions.empty()) continue;
    Function& f = module.function(functions[below(static_cast<uint32_t>(functions.size()))]);
    for (uint32_t edits = 1 + below(3); edits > 0; --edits) {
      if (f.num_insts() == 0) break;
      InstId id(below(f.num_insts()));
      Inst& inst = f.inst(id);
      switch (below(16)) {
        case 0:
          inst.op = static_cast<Opcode>(number(kNumOpcodes));
          break;
        case 1:
          inst.type = static_cast<Type>(number(kNumTypes));
          break;
        case 2:
          inst.kind = static_cast<uint8_t>(number(kNumConds));
          break;
        case 3:
          inst.extra = static_cast<uint8_t>(number(10));
          break;
        case 4:
          inst.count = number(inst.count) & Inst::kMaxOperands;
          break;
        case 5:
          inst.flags = number(16) & 0xff;
          break;
        case 6:
          inst.guard = Guard(Reg(number(f.num_regs())), below(2) == 0);
          break;
        case 7:
          inst.results[below(2)] = Reg(number(f.num_regs()));
          break;
        case 8:
          inst.inline_operands[below(3)] = Operand::from_raw(number(f.num_regs() * 8));
          break;
        case 9:
          // Operands keep their kind and get another index.
          if (inst.count > 0 && f.owns_operands(inst)) {
            Operand& operand = f.operands(id)[below(inst.count)];
            operand = Operand::from_raw((number(f.num_regs()) << 3) | (operand.raw() & 7));
          }
          break;
        case 10: {
          std::vector<BlockId> layout(f.layout().begin(), f.layout().end());
          if (!layout.empty())
            layout[below(static_cast<uint32_t>(layout.size()))] = BlockId(number(f.num_blocks()));
          f.set_layout(layout);
          break;
        }
        case 11:
          f.append(BlockId(below(f.num_blocks())), InstId(number(f.num_insts())));
          break;
        case 12:
          if (!f.params.empty()) f.params[0] = Reg(number(f.num_regs()));
          break;
        case 13:
          f.form = static_cast<Form>(number(4));
          break;
        case 14:
          f.set_type(Reg(below(f.num_regs())), static_cast<Type>(number(kNumTypes)));
          break;
        default:
          f.symbol = SymbolId(number(module.num_symbols()));
          break;
      }
    }
    Result<void> verified = verifies(module);
    if (verified) {
      EXPECT_FALSE(print(module).empty());
      ++accepted;
    } else {
      EXPECT_TRUE(verified.diagnostics().has_errors());
    }
  }
  // Damage that changes nothing must not be all there is.
  EXPECT_LT(accepted, 10'000);
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace psi
