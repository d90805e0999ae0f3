// The last step of all methods: each web becomes one register, phis and psis go.
#pragma once

#include <cstdint>

#include "destruct/copies.h"
#include "destruct/webs.h"
#include "psi/analyses.h"
#include "psi/counters.h"

namespace psi::destruction {

// Unites what must become one register: the registers of each phi and psi, and the partial targets of a cmpp
// with their old values.
enum class Ties : uint8_t { All, AllButPhis };
void unite_ties(const Function& function, const Dominators& dominators, Webs& webs, Ties which = Ties::All);

// Renames, drops copies of a register to itself, puts copies that happen together in order, and leaves the
// function in plain form. Counts what is left.
void finish(Function& function, Analyses& analyses, const Webs& webs, const Copies& copies,
            Counters& counters);

}  // namespace psi::destruction
