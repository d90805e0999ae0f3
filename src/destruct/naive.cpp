// Sreedhar et al. 1999, method I: a copy for the result and each argument of every phi, and none is taken
// back. The thesis's figure 4.8.
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/methods.h"

namespace psi::destruction {

void translate_naive(Translation& t) {
  isolate_phis(t.function, t.analyses, PhiCopies::ArgumentsAndResults, t.copies);
  t.copies.apply();
  t.analyses.drop(Keeps::ControlFlow);
  unite_ties(t.function, t.analyses.dominators(), t.webs);
}

}  // namespace psi::destruction
