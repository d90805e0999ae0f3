#include "psi/ssa/construct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "iterations.h"
#include "parsing.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/interp/interpret.h"
#include "psi/ir/builder.h"
#include "psi/ir/edits.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"
#include "ssa/phi_sites.h"
#include "ssa/variables.h"
#include "support/scratch.h"

namespace psi {
namespace {

using testing::parse_or_die;

// Every function of the module into SSA form; what was counted.
Counters construct_all(Module& module, const ConstructOptions& options) {
  Counters counters;
  StepTimes times;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    Analyses analyses(module.function(symbol));
    construct(module.function(symbol), analyses, options, counters, times);
  }
  Result<void> verified = verifies(module);
  EXPECT_TRUE(verified) << render(verified, "result", {}) << print(module);
  return counters;
}

std::string constructed(std::string_view text, const ConstructOptions& options = {}) {
  Module module = parse_or_die(text);
  construct_all(module, options);
  return print(module);
}

// The same whatever the registers are called: numbered in the order of the text, without names.
std::string canonical(Module module) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    Function& function = module.function(symbol);
    function.strip_names();
    std::vector<uint32_t> regs(function.num_regs(), UINT32_MAX), blocks(function.num_blocks());
    uint32_t next = 0;
    auto number = [&](Reg r) {
      if (r && regs[r.index()] == UINT32_MAX) regs[r.index()] = next++;
    };
    for (Reg param : function.params) number(param);
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        for (Reg result : function.inst(id).results) number(result);
      }
    }
    for (uint32_t& r : regs) {
      if (r == UINT32_MAX) r = next++;
    }
    for (uint32_t b = 0; b < blocks.size(); ++b) blocks[b] = b;
    function.renumber(regs, blocks);
  }
  return print(module);
}

// Takes out phis that nothing reads, again and again.
void remove_dead_phis(Module& module) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    Function& function = module.function(symbol);
    // A set of phis that only read each other is dead as well: start from what is not a phi.
    std::set<Reg> live;
    for (size_t before = SIZE_MAX; before != live.size();) {
      before = live.size();
      for (BlockId b : function.layout()) {
        for (InstId id : function.insts(b)) {
          const Inst& inst = function.inst(id);
          if (inst.is_phi() && !live.contains(inst.results[0])) continue;
          if (inst.guard) live.insert(inst.guard.reg());
          for (Operand operand : std::as_const(function).operands(id)) {
            if (operand.reads_reg()) live.insert(operand.reg());
          }
        }
      }
    }
    for (BlockId b : function.layout()) {
      BlockEdits edits;
      uint32_t position = 0;
      for (InstId id : function.insts(b)) {
        if (function.inst(id).is_phi() && !live.contains(function.inst(id).results[0]))
          edits.remove(position);
        ++position;
      }
      edits.apply(function, b);
    }
  }
}

// $f of these parameters, without blocks.
Function& add_function(Module& module, std::vector<Type> params) {
  Function& function = module.add_function(module.intern_symbol("f"));
  function.signature = {Type::i32, std::move(params), false};
  for (Type type : function.signature.params) function.params.push_back(function.add_reg(type));
  return function;
}

Module random_program(uint64_t seed, uint64_t size = 150) {
  GenerateOptions options;
  options.seed = seed;
  options.size = size;
  constexpr std::array kShapes = {Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed};
  options.shape = kShapes[seed % kShapes.size()];
  return generate(options);
}

constexpr std::string_view kThesis = R"(func $f(%y: i32) -> i32 {
@B1:
  %c1 = cmp.gt.i32 %y, 1
  br %c1, @B2, @B3
@B2:
  %x = mov.i32 2
  br @B6
@B3:
  %c2 = cmp.lt.i32 %y, 1
  br %c2, @B4, @B5
@B4:
  %x = mov.i32 3
  br @B6
@B5:
  %x = mov.i32 10
  br @B6
@B6:
  %i = mov.i32 0
  br @B7
@B7:
  %c3 = cmp.lt.i32 %i, %y
  br %c3, @B8, @B12
@B8:
  %c4 = cmp.gt.i32 %x, %y
  br %c4, @B9, @B10
@B9:
  %x = add.i32 %x, 1
  br @B11
@B10:
  %x = sub.i32 %x, 1
  br @B11
@B11:
  %i = add.i32 %i, 1
  br @B7
@B12:
  %r = add.i32 %x, %y
  ret %r
}
)";

