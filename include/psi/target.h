// Machine descriptions: what a pass may want to know of the machine that the code is for. docs/targets.md
// says what each part means, and how a file describes a machine.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/diagnostic.h"
#include "psi/inst.h"

namespace psi {

// What can keep an instruction from having an effect.
enum class Predication : uint8_t {
  None,     // branches alone
  Select,   // choosing between two results
  Partial,  // guards, on some instructions
  Full,     // guards, on all
};

// Instructions that machines treat alike. Phis and psis are in none: no machine executes them.
enum class OpGroup : uint8_t {
  Integer,
  Move,
  Multiply,
  Divide,
  Compare,
  Select,
  Load,
  Store,
  Float,
  FloatDivide,
  Branch,
  Call,
};
inline constexpr int kNumOpGroups = 12;

// Where instructions are executed.
enum class Unit : uint8_t { Integer, Multiply, Memory, Branch, Float };
inline constexpr int kNumUnits = 5;

enum class RegisterKind : uint8_t { General, Predicate, Float };
inline constexpr int kNumRegisterKinds = 3;

struct RegisterClass {
  std::string prefix;  // of their names, before the number
  uint32_t count = 0;  // 0: there are none of that kind
};

// From `min` to `max`, both included.
struct LiteralRange {
  int64_t min = 0;
  int64_t max = 0;
  bool contains(int64_t value) const { return min <= value && value <= max; }
};

// Literal offsets that an access takes.
struct OffsetRange {
  LiteralRange range;
  bool scaled = false;    // in units of the size of what is accessed
  bool extended = false;  // takes room for one more instruction
};

// An address is base + index * scale + offset; what is missing is 0.
struct AddressingModes {
  bool index = false;              // base + index * scale
  bool index_with_offset = false;  // base + index * scale + offset
  bool any_scale = false;          // otherwise what the next two say
  uint64_t scales = 0;             // the sum of those it can be, which are powers of two
  bool scale_by_size = false;      // the size of what is accessed
  bool address_of = false;         // an instruction computes such an address without an access
  std::vector<OffsetRange> offsets;
};

struct Target {
  std::string name;
  std::string summary;

  std::bitset<kNumOpcodes> guarded;  // the opcodes that take a guard
  // Those that do as well without one: a select chooses between the real address and one of no matter, or
  // between the real divisor and 1 (pass redirect).
  std::bitset<kNumOpcodes> redirected;
  bool has_select = false;       // select or conditional move
  std::bitset<8> actions;        // of cmpp, by Action; none: there is no cmpp
  bool free_complement = false;  // the complement of a guard needs no register of its own

  bool out_of_order = false;                // those that wait let others pass
  uint32_t issue_width = 1;                 // instructions that can start in a cycle
  std::array<uint32_t, kNumUnits> units{};  // by kind: those that can start in a cycle; 0: there is none
  // By group: cycles from an instruction to another that reads its result, for a load that hits the first
  // cache. 0: the machine has no such instructions. Whether it has selects, has_select says.
  std::array<uint32_t, kNumOpGroups> latencies{};
  uint32_t branch_cost = 1;    // cycles that a taken branch costs, foreseen
  uint32_t misprediction = 0;  // and that one costs besides which was not foreseen

  std::array<RegisterClass, kNumRegisterKinds> registers;
  // By group: the literals that its instructions take as their last operand; nothing: none.
  std::array<std::optional<LiteralRange>, kNumOpGroups> immediates;
  AddressingModes addressing;

  Predication predication() const;
  // Can the instruction carry a guard, or be redirected? False for instructions that the machine does not
  // have.
  bool can_guard(Opcode op) const;
  bool can_guard(const Inst& inst) const { return can_guard(inst.op); }
  bool redirects(Opcode op) const;
  bool has_cmpp() const { return actions.any(); }
  bool has_action(Action action) const;

  // Does the machine have such instructions?
  bool has(OpGroup group) const;
  // The group itself if the machine has it. A select may be a guarded move, or a branch; the others are calls
  // of routines.
  OpGroup executed_as(OpGroup group) const;
  // Nothing for phis and psis.
  std::optional<Unit> unit(const Inst& inst) const;
  uint32_t num_units(Unit unit) const { return units[static_cast<size_t>(unit)]; }
  // 0 for phis and psis.
  uint32_t latency(const Inst& inst) const;
  uint32_t latency(OpGroup group) const;

  const RegisterClass& register_class(RegisterKind kind) const {
    return registers[static_cast<size_t>(kind)];
  }
  // Where values of the type are kept: in general registers if there are no others for it.
  RegisterKind register_kind(Type type) const;
  bool has_immediate(const Inst& inst, int64_t value) const;

  // Can something of `size` bytes be accessed there by one instruction? With no index `scale` is 0. Extended
  // offsets do not count.
  bool can_access(int64_t scale, int64_t offset, unsigned size) const;
  bool has_offset(int64_t offset, unsigned size) const;
  bool has_scale(int64_t scale, unsigned size) const;
};

std::string_view predication_name(Predication predication);
std::string_view unit_name(Unit unit);
std::string_view register_kind_name(RegisterKind kind);
// `integer`, `float-divide`, ...
std::string_view group_name(OpGroup group);
std::optional<OpGroup> group_from_name(std::string_view name);
// Nothing for phis and psis.
std::optional<OpGroup> group_of(Opcode op);
// The same, but comparisons of floating-point numbers are floating-point operations.
std::optional<OpGroup> group_of(const Inst& inst);
// Where the instructions of a group are executed.
Unit unit_of(OpGroup group);

// Machines by name.
class TargetTable {
 public:
  // psic's own; the first is `generic`, which allows everything.
  static const TargetTable& builtin();

  // False if there is one of that name. Pointers to targets of this table are then no longer valid.
  bool add(Target target);
  // Null if there is none of that name.
  const Target* find(std::string_view name) const;
  std::span<const Target> all() const { return targets_; }

 private:
  std::vector<Target> targets_;
};

// Those of the built-in table.
std::span<const Target> targets();
const Target* find_target(std::string_view name);

// Reads a description. Nothing on errors, which `diagnostics` then holds. If there is a table, a name that is
// in it is an error.
std::optional<Target> parse_target(std::string_view text, Diagnostics& diagnostics,
                                   const TargetTable* taken = nullptr);
// A description with comments, which reads back as the same machine.
std::string print(const Target& target);

}  // namespace psi
