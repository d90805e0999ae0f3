// The views; views.cpp has the table of them.
#pragma once

#include <string>

#include "psi/ir/module.h"
#include "psi/pass/analyses.h"

namespace psi::view {

// As text and drawings where it says; as JSON in json_views.cpp.
//
// Graphs of blocks and their edges (graph_views.cpp, cfg_drawing.cpp).
std::string cfg_text(const Module& module, const Function& function, Analyses& analyses);
std::string cfg_dot(const Module& module, const Function& function, Analyses& analyses);
std::string cfg_json(const Module& module, const Function& function, Analyses& analyses);
std::string dj_text(const Module& module, const Function& function, Analyses& analyses);
std::string dj_dot(const Module& module, const Function& function, Analyses& analyses);
std::string dj_json(const Module& module, const Function& function, Analyses& analyses);
std::string control_text(const Module& module, const Function& function, Analyses& analyses);
std::string control_dot(const Module& module, const Function& function, Analyses& analyses);
std::string control_json(const Module& module, const Function& function, Analyses& analyses);
std::string frequencies_text(const Module& module, const Function& function, Analyses& analyses);
std::string frequencies_dot(const Module& module, const Function& function, Analyses& analyses);
std::string frequencies_json(const Module& module, const Function& function, Analyses& analyses);

// Trees (tree_views.cpp).
std::string dom_text(const Module& module, const Function& function, Analyses& analyses);
std::string dom_dot(const Module& module, const Function& function, Analyses& analyses);
std::string dom_json(const Module& module, const Function& function, Analyses& analyses);
std::string postdom_text(const Module& module, const Function& function, Analyses& analyses);
std::string postdom_dot(const Module& module, const Function& function, Analyses& analyses);
std::string postdom_json(const Module& module, const Function& function, Analyses& analyses);
std::string loops_text(const Module& module, const Function& function, Analyses& analyses);
std::string loops_dot(const Module& module, const Function& function, Analyses& analyses);
std::string loops_json(const Module& module, const Function& function, Analyses& analyses);

// Lists for each block (table_views.cpp).
std::string frontiers_text(const Module& module, const Function& function, Analyses& analyses);
std::string frontiers_dot(const Module& module, const Function& function, Analyses& analyses);
std::string frontiers_json(const Module& module, const Function& function, Analyses& analyses);
std::string adt_text(const Module& module, const Function& function, Analyses& analyses);
std::string adt_dot(const Module& module, const Function& function, Analyses& analyses);
std::string adt_json(const Module& module, const Function& function, Analyses& analyses);
std::string liveness_text(const Module& module, const Function& function, Analyses& analyses);
std::string liveness_dot(const Module& module, const Function& function, Analyses& analyses);
std::string liveness_json(const Module& module, const Function& function, Analyses& analyses);

// Registers that phis and psis join (web_views.cpp).
std::string webs_text(const Module& module, const Function& function, Analyses& analyses);
std::string webs_dot(const Module& module, const Function& function, Analyses& analyses);
std::string webs_json(const Module& module, const Function& function, Analyses& analyses);

}  // namespace psi::view
