// What people and other tools look at: the graphs and tables of a function, as text and as drawings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "psi/analyses.h"
#include "psi/function.h"
#include "psi/module.h"
#include "psi/phi_placement.h"

namespace psi {

// A view of a function: its control flow graph, a tree, a table. The function must have a body that verifies,
// and be the one that the analyses are of.
struct View {
  using Write = std::string (*)(const Module& module, const Function& function, Analyses& analyses);

  std::string_view name;
  std::string_view summary;
  // A heading, then about one line for each block. Blocks and registers are named as `print` names them.
  Write text;
  // The same as a graph in the language of Graphviz.
  Write dot;
};

// All of them, in the order in which they are best read.
std::span<const View> views();

// How an algorithm finds where the phis of a function in plain form go: for each variable, or for one, the
// blocks that it takes, in order, with the joins that each leads to.
std::string explain_placement(const Module& module, const Function& function, Analyses& analyses,
                              PlacementAlgorithm algorithm, Reg variable = {});

}  // namespace psi
