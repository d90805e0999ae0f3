// The patterns of straight-line code, and their frequencies.
#include <array>

#include "testing/generator/function_generator.h"

namespace psi::testing {

void FunctionGenerator::statement() {
  struct Pattern {
    uint32_t weight;
    void (FunctionGenerator::*emit)();
    bool GenerateOptions::* needs = nullptr;
    bool guarded = false;  // may the pattern as a whole stand under a guard?
  };
  using F = FunctionGenerator;
  using O = GenerateOptions;
  static constexpr std::array kPatterns = {
      Pattern{30, &F::arithmetic, nullptr, true},
      Pattern{5, &F::shift, nullptr, true},
      Pattern{4, &F::division, nullptr, true},
      Pattern{9, &F::floating, &O::floats, true},
      Pattern{6, &F::conversion, nullptr, true},
      Pattern{2, &F::float_to_int, &O::floats, true},
      Pattern{7, &F::move_or_select, nullptr, true},
      Pattern{2, &F::undefined_value},
      Pattern{7, &F::compare, nullptr, true},
      Pattern{5, &F::two_target_compare, &O::guards},
      Pattern{4, &F::partial_compare, &O::guards, true},
      Pattern{2, &F::accumulate_predicate, &O::guards},
      Pattern{2, &F::correlated_compares},
      Pattern{3, &F::predicate_logic, nullptr, true},
      Pattern{3, &F::both_arms, &O::guards},
      Pattern{4, &F::guarded_definition, &O::guards},
      Pattern{2, &F::nullified_compare, &O::guards},
      Pattern{2, &F::guarded_division, &O::guards},
      Pattern{8, &F::load, &O::memory, true},
      Pattern{7, &F::store, &O::memory, true},
      Pattern{2, &F::block_copy, &O::memory, true},
      Pattern{2, &F::derive_pointer, &O::memory},
      Pattern{2, &F::pointer_table, &O::memory},
      Pattern{1, &F::pointer_numbers, &O::memory},
      Pattern{2, &F::bounded_access, &O::memory},
      Pattern{1, &F::local_slot, &O::memory},
      Pattern{4, &F::call, &O::calls, true},
      Pattern{2, &F::call_recursive, &O::calls},
      Pattern{2, &F::call_indirect, &O::calls, true},
      Pattern{2, &F::call_external, &O::externals, true},
      Pattern{2, &F::observe, &O::externals, true},
      Pattern{1, &F::heap, &O::externals},
  };
  static constexpr uint32_t kTotal = [] {
    uint32_t total = 0;
    for (const Pattern& pattern : kPatterns) total += pattern.weight;
    return total;
  }();
  // Which pattern each number below kTotal stands for.
  static constexpr auto kChoice = [] {
    std::array<uint8_t, kTotal> choice{};
    uint32_t at = 0;
    for (size_t i = 0; i < kPatterns.size(); ++i) {
      for (uint32_t k = 0; k < kPatterns[i].weight; ++k) choice[at++] = static_cast<uint8_t>(i);
    }
    return choice;
  }();

  const Pattern& pattern = kPatterns[kChoice[random_.below(kTotal)]];
  if (pattern.needs && !(options_.*pattern.needs)) return;
  annotate();
  mode_ = pattern.guarded ? choose_mode() : Mode();
  (this->*pattern.emit)();
  mode_ = {};
  builder_.guard({});
}

}  // namespace psi::testing
