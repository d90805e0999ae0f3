// What the predicates of a function's blocks cost, and what the engines know of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "predicate_engines.h"
#include "psi/ir/function.h"
#include "psi/pass/step_times.h"

namespace psi::bench {

struct Cost {
  StepTimes times;
  uint64_t functions = 0, insts = 0, blocks = 0, regions = 0, largest_region = 0;
  uint64_t nodes = 0, predicates = 0, symbols = 0, partitions = 0;

  void add(const Cost& other) {
    times.add(other.times);
    for (auto member : {&Cost::functions, &Cost::insts, &Cost::blocks, &Cost::regions, &Cost::nodes,
                        &Cost::predicates, &Cost::symbols, &Cost::partitions}) {
      this->*member += other.*member;
    }
    largest_region = std::max(largest_region, other.largest_region);
  }
};

struct PairCounts {
  uint64_t pairs = 0;  // that there are
  uint64_t asked = 0;
  struct OfEngine {
    uint64_t yes = 0, no = 0;
    double seconds = 0;
  };
  OfEngine engines[kNumEngines];
  uint64_t wrong = 0;  // yes where the exact engine says no, or the other way round

  void add(const PairCounts& other) {
    pairs += other.pairs;
    asked += other.asked;
    wrong += other.wrong;
    for (size_t i = 0; i < kNumEngines; ++i) {
      engines[i].yes += other.engines[i].yes;
      engines[i].no += other.engines[i].no;
      engines[i].seconds += other.engines[i].seconds;
    }
  }
};

struct Study {
  Cost cost;
  PairCounts targets;   // of pairs of blocks that one branch or switch leads to
  PairCounts siblings;  // of pairs of blocks with the same immediate dominator
};

// Of a function in SSA form: of at most `max_pairs` of each kind, spread evenly where there are more.
Study study_predicates(const Function& function, uint64_t max_pairs);

}  // namespace psi::bench
