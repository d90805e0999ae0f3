// Target descriptions: the properties of the target that passes ask for. docs/targets.md defines each part,
// and the file format.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/inst.h"
#include "psi/ir/instruction_set.h"
#include "psi/support/result.h"

namespace psi {

// How an instruction is kept from having an effect.
enum class Predication : uint8_t {
  None,     // branches only
  Select,   // selects between two results
  Partial,  // guards, on some instructions
  Full,     // guards, on all
};

// Groups of instructions that targets treat alike. Phis and psis are in no group: no machine executes them.
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

// The kinds of execution units.
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

// Literal offsets of an access.
struct OffsetRange {
  LiteralRange range;
  bool scaled = false;    // in units of the access size
  bool extended = false;  // takes the space of one more instruction
};

// An address is base + index * scale + offset; absent parts are 0.
struct AddressingModes {
  bool index = false;              // base + index * scale
  bool index_with_offset = false;  // base + index * scale + offset
  bool any_scale = false;          // otherwise what the next two say
  uint64_t scales = 0;             // the sum of the allowed scales, which are powers of two
  bool scale_by_size = false;      // the access size
  bool address_of = false;         // an instruction computes such an address without an access
  std::vector<OffsetRange> offsets;
};

struct TargetDescription;  // psi/target/description.h

struct Target {
  std::string name;
  std::string summary;
  // Of a complete target, which has instructions; null for one that has only costs. The rest follows from it.
  std::shared_ptr<const TargetDescription> description;

  std::bitset<kNumOpcodes> guarded;  // the opcodes that take a guard
  // Opcodes that need no guard: a select chooses between the real address and that of an unused slot, or
  // between the real divisor and 1 (pass redirect).
  std::bitset<kNumOpcodes> redirected;
  bool has_select = false;       // select or conditional move
  std::bitset<8> actions;        // of cmpp, by Action; none: there is no cmpp
  bool free_complement = false;  // the complement of a guard needs no register

  bool out_of_order = false;  // stalled instructions do not block later ones
  uint32_t issue_width = 1;   // instructions that can issue in a cycle
  std::array<uint32_t, kNumUnits>
      units{};  // by kind: instructions that can issue in a cycle; 0: no such unit
  // By group: cycles from an instruction to a reader of its result, for a load on a hit in the first cache.
  // 0: the target has no such instructions. has_select tells about selects.
  std::array<uint32_t, kNumOpGroups> latencies{};
  uint32_t branch_cost = 1;    // cycles that a correctly predicted taken branch costs
  uint32_t misprediction = 0;  // additional cycles of a misprediction

  std::array<RegisterClass, kNumRegisterKinds> registers;
  // By group: the literals that its instructions take as their last operand; nothing: none.
  std::array<std::optional<LiteralRange>, kNumOpGroups> immediates;
  AddressingModes addressing;

  Predication predication() const;
  // Can the instruction have a guard, or be redirected? False for instructions that the target lacks.
  bool can_guard(Opcode op) const;
  bool can_guard(const Inst& inst) const { return can_guard(inst.op); }
  bool redirects(Opcode op) const;
  // Can it execute code with pointers of this width? One without instructions, of any width.
  bool takes_pointers_of(unsigned bits) const;
  bool has_cmpp() const { return actions.any(); }
  bool has_action(Action action) const;

  // Does the target have such instructions?
  bool has(OpGroup group) const;
  // The group itself if the target has it. Otherwise a select is a guarded move or a branch, and the others
  // are calls of routines.
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
  // The kind of register for values of the type: general if there is no other.
  RegisterKind register_kind(Type type) const;
  bool has_immediate(const Inst& inst, int64_t value) const;

  // Can one instruction access `size` bytes there? With no index `scale` is 0. Extended offsets do not count.
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
// The unit that executes the instructions of a group.
Unit unit_of(OpGroup group);

// Targets by name. A built-in one is read when it is first asked for.
class TargetTable {
 public:
  // The built-in ones; the first is `generic`, which allows everything.
  static const TargetTable& builtin();

  // Targets in the order in which they are listed.
  class Range {
   public:
    class Iterator {
     public:
      using value_type = Target;
      using difference_type = std::ptrdiff_t;
      Iterator() = default;
      Iterator(const TargetTable* table, size_t at) : table_(table), at_(at) {}
      const Target& operator*() const { return table_->at(at_); }
      Iterator& operator++() {
        ++at_;
        return *this;
      }
      Iterator operator++(int) { return {table_, at_++}; }
      bool operator==(const Iterator&) const = default;

     private:
      const TargetTable* table_ = nullptr;
      size_t at_ = 0;
    };

    explicit Range(const TargetTable& table) : table_(&table) {}
    size_t size() const { return table_->entries_.size(); }
    bool empty() const { return size() == 0; }
    const Target& operator[](size_t i) const { return table_->at(i); }
    const Target& front() const { return table_->at(0); }
    Iterator begin() const { return {table_, 0}; }
    Iterator end() const { return {table_, size()}; }

   private:
    const TargetTable* table_;
  };

  // Fails if there is one of that name.
  Result<void> add(Target target);
  // Adds the target that a file describes. It can be found by its file, too, and replaces a built-in
  // target of its name.
  Result<void> add(Target target, std::string file);
  // The target of this name or file; null if there is none.
  const Target* find(std::string_view name_or_file) const;
  Range all() const { return Range(*this); }
  std::vector<std::string_view> names() const;
  // All that `find` knows: names, and files.
  std::vector<std::string> words() const;

 private:
  class Entry;
  const Target& at(size_t i) const;

  // Shared by copies of the table, since a target does not change.
  std::vector<std::shared_ptr<const Entry>> entries_;
  std::vector<std::string> files_;  // of each; empty: none
};

// The instructions of the complete targets of a table, for text that names them. The table must stay.
class TargetInstructionSets final : public InstructionSets {
 public:
  explicit TargetInstructionSets(const TargetTable& table) : table_(table) {}
  std::shared_ptr<const InstructionSet> find(std::string_view name) const override;

 private:
  const TargetTable& table_;
};

// Is it written like a file rather than the name of a target? It has a '/', ends in '.target' or is '-'.
bool is_target_file(std::string_view name_or_file);

// Those of the built-in table.
TargetTable::Range targets();
const Target* find_target(std::string_view name);
// The description of a built-in target, as it was written; empty if there is none of this name.
std::string_view builtin_target_text(std::string_view name);

// Reads a description.
Result<Target> parse_target(std::string_view text);
// A description with comments, which parses to the same target.
std::string print(const Target& target);

}  // namespace psi
