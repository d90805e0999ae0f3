// Drawings of the control flow graph: blocks with their instructions or frequencies, loops as frames, edges
// with what takes them. Near-linear in what is drawn.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "psi/analysis/cfg.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"
#include "view/dot.h"
#include "view/page.h"
#include "view/views.h"

namespace psi::view {
namespace {

constexpr size_t kWidth = 80;       // of an instruction, before it is broken into lines
constexpr size_t kLabelWidth = 28;  // of an edge's label
// Of a longer block only the first and the last instructions are drawn.
constexpr size_t kMaxLines = 100, kFirstLines = 60, kLastLines = 30;
// Deeper loops have no frame of their own: Graphviz takes very long for deep nests.
constexpr uint32_t kMaxFrames = 12;

// What takes an edge: the guard of its terminator, or `else` after other terminators, and `T`, `F` or a case.
// Both are empty for an edge that is always taken.
struct Reason {
  std::string guard, choice;
};

// Of the edges of a block, in order.
std::vector<Reason> edge_reasons(const Page& page, BlockId b) {
  const Function& function = page.function;
  std::span<const InstId> terminators = function.terminators(b);
  std::vector<Reason> reasons;
  for (InstId id : terminators) {
    const Inst& inst = function.inst(id);
    std::string guard = inst.guard               ? page.text(inst.guard.as_operand())
                        : terminators.size() > 1 ? "else"
                                                 : "";
    auto add = [&](std::string choice) { reasons.push_back({guard, std::move(choice)}); };
    if (inst.op == Opcode::Switch) {
      add("default");
      for (SwitchCase one : as_switch(function, id).cases) add(page.text(one.literal));
    } else if (inst.is_branch()) {
      add("T");
      add("F");
    } else {
      for (uint32_t i = num_targets(function, inst); i > 0; --i) add("");
    }
  }
  return reasons;
}

// Light enough for black text. The darkest for what is executed most, one step for each factor of four.
constexpr std::array<std::string_view, 6> kHeat = {"#ffffff", "#fffbea", "#fff0c2",
                                                   "#ffdd8a", "#ffc163", "#ff9f55"};

std::string heat(double frequency, double most) {
  if (frequency <= 0) return std::string(kHeat[0]);
  size_t step = kHeat.size() - 1;
  for (; step > 1 && frequency < most; --step) frequency *= 4;
  return std::string(kHeat[step]);
}

class CfgDrawing {
 public:
  CfgDrawing(const Module& module, const Function& function, Analyses& analyses, std::string_view what)
      : page_(module, function, analyses),
        cfg_(analyses.get<Cfg>()),
        order_(analyses.get<Order>()),
        loops_(analyses.get<Loops>()),
        frequencies_(analyses.get<Frequencies>()),
        dot_(fmt::format("{} of {}", what, page_.title())) {
    page_.for_each_reachable([&](BlockId b) { most_ = std::max(most_, frequencies_.of(b)); });
  }

  std::string instructions() {
    bool is_measured = frequencies_.source() != Frequencies::Source::Estimated;
    draw([&](BlockId b) { dot_.listing(b.index(), listing(b), fill(b, is_measured)); },
         [&](BlockId b) { return page_.is_measured(b); });
    return dot_.finish();
  }
  std::string frequencies() {
    auto draw_block = [&](BlockId b) {
      dot_.node(b.index(), fmt::format("{}\n{:.4g}", page_.name(b), frequencies_.of(b)), fill(b, true));
    };
    draw(draw_block, [&](BlockId b) { return order_.is_reachable(b); });
    return dot_.finish();
  }

 private:
  // The blocks that are in no loop, then each loop with its own blocks and the loops inside.
  template <class DrawBlock, class HasProbabilities>
  void draw(DrawBlock draw_block, HasProbabilities has_probabilities) {
    for (BlockId b : page_.function.layout()) {
      if (!loops_.of(b)) draw_block(b);
    }
    uint32_t open = 0;
    for (uint32_t i = 0; i < loops_.num_loops(); ++i) {
      LoopId loop(i);
      uint32_t depth = std::min(loops_.depth(loop), kMaxFrames);
      for (; open >= depth && loops_.depth(loop) <= kMaxFrames; --open) dot_.end_frame();
      if (open < depth) {
        dot_.begin_frame("loop " + page_.loop_label(loop), "style=\"rounded\", color=gray40");
        ++open;
      }
      for (BlockId b : page_.own_blocks(loop)) draw_block(b);
    }
    for (; open > 0; --open) dot_.end_frame();
    for (BlockId b : page_.function.layout()) draw_edges(b, has_probabilities(b));
  }

