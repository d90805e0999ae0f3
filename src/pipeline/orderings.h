// Checks of a table's orderings.
#pragma once

#include <string>
#include <vector>

#include "psi/pipeline/pass_table.h"

namespace psi {

// A pipeline of the table obeys all orderings: the last call of each pass comes after the last one of those
// that come before it.
void check_order(const std::string& pipeline, const PassList& passes, Diagnostics& wrong);
// The orderings, followed from pass to pass, lead to no pass twice.
void check_for_cycles(const std::vector<Pass>& passes, Diagnostics& wrong);

}  // namespace psi
