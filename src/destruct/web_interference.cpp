#include "destruct/web_interference.h"

#include <utility>

namespace psi::destruction {

WebInterference::WebInterference(PlaceInterference& places, Webs& webs)
    : places_(places), ranges_(places.ranges()), webs_(webs) {
  size_t num_places = ranges_.all_places().size();
  next_.resize(num_places, kNone);
  num_places_.resize(ranges_.num_regs());
  size_t size = 16;
  while (size < num_places * 2) size *= 2;
  table_.resize(size);
  for (const LiveRange& range : ranges_.all()) {
    Reg web = webs.find(range.reg);
    num_places_[web.index()] += range.num_places;
    for (uint32_t p = 0; p < range.num_places; ++p) insert(web, range.first_place + p);
  }
}

WebInterference::Entry& WebInterference::find(uint64_t key) {
  size_t mask = table_.size() - 1;
  size_t at = (key * 0x9e3779b97f4a7c15u) >> 20 & mask;
  while (table_[at].key != key && table_[at].key != UINT64_MAX) at = (at + 1) & mask;
  return table_[at];
}

void WebInterference::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  num_entries_ = 0;
  for (const Entry& entry : old) {
    if (entry.head == kNone) continue;
    find(entry.key) = entry;
    ++num_entries_;
  }
}

void WebInterference::insert(Reg web, uint32_t place) {
  Entry* entry = &find(key(web, ranges_.all_places()[place].tile));
  if (entry->key == UINT64_MAX) {
    if ((num_entries_ + 1) * 4 > table_.size() * 3) {
      grow();
      entry = &find(key(web, ranges_.all_places()[place].tile));
    }
    ++num_entries_;
    entry->key = key(web, ranges_.all_places()[place].tile);
  }
  next_[place] = entry->head;
  entry->head = place;
}

bool WebInterference::interfere(Reg a, Reg b) {
  Reg large = webs_.find(a), small = webs_.find(b);
  if (num_places_[large.index()] < num_places_[small.index()]) std::swap(large, small);
  bool found = false;
  webs_.for_each_member(small, [&](Reg member) {
    if (found) return;
    for (const LiveRange& range : ranges_.of(member)) {
      for (uint32_t p = range.first_place; p < range.first_place + range.num_places; ++p) {
        uint32_t other = find(key(large, ranges_.all_places()[p].tile)).head;
        for (; other != kNone; other = next_[other]) {
          if (!places_.interfere(p, other)) continue;
          found = true;
          return;
        }
      }
    }
  });
  return found;
}

void WebInterference::unite(Reg a, Reg b) {
  Reg web_a = webs_.find(a), web_b = webs_.find(b);
  if (web_a == web_b) return;
  Reg large = webs_.size(web_a) >= webs_.size(web_b) ? web_a : web_b;
  Reg small = large == web_a ? web_b : web_a;
  webs_.for_each_member(small, [&](Reg member) {
    for (const LiveRange& range : ranges_.of(member)) {
      for (uint32_t p = range.first_place; p < range.first_place + range.num_places; ++p) {
        find(key(small, ranges_.all_places()[p].tile)).head = kNone;
        insert(large, p);
      }
    }
  });
  num_places_[large.index()] += num_places_[small.index()];
  webs_.unite(large, small);
}

bool WebInterference::is_written(Reg web, const Place& place, uint64_t value) {
  for (uint32_t p = find(key(web, place.tile)).head; p != kNone; p = next_[p]) {
    const Definition& write = ranges_.definition(places_.reg(p));
    if (!write.writes || write.tile != place.tile || !place.is_live_after(write.position)) continue;
    if (ranges_.value(places_.reg(p)) != value) return true;
  }
  return false;
}

bool WebInterference::is_read_after(Reg web, uint32_t tile, uint32_t position, uint64_t value) {
  for (uint32_t p = find(key(web, tile)).head; p != kNone; p = next_[p]) {
    if (!ranges_.all_places()[p].is_live_after(position)) continue;
    if (!places_.range(p).is_own_value || ranges_.value(places_.reg(p)) != value) return true;
  }
  for (const Added& added : added_) {
    if (added.web == web && added.place.tile == tile && added.place.is_live_after(position) &&
        added.value != value) {
      return true;
    }
  }
  return false;
}

size_t WebInterference::memory() const {
  return (next_.capacity() + num_places_.capacity()) * sizeof(uint32_t) + table_.capacity() * sizeof(Entry);
}

}  // namespace psi::destruction
