// Data flow on predicates, written for people. Instructions are numbered in the order of the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "psi/dependence_graph.h"
#include "psi/interference.h"
#include "psi/module.h"
#include "psi/predicate_flow.h"

namespace psi {

// `live`, `reaching`, `up-exposed`, `down-exposed`, `available`.
std::string_view flow_problem_name(FlowProblem problem);
std::optional<FlowProblem> flow_problem_from_name(std::string_view name);
// `blind`, `local`, `global`.
std::string_view flow_scope_name(FlowScope scope);
std::optional<FlowScope> flow_scope_from_name(std::string_view name);

// Each block with what holds at each point of it, and where: `%x if %p`. `block`: only this one.
std::string print_flow(const Module& module, const Function& function, Analyses& analyses,
                       FlowProblem problem, FlowScope scope, BlockId block = {});
// Each register with those that it cannot share a place with, and how many pairs there are, beside those that
// there are without a look at predicates.
std::string print_interference(const Module& module, const Function& function, Analyses& analyses,
                               FlowScope scope);
// The dependences of each block and its height, beside the height without a look at predicates.
std::string print_dependences(const Module& module, const Function& function, FlowScope scope,
                              BlockId block = {});

}  // namespace psi
