#include "destruct/recoalesce.h"

#include <algorithm>
#include <numeric>

#include "destruct/best_partition.h"

namespace psi::destruct {

using namespace live;
namespace {

constexpr uint32_t kNoNumber = UINT32_MAX;
// The most ties that are reconsidered for one copy, and the most steps of a search.
constexpr uint32_t kMaxOpen = 48;
constexpr uint32_t kMaxPart = 12;
constexpr size_t kManySegments = 512;
constexpr uint64_t kMaxSteps = 4000;
constexpr int kMaxRecoalesceIterations = 3;
// The budget of compared pairs of segments, for each segment, so that time is linear.
constexpr int64_t kEffort = 50;
constexpr int64_t kLeastEffort = 1'000'000;

class Recoalescing {
 public:
  Recoalescing(SegmentInterference& segments, const Webs& ties, const std::vector<Affinity>& affinities,
               Webs& webs)
      : segments_(segments), ties_(ties), affinities_(affinities), webs_(webs) {}

  void run() {
    if (std::none_of(affinities_.begin(), affinities_.end(),
                     [&](const Affinity& a) { return !webs_.same(a.target, a.source); })) {
      return;
    }
    number_ties();
    effort_left_ = kEffort * segments_.ranges().all_segments().size() + kLeastEffort;
    open_segments_of_.assign(segments_.ranges().num_chunks(), kNoNumber);
    bool changed = false;
    for (int iteration = 0; iteration < kMaxRecoalesceIterations; ++iteration) {
      bool better = false;
      is_done_.assign(affinities_.size(), 0);
      for (uint32_t i = 0; i < affinities_.size(); ++i) {
        if (effort_left_ > 0 && !is_done_[i] && is_left(i)) better |= reconsider(i);
      }
      changed |= better;
      if (!better) break;
    }
    if (changed) rebuild();
  }

 private:
  // A segment of an open tie, and the next one in its chunk.
  struct OpenSegment {
    uint32_t segment;
    uint32_t node;
    uint32_t next;
  };

  bool is_left(uint32_t affinity) const {
    return set_of_[tie_[affinities_[affinity].target.index()]] !=
           set_of_[tie_[affinities_[affinity].source.index()]];
  }

