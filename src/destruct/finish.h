// The last step of all methods: each web becomes one register, and phis and psis are removed.
#pragma once

#include <cstdint>

#include "destruct/copies.h"
#include "psi/analysis/dominators.h"
#include "psi/destruct/destruct.h"
#include "psi/live/webs.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::destruct {

// Unites registers that must be merged: those of each phi and psi, and the partial targets of a cmpp with
// their old values.
enum class Ties : uint8_t { All, AllButPhis };
void unite_ties(const Function& function, const Dominators& dominators, Webs& webs, Ties which = Ties::All);

// Renames, drops copies of a register to itself, puts copies that happen together in order, and leaves the
// function in plain form. What is left is counted, too.
CopiesLeft finish(Function& function, Analyses& analyses, const Webs& webs, const Copies& copies,
                  Counters& counters);

}  // namespace psi::destruct
