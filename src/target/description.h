// The form of a machine description: sections, and the keys of each.
//
//   machine   mine
//   summary   two at a time, with guarded moves
//
//   [predication]
//   guards    move
//
// The parser reads the keys in any order, the printer writes them in this one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "psi/target.h"

namespace psi::target {

enum class Section : uint8_t { Top, Predication, Issue, Latency, Branch, Registers, Immediate, Address };
inline constexpr int kNumSections = 8;
inline constexpr std::array<std::string_view, kNumSections> kSectionNames = {
    "", "predication", "issue", "latency", "branch", "registers", "immediate", "address"};

// What stands after the key.
enum class ValueKind : uint8_t {
  Name,        // of the machine
  Text,        // to the end of the line
  Number,      // or `none`, if it may be
  Flag,        // one of two words
  Guards,      // `all`, `none`, or opcodes and groups of them
  Redirected,  // `none`, or some of `load`, `store` and `divide`
  Actions,     // `all`, `none`, or actions of cmpp
  Registers,   // how many and what their names begin with, or `none`
  Literals,    // MIN..MAX, `any` or `none`
  Offset,      // the same, and perhaps `scaled` and `extended`; may be repeated
  Scales,      // `any`, `none`, or powers of two and `size`
};

struct Key {
  Section section;
  std::string_view name;
  ValueKind value;
  bool is_required;
  std::string_view meaning;
  size_t index = 0;  // the unit, group or kind of registers that it is about

  // Numbers.
  uint32_t& (*number)(Target&, size_t index) = nullptr;
  uint32_t min = 0, max = 0;
  bool may_be_none = false;  // which is 0
  // Flags.
  bool& (*flag)(Target&) = nullptr;
  std::string_view yes, no;
};

// All of them, by section.
const std::vector<Key>& keys();

}  // namespace psi::target
