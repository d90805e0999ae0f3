// Trees: dominators, post-dominators, loops. The text has each subtree below its root, two spaces further in.
// Linear: the trees come in preorder, and a loop lists only the blocks that no loop inside it has.

#include <fmt/format.h>

#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/post_dominators.h"
#include "view/dot.h"
#include "view/page.h"
#include "view/views.h"

namespace psi::view {
namespace {

// "@loop", and whether the edge to the virtual exit is there only because the block has no way out.
std::string postdom_label(const Page& page, BlockId b, const std::vector<bool>& endless) {
  return page.name(b) + (endless[b.index()] ? " (endless)" : "");
}

std::vector<bool> find_endless(const Page& page) {
  std::vector<bool> endless(page.function.num_blocks());
  for (BlockId b : page.analyses.get<PostDominators>().exits()) endless[b.index()] = page.leaving(b).empty();
  return endless;
}

}  // namespace

std::string dom_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  std::string out = fmt::format("dominator tree of {}\n", page.title());
  for (BlockId b : analyses.get<Dominators>().preorder()) {
    append_indent(out, analyses.get<Dominators>().level(b));
    out += page.name(b) + '\n';
  }
  page.append_unreachable(out);
  return out;
}

std::string dom_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const Dominators& dominators = analyses.get<Dominators>();
  Dot dot("dominator tree of " + page.title());
  for (BlockId b : dominators.preorder()) dot.node(b.index(), page.name(b));
  for (BlockId b : dominators.preorder()) {
    if (BlockId up = dominators.idom(b)) dot.edge(up.index(), b.index());
  }
  return dot.finish();
}

std::string postdom_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  std::vector<bool> endless = find_endless(page);
  std::string out = fmt::format("post-dominator tree of {}\nexit\n", page.title());
  for (BlockId b : analyses.get<PostDominators>().preorder()) {
    append_indent(out, analyses.get<PostDominators>().level(b));
    out += postdom_label(page, b, endless) + '\n';
  }
  page.append_unreachable(out);
  return out;
}

std::string postdom_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const PostDominators& tree = analyses.get<PostDominators>();
  std::vector<bool> endless = find_endless(page);
  const uint32_t exit = function.num_blocks();
  Dot dot("post-dominator tree of " + page.title());
  dot.node(exit, "exit", "style=dashed");
  for (BlockId b : tree.preorder()) dot.node(b.index(), postdom_label(page, b, endless));
  for (BlockId b : tree.preorder()) dot.edge(tree.ipdom(b) ? tree.ipdom(b).index() : exit, b.index());
  return dot.finish();
}

std::string loops_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const Loops& loops = analyses.get<Loops>();
  std::string out = fmt::format("loops of {}\n", page.title());
  if (loops.num_loops() == 0) out += "none\n";
  for (uint32_t i = 0; i < loops.num_loops(); ++i) {
    LoopId loop(i);
    // The line tells its depth, so a deep one needs nothing instead of the indentation.
    if (loops.depth(loop) <= kMaxIndent) append_indent(out, loops.depth(loop) - 1);
    out += fmt::format("{}: {}\n", page.loop_label(loop), page.list(page.own_blocks(loop)));
  }
  page.append_unreachable(out);
  return out;
}

std::string loops_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const Loops& loops = analyses.get<Loops>();
  const uint32_t root = loops.num_loops();
  Dot dot("loops of " + page.title());
  dot.node(root, page.title(), "style=dashed");
  for (uint32_t i = 0; i < loops.num_loops(); ++i) {
    dot.node(i, page.loop_label(LoopId(i)) + '\n' + wrap(page.list(page.own_blocks(LoopId(i))), kListWidth));
  }
  for (uint32_t i = 0; i < loops.num_loops(); ++i) {
    LoopId up = loops.parent(LoopId(i));
    dot.edge(up ? up.index() : root, i);
  }
  return dot.finish();
}

}  // namespace psi::view
