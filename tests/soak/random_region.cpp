#include <algorithm>

#include "program_maker.h"

namespace psi::soak {
namespace {

constexpr uint32_t kMaxWorlds = 4096;

class RegionMaker : ProgramMaker {
 public:
  using ProgramMaker::ProgramMaker;

  Program make(bool structured) {
    function.form = Form::Ssa;
    if (structured) {
      grow();
    } else {
      scatter();
    }
    drop_unreachable();
    for (uint32_t b = 0; b < targets_.size(); ++b) {
      if (b != 0) function.add_block();
    }
    for (uint32_t b = 0; b < targets_.size(); ++b) add_terminators(b);
    return std::move(program);
  }

 private:
  // From one block to the exit; then blocks that only lead on are given branches to new blocks, which lead on
  // to where they led.
  void grow() {
    targets_ = {{1}, {}};
    for (uint32_t left = 2 + random.below(12); left > 0; --left) {
      std::vector<uint32_t> open;
      for (uint32_t b = 0; b < targets_.size(); ++b) {
        if (targets_[b].size() == 1) open.push_back(b);
      }
      if (open.empty()) return;
      uint32_t from = random.element(open), next = targets_[from][0];
      std::vector<uint32_t> to;
      uint32_t arms = affordable(random.percent(15) ? 3 : random.percent(20) ? 1 : 2);
      for (uint32_t i = 0; i < arms; ++i) {
        to.push_back(static_cast<uint32_t>(targets_.size()));
        targets_.push_back({next});
      }
      if (arms > 1 && random.coin()) to.back() = next;  // without an else
      targets_[from] = to;
    }
  }

  void scatter() {
    uint32_t count = 4 + random.below(12);
    targets_.resize(count);
    for (uint32_t b = 0; b + 1 < count; ++b) {
      uint32_t arms = affordable(random.percent(25) ? 1 : random.percent(15) ? 3 : 2);
      for (uint32_t i = 0; i < arms; ++i)
        targets_[b].push_back(b + 1 + random.below(std::min(4u, count - b - 1)));
    }
  }

  // One arm, where more would make too many worlds.
  uint32_t affordable(uint32_t arms) {
    if (worlds_ * arms > kMaxWorlds) return 1;
    worlds_ *= arms;
    return arms;
  }

  // Edges may lead past a block.
  void drop_unreachable() {
    std::vector<uint32_t> number(targets_.size(), UINT32_MAX), work = {0};
    Targets kept;
    for (number[0] = 0; !work.empty();) {
      uint32_t b = work.back();
      work.pop_back();
      for (uint32_t to : targets_[b]) {
        if (number[to] != UINT32_MAX) continue;
        number[to] = 0;
        work.push_back(to);
      }
    }
    for (uint32_t b = 0; b < targets_.size(); ++b) {
      if (number[b] == UINT32_MAX) continue;
      number[b] = static_cast<uint32_t>(kept.size());
      kept.push_back(targets_[b]);
    }
    for (std::vector<uint32_t>& targets : kept) {
      for (uint32_t& to : targets) to = number[to];
    }
    targets_ = std::move(kept);
  }

  void add_terminators(uint32_t b) {
    builder.at(BlockId(b));
    const std::vector<uint32_t>& to = targets_[b];
    if (to.empty()) {
      builder.ret();
    } else if (to.size() == 1) {
      builder.br(BlockId(to[0]));
    } else if (to.size() == 2) {
      Operand condition = Operand::reg(add_condition());
      if (random.percent(80)) {
        builder.br(condition, BlockId(to[0]), BlockId(to[1]));
      } else {
        builder.guard(Guard(condition.reg(), random.coin()));
        builder.br(BlockId(to[0]));
        builder.guard({});
        builder.br(BlockId(to[1]));
      }
    } else {
      Reg number = add_param(Type::i8, program.worlds.add_choice(3), {7, 9, 200});
      std::vector<Operand> cases = {literal(7), Operand::block(BlockId(to[0])), literal(9),
                                    Operand::block(BlockId(to[1]))};
      builder.switch_on(Type::i8, Operand::reg(number), BlockId(to[2]), cases);
    }
  }

  Reg add_condition() {
    if (random.coin()) return add_bit();
    Comparison c = written_somehow(add_comparison());
    return builder.cmp(c.cond, Type::i8, c.left, c.right);
  }

  using Targets = std::vector<std::vector<uint32_t>>;
  Targets targets_;  // by block
  uint32_t worlds_ = 1;
};

}  // namespace

Program random_region(bool structured, uint64_t seed) { return RegionMaker(seed).make(structured); }

}  // namespace psi::soak
