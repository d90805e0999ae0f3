#include "psi/destruct/parallel_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "testing/random.h"

namespace psi {
namespace {

Reg reg(uint32_t index) { return Reg(index); }
Operand from(uint32_t index) { return Operand::reg(reg(index)); }
Guard when(uint32_t index) { return {reg(index), false}; }
Guard unless(uint32_t index) { return {reg(index), true}; }
Operand constant(int32_t value) { return Operand::small(Type::i32, value); }

struct Sequenced {
  std::vector<Copy> copies;
  std::vector<Reg> saved;  // in the registers that follow `num_regs`
};

Sequenced run(std::span<const Copy> parallel, uint32_t num_regs) {
  Sequenced result;
  result.copies = sequentialise(parallel, [&](Reg saved) {
    result.saved.push_back(saved);
    return Reg(num_regs + static_cast<uint32_t>(result.saved.size()) - 1);
  });
  return result;
}

// A register holds a word: 64 runs at once, in each a bit.
using Registers = std::vector<uint64_t>;

uint64_t value(const Registers& registers, Operand source) {
  if (source.is_reg()) return registers[source.reg().index()];
  return static_cast<uint64_t>(source.small_value());
}

void write(Registers& to, const Registers& read, const Copy& copy) {
  uint64_t guard = UINT64_MAX;
  if (copy.guard) guard = read[copy.guard.reg().index()] ^ (copy.guard.is_negated() ? UINT64_MAX : 0);
  uint64_t& target = to[copy.target.index()];
  target = (target & ~guard) | (value(read, copy.source) & guard);
}

// Do the copies one by one what they do all at once? Registers that are not in `before` are temporaries.
::testing::AssertionResult does_the_same(std::span<const Copy> parallel, const Sequenced& result,
                                         const Registers& before) {
  Registers expected = before, actual = before;
  for (const Copy& copy : parallel) write(expected, before, copy);
  actual.resize(before.size() + result.saved.size());
  for (const Copy& copy : result.copies) write(actual, actual, copy);
  actual.resize(before.size());
  if (actual == expected) return ::testing::AssertionSuccess();
  auto shown = [](std::span<const Copy> copies) {
    std::string text;
    for (const Copy& copy : copies) {
      if (copy.guard)
        text += (copy.guard.is_negated() ? "!" : "") + std::to_string(copy.guard.reg().index()) + " ? ";
      text += std::to_string(copy.target.index()) + " = ";
      text += copy.source.is_reg() ? std::to_string(copy.source.reg().index()) : "constant";
      text += "; ";
    }
    return text;
  };
  return ::testing::AssertionFailure() << shown(parallel) << " became " << shown(result.copies);
}

// As many different words as registers. With up to six of them, all combinations of their bits.
Registers distinct(uint32_t num_regs) {
  constexpr std::array<uint64_t, 6> kAll = {0xaaaa'aaaa'aaaa'aaaa, 0xcccc'cccc'cccc'cccc,
                                            0xf0f0'f0f0'f0f0'f0f0, 0xff00'ff00'ff00'ff00,
                                            0xffff'0000'ffff'0000, 0xffff'ffff'0000'0000};
  Registers registers(kAll.begin(), kAll.begin() + std::min<size_t>(num_regs, kAll.size()));
  for (Random random(1); registers.size() < num_regs;) registers.push_back(random.next());
  return registers;
}

// --- Without guards -------------------------------------------------------------------------------

// sources[r] is what register r is copied from. From num_regs on: a constant, or nothing.
std::vector<Copy> copies_of(std::span<const uint32_t> sources) {
  std::vector<Copy> copies;
  uint32_t num_regs = static_cast<uint32_t>(sources.size());
  for (uint32_t r = 0; r < num_regs; ++r) {
    if (sources[r] > num_regs) continue;
    copies.push_back({reg(r), sources[r] == num_regs ? constant(7) : from(sources[r]), Guard()});
  }
  return copies;
}

// Cycles of two and more registers, none of which is copied to a register outside.
size_t cycles_that_need_a_temporary(std::span<const uint32_t> sources) {
  constexpr uint32_t kNever = UINT32_MAX;
  std::vector<uint32_t> num_copies(sources.size()), walk(sources.size(), kNever);
  for (uint32_t source : sources) {
    if (source < sources.size()) ++num_copies[source];
  }
  size_t count = 0;
  for (uint32_t r = 0; r < sources.size(); ++r) {
    uint32_t at = r;
    for (; at < sources.size() && walk[at] == kNever; at = sources[at]) walk[at] = r;
    if (at >= sources.size() || walk[at] != r || sources[at] == at) continue;
    bool is_copied_outside = false;
    uint32_t member = at;
    do {
      is_copied_outside |= num_copies[member] > 1;
      member = sources[member];
    } while (member != at);
    count += !is_copied_outside;
  }
  return count;
}

TEST(ParallelCopy, AllMappings) {
  uint64_t temporaries = 0, found_elsewhere = 0;
  for (uint32_t num_regs = 1; num_regs <= 6; ++num_regs) {
    const Registers before = distinct(num_regs);
    const uint32_t num_choices = num_regs + 2;
    uint64_t num_mappings = 1;
    for (uint32_t r = 0; r < num_regs; ++r) num_mappings *= num_choices;
    std::vector<uint32_t> sources(num_regs);
    for (uint64_t mapping = 0; mapping < num_mappings; ++mapping) {
      uint64_t rest = mapping;
      size_t idle = 0;
      for (uint32_t r = 0; r < num_regs; ++r, rest /= num_choices) {
        sources[r] = static_cast<uint32_t>(rest % num_choices);
        idle += sources[r] == r;
      }
      std::vector<Copy> parallel = copies_of(sources);
      Sequenced result = run(parallel, num_regs);
      ASSERT_TRUE(does_the_same(parallel, result, before));
      ASSERT_EQ(result.saved.size(), cycles_that_need_a_temporary(sources));
      ASSERT_EQ(result.copies.size(), parallel.size() - idle + result.saved.size());
      temporaries += result.saved.size();
      for (const Copy& copy : result.copies) {
        found_elsewhere += copy.source.is_reg() && copy.target.index() < num_regs &&
                           copy.source != from(sources[copy.target.index()]);
      }
    }
  }
  EXPECT_GT(temporaries, 1000u);
  EXPECT_GT(found_elsewhere, temporaries + 1000u);
}

TEST(ParallelCopy, LargeMappings) {
  constexpr uint32_t kSize = 10'000;
  const Registers before = distinct(kSize);
  Random random(1);
  for (uint32_t i = 0; i < 20; ++i) {
    std::vector<uint32_t> sources(kSize);
    std::iota(sources.begin(), sources.end(), 0);
    for (uint32_t r = kSize - 1; r > 0; --r) std::swap(sources[r], sources[random.below(r + 1)]);
    // From permutations to mappings in which few registers are read.
    for (uint32_t& source : sources) {
      if (random.percent(i * 5)) source = random.below(kSize + 2);
    }
    std::vector<Copy> parallel = copies_of(sources);
    Sequenced result = run(parallel, kSize);
    ASSERT_TRUE(does_the_same(parallel, result, before));
    ASSERT_EQ(result.saved.size(), cycles_that_need_a_temporary(sources));
    ASSERT_EQ(run(parallel, kSize).copies, result.copies);
  }
}

// A cycle of all of them takes no longer than as many swaps.
TEST(ParallelCopy, LargeRing) {
  constexpr uint32_t kSize = 100'000;
  std::vector<Copy> cycle, swaps;
  for (uint32_t r = 0; r < kSize; ++r) {
    cycle.push_back({reg(r), from((r + 1) % kSize), Guard()});
    swaps.push_back({reg(r), from(r ^ 1), Guard()});
  }
  EXPECT_EQ(run(cycle, kSize).saved.size(), 1u);
  EXPECT_EQ(run(swaps, kSize).saved.size(), kSize / 2);
}

TEST(ParallelCopy, KeepsTheOrderOfCopiesThatDoNotMeet) {
  const std::vector<Copy> parallel = {{reg(1'000'000), from(3), Guard()},
                                      {reg(5), constant(1), Guard()},
                                      {reg(4), Operand::symbol(SymbolId(0)), when(3)},
                                      {reg(0), from(3), Guard()}};
  EXPECT_EQ(run(parallel, 2'000'000).copies, parallel);
}

TEST(ParallelCopy, DropsWhatDoesNothing) {
  const std::vector<Copy> parallel = {{reg(0), from(0), Guard()},
                                      {reg(1), from(1), when(0)},
                                      {reg(2), Operand::undef(Type::i32), Guard()},
                                      {reg(3), from(2), Guard()},
                                      {reg(4), Operand::undef(Type::i1), unless(4)}};
  EXPECT_EQ(run(parallel, 5).copies, std::vector<Copy>({{reg(3), from(2), Guard()}}));
}

// Briggs et al. 1998, figures 12 and 13.
TEST(ParallelCopy, SavesOneRegisterOfASwap) {
  Sequenced swap = run(std::vector<Copy>{{reg(0), from(1), Guard()}, {reg(1), from(0), Guard()}}, 2);
  EXPECT_EQ(swap.saved, std::vector<Reg>{reg(0)});
  EXPECT_EQ(swap.copies,
            std::vector<Copy>(
                {{reg(2), from(0), Guard()}, {reg(0), from(1), Guard()}, {reg(1), from(2), Guard()}}));
  Sequenced chain = run(std::vector<Copy>{{reg(0), from(2), Guard()}, {reg(1), from(0), Guard()}}, 3);
  EXPECT_EQ(chain.copies, std::vector<Copy>({{reg(1), from(0), Guard()}, {reg(0), from(2), Guard()}}));
}

// --- With guards ----------------------------------------------------------------------------------

// In the graph of copies that wait for each other: how many simple cycles are there?
size_t elementary_cycles(std::span<const Copy> parallel) {
  size_t size = parallel.size();
  auto is_idle = [&](size_t i) { return parallel[i].source == Operand::reg(parallel[i].target); };
  auto waits = [&](size_t writer, size_t reader) {
    const Copy& copy = parallel[reader];
    Reg overwritten = parallel[writer].target;
    return writer != reader && !is_idle(writer) && !is_idle(reader) &&
           (copy.source == Operand::reg(overwritten) || (copy.guard && copy.guard.reg() == overwritten));
  };
  size_t count = 0;
  // Each cycle is found from its least member.
  for (size_t least = 0; least < size; ++least) {
    std::function<void(size_t, uint32_t)> extend = [&](size_t at, uint32_t visited) {
      for (size_t next = least; next < size; ++next) {
        if (!waits(at, next)) continue;
        if (next == least) ++count;
        if (!(visited >> next & 1)) extend(next, visited | 1u << next);
      }
    };
    extend(least, 1u << least);
  }
  return count;
}

// What may happen to a register: no copy, a copy under one of the guards, or two under a guard and its
// complement.
struct Choices {
  uint32_t num_regs;
  std::vector<Guard> guards;
  std::vector<uint32_t> both_sides;

