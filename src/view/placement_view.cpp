// The steps of a placement algorithm, variable by variable.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/view/views.h"
#include "ssa/phi_sites.h"
#include "ssa/variables.h"
#include "support/scratch.h"
#include "view/page.h"

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
        variables_(function, analyses.get<Dominators>(), ssa::Variables::All, scratch_),
        live_joins_(variables_.size()) {
    placement_->record(&steps_);
  }

  std::string as_text(Reg only) {
    std::string out = fmt::format("phis of {} by {}\n", page_.title(), placement_name(algorithm_));
    for_each_variable(only, [&](const Variable& variable) { append(out, variable); });
    return out;
  }
  std::string as_json(Reg only) {
    nlohmann::ordered_json variables = nlohmann::ordered_json::array();
    for_each_variable(only, [&](const Variable& v) {
      nlohmann::ordered_json steps = nlohmann::ordered_json::array();
      for (const Step& step : v.steps) {
        steps.push_back({{"block", page_.name(step.taken)}, {"joins", names(step.joins)}});
      }
      variables.push_back({{"variable", page_.name(v.reg)},
                           {"definitions", names(v.definitions)},
                           {"steps", std::move(steps)},
                           {"phis", names(v.joins)},
                           {"of use", names(live_joins_[v.reg.index()])}});
    });
    return nlohmann::ordered_json{{"function", page_.title().substr(1)},
                                  {"place", placement_name(algorithm_)},
                                  {"variables", std::move(variables)}}
        .dump(2);
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
    ssa::prune_by_search(sites, variables_, analyses_.get<Cfg>(), analyses_.get<Dominators>());
    for (ssa::PhiSite site : sites) live_joins_[site.variable.index()].push_back(site.block);
  }

  // A block that was taken, and the joins that it leads to.
  struct Step {
    BlockId taken;
    std::vector<BlockId> joins;
  };
  struct Variable {
    Reg reg;
    std::vector<BlockId> definitions;
    std::vector<Step> steps;
    std::vector<BlockId> joins;
  };

  template <class Visit>
  void for_each_variable(Reg only, Visit visit) {
    find_live_joins();
    for (uint32_t i = 0; i < variables_.size(); ++i) {
      Reg v(i);
      // A variable defined only in the entry block has no joins.
      if (only ? v == only : !variables_.definitions(v).empty()) visit(look_at(v));
    }
  }
  Variable look_at(Reg v) {
    Variable variable{v, {variables_.definitions(v).begin(), variables_.definitions(v).end()}, {}, {}};
    std::sort(variable.definitions.begin(), variable.definitions.end());
    steps_.clear();
    variable.joins = joins_of(v);
    for (const PhiPlacement::Step& step : steps_) {
      if (step.join) {
        variable.steps.back().joins.push_back(step.join);
      } else {
        variable.steps.push_back({step.taken, {}});
      }
    }
    return variable;
  }

  void append(std::string& out, const Variable& variable) const {
    out += fmt::format("{}, defined in {}\n", page_.name(variable.reg), page_.list(variable.definitions));
    view::Table table;
    for (const Step& step : variable.steps) {
      table.add({fmt::format("  {}", page_.name(step.taken)), page_.list(step.joins)});
    }
    table.append_to(out);
    out += fmt::format("  phis in {}\n  of use in {}\n", page_.list(variable.joins),
                       page_.list(live_joins_[variable.reg.index()]));
  }
  nlohmann::ordered_json names(const std::vector<BlockId>& blocks) const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (BlockId b : blocks) list.push_back(page_.name(b));
    return list;
  }

  view::Page page_;
  Analyses& analyses_;
  PlacementAlgorithm algorithm_;
  std::unique_ptr<PhiPlacement> placement_;
  Scratch scratch_;
  ssa::Variables variables_;
  std::vector<PhiPlacement::Step> steps_;
  std::vector<std::vector<BlockId>> live_joins_;  // by variable
};

}  // namespace

std::string explain_placement(const Module& module, const Function& function, Analyses& analyses,
                              PlacementAlgorithm algorithm, Reg variable) {
  return PlacementPage(module, function, analyses, algorithm).as_text(variable);
}

std::string explain_placement_as_json(const Module& module, const Function& function, Analyses& analyses,
                                      PlacementAlgorithm algorithm, Reg variable) {
  return PlacementPage(module, function, analyses, algorithm).as_json(variable);
}

}  // namespace psi
