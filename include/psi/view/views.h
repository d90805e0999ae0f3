// Graphs and tables of a function for readers and other tools, as text and as drawings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "psi/ir/function.h"
#include "psi/ir/module.h"
#include "psi/pass/analyses.h"
#include "psi/ssa/phi_placement.h"

namespace psi {

// A view of a function: its control flow graph, a tree, a table. The function must verify and have a body,
// and the analyses must be its own.
struct View {
  using Write = std::string (*)(const Module& module, const Function& function, Analyses& analyses);

  std::string_view name;
  std::string_view summary;
  // A heading, then about one line for each block. Blocks and registers are named as by `print`.
  Write text;
  // The same as a graph for Graphviz.
  Write dot;
  // The same as an object of JSON, for programs.
  Write json;
};

// All views, in reading order.
std::span<const View> views();

// The steps of phi placement for a function in plain form: for each variable, or for one, the blocks that the
// algorithm takes, in order, with the joins found from each.
std::string explain_placement(const Module& module, const Function& function, Analyses& analyses,
                              PlacementAlgorithm algorithm, Reg variable = {});
// The same as an object of JSON.
std::string explain_placement_as_json(const Module& module, const Function& function, Analyses& analyses,
                                      PlacementAlgorithm algorithm, Reg variable = {});

}  // namespace psi
