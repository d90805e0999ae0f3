// Keeps the phis whose value is read, directly or through other phis.
//
// Equivalent to the usual liveness analysis, without a set of variables for each block: one walk over the
// dominator tree, as for renaming, knows at every block which phi, if any, defines a variable's value. A
// block that reads the variable first makes that phi live; an edge to a join forwards it. Linear in the
// number of arguments of all phis, dead ones included.

#include "psi/analysis/dominators.h"
#include "ssa/phi_sites.h"
#include "support/scratch.h"

namespace psi::ssa {
namespace {

class WalkPruning {
 public:
  WalkPruning(std::span<const PhiSite> sites, const Variables& variables, const Dominators& dominators,
              const ArgumentSlots& slots, uint32_t num_blocks, std::pmr::memory_resource& memory)
      : num_blocks_(num_blocks),
        sites_(num_blocks, sites, memory),
        variables_(variables),
        dominators_(dominators),
        slots_(slots),
        argument_start_(&memory),
        arguments_(&memory),
        current_(variables.size(), kNone, &memory),
        undo_(&memory),
        live_(sites.size(), &memory),
        work_(&memory) {}

  void run(SiteList& kept) {
    number_arguments();
    walk();
    spread();
    kept.clear();
    for (uint32_t b = 0, site = 0; b < num_blocks_; ++b) {
      for (Reg variable : sites_.variables(BlockId(b))) {
        if (live_[site++]) kept.push_back({variable, BlockId(b)});
      }
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;  // a real definition, or no value at all

  void number_arguments() {
    argument_start_.reserve(sites_.size() + 1);
    argument_start_.push_back(0);
    for (uint32_t i = 0; i < num_blocks_; ++i) {
      uint64_t num_slots = slots_.count(BlockId(i));
      for (size_t k = sites_.variables(BlockId(i)).size(); k > 0; --k) {
        argument_start_.push_back(argument_start_.back() + num_slots);
      }
    }
    arguments_.resize(argument_start_.back(), kNone);
  }

  void walk() {
    struct Open {
      uint32_t end;  // the preorder number after its subtree
      size_t undo;
    };
    std::pmr::vector<Open> open(undo_.get_allocator());
    std::span<const BlockId> preorder = dominators_.preorder();
    for (uint32_t n = 0; n < preorder.size(); ++n) {
      for (; !open.empty() && open.back().end <= n; open.pop_back()) restore(open.back().undo);
      open.push_back({n + dominators_.subtree_size(preorder[n]), undo_.size()});
      visit(preorder[n]);
    }
  }

  void visit(BlockId b) {
    uint32_t site = sites_.first(b);
    for (Reg variable : sites_.variables(b)) set(variable, site++);
    for (Reg variable : variables_.exposed_in(b)) make_live(current_[variable.index()]);
    for (Reg variable : variables_.defined_in(b)) set(variable, kNone);
    for (auto [to, index] : slots_.from(b)) {
      site = sites_.first(to);
      for (Reg variable : sites_.variables(to)) {
        arguments_[argument_start_[site++] + index] = current_[variable.index()];
      }
    }
  }

  void set(Reg variable, uint32_t site) {
    if (current_[variable.index()] == site) return;
    undo_.push_back({variable, current_[variable.index()]});
    current_[variable.index()] = site;
  }

  void restore(size_t size) {
    for (; undo_.size() > size; undo_.pop_back()) current_[undo_.back().variable.index()] = undo_.back().site;
  }

  void make_live(uint32_t site) {
    if (site == kNone || live_[site]) return;
    live_[site] = true;
    work_.push_back(site);
  }

  void spread() {
    while (!work_.empty()) {
      uint32_t site = work_.back();
      work_.pop_back();
      for (uint64_t i = argument_start_[site]; i < argument_start_[site + 1]; ++i) make_live(arguments_[i]);
    }
  }

  struct Undo {
    Reg variable;
    uint32_t site;
  };

  const uint32_t num_blocks_;
  const PhiSites sites_;
  const Variables& variables_;
  const Dominators& dominators_;
  const ArgumentSlots& slots_;
  std::pmr::vector<uint64_t> argument_start_;  // by site, and one more
  std::pmr::vector<uint32_t> arguments_;       // the sites they come from
  std::pmr::vector<uint32_t> current_;         // by Reg: the site that its value comes from
  std::pmr::vector<Undo> undo_;
  std::pmr::vector<uint8_t> live_;  // by site
  std::pmr::vector<uint32_t> work_;
};

}  // namespace

void prune_by_walk(SiteList& sites, const Variables& variables, const Dominators& dominators,
                   const ArgumentSlots& slots, uint32_t num_blocks) {
  Scratch scratch;
  WalkPruning(sites, variables, dominators, slots, num_blocks, scratch).run(sites);
}

}  // namespace psi::ssa
