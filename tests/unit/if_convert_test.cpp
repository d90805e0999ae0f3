// If-conversion on every machine: what it leaves, how much it adds, and that programs mean the same.
#include "psi/predication/if_convert.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "flow_testing.h"
#include "iterations.h"
#include "parsing.h"
#include "pass_testing.h"
#include "psi/testing/fuzz.h"
#include "psi/testing/generate.h"

namespace psi {
namespace {

using Mode = IfConvertOptions::Mode;
using RegionKind = IfConvertOptions::Regions;

Counters convert_branches(Function& function, const Target& target, Mode mode, RegionKind regions) {
  Analyses analyses(function);
  Counters counters;
  if_convert(function, analyses, target, {.mode = mode, .regions = regions}, counters);
  return counters;
}

// Random functions in SSA form without a guard, all blocks reachable.
void for_each_generated(int programs, const std::function<void(Function&)>& visit) {
  for (int seed = 1; seed <= programs; ++seed) {
    GenerateOptions options;
    options.seed = static_cast<uint64_t>(seed);
    options.size = 120;
    options.guards = false;
    Module module = generate(options);
    testing::for_each_function(module, [&](Function& function) {
      std::string_view name = module.name(function.symbol);
      testing::run_pass(module, "construct", name);
      testing::run_pass(module, "dce-unreachable", name);
      SCOPED_TRACE(fmt::format("seed {}, ${}", seed, name));
      visit(function);
    });
  }
}

TEST(IfConvert, OnlyWhatTheMachineCanGuardHasAGuard) {
  uint64_t guarded = 0;
  for_each_generated(testing::iterations(32), [&](Function& original) {
    for (const Target& target : TargetTable::builtin().all()) {
      for (RegionKind regions : {RegionKind::Hammocks, RegionKind::Hyperblocks}) {
        Function function = original;
        convert_branches(function, target, Mode::All, regions);
        for (BlockId b : function.layout()) {
          for (InstId id : function.insts(b)) {
            const Inst& inst = function.inst(id);
            EXPECT_TRUE(!inst.guard || target.can_guard(inst)) << target.name << " " << info(inst.op).name;
            if (inst.op == Opcode::Cmpp) {
              EXPECT_TRUE(target.has_action(inst.action(0))) << target.name;
              EXPECT_TRUE(!inst.results[1] || target.has_action(inst.action(1))) << target.name;
            }
            guarded += inst.guard ? 1 : 0;
          }
        }
      }
    }
  });
  EXPECT_GT(guarded, 0u);
}

TEST(IfConvert, ASecondTimeChangesNothing) {
  uint64_t converted = 0;
  for_each_generated(testing::iterations(16), [&](Function& original) {
    for (const Target& target : TargetTable::builtin().all()) {
      for (Mode mode : {Mode::Cost, Mode::All}) {
        for (RegionKind regions : {RegionKind::Hammocks, RegionKind::Hyperblocks}) {
          Function function = original;
          converted += convert_branches(function, target, mode, regions)["regions converted"];
          Counters again = convert_branches(function, target, mode, regions);
          EXPECT_EQ(again["regions converted"], 0u) << target.name;
        }
      }
    }
  });
  EXPECT_GT(converted, 0u);
}

TEST(IfConvert, ProgramsMeanTheSameOnEveryMachine) {
  for (const Target& target : TargetTable::builtin().all()) {
    for (const char* options :
         {"mode=cost", "mode=all,regions=hyperblocks", "mode=all,regions=hyperblocks,duplicate=16"}) {
      Result<PassList> passes = parse_passes(
          PassTable::builtin(), fmt::format("construct,if-convert(target={},{}),destruct,reverse-if-convert",
                                            target.name, options));
      ASSERT_TRUE(passes);
      FuzzOptions fuzzing;
      fuzzing.seed = 77;
      fuzzing.count = testing::iterations(16);
      fuzzing.size = 100;
      fuzzing.reduce = false;
      FuzzReport report = fuzz(*passes, fuzzing);
      for (const FuzzFailure& failure : report.failures) {
        ADD_FAILURE() << target.name << " " << options << ": " << failure.why << "\n" << failure.original;
      }
    }
  }
}

TEST(IfConvert, BranchesInTheirPlaceLeaveNoGuardAndNoPsi) {
  uint64_t psis = 0;
  for (int seed = 1; seed <= testing::iterations(16); ++seed) {
    GenerateOptions options;
    options.seed = static_cast<uint64_t>(seed);
    options.size = 120;
    Module module = generate(options);
    testing::for_each_function(module, [&](const Function& function) {
      std::string_view name = module.name(function.symbol);
      testing::run_pass(module, "construct", name);
      psis += testing::run_pass(module, "if-convert(target=playdoh,mode=all,regions=hyperblocks)", name)
                  .counters["psis made"];
      testing::run_pass(module, "destruct", name);
      testing::run_pass(module, "reverse-if-convert", name);
      for (BlockId b : function.layout()) {
        for (InstId id : function.insts(b)) {
          EXPECT_FALSE(function.inst(id).guard) << name;
          EXPECT_FALSE(function.inst(id).is_psi()) << name;
        }
      }
    });
  }
  EXPECT_GT(psis, 0u);
}

// --- What cannot be guarded -------------------------------------------------------------------------------

// The outer branch guards a store, the inner one does not.
TEST(IfConvert, ARegionIsConvertedInPart) {
  Module module = testing::parse_or_die(R"(func $f(%p: i1, %q: i1, %x: i32, %out: ptr) -> i32 ssa {
@a:
  br %p, @b, @join
@b:
  store.i32 %x, %out
  br %q, @c, @d
@c:
  %y = add.i32 %x, 1
  br @e
@d:
  %z = sub.i32 %x, 1
  br @e
@e:
  %v = phi.i32 [@c: %y], [@d: %z]
  br @join
@join:
  %w = phi.i32 [@a: 0], [@e: %v]
  ret %w
}
)");
  testing::RunOnFunction run = testing::run_pass(module, "if-convert(target=select,mode=all)", "f");
  EXPECT_EQ(run.text, R"(func $f(%p: i1, %q: i1, %x: i32, %out: ptr) -> i32 ssa {
@a:
  br %p, @b, @join
@b:
  store.i32 %x, %out
  %y = add.i32 %x, 1
  %z = sub.i32 %x, 1
  %v = psi %q ? %y, !%q ? %z
  br @join
@join:
  %w = phi [@a: 0], [@b: %v]
  ret %w
}
)");
  EXPECT_EQ(run.counters["instructions speculated"], 2u);
  ASSERT_EQ(run.remarks.all().size(), 2u);
  EXPECT_EQ(run.remarks.all()[0].kind, Remark::Kind::Done);
  EXPECT_EQ(run.remarks.all()[1].message,
            "branch of @a kept: store may not be executed always, and select cannot guard it");
}