  std::vector<std::vector<Copy>> of(Reg target) const {
    std::vector<Operand> sources = {constant(-1)};
    for (uint32_t r = 0; r < num_regs; ++r) sources.push_back(from(r));
    std::vector<std::vector<Copy>> choices = {{}};
    for (Guard guard : guards) {
      for (Operand source : sources) choices.push_back({{target, source, guard}});
    }
    for (uint32_t p : both_sides) {
      for (Operand then : sources) {
        for (Operand otherwise : sources) {
          choices.push_back({{target, then, when(p)}, {target, otherwise, unless(p)}});
        }
      }
    }
    return choices;
  }
};

struct Totals {
  uint64_t cases = 0, temporaries = 0, cycles = 0;
};

// All registers are predicates, and every combination of their values is tried at once. The first two are
// used as guards.
Totals check_all(const Choices& choices) {
  Totals totals;
  const Registers before = distinct(choices.num_regs);
  std::vector<std::vector<std::vector<Copy>>> of;
  for (uint32_t r = 0; r < choices.num_regs; ++r) of.push_back(choices.of(reg(r)));
  std::vector<size_t> chosen(choices.num_regs);
  std::vector<Copy> parallel;
  for (uint32_t changed = 0; changed < choices.num_regs;) {
    parallel.clear();
    for (uint32_t r = 0; r < choices.num_regs; ++r) {
      parallel.insert(parallel.end(), of[r][chosen[r]].begin(), of[r][chosen[r]].end());
    }
    Sequenced result = run(parallel, choices.num_regs);
    ::testing::AssertionResult same = does_the_same(parallel, result, before);
    EXPECT_TRUE(same);
    size_t cycles = elementary_cycles(parallel);
    EXPECT_LE(result.saved.size(), cycles);
    EXPECT_LE(result.saved.size(), choices.num_regs);
    if (!same || result.saved.size() > cycles) break;
    ++totals.cases;
    totals.temporaries += result.saved.size();
    totals.cycles += cycles;
    for (changed = 0; changed < choices.num_regs && ++chosen[changed] == of[changed].size(); ++changed) {
      chosen[changed] = 0;
    }
  }
  return totals;
}

TEST(ParallelCopy, AllGuardedMappings) {
  Totals totals = check_all({4, {Guard(), when(0), unless(0), when(1)}, {}});
  EXPECT_EQ(totals.cases, 21u * 21 * 21 * 21);
  EXPECT_GT(totals.temporaries, 1000u);
  EXPECT_GT(totals.cycles, totals.temporaries);
}

TEST(ParallelCopy, AllMappingsWithSharedTargets) {
  Totals totals = check_all({3, {Guard(), when(0), unless(1)}, {0, 1}});
  EXPECT_EQ(totals.cases, 45u * 45 * 45);
  EXPECT_GT(totals.temporaries, 1000u);
}

TEST(ParallelCopy, LargeGuardedMappings) {
  constexpr uint32_t kSize = 10'000;
  const Registers before = distinct(kSize);
  Random random(2);
  for (uint32_t i = 0; i < 20; ++i) {
    // Few guards, which all copies wait for, or many.
    uint32_t num_guards = 1u << random.below(10);
    std::vector<Copy> parallel;
    for (uint32_t r = 0; r < kSize; ++r) {
      auto source = [&] { return random.percent(5) ? constant(1) : from(random.below(kSize)); };
      uint32_t guard = random.below(num_guards);
      switch (random.below(4)) {
        case 0:
          break;
        case 1:
          parallel.push_back({reg(r), source(), Guard()});
          break;
        case 2:
          parallel.push_back({reg(r), source(), Guard(reg(guard), random.coin())});
          break;
        case 3:
          parallel.push_back({reg(r), source(), when(guard)});
          parallel.push_back({reg(r), source(), unless(guard)});
      }
    }
    for (size_t j = parallel.size() - 1; j > 0; --j) {
      std::swap(parallel[j], parallel[random.below(static_cast<uint32_t>(j) + 1)]);
    }
    Sequenced result = run(parallel, kSize);
    ASSERT_TRUE(does_the_same(parallel, result, before));
    ASSERT_EQ(run(parallel, kSize).copies, result.copies);
  }
}

TEST(ParallelCopy, ReadsGuardsBeforeTheyAreOverwritten) {
  Sequenced result = run(std::vector<Copy>{{reg(0), from(1), Guard()}, {reg(2), from(3), when(0)}}, 4);
  EXPECT_EQ(result.copies, std::vector<Copy>({{reg(2), from(3), when(0)}, {reg(0), from(1), Guard()}}));
}

TEST(ParallelCopy, ACopyMayOverwriteItsGuard) {
  Sequenced result = run(std::vector<Copy>{{reg(0), from(1), when(0)}, {reg(2), from(0), Guard()}}, 3);
  EXPECT_EQ(result.copies, std::vector<Copy>({{reg(2), from(0), Guard()}, {reg(0), from(1), when(0)}}));
}

TEST(ParallelCopy, SavesAGuardThatBothWritersOverwrite) {
  Sequenced result = run(std::vector<Copy>{{reg(0), from(1), when(0)}, {reg(0), from(2), unless(0)}}, 3);
  EXPECT_EQ(result.saved, std::vector<Reg>{reg(0)});
}

// The target of a guarded copy holds the value where the guard is true, for copies under the same guard.
TEST(ParallelCopy, FindsValuesUnderTheSameGuard) {
  auto swap_and_copy = [](Guard swap, Guard copy) {
    return run(std::vector<Copy>{{reg(0), from(1), swap}, {reg(1), from(0), swap}, {reg(2), from(0), copy}},
               5);
  };
  EXPECT_EQ(swap_and_copy(when(3), when(3)).saved.size(), 0u);
  EXPECT_EQ(swap_and_copy(when(3), Guard()).saved.size(), 0u);
  EXPECT_EQ(swap_and_copy(when(3), unless(3)).saved.size(), 1u);
  EXPECT_EQ(swap_and_copy(Guard(), when(3)).saved.size(), 1u);
  EXPECT_EQ(swap_and_copy(when(3), when(4)).saved.size(), 1u);
}

}  // namespace
}  // namespace psi
