// Which registers interfere: of examples, and of random programs whose registers share as many as they can.
#include "psi/live/interference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "flow_testing.h"
#include "iterations.h"
#include "parsing.h"
#include "psi/interp/interpret.h"
#include "psi/ir/builder.h"
#include "psi_programs.h"
#include "testing/random.h"

namespace psi {
namespace {

using testing::reg_named;

bool interferes(const Function& function, const InterferenceOptions& options, std::string_view a,
                std::string_view b) {
  Analyses analyses(function);
  Interference interference(function, analyses, options);
  Reg x = reg_named(function, a), y = reg_named(function, b);
  EXPECT_EQ(interference.interferes(x, y), interference.interferes(y, x));
  return interference.interferes(x, y);
}

bool interferes(const Function& function, FlowScope scope, std::string_view a, std::string_view b) {
  return interferes(function, InterferenceOptions{InterferenceMethod::Flow, scope}, a, b);
}

constexpr InterferenceOptions kFlow{InterferenceMethod::Flow, FlowScope::Global};
constexpr InterferenceOptions kRanges{InterferenceMethod::Ranges, FlowScope::Global};
constexpr InterferenceOptions kBlindRanges{InterferenceMethod::Ranges, FlowScope::Blind};

// Johnson and Schlansker 1996, figure 9.
TEST(Interference, Figure9) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32, %c: i32, %d: i32, %to: ptr) {\n"
      "@e:\n"
      "  %q, %p = cmpp.un.uc.lt.i32 %a, %b\n"
      "  %t = cmpp.uc.lt.i32 %a, %b\n"
      "  %r, %s = cmpp.un.uc.lt.i32 %c, %d if %q\n"
      "  %t = cmpp.on.lt.i32 %c, %d if %q\n"
      "  %q ? %m = mov.i32 1\n"
      "  %p ? %n = mov.i32 2\n"
      "  %q ? store.i32 %m, %to\n"
      "  %r ? %n = mov.i32 3\n"
      "  %t ? store.i32 %n, %to\n"
      "  ret\n"
      "}\n");
  EXPECT_TRUE(interferes(function, FlowScope::Blind, "m", "n"));
  EXPECT_FALSE(interferes(function, FlowScope::Local, "m", "n"));
  EXPECT_TRUE(interferes(function, FlowScope::Local, "m", "t"));
  EXPECT_TRUE(interferes(function, FlowScope::Local, "r", "s"));
  EXPECT_FALSE(interferes(function, FlowScope::Local, "a", "m"));
}

TEST(Interference, ParametersAndPhis) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32, %unread: i32, %unread_too: i32) -> i32 ssa {\n"
      "@e:\n  br @l\n"
      "@l:\n"
      "  %x = phi [@e: %a], [@l: %y]\n"
      "  %y = phi [@e: %a], [@l: %x]\n"
      "  %z = add.i32 %x, %b\n"
      "  %p = cmp.lt.i32 %z, %y\n"
      "  br %p, @l, @r\n"
      "@r:\n  ret %z\n"
      "}\n");
  std::vector<InterferenceOptions> all = {kRanges, kBlindRanges};
  for (FlowScope scope : {FlowScope::Blind, FlowScope::Local, FlowScope::Global}) {
    all.push_back({InterferenceMethod::Flow, scope});
  }
  for (const InterferenceOptions& options : all) {
    EXPECT_TRUE(interferes(function, options, "a", "b"));
    EXPECT_TRUE(interferes(function, options, "a", "unread"));
    EXPECT_FALSE(interferes(function, options, "unread", "unread_too"));
    EXPECT_TRUE(interferes(function, options, "x", "y"));
    EXPECT_TRUE(interferes(function, options, "x", "b"));
    EXPECT_FALSE(interferes(function, options, "a", "x"));
    EXPECT_TRUE(interferes(function, options, "z", "x"));
  }
}

// m is read only where the branch goes one way, and written where it will.
TEST(Interference, BranchesAndGuards) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32) -> i32 ssa {\n"
      "@e:\n"
      "  %p = cmp.lt.i32 %a, %b\n"
      "  %p ? %m = add.i32 %a, 1\n"
      "  !%p ? %n = add.i32 %b, 1\n"
      "  br @j\n"
      "@j:\n  br %p, @m, @n\n"
      "@m:\n  ret %m\n"
      "@n:\n  ret %n\n"
      "}\n");
  EXPECT_TRUE(interferes(function, FlowScope::Blind, "m", "n"));
  EXPECT_TRUE(interferes(function, FlowScope::Local, "m", "n"));
  EXPECT_FALSE(interferes(function, FlowScope::Global, "m", "n"));
}

