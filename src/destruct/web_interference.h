// Which webs may become one register: those of which no two registers interfere.
//
// There is no graph. Only segments in the same chunk are compared, those of the smaller web with those of the
// larger. If these are more than a few, the larger web is indexed: a list of its segments for each chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "destruct/place_interference.h"
#include "destruct/webs.h"

namespace psi::destruct {

class WebInterference {
 public:
  WebInterference(PlaceInterference& places, Webs& webs);

  bool interfere(Reg a, Reg b);
  void unite(Reg a, Reg b);
  size_t memory() const;
  PlaceInterference& places() { return places_; }

  // For one more value in the register of a web: is another written at a place?
  bool is_written(Reg web, const Place& place, uint64_t value);
  // Is another still to be read after a position?
  bool is_read_after(Reg web, uint32_t position, uint64_t value);
  // The register has the value at this place, too.
  void add_place(Reg web, const Place& place, uint64_t value) { added_.push_back({web, place, value}); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    uint64_t key = UINT64_MAX;
    uint32_t head = kNone;
  };

  static uint64_t key(uint32_t index, uint32_t tile) { return uint64_t{index} << 32 | tile; }
  // Calls visit(segment) for each segment of a web until it returns true; does it ever?
  template <class Visit>
  bool any_place(Reg web, Visit visit) const;
  // The first place of the web in the tile; next_ has the others.
  uint32_t first_place(Reg web, uint32_t tile);
  uint32_t index_of(Reg web);
  Entry& find(uint64_t key);
  void insert(uint32_t index, uint32_t place);
  void grow();

  PlaceInterference& places_;
  const LiveRanges& ranges_;
  Webs& webs_;
  std::vector<uint32_t> next_;        // by place: the next of its web in its tile
  std::vector<uint32_t> num_places_;  // by representative
  std::vector<uint32_t> index_;       // by representative: the number of its index
  uint32_t num_indices_ = 0;
  std::vector<Entry> table_;  // of all indices; open addressing
  uint32_t num_entries_ = 0;
  std::vector<uint32_t> few_;
  struct Added {
    Reg web;
    Place place;
    uint64_t value;
  };
  std::vector<Added> added_;
};

}  // namespace psi::destruct
