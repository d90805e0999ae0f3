#include "psi/destruct/destruct.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "destruct_runs.h"
#include "iterations.h"
#include "parsing.h"

namespace psi {
namespace {

using testing::destruct_all;
using testing::is_valid;
using testing::kPhiMethods;
using testing::parse_or_die;
using testing::refined;

// $f of the text out of SSA form. Runs it before and after on small numbers.
class Translated {
 public:
  Translated(std::string_view text, const DestructOptions& options) : module(parse_or_die(text)) {
    EXPECT_TRUE(is_valid(module));
    Module before = module;
    counters = destruct_all(module, options);
    const Function& function = *module.find_function("f");
    for (uint64_t seed = 0; seed < testing::iterations(64u); ++seed) {
      std::vector<Value> arguments;
      for (size_t i = 0; i < function.params.size(); ++i) {
        bool is_bit = function.type(function.params[i]) == Type::i1;
        arguments.push_back({is_bit ? seed >> i & 1 : seed >> 2 * i & 7, false});
      }
      EXPECT_TRUE(refined(before, module, function.symbol, arguments)) << phi_method_name(options.method);
    }
  }

  uint64_t operator[](std::string_view counter) const { return counters[counter]; }
  // The blocks with copies from register to register.
  std::multiset<std::string> blocks_with_copies() const {
    std::multiset<std::string> blocks;
    const Function& function = *module.find_function("f");
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        const Inst& inst = function.inst(id);
        if (inst.op == Opcode::Mov && function.operands(inst)[0].is_reg()) blocks.emplace(function.name(b));
      }
    }
    return blocks;
  }

  Module module;
  Counters counters;
};

Translated translated(std::string_view text, PhiMethod method) {
  DestructOptions options;
  options.method = method;
  return Translated(text, options);
}

TEST(Destruct, KnowsItsMethodsByName) {
  for (PhiMethod method : kPhiMethods) EXPECT_EQ(phi_method_from_name(phi_method_name(method)), method);
  EXPECT_EQ(phi_method_from_name("sreedhar4"), std::nullopt);
}

// --- The problems that the papers tell of -------------------------------------------------------------

// Briggs et al., figure 10.
constexpr std::string_view kLostCopy = R"(func $f(%n: i32) -> i32 ssa {
@entry:
  %x1 = mov.i32 1
  br @loop
@loop:
  %x2 = phi [@entry: %x1], [@loop: %x3]
  %x3 = add.i32 %x2, 1
  %more = cmp.lt.i32 %x3, %n
  br %more, @loop, @exit
@exit:
  ret %x2
}
)";

TEST(Destruct, LosesNoCopy) {
  EXPECT_EQ(translated(kLostCopy, PhiMethod::Naive)["copies left"], 3u);
  EXPECT_EQ(translated(kLostCopy, PhiMethod::Briggs)["copies left"], 3u);
  EXPECT_EQ(translated(kLostCopy, PhiMethod::Sreedhar2)["copies left"], 2u);
  EXPECT_EQ(translated(kLostCopy, PhiMethod::Sreedhar3)["copies left"], 1u);
  EXPECT_EQ(translated(kLostCopy, PhiMethod::Boissinot)["copies left"], 1u);
  EXPECT_EQ(translated(kLostCopy, PhiMethod::Unified)["copies left"], 1u);
}

// Figure 9: with the edge back split nothing needs to be saved.
TEST(Destruct, SplitsCriticalEdges) {
  DestructOptions options;
  options.method = PhiMethod::Briggs;
  options.split_critical = true;
  Translated result(kLostCopy, options);
  EXPECT_EQ(result["edges split"], 1u);
  EXPECT_EQ(result["copies left"], 2u);
}

// Figure 12: a copy of each, and one to save what the first overwrites.
constexpr std::string_view kSwap = R"(func $f(%n: i32, %a1: i32, %b1: i32) -> i32 ssa {
@entry:
  %i1 = mov.i32 0
  br @loop
