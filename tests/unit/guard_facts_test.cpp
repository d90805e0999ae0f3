#include "psi/predicate/guard_facts.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "parsing.h"
#include "pipeline/fingerprint.h"

namespace psi {
namespace {

using testing::parse_function;
using testing::reg_named;

// %p and %q are exclusive by what is compared, not by name; so are %a and %n by name.
constexpr const char* kGuardedCode = R"(
func $f(%x: i32, %a: i1) -> i32 ssa {
@entry:
  %p = cmp.lt.i32 %x, 3
  %q = cmp.gt.i32 %x, 7
  %s = add.i32 %x, 1
  %p ? %y = add.i32 %s, 1
  !%a ? %z = add.i32 %s, 2
  %r = psi.i32 %p ? %y, !%a ? %z
  ret %s
}
)";

TEST(GuardFacts, KnowWhatPredicatesMean) {
  Function function = parse_function(kGuardedCode);
  Analyses analyses(function);
  auto& facts = analyses.get<GuardFacts>();
  Term p = facts.term(Guard(reg_named(function, "p"))), q = facts.term(Guard(reg_named(function, "q")));
  EXPECT_TRUE(facts.any());
  EXPECT_TRUE(facts.excludes(p, q));
  EXPECT_TRUE(facts.contains(!q, p));
  EXPECT_FALSE(facts.contains(q, p));
  EXPECT_EQ(facts.domain(Operand::reg(reg_named(function, "y"))), p);
  Term a = facts.term(Guard(reg_named(function, "a")));
  EXPECT_EQ(facts.domain(Operand::reg(reg_named(function, "r"))), facts.either(p, !a));
}

TEST(GuardFacts, ByNameKnowComplementsOnly) {
  Function function = parse_function(kGuardedCode);
  Analyses analyses(function);
  GuardFacts& facts = guard_facts(analyses, /*by_name=*/true);
  Term p = facts.term(Guard(reg_named(function, "p"))), q = facts.term(Guard(reg_named(function, "q")));
  EXPECT_FALSE(facts.excludes(p, q));
  EXPECT_TRUE(facts.excludes(p, !p));
  EXPECT_TRUE(facts.contains(facts.either(p, q), p));
  EXPECT_FALSE(facts.contains(p, facts.either(p, q)));
  EXPECT_NE(&facts, &guard_facts(analyses, false));
}

TEST(GuardFacts, AreMadeOnceAndKeptAsLongAsTheyHold) {
  Function function = parse_function(kGuardedCode);
  Analyses analyses(function);
  GuardFacts* facts = &analyses.get<GuardFacts>();
  Term p = facts->term(Guard(reg_named(function, "p")));
  analyses.drop(Keeps::Predicates);
  EXPECT_EQ(&analyses.get<GuardFacts>(), facts);
  EXPECT_EQ(facts->term(Guard(reg_named(function, "p"))), p);
  // %p becomes another predicate.
  function.inst(function.insts(function.entry())[0]).set_cond(Cond::gt);
  analyses.drop(Keeps::ControlFlow);
  auto& anew = analyses.get<GuardFacts>();
  EXPECT_FALSE(
      anew.excludes(anew.term(Guard(reg_named(function, "p"))), anew.term(Guard(reg_named(function, "q")))));
}

// In plain form `%p` is another predicate behind each of its definitions.
TEST(GuardFacts, OfABlockHoldAtEachInstruction) {
  Function function = parse_function(R"(
func $f(%x: i32) -> i32 {
@entry:
  %y = mov.i32 0
  %p = cmp.lt.i32 %x, 3
  %p ? %y = add.i32 %y, 1
  %p = cmp.gt.i32 %x, 7
  %p ? %y = add.i32 %y, 2
  ret %y
}
)");
  GuardFacts facts(function, function.entry());
  std::span<const InstId> insts = function.insts(function.entry());
  EXPECT_TRUE(facts.excludes(facts.guard(insts[2]), facts.guard(insts[4])));
  EXPECT_EQ(facts.guard(insts[0]), Term::always());
}

// --- What changes leave as it was -------------------------------------------------------------------------

class KeptByChange : public ::testing::Test {
 protected:
  Keeps after(void (*change)(Function&)) {
    Function function = parse_function(kGuardedCode);
    Fingerprint before = fingerprint(function);
    change(function);
    return kept(before, fingerprint(function));
  }
  static InstId inst(Function& function, size_t i) { return function.insts(function.entry())[i]; }
};

TEST_F(KeptByChange, IsWhatNoChangeTouches) {
  EXPECT_EQ(after([](Function&) {}), Keeps::All);
  EXPECT_EQ(after([](Function& f) { f.inst(inst(f, 2)).op = Opcode::Sub; }), Keeps::Predicates);
  EXPECT_EQ(after([](Function& f) { f.inst(inst(f, 0)).set_cond(Cond::le); }), Keeps::ControlFlow);
  EXPECT_EQ(after([](Function& f) { f.inst(inst(f, 3)).guard = Guard(); }), Keeps::ControlFlow);
  EXPECT_EQ(after([](Function& f) { f.inst(inst(f, 6)).op = Opcode::Unreachable; }), Keeps::Nothing);
  EXPECT_EQ(after([](Function& f) { f.set_count(f.entry(), 7); }), Keeps::Nothing);
  EXPECT_EQ(after([](Function& f) { f.add_block(); }), Keeps::Nothing);
}

TEST_F(KeptByChange, IsNotOfInstructionsThatTradePlaces) {
  Keeps keeps = after([](Function& f) {
    std::vector<InstId> ids(f.insts(f.entry()).begin(), f.insts(f.entry()).end());
    std::swap(ids[1], ids[2]);
    f.set_insts(f.entry(), ids);
  });
  EXPECT_EQ(keeps, Keeps::Predicates);
}

}  // namespace
}  // namespace psi
