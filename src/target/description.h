// The format of a target description: sections, and the keys of each.
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

#include "psi/target/target.h"

namespace psi::target {

enum class Section : uint8_t { Top, Predication, Issue, Latency, Branch, Registers, Immediate, Address };
inline constexpr int kNumSections = 8;
inline constexpr std::array<std::string_view, kNumSections> kSectionNames = {
    "", "predication", "issue", "latency", "branch", "registers", "immediate", "address"};

// The kind of value after a key.
enum class ValueKind : uint8_t {
  Name,        // of the machine
  Text,        // to the end of the line
  Number,      // or `none` if allowed
  Flag,        // one of two words
  Guards,      // `all`, `none`, or opcodes and groups of them
  Redirected,  // `none`, or some of `load`, `store` and `divide`
  Actions,     // `all`, `none`, or actions of cmpp
  Registers,   // number and prefix of their names, or `none`
  Literals,    // MIN..MAX, `any` or `none`
  Offset,      // the same, with optional `scaled` and `extended`; may be repeated
  Scales,      // `any`, `none`, or powers of two and `size`
};

struct Key {
  Section section;
  std::string_view name;
  ValueKind value;
  bool is_required;
  std::string_view meaning;
  size_t index = 0;  // the unit, group or kind of registers

  // Numbers.
  uint32_t& (*number)(Target&, size_t index) = nullptr;
  uint32_t min = 0, max = 0;
  bool may_be_none = false;  // which is 0
  // Flags.
  bool& (*flag)(Target&) = nullptr;
  std::string_view yes, no;
};

// All keys, by section.
const std::vector<Key>& keys();

}  // namespace psi::target