@loop:
  %i2 = phi [@entry: %i1], [@loop: %i3]
  %a2 = phi [@entry: %a1], [@loop: %b2]
  %b2 = phi [@entry: %b1], [@loop: %a2]
  %difference = sub.i32 %a2, %b2
  %i3 = add.i32 %i2, 1
  %more = cmp.lt.i32 %i3, %n
  br %more, @loop, @exit
@exit:
  ret %difference
}
)";

TEST(Destruct, Swaps) {
  for (PhiMethod method : kPhiMethods) {
    Translated result = translated(kSwap, method);
    EXPECT_GE(result["copies left"], 3u);
  }
  // Those for %i, %a1 and %b1 stay, too.
  Translated briggs = translated(kSwap, PhiMethod::Briggs);
  EXPECT_EQ(briggs["copies by phi-web"], 6u);
  EXPECT_EQ(briggs["temporaries"], 1u);
  EXPECT_EQ(briggs["copies left"], 7u);
  for (PhiMethod method : {PhiMethod::Sreedhar3, PhiMethod::Boissinot, PhiMethod::Unified}) {
    EXPECT_EQ(translated(kSwap, method)["copies left"], 3u) << phi_method_name(method);
  }
}

// Figure 13: in the right order nothing needs to be saved.
constexpr std::string_view kOrdering = R"(func $f(%n: i32, %a1: i32, %b1: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %a2 = phi [@entry: %a1], [@loop: %a3]
  %b2 = phi [@entry: %b1], [@loop: %a2]
  %a3 = add.i32 %a2, 1
  %difference = sub.i32 %a3, %b2
  %more = cmp.lt.i32 %a3, %n
  br %more, @loop, @exit
@exit:
  ret %difference
}
)";

TEST(Destruct, PutsCopiesInOrder) {
  for (PhiMethod method : kPhiMethods) EXPECT_EQ(translated(kOrdering, method)["temporaries"], 0u);
  // The two in the loop, and those of %a1 and %b1.
  EXPECT_EQ(translated(kOrdering, PhiMethod::Briggs)["copies left"], 4u);
  for (PhiMethod method : {PhiMethod::Sreedhar3, PhiMethod::Boissinot, PhiMethod::Unified}) {
    EXPECT_EQ(translated(kOrdering, method)["copies left"], 2u) << phi_method_name(method);
  }
}

// French's thesis, figure 4.6.
constexpr std::string_view kThesisInSsa = R"(func $f(%y: i32) -> i32 ssa {
@B1:
  %c1 = cmp.gt.i32 %y, 1
  br %c1, @B2, @B3
@B2:
  %x1 = mov.i32 2
  br @B6
@B3:
  %c2 = cmp.lt.i32 %y, 1
  br %c2, @B4, @B5
@B4:
  %x2 = mov.i32 3
  br @B6
@B5:
  %x3 = mov.i32 10
  br @B6
@B6:
  %x4 = phi [@B2: %x1], [@B4: %x2], [@B5: %x3]
  %i1 = mov.i32 0
  br @B7
@B7:
  %x5 = phi [@B6: %x4], [@B11: %x8]
  %i2 = phi [@B6: %i1], [@B11: %i3]
  %c3 = cmp.lt.i32 %i2, %y
  br %c3, @B8, @B12
@B8:
  %c4 = cmp.gt.i32 %x5, %y
  br %c4, @B9, @B10
@B9:
  %x6 = add.i32 %x5, 1
  br @B11
@B10:
  %x7 = sub.i32 %x5, 1
  br @B11
@B11:
  %x8 = phi [@B9: %x6], [@B10: %x7]
  %i3 = add.i32 %i2, 1
  br @B7
@B12:
  %r = add.i32 %x5, %y
  ret %r
}
)";

// Figure 4.9: both values of the inner branches are computed above them.
constexpr std::string_view kThesisMoved = R"(func $f(%y: i32) -> i32 ssa {
@B1:
  %c1 = cmp.gt.i32 %y, 1
  br %c1, @B2, @B3
@B2:
  %x1 = mov.i32 2
  br @B6