// Johnson and Schlansker 1996, figure 1, if-converted: the paper's code has one x.
TEST(Interference, Figure1HasOneX) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32, %c: i32, %d: i32, %y: i32, %out: ptr) -> i32 ssa {\n"
      "@u:\n"
      "  %q, %p = cmpp.un.uc.lt.i32 %a, %b\n"
      "  %t1 = cmpp.uc.lt.i32 %a, %b\n"
      "  %p ? %x1 = add.i32 %a, 1\n"
      "  %q ? %x2 = add.i32 %b, 2\n"
      "  %r, %s = cmpp.un.uc.ne.i32 %c, %d if %q\n"
      "  %t = cmpp.on.ne.i32 %c, %d if %q old %t1\n"
      "  %s ? %x3 = add.i32 %c, 3\n"
      "  %r ? store.i32 %y, %out\n"
      "  %x4 = psi %p ? %x1, %r ? %x2\n"
      "  %t ? store.i32 %x4, %out\n"
      "  %x5 = psi %s ? %x3, %t ? %x4\n"
      "  ret %x5\n"
      "}\n");
  constexpr std::array kXs = {"x1", "x2", "x3", "x4", "x5"};
  for (const char* x : kXs) {
    for (const char* other : kXs) {
      if (x == other) continue;
      EXPECT_FALSE(interferes(function, kRanges, x, other)) << x << other;
      EXPECT_FALSE(interferes(function, kFlow, x, other)) << x << other;
    }
  }
  EXPECT_TRUE(interferes(function, kBlindRanges, "x3", "x4"));
  EXPECT_TRUE(interferes(function, FlowScope::Blind, "x3", "x4"));
  EXPECT_TRUE(interferes(function, kRanges, "t", "x3"));
  EXPECT_TRUE(interferes(function, kFlow, "x1", "c"));
  EXPECT_FALSE(interferes(function, kRanges, "x1", "c"));
}

// What is read only for a result that is needed in few executions is not live in others.
TEST(Interference, RangesKnowWhereValuesAreNeeded) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32, %to: ptr) ssa {\n"
      "@e:\n"
      "  %p, %q = cmpp.un.uc.lt.i32 %a, %b\n"
      "  %m = add.i32 %a, 1\n"
      "  %q ? %n = add.i32 %b, 1\n"
      "  %s = add.i32 %m, 2\n"
      "  %p ? store.i32 %s, %to\n"
      "  %q ? store.i32 %n, %to\n"
      "  ret\n"
      "}\n");
  EXPECT_FALSE(interferes(function, kRanges, "m", "n"));
  EXPECT_TRUE(interferes(function, kFlow, "m", "n"));
}

// Arguments of a psi in any order, taken and defined anywhere.
TEST(Interference, PsisThatAreNotNormalized) {
  Function function = testing::parse_function(
      "func $f(%p: i1, %q: i1, %a: i32) -> i32 ssa {\n"
      "@e:\n"
      "  %p ? %later = add.i32 %a, 1\n"
      "  %first = add.i32 %a, 2\n"
      "  %x = psi %first, %p ? %later\n"
      "  %q ? %y = add.i32 %a, 3\n"
      "  %z = psi %p ? %x, %q ? %y\n"
      "  %r = add.i32 %z, %first\n"
      "  ret %r\n"
      "}\n");
  for (const InterferenceOptions& options : {kRanges, kFlow}) {
    EXPECT_TRUE(interferes(function, options, "first", "later"));
    EXPECT_TRUE(interferes(function, options, "first", "x"));
    EXPECT_FALSE(interferes(function, options, "later", "x"));
    EXPECT_TRUE(interferes(function, options, "first", "z"));
    EXPECT_TRUE(interferes(function, options, "q", "first"));
    EXPECT_TRUE(interferes(function, options, "p", "x"));
    EXPECT_FALSE(interferes(function, options, "x", "z"));
  }
}

TEST(Interference, NeighboursInOrder) {
  Function function = testing::parse_function(
      "func $f(%a: i32, %b: i32, %c: i32) -> i32 {\n"
      "@e:\n"
      "  %d = add.i32 %a, %b\n"
      "  %e = add.i32 %d, %c\n"
      "  %e = add.i32 %e, %d\n"
      "  ret %e\n"
      "}\n");
  Analyses analyses(function);
  Interference interference(function, analyses, FlowScope::Local);
  auto names = [&](std::string_view r) {
    std::string list;
    for (Reg other : interference.neighbours(reg_named(function, r))) list += function.name(other);
    return list;
  };
  EXPECT_EQ(names("a"), "bc");
  EXPECT_EQ(names("b"), "ac");
  EXPECT_EQ(names("c"), "abd");
  EXPECT_EQ(names("d"), "ce");
  EXPECT_EQ(names("e"), "d");
  EXPECT_EQ(interference.num_edges(), 5u);
}

