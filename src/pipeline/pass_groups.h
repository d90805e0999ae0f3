// The entries of the pass table, a group at a time.
#pragma once

#include "psi/pipeline/pass_table.h"

namespace psi {

void add_constant_passes(PassTable& table);
void add_simplification_passes(PassTable& table);
void add_redundancy_passes(PassTable& table);
void add_loop_passes(PassTable& table);
void add_psi_passes(PassTable& table);
void add_predication_passes(PassTable& table);
void add_selection_passes(PassTable& table);
void add_pipelines(PassTable& table);

}  // namespace psi