std::vector<std::optional<PlacementAlgorithm>> all_places() {
  return {PlacementAlgorithm::Auto,           PlacementAlgorithm::Adt,
          PlacementAlgorithm::DjGraph,        PlacementAlgorithm::Cytron,
          PlacementAlgorithm::CytronFerrante, std::nullopt};
}

// Which variables have a phi in which block, by the stems of their names.
std::map<std::string, std::set<std::string>> phis_of(const Function& function) {
  std::map<std::string, std::set<std::string>> result;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      if (!function.inst(id).is_phi()) continue;
      std::string name(function.name(function.inst(id).results[0]));
      result[name.substr(0, name.find('.'))].insert(std::string(function.name(b)));
    }
  }
  return result;
}

TEST(Construct, PlacesThePhisOfTheThesisExample) {
  const std::map<std::string, std::set<std::string>> expected = {{"x", {"B6", "B7", "B11"}}, {"i", {"B7"}}};
  for (std::optional<PlacementAlgorithm> place : all_places()) {
    for (bool share : {false, true}) {
      Module module = parse_or_die(kThesis);
      ConstructOptions options;
      options.place = place;
      options.share = share;
      Counters counters = construct_all(module, options);
      EXPECT_EQ(phis_of(*module.find_function("f")), expected);
      EXPECT_EQ(counters["phis"], 4u);
    }
  }
}

TEST(Construct, SetsTheForm) {
  Module module = parse_or_die(kThesis);
  construct_all(module, {});
  EXPECT_EQ(module.find_function("f")->form, Form::Ssa);
}

// Whatever finds the joins, and however names are kept, the result is the same text.
TEST(Construct, DoesNotDependOnTheAlgorithm) {
  for (uint64_t seed = 0; seed < testing::iterations(150u); ++seed) {
    // Some too large for sets of blocks in a word.
    Module program = seed % 10 == 0 ? random_program(seed, 400) : random_program(seed);
    for (Flavour flavour : {Flavour::Minimal, Flavour::SemiPruned, Flavour::Pruned}) {
      ConstructOptions options;
      options.flavour = flavour;
      options.fold = seed % 3 != 0;
      options.inline_psis = seed % 5 == 0;
      Module reference = program;
      Counters counters = construct_all(reference, options);
      std::string expected = print(reference);
      for (std::optional<PlacementAlgorithm> place : all_places()) {
        if (!place) continue;
        for (bool share : {false, true}) {
          for (NameStacks stacks : {NameStacks::PushOnce, NameStacks::PushEvery}) {
            options.place = place;
            options.share = share;
            options.stacks = stacks;
            Module module = program;
            Counters other = construct_all(module, options);
            ASSERT_EQ(print(module), expected) << "seed " << seed;
            ASSERT_EQ(other["phis"], counters["phis"]);
            ASSERT_EQ(other["worklists run"] + other["worklists avoided"] + other["variables without joins"],
                      counters["worklists run"] + counters["variables without joins"]);
            if (stacks == NameStacks::PushEvery) {
              ASSERT_GE(other["pushes"], counters["pushes"]);
            } else {
              ASSERT_EQ(other["pushes"], counters["pushes"]);
            }
          }
        }
      }
    }
  }
}

// The flavours differ in dead phis only.
TEST(Construct, MinimalWithoutDeadPhisIsPruned) {
  uint64_t phis[3] = {};
  for (uint64_t seed = 0; seed < testing::iterations(1500u); ++seed) {
    Module program = random_program(seed);
    ConstructOptions options;
    options.fold = seed % 2 == 0;
    Module pruned = program;
    phis[0] += construct_all(pruned, options)["phis"];
    std::string expected = canonical(pruned);
    for (Flavour flavour : {Flavour::SemiPruned, Flavour::Minimal}) {
      Module module = program;
      options.flavour = flavour;
      phis[static_cast<int>(flavour)] += construct_all(module, options)["phis"];
      remove_dead_phis(module);
      ASSERT_EQ(canonical(module), expected) << "seed " << seed;
    }
  }
  // Or the test would show nothing.
  EXPECT_GT(phis[0], 1000u);
  EXPECT_GT(phis[1], phis[0]);
  EXPECT_GT(phis[2], phis[1]);
}

