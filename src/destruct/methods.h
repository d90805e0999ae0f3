// The rival methods, behind one interface.
#pragma once

#include "destruct/copies.h"
#include "psi/destruct/destruct.h"
#include "psi/live/webs.h"
#include "psi/pass/analyses.h"

namespace psi::destruct {

// The input and output of a method. All blocks are reachable; psis, if the method does not handle them
// itself, are normalized and do not interfere. The method inserts copies (and applies them) and unites webs,
// so that renaming each web to one register and dropping phis and psis is correct.
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

}  // namespace psi::destruct
