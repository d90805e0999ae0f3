// Steps that remove or simplify blocks and branches.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/ir/views.h"
#include "testing/reducer/reducer.h"

namespace psi::testing {

bool Reducer::remove_blocks() {
  std::vector<Item> blocks = collect([](const Function& function, std::vector<Item>& items) {
    for (BlockId b : function.layout().subspan(1)) items.push_back({function.symbol, b.index()});
  });
  return function_chunks("removing blocks", std::move(blocks), testing::remove_blocks);
}

bool Reducer::simplify_terminators() {
  bool progress = false;
  // One target instead of several: the first, the second, ...
  for (uint32_t target = 0; target < 4; ++target) {
    std::vector<Item> branches =
        collect_insts([&](const Function& function, InstId id, std::vector<Item>& items) {
          uint32_t targets = 0;
          function.for_each_target(function.inst(id), [&](BlockId) { ++targets; });
          if (function.inst(id).is_terminator() && targets > 1 && targets > target) {
            items.push_back({function.symbol, id.index(), target});
          }
        });
    progress = function_chunks("simplifying branches", std::move(branches), keep_target) || progress;
  }
  std::vector<Item> jumps = collect_insts([](const Function& function, InstId id, std::vector<Item>& items) {
    const Inst& inst = function.inst(id);
    if (inst.is_terminator() && inst.op != Opcode::Ret) items.push_back({function.symbol, id.index()});
  });
  return function_chunks("returning early", std::move(jumps), replace_with_return) || progress;
}

bool Reducer::drop_cases() {
  std::vector<Item> cases = collect_insts([](const Function& function, InstId id, std::vector<Item>& items) {
    if (function.inst(id).op != Opcode::Switch) return;
    for (size_t i = 0; i < as_switch(function, id).cases.size(); ++i) {
      items.push_back({function.symbol, id.index(), case_operand(i)});
    }
  });
  return function_chunks(
      "dropping cases", std::move(cases), [](Function& function, std::span<const Item> chosen) {
        // From the last, so that the places of those before it stay.
        for (size_t i = chosen.size(); i > 0; --i) {
          InstId id(chosen[i - 1].id);
          std::span<const Operand> old = std::as_const(function).operands(id);
          if (chosen[i - 1].index >= old.size()) continue;
          std::vector<Operand> operands(old.begin(), old.end());
          operands.erase(operands.begin() + chosen[i - 1].index, operands.begin() + chosen[i - 1].index + 2);
          function.set_edge_counts(id, {});
          function.set_operands(id, operands);
        }
      });
}

bool Reducer::merge_blocks() {
  std::vector<Item> blocks = collect([](const Function& function, std::vector<Item>& items) {
    for (BlockId b : mergeable_blocks(function)) items.push_back({function.symbol, b.index()});
  });
  return function_chunks("merging blocks", std::move(blocks), testing::merge_blocks);
}

// The entry's computations may be irrelevant, but not its successors.
bool Reducer::move_entry() {
  std::vector<Item> starts = collect([](const Function& function, std::vector<Item>& items) {
    Cfg cfg(function);
    for (BlockId b : function.layout().subspan(1)) {
      std::span<const BlockId> from = cfg.predecessors(b);
      bool free = std::all_of(from.begin(), from.end(), [&](BlockId p) { return p == function.entry(); });
      if (free) items.push_back({function.symbol, b.index()});
    }
  });
  return function_chunks(
      "moving the entry", std::move(starts),
      [](Function& function, std::span<const Item> chosen) { start_at(function, BlockId(chosen[0].id)); }, 1);
}

}  // namespace psi::testing
