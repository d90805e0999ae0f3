// Predicates of whole functions in SSA form, and of the blocks of regions, against what runs show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "parsing.h"
#include "predicate_testing.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/interp/interpret.h"
#include "psi/predicate/predicates.h"
#include "psi/ssa/construct.h"
#include "psi/testing/generate.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using testing::holds;

// --- Examples -------------------------------------------------------------------------------------------

// The terms of all blocks of a function, which is one region, by name.
std::map<std::string, Term> terms_of_blocks(const Function& function, Analyses& analyses,
                                            Predicates& predicates) {
  std::span<const BlockId> blocks = function.layout();
  std::vector<Term> terms = block_terms(analyses, blocks, predicates);
  std::map<std::string, Term> by_name;
  for (size_t i = 0; i < blocks.size(); ++i) by_name[std::string(function.name(blocks[i]))] = terms[i];
  return by_name;
}

TEST(BlockTerms, NestedBranches) {
  Function function = testing::parse_function(
      "func $f(%p: i1, %q: i1) ssa {\n"
      "@e:\n  br %p, @a, @d\n"
      "@a:\n  br %q, @b, @c\n"
      "@b:\n  br @c\n"
      "@c:\n  br @d\n"
      "@d:\n  ret\n}\n");
  Analyses analyses(function);
  Predicates predicates(function, analyses);
  Term p = predicates.value(function.params[0]), q = predicates.value(function.params[1]);
  std::map<std::string, Term> of = terms_of_blocks(function, analyses, predicates);
  EXPECT_EQ(of["e"], Term::always());
  EXPECT_EQ(of["a"], p);
  EXPECT_EQ(of["b"], predicates.terms().both(p, q));
  EXPECT_EQ(of["c"], p);
  EXPECT_EQ(of["d"], Term::always());
}

TEST(BlockTerms, SwitchAndGuardedTerminators) {
  Function function = testing::parse_function(
      "func $f(%p: i1, %x: i8) ssa {\n"
      "@e:\n  %p ? br @a\n"
      "  switch.i8 %x, @b, [1: @c], [2: @c], [7: @d]\n"
      "@a:\n  ret\n@b:\n  ret\n@c:\n  ret\n@d:\n  ret\n}\n");
  Analyses analyses(function);
  Predicates predicates(function, analyses);
  PredicateTerms& terms = predicates.terms();
  Term p = predicates.value(function.params[0]);
  Operand x = Operand::reg(function.params[1]);
  auto compare = [&](Cond cond, int64_t constant) {
    return predicates.compare(Type::i8, cond, x, function.literal(Type::i8, constant));
  };
  Term one_or_two = terms.both(compare(Cond::ge, 1), compare(Cond::le, 2));
  std::map<std::string, Term> of = terms_of_blocks(function, analyses, predicates);
  // For all values of the two.
  auto is_equal = [&](Term a, Term b) {
    for (uint64_t world = 0; world < 512; ++world) {
      auto value = [&](ValueNumber n) {
        return predicates.numbered_value(n).operand == x ? world / 2 : world % 2;
      };
      if (holds(terms, a, value) != holds(terms, b, value)) return false;
    }
    return true;
  };
  EXPECT_TRUE(is_equal(of["a"], p));
  EXPECT_TRUE(is_equal(of["c"], terms.both(!p, one_or_two)));
  EXPECT_TRUE(is_equal(of["d"], terms.both(!p, compare(Cond::eq, 7))));
  EXPECT_TRUE(is_equal(of["b"], terms.both(!p, terms.both(!one_or_two, compare(Cond::ne, 7)))));
  EXPECT_FALSE(is_equal(of["b"], of["d"]));
}

// --- Random functions -----------------------------------------------------------------------------------

