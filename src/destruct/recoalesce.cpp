#include "destruct/recoalesce.h"

#include <algorithm>
#include <numeric>

#include "destruct/best_partition.h"

namespace psi::destruction {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
// As many ties are taken apart for one copy, and so many steps may the search for something better take.
constexpr uint32_t kMaxOpen = 48;
constexpr uint64_t kMaxSteps = 20000;
constexpr int kMaxRounds = 3;

class Recoalescing {
 public:
  Recoalescing(PlaceInterference& places, const Webs& ties, const std::vector<Affinity>& affinities,
               Webs& webs)
      : places_(places), ties_(ties), affinities_(affinities), webs_(webs) {}

  void run() {
    if (std::none_of(affinities_.begin(), affinities_.end(),
                     [&](const Affinity& a) { return !webs_.same(a.target, a.source); })) {
      return;
    }
    number_ties();
    sort_places();
    bool changed = false;
    for (int round = 0; round < kMaxRounds; ++round) {
      bool better = false;
      is_done_.assign(affinities_.size(), 0);
      for (uint32_t i = 0; i < affinities_.size(); ++i) {
        if (!is_done_[i] && is_left(i)) better |= reconsider(i);
      }
      changed |= better;
      if (!better) break;
    }
    if (changed) rebuild();
  }

 private:
  bool is_left(uint32_t affinity) const {
    return set_of_[tie_[affinities_[affinity].target.index()]] !=
           set_of_[tie_[affinities_[affinity].source.index()]];
  }

  // Ties that affinities name, numbered; which of them are one web, and which affinities each has.
  void number_ties() {
    tie_.assign(ties_.num_regs(), kNone);
    std::vector<uint32_t> set_of_web(ties_.num_regs(), kNone);
    auto number = [&](Reg r) {
      Reg tie = ties_.find(r);
      if (tie_[tie.index()] == kNone) {
        tie_[tie.index()] = static_cast<uint32_t>(tie_regs_.size());
        tie_regs_.push_back(tie);
        uint32_t& set = set_of_web[webs_.find(tie).index()];
        if (set == kNone) {
          set = static_cast<uint32_t>(sets_.size());
          sets_.emplace_back();
        }
        set_of_.push_back(set);
        sets_[set].push_back(tie_[tie.index()]);
      }
      tie_[r.index()] = tie_[tie.index()];
    };
    for (const Affinity& affinity : affinities_) {
      number(affinity.target);
      number(affinity.source);
    }
    first_affinity_.assign(tie_regs_.size() + 1, 0);
    auto for_each_end = [&](auto visit) {
      for (uint32_t i = 0; i < affinities_.size(); ++i) {
        visit(tie_[affinities_[i].target.index()], i);
        visit(tie_[affinities_[i].source.index()], i);
      }
    };
    for_each_end([&](uint32_t tie, uint32_t) { ++first_affinity_[tie + 1]; });
    std::partial_sum(first_affinity_.begin(), first_affinity_.end(), first_affinity_.begin());
    affinities_of_.resize(affinities_.size() * 2);
    std::vector<uint32_t> next(first_affinity_.begin(), first_affinity_.end() - 1);
    for_each_end([&](uint32_t tie, uint32_t i) { affinities_of_[next[tie]++] = i; });
    node_of_.assign(tie_regs_.size(), kNone);
    seen_set_.assign(sets_.size(), 0);
    // Every member of a tie is to be told from others by its number.
    for (uint32_t tie = 0; tie < tie_regs_.size(); ++tie) {
      ties_.for_each_member(tie_regs_[tie], [&](Reg r) { tie_[r.index()] = tie; });
    }
  }

  // The places of each tile.
  void sort_places() {
    const LiveRanges& ranges = places_.ranges();
    first_place_.assign(ranges.num_tiles() + 1, 0);
    for (const Place& place : ranges.all_places()) ++first_place_[place.tile + 1];
    std::partial_sum(first_place_.begin(), first_place_.end(), first_place_.begin());
    places_of_.resize(ranges.all_places().size());
    std::vector<uint32_t> next(first_place_.begin(), first_place_.end() - 1);
    for (uint32_t p = 0; p < places_of_.size(); ++p) places_of_[next[ranges.all_places()[p].tile]++] = p;
  }

