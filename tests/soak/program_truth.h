// Where the predicates of a program are true, worked out from what its instructions do in each world.
#pragma once

#include <string>
#include <vector>

#include "random_programs.h"

namespace psi::soak {

struct KnownPredicate {
  Term term;  // what the analysis makes of it
  WorldSet truth;
  std::string name;  // for messages
};

// Of a block: all that its instructions leave, and where they execute and write. Of a region: where its
// blocks are reached.
std::vector<KnownPredicate> known_predicates(const Program& program, Analyses& analyses,
                                             Predicates& predicates);

}  // namespace psi::soak
