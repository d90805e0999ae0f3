#include "predication/if_convert/conversion.h"

#include <algorithm>

#include "predication/if_convert/merges.h"
#include "predication/if_convert/region_exits.h"
#include "predication/if_convert/region_predicates.h"
#include "predication/if_convert/region_psis.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/uses.h"

namespace psi::predication {
namespace {

class Conversion {
 public:
  Conversion(Function& function, Analyses& analyses, const Target& target, const Legality& legality,
             const Region& region, Counters& counters)
      : function_(function),
        legality_(legality),
        graph_(function, region),
        classes_(graph_),
        merges_(function, analyses.get<Uses>(), graph_, classes_),
        builder_(function),
        predicates_(builder_, analyses, graph_, classes_, target),
        psis_(builder_, target, merges_, predicates_),
        exits_(builder_, analyses.get<Cfg>(), target, graph_, classes_, merges_, predicates_, psis_),
        counters_(counters) {}

  void run() {
    find_needs();
    builder_.at(graph_.block(0));
    for (uint32_t n = 0; n < graph_.num_blocks(); ++n) emit(n);
    exits_.leave();
    count();
  }

 private:
  // --- The predicates that something will read ------------------------------------------------------------

  void find_needs() {
    for (uint32_t n = 1; n < graph_.num_nodes(); ++n) {
      for (const Merge& merge : merges_.of(n)) {
        for (const MergeArgument& argument : merges_.arguments(merge)) predicates_.need(argument.of_class);
      }
    }
    for (uint32_t n = 1; n < graph_.num_blocks(); ++n) {
      uint32_t c = classes_.of_node(n);
      if (c == ControlClasses::kAlways) continue;
      std::span<const InstId> insts = function_.insts(graph_.block(n));
      if (std::ranges::any_of(insts, [&](InstId id) { return reads_predicate(id); })) predicates_.need(c);
    }
    // The last exit is taken if no other is.
    std::span<const uint32_t> exits = graph_.exits();
    for (uint32_t n : exits.first(exits.size() - 1)) predicates_.need(classes_.of_node(n));
    predicates_.close();
  }

  bool reads_predicate(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (inst.is_terminator() || inst.is_phi()) return false;
    if (inst.is_psi()) return true;
    return inst.guard || legality_.choice(id) == Choice::Guard;
  }

  // --- Blocks ---------------------------------------------------------------------------------------------

  void emit(uint32_t node) {
    BlockId b = graph_.block(node);
    // A copy: the first block's list begins again, and lists move when they grow.
    insts_.assign(function_.insts(b).begin(), function_.insts(b).end());
    if (node == 0) function_.set_insts(b, {});
    for (const Merge& merge : merges_.of(node)) psis_.define(merge);
    InstId terminator = insts_.back();
    insts_.pop_back();
    for (InstId id : std::span(insts_).subspan(merges_.of(node).size())) {
      if (node > 0) guard(id, classes_.of_node(node));
      function_.append(builder_.block(), id);
    }
    predicates_.decide(node, terminator);
  }

  void guard(InstId id, uint32_t c) {
    if (c == ControlClasses::kAlways) return;
    if (function_.inst(id).is_psi()) return psis_.guard_arguments(id, c);
    Guard own = function_.inst(id).guard;
    if (!own && legality_.choice(id) != Choice::Guard) {
      ++speculated_;
      return;
    }
    Guard both = predicates_.both(c, own);
    function_.inst(id).guard = both;
    ++guarded_;
  }

  void count() {
    uint64_t branches = 0;
    for (uint32_t n = 0; n < graph_.num_blocks(); ++n) branches += graph_.outgoing(n).size() > 1;
    auto add = [&](std::string_view name, uint64_t amount) {
      if (amount) counters_.add(name, amount);
    };
    add("regions converted", 1);
    add("blocks converted", graph_.num_blocks() - 1);
    add("branches removed", branches - std::min(branches, exits_.num_branches()));
    add("instructions guarded", guarded_);
    add("instructions speculated", speculated_);
    add("predicates defined", predicates_.num_defined());
    add("psis made", psis_.num_psis());
    add("copies made", psis_.num_copies());
  }

  Function& function_;
  const Legality& legality_;
  RegionGraph graph_;
  ControlClasses classes_;
  Merges merges_;
  Builder builder_;
  RegionPredicates predicates_;
  RegionPsis psis_;
  RegionExits exits_;
  Counters& counters_;
  std::vector<InstId> insts_;  // of one block
  uint64_t guarded_ = 0, speculated_ = 0;
};

}  // namespace

void convert(Function& function, Analyses& analyses, const Target& target, const Legality& legality,
             const Region& region, Counters& counters) {
  Conversion(function, analyses, target, legality, region, counters).run();
}

}  // namespace psi::predication
