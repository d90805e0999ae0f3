// Machine descriptions: what a pass may want to know of the machine that the code is for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace psi {

// How an instruction can be made to do nothing.
enum class Predication : uint8_t {
  None,    // by branches only
  Select,  // by choosing between two results
  Full,    // by guards
};

// Literal offsets from `min` to `max` that an access takes.
struct OffsetRange {
  int64_t min = 0;
  int64_t max = 0;
  bool scaled = false;    // in units of the size of what is accessed
  bool extended = false;  // takes room for one more instruction
};

// An address is base + index * scale + offset; what is missing is 0.
struct AddressingModes {
  bool index = false;              // base + index * scale
  bool index_with_offset = false;  // base + index * scale + offset
  bool any_scale = false;          // otherwise 1, and what the next two say
  uint8_t max_scale = 1;           // powers of two up to this one
  bool scale_by_size = false;      // the size of what is accessed
  bool address_of = false;         // an instruction computes such an address without an access
  std::span<const OffsetRange> offsets;
};

// Cycles from one instruction to another that reads its result; 0: there is no such instruction.
struct Latencies {
  uint8_t integer = 1;
  uint8_t multiply = 1;
  uint8_t load = 1;  // that hits the first cache
  uint8_t floating = 1;
};

struct Target {
  std::string_view name;
  std::string_view summary;
  Predication predication = Predication::None;
  uint8_t issue_width = 1;  // instructions that can start in a cycle
  Latencies latencies;
  AddressingModes addressing;

  // Can something of `size` bytes be accessed there by one instruction? With no index `scale` is 0. Extended
  // offsets do not count.
  bool can_access(int64_t scale, int64_t offset, unsigned size) const;
  bool has_offset(int64_t offset, unsigned size) const;
  bool has_scale(int64_t scale, unsigned size) const;
};

std::string_view predication_name(Predication predication);

// All targets; the first is `generic`, which allows everything.
std::span<const Target> targets();
// Null if there is none of that name.
const Target* find_target(std::string_view name);

}  // namespace psi
