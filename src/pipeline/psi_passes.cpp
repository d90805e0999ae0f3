// The transformations of psis, and speculation.
#include "pipeline/pass_groups.h"

namespace psi {

void add_psi_passes(PassTable&) {}

}  // namespace psi