@B3:
  %c2 = cmp.lt.i32 %y, 1
  %x2 = mov.i32 3
  %x3 = mov.i32 10
  br %c2, @B4, @B6
@B4:
  br @B6
@B6:
  %x4 = phi [@B2: %x1], [@B4: %x2], [@B3: %x3]
  %i1 = mov.i32 0
  br @B7
@B7:
  %x5 = phi [@B6: %x4], [@B11: %x8]
  %i2 = phi [@B6: %i1], [@B11: %i3]
  %c3 = cmp.lt.i32 %i2, %y
  br %c3, @B8, @B12
@B8:
  %c4 = cmp.gt.i32 %x5, %y
  %x6 = add.i32 %x5, 1
  %x7 = sub.i32 %x5, 1
  br %c4, @B9, @B11
@B9:
  br @B11
@B11:
  %x8 = phi [@B9: %x6], [@B8: %x7]
  %i3 = add.i32 %i2, 1
  br @B7
@B12:
  %r = add.i32 %x5, %y
  ret %r
}
)";

using Blocks = std::multiset<std::string>;

TEST(Destruct, CopiesOfTheThesis) {
  // Figure 4.8: for %x three results and seven arguments; for %i one and two.
  EXPECT_EQ(translated(kThesisInSsa, PhiMethod::Naive)["copies left"], 10u + 3);
  for (PhiMethod method :
       {PhiMethod::Sreedhar2, PhiMethod::Sreedhar3, PhiMethod::Boissinot, PhiMethod::Unified}) {
    EXPECT_EQ(translated(kThesisInSsa, method)["copies left"], 0u) << phi_method_name(method);
  }
  // Figures 4.10 and 4.11.
  EXPECT_EQ(translated(kThesisMoved, PhiMethod::Sreedhar2).blocks_with_copies(),
            (Blocks{"B3", "B4", "B8", "B9"}));
  EXPECT_EQ(translated(kThesisMoved, PhiMethod::Sreedhar3).blocks_with_copies(), (Blocks{"B4", "B9"}));
  EXPECT_EQ(translated(kThesisMoved, PhiMethod::Boissinot)["copies left"], 2u);
  EXPECT_EQ(translated(kThesisMoved, PhiMethod::Unified)["copies left"], 2u);
}

// --- What the papers do not tell of ---------------------------------------------------------------------

void expect_right(std::string_view text) {
  for (PhiMethod method : kPhiMethods) {
    for (bool values : {true, false}) {
      DestructOptions options;
      options.method = method;
      options.values = values;
      Translated result(text, options);
    }
  }
}

// A copy at the end of @loop stands above the branch, which reads what it must not overwrite.
TEST(Destruct, KeepsWhatTerminatorsRead) {
  expect_right(R"(func $f(%a: i1, %b: i1) -> i32 ssa {
@entry:
  br @loop
@loop:
  %p = phi [@entry: %a], [@loop: %q]
  %i = phi.i32 [@entry: 0], [@loop: %j]
  %q = xor.i1 %p, true
  %j = add.i32 %i, 1
  br %p, @loop, @exit
@exit:
  ret %j
}
)");
  expect_right(R"(func $f(%n: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %i = phi [@entry: %n], [@next: %j], [@loop: %k]
  %j = sub.i32 %i, 1
  %k = sub.i32 %i, 3
  switch.i32 %i, @next, [5: @loop], [4: @exit], [0: @exit], [1: @exit], [2: @exit]
@next:
  br @loop
@exit:
  ret %k
}
)");
}