// Which of the two is used depends on the shape of the function; both must always be right.
TEST(Construct, BothPruningAlgorithmsAgree) {
  uint64_t dropped = 0;
  for (uint64_t seed = 0; seed < testing::iterations(600u); ++seed) {
    Module program = random_program(seed, 400);
    for (SymbolId symbol : program.declarations()) {
      if (program.kind(symbol) != SymbolKind::Function || program.function(symbol).is_declaration()) continue;
      const Function& function = program.function(symbol);
      Analyses analyses(function);
      const Cfg& cfg = analyses.get<Cfg>();
      const Dominators& dominators = analyses.get<Dominators>();
      Scratch scratch;
      ssa::Variables variables(function, dominators, ssa::Variables::All, scratch);
      ConstructOptions options;
      options.flavour = seed % 2 == 0 ? Flavour::SemiPruned : Flavour::Minimal;
      Counters counters;
      ssa::SiteList all = ssa::place_phis(variables, analyses, options, scratch, counters).joins;
      ssa::SiteList by_walk = all, by_search = all;
      ssa::ArgumentSlots slots(cfg, scratch);
      ssa::prune_by_walk(by_walk, variables, dominators, slots, cfg.num_blocks());
      ssa::prune_by_search(by_search, variables, cfg, dominators);
      auto sorted = [](const ssa::SiteList& sites) {
        std::vector<std::pair<Reg, BlockId>> pairs;
        for (ssa::PhiSite site : sites) pairs.emplace_back(site.variable, site.block);
        std::sort(pairs.begin(), pairs.end());
        return pairs;
      };
      ASSERT_EQ(sorted(by_walk), sorted(by_search)) << "seed " << seed;
      dropped += all.size() - by_walk.size();
    }
  }
  EXPECT_GT(dropped, 1000u);
}

// Construction on the fly finds the same phis, also in irreducible loops.
TEST(Construct, OnTheFlyIsPruned) {
  for (uint64_t seed = 0; seed < testing::iterations(1500u); ++seed) {
    Module program = random_program(seed);
    ConstructOptions options;
    options.fold = false;
    Module pruned = program, on_the_fly = program;
    Counters expected = construct_all(pruned, options);
    options.place = std::nullopt;
    Counters counters = construct_all(on_the_fly, options);
    ASSERT_EQ(canonical(on_the_fly), canonical(pruned)) << "seed " << seed;
    ASSERT_EQ(counters["phis"], expected["phis"]);
    ASSERT_EQ(counters["given up on the fly"], 0u);
  }
}

TEST(Construct, OnTheFlyGivesUpWherePhisExplode) {
  constexpr uint32_t kSize = 1000;
  Module module;
  Function& function = add_function(module, {Type::i1, Type::i32});
  Builder builder(function);
  Operand p = Operand::reg(function.params[0]), v = Operand::reg(function.params[1]);
  builder.at(function.add_block());
  std::vector<Reg> variables;
  for (uint32_t i = 0; i < kSize; ++i) variables.push_back(builder.op(Opcode::Add, Type::i32, {v, v}));
  for (uint32_t i = 0; i < kSize; ++i) {
    BlockId then = function.add_block(), join = function.add_block();
    builder.br(p, then, join);
    builder.at(then);
    builder.br(join);
    builder.at(join);
  }
  Operand sum = v;
  for (Reg variable : variables) {
    sum = Operand::reg(builder.op(Opcode::Add, Type::i32, {sum, Operand::reg(variable)}));
  }
  builder.ret(sum);
  ConstructOptions options;
  options.place = std::nullopt;
  Counters counters = construct_all(module, options);
  EXPECT_EQ(counters["given up on the fly"], 1u);
  EXPECT_EQ(counters["phis"], 0u);
}

TEST(Construct, GivesAGuardedDefinitionAPsi) {
  EXPECT_EQ(constructed(R"(func $f(%p: i1, %q: i1, %x: i32) -> i32 {
@entry:
  %p ? %x = add.i32 %x, 1
  !%q ? %x = add.i32 %x, 2
  ret %x
}
)"),
            R"(func $f(%p: i1, %q: i1, %x.1: i32) -> i32 ssa {
@entry:
  %p ? %x.2 = add.i32 %x.1, 1
  %x.3 = psi %x.1, %p ? %x.2
  !%q ? %x.4 = add.i32 %x.3, 2
  %x.5 = psi %x.3, !%q ? %x.4
  ret %x.5
}
)");
}

