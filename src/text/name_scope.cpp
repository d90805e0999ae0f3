#include "text/name_scope.h"

#include <algorithm>
#include <cstring>

namespace psi {
namespace {

uint64_t load(const char* at, size_t size) {
  uint64_t chunk = 0;
  std::memcpy(&chunk, at, size);
  return chunk;
}

// The last eight bytes or fewer of a name, which has `left` bytes there: two loads that overlap.
uint64_t tail(const char* at, size_t left) {
  if (left >= 4) return load(at, 4) << 32 | load(at + left - 4, 4);
  if (left == 0) return 0;
  return load(at, 1) << 16 | load(at + left / 2, 1) << 8 | load(at + left - 1, 1);
}

uint32_t hash_name(std::string_view name) {
  uint64_t hash = name.size() * 0x9e3779b97f4a7c15;
  const char* at = name.data();
  size_t left = name.size();
  for (; left > 8; at += 8, left -= 8) {
    hash = (hash ^ load(at, 8)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  hash = (hash ^ tail(at, left)) * 0xff51afd7ed558ccd;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

uint32_t number_of_name(std::string_view name) {
  if (name.empty() || name.size() > 9 || (name[0] == '0' && name.size() > 1)) return NameScope::kNoNumber;
  uint32_t number = 0;
  for (char c : name) {
    if (c < '0' || c > '9') return NameScope::kNoNumber;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  return number;
}

uint32_t NameScope::add(std::string_view name, uint32_t number, Location where) {
  entries_.push_back({name, number, where});
  return size() - 1;
}

uint32_t NameScope::intern(std::string_view name, Location where) {
  uint32_t number = number_of_name(name);
  if (number < direct_limit_) {
    if (number >= by_number_.size()) by_number_.resize(std::max<size_t>(number + 1, by_number_.size() * 2));
    if (by_number_[number] == 0) by_number_[number] = add(name, number, where) + 1;
    return by_number_[number] - 1;
  }
  if ((used_slots_.size() + 1) * 2 > slots_.size()) grow();
  uint32_t hash = hash_name(name);
  size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].index != 0) {
    if (slots_[at].hash == hash && entries_[slots_[at].index - 1].name == name) return slots_[at].index - 1;
    at = (at + 1) & mask;
  }
  used_slots_.push_back(static_cast<uint32_t>(at));
  uint32_t index = add(name, number, where);
  slots_[at] = {hash, index + 1};
  return index;
}

void NameScope::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 64 : old.size() * 2, {});
  size_t mask = slots_.size() - 1;
  for (uint32_t& used : used_slots_) {
    Slot slot = old[used];
    size_t at = slot.hash & mask;
    while (slots_[at].index != 0) at = (at + 1) & mask;
    slots_[at] = slot;
    used = static_cast<uint32_t>(at);
  }
}

void NameScope::reset(uint32_t expected) {
  direct_limit_ = 2 * expected + 1024;
  for (const Entry& entry : entries_) {
    if (entry.number < by_number_.size()) by_number_[entry.number] = 0;
  }
  // Only what was used: the table may have grown for an earlier, much larger function.
  for (uint32_t used : used_slots_) slots_[used] = {};
  used_slots_.clear();
  entries_.clear();
  entries_.reserve(expected / 4);
}

std::vector<uint32_t> NameScope::numbering(const std::vector<uint32_t>& order) const {
  uint32_t limit = 4 * size() + 1024;
  std::vector<uint32_t> numbers(size(), kNoNumber);
  std::vector<bool> taken;
  for (uint32_t i = 0; i < size(); ++i) {
    uint32_t number = entries_[i].number;
    if (number >= limit) continue;
    numbers[i] = number;
    if (number >= taken.size()) taken.resize(number + 1);
    taken[number] = true;
  }
  uint32_t next = 0;
  for (uint32_t i : order) {
    if (numbers[i] != kNoNumber) continue;
    while (next < taken.size() && taken[next]) ++next;
    numbers[i] = next++;
  }
  return numbers;
}

}  // namespace psi
