// Drawings of interference and of dependences. Near-linear in what is drawn.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "psi/view/flow_text.h"
#include "view/dot.h"
#include "view/numbering.h"
#include "view/page.h"

namespace psi {
namespace {

constexpr size_t kWidth = 80;       // of an instruction, before it is broken into lines
constexpr size_t kLabelWidth = 28;  // of an arrow's label

// Larger graphs need the layout that approximates; with more lines, Graphviz takes minutes to lead them
// around boxes.
constexpr size_t kMaxExact = 100, kMaxRouted = 400;

bool is_neighbour(std::span<const Reg> neighbours, Reg r) {
  return std::ranges::binary_search(neighbours, r);
}

// The kind is in the label, except for flow, which has the register alone.
constexpr std::array<std::string_view, 5> kStyles = {"", "style=dashed, color=darkgreen",
                                                     "style=dashed, color=firebrick",
                                                     "style=bold, color=navy", "style=dotted, color=gray40"};

// `%x`, `anti %x`, `memory`.
std::string label(const view::Page& page, const Dependence& dependence) {
  std::string text;
  if (dependence.kind != Dependence::Kind::Flow) text = view::dependence_name(dependence.kind);
  if (dependence.reg) text += (text.empty() ? "" : " ") + page.name(dependence.reg);
  return text;
}

}  // namespace

std::string draw_interference(const Module& module, const Function& function, Analyses& analyses,
                              const InterferenceOptions& options) {
  view::Page page(module, function, analyses);
  Interference interference(function, analyses, options);
  Interference blind(function, analyses, {options.method, FlowScope::Blind});
  std::vector<Reg> shown;
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    if (!interference.neighbours(Reg(i)).empty() || !blind.neighbours(Reg(i)).empty())
      shown.push_back(Reg(i));
  }
  std::string title =
      fmt::format("{} {}: {} pairs", page.title(), interference_title(options), interference.num_edges());
  if (blind.num_edges() > interference.num_edges()) {
    title +=
        fmt::format("\ndashed: {} more if blind to predicates", blind.num_edges() - interference.num_edges());
  }
  size_t num_lines = std::max(interference.num_edges(), blind.num_edges());
  // The same drawing every time, with lines below boxes.
  view::Dot dot(
      title, view::Dot::Kind::Undirected,
      fmt::format("layout={}; start=1; overlap=false; splines={}; outputorder=edgesfirst",
                  shown.size() <= kMaxExact ? "neato" : "sfdp", num_lines <= kMaxRouted ? "true" : "line"));
  for (Reg r : shown) {
    dot.node(r.index(), fmt::format("{}: {}", page.name(r), type_name(function.type(r))),
             "style=filled, fillcolor=white");
  }
  for (Reg r : shown) {
    for (Reg other : interference.neighbours(r)) {
      if (r < other) dot.edge(r.index(), other.index());
    }
    for (Reg other : blind.neighbours(r)) {
      bool is_new = r < other && !is_neighbour(interference.neighbours(r), other);
      if (is_new) dot.edge(r.index(), other.index(), "style=dashed, color=gray40");
    }
  }
  return dot.finish();
}

std::string draw_dependences(const Module& module, const Function& function, FlowScope scope, BlockId block) {
  Analyses analyses(function);
  view::Page page(module, function, analyses);
  view::Numbering numbers(function);
  view::Dot dot(fmt::format("{} {} dependences", page.title(), flow_scope_name(scope)));
  for (BlockId b : function.layout()) {
    if (block && b != block) continue;
    DependenceGraph graph(function, b, scope);
    std::string heading = fmt::format("{}: height {}", page.name(b), graph.height());
    if (scope != FlowScope::Blind) {
      heading +=
          fmt::format(", {} if blind to predicates", DependenceGraph(function, b, FlowScope::Blind).height());
    }
    dot.begin_frame(heading, "style=\"rounded\", color=gray40");
    std::span<const InstId> insts = function.insts(b);
    for (InstId id : insts) {
      dot.listing(numbers[id],
                  fmt::format("{}  {}", numbers[id], view::wrap(page.text(id), kWidth, "      ")));
    }
    std::span<const Dependence> all = graph.all();
    for (size_t i = 0; i < all.size();) {
      // One arrow for all dependences between two instructions, in the style of the first.
      const Dependence& first = all[i];
      std::string text;
      for (; i < all.size() && all[i].from == first.from && all[i].to == first.to; ++i) {
        if (!text.empty()) text += ", ";
        text += label(page, all[i]);
      }
      std::string_view style = kStyles[static_cast<size_t>(first.kind)];
      dot.edge(numbers[insts[first.from]], numbers[insts[first.to]],
               fmt::format("label={}{}{}", view::Dot::quote(' ' + view::wrap(text, kLabelWidth) + ' '),
                           style.empty() ? "" : ", ", style));
    }
    dot.end_frame();
  }
  return dot.finish();
}

}  // namespace psi
