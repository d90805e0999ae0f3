// Renaming (Cytron et al. 1991, section 5.2; Briggs et al. 1998): blocks in preorder of the dominator tree,
// so that when a block is entered the stacks hold the values at the end of its immediate dominator. At the
// end of a block the phis of its successors get their arguments. Linear in the result.

#include "ssa/rename.h"

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"
#include "ssa/name_stacks.h"
#include "ssa/translate.h"

namespace psi::ssa {
namespace {

class Renaming {
 public:
  Renaming(Function& function, Analyses& analyses, const ConstructOptions& options,
           const Variables& variables, const PhiSites& sites, const ArgumentSlots& slots,
           std::pmr::memory_resource& memory)
      : function_(function),
        options_(options),
        cfg_(analyses.get<Cfg>()),
        dominators_(analyses.get<Dominators>()),
        sites_(sites),
        slots_(slots),
        names_(function, memory),
        stacks_(function, variables, options.stacks, memory),
        translator_(function, options, names_, stacks_),
        phis_(&memory),
        list_(&memory) {}

  void run(Counters& counters) {
    insert_phis();
    walk();
    rename_unreachable();
    translator_.finish();
    // A folded copy may have been the last reader of a phi.
    uint64_t dead = options_.flavour == Flavour::Pruned && translator_.folded() > 0 ? drop_dead_phis() : 0;
    if (options_.flavour == Flavour::Pruned) counters.add("phis pruned", dead);
    counters.add("phis", sites_.size() - dead);
    translator_.count(counters);
    names_.write();
    counters.add("names", names_.made() - dead);
    counters.add("pushes", stacks_.pushes());
  }

 private:
  // Without results, and with undef for every argument.
  void insert_phis() {
    if (sites_.size() == 0) return;
    phis_.reserve(sites_.size());
    function_.reserve_insts(function_.num_insts() + sites_.size());
    std::pmr::vector<Operand> pairs(phis_.get_allocator());
    for (uint32_t i = 0; i < cfg_.num_blocks(); ++i) {
      BlockId b(i);
      std::span<const Reg> variables = sites_.variables(b);
      if (variables.empty()) continue;
      pairs.clear();
      cfg_.for_each_distinct_predecessor(
          b, [&](BlockId from) { pairs.insert(pairs.end(), {Operand::block(from), Operand()}); });
      for (Reg variable : variables) {
        Inst inst;
        inst.op = Opcode::Phi;
        inst.type = function_.type(variable);
        for (MutablePhiEntry entry : mutable_phi_entries(pairs)) entry.value = Operand::undef(inst.type);
        phis_.push_back(function_.add_inst(inst, pairs));
      }
    }
  }

  void walk() {
    std::pmr::vector<uint32_t> ends(
        phis_.get_allocator());  // of the subtrees of the open blocks, in preorder numbers
    std::span<const BlockId> preorder = dominators_.preorder();
    for (uint32_t n = 0; n < preorder.size(); ++n) {
      for (; !ends.empty() && ends.back() <= n; ends.pop_back()) stacks_.leave_block();
      ends.push_back(n + dominators_.subtree_size(preorder[n]));
      stacks_.enter_block();
      rename_block(preorder[n]);
      if (!phis_.empty()) fill_arguments(preorder[n]);
    }
    for (; !ends.empty(); ends.pop_back()) stacks_.leave_block();
  }

  void rename_block(BlockId b) {
    list_.clear();
    uint32_t site = sites_.first(b);
    for (Reg variable : sites_.variables(b)) {
      InstId phi = phis_[site++];
      Reg name = names_.make(variable);
      function_.inst(phi).results[0] = name;
      stacks_.watch(name);
      stacks_.write(variable, Operand::reg(name));
      list_.push_back(phi);
    }
    if (b == function_.entry()) {
      for (Reg param : function_.params) stacks_.write(param, Operand::reg(names_.make(param)));
    }
    translator_.block(b, list_);
    function_.set_insts(b, list_);
  }

  void fill_arguments(BlockId b) {
    for (auto [to, index] : slots_.from(b)) {
      uint32_t site = sites_.first(to);
      for (Reg variable : sites_.variables(to)) {
        mutable_phi_entries(function_, phis_[site++])[index].value = stacks_.read(variable);
      }
    }
  }

  // Unreachable: no value comes from other blocks, and none goes to a phi.
  void rename_unreachable() {
    if (dominators_.preorder().size() == function_.layout().size()) return;
    stacks_.forget_all();
    for (BlockId b : function_.layout()) {
      if (dominators_.is_reachable(b)) continue;
      stacks_.enter_block();
      list_.clear();
      translator_.block(b, list_);
      function_.set_insts(b, list_);
      stacks_.leave_block();
    }
  }

  // Drops the phis that only dead phis read; returns how many.
  uint64_t drop_dead_phis() {
    std::pmr::vector<uint8_t> is_live(phis_.size(), phis_.get_allocator());
    std::pmr::vector<uint32_t> work(phis_.get_allocator());
    for (uint32_t site = 0; site < phis_.size(); ++site) {
      is_live[site] = stacks_.is_read(name_of(site));
      if (is_live[site]) work.push_back(site);
    }
    uint64_t dead = phis_.size() - work.size();
    if (dead == 0) return 0;
    std::pmr::vector<uint32_t> site_of(function_.num_regs(), UINT32_MAX, phis_.get_allocator());
    for (uint32_t site = 0; site < phis_.size(); ++site) site_of[name_of(site).index()] = site;
    while (!work.empty()) {
      std::span<const Operand> operands = function_.operands(phis_[work.back()]);
      work.pop_back();
      for (Operand operand : operands) {
        uint32_t site = operand.is_reg() ? site_of[operand.reg().index()] : UINT32_MAX;
        if (site == UINT32_MAX || is_live[site]) continue;
        is_live[site] = true;
        work.push_back(site);
        --dead;
      }
    }
    if (dead > 0) keep_phis(is_live);
    return dead;
  }
  Reg name_of(uint32_t site) const { return function_.inst(phis_[site]).results[0]; }

  void keep_phis(std::span<const uint8_t> is_kept) {
    for (uint32_t i = 0; i < cfg_.num_blocks(); ++i) {
      BlockId b(i);
      uint32_t first = sites_.first(b), count = static_cast<uint32_t>(sites_.variables(b).size());
      if (std::ranges::all_of(is_kept.subspan(first, count), [](uint8_t kept) { return kept != 0; }))
        continue;
      // The phis come first, except in the entry, which has none and may begin with a definition of undef.
      list_.clear();
      for (uint32_t site = first; site < first + count; ++site) {
        if (is_kept[site]) list_.push_back(phis_[site]);
      }
      std::span<const InstId> rest = function_.insts(b).subspan(count);
      list_.insert(list_.end(), rest.begin(), rest.end());
      function_.set_insts(b, list_);
    }
  }

  Function& function_;
  const ConstructOptions& options_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const PhiSites& sites_;
  const ArgumentSlots& slots_;
  Names names_;
  Stacks stacks_;
  Translator<Stacks> translator_;
  std::pmr::vector<InstId> phis_;  // by site
  std::pmr::vector<InstId> list_;
};

}  // namespace

void rename(Function& function, Analyses& analyses, const ConstructOptions& options,
            const Variables& variables, const PhiSites& sites, const ArgumentSlots& slots,
            std::pmr::memory_resource& memory, Counters& counters) {
  Renaming(function, analyses, options, variables, sites, slots, memory).run(counters);
}

}  // namespace psi::ssa
