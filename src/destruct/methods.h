// The rival methods, behind one interface.
#pragma once

#include "destruct/copies.h"
#include "destruct/webs.h"
#include "psi/analyses.h"
#include "psi/destruct.h"

namespace psi::destruction {

// What a method works on. All blocks are reachable; psis, if the method does not see to them itself, are
// normalized and do not interfere. It inserts copies (and lets them take effect) and unites webs, so that
// renaming each web to one register and dropping phis and psis is right.
struct Translation {
  Function& function;
  Analyses& analyses;
  const DestructOptions& options;
  Copies& copies;
  Webs& webs;
  Counters& counters;
  StepTimes& times;
  bool has_psis = false;
};

void translate_naive(Translation& translation);
void translate_sreedhar2(Translation& translation);
void translate_sreedhar3(Translation& translation);
void translate_briggs(Translation& translation);
void translate_boissinot(Translation& translation);
void translate_unified(Translation& translation);

}  // namespace psi::destruction
