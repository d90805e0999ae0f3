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

void append_indent(std::string& out, uint32_t level) {
  if (level <= kMaxIndent) {
    out.append(size_t{2} * level, ' ');
  } else {
    out += fmt::format("[{}] ", level);
  }
}

}  // namespace psi::view
