// Data flow on predicates, as text and drawings. Instructions are numbered in the order of the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "psi/ir/module.h"
#include "psi/live/dependence_graph.h"
#include "psi/live/interference.h"
#include "psi/live/predicate_flow.h"

namespace psi {

// `live`, `reaching`, `up-exposed`, `down-exposed`, `available`.
std::string_view flow_problem_name(FlowProblem problem);
std::optional<FlowProblem> flow_problem_from_name(std::string_view name);
// `blind`, `local`, `global`.
std::string_view flow_scope_name(FlowScope scope);
std::optional<FlowScope> flow_scope_from_name(std::string_view name);

// Each block with the facts at each point, and the executions in which they hold: `%x if %p`. `block`: only
// this one.
std::string print_flow(const Module& module, const Function& function, Analyses& analyses,
                       FlowProblem problem, FlowScope scope, BlockId block = {});
// Each register with those that it interferes with, and the number of pairs, beside the number without
// predicates, by the same method.
std::string print_interference(const Module& module, const Function& function, Analyses& analyses,
                               const InterferenceOptions& options);
// The dependences of each block and its height, beside the height without predicates.
std::string print_dependences(const Module& module, const Function& function, FlowScope scope,
                              BlockId block = {});

// Interference and dependences for Graphviz. Dashed: pairs that predicates keep from interfering.
std::string draw_interference(const Module& module, const Function& function, Analyses& analyses,
                              const InterferenceOptions& options);
std::string draw_dependences(const Module& module, const Function& function, FlowScope scope,
                             BlockId block = {});

// The same as objects of JSON.
std::string print_flow_as_json(const Module& module, const Function& function, Analyses& analyses,
                               FlowProblem problem, FlowScope scope, BlockId block = {});
std::string print_interference_as_json(const Module& module, const Function& function, Analyses& analyses,
                                       const InterferenceOptions& options);
// `local interference`, or `interference by ranges`.
std::string interference_title(const InterferenceOptions& options);
std::string print_dependences_as_json(const Module& module, const Function& function, FlowScope scope,
                                      BlockId block = {});

}  // namespace psi
