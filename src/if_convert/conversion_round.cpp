#include "if_convert/conversion_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "if_convert/conversion.h"
#include "if_convert/cost.h"
#include "if_convert/hammocks.h"
#include "if_convert/hyperblocks.h"
#include "if_convert/predicate_code.h"
#include "if_convert/words.h"
#include "transform/merge_blocks.h"

namespace psi::if_conversion {
namespace {

// So often regions are converted.
constexpr int kMaxRounds = 8;

DeadEnds dead_ends(const Function& function, int round) {
  if (round > 0) return DeadEnds::Stay;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      if (function.inst(id).guard || function.inst(id).is_psi()) return DeadEnds::Stay;
    }
  }
  return DeadEnds::Join;
}

class ConversionRound {
 public:
  ConversionRound(Function& function, Analyses& analyses, const Target& target,
                  const IfConvertOptions& options, int round, Counters& counters, Remarks* remarks)
      : function_(function),
        analyses_(analyses),
        target_(target),
        options_(options),
        counters_(counters),
        remarks_(remarks),
        is_last_(round == kMaxRounds),
        legality_(function, analyses, target, dead_ends(function, round)),
        costs_(function, analyses, target, legality_),
        is_gone_(function.num_blocks()),
        is_refused_(function.num_blocks()) {}

  // False if nothing was converted; then the remarks say why.
  bool run() {
    if (can_convert(target_)) {
      find_regions();
    } else {
      refuse_all();
    }
    if (is_last_) give_up();
    if (chosen_.empty()) {
      for (auto& [terminator, why] : refused_) remarks_->refused(function_, terminator, std::move(why));
      return false;
    }
    for (auto& [terminator, what] : accepted_) remarks_->done(function_, terminator, std::move(what));
    for (const Region& region : chosen_) {
      convert(function_, analyses_, target_, legality_, region, counters_);
    }
    drop_blocks();
    remove_predicates();
    transform::merge_blocks(function_, analyses_, counters_);
    return true;
  }

 private:
  // --- Which regions --------------------------------------------------------------------------------------

  void refuse_all() {
    for (BlockId b : analyses_.order().reverse_post_order()) {
      if (is_branch(b)) refuse(b, fmt::format("{} has neither guards nor selects", target_.name));
    }
  }

  void find_regions() {
    if (options_.regions == IfConvertOptions::Regions::Hyperblocks) {
      find_hyperblocks();
    }
    // A region that is given up may have others in it.
    Hammocks hammocks(function_, analyses_, legality_);
    for (BlockId b : analyses_.dominators().preorder()) {
      if (is_gone_[b.index()] || !is_branch(b)) continue;
      if (!hammocks.can_be_converted(b)) {
        if (remarks_) refuse(b, hammocks.obstacle(b));
        continue;
      }
      Region region = hammocks.region(b);
      bool is_free = std::ranges::none_of(region.blocks, [&](BlockId b) { return is_gone_[b.index()] != 0; });
      if (is_free && pays(region)) choose(std::move(region));
    }
  }

  void find_hyperblocks() {
    for (double share : shares(options_)) {
      for (Region& region : hyperblocks(function_, analyses_, legality_, share, is_gone_)) {
        if (shrink_until_it_pays(region)) choose(std::move(region));
      }
    }
  }

  // The first blocks of a region are one themselves, as each comes after its predecessors.
  bool shrink_until_it_pays(Region& region) {
    while (!leaves_fewer_branches(region) || !pays(region)) {
      if (options_.mode == IfConvertOptions::Mode::All) return false;
      region.blocks.resize(region.blocks.size() * 3 / 4);
      bool has_branch = std::ranges::any_of(region.blocks, [&](BlockId b) { return is_branch(b); });
      if (region.blocks.size() < 2 || !has_branch) return false;
    }
    return true;
  }

  bool is_branch(BlockId b) const {
    return analyses_.cfg().successors(b).size() > 1 || function_.terminators(b).size() > 1;
  }

  BlockId first_branch(const Region& region) const {
    return *std::ranges::find_if(region.blocks, [&](BlockId b) { return is_branch(b); });
  }

