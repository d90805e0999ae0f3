#include <algorithm>

#include "explore/json.h"
#include "explore/sort_few.h"
#include "explore/traces.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dj_graph.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frontiers.h"
#include "psi/ssa/phi_placement.h"
#include "ssa/phi_sites.h"
#include "ssa/variables.h"
#include "support/scratch.h"

namespace psi::explore {
namespace {

constexpr uint32_t kMaxBlocks = 200;
constexpr uint32_t kMaxVariables = 48;

class Placement {
 public:
  Placement(const Function& function, size_t step)
      : function_(function),
        step_(step),
        analyses_(function),
        dominators_(analyses_.get<Dominators>()),
        variables_(function, dominators_, ssa::Variables::All, scratch_) {
    for (uint32_t i = 0; i < variables_.size() && chosen_.size() < kMaxVariables; ++i) {
      if (!variables_.definitions(Reg(i)).empty()) chosen_.push_back(Reg(i));
    }
  }

  PlacementTraces run() {
    if (chosen_.empty()) return {};
    find_live_joins();
    Json json;
    for (PlacementAlgorithm algorithm : {PlacementAlgorithm::Adt, PlacementAlgorithm::DjGraph,
                                         PlacementAlgorithm::Cytron, PlacementAlgorithm::CytronFerrante}) {
      std::unique_ptr<PhiPlacement> placement = make_phi_placement(algorithm, analyses_);
      std::vector<PhiPlacement::Step> steps;
      placement->record(&steps);
      for (Reg variable : chosen_) {
        steps.clear();
        std::vector<BlockId> joins;
        placement->place(variables_.definitions(variable), joins);
        write(json, algorithm, variable, steps, joins);
      }
    }
    return {json.take(), graph()};
  }

 private:
  void find_live_joins() {
    std::unique_ptr<PhiPlacement> placement = make_phi_placement(PlacementAlgorithm::Adt, analyses_);
    ssa::SiteList sites(&scratch_);
    for (Reg variable : chosen_) {
      std::vector<BlockId> joins;
      placement->place(variables_.definitions(variable), joins);
      for (BlockId b : joins) sites.push_back({variable, b});
    }
    ssa::prune_by_search(sites, variables_, analyses_.get<Cfg>(), dominators_);
    live_joins_.resize(function_.num_regs());
    for (ssa::PhiSite site : sites) live_joins_[site.variable.index()].push_back(site.block);
  }

  static void write_blocks(Json& json, std::string_view key, std::span<const BlockId> blocks) {
    json.key(key).open('[');
    for (BlockId b : blocks) json.number(b.index());
    json.close(']');
  }
  static std::vector<BlockId> sorted(std::span<const BlockId> blocks) {
    std::vector<BlockId> list(blocks.begin(), blocks.end());
    std::ranges::sort(list);
    return list;
  }

  // `left` is what is known to be taken later, the deepest first: definitions, and joins that were found.
  void write(Json& json, PlacementAlgorithm algorithm, Reg variable,
             std::span<const PhiPlacement::Step> steps, std::span<const BlockId> joins) const {
    json.open('{').key("kind").text("phi-placement").key("step").number(step_);
    json.key("algorithm")
        .text(placement_name(algorithm))
        .key("variable")
        .number(function_.identity(variable));
    write_blocks(json, "definitions", sorted(variables_.definitions(variable)));
    std::vector<BlockId> left(variables_.definitions(variable).begin(),
                              variables_.definitions(variable).end());
    json.key("events").open('[');
    for (size_t i = 0; i < steps.size();) {
      BlockId taken = steps[i++].taken;
      std::vector<BlockId> found;
      for (; i < steps.size() && steps[i].join; ++i) found.push_back(steps[i].join);
      std::erase(left, taken);
      for (BlockId join : found) {
        if (std::ranges::find(left, join) == left.end()) left.push_back(join);
      }
      sort_few(left, [&](BlockId x, BlockId y) { return dominators_.level(x) > dominators_.level(y); });
      json.open('{').key("take").number(taken.index());
      write_blocks(json, "joins", found);
      write_blocks(json, "left", left);
      json.close('}');
    }
    json.close(']');
    write_blocks(json, "phis", sorted(joins));
    write_blocks(json, "of_use", sorted(live_joins_[variable.index()]));
    json.close('}');
  }

  std::string graph() {
    const DjGraph& edges = analyses_.get<DjGraph>();
    const DominanceFrontiers& frontiers = analyses_.get<DominanceFrontiers>();
    Json json;
    json.open('{').key("step").number(step_).key("blocks").open('[');
    for (BlockId b : function_.layout()) {
      if (!dominators_.is_reachable(b)) continue;
      json.open('{').key("id").number(b.index()).key("dominator");
      if (BlockId above = dominators_.idom(b)) {
        json.number(above.index());
      } else {
        json.null();
      }
      json.key("level").number(dominators_.level(b));
      write_blocks(json, "joins", edges.join_edges(b));
      write_blocks(json, "frontier", frontiers.of(b));
      json.close('}');
    }
    return json.close(']').close('}').take();
  }

  const Function& function_;
  size_t step_;
  Analyses analyses_;
  const Dominators& dominators_;
  Scratch scratch_;
  ssa::Variables variables_;
  std::vector<Reg> chosen_;
  std::vector<std::vector<BlockId>> live_joins_;  // by Reg
};

}  // namespace

PlacementTraces placement_traces(const Function& function, size_t step) {
  if (function.layout().size() > kMaxBlocks || function.layout().size() < 2) return {};
  return Placement(function, step).run();
}

}  // namespace psi::explore