  // Ties that affinities name, numbered; which of them are one web, and which affinities each has.
  void number_ties() {
    tie_.assign(ties_.num_regs(), kNoNumber);
    std::vector<uint32_t> set_of_web(ties_.num_regs(), kNoNumber);
    auto number = [&](Reg r) {
      Reg tie = ties_.find(r);
      if (tie_[tie.index()] == kNoNumber) {
        tie_[tie.index()] = static_cast<uint32_t>(tie_regs_.size());
        tie_regs_.push_back(tie);
        uint32_t& set = set_of_web[webs_.find(tie).index()];
        if (set == kNoNumber) {
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
    node_of_.assign(tie_regs_.size(), kNoNumber);
    state_.assign(sets_.size(), State::Unseen);
    node_of_set_.assign(sets_.size(), kNoNumber);
    num_segments_.resize(tie_regs_.size());
    for (uint32_t tie = 0; tie < tie_regs_.size(); ++tie) {
      for_each_segment(tie, [&](uint32_t) { ++num_segments_[tie]; });
    }
  }

  template <class Visit>
  void for_each_affinity(uint32_t tie, Visit visit) const {
    for (uint32_t i = first_affinity_[tie]; i < first_affinity_[tie + 1]; ++i) visit(affinities_of_[i]);
  }

  // Splits the webs around a copy into ties, and reunites them in the best way found.
  bool reconsider(uint32_t affinity) {
    open_around(affinity);
    make_problem();
    std::vector<uint8_t> sets = initial_;
    bool better = improve_partition(problem_, sets, kMaxSteps);
    if (better) regroup(sets);
    for (uint32_t tie : nodes_) node_of_[tie] = kNoNumber;
    for (uint32_t set : closed_) node_of_set_[set] = kNoNumber;
    return better;
  }

  // The webs at both ends, then those next to these, as many as fit, tie by tie; then webs next to them, each
  // as one node. Of a web at an end that does not fit, what is nearest, and the rest as one node.
  void open_around(uint32_t affinity) {
    opened_.clear();
    nodes_.clear();
    closed_.clear();
    for (Reg end : {affinities_[affinity].target, affinities_[affinity].source}) {
      uint32_t set = set_of_[tie_[end.index()]];
      if (!open(set)) open_part(set, tie_[end.index()]);
    }
    for (size_t i = 0; i < nodes_.size() && has_room(); ++i) {
      for_each_affinity(nodes_[i], [&](uint32_t a) {
        for (Reg end : {affinities_[a].target, affinities_[a].source}) {
          uint32_t set = set_of_[tie_[end.index()]];
          if (state_[set] == State::Unseen && !open(set) && has_room()) close(set);
        }
      });
    }
    for (uint32_t set : opened_) state_[set] = State::Unseen;
    for (uint32_t set : closed_) state_[set] = State::Unseen;
  }

  bool has_room() const { return nodes_.size() + closed_.size() < PartitionProblem::kMaxNodes; }

  bool open(uint32_t set) {
    size_t size = nodes_.size() + sets_[set].size();
    if (size > kMaxOpen || size + closed_.size() > PartitionProblem::kMaxNodes) return false;
    state_[set] = State::Opened;
    opened_.push_back(set);
    nodes_.insert(nodes_.end(), sets_[set].begin(), sets_[set].end());
    return true;
  }

  void close(uint32_t set) {
    state_[set] = State::Closed;
    closed_.push_back(set);
  }

  // From one of its ties on along the affinities.
  void open_part(uint32_t set, uint32_t tie) {
    size_t first = nodes_.size();
    size_t last = first + kMaxPart;
    auto add = [&](uint32_t found) {
      if (node_of_[found] != kNoNumber || nodes_.size() == last) return;
      node_of_[found] = 0;
      nodes_.push_back(found);
    };
    add(tie);
    for (size_t i = first; i < nodes_.size(); ++i) {
      for_each_affinity(nodes_[i], [&](uint32_t a) {
        for (Reg end : {affinities_[a].target, affinities_[a].source}) {
          uint32_t other = tie_[end.index()];
          if (set_of_[other] == set) add(other);
        }
      });
    }
    close(set);
  }

  void make_problem() {
    problem_.num_nodes = static_cast<uint32_t>(nodes_.size() + closed_.size());
    problem_.apart.assign(problem_.num_nodes, 0);
    problem_.edges.clear();
    initial_.resize(problem_.num_nodes);
    uint64_t all_closed = 0;
    for (uint32_t i = 0; i < closed_.size(); ++i) {
      auto node = static_cast<uint32_t>(nodes_.size()) + i;
      node_of_set_[closed_[i]] = node;
      initial_[node] = static_cast<uint8_t>(node);
      all_closed |= uint64_t{1} << node;
    }
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      node_of_[nodes_[i]] = i;
      uint32_t set = set_of_[nodes_[i]];
      auto opened = std::find(opened_.begin(), opened_.end(), set);
      initial_[i] =
          static_cast<uint8_t>(node_of_set_[set] != kNoNumber ? node_of_set_[set] : opened - opened_.begin());
    }
    // Closed webs stay unchanged.
    for (uint32_t i = 0; i < closed_.size(); ++i) {
      auto node = static_cast<uint32_t>(nodes_.size()) + i;
      problem_.apart[node] = all_closed & ~(uint64_t{1} << node);
    }
    find_interference();
    for (uint32_t i = 0; i < nodes_.size(); ++i) add_edges(i);
  }

  // Of a tie: its own if it is open, or that of its web.
  uint32_t node_of(uint32_t tie) const {
    return node_of_[tie] != kNoNumber ? node_of_[tie] : node_of_set_[set_of_[tie]];
  }

  template <class Visit>
  void for_each_segment(uint32_t tie, Visit visit) const {
    ties_.for_each_member(tie_regs_[tie], [&](Reg r) {
      for (const LiveRange& range : segments_.ranges().of(r)) {
        for (uint32_t p = range.first_segment; p < range.first_segment + range.num_segments; ++p) visit(p);
      }
    });
  }

  // Of open ties with each other, then with webs that are one node.
  void find_interference() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      for_each_segment(nodes_[i], [&](uint32_t p) {
        compare(i, p);
        uint32_t& head = open_segments_of_[chunk(p)];
        open_segments_.push_back({p, i, head});
        head = static_cast<uint32_t>(open_segments_.size()) - 1;
      });
    }
    bool any_large = false;
    for (uint32_t set : closed_) {
      if (is_large(set)) {
        any_large = true;
        continue;
      }
      for (uint32_t tie : sets_[set]) {
        if (node_of_[tie] != kNoNumber) continue;
        for_each_segment(tie, [&](uint32_t p) { compare(node_of_set_[set], p); });
      }
    }
    if (any_large) compare_large();
    for (const OpenSegment& open : open_segments_) open_segments_of_[chunk(open.segment)] = kNoNumber;
    open_segments_.clear();
  }

  uint32_t chunk(uint32_t segment) const { return segments_.ranges().all_segments()[segment].chunk(); }

  // Compares a node at one of its segments with the open ones there.
  void compare(uint32_t node, uint32_t segment) {
    for (uint32_t i = open_segments_of_[chunk(segment)]; i != kNoNumber; i = open_segments_[i].next) {
      compare(node, segment, open_segments_[i]);
    }
  }