// --- Remarks ----------------------------------------------------------------------------------------------

// The blocks that the remarks say keep their branches, once for each of these.
std::multiset<std::string> blocks_kept(const Remarks& remarks) {
  constexpr std::string_view kBegin = "branch of ", kEnd = " kept: ";
  std::multiset<std::string> blocks;
  for (const Remark& remark : remarks.all()) {
    if (remark.kind == Remark::Kind::Done) {
      EXPECT_NE(remark.message.find("cycles with branches"), std::string::npos) << remark.message;
      continue;
    }
    size_t end = remark.message.find(kEnd);
    EXPECT_EQ(remark.message.find(kBegin), 0u) << remark.message;
    EXPECT_GT(remark.message.size(), end + kEnd.size());
    std::string branch = remark.message.substr(kBegin.size(), end - kBegin.size());
    blocks.insert(branch.substr(0, branch.find(' ')));
  }
  return blocks;
}

TEST(IfConvert, RemarksSayWhyEachBranchIsLeft) {
  uint64_t left = 0;
  for_each_generated(testing::iterations(32), [&](Function& original) {
    for (const Target& target : TargetTable::builtin().all()) {
      for (Mode mode : {Mode::Cost, Mode::All}) {
        for (RegionKind regions : {RegionKind::Hammocks, RegionKind::Hyperblocks}) {
          Function function = original;
          Analyses analyses(function);
          Counters counters;
          Remarks remarks;
          if_convert(function, analyses, target, {.mode = mode, .regions = regions}, counters, &remarks);
          std::multiset<std::string> branches;
          for (BlockId b : function.layout()) {
            std::string name;
            DisplayNames::as_stored(function).append(name, b);
            for (InstId id : function.terminators(b)) {
              if (function.inst(id).guard || function.inst(id).count >= 3) branches.insert(name);
            }
          }
          EXPECT_EQ(blocks_kept(remarks), branches) << target.name;
          left += branches.size();
        }
      }
    }
  });
  EXPECT_GT(left, 0u);
}

}  // namespace
}  // namespace psi