  std::string fill(BlockId b, bool is_measured) const {
    if (!order_.is_reachable(b)) return "style=dotted";
    if (!is_measured) return {};
    return fmt::format("style=filled, fillcolor=\"{}\"", heat(frequencies_.of(b), most_));
  }

  std::string listing(BlockId b) const {
    std::string out = page_.name(b) + ':';
    if (std::optional<uint64_t> count = page_.function.count(b)) {
      out += fmt::format(" count {}", *count);
    } else if (order_.is_reachable(b) && frequencies_.source() != Frequencies::Source::Estimated) {
      out += fmt::format(" frequency {:.4g}", frequencies_.of(b));
    }
    if (!order_.is_reachable(b)) out += " unreachable";
    std::span<const InstId> insts = page_.function.insts(b);
    auto append = [&](std::span<const InstId> part) {
      for (InstId id : part) out += "\n  " + wrap(page_.text(id), kWidth, "      ");
    };
    if (insts.size() <= kMaxLines) {
      append(insts);
    } else {
      append(insts.first(kFirstLines));
      out += fmt::format("\n  ... {} more instructions ...", insts.size() - kFirstLines - kLastLines);
      append(insts.last(kLastLines));
    }
    return out;
  }

  // One arrow for all edges to the same block.
  struct Arrow {
    BlockId to;
    std::string label;
    std::string_view guard;  // of the last reason in the label
    double probability = 0;
    uint32_t num_edges = 0;

    void add(const Reason& reason) {
      bool is_same_guard = num_edges++ > 0 && reason.guard == guard;
      if (!label.empty()) label += is_same_guard ? ", " : "; ";
      if (!is_same_guard) {
        label += reason.guard;
        if (!reason.guard.empty() && !reason.choice.empty()) label += ": ";
      }
      label += reason.choice;
      guard = reason.guard;
    }
  };
  void draw_edges(BlockId b, bool has_probabilities) {
    std::vector<Reason> reasons = edge_reasons(page_, b);
    std::vector<Arrow> arrows;
    for (uint32_t i = 0; i < cfg_.successors(b).size(); ++i) {
      BlockId to = cfg_.successors(b)[i];
      if (at_.size() <= to.index()) at_.resize(page_.function.num_blocks());
      uint32_t& at = at_[to.index()];
      if (at == 0) {
        arrows.push_back({.to = to, .label = {}, .guard = {}});
        at = static_cast<uint32_t>(arrows.size());
      }
      Arrow& arrow = arrows[at - 1];
      arrow.add(reasons[i]);
      arrow.probability += frequencies_.probability({b, i});
    }
    for (const Arrow& arrow : arrows) {
      at_[arrow.to.index()] = 0;
      draw_arrow(b, arrow, has_probabilities);
    }
  }
  void draw_arrow(BlockId b, const Arrow& arrow, bool has_probability) {
    bool is_back = loops_.is_back_edge(b, arrow.to);
    std::string label = wrap(arrow.label, kLabelWidth);
    auto add = [&](std::string_view word) {
      if (!label.empty()) label += ' ';
      label += word;
    };
    if (has_probability && !arrow.label.empty()) add(percent(arrow.probability));
    if (is_back) add("back");
    std::string attributes;
    auto set = [&](std::string_view attribute) {
      if (!attributes.empty()) attributes += ", ";
      attributes += attribute;
    };
    // A space on either side, to keep the label away from the line.
    if (!label.empty()) set("label=" + Dot::quote(' ' + label + ' '));
    if (arrow.label == "T") set("color=darkgreen");
    if (arrow.label == "F") set("color=firebrick");
    // Not what places blocks above each other, so that the entries of loops are above the loops.
    if (is_back) set("style=dashed, constraint=false");
    if (!order_.is_reachable(b)) set("style=dotted");
    dot_.edge(b.index(), arrow.to.index(), attributes);
  }

  Page page_;
  const Cfg& cfg_;
  const Order& order_;
  const Loops& loops_;
  const Frequencies& frequencies_;
  Dot dot_;
  double most_ = 0;
  std::vector<uint32_t> at_;  // by target: its arrow and one more, while the edges of a block are drawn
};

}  // namespace

std::string cfg_dot(const Module& module, const Function& function, Analyses& analyses) {
  return CfgDrawing(module, function, analyses, "control flow graph").instructions();
}

std::string frequencies_dot(const Module& module, const Function& function, Analyses& analyses) {
  return CfgDrawing(module, function, analyses, "frequencies").frequencies();
}

}  // namespace psi::view
