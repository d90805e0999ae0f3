// The steps of a placement algorithm, variable by variable.

#include <fmt/format.h>

#include <algorithm>

#include "emit/page.h"
#include "psi/emit.h"
#include "ssa/phi_sites.h"
#include "ssa/variables.h"
#include "support/scratch.h"

namespace psi {
namespace {

class PlacementPage {
 public:
  PlacementPage(const Module& module, const Function& function, Analyses& analyses,
                PlacementAlgorithm algorithm)
      : page_(module, function, analyses),
        analyses_(analyses),
        algorithm_(algorithm),
        placement_(make_phi_placement(algorithm, analyses)),
        variables_(function, analyses.dominators(), ssa::Variables::All, scratch_),
        live_joins_(variables_.size()) {
    placement_->record(&steps_);
  }

  std::string write(Reg only) {
    out_ = fmt::format("phis of {} by {}\n", page_.title(), placement_name(algorithm_));
    find_live_joins();
    for (uint32_t i = 0; i < variables_.size(); ++i) {
      Reg v(i);
      // What is defined in the entry block alone has no joins, whoever looks for them.
      if (only ? v == only : !variables_.definitions(v).empty()) write_variable(v);
    }
    return std::move(out_);
  }

 private:
  std::vector<BlockId> joins_of(Reg v) {
    std::vector<BlockId> joins;
    placement_->place(variables_.definitions(v), joins);
    std::sort(joins.begin(), joins.end());
    return joins;
  }

  void find_live_joins() {
    ssa::SiteList sites(&scratch_);
    for (uint32_t i = 0; i < variables_.size(); ++i) {
      for (BlockId b : joins_of(Reg(i))) sites.push_back({Reg(i), b});
    }
    ssa::prune_by_search(sites, variables_, analyses_.cfg(), analyses_.dominators());
    for (ssa::PhiSite site : sites) live_joins_[site.variable.index()].push_back(site.block);
  }

  void write_variable(Reg v) {
    std::vector<BlockId> definitions(variables_.definitions(v).begin(), variables_.definitions(v).end());
    std::sort(definitions.begin(), definitions.end());
    out_ += fmt::format("{}, defined in {}\n", page_.name(v), page_.list(definitions));
    steps_.clear();
    std::vector<BlockId> joins = joins_of(v), found;
    emit::Table table;
    for (size_t i = 0; i < steps_.size();) {
      BlockId taken = steps_[i].taken;
      found.clear();
      for (++i; i < steps_.size() && steps_[i].join; ++i) found.push_back(steps_[i].join);
      table.add({fmt::format("  {}", page_.name(taken)), page_.list(found)});
    }
    table.append_to(out_);
    out_ +=
        fmt::format("  phis in {}\n  of use in {}\n", page_.list(joins), page_.list(live_joins_[v.index()]));
  }

  emit::Page page_;
  Analyses& analyses_;
  PlacementAlgorithm algorithm_;
  std::unique_ptr<PhiPlacement> placement_;
  Scratch scratch_;
  ssa::Variables variables_;
  std::vector<PhiPlacement::Step> steps_;
  std::vector<std::vector<BlockId>> live_joins_;  // by variable
  std::string out_;
};

}  // namespace

std::string explain_placement(const Module& module, const Function& function, Analyses& analyses,
                              PlacementAlgorithm algorithm, Reg variable) {
  return PlacementPage(module, function, analyses, algorithm).write(variable);
}

}  // namespace psi
