// Constants, copies, dead code and the graph of blocks.
#include "pipeline/pass_groups.h"

namespace psi {

void add_constant_passes(PassTable&) {}

}  // namespace psi
