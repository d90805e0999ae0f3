// What selection takes against the cheapest that can be taken: an exhaustive search over small random blocks,
// which knows of each instruction which forms cover it with what operands, and tries all combinations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "psi/ir/instruction_set.h"
#include "psi/select/select.h"
#include "psi/target/target.h"
#include "psi/text/text.h"
#include "select/matcher.h"
#include "select/prepare.h"

namespace psi {
namespace {

// Arithmetic, accesses and comparisons over two addresses and three numbers.
std::string random_block(std::mt19937& random) {
  std::string text =
      "pointer 32\n\nfunc $f(%p: ptr, %q: ptr, %a: i32, %b: i32, %c: i32) -> i32 ssa {\n@entry:\n";
  std::vector<std::string> numbers = {"%a", "%b", "%c"};
  std::vector<std::string> predicates;
  auto number = [&] {
    if (random() % 4 == 0) return std::to_string(static_cast<int>(random() % 600) - 100);
    return numbers[random() % numbers.size()];
  };
  auto reg = [&] { return numbers[random() % numbers.size()]; };
  size_t count = 3 + random() % 6;
  for (size_t i = 0; i < count; ++i) {
    std::string name = fmt::format("%v{}", i);
    switch (random() % 9) {
      case 0:
      case 1: {
        const char* ops[] = {"add", "sub", "and", "or", "xor"};
        text += fmt::format("  {} = {}.i32 {}, {}\n", name, ops[random() % 5], reg(), number());
        break;
      }
      case 2:
        text += fmt::format("  {} = mul.i32 {}, {}\n", name, reg(), reg());
        break;
      case 3:
        text += fmt::format("  {} = shl.i32 {}, {}\n", name, reg(), random() % 8);
        break;
      case 4:
        text += fmt::format("  {0}p = ptradd %p, {1}\n  {0} = load.i32 {0}p\n", name, number());
        break;
      case 5:
        text += fmt::format("  {0} = load.i32 %q\n", name);
        break;
      case 6:
        text +=
            fmt::format("  {0}p = ptradd %q, {1}\n  store.i32 {2}, {0}p\n", name, random() % 64 * 4, reg());
        continue;
      case 7:
        text += fmt::format("  {0}c = cmp.lt.i32 {1}, {2}\n  {0} = select.i32 {0}c, {3}, {4}\n", name, reg(),
                            number(), reg(), number());
        break;
      default:
        text += fmt::format("  {0}h = load.i16 %p\n  {0} = sext.i16.i32 {0}h\n", name);
        break;
    }
    numbers.push_back(name);
  }
  return text + fmt::format("  ret {}\n}}\n", numbers.back());
}

uint32_t literal_words(const MachineOperand& operand, uint64_t bits, Type type) {
  for (const LiteralAlternative& each : operand.literals) {
    if (each.holds(bits, type)) return each.extra_words;
  }
  return 0;
}

// The words of all machine instructions.
uint32_t words(const Function& function) {
  uint32_t sum = 0;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (!inst.is_machine()) continue;
      const MachineForm& form = function.instruction_set->form(inst);
      if (form.is_boundary) continue;
      sum += form.words;
      std::span<const Operand> operands = function.operands(id);
      for (size_t i = 0; i < form.operands.size(); ++i) {
        if (form.operands[i].kind == MachineOperand::Kind::Literal) {
          sum +=
              literal_words(form.operands[i], function.literal_bits(operands[i]), operands[i].literal_type());
        }
      }
    }
  }
  return sum;
}

class Search {
 public:
  Search(const Function& function, const SelectionPatterns::Tables& tables)
      : function_(function), tables_(tables), values_(function, tables), matcher_(function, tables, values_) {
    BlockId block = function.entry();
    insts_.assign(function.insts(block).begin(), function.insts(block).end());
    values_.start(block);
    candidates_.resize(insts_.size());
    for (size_t i = 0; i < insts_.size(); ++i) {
      place_[insts_[i].index()] = i;
      collect(i);
      values_.pass(insts_[i]);
    }
  }

  uint32_t run() {
    best_ = UINT32_MAX;
    visit(insts_.size(), {}, {}, 0);
    return best_;
  }

 private:
  struct Candidate {
    uint32_t words;
    std::vector<Reg> reads;
    std::vector<uint32_t> loads;  // literals that need a register
    int also = -1;                // the place of another instruction that it provides
  };

