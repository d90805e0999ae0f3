// Graphs of blocks: control flow, with or without frequencies, the DJ-graph, control dependence; drawings of
// control flow are in cfg_drawing.cpp. Linear in the edges that they show.

#include <fmt/format.h>

#include "psi/analysis/cfg.h"
#include "psi/analysis/control_dependence.h"
#include "psi/analysis/dj_graph.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/order.h"
#include "view/dot.h"
#include "view/page.h"
#include "view/views.h"

namespace psi::view {
namespace {

// The targets and other effects of the terminators, in order.
std::string targets(const Page& page, BlockId b) {
  const Function& function = page.function;
  bool measured = page.is_measured(b);
  std::string out;
  uint32_t edge = 0;
  for (InstId id : function.terminators(b)) {
    const Inst& inst = function.inst(id);
    if (inst.op == Opcode::Ret || inst.op == Opcode::Unreachable) {
      out += ' ';
      out += info(inst.op).name;
    }
    function.for_each_target(inst, [&](BlockId to) {
      out += ' ' + page.name(to);
      if (measured)
        out += fmt::format(" ({})", percent(page.analyses.get<Frequencies>().probability({b, edge})));
      ++edge;
    });
  }
  return out;
}

// Which edges have others between the same two blocks, by edge number.
std::vector<bool> find_parallel(const Function& function, const Cfg& cfg) {
  std::vector<bool> parallel(cfg.num_edges());
  std::vector<Edge> last(cfg.num_blocks());  // by target
  for (BlockId b : function.layout()) {
    for (uint32_t i = 0; i < cfg.successors(b).size(); ++i) {
      Edge& before = last[cfg.successors(b)[i].index()];
      if (before.from == b) parallel[cfg.number(before)] = parallel[cfg.number({b, i})] = true;
      before = {b, i};
    }
  }
  return parallel;
}

std::string_view source_name(Frequencies::Source source) {
  switch (source) {
    case Frequencies::Source::Counts:
      return "counts of blocks";
    case Frequencies::Source::EdgeCounts:
      return "counts of edges";
    case Frequencies::Source::Estimated:
      break;
  }
  return "estimated";
}

}  // namespace

std::string cfg_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  std::string out = fmt::format("control flow graph of {}\n", page.title());
  Table table;
  for (BlockId b : function.layout()) {
    table.add({page.name(b),
               "->" + targets(page, b) + (analyses.get<Order>().is_reachable(b) ? "" : " (unreachable)")});
  }
  table.append_to(out);
  return out;
}

std::string frequencies_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const Frequencies& frequencies = analyses.get<Frequencies>();
  std::string out = fmt::format("frequencies of {} ({})\n", page.title(), source_name(frequencies.source()));
  Table table;
  page.for_each_reachable(
      [&](BlockId b) { table.add({page.name(b), fmt::format("{:.4g}", frequencies.of(b))}); });
  table.append_to(out);
  page.append_unreachable(out);
  return out;
}

std::string dj_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const Dominators& dominators = analyses.get<Dominators>();
  std::string out = fmt::format("DJ-graph of {}\n", page.title());
  Table table({"block", "level", "D-edges", "J-edges"});
  page.for_each_reachable([&](BlockId b) {
    table.add({page.name(b), fmt::to_string(dominators.level(b)), page.list(dominators.children(b)),
               page.list(analyses.get<DjGraph>().join_edges(b))});
  });
  table.append_to(out);
  page.append_unreachable(out);
  return out;
}

std::string dj_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  Dot dot("DJ-graph of " + page.title());
  page.for_each_reachable([&](BlockId b) { dot.node(b.index(), page.name(b)); });
  page.for_each_reachable([&](BlockId b) {
    for (BlockId to : analyses.get<Dominators>().children(b)) dot.edge(b.index(), to.index());
    // Only the tree determines the layout.
    for (BlockId to : analyses.get<DjGraph>().join_edges(b)) {
      dot.edge(b.index(), to.index(), "style=dashed, constraint=false");
    }
  });
  return dot.finish();
}

std::string control_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  const Cfg& cfg = analyses.get<Cfg>();
  std::vector<bool> parallel = find_parallel(function, cfg);
  std::string out = fmt::format("control dependences of {}\n", page.title());
  Table table;
  page.for_each_reachable([&](BlockId b) {
    std::string edges;
    for (Edge edge : analyses.get<ControlDependence>().of(b)) {
      if (!edges.empty()) edges += ' ';
      edges += page.name(edge.from);
      if (parallel[cfg.number(edge)]) edges += fmt::format("[{}]", edge.index);
      edges += "->" + page.name(cfg.target(edge));
    }
    table.add({page.name(b), edges.empty() ? "-" : edges});
  });
  table.append_to(out);
  page.append_unreachable(out);
  return out;
}

std::string control_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  Dot dot("control dependences of " + page.title());
  page.for_each_reachable([&](BlockId b) { dot.node(b.index(), page.name(b)); });
  page.for_each_reachable([&](BlockId b) {
    for (Edge edge : analyses.get<ControlDependence>().of(b)) {
      dot.edge(edge.from.index(), b.index(), fmt::format("label=\"{}\"", edge.index));
    }
  });
  return dot.finish();
}

}  // namespace psi::view
