#include "ir/name_scope.h"

#include <algorithm>
#include <cstring>

#include "ir/names.h"

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

// The number of digits at the end of the name that form a number: no leading zero, at most nine digits.
size_t number_suffix(std::string_view name) {
  size_t start = name.size();
  while (start > 0 && is_digit(name[start - 1])) --start;
  while (start + 1 < name.size() && name[start] == '0') ++start;
  return name.size() - start <= 9 ? name.size() - start : 0;
}

uint32_t to_number(std::string_view digits) {
  uint32_t number = 0;
  for (char c : digits) number = number * 10 + static_cast<uint32_t>(c - '0');
  return number;
}

}  // namespace

uint32_t number_of_name(std::string_view name) {
  return !name.empty() && number_suffix(name) == name.size() ? to_number(name) : NameScope::kNoNumber;
}

// --- The hash table -----------------------------------------------------------------------------------

template <class TextOf>
uint32_t NameScope::Table::find(std::string_view text, uint32_t hash, TextOf text_of) const {
  if (slots_.empty()) return kMissing;
  size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask; slots_[at].index != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && text_of(slots_[at].index - 1) == text) return slots_[at].index - 1;
  }
  return kMissing;
}

void NameScope::Table::insert(uint32_t hash, uint32_t index) {
  if ((used_.size() + 1) * 2 > slots_.size()) grow();
  size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].index != 0) at = (at + 1) & mask;
  slots_[at] = {hash, index + 1};
  used_.push_back(static_cast<uint32_t>(at));
}

void NameScope::Table::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 64 : old.size() * 2, {});
  size_t mask = slots_.size() - 1;
  for (uint32_t& used : used_) {
    Slot slot = old[used];
    size_t at = slot.hash & mask;
    while (slots_[at].index != 0) at = (at + 1) & mask;
    slots_[at] = slot;
    used = static_cast<uint32_t>(at);
  }
}

void NameScope::Table::clear() {
  // Only what was used: the table may have grown for an earlier, much larger function.
  for (uint32_t used : used_) slots_[used] = {};
  used_.clear();
}

// --- Names ----------------------------------------------------------------------------------------------

uint32_t NameScope::add(std::string_view name, uint32_t number, Location where) {
  entries_.push_back({name, number, where});
  return size() - 1;
}

NameScope::Stem& NameScope::find_stem(std::string_view text) {
  uint32_t hash = hash_name(text);
  uint32_t index = stem_table_.find(text, hash, [&](uint32_t i) { return stems_[i].text; });
  if (index == Table::kMissing) {
    index = static_cast<uint32_t>(stems_.size());
    stems_.push_back({text, {}, 0, false});
    stem_table_.insert(hash, index);
  }
  return stems_[index];
}

uint32_t NameScope::intern(std::string_view name, Location where) {
  size_t digits = number_suffix(name);
  if (digits == 0) return intern_hashed(name, where);
  std::string_view text = name.substr(0, name.size() - digits);
  uint32_t number = to_number(name.substr(text.size()));
  Stem& stem = find_stem(text);
  if (number < stem.by_number.size() && stem.by_number[number] != 0) return stem.by_number[number] - 1;
  // Keeps the array proportional to its contents.
  if (number > 4 * stem.count + 16) {
    stem.hashed = true;
    return intern_hashed(name, where);
  }
  if (stem.hashed) {
    // It may have been mentioned when the array was smaller.
    uint32_t found = names_.find(name, hash_name(name), [&](uint32_t i) { return entries_[i].name; });
    if (found != Table::kMissing) return found;
  }
  if (number >= stem.by_number.size()) {
    stem.by_number.resize(std::max<size_t>(number + 1, stem.by_number.size() * 2));
  }
  ++stem.count;
  uint32_t index = add(name, text.empty() ? number : kNoNumber, where);
  stem.by_number[number] = index + 1;
  return index;
}

uint32_t NameScope::intern_hashed(std::string_view name, Location where) {
  uint32_t hash = hash_name(name);
  uint32_t found = names_.find(name, hash, [&](uint32_t i) { return entries_[i].name; });
  if (found != Table::kMissing) return found;
  names_.insert(hash, size());
  return add(name, number_of_name(name), where);
}

void NameScope::reset(uint32_t expected) {
  names_.clear();
  stem_table_.clear();
  stems_.clear();
  entries_.clear();
  entries_.reserve(expected);
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