// --- Random programs --------------------------------------------------------------------------------------

// Gives registers of one type that do not interfere the same name, first come, first served. Parameters keep
// theirs.
class Share {
 public:
  explicit Share(const InterferenceOptions& options) : options_(options) {}

  void operator()(Function& function, Analyses& analyses) {
    Interference interference(function, analyses, options_);
    num_edges_ += interference.num_edges();
    colour(function, interference);
    rename(function);
    // What belongs to another register's values now.
    analyses.drop(Keeps::ControlFlow);
  }

  uint64_t num_shared() const { return num_shared_; }
  uint64_t num_edges() const { return num_edges_; }

 private:
  void colour(const Function& function, const Interference& interference) {
    colour_.assign(function.num_regs(), Reg());
    std::array<std::vector<Reg>, kNumTypes> colours;
    auto add_colour = [&](Reg r) {
      colour_[r.index()] = r;
      colours[static_cast<size_t>(function.type(r))].push_back(r);
    };
    for (Reg param : function.params) add_colour(param);
    for (uint32_t i = 0; i < function.num_regs(); ++i) {
      Reg r(i);
      if (colour_[i]) continue;
      std::vector<bool> taken(function.num_regs());
      for (Reg other : interference.neighbours(r)) {
        if (colour_[other.index()]) taken[colour_[other.index()].index()] = true;
      }
      const std::vector<Reg>& known = colours[static_cast<size_t>(function.type(r))];
      auto free = std::ranges::find_if(known, [&](Reg c) { return !taken[c.index()]; });
      if (free == known.end()) {
        add_colour(r);
      } else {
        colour_[i] = *free;
        ++num_shared_;
      }
    }
  }

  void rename(Function& function) {
    auto renamed = [&](Operand operand) {
      if (!operand.reads_reg()) return operand;
      return Operand::predicate(colour_[operand.reg().index()], operand.is_negated());
    };
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        Inst& inst = function.inst(id);
        for (Reg& r : inst.results) r = r ? colour_[r.index()] : r;
        if (inst.guard) inst.guard = Guard(renamed(inst.guard.as_operand()));
        for (Operand& operand : function.operands(id)) operand = renamed(operand);
      }
    }
  }

  InterferenceOptions options_;
  std::vector<Reg> colour_;  // by Reg
  uint64_t num_shared_ = 0;
  uint64_t num_edges_ = 0;
};

void check_sharing(FlowScope scope, uint64_t seed) {
  Share share({InterferenceMethod::Flow, scope});
  testing::expect_same_behaviour(std::ref(share), false, seed, 300);
  EXPECT_GT(share.num_shared(), 1000u);
}

TEST(Interference, SharedRegisters) { check_sharing(FlowScope::Local, 201); }
TEST(Interference, SharedRegistersBlindly) { check_sharing(FlowScope::Blind, 202); }

// A psi gives its register nothing where it takes no argument; the interpreter would give it undef.
void write_where_taken(Function& function) {
  Builder builder(function);
  BlockId scratch = function.add_block();
  for (BlockId b : std::vector(function.layout().begin(), function.layout().end())) {
    if (b == scratch) continue;
    std::vector<InstId> list;
    for (InstId id : std::vector(function.insts(b).begin(), function.insts(b).end())) {
      list.push_back(id);
      if (!function.inst(id).is_psi()) continue;
      std::vector<Operand> pairs(function.operands(id).begin(), function.operands(id).end());
      bool is_total = false;
      for (size_t i = 0; i < pairs.size(); i += 2) is_total = is_total || !pairs[i].reads_reg();
      if (is_total) continue;
      builder.at(scratch);
      function.set_insts(scratch, {});
      Operand any = function.literal(Type::i1, int64_t{0});
      for (size_t i = pairs.size(); i > 0; i -= 2) {
        Operand guard = Operand::reg(pairs[i - 2].reg());
        if (pairs[i - 2].is_negated()) guard = Operand::reg(builder.op(Opcode::Not, Type::i1, {guard}));
        any = Operand::reg(builder.op(Opcode::Or, Type::i1, {any, guard}));
      }
      // In place of the psi's own register, which is written below it.
      Reg result = function.inst(id).results[0];
      Reg value = builder.op(Opcode::Mov, function.type(result), {Operand::reg(result)});
      InstId copy = function.insts(scratch).back();
      function.inst(id).results[0] = value;
      function.inst(copy).results[0] = result;
      function.inst(copy).guard = Guard(any);
      function.operands(copy)[0] = Operand::reg(value);
      list.insert(list.end(), function.insts(scratch).begin(), function.insts(scratch).end());
    }
    function.set_insts(b, list);
  }
  function.set_insts(scratch, {});
  std::vector<BlockId> layout(function.layout().begin(), function.layout().end());
  std::erase(layout, scratch);
  function.set_layout(layout);
}

