// Lists for each block: dominance frontiers, the augmented dominator tree, liveness. Linear in what the
// analyses found.

#include <fmt/format.h>

#include "psi/analysis/augmented_tree.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frontiers.h"
#include "psi/live/liveness.h"
#include "view/dot.h"
#include "view/page.h"
#include "view/views.h"

namespace psi::view {

std::string frontiers_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  std::string out = fmt::format("dominance frontiers of {}\n", page.title());
  Table table;
  page.for_each_reachable(
      [&](BlockId b) { table.add({page.name(b), page.list(analyses.get<DominanceFrontiers>().of(b))}); });
  table.append_to(out);
  page.append_unreachable(out);
  return out;
}

// Dashed edges lead from a block to its frontier; only the tree determines the layout.
std::string frontiers_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  Dot dot("dominance frontiers of " + page.title());
  page.for_each_reachable([&](BlockId b) { dot.node(b.index(), page.name(b)); });
  page.for_each_reachable([&](BlockId b) {
    for (BlockId child : analyses.get<Dominators>().children(b)) dot.edge(b.index(), child.index());
    for (BlockId to : analyses.get<DominanceFrontiers>().of(b)) {
      dot.edge(b.index(), to.index(), "style=dashed, constraint=false");
    }
  });
  return dot.finish();
}

// The columns are those of French 2004, table 4.1.
std::string adt_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const AugmentedTree& tree = analyses.get<AugmentedTree>();
  std::string out = fmt::format("augmented dominator tree of {}\n", page.title());
  Table table({"block", "level", "kind", "list"});
  page.for_each_reachable([&](BlockId b) {
    table.add({page.name(b), fmt::to_string(analyses.get<Dominators>().level(b)),
               tree.is_boundary(b) ? "boundary" : "interior", page.list(tree.list(b))});
  });
  table.append_to(out);
  page.append_unreachable(out);
  return out;
}

// The tree, with the list of each block; interior blocks are rounded.
std::string adt_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const AugmentedTree& tree = analyses.get<AugmentedTree>();
  Dot dot("augmented dominator tree of " + page.title());
  page.for_each_reachable([&](BlockId b) {
    dot.node(b.index(), fmt::format("{}\n{}", page.name(b), wrap(page.list(tree.list(b)), kListWidth)),
             tree.is_boundary(b) ? "" : "style=rounded");
  });
  page.for_each_reachable([&](BlockId b) {
    for (BlockId child : analyses.get<Dominators>().children(b)) dot.edge(b.index(), child.index());
  });
  return dot.finish();
}

namespace {

struct Live {
  std::vector<Reg> in;
  std::vector<Reg> out;
};

Live live_at(const Liveness& liveness, BlockId b) {
  Live live;
  liveness.for_each_live_in(b, [&](Reg r) { live.in.push_back(r); });
  liveness.for_each_live_out(b, [&](Reg r) { live.out.push_back(r); });
  return live;
}

}  // namespace

std::string liveness_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const Liveness& liveness = analyses.get<Liveness>();
  std::string out = fmt::format("liveness of {}\n", page.title());
  Table table({"block", "live-in", "live-out"});
  page.for_each_reachable([&](BlockId b) {
    Live live = live_at(liveness, b);
    table.add({page.name(b), page.list(live.in), page.list(live.out)});
  });
  table.append_to(out);
  page.append_unreachable(out);
  return out;
}

// The control flow graph, with what is live where a block begins above its name, where it ends below.
std::string liveness_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  Dot dot("liveness of " + page.title());
  page.for_each_reachable([&](BlockId b) {
    Live live = live_at(analyses.get<Liveness>(), b);
    dot.node(b.index(), fmt::format("{}\n{}\n{}", wrap(page.list(live.in), kListWidth), page.name(b),
                                    wrap(page.list(live.out), kListWidth)));
  });
  page.for_each_reachable([&](BlockId b) {
    for (BlockId to : analyses.get<Cfg>().successors(b)) dot.edge(b.index(), to.index());
  });
  return dot.finish();
}

}  // namespace psi::view
