#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "destruct/psi_steps.h"
#include "destruct_testing.h"
#include "parsing.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ssa/construct.h"
#include "psi/testing/generate.h"
#include "psi_programs.h"

namespace psi {
namespace {

using testing::is_valid;
using testing::parse_or_die;
using testing::PsiProgram;
using testing::PsiRuns;

Counters normalize(Module& module, const DestructOptions& options = {}) {
  Counters counters;
  testing::for_each_body(module, [&](Function& function) {
    Analyses analyses(function);
    destruct::normalize_psis(function, analyses, options, counters);
  });
  return counters;
}

std::vector<DestructOptions> all_options() {
  std::vector<DestructOptions> list;
  for (int bits = 0; bits < 8; ++bits) {
    DestructOptions options;
    options.promote = !(bits & 1);
    options.permute = !(bits & 2);
    options.predicates = !(bits & 4);
    list.push_back(options);
  }
  return list;
}

// Registers and undef only, and what each is made of stands below the definition of the one before.
class OrderCheck {
 public:
  explicit OrderCheck(const Function& function) : function_(function), analyses_(function) {
    const Uses& uses = analyses_.get<Uses>();
    for (BlockId b : analyses_.get<Dominators>().preorder()) {
      for (InstId id : function.insts(b)) {
        if (!function.inst(id).is_psi()) continue;
        Reg previous;
        for (Operand value : values(id)) {
          EXPECT_TRUE(value.is_reg() || value.is_undef());
          if (!value.is_reg()) continue;
          if (previous) {
            Reg top = first_definition(value.reg());
            EXPECT_TRUE(is_above(uses.definition(previous), uses.definition(top)))
                << "%" << previous.index() << " is not above %" << top.index();
          }
          previous = value.reg();
        }
      }
    }
  }

 private:
  std::vector<Operand> values(InstId psi) const {
    std::vector<Operand> list;
    std::span<const Operand> pairs = function_.operands(psi);
    for (size_t i = 1; i < pairs.size(); i += 2) list.push_back(pairs[i]);
    return list;
  }

  Reg first_definition(Reg r) {
    for (;;) {
      InstId id = analyses_.get<Uses>().definition(r);
      if (!id || !function_.inst(id).is_psi()) return r;
      std::vector<Operand> list = values(id);
      auto first = std::ranges::find_if(list, [](Operand value) { return value.is_reg(); });
      if (first == list.end()) return r;
      r = first->reg();
    }
  }

  bool is_above(InstId a, InstId b) {
    if (!a || !b) return !a && b;
    const Uses& uses = analyses_.get<Uses>();
    if (uses.block(a) == uses.block(b)) return uses.position(a) < uses.position(b);
    return analyses_.get<Dominators>().strictly_dominates(uses.block(a), uses.block(b));
  }

  const Function& function_;
  Analyses analyses_;
};

TEST(PsiNormalize, RandomPrograms) {
  std::map<std::string, uint64_t> counts;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    PsiProgram program(seed);
    // What is right only because the loop runs three times may not verify.
    if (!verifies(program.module())) continue;
    PsiRuns runs(program);
    for (const DestructOptions& options : all_options()) {
      Module module = program.module();
      Counters counters = normalize(module, options);
      ASSERT_TRUE(is_valid(module)) << "seed " << seed;
      ASSERT_TRUE(runs.are_refined_by(module)) << "seed " << seed;
      OrderCheck(module.function(program.symbol()));
      for (const auto& [name, count] : counters.all()) counts[name] += count;
    }
  }
  for (const auto& [name, count] : counts) EXPECT_GT(count, 0u) << name;
}

// As variables are renamed their definitions keep their places and guards.
TEST(PsiNormalize, ConstructedCodeIsNormalized) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    GenerateOptions generate_options;
    generate_options.seed = seed;
    Module module = generate(generate_options);
    testing::for_each_body(module, [&](Function& function) {
      Analyses analyses(function);
      ConstructOptions options;
      options.fold = false;
      options.inline_psis = seed % 2;
      Counters counters;
      StepTimes times;
      construct(function, analyses, options, counters, times);
    });
    Counters counters = normalize(module);
    EXPECT_EQ(counters["copies by psi-normalize"], 0u) << "seed " << seed;
    EXPECT_EQ(counters["constants by psi-normalize"], 0u) << "seed " << seed;
  }
}

// Where two blocks use the arguments of a psi in another order, the copy is as high as it can be.
TEST(PsiNormalize, CopiesAreHigh) {
  Module module = parse_or_die(R"(func $f(%p: i1, %i: i32) -> i32 ssa {
@entry:
  %p ? %b = add.i32 %i, 1
  %a = add.i32 %i, 2
  br %p, @then, @exit
@then:
  %x = psi %a, %p ? %b
  ret %x
@exit:
  ret %i
}
)");
  EXPECT_EQ(normalize(module)["copies by psi-normalize"], 1u);
  EXPECT_EQ(print(module), R"(func $f(%p: i1, %i: i32) -> i32 ssa {
@entry:
  %p ? %b = add.i32 %i, 1
  %a = add.i32 %i, 2
  %p ? %b.5 = mov %b
  br %p, @then, @exit
@then:
  %x = psi %a, %p ? %b.5
  ret %x
@exit:
  ret %i
}
)");
}

// A branch on a guard tells that it is defined, too; a psi that need not read it does not.
TEST(PsiNormalize, FreezesGuardsThatMayBeUndef) {
  constexpr std::string_view kText = R"(func $f(%q: i1, %i: i32) -> i32 ssa {{
@entry:
  !%q ? %p = cmp.lt.i32 %i, 10
  %a = add.i32 %i, 1
  br {}, @next, @next
@next:
  %b = add.i32 %i, 2
  %c = add.i32 %i, 3
  %x = psi %a, %p ? %b, %q ? %c
  ret %x
}}
)";
  for (bool is_read : {false, true}) {
    Module module = parse_or_die(fmt::format(kText, is_read ? "%p" : "%q"));
    EXPECT_EQ(normalize(module)["guards frozen"], is_read ? 0u : 1u) << print(module);
    for (uint64_t q : {0, 1}) {
      Outcome outcome = interpret(module, module.declarations()[0], std::array{Value{q}, Value{5}});
      if (is_read && q == 1) continue;
      ASSERT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message;
      EXPECT_EQ(outcome.result.bits, q == 1 ? 8u : 7u);
    }
  }
}

// Long psis, long rows of psis, and psis in psis.
TEST(PsiNormalize, LargeFunctions) {
  constexpr int kSize = 20'000;
  std::string text = "func $f(%p: i1, %q: i1, %i: i32) -> i32 ssa {\n@entry:\n";
  std::string arguments = "%i", nested = "%i";
  for (int k = 0; k < kSize; ++k) {
    text += fmt::format("  %{} ? %a{} = add.i32 %i, {}\n", k % 2 ? "p" : "q", k, k);
    arguments += fmt::format(", %{} ? %a{}", k % 2 ? "p" : "q", k);
    text += fmt::format("  %y{} = psi {}, %{} ? %a{}\n", k, nested, k % 2 ? "p" : "q", k);
    nested = fmt::format("%y{}", k);
  }
  text += fmt::format("  %x = psi {}\n  %z = add.i32 %x, {}\n  ret %z\n}}\n", arguments, nested);
  Module module = parse_or_die(text);
  Counters counters = normalize(module);
  EXPECT_EQ(counters["copies by psi-normalize"], 0u);
}

}  // namespace
}  // namespace psi
