// Interference: which registers cannot share one, because one is written while the other is live.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "psi/live/predicate_flow.h"

namespace psi {

// Two registers interfere if one is written at a point and in an execution in which the other is live: the
// two sets of executions are not known to be disjoint. A psi writes its result where it takes an argument.
// Parameters are written together before the entry, and the phis of a block together at its start. The
// results of one instruction always interfere. Registers of which no two interfere can become one; a phi or
// psi whose registers do is dropped.
enum class InterferenceMethod : uint8_t {
  // SSA forms. Live ranges as segments, by the guards under which values are read and needed: what reads a
  // value only for a result that nothing needs does not make it live.
  Ranges,
  // Any form. The data flow of Johnson and Schlansker 1996: live sets of predicate expressions.
  Flow,
};

// `ranges`, `flow`.
std::string_view interference_method_name(InterferenceMethod method);
std::optional<InterferenceMethod> interference_method_from_name(std::string_view name);

struct InterferenceOptions {
  InterferenceMethod method = InterferenceMethod::Ranges;
  // Global: SSA forms. Ranges are global unless blind: then a guard excludes only its own complement.
  FlowScope scope = FlowScope::Global;
};

class Interference {
 public:
  // Flow: near-linear in the sum, over all definitions, of the registers live there. Ranges: of the segments
  // in the same chunk of 64 instructions. Takes memory for the interfering pairs.
  Interference(const Function& function, Analyses& analyses, const InterferenceOptions& options = {});
  // By flow.
  Interference(const Function& function, Analyses& analyses, FlowScope scope)
      : Interference(function, analyses, InterferenceOptions{InterferenceMethod::Flow, scope}) {}
  // `higher`: for each register its neighbours of higher number, in order.
  explicit Interference(std::vector<std::vector<Reg>> higher);

  bool interferes(Reg a, Reg b) const;
  // In the order of their numbers.
  std::span<const Reg> neighbours(Reg r) const {
    return std::span(neighbours_).subspan(start_[r.index()], start_[r.index() + 1] - start_[r.index()]);
  }
  uint64_t num_edges() const { return neighbours_.size() / 2; }

 private:
  std::vector<uint64_t> start_;  // by Reg, and one more
  std::vector<Reg> neighbours_;
};

}  // namespace psi
