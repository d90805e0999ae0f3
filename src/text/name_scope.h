// The registers (or blocks) of the function being parsed, by name, numbered as they are first mentioned.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "psi/diagnostic.h"

namespace psi {

class NameScope {
 public:
  struct Entry {
    std::string_view name;
    uint32_t number;  // what a name like `7` stands for, kNoNumber otherwise
    Location first;   // where it was first mentioned
  };
  static constexpr uint32_t kNoNumber = UINT32_MAX;

  // The index of the name, a new one where `size()` grew. The name must outlive the scope.
  uint32_t intern(std::string_view name, Location where);
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
  const Entry& operator[](uint32_t index) const { return entries_[index]; }
  // Forgets all names. About `expected` names follow: numbers of that order are looked up directly.
  void reset(uint32_t expected);

  // The final number of each entry: entries written as numbers keep theirs, unless it is out of all
  // proportion; the others take the free numbers, in the order in which `order` lists them.
  std::vector<uint32_t> numbering(const std::vector<uint32_t>& order) const;

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t index = 0;  // + 1; 0: free
  };
  void grow();
  uint32_t add(std::string_view name, uint32_t number, Location where);

  std::vector<Entry> entries_;
  std::vector<uint32_t> by_number_;  // index + 1 of the entry with this number; 0: none
  uint32_t direct_limit_ = 1024;
  std::vector<Slot> slots_;
  std::vector<uint32_t> used_slots_;
};

// The number that a name of digits stands for; kNoNumber where it is not the usual way to write one.
uint32_t number_of_name(std::string_view name);

}  // namespace psi
