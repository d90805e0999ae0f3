// If-conversion in psi-SSA: Stoutchinin and de Ferriere 2001, de Ferriere 2007; predicates as in Park and
// Schlansker 1991.
//
// A region is a set of blocks without a loop that control enters at one place. Its blocks are put one after
// the other into one block, each under a predicate that says whether control would have come to it
// (RegionPredicates), and its phis become psis of the predicates of the edges (Merges). What regions are
// tried, Hammocks and hyperblocks() say; what stands in the way, Legality; whether it pays, CostModel.
// duplicate_tails() copies blocks first, so that hyperblocks become larger.
//
// What was converted may make more worth it, so this is done again until nothing changes.
//
// Differs from the papers in that blocks which depend on many branches take their predicates from the edges
// that lead to them, so that long chains of branches do not grow quadratically.
#include "psi/if_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "if_convert/conversion.h"
#include "if_convert/cost.h"
#include "if_convert/hammocks.h"
#include "if_convert/hyperblocks.h"
#include "if_convert/predicate_code.h"
#include "if_convert/tail_duplication.h"
#include "if_convert/words.h"
#include "psi/transform.h"
#include "transform/merge_blocks.h"
#include "transform/thread_jumps.h"

namespace psi {
namespace {

using namespace if_conversion;

// Regions of more blocks are not looked at for what they cost.
constexpr size_t kMaxEstimated = 512;
// So often regions are converted.
constexpr int kMaxConversionRounds = 8;
// A hyperblock has no room for what is executed more rarely.
constexpr double kMinShare = 0.1;

double min_share(const IfConvertOptions& options) {
  return options.mode == IfConvertOptions::Mode::All ? 0 : kMinShare;
}

bool can_convert(const Target& target) { return target.has_select || target.can_guard(Opcode::Mov); }

class IfConversion {
 public:
  IfConversion(Function& function, Analyses& analyses, const Target& target, const IfConvertOptions& options,
               Counters& counters, Remarks* remarks)
      : function_(function),
        analyses_(analyses),
        target_(target),
        options_(options),
        counters_(counters),
        remarks_(remarks),
        legality_(function, analyses, target),
        costs_(function, analyses, target, legality_),
        is_gone_(function.num_blocks()) {}

  // False if nothing was converted; then the remarks say why.
  bool run(bool is_last_round) {
    if (can_convert(target_)) {
      find_regions();
    } else {
      refuse_all();
    }
    if (is_last_round) give_up();
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
      for (Region& region : hyperblocks(function_, analyses_, legality_, min_share(options_))) {
        if (leaves_fewer_branches(region) && pays(region)) choose(std::move(region));
      }
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

  bool is_branch(BlockId b) const { return analyses_.cfg().successors(b).size() > 1; }

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
      figures = fmt::format("{:.1f} cycles with branches, {:.1f} without (height {}, width {})",
                            estimate.with_branches, estimate.without, estimate.height, estimate.width);
    }
    if (remarks_) is_wanted ? accept(region, figures) : refuse(region.entry(), figures);
    return is_wanted;
  }

  void choose(Region region) {
    // The first may be the entry of a region and in none.
    for (BlockId b : region.blocks) is_gone_[b.index()] = 1;
    chosen_.push_back(std::move(region));
  }

  void give_up() {
    for (const Region& region : chosen_) refuse(region.entry(), "its turn did not come");
    chosen_.clear();
  }

  void accept(const Region& region, std::string_view why) {
    accepted_.emplace_back(function_.terminators(region.entry()).back(),
                           fmt::format("{} blocks from {} on converted for {}: {}", region.blocks.size(),
                                       text_of(function_, region.entry()), target_.name, why));
  }
  void refuse(BlockId b, std::string_view why) {
    if (remarks_)
      refused_.emplace_back(function_.terminators(b).back(),
                            fmt::format("branch of {} kept: {}", text_of(function_, b), why));
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
  Legality legality_;
  CostModel costs_;
  std::vector<Region> chosen_;
  std::vector<uint8_t> is_gone_;                                    // by BlockId: in a region that was chosen
  std::vector<std::pair<InstId, std::string>> accepted_, refused_;  // terminators, and why
};

// Tries on another function, by BlockId, for which regions blocks are to be copied.
std::vector<uint8_t> pay_with_copies(const Function& function, const Target& target,
                                     const TailDuplicationLimits& limits) {
  Function trial = function;
  Analyses analyses(trial);
  Counters counters;
  duplicate_tails(trial, analyses, target, limits, counters, nullptr);
  std::vector<uint8_t> pay(function.num_blocks());
  Legality legality(trial, analyses, target);
  CostModel costs(trial, analyses, target, legality);
  for (const Region& region : hyperblocks(trial, analyses, legality, limits.min_share)) {
    if (region.blocks.size() > kMaxEstimated) continue;
    pay[region.entry().index()] = costs.estimate(region).gain() > 0;
  }
  return pay;
}

// Jumps to blocks that only jump on, or whose way on they decide, go there: what is in nobody's way then can
// be in a region.
void thread_jumps(Function& function, Analyses& analyses, Counters& counters) {
  std::span<const BlockId> order = analyses.order().reverse_post_order();
  transform::JumpThreading jumps(function, analyses, transform::ThreadThrough::EmptyAndDecided);
  for (size_t i = order.size(); i-- > 0;) jumps.thread(order[i]);
  if (jumps.num_threaded() == 0) return;
  counters.add("jumps threaded", jumps.num_threaded());
  analyses.drop(Keeps::Nothing);
  dce_unreachable(function, analyses, counters);
  analyses.drop(Keeps::Nothing);
  transform::merge_blocks(function, analyses, counters);
}

}  // namespace

void if_convert(Function& function, Analyses& analyses, const Target& target, const IfConvertOptions& options,
                Counters& counters, Remarks* remarks) {
  if (can_convert(target)) thread_jumps(function, analyses, counters);
  if (options.regions == IfConvertOptions::Regions::Hyperblocks && options.duplicate > 0 &&
      can_convert(target)) {
    TailDuplicationLimits limits{options.duplicate, min_share(options), {}};
    if (options.mode == IfConvertOptions::Mode::Cost)
      limits.may_grow = pay_with_copies(function, target, limits);
    duplicate_tails(function, analyses, target, limits, counters, remarks);
  }
  int round = 0;
  while (
      IfConversion(function, analyses, target, options, counters, remarks).run(round == kMaxConversionRounds))
    ++round;
}

void if_convert(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  IfConvertOptions options;
  if (context.arguments["mode"] == "all") options.mode = IfConvertOptions::Mode::All;
  if (context.arguments["regions"] == "hyperblocks") options.regions = IfConvertOptions::Regions::Hyperblocks;
  std::string_view duplicate = context.arguments["duplicate"];
  std::from_chars(duplicate.data(), duplicate.data() + duplicate.size(), options.duplicate);
  if_convert(context.function, context.analyses, context.target(), options, context.counters,
             context.remarks);
}

std::vector<PassOption> if_convert_options() {
  return {{.name = "mode",
           .values = {"cost", "all"},
           .summary = "convert where the target needs fewer cycles, or wherever it is right"},
          {.name = "regions",
           .values = {"hammocks", "hyperblocks"},
           .summary = "convert what lies between a branch and where its sides meet, or also what is left in "
                      "several places"},
          {.name = "duplicate",
           .values = {"0", "8", "16", "32", "64"},
           .summary = "instructions that may be copied for one hyperblock, where control also comes from "
                      "elsewhere"}};
}

}  // namespace psi
