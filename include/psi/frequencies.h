// How often each block is executed for one execution of the function, measured or estimated.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/cfg.h"
#include "psi/loops.h"
#include "psi/order.h"

namespace psi {

class Frequencies {
 public:
  enum class Source : uint8_t {
    Counts,      // every reachable block has a count, and the entry's is not 0: these are the frequencies
    EdgeCounts,  // some terminators have counts, which give the probabilities of their edges
    Estimated,   // all are guesses
  };

  // A loop is taken to run at most this often each time it is entered. Endless loops do, and those that are
  // left very rarely; then what enters such a loop does not all come out.
  static constexpr double kMaxScale = 4096;
  // Frequencies do not grow beyond this, so that deep nests stay finite.
  static constexpr double kMaxFrequency = 0x1p+512;

  // Guesses where there are no counts: a guarded terminator is executed every other time, and its targets are
  // equally likely (those of a switch for each case). If some of a block's ways stay in its innermost loop
  // and some leave it (returns included), the latter are taken one time in eight; a way that leads to nothing
  // but `unreachable` is taken 2^-20 of the time.
  //
  // Linear in the edges, times the number of loops that an edge leaves.
  Frequencies(const Function& function, const Cfg& cfg, const Order& order, const Loops& loops);

  Source source() const { return source_; }
  // Executions of the block for each of the entry; 0 where unreachable.
  double of(BlockId b) const { return frequency_[b.index()]; }
  // The share of the executions of its block that leave by this edge, from the counts of edges or guessed,
  // also where the counts of blocks give the frequencies. With those that return, a block's sum up to 1.
  double probability(Edge edge) const { return probability_[first_edge_[edge.from.index()] + edge.index]; }
  double of(Edge edge) const { return of(edge.from) * probability(edge); }

 private:
  Source source_ = Source::Estimated;
  std::vector<double> frequency_;     // by BlockId
  std::vector<uint32_t> first_edge_;  // by BlockId
  std::vector<double> probability_;   // by edge number
};

}  // namespace psi
