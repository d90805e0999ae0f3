// The interference graph that the methods of Sreedhar et al. start from.
#pragma once

#include <cstdint>
#include <vector>

#include "destruct/methods.h"
#include "live/interference_graph.h"

namespace psi::destruct {

// Of the registers r with wanted[r], among them those of phis and of webs. Values do not count.
live::InterferenceGraph phi_interference(Translation& translation, std::vector<uint8_t> wanted);

}  // namespace psi::destruct
