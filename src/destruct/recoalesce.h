// Reconsiders which copies to keep.
#pragma once

#include <vector>

#include "destruct/coalesce.h"
#include "live/segment_interference.h"
#include "psi/live/webs.h"

namespace psi::destruct {

// `webs` came from `ties`, webs that must stay together, by uniting some along affinities. For each remaining
// copy, searches for a better partition of the ties of the two webs at its ends, and of webs around.
// Near-linear where webs are small; large ones are skipped.
void recoalesce(live::SegmentInterference& segments, const Webs& ties,
                const std::vector<Affinity>& affinities, Webs& webs);

}  // namespace psi::destruct
