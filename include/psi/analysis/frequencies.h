// The frequency of each block per execution of the function, measured or estimated.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/pass/analyses.h"

namespace psi {

class Frequencies {
 public:
  enum class Source : uint8_t {
    Counts,      // every reachable block has a count, and the entry's is not 0: these are the frequencies
    EdgeCounts,  // some terminators have counts, which give the probabilities of their edges
    Estimated,   // all are estimates
  };

  // The most iterations that a loop is taken to run each time it is entered, reached by endless loops and
  // loops that are left very rarely; the frequency that enters such a loop does not all come out.
  static constexpr double kMaxScale = 4096;
  // The largest frequency, so that deep nests stay finite.
  static constexpr double kMaxFrequency = 0x1p+512;

  // Estimates without counts: a guarded terminator is executed every other time, and its targets are equally
  // likely (those of a switch for each case). If some edges of a block stay in its innermost loop and some
  // leave it (returns included), the latter have a probability of 1/8; an edge that leads only to
  // `unreachable` has 2^-20.
  //
  // Linear in the edges times the number of loops that an edge leaves.
  Frequencies(const Function& function, const Cfg& cfg, const Order& order, const Loops& loops);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  Frequencies(const Function& function, Analyses& analyses)
      : Frequencies(function, analyses.get<Cfg>(), analyses.get<Order>(), analyses.get<Loops>()) {}

  Source source() const { return source_; }
  // Executions of the block per execution of the entry; 0 where unreachable.
  double of(BlockId b) const { return frequency_[b.index()]; }
  // The probability of this edge, given its block, from the counts of edges or estimated, also where the
  // counts of blocks give the frequencies. With returns, those of a block sum to 1.
  double probability(Edge edge) const { return probability_[first_edge_[edge.from.index()] + edge.index]; }
  double of(Edge edge) const { return of(edge.from) * probability(edge); }

  bool operator==(const Frequencies&) const = default;

 private:
  Source source_ = Source::Estimated;
  std::vector<double> frequency_;     // by BlockId
  std::vector<uint32_t> first_edge_;  // by BlockId
  std::vector<double> probability_;   // by edge number
};

}  // namespace psi
