#include "predication/if_convert/tail_duplication.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "predication/if_convert/block_copies.h"
#include "predication/if_convert/legality.h"
#include "predication/if_convert/words.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi::predication {
namespace {

// Walks the blocks like hyperblocks(), and copies each block after its predecessors and their copies.
class TailDuplication {
 public:
  TailDuplication(Function& function, Analyses& analyses, const Target& target,
                  const TailDuplicationLimits& limits, Remarks* remarks)
      : function_(function),
        cfg_(analyses.get<Cfg>()),
        order_(analyses.get<Order>()),
        legality_(function, analyses, target, UnreachableEnds::Stay),
        limits_(limits),
        remarks_(remarks),
        copies_(function, analyses),
        region_(function.num_blocks(), kNone) {}

  bool run(Counters& counters) {
    for (BlockId b : order_.reverse_post_order()) visit(b);
    if (copies_.num_copies() == 0) return false;
    copies_.finish();
    counters.add("blocks duplicated", copies_.num_copies());
    counters.add("instructions duplicated", num_copied_);
    return true;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct GrowingRegion {
    BlockId entry;
    uint32_t num_copied = 0;  // instructions
    bool has_branch = false;
  };

  void visit(BlockId b) {
    if (!is_entered_forward(b) || legality_.obstacle(b)) return begin_region(b);
    find_groups(b);
    if (groups_.size() > 1) copy_for_groups(b);
    const EdgeGroup& first = groups_.front();
    if (groups_.size() == 1 && first.region != kNone && is_frequent(first)) {
      join(b, first.region, b);
    } else {
      begin_region(b);
    }
  }

  bool is_entered_forward(BlockId b) const {
    auto is_before = [&](BlockId p) { return order_.number(p) < order_.number(b); };
    return b != function_.entry() && std::ranges::all_of(cfg_.predecessors(b), is_before);
  }

  void begin_region(BlockId b) {
    regions_.push_back({.entry = b});
    join(b, static_cast<uint32_t>(regions_.size() - 1), b);
  }

  void join(BlockId b, uint32_t region, BlockId original) {
    region_[b.index()] = region;
    if (cfg_.successors(original).size() > 1) regions_[region].has_branch = true;
  }

  // By region; kNone: from blocks that keep their branches.
  void find_groups(BlockId b) {
    copies_.find_incoming(b, incoming_);
    for (IncomingEdge& edge : incoming_) {
      edge.region = legality_.ends_well(edge.original) ? region_[edge.from.index()] : kNone;
    }
    std::ranges::sort(incoming_, {},
                      [](const IncomingEdge& edge) { return std::pair(edge.region, edge.from.index()); });
    groups_.clear();
    for (size_t first = 0, last = 0; first < incoming_.size(); first = last) {
      EdgeGroup& group = groups_.emplace_back();
      group.region = incoming_[first].region;
      for (; last < incoming_.size() && incoming_[last].region == group.region; ++last) {
        group.frequency += incoming_[last].frequency;
      }
      group.edges = std::span(incoming_).subspan(first, last - first);
    }
  }

  bool is_frequent(const EdgeGroup& group) const {
    double entered = copies_.frequency(regions_[group.region].entry);
    return group.frequency >= limits_.min_probability * std::max(entered, 1e-300);
  }

  bool gains(const EdgeGroup& group) const {
    return group.region != kNone && regions_[group.region].has_branch && is_frequent(group);
  }

  // The regions that enter the block most often come first; the last one gets the original.
  void copy_for_groups(BlockId b) {
    if (std::ranges::none_of(groups_, [&](const EdgeGroup& group) { return gains(group); })) return;
    if (Reg r = copies_.read_elsewhere(b)) {
      if (remarks_) refuse(b, fmt::format("{} is read elsewhere", text(r)));
      return;
    }
    std::ranges::sort(groups_, {},
                      [](const EdgeGroup& group) { return std::pair(-group.frequency, group.region); });
    size_t size = num_insts(b), left = groups_.size();
    for (EdgeGroup& group : groups_) {
      if (left == 1) break;
      if (!gains(group) || !may_grow(b, group.region, size)) continue;
      group.is_copied = true;
      --left;
    }
    if (left == groups_.size()) return;
    copies_.copy(b, groups_);
    for (const EdgeGroup& group : groups_) {
      if (!group.is_copied) continue;
      region_.resize(function_.num_blocks(), kNone);
      join(group.copy, group.region, b);
      regions_[group.region].num_copied += static_cast<uint32_t>(size);
      num_copied_ += size;
      if (remarks_) {
        remarks_->done(function_, function_.insts(group.copy).back(),
                       fmt::format("{} copied for the region of {}: {} instructions", text(b),
                                   text(regions_[group.region].entry), size));
      }
    }
    std::erase_if(groups_, [](const EdgeGroup& group) { return group.is_copied; });
  }

  size_t num_insts(BlockId b) const {
    auto is_phi = [&](InstId id) { return function_.inst(id).is_phi(); };
    return function_.insts(b).size() - static_cast<size_t>(std::ranges::count_if(function_.insts(b), is_phi));
  }

  bool may_grow(BlockId b, uint32_t r, size_t size) {
    const GrowingRegion& region = regions_[r];
    if (size > limits_.insts - region.num_copied) {
      if (remarks_) {
        refuse(b, fmt::format("{} more instructions are too many for the region of {}", size,
                              text(region.entry)));
      }
      return false;
    }
    bool pays = limits_.may_grow.empty() || limits_.may_grow[region.entry.index()];
    if (!pays && remarks_)
      refuse(b, fmt::format("a copy does not pay for the region of {}", text(region.entry)));
    return pays;
  }

  // --- Words ----------------------------------------------------------------------------------------------

  template <class Id>
  std::string text(Id id) const {
    return text_of(function_, id);
  }

  void refuse(BlockId b, std::string_view why) {
    remarks_->refused(function_, function_.insts(b).back(), fmt::format("{} kept: {}", text(b), why));
  }

  Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  Legality legality_;
  const TailDuplicationLimits& limits_;
  Remarks* remarks_;
  BlockCopies copies_;
  std::vector<GrowingRegion> regions_;
  std::vector<uint32_t> region_;  // by BlockId, copies included
  uint64_t num_copied_ = 0;
  // Of the current block.
  std::vector<IncomingEdge> incoming_;
  std::vector<EdgeGroup> groups_;
};

}  // namespace

void duplicate_tails(Function& function, Analyses& analyses, const Target& target,
                     const TailDuplicationLimits& limits, Counters& counters, Remarks* remarks) {
  bool has_changed = TailDuplication(function, analyses, target, limits, remarks).run(counters);
  if (has_changed) analyses.drop(Keeps::Nothing);
}

}  // namespace psi::predication