// With shared registers a program is no longer in SSA form, and not in plain form either, as phis and psis
// are still there. It does not verify, but the interpreter executes it all the same.
void check_sharing_in_ssa_form(const InterferenceOptions& options, uint64_t seed) {
  Share share(options);
  Random random(seed);
  uint64_t count = testing::num_programs(200);
  for (uint64_t i = 0; i < count; ++i) {
    GenerateOptions generated;
    generated.seed = random.next();
    generated.size = 20 + random.below(150);
    generated.shape = random.one_of({Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed});
    Module before = generate(generated);
    testing::for_each_function(before, testing::make_ssa);
    Module after = before;
    testing::for_each_function(after, [&](Function& function) {
      Analyses analyses(function);
      share(function, analyses);
      function.form = Form::Plain;
      write_where_taken(function);
    });
    InterpretOptions run;
    run.record = run.stub_externals = true;
    SymbolId main = *before.find_symbol("main");
    Result<void> refined = refines(interpret(before, main, {}, run), interpret(after, main, {}, run));
    ASSERT_TRUE(refined) << refined.message() << "\n" << print(before) << print(after);
  }
  EXPECT_GT(share.num_shared(), 1000u);
}

TEST(Interference, SharedRegistersInSsaForm) { check_sharing_in_ssa_form(kFlow, 203); }
TEST(Interference, SharedRegistersInSsaFormLocally) {
  check_sharing_in_ssa_form({InterferenceMethod::Flow, FlowScope::Local}, 204);
}
TEST(Interference, SharedRegistersByRanges) { check_sharing_in_ssa_form(kRanges, 205); }
TEST(Interference, SharedRegistersByBlindRanges) { check_sharing_in_ssa_form(kBlindRanges, 206); }

// Each scope sees all that the one before it does.
TEST(Interference, WiderScopesFindLess) {
  std::array<uint64_t, 3> edges{};
  for (uint64_t seed = 0; seed < testing::iterations(100u); ++seed) {
    GenerateOptions options;
    options.seed = seed;
    Module module = generate(options);
    testing::for_each_function(module, [&](Function& function) {
      testing::make_ssa(function);
      Analyses analyses(function);
      for (FlowScope scope : {FlowScope::Blind, FlowScope::Local, FlowScope::Global}) {
        edges[static_cast<size_t>(scope)] += Interference(function, analyses, scope).num_edges();
      }
    });
  }
  EXPECT_LT(edges[1], edges[0]);
  EXPECT_LT(edges[2], edges[1]);
}

// Psis of any kind, with as many registers shared as possible, in every world. Only data flow looks at
// branches; otherwise ranges know more.
void check_sharing_among_psis(bool branches, std::array<uint64_t, 2>& edges) {
  std::array<uint64_t, 2> shared{};
  const uint64_t programs = testing::iterations(300u);
  for (uint64_t seed = 0; seed < programs; ++seed) {
    SCOPED_TRACE(seed);
    testing::PsiProgram program(seed, {.phis = branches});
    testing::PsiRuns runs(program);
    for (const InterferenceOptions& options : {kRanges, kFlow}) {
      Share share(options);
      Module module = program.module();
      Function& function = module.function(program.symbol());
      Analyses analyses(function);
      share(function, analyses);
      function.form = Form::Plain;
      write_where_taken(function);
      ASSERT_TRUE(runs.are_refined_by(module)) << interference_method_name(options.method);
      shared[static_cast<size_t>(options.method)] += share.num_shared();
      edges[static_cast<size_t>(options.method)] += share.num_edges();
    }
  }
  EXPECT_GT(shared[0], 5 * programs);
  EXPECT_GT(shared[1], 5 * programs);
}

TEST(Interference, SharedRegistersAmongPsisAndBranches) {
  std::array<uint64_t, 2> edges{};
  check_sharing_among_psis(true, edges);
}

TEST(Interference, RangesFindLessAmongPsis) {
  std::array<uint64_t, 2> edges{};
  check_sharing_among_psis(false, edges);
  EXPECT_LT(edges[0], edges[1]);
}

}  // namespace
}  // namespace psi
