// Each edge in turn, the heaviest first, is joined or cut. Joining unites two sets and their conflicts;
// cutting makes the two conflict. An edge between conflicting sets is certainly cut, so the weight of these
// edges is a bound.
#include "destruct/best_partition.h"

#include <algorithm>
#include <array>
#include <bit>

namespace psi::destruct {
namespace {

// Smaller differences are rounding errors.
constexpr double kNothing = 1e-9;

class Search {
 public:
  Search(const PartitionProblem& problem, double best, uint64_t max_steps)
      : problem_(problem), edges_(problem.edges), best_(best), steps_left_(max_steps) {
    std::sort(edges_.begin(), edges_.end(), [](const auto& x, const auto& y) { return x.weight > y.weight; });
  }

  bool run(std::vector<uint8_t>& sets) {
    State start;
    for (uint32_t i = 0; i < problem_.num_nodes; ++i) {
      start.set[i] = static_cast<uint8_t>(i);
      start.members[i] = uint64_t{1} << i;
      start.apart[i] = problem_.apart[i];
    }
    stack_.push_back(start);
    while (!stack_.empty() && steps_left_ > 0) {
      --steps_left_;
      step();
    }
    if (!found_) return false;
    sets.assign(best_set_.begin(), best_set_.begin() + problem_.num_nodes);
    return true;
  }

 private:
  struct State {
    std::array<uint8_t, PartitionProblem::kMaxNodes> set;
    std::array<uint64_t, PartitionProblem::kMaxNodes> members;  // by set
    std::array<uint64_t, PartitionProblem::kMaxNodes> apart;    // by set: nodes
    uint32_t next = 0;                                          // the first undecided edge
    double cost = 0;                                            // of those before
  };

  static bool are_apart(const State& state, uint8_t x, uint8_t y) {
    return (state.apart[x] & state.members[y]) != 0;
  }

  // Replaces the state on top by its successors for the next undecided edge; the joined one is visited first.
  void step() {
    State& top = stack_.back();
    double bound = 0;
    uint32_t open = static_cast<uint32_t>(edges_.size());
    for (uint32_t i = static_cast<uint32_t>(edges_.size()); i-- > top.next;) {
      uint8_t x = top.set[edges_[i].a], y = top.set[edges_[i].b];
      if (x == y) continue;
      if (are_apart(top, x, y)) {
        bound += edges_[i].weight;
      } else {
        open = i;
      }
    }
    if (top.cost + bound >= best_ - kNothing) {
      stack_.pop_back();
      return;
    }
    if (open == edges_.size()) {
      best_ = top.cost + bound;
      best_set_ = top.set;
      found_ = true;
      stack_.pop_back();
      return;
    }
    for (uint32_t i = top.next; i < open; ++i) {
      if (top.set[edges_[i].a] != top.set[edges_[i].b]) top.cost += edges_[i].weight;
    }
    uint8_t x = top.set[edges_[open].a], y = top.set[edges_[open].b];
    State joined = top;
    joined.next = open + 1;
    joined.members[x] |= top.members[y];
    joined.apart[x] |= top.apart[y];
    for (uint64_t rest = top.members[y]; rest != 0; rest &= rest - 1) joined.set[std::countr_zero(rest)] = x;
    top.next = open;
    top.apart[x] |= top.members[y];
    top.apart[y] |= top.members[x];
    stack_.push_back(joined);
  }

  const PartitionProblem& problem_;
  std::vector<PartitionProblem::Edge> edges_;
  double best_;
  uint64_t steps_left_;
  bool found_ = false;
  std::array<uint8_t, PartitionProblem::kMaxNodes> best_set_{};
  std::vector<State> stack_;
};

}  // namespace

double cut(const PartitionProblem& problem, const std::vector<uint8_t>& sets) {
  double sum = 0;
  for (const PartitionProblem::Edge& edge : problem.edges) {
    if (sets[edge.a] != sets[edge.b]) sum += edge.weight;
  }
  return sum;
}

bool improve_partition(const PartitionProblem& problem, std::vector<uint8_t>& sets, uint64_t max_steps) {
  return Search(problem, cut(problem, sets), max_steps).run(sets);
}

}  // namespace psi::destruct
