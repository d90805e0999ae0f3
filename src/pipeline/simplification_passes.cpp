// Algebra, value ranges and predicates.
#include "pipeline/pass_groups.h"

namespace psi {

void add_simplification_passes(PassTable&) {}

}  // namespace psi