  // Without guarded branches each exit but the last takes one.
  bool leaves_fewer_branches(const Region& region) const {
    if (target_.can_guard(Opcode::Br)) return true;
    RegionGraph graph(function_, region);
    auto branches = std::ranges::count_if(region.blocks, [&](BlockId b) { return is_branch(b); });
    return graph.exits().size() <= static_cast<uint64_t>(branches);
  }

  bool pays(const Region& region) {
    bool is_wanted = options_.mode == IfConvertOptions::Mode::All;
    if (is_wanted && !remarks_) return true;
    std::string figures = "its blocks are too many for an estimate";
    if (region.blocks.size() <= kMaxEstimated) {
      Estimate estimate = costs_.estimate(region);
      is_wanted = is_wanted || estimate.gain() > 0;
      if (!remarks_) return is_wanted;
      figures = fmt::format("{:.1f} cycles with branches, {:.1f} without (height {:.3g}, width {:.3g})",
                            estimate.with_branches, estimate.without, estimate.height, estimate.width);
    }
    if (remarks_) is_wanted ? accept(region, figures) : refuse(first_branch(region), figures);
    return is_wanted;
  }

  void choose(Region region) {
    // The first may be the entry of a region and in none.
    for (BlockId b : region.blocks) is_gone_[b.index()] = 1;
    if (target_.out_of_order && options_.mode == IfConvertOptions::Mode::Cost) costs_.choose(region);
    chosen_.push_back(std::move(region));
  }

  void give_up() {
    for (const Region& region : chosen_) refuse(first_branch(region), "its turn did not come");
    chosen_.clear();
  }

  void accept(const Region& region, std::string_view why) {
    accepted_.emplace_back(function_.terminators(region.entry()).back(),
                           fmt::format("{} blocks from {} on converted for {}: {}", region.blocks.size(),
                                       text_of(function_, region.entry()), target_.name, why));
  }
  // Of several reasons, that of the largest region.
  void refuse(BlockId b, std::string_view why) {
    if (!remarks_ || is_refused_[b.index()]) return;
    is_refused_[b.index()] = 1;
    for (InstId id : function_.terminators(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.guard || inst.count >= 3)
        refused_.emplace_back(
            id, fmt::format("branch of {}{} kept: {}", text_of(function_, b), where(inst), why));
    }
  }
  // A block that ends in guarded branches has several.
  std::string where(const Inst& terminator) const {
    std::string text;
    if (!terminator.guard) return text;
    if (terminator.op == Opcode::Ret) return " to its return";
    function_.for_each_target(terminator, [&](BlockId to) { text += " to " + text_of(function_, to); });
    return text;
  }

  // --- Afterwards -----------------------------------------------------------------------------------------

  void drop_blocks() {
    for (const Region& region : chosen_) is_gone_[region.entry().index()] = 0;
    std::vector<BlockId> layout;
    for (BlockId b : function_.layout()) {
      if (b.index() >= is_gone_.size() || !is_gone_[b.index()]) layout.push_back(b);
    }
    function_.set_layout(std::move(layout));
    analyses_.drop(Keeps::Nothing);
  }

  void remove_predicates() {
    std::vector<BlockId> blocks;
    for (const Region& region : chosen_) blocks.push_back(region.entry());
    if (uint64_t removed = remove_unread_predicates(function_, blocks))
      counters_.add("unread predicates removed", removed);
  }

  Function& function_;
  Analyses& analyses_;
  const Target& target_;
  const IfConvertOptions& options_;
  Counters& counters_;
  Remarks* remarks_;
  bool is_last_;
  Legality legality_;
  CostModel costs_;
  std::vector<Region> chosen_;
  std::vector<uint8_t> is_gone_;     // by BlockId: in a region that was chosen
  std::vector<uint8_t> is_refused_;  // by BlockId: there is a reason for its branch to stay
  std::vector<std::pair<InstId, std::string>> accepted_, refused_;  // terminators, and why
};

}  // namespace

bool convert_regions(Function& function, Analyses& analyses, const Target& target,
                     const IfConvertOptions& options, int round, Counters& counters, Remarks* remarks) {
  return ConversionRound(function, analyses, target, options, round, counters, remarks).run();
}

}  // namespace psi::if_conversion