TEST(Construct, InlinesPsisIfAsked) {
  ConstructOptions options;
  options.inline_psis = true;
  Module module = parse_or_die(R"(func $f(%p: i1, %q: i1, %x: i32) -> i32 {
@entry:
  %p ? %x = mov.i32 1
  %y = add.i32 %x, 1
  %q ? %x = mov.i32 2
  !%p ? %x = mov.i32 3
  %z = add.i32 %x, %y
  ret %z
}
)");
  Counters counters = construct_all(module, options);
  EXPECT_EQ(print(module), R"(func $f(%p: i1, %q: i1, %x.1: i32) -> i32 ssa {
@entry:
  %p ? %x.2 = mov.i32 1
  %x.3 = psi %x.1, %p ? %x.2
  %y = add.i32 %x.3, 1
  %q ? %x.4 = mov.i32 2
  !%p ? %x.5 = mov.i32 3
  %x.6 = psi %x.1, %p ? %x.2, %q ? %x.4, !%p ? %x.5
  %z = add.i32 %x.6, %y
  ret %z
}
)");
  // The middle one was read by the last only, which has its arguments now.
  EXPECT_EQ(counters["psis"], 2u);
  EXPECT_EQ(counters["psis inlined"], 2u);
}

TEST(Construct, InlinesPsisUpToALimit) {
  std::string text = "func $f(%p: i1, %x: i32) -> i32 {\n@entry:\n";
  for (int i = 0; i < 1000; ++i) text += "  %p ? %x = add.i32 %x, 1\n  !%p ? %x = add.i32 3, 1\n";
  text += "  ret %x\n}\n";
  ConstructOptions options;
  options.inline_psis = true;
  Module module = parse_or_die(text);
  Counters counters = construct_all(module, options);
  EXPECT_LT(counters["psi arguments"], 2000u * 66);
}

TEST(Construct, GivesPartialComparesTheirOldValues) {
  EXPECT_EQ(constructed(R"(func $f(%a: i32, %r: i1) -> i1 {
@entry:
  %p = mov false
  %p, %q = cmpp.on.uc.gt.i32 %a, 10 if %r
  %p, %q = cmpp.on.cc.gt.i32 %a, 100 if !%q
  %s = and.i1 %p, %q
  ret %s
}
)"),
            R"(func $f(%a: i32, %r: i1) -> i1 ssa {
@entry:
  %p.1 = mov.i1 false
  %p.2, %q.1 = cmpp.on.uc.gt.i32 %a, 10 if %r old %p.1
  %p.3, %q.2 = cmpp.on.cc.gt.i32 %a, 100 if !%q.1 old %p.2, %q.1
  %s = and.i1 %p.3, %q.2
  ret %s
}
)");
}

// A partial target reads the value from before the join, so that needs a phi in every flavour.
TEST(Construct, GivesPartialComparesAPhi) {
  constexpr std::string_view kText = R"(func $f(%c: i1, %a: i32) -> i1 {
@entry:
  %p = mov.i1 true
  br %c, @then, @join
@then:
  %p = mov.i1 false
  br @join
@join:
  %p = cmpp.on.gt.i32 %a, 10
  ret %p
}
)";
  for (std::optional<PlacementAlgorithm> place : all_places()) {
    for (Flavour flavour : {Flavour::Minimal, Flavour::SemiPruned, Flavour::Pruned}) {
      ConstructOptions options;
      options.place = place;
      options.flavour = flavour;
      EXPECT_EQ(constructed(kText, options), R"(func $f(%c: i1, %a: i32) -> i1 ssa {
@entry:
  %p.1 = mov.i1 true
  br %c, @then, @join
@then:
  %p.2 = mov.i1 false
  br @join
@join:
  %p.3 = phi [@entry: %p.1], [@then: %p.2]
  %p.4 = cmpp.on.gt.i32 %a, 10 old %p.3
  ret %p.4
}
)");
    }
  }
}

TEST(Construct, FoldsCopies) {
  Module module = parse_or_die(R"(func $f(%p: i1, %a: i32, %b: i32) -> i32 {
@entry:
  %x = mov %a
  %p ? %x = mov %b
  %x = mov %x
  !%p ? %x = mov %x
  %y = mov %x
  ret %y
}
)");
  Counters counters = construct_all(module, {});
  EXPECT_EQ(counters["copies folded"], 5u);
  EXPECT_EQ(print(module), R"(func $f(%p: i1, %a: i32, %b: i32) -> i32 ssa {
@entry:
  %x = psi %a, %p ? %b
  ret %x
}
)");
}