// Makes a function show what it does: $seen_block(b) where each block starts, $seen_T(r, value) where each
// register is defined. Registers of type ptr are left out.
void instrument(Module& module, Function& function) {
  auto call = [&](std::string_view what, std::vector<Operand> arguments, Guard guard) {
    std::string name = fmt::format("seen_{}", what);
    SymbolId symbol = module.intern_symbol(name);
    if (module.kind(symbol) == SymbolKind::Undeclared) {
      Signature& signature = module.add_function(symbol).signature;
      for (Operand argument : arguments) signature.params.push_back(function.type(argument));
    }
    arguments.insert(arguments.begin(), Operand::symbol(symbol));
    Inst inst;
    inst.op = Opcode::Call;
    inst.guard = guard;
    return function.add_inst(inst, arguments);
  };
  auto number = [&](auto id) { return function.literal(Type::i32, int64_t{id.index()}); };
  for (BlockId b : function.layout()) {
    std::vector<InstId> old(function.insts(b).begin(), function.insts(b).end()), list, shows;
    shows.push_back(call("block", {number(b)}, {}));
    for (InstId id : old) {
      const Inst inst = function.inst(id);
      if (!inst.is_phi()) {
        list.insert(list.end(), shows.begin(), shows.end());
        shows.clear();
      }
      list.push_back(id);
      for (Reg r : inst.results) {
        if (!r || function.type(r) == Type::ptr) continue;
        shows.push_back(call(type_name(function.type(r)), {number(r), Operand::reg(r)}, inst.guard));
      }
    }
    function.set_insts(b, list);
  }
}

// The blocks that control can come to only from `entry`, without going round.
std::vector<BlockId> region_of(Analyses& analyses, BlockId entry) {
  std::vector<BlockId> region = {entry};
  std::vector<bool> is_inside(analyses.get<Cfg>().num_blocks());
  is_inside[entry.index()] = true;
  for (BlockId b :
       analyses.get<Order>().reverse_post_order().subspan(analyses.get<Order>().number(entry) + 1)) {
    std::span<const BlockId> from = analyses.get<Cfg>().predecessors(b);
    if (!std::all_of(from.begin(), from.end(), [&](BlockId p) { return is_inside[p.index()]; })) continue;
    is_inside[b.index()] = true;
    region.push_back(b);
  }
  return region;
}

class RegionReplay {
 public:
  RegionReplay(const Function& function, Analyses& analyses)
      : function_(function), analyses_(analyses), predicates_(function, analyses) {
    for (BlockId b : analyses.get<Order>().reverse_post_order()) {
      for (InstId id : function.insts(b)) {
        const Inst& inst = function.inst(id);
        for (Reg r : inst.results) {
          if (r && function.type(r) == Type::i1 && !inst.guard) defined_in_[r] = b;
        }
      }
      std::vector<BlockId> blocks = region_of(analyses, b);
      std::vector<Term> terms = block_terms(analyses, blocks, predicates_);
      regions_.push_back({b, blocks, terms, {}, false});
    }
  }

  void run(const Outcome& outcome, const std::vector<Value>& arguments) {
    values_.clear();
    for (size_t i = 0; i < arguments.size(); ++i) values_[function_.params[i]] = arguments[i].bits;
    for (Region& region : regions_) region.is_active = false;
    for (const ExternalCall& call : outcome.calls) {
      if (!call.callee.starts_with("seen_")) continue;
      auto id = static_cast<uint32_t>(call.arguments[0].bits);
      if (call.callee == "seen_block") {
        enter(BlockId(id));
      } else {
        values_[Reg(id)] = call.arguments[1].bits;
        if (call.callee == "seen_i1") check_all(Reg(id));
      }
    }
    if (outcome.status == Outcome::Status::Returned) {
      for (Region& region : regions_) leave(region);
    }
  }

  uint64_t num_predicates_checked() const { return num_predicates_; }
  uint64_t num_blocks_checked() const { return num_blocks_; }

 private:
  struct Region {
    BlockId entry;
    std::vector<BlockId> blocks;
    std::vector<Term> terms;
    std::vector<BlockId> visited;
    bool is_active;
  };

