// The part of oneTBB that psic uses, for machines with one thread.
#pragma once

namespace tbb {

template <class Index, class Body>
void parallel_for(Index first, Index last, const Body& body) {
  for (Index i = first; i < last; ++i) body(i);
}

}  // namespace tbb
