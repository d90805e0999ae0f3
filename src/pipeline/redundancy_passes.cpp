// Computations that were done before.
#include "pipeline/pass_groups.h"

namespace psi {

void add_redundancy_passes(PassTable&) {}

}  // namespace psi
