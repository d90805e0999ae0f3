// Out of SSA form as a problem without a program around it: which registers to make one, so that the copies
// between the others are executed least often. What methods leave can be held against its solution.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "psi/destruct.h"
#include "psi/function.h"

namespace psi {

// Copies take the registers of phis, psis and partial compares apart from all others, as `unified` begins. A
// node is what must then be one register whatever becomes of the rest, an edge a copy between two.
struct CopyModel {
  struct Edge {
    uint32_t a, b;
    double weight;  // how often the copy is executed
  };

  uint32_t num_nodes = 0;
  std::vector<std::pair<uint32_t, uint32_t>> apart;  // interfere; the smaller first, each pair once, in order
  std::vector<Edge> edges;
};

// Psis are taken apart all at once, or made webs in two steps before, as by all other methods.
enum class PsiCopies : uint8_t { AtOnce, InSteps };

// Of a function in SSA form. Any assignment of registers to nodes that keeps apart what interferes is a way
// out of it; the edges between different registers are the copies that it leaves. Not of the model are
// temporaries where copies run in a circle, several copies in one, moved instructions, and literals taken
// from registers. Constants and addresses of stack slots are no copies. Quadratic in the registers of a long
// block.
CopyModel copy_model(const Function& ssa, const DestructOptions& options, PsiCopies psis = PsiCopies::AtOnce);

// What the copies between different registers weigh; registers by node.
double cut(const CopyModel& model, std::span<const uint32_t> registers);

}  // namespace psi