// Where the source has no value the copy may not become an argument under the guard.
TEST(Construct, KeepsACopyOfWhatMayBeUndefined) {
  EXPECT_EQ(constructed(R"(func $f(%p: i1, %q: i1) -> i32 {
@entry:
  %x = mov.i32 1
  %p ? %y = mov.i32 2
  !%p ? %x = mov %y
  %p ? %x = mov %y
  %q ? %x = mov %y
  ret %x
}
)"),
            R"(func $f(%p: i1, %q: i1) -> i32 ssa {
@entry:
  %x.1 = mov.i32 1
  %p ? %y.1 = mov.i32 2
  %y.2 = psi %p ? %y.1
  !%p ? %x.2 = mov %y.2
  %x.3 = psi %x.1, !%p ? %x.2
  %x.4 = psi %x.3, %p ? %y.2
  %q ? %x.5 = mov %y.2
  %x.6 = psi %x.4, %q ? %x.5
  ret %x.6
}
)");
}

// A phi that only a folded copy read is gone with it.
TEST(Construct, PrunesWhatOnlyFoldedCopiesRead) {
  constexpr std::string_view kText = R"(func $f(%p: i1, %x: i32) -> i32 {
@entry:
  br %p, @then, @join
@then:
  %x = mov.i32 1
  br @join
@join:
  %y = mov %x
  ret 5
}
)";
  for (std::optional<PlacementAlgorithm> place : all_places()) {
    for (bool fold : {false, true}) {
      Module module = parse_or_die(kText);
      ConstructOptions options;
      options.place = place;
      options.fold = fold;
      EXPECT_EQ(construct_all(module, options)["phis"], fold ? 0u : 1u);
    }
  }
}

// Reading a variable without a value is undef; as a guard it needs a register.
TEST(Construct, UndefinedGuardsGetARegister) {
  constexpr std::string_view kText = R"(func $f(%c: i1) -> i32 {
@entry:
  %r = mov.i32 7
  br %c, @use, @exit
@use:
  %p ? %r = mov.i32 1
  %q = cmpp.un.eq.i32 %r, 1 if %p
  br @exit
@exit:
  ret %r
@never:
  %p = mov.i1 true
  br @never
}
)";
  for (std::optional<PlacementAlgorithm> place : all_places()) {
    ConstructOptions options;
    options.place = place;
    Module module = parse_or_die(kText);
    construct_all(module, options);
    SymbolId f = module.find_function("f")->symbol;
    Outcome fine = interpret(module, f, std::array{Value{0}});
    ASSERT_EQ(fine.status, Outcome::Status::Returned);
    EXPECT_EQ(fine.result.bits, 7u);
    EXPECT_EQ(interpret(module, f, std::array{Value{1}}).status, Outcome::Status::Undefined);
  }
}

TEST(Construct, LeavesUnreachableBlocksInPlace) {
  constexpr std::string_view kText = R"(func $f(%x: i32) -> i32 {
@entry:
  br @join
@dead:
  %x = add.i32 %x, 1
  %x = add.i32 %x, 1
  br @join
@join:
  %x = add.i32 %x, 2
  ret %x
}
)";
  for (std::optional<PlacementAlgorithm> place : all_places()) {
    ConstructOptions options;
    options.place = place;
    EXPECT_EQ(constructed(kText, options), R"(func $f(%x.1: i32) -> i32 ssa {
@entry:
  br @join
@dead:
  %x.2 = add.i32 undef, 1
  %x.3 = add.i32 %x.2, 1
  br @join
@join:
  %x.4 = add.i32 %x.1, 2
  ret %x.4
}
)");
  }
}

// Briggs et al. 1998, figure 6: three definitions in one block.
TEST(Construct, PushOnceTakesOneEntryForABlock) {
  constexpr std::string_view kText = R"(func $f(%v: i32) -> i32 {
@entry:
  br @next
@next:
  %v = add.i32 %v, 1
  %v = add.i32 %v, 2
  %v = add.i32 %v, 3
  ret %v
}
)";
  ConstructOptions options;
  for (auto [stacks, pushes] : {std::pair(NameStacks::PushOnce, 2u), std::pair(NameStacks::PushEvery, 4u)}) {
    Module module = parse_or_die(kText);
    options.stacks = stacks;
    EXPECT_EQ(construct_all(module, options)["pushes"], pushes);
  }
}

