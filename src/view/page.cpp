#include "view/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "psi/analysis/order.h"

namespace psi::view {

void Table::append_to(std::string& out) const {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], std::min(row[i].size(), kMaxWidth));
  }
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 == row.size()) break;
      out.append(widths[i] - std::min(widths[i], row[i].size()) + 2, ' ');
    }
    out += '\n';
  }
}

void Page::append_unreachable(std::string& out) const {
  std::vector<BlockId> blocks;
  for (BlockId b : function.layout()) {
    if (!analyses.get<Order>().is_reachable(b)) blocks.push_back(b);
  }
  if (!blocks.empty()) out += fmt::format("unreachable: {}\n", list(blocks));
}

std::vector<std::string_view> Page::leaving(BlockId b) const {
  std::vector<std::string_view> names;
  for (InstId id : function.terminators(b)) {
    Opcode op = function.inst(id).op;
    if (op == Opcode::Ret || op == Opcode::Unreachable) names.push_back(info(op).name);
  }
  return names;
}

bool Page::is_measured(BlockId b) const {
  if (!analyses.get<Order>().is_reachable(b)) return false;
  for (InstId id : function.terminators(b)) {
    for (uint64_t count : function.edge_counts(id)) {
      if (count > 0) return true;
    }
  }
  return false;
}

std::string Page::loop_label(LoopId loop) const {
  const Loops& loops = analyses.get<Loops>();
  std::string out = fmt::format("{} depth {}", name(loops.header(loop)), loops.depth(loop));
  if (!loops.is_reducible(loop)) {
    out += fmt::format(", irreducible, entries {}", list(loops.entries(loop)));
  }
  return out;
}

std::span<const BlockId> Page::own_blocks(LoopId loop) const {
  const Loops& loops = analyses.get<Loops>();
  size_t inside = 0;
  for (LoopId child : loops.children(loop)) inside += loops.blocks(child).size();
  return loops.blocks(loop).first(loops.blocks(loop).size() - inside);
}

std::string percent(double probability) { return fmt::format("{:.4g}%", 100 * probability); }

void append_indent(std::string& out, uint32_t level) {
  if (level <= kMaxIndent) {
    out.append(size_t{2} * level, ' ');
  } else {
    out += fmt::format("[{}] ", level);
  }
}

}  // namespace psi::view
