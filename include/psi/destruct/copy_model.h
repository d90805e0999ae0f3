// Coalescing as a graph problem: merge registers so that the remaining copies are executed least often. The
// results of the methods can be compared with its optimum.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "psi/destruct/destruct.h"
#include "psi/ir/function.h"

namespace psi {

// Copies isolate the registers of phis, psis and partial compares, as in the first step of `unified`. A node
// is a set of definitions that must share a register; an edge is a copy between two nodes.
struct CopyModel {
  struct Edge {
    uint32_t a, b;
    double weight;  // executions of the copy
  };

  uint32_t num_nodes = 0;
  std::vector<std::pair<uint32_t, uint32_t>> apart;  // interfere; the smaller first, each pair once, in order
  std::vector<Edge> edges;
};

// Psis are isolated all at once, or first made webs in two steps, as by all other methods.
enum class PsiCopies : uint8_t { AtOnce, InSteps };

// Of a function in SSA form. Any assignment of registers to nodes that separates interfering nodes is valid;
// the edges between different registers are the copies that it leaves. The model excludes temporaries for
// cycles of copies, shared copies, moved instructions, and literals copied from registers. Constants and
// addresses of stack slots are not copies. Quadratic in the registers of a long block.
CopyModel copy_model(const Function& ssa, const DestructOptions& options, PsiCopies psis = PsiCopies::AtOnce);

// The weight of the copies between different registers; `registers` by node.
double cut(const CopyModel& model, std::span<const uint32_t> registers);

// Takes the function out of SSA form with any assignment of registers to the nodes of its model, valid or
// not: a run of the result shows which.
void destruct_as(Function& ssa, const DestructOptions& options, PsiCopies psis,
                 std::span<const uint32_t> registers);

}  // namespace psi
