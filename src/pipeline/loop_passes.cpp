// Loops and addresses.
#include "pipeline/pass_groups.h"

namespace psi {

void add_loop_passes(PassTable&) {}

}  // namespace psi
