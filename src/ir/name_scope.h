// The registers (or blocks) of the function being parsed, by name, numbered as they are first mentioned.
//
// Most names in large functions are a stem and a number: %x17, %x18, @then4. These are found through their
// stem in an array indexed by the number, so that names mentioned together are adjacent in memory; the others
// are hashed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "psi/support/diagnostic.h"

namespace psi {

class NameScope {
 public:
  struct Entry {
    std::string_view name;
    uint32_t number;  // the number of a name like `7`, kNoNumber otherwise
    Location first;   // where it was first mentioned
  };
  static constexpr uint32_t kNoNumber = UINT32_MAX;

  // The index of the name, a new one where `size()` grew. The name must outlive the scope.
  uint32_t intern(std::string_view name, Location where);
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
  const Entry& operator[](uint32_t index) const { return entries_[index]; }
  // Forgets all names; about `expected` follow.
  void reset(uint32_t expected);

  // The final number of each entry: entries written as numbers keep theirs, unless it is far too large; the
  // others take the free numbers, in the order of `order`.
  std::vector<uint32_t> numbering(const std::vector<uint32_t>& order) const;

 private:
  // A hash table of indices of texts stored elsewhere.
  class Table {
   public:
    static constexpr uint32_t kMissing = UINT32_MAX;
    template <class TextOf>
    uint32_t find(std::string_view text, uint32_t hash, TextOf text_of) const;
    void insert(uint32_t hash, uint32_t index);
    void clear();

   private:
    struct Slot {
      uint32_t hash = 0;
      uint32_t index = 0;  // + 1; 0: free
    };
    void grow();

    std::vector<Slot> slots_;
    std::vector<uint32_t> used_;
  };

  struct Stem {
    std::string_view text;
    std::vector<uint32_t> by_number;  // index + 1 of the entry; 0: none
    uint32_t count = 0;               // entries found there
    bool hashed = false;              // some of its numbers were too large, and are in names_
  };

  uint32_t intern_hashed(std::string_view name, Location where);
  Stem& find_stem(std::string_view text);
  uint32_t add(std::string_view name, uint32_t number, Location where);

  std::vector<Entry> entries_;
  Table names_;
  std::vector<Stem> stems_;
  Table stem_table_;
};

// The number of a name of digits; kNoNumber for an unusual spelling.
uint32_t number_of_name(std::string_view name);

}  // namespace psi