  template <class Visit>
  void for_each_affinity(uint32_t tie, Visit visit) const {
    for (uint32_t i = first_affinity_[tie]; i < first_affinity_[tie + 1]; ++i) visit(affinities_of_[i]);
  }

  // Takes the webs around a copy apart, and puts them together again as well as can be.
  bool reconsider(uint32_t affinity) {
    if (!open_around(affinity)) return false;
    make_problem();
    std::vector<uint8_t> sets(problem_.num_nodes);
    for (uint32_t i = 0; i < problem_.num_nodes; ++i) sets[i] = initial_[i];
    bool better = improve_partition(problem_, sets, kMaxSteps);
    if (better) regroup(sets);
    for (uint32_t tie : nodes_) node_of_[tie] = kNone;
    for (uint32_t set : closed_) {
      for (uint32_t tie : sets_[set]) node_of_[tie] = kNone;
    }
    return better;
  }

  // The webs at both ends, then those next to these, as many as fit, tie by tie; then webs next to them, each
  // as one node. False if not even the first two fit.
  bool open_around(uint32_t affinity) {
    opened_.clear();
    nodes_.clear();
    closed_.clear();
    auto open = [&](uint32_t set) {
      if (seen_set_[set]) return true;
      if (nodes_.size() + sets_[set].size() > kMaxOpen) return false;
      seen_set_[set] = 1;
      opened_.push_back(set);
      nodes_.insert(nodes_.end(), sets_[set].begin(), sets_[set].end());
      return true;
    };
    bool fits = open(set_of_[tie_[affinities_[affinity].target.index()]]) &&
                open(set_of_[tie_[affinities_[affinity].source.index()]]);
    if (fits) {
      for (size_t i = 0; i < nodes_.size(); ++i) {
        for_each_affinity(nodes_[i], [&](uint32_t a) {
          for (Reg end : {affinities_[a].target, affinities_[a].source}) {
            uint32_t set = set_of_[tie_[end.index()]];
            if (open(set) || seen_set_[set]) continue;
            if (nodes_.size() + closed_.size() >= PartitionProblem::kMaxNodes) continue;
            seen_set_[set] = 1;
            closed_.push_back(set);
          }
        });
        if (nodes_.size() + closed_.size() >= PartitionProblem::kMaxNodes) break;
      }
    }
    for (uint32_t set : opened_) seen_set_[set] = 0;
    for (uint32_t set : closed_) seen_set_[set] = 0;
    return fits && nodes_.size() + closed_.size() <= PartitionProblem::kMaxNodes;
  }