  void compare(uint32_t node, uint32_t segment, const OpenSegment& open) {
    --effort_left_;
    if (open.node == node || (problem_.apart[node] >> open.node & 1)) return;
    if (!segments_.interfere(segment, open.segment)) return;
    problem_.apart[node] |= uint64_t{1} << open.node;
    problem_.apart[open.node] |= uint64_t{1} << node;
  }

  bool is_large(uint32_t set) const {
    size_t num_segments = 0;
    for (uint32_t tie : sets_[set]) {
      num_segments += num_segments_[tie];
      if (num_segments > kManySegments) return true;
    }
    return false;
  }

  // Large webs only in chunks with open ties.
  void compare_large() {
    if (segments_of_.empty()) sort_segments();
    for (const OpenSegment& open : open_segments_) {
      uint32_t at = chunk(open.segment);
      effort_left_ -= first_segment_[at + 1] - first_segment_[at];
      for (uint32_t i = first_segment_[at]; i < first_segment_[at + 1]; ++i) {
        uint32_t tie = segments_of_[i].tie;
        uint32_t node = node_of_set_[set_of_[tie]];
        if (node != kNoNumber && node_of_[tie] == kNoNumber) compare(node, segments_of_[i].segment, open);
      }
    }
  }

  // The segments of each chunk.
  void sort_segments() {
    const LiveRanges& ranges = segments_.ranges();
    first_segment_.assign(ranges.num_chunks() + 1, 0);
    for (uint32_t tie = 0; tie < tie_regs_.size(); ++tie) {
      for_each_segment(tie, [&](uint32_t p) { ++first_segment_[chunk(p) + 1]; });
    }
    std::partial_sum(first_segment_.begin(), first_segment_.end(), first_segment_.begin());
    segments_of_.resize(first_segment_.back());
    std::vector<uint32_t> next(first_segment_.begin(), first_segment_.end() - 1);
    for (uint32_t tie = 0; tie < tie_regs_.size(); ++tie) {
      for_each_segment(tie, [&](uint32_t p) { segments_of_[next[chunk(p)]++] = {p, tie}; });
    }
  }

  void add_edges(uint32_t node) {
    for_each_affinity(nodes_[node], [&](uint32_t a) {
      uint32_t target = node_of(tie_[affinities_[a].target.index()]);
      uint32_t source = node_of(tie_[affinities_[a].source.index()]);
      if (target == kNoNumber || source == kNoNumber || target == source) return;
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
    for (uint32_t set : closed_)
      std::erase_if(sets_[set], [&](uint32_t tie) { return node_of_[tie] != kNoNumber; });
    std::vector<uint32_t> new_set(PartitionProblem::kMaxNodes, kNoNumber);
    for (uint32_t i = 0; i < closed_.size(); ++i) new_set[sets[nodes_.size() + i]] = closed_[i];
    size_t reused = 0;
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      uint32_t& set = new_set[sets[i]];
      if (set == kNoNumber) {
        if (reused < opened_.size()) {
          set = opened_[reused++];
        } else {
          set = static_cast<uint32_t>(sets_.size());
          sets_.emplace_back();
          state_.push_back(State::Unseen);
          node_of_set_.push_back(kNoNumber);
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

  SegmentInterference& segments_;
  const Webs& ties_;
  const std::vector<Affinity>& affinities_;
  Webs& webs_;
  std::vector<uint32_t> tie_;                // by Reg: the number of its tie
  std::vector<Reg> tie_regs_;                // by tie
  std::vector<uint32_t> set_of_;             // by tie: which web it is in now
  std::vector<std::vector<uint32_t>> sets_;  // the ties of each web
  std::vector<uint32_t> first_affinity_;     // by tie, and one more
  std::vector<uint32_t> affinities_of_;
  std::vector<uint32_t> num_segments_;  // by tie
  struct TieSegment {
    uint32_t segment;
    uint32_t tie;
  };
  std::vector<uint32_t> first_segment_;  // by chunk, and one more
  std::vector<TieSegment> segments_of_;
  int64_t effort_left_ = 0;
  std::vector<uint8_t> is_done_;  // by affinity
  enum class State : uint8_t { Unseen, Opened, Closed };
  std::vector<State> state_;  // by web
  // The current search.
  std::vector<uint32_t> opened_;            // webs taken apart
  std::vector<uint32_t> nodes_;             // their ties
  std::vector<uint32_t> closed_;            // webs that are one node each, but for ties taken out of them
  std::vector<uint32_t> node_of_;           // by tie, if it is a node by itself
  std::vector<uint32_t> node_of_set_;       // by web, if it is one
  std::vector<uint32_t> open_segments_of_;  // by chunk: the first
  std::vector<OpenSegment> open_segments_;
  std::vector<uint8_t> initial_;
  PartitionProblem problem_;
};

}  // namespace

void recoalesce(SegmentInterference& segments, const Webs& ties, const std::vector<Affinity>& affinities,
                Webs& webs) {
  Recoalescing(segments, ties, affinities, webs).run();
}

}  // namespace psi::destruct
