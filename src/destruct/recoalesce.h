// Second thoughts about which copies to keep.
#pragma once

#include <vector>

#include "destruct/coalesce.h"
#include "destruct/place_interference.h"
#include "destruct/webs.h"

namespace psi::destruction {

// `webs` came from `ties`, webs that stay together whatever happens, by uniting some along affinities.
// Takes copies left one by one, and looks whether the ties of the two webs at its ends, and webs around,
// can be put together so that less is left. Near-linear where webs are small; large ones are left alone.
void recoalesce(PlaceInterference& places, const Webs& ties, const std::vector<Affinity>& affinities,
                Webs& webs);

}  // namespace psi::destruction