  void make_problem() {
    problem_.num_nodes = static_cast<uint32_t>(nodes_.size() + closed_.size());
    problem_.apart.assign(problem_.num_nodes, 0);
    problem_.edges.clear();
    initial_.resize(problem_.num_nodes);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      node_of_[nodes_[i]] = i;
      auto set = std::find(opened_.begin(), opened_.end(), set_of_[nodes_[i]]);
      initial_[i] = static_cast<uint8_t>(set - opened_.begin());
    }
    uint64_t all_closed = 0;
    for (uint32_t i = 0; i < closed_.size(); ++i) {
      auto node = static_cast<uint32_t>(nodes_.size()) + i;
      initial_[node] = static_cast<uint8_t>(node);
      all_closed |= uint64_t{1} << node;
      for (uint32_t tie : sets_[closed_[i]]) node_of_[tie] = node;
    }
    // Closed webs stay as they are.
    for (uint32_t i = 0; i < closed_.size(); ++i) {
      auto node = static_cast<uint32_t>(nodes_.size()) + i;
      problem_.apart[node] = all_closed & ~(uint64_t{1} << node);
    }
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      find_interference(i);
      add_edges(i);
    }
  }

  void find_interference(uint32_t node) {
    const LiveRanges& ranges = places_.ranges();
    uint64_t& apart = problem_.apart[node];
    ties_.for_each_member(tie_regs_[nodes_[node]], [&](Reg r) {
      for (const LiveRange& range : ranges.of(r)) {
        for (uint32_t p = range.first_place; p < range.first_place + range.num_places; ++p) {
          uint32_t tile = ranges.all_places()[p].tile;
          for (uint32_t i = first_place_[tile]; i < first_place_[tile + 1]; ++i) {
            uint32_t tie = tie_[places_.reg(places_of_[i]).index()];
            uint32_t other = tie == kNone ? kNone : node_of_[tie];
            if (other == kNone || other == node || (apart >> other & 1)) continue;
            if (!places_.interfere(p, places_of_[i])) continue;
            apart |= uint64_t{1} << other;
            problem_.apart[other] |= uint64_t{1} << node;
          }
        }
      }
    });
  }

  void add_edges(uint32_t node) {
    for_each_affinity(nodes_[node], [&](uint32_t a) {
      uint32_t target = node_of_[tie_[affinities_[a].target.index()]];
      uint32_t source = node_of_[tie_[affinities_[a].source.index()]];
      if (target == kNone || source == kNone || target == source) return;
      // Those between two open ties are met twice.
      uint32_t other = target == node ? source : target;
      if (other < nodes_.size() && other < node) return;
      if (other < nodes_.size()) is_done_[a] = 1;
      problem_.edges.push_back(
          {static_cast<uint8_t>(target), static_cast<uint8_t>(source), affinities_[a].weight});
    });
  }

  void regroup(const std::vector<uint8_t>& sets) {
    for (uint32_t set : opened_) sets_[set].clear();
    std::vector<uint32_t> new_set(PartitionProblem::kMaxNodes, kNone);
    for (uint32_t i = 0; i < closed_.size(); ++i) new_set[sets[nodes_.size() + i]] = closed_[i];
    size_t reused = 0;
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      uint32_t& set = new_set[sets[i]];
      if (set == kNone) {
        if (reused < opened_.size()) {
          set = opened_[reused++];
        } else {
          set = static_cast<uint32_t>(sets_.size());
          sets_.emplace_back();
          seen_set_.push_back(0);
        }
      }
      sets_[set].push_back(nodes_[i]);
      set_of_[nodes_[i]] = set;
    }
  }

  void rebuild() {
    webs_ = ties_;
    for (const std::vector<uint32_t>& set : sets_) {
      for (size_t i = 1; i < set.size(); ++i) webs_.unite(tie_regs_[set[0]], tie_regs_[set[i]]);
    }
  }

  PlaceInterference& places_;
  const Webs& ties_;
  const std::vector<Affinity>& affinities_;
  Webs& webs_;
  std::vector<uint32_t> tie_;                // by Reg: the number of its tie
  std::vector<Reg> tie_regs_;                // by tie
  std::vector<uint32_t> set_of_;             // by tie: which web it is in now
  std::vector<std::vector<uint32_t>> sets_;  // the ties of each web
  std::vector<uint32_t> first_affinity_;     // by tie, and one more
  std::vector<uint32_t> affinities_of_;
  std::vector<uint32_t> first_place_;  // by tile, and one more
  std::vector<uint32_t> places_of_;
  std::vector<uint8_t> is_done_;  // by affinity
  std::vector<uint8_t> seen_set_;
  // What is looked at now.
  std::vector<uint32_t> opened_;   // webs taken apart
  std::vector<uint32_t> nodes_;    // their ties
  std::vector<uint32_t> closed_;   // webs that are one node each
  std::vector<uint32_t> node_of_;  // by tie
  std::vector<uint8_t> initial_;
  PartitionProblem problem_;
};

}  // namespace

void recoalesce(PlaceInterference& places, const Webs& ties, const std::vector<Affinity>& affinities,
                Webs& webs) {
  Recoalescing(places, ties, affinities, webs).run();
}

}  // namespace psi::destruction