  // Of all predicates whose definition dominates the place where this one was just defined.
  void check_all(Reg defined) {
    auto here = defined_in_.find(defined);
    if (here == defined_in_.end()) return;
    for (auto [r, b] : defined_in_) {
      if (r != defined && (b == here->second || !analyses_.get<Dominators>().dominates(b, here->second)))
        continue;
      if (!values_.contains(r)) continue;
      if (std::optional<bool> term = is_true(predicates_.value(r))) {
        EXPECT_EQ(*term, values_[r] != 0) << "register " << r.index() << " at " << defined.index();
        ++num_predicates_;
      }
    }
  }

  void enter(BlockId b) {
    for (Region& region : regions_) {
      bool is_inside = std::find(region.blocks.begin(), region.blocks.end(), b) != region.blocks.end();
      if (b == region.entry || !is_inside) leave(region);
      if (b == region.entry) region.is_active = true, region.visited.clear();
      region.visited.push_back(b);
    }
  }

  void leave(Region& region) {
    if (!region.is_active) return;
    region.is_active = false;
    for (size_t i = 0; i < region.blocks.size(); ++i) {
      std::optional<bool> term = is_true(region.terms[i]);
      if (!term) continue;
      auto at = std::find(region.visited.begin(), region.visited.end(), region.blocks[i]);
      EXPECT_EQ(*term, at != region.visited.end())
          << "block " << region.blocks[i].index() << " from " << region.entry.index();
      ++num_blocks_;
    }
  }

  // Nothing if the term speaks of values that are not shown.
  std::optional<bool> is_true(Term term) {
    bool is_shown = true;
    auto value = [&](ValueNumber n) -> uint64_t {
      Operand operand = predicates_.numbered_value(n).operand;
      if (operand.is_literal()) return function_.literal_bits(operand);
      if (!operand.is_reg() || function_.type(operand) == Type::ptr) is_shown = false;
      // One that was never computed does not matter.
      return operand.is_reg() ? values_[operand.reg()] : 0;
    };
    bool result = holds(predicates_.terms(), term, value);
    return is_shown ? std::optional(result) : std::nullopt;
  }

  const Function& function_;
  Analyses& analyses_;
  Predicates predicates_;
  std::map<Reg, BlockId> defined_in_;  // the predicates that are always defined
  std::vector<Region> regions_;
  std::map<Reg, uint64_t> values_;
  uint64_t num_predicates_ = 0;
  uint64_t num_blocks_ = 0;
};

TEST(Predicates, RandomFunctions) {
  uint64_t num_predicates = 0, num_blocks = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    GenerateOptions generated;
    generated.seed = seed;
    generated.size = 120;
    generated.functions = 2;
    generated.calls = false;
    generated.max_steps = 300;
    generated.shape = seed % 3 == 0 ? Shape::Irreducible : seed % 3 == 1 ? Shape::Structured : Shape::Mixed;
    Module module = generate(generated);
    std::vector<SymbolId> symbols(module.declarations().begin(), module.declarations().end());
    for (SymbolId symbol : symbols) {
      if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
      Function& function = module.function(symbol);
      if (!takes_arguments(function)) continue;
      {
        Analyses analyses(function);
        Counters counters;
        StepTimes times;
        construct(function, analyses, {}, counters, times);
      }
      instrument(module, function);
      Result<void> verified = verifies(module, function);
      ASSERT_TRUE(verified) << render(verified, "test", print(module));
      Analyses analyses(function);
      RegionReplay replay(function, analyses);
      for (uint64_t run = 0; run < 4; ++run) {
        std::vector<Value> arguments = generate_arguments(function, seed * 4 + run);
        InterpretOptions options;
        options.stub_externals = true;
        options.record = true;
        replay.run(interpret(module, symbol, arguments, options), arguments);
        ASSERT_FALSE(HasFailure()) << "seed " << seed << ", run " << run << "\n" << print(module, function);
      }
      num_predicates += replay.num_predicates_checked();
      num_blocks += replay.num_blocks_checked();
    }
  }
  // Enough was seen for the test to mean something.
  EXPECT_GT(num_predicates, 50000u);
  EXPECT_GT(num_blocks, 20000u);
}

}  // namespace
}  // namespace psi
