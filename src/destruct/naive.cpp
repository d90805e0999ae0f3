// Sreedhar et al. 1999, method I: a copy for the result and each argument of every phi, none removed again.
// The thesis's figure 4.8.
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/methods.h"
#include "psi/analysis/dominators.h"

namespace psi::destruct {

void translate_naive(Translation& t) {
  isolate_phis(t.function, t.analyses, PhiCopies::ArgumentsAndResults, t.copies);
  t.copies.apply();
  t.analyses.drop(Keeps::ControlFlow);
  unite_ties(t.function, t.analyses.get<Dominators>(), t.webs);
}

}  // namespace psi::destruct
