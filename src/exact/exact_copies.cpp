// A multicut: copies are cut so that no path of the others connects two interfering nodes, with the least
// weight. The solver gets some paths, finds the best cut of these, gets paths that this cut has left, and so
// on; when there are none, the cut is optimal.
//
// Exponential in the worst case, hence the limit.
#include <z3++.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "psi/exact/copies.h"

namespace psi {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
// The solver's weights are integers: the units of one execution.
constexpr double kScale = 1e6;

class Multicut {
 public:
  Multicut(const CopyModel& model, uint64_t max_work)
      : apart_(model.num_nodes), edges_of_(model.num_nodes), work_left_(max_work), limited_(max_work > 0) {
    std::map<std::pair<uint32_t, uint32_t>, double> weights;
    for (const CopyModel::Edge& edge : model.edges) {
      if (edge.a != edge.b) weights[std::minmax(edge.a, edge.b)] += edge.weight;
    }
    for (auto [a, b] : model.apart) {
      apart_[a].push_back(b);
      apart_[b].push_back(a);
    }
    for (const auto& [nodes, weight] : weights) {
      edges_of_[nodes.first].push_back(static_cast<uint32_t>(edges_.size()));
      edges_of_[nodes.second].push_back(static_cast<uint32_t>(edges_.size()));
      edges_.push_back({nodes.first, nodes.second, weight});
    }
    is_cut_.resize(edges_.size());
    is_apart_.resize(model.num_nodes);
    via_.resize(model.num_nodes, kNone);
  }

  // Each connected component by itself.
  std::optional<double> run() {
    std::vector<uint8_t> is_seen(apart_.size());
    for (uint32_t node = 0; node < apart_.size(); ++node) {
      if (is_seen[node]) continue;
      is_seen[node] = 1;
      nodes_.assign(1, node);
      for (size_t i = 0; i < nodes_.size(); ++i) {
        for (uint32_t edge : edges_of_[nodes_[i]]) {
          uint32_t next = other_end(edge, nodes_[i]);
          if (!is_seen[next]) nodes_.push_back(next);
          is_seen[next] = 1;
        }
      }
      if (!solve()) return std::nullopt;
    }
    double sum = 0;
    for (size_t i = 0; i < edges_.size(); ++i) {
      if (is_cut_[i]) sum += edges_[i].weight;
    }
    return sum;
  }

 private:
  using Path = std::vector<uint32_t>;  // of edges

  uint32_t other_end(uint32_t edge, uint32_t node) const { return edges_[edge].a ^ edges_[edge].b ^ node; }

  // The best cut of the edges between `nodes_`. False if the limit does not suffice.
  bool solve() {
    std::vector<Path> paths = paths_left();
    if (paths.empty()) return true;
    if (!context_) context_.emplace();
    z3::optimize solver(*context_);
    z3::expr_vector cuts(*context_);
    std::map<uint32_t, int> number;  // by edge
    for (uint32_t node : nodes_) {
      for (uint32_t edge : edges_of_[node]) {
        if (!number.emplace(edge, static_cast<int>(cuts.size())).second) continue;
        cuts.push_back(context_->bool_const(std::to_string(edge).c_str()));
        auto weight = std::max(1LL, std::llround(edges_[edge].weight * kScale));
        solver.add_soft(!cuts.back(), std::to_string(weight).c_str());
      }
    }
    for (; !paths.empty(); paths = paths_left()) {
      for (const Path& path : paths) {
        z3::expr_vector any(*context_);
        for (uint32_t edge : path) any.push_back(cuts[number.at(edge)]);
        solver.add(z3::mk_or(any));
      }
      if (!check(solver)) return false;
      z3::model model = solver.get_model();
      for (auto [edge, i] : number) is_cut_[edge] = model.eval(cuts[i], true).is_true();
    }
    return true;
  }

  bool check(z3::optimize& solver) {
    if (!limited_) return solver.check() == z3::sat;
    if (work_left_ == 0) return false;
    z3::params params(*context_);
    params.set("rlimit", static_cast<unsigned>(std::min<uint64_t>(work_left_, UINT32_MAX)));
    solver.set(params);
    uint32_t before = work_done(solver);
    bool is_solved = solver.check() == z3::sat;
    uint32_t work = work_done(solver) - before;
    work_left_ -= std::min<uint64_t>(work, work_left_);
    return is_solved;
  }

  // In this context so far, modulo 2^32.
  static uint32_t work_done(z3::optimize& solver) {
    z3::stats statistics = solver.statistics();
    for (unsigned i = 0; i < statistics.size(); ++i) {
      if (statistics.key(i) == "rlimit count") return statistics.uint_value(i);
    }
    return 0;
  }

  // From each node to the nearest interfering ones; further paths go through these.
  std::vector<Path> paths_left() {
    std::vector<Path> paths;
    std::vector<uint32_t> reached;
    for (uint32_t start : nodes_) {
      for (uint32_t node : apart_[start]) is_apart_[node] = 1;
      reached.assign(1, start);
      for (size_t i = 0; i < reached.size(); ++i) {
        if (is_apart_[reached[i]]) {
          if (start < reached[i]) paths.push_back(path(start, reached[i]));
          continue;
        }
        for (uint32_t edge : edges_of_[reached[i]]) {
          uint32_t next = other_end(edge, reached[i]);
          if (is_cut_[edge] || next == start || via_[next] != kNone) continue;
          via_[next] = edge;
          reached.push_back(next);
        }
      }
      for (uint32_t node : reached) via_[node] = kNone;
      for (uint32_t node : apart_[start]) is_apart_[node] = 0;
    }
    return paths;
  }

  Path path(uint32_t start, uint32_t end) const {
    Path path;
    for (uint32_t node = end; node != start; node = other_end(via_[node], node)) path.push_back(via_[node]);
    return path;
  }

  std::vector<CopyModel::Edge> edges_;           // between different nodes, one for each two
  std::vector<std::vector<uint32_t>> apart_;     // by node
  std::vector<std::vector<uint32_t>> edges_of_;  // by node
  std::vector<uint8_t> is_cut_;                  // by edge
  std::vector<uint32_t> nodes_;                  // of the part that is being solved
  // During a search.
  std::vector<uint8_t> is_apart_;       // by node: from the start
  std::vector<uint32_t> via_;           // by node: the edge by which it was reached
  std::optional<z3::context> context_;  // expensive to make
  uint64_t work_left_;
  bool limited_;
};

}  // namespace

std::optional<double> least_copies(const CopyModel& model, uint64_t max_work) {
  return Multicut(model, max_work).run();
}

}  // namespace psi