  void collect(size_t i) {
    const Inst& inst = function_.inst(insts_[i]);
    std::vector<std::pair<select::RootKey, bool>> keys = {{tables_.key(inst), false}};
    if (inst.op == Opcode::Cmp) {
      select::RootKey swapped = tables_.key(inst);
      swapped.kind_bits = static_cast<uint8_t>(swap_operands(inst.cond()));
      keys.push_back({swapped, true});
    }
    for (auto [key, is_swapped] : keys) {
      for (uint32_t index : tables_.find(key)) {
        const select::Pattern& pattern = tables_.patterns()[index];
        const MachineForm& form = tables_.set().form(pattern.form);
        if (inst.results[0] && pattern.roots[0].result < 0) continue;
        select::Matcher::Match match;
        if (!matcher_.covers(pattern, insts_[i], is_swapped, match)) continue;
        Candidate candidate{pattern.words, {}, {}, -1};
        for (size_t k = 0; k < form.operands.size(); ++k) {
          const MachineOperand& wanted = form.operands[k];
          Operand operand = match.operands[k];
          if (wanted.kind == MachineOperand::Kind::Literal) {
            candidate.words += literal_words(wanted, function_.literal_bits(operand), operand.literal_type());
          } else {
            read(operand, candidate);
          }
        }
        if (inst.op == Opcode::Ret) {
          for (Operand operand : function_.operands(insts_[i])) read(operand, candidate);
        }
        if (match.also) candidate.also = static_cast<int>(place_of(match.also));
        candidates_[i].push_back(candidate);
      }
    }
  }

  // An instruction behind this one has no place yet.
  size_t place_of(InstId id) const {
    return static_cast<size_t>(std::find(insts_.begin(), insts_.end(), id) - insts_.begin());
  }

  void read(Operand operand, Candidate& candidate) {
    if (operand.is_reg()) candidate.reads.push_back(operand.reg());
    if (operand.is_literal()) candidate.loads.push_back(operand.raw());
  }

  uint32_t load_words(const std::set<uint32_t>& loads) const {
    uint32_t sum = 0;
    for (uint32_t raw : loads) {
      Operand literal = Operand::from_raw(raw);
      uint32_t least = UINT32_MAX;
      for (uint32_t index : tables_.constants()) {
        const select::Pattern& pattern = tables_.patterns()[index];
        const MachineOperand& operand = tables_.set().form(pattern.form).operands[0];
        uint64_t bits = function_.literal_bits(literal);
        for (const LiteralAlternative& each : operand.literals) {
          if (each.holds(bits, literal.literal_type()))
            least = std::min(least, pattern.words + each.extra_words);
        }
      }
      sum += least;
    }
    return sum;
  }

  // From the last instruction to the first: `wanted` are read further down, `provided` are made by others.
  void visit(size_t i, std::set<uint32_t> wanted, std::set<uint32_t> loads, uint32_t sum) {
    if (sum >= best_) return;
    if (i == 0) {
      best_ = std::min(best_, sum + load_words(loads));
      return;
    }
    --i;
    const Inst& inst = function_.inst(insts_[i]);
    bool is_effect = !inst.computes() && inst.effect() != Effect::Read;
    bool is_wanted = is_effect || (inst.results[0] && wanted.contains(inst.results[0].index()));
    if (!is_wanted) return visit(i, std::move(wanted), std::move(loads), sum);
    for (const Candidate& candidate : candidates_[i]) {
      std::set<uint32_t> now = wanted, literals = loads;
      uint32_t cost = candidate.words;
      if (candidate.also >= 0) {
        // What it provides need not be made elsewhere: behind it that was paid for already.
        size_t also = static_cast<size_t>(candidate.also);
        if (also > i && wanted.contains(function_.inst(insts_[also]).results[0].index()))
          cost -= std::min(cost, 1u);
        if (also < i) now.erase(function_.inst(insts_[also]).results[0].index());
      }
      for (Reg r : candidate.reads) now.insert(r.index());
      for (uint32_t raw : candidate.loads) literals.insert(raw);
      visit(i, std::move(now), std::move(literals), sum + cost);
    }
  }

  const Function& function_;
  const SelectionPatterns::Tables& tables_;
  select::Values values_;
  select::Matcher matcher_;
  std::vector<InstId> insts_;
  std::map<uint32_t, size_t> place_;
  std::vector<std::vector<Candidate>> candidates_;
  uint32_t best_ = UINT32_MAX;
};

TEST(SelectionOptimum, IsReachedWithinTwoPercent) {
  const Target* tiny = find_target("tiny");
  ASSERT_NE(tiny, nullptr);
  const SelectionPatterns patterns(*tiny->description);
  std::mt19937 random(11);
  uint64_t taken = 0, least = 0, missed = 0;
  for (int i = 0; i < 500; ++i) {
    std::string text = random_block(random);
    Result<Module> module = parse(text);
    ASSERT_TRUE(module) << module.message() << text;
    Function prepared = *module->find_function("f");
    select::prepare(prepared, patterns.tables());
    uint32_t optimum = Search(prepared, patterns.tables()).run();
    ASSERT_NE(optimum, UINT32_MAX) << text;
    Function& function = *module->find_function("f");
    Analyses analyses(function);
    Result<void> result = select_instructions(*module, function, analyses, patterns);
    ASSERT_TRUE(result) << result.message() << text;
    uint32_t cost = words(function);
    EXPECT_GE(cost, optimum) << text << print(*module);
    taken += cost;
    least += optimum;
    missed += cost > optimum;
  }
  EXPECT_LE(static_cast<double>(taken), 1.02 * static_cast<double>(least))
      << taken << " words, least " << least << ", " << missed << " blocks are dearer";
  RecordProperty("words", static_cast<int>(taken));
  RecordProperty("least", static_cast<int>(least));
}

}  // namespace
}  // namespace psi
