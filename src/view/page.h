// The shared parts of the views: the function, its names, and the layout of lists, tables and trees.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/ir/module.h"
#include "psi/pass/analyses.h"
#include "psi/text/text.h"

namespace psi::view {

// Rows of cells, each column as wide as its cells. A cell that is too long moves the rest of its row, so that
// one long list does not fill all other rows with spaces.
class Table {
 public:
  static constexpr size_t kMaxWidth = 32;

  // Without headings if there are none.
  explicit Table(std::vector<std::string> headings = {}) {
    if (!headings.empty()) add(std::move(headings));
  }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void append_to(std::string& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// A function and its analyses, for a view of it.
class Page {
 public:
  Page(const Module& module, const Function& function, Analyses& analyses)
      : function(function), analyses(analyses), names_(function), module_(module) {}

  const Function& function;
  Analyses& analyses;

  // `$f`.
  std::string title() const { return print(module_, function, Operand::symbol(function.symbol)); }
  std::string name(BlockId b) const { return name_of(b); }
  std::string name(Reg r) const { return name_of(r); }
  // As in the program.
  std::string text(InstId id) const { return print(module_, function, id); }
  std::string text(Operand operand) const { return print(module_, function, operand); }
  // Names with spaces between; `-` if there are none.
  std::string list(std::span<const BlockId> blocks) const { return list_of(blocks); }
  std::string list(std::span<const Reg> regs) const { return list_of(regs); }

  // Calls visit(BlockId) for each block that can be reached, in layout order.
  template <class Visit>
  void for_each_reachable(Visit visit) const {
    for (BlockId b : function.layout()) {
      if (analyses.get<Order>().is_reachable(b)) visit(b);
    }
  }
  // A last line with the blocks that cannot be reached, if any.
  void append_unreachable(std::string& out) const;
  // The non-branching terminators of b: "ret", "unreachable", in order.
  std::vector<std::string_view> leaving(BlockId b) const;
  // Were the edges of b counted? (Only then do counts give probabilities.)
  bool is_measured(BlockId b) const;
  // `@header depth 1`, and its entries if there are several.
  std::string loop_label(LoopId loop) const;
  // The blocks of a loop that are in no inner loop.
  std::span<const BlockId> own_blocks(LoopId loop) const;

 private:
  template <class Id>
  std::string name_of(Id id) const {
    std::string out;
    names_.append(out, id);
    return out;
  }
  template <class Id>
  std::string list_of(std::span<const Id> ids) const {
    if (ids.empty()) return "-";
    std::string out;
    for (Id id : ids) {
      if (!out.empty()) out += ' ';
      names_.append(out, id);
    }
    return out;
  }

  DisplayNames names_;
  const Module& module_;
};

// `12.5%`
std::string percent(double probability);

// Lists in drawings are broken into lines of this width.
inline constexpr size_t kListWidth = 60;

// The indentation of a line of a tree. Beyond kMaxIndent levels it is the level in brackets, so that a deep
// tree's text stays in proportion to its size.
inline constexpr uint32_t kMaxIndent = 40;
void append_indent(std::string& out, uint32_t level);

}  // namespace psi::view