// %p is copied for the phi in @x, and yet stays live at the end of @a: a copy for the one in @y must not
// overwrite it there.
TEST(Destruct, KeepsWhatWasCopied) {
  constexpr std::string_view kText = R"(func $f(%n: i32) -> i1 ssa {
@entry:
  %p = cmp.lt.i32 %n, 4
  %r = cmp.lt.i32 %n, 2
  %s = cmp.eq.i32 %n, 0
  br %r, @b, @a
@b:
  br %s, @m, @x
@m:
  br @y
@x:
  %w = phi [@a: %p], [@b: %r]
  ret %w
@y:
  %v = phi.i1 [@a: false], [@m: %p]
  ret %v
)";
  for (std::string_view rest : {
           // The terminator reads it,
           "@a:\n  br %p, @x, @y\n",
           "@a:\n  br %p, @y, @x\n",
           "@a:\n  %p ? br @x\n  br @y\n",
           // a block behind it,
           "@a:\n  switch.i32 %n, @y, [2: @x], [3: @z]\n@z:\n  ret %p\n",
           "@a:\n  switch.i32 %n, @z, [2: @y], [4: @x]\n@z:\n  ret %p\n",
           // another phi.
           "@a:\n  switch.i32 %n, @y, [2: @x], [3: @z]\n@z:\n  %u = phi [@a: %p]\n  ret %u\n",
           "@a:\n  switch.i32 %n, @z, [2: @y], [4: @x]\n@z:\n  %u = phi [@a: %p]\n  ret %u\n",
       }) {
    expect_right(std::string(kText) + std::string(rest) + "}\n");
  }
}

// %x and %y get their values from @a at once, so that they cannot become one.
TEST(Destruct, CopiesToTwoBlocksAtOnce) {
  expect_right(R"(func $f(%n: i32, %p: i1) -> i32 ssa {
@entry:
  %c = cmp.lt.i32 %n, 4
  br %c, @a, @b
@a:
  br %p, @s, @t
@b:
  br @s
@s:
  %x = phi.i32 [@a: 1], [@b: 5]
  %z = mov %x
  br @t
@t:
  %y = phi.i32 [@a: 2], [@s: %z]
  ret %y
}
)");
  expect_right(R"(func $f(%n: i32, %p: i1, %q: i1) -> i1 ssa {
@entry:
  %p1, %q1 = cmpp.on.an.lt.i32 %n, 3 if %q old %p, %p
  ret %q1
}
)");
}

// Of phi arguments: literals, undef, the same register twice, the phi itself, parameters, one that is read
// on in both successors; and a phi that nobody reads.
TEST(Destruct, TakesAnyArgument) {
  expect_right(R"(func $f(%n: i32, %m: i32) -> i32 ssa {
@entry:
  switch.i32 %n, @c, [0: @a], [1: @a], [2: @b], [3: @join]
@a:
  br @join
@b:
  br @join
@c:
  br @join
@join:
  %x = phi [@a: %m], [@b: %n], [@c: %m], [@entry: 7]
  %y = phi.i32 [@a: 1], [@b: undef], [@c: %n], [@entry: %n]
  %u = phi.i32 [@a: undef], [@b: undef], [@c: undef], [@entry: undef]
  %dead = phi.i32 [@a: %n], [@b: %m], [@c: 3], [@entry: 4]
  br @loop
@loop:
  %same = phi [@join: %x], [@again: %same]
  %last = phi [@join: %x], [@again: %i]
  %i = phi.i32 [@join: 0], [@again: %j]
  %j = add.i32 %i, 1
  %done = cmp.ge.i32 %j, %m
  br %done, @exit, @again
@again:
  br @loop
@exit:
  %s = add.i32 %same, %last
  %t = shl.i32 %s, 2
  %is_two = cmp.eq.i32 %n, 2
  %z = select %is_two, %n, %y
  %r = sub.i32 %t, %z
  ret %r
}
)");
}

// Of phis that psis and partial compares join with others.
TEST(Destruct, JoinsPhisAndPsis) {
  expect_right(R"(func $f(%p: i1, %q: i1, %n: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %x = phi [@entry: %n], [@loop: %z]
  %i = phi.i32 [@entry: 0], [@loop: %j]
  %g = phi [@entry: %p], [@loop: %h]
  %g ? %y = add.i32 %x, 3
  %z = psi %x, %g ? %y
  %h = cmpp.on.lt.i32 %z, 9 if %q old %g
  %j = add.i32 %i, 1
  %more = cmp.lt.i32 %j, 4
  br %more, @loop, @exit
@exit:
  %s = mul.i32 %x, %z
  ret %s
}
)");
}

}  // namespace
}  // namespace psi