// 100,000 blocks in a row, as many variables, a switch with as many cases: nothing recurses or explodes.
TEST(Construct, LargeFunctions) {
  constexpr uint32_t kSize = 100'000;
  Module module;
  Function& function = add_function(module, {Type::i32});
  Builder builder(function);
  Operand x = Operand::reg(function.params[0]);
  std::vector<Reg> variables;
  for (uint32_t i = 0; i < kSize; ++i) variables.push_back(function.add_reg(Type::i32));
  auto set = [&](Reg variable) {
    builder.into(variable);
    builder.op(Opcode::Add, Type::i32, {x, x});
  };
  BlockId entry = function.add_block(), loop = function.add_block(), join = function.add_block(),
          chain = function.add_block();
  builder.at(entry);
  for (Reg variable : variables) set(variable);
  builder.br(loop);
  std::vector<Operand> cases;
  for (uint32_t i = 0; i < kSize; ++i) {
    builder.at(function.add_block());
    set(variables[i]);
    cases.push_back(function.literal(Type::i32, int64_t{i}));
    cases.push_back(Operand::block(builder.block()));
    builder.br(join);
  }
  builder.at(loop);
  builder.switch_on(Type::i32, x, join, cases);
  builder.at(join);
  builder.into(x.reg());
  builder.op(Opcode::Add, Type::i32, {x, Operand::reg(variables[0])});
  Operand p = Operand::reg(builder.cmp(Cond::lt, Type::i32, x, x));
  builder.br(p, loop, chain);
  builder.at(chain);
  for (uint32_t i = 0; i < kSize; ++i) {
    set(x.reg());
    BlockId next = function.add_block();
    builder.br(p, next, i % 2 ? builder.block() : chain);
    builder.at(next);
  }
  builder.ret(x);
  Counters counters = construct_all(module, {});
  // x and the first variable in the loop and at the join; x at every second block and the chain's head.
  EXPECT_EQ(counters["phis"], 3u + kSize / 2 + 1);
}

// Many tests that all leave for one exit, and variables that live between two of them: every one joins at the
// exit, where none is read. All their arguments there would be four hundred million.
TEST(Construct, ManyDeadJoins) {
  constexpr uint32_t kSize = 20'000;
  Module module;
  Function& function = add_function(module, {Type::i32});
  Builder builder(function);
  Operand value = Operand::reg(function.params[0]);
  BlockId exit = function.add_block();
  function.set_layout({});
  builder.at(function.add_block());
  std::vector<BlockId> layout = {builder.block()};
  for (uint32_t i = 0; i < kSize; ++i) {
    Reg variable = builder.op(Opcode::Add, Type::i32, {value, value});
    BlockId next = function.add_block();
    layout.push_back(next);
    builder.br(Operand::reg(builder.cmp(Cond::lt, Type::i32, value, value)), exit, next);
    builder.at(next);
    // Two definitions and a join of its own that is of use.
    BlockId then = function.add_block(), join = function.add_block();
    layout.push_back(then);
    layout.push_back(join);
    builder.br(Operand::reg(builder.cmp(Cond::gt, Type::i32, value, value)), then, join);
    builder.at(then);
    builder.into(variable);
    builder.op(Opcode::Sub, Type::i32, {value, value});
    builder.br(join);
    builder.at(join);
    value = Operand::reg(variable);
  }
  builder.ret(value);
  builder.at(exit);
  builder.ret(Operand::reg(function.params[0]));
  layout.push_back(exit);
  function.set_layout(std::move(layout));
  EXPECT_EQ(construct_all(module, {})["phis"], kSize);
}

// Cases that fall through to the next: every one is a join, and what is set in one joins at all that follow.
TEST(Construct, CasesThatFallThrough) {
  constexpr uint32_t kSize = 20'000;
  Module module;
  Function& function = add_function(module, {Type::i32});
  Builder builder(function);
  Operand x = Operand::reg(function.params[0]);
  BlockId entry = function.add_block();
  std::vector<BlockId> blocks;
  for (uint32_t i = 0; i <= kSize; ++i) blocks.push_back(function.add_block());
  std::vector<Operand> cases;
  Reg last;
  for (uint32_t i = 0; i < kSize; ++i) {
    builder.at(blocks[i]);
    cases.push_back(function.literal(Type::i32, int64_t{i}));
    cases.push_back(Operand::block(blocks[i]));
    // What the case before has set, or nothing.
    if (last) builder.store(Type::i32, Operand::reg(last), function.literal(Type::ptr, int64_t{8}));
    last = builder.op(Opcode::Add, Type::i32, {x, x});
    builder.br(blocks[i + 1]);
  }
  builder.at(blocks[kSize]);
  builder.ret(x);
  builder.at(entry);
  builder.switch_on(Type::i32, x, blocks[kSize], cases);
  EXPECT_EQ(construct_all(module, {})["phis"], kSize - 1);
}

}  // namespace
}  // namespace psi
