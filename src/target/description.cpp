#include "target/description.h"

namespace psi::target {
namespace {

constexpr uint32_t kMostUnits = 64, kMostCycles = 1000;

constexpr std::array<std::string_view, kNumUnits> kUnitMeanings = {
    "integer, move, compare, select", "multiply, divide", "load, store", "branch, call",
    "float, float-divide, compare of floats"};

constexpr std::array<std::string_view, kNumOpGroups> kGroupMeanings = {
    "arithmetic, logic, conversions, addresses",
    "mov, freeze",
    "mul",
    "sdiv, udiv, srem, urem",
    "cmp, cmpp",
    "select, conditional move",
    "from the first cache",
    "to a load of the same address",
    "arithmetic and conversions",
    "fdiv, frem, sqrt",
    "br, switch, ret",
    "there and back; also of routines for what there is no instruction for"};

constexpr std::array<std::string_view, kNumRegisterKinds> kRegisterMeanings = {
    "integers and pointers", "guards; with none they are kept elsewhere", "floating-point numbers"};

Key number_key(Section section, std::string_view name, std::string_view meaning,
               uint32_t& (*number)(Target&, size_t), uint32_t min, uint32_t max) {
  return {.section = section,
          .name = name,
          .value = ValueKind::Number,
          .is_required = true,
          .meaning = meaning,
          .number = number,
          .min = min,
          .max = max,
          .yes = {},
          .no = {}};
}

Key flag_key(Section section, std::string_view name, std::string_view meaning, bool& (*flag)(Target&),
             std::string_view yes = "yes", std::string_view no = "no") {
  return {.section = section,
          .name = name,
          .value = ValueKind::Flag,
          .is_required = false,
          .meaning = meaning,
          .flag = flag,
          .yes = yes,
          .no = no};
}

Key key(Section section, std::string_view name, ValueKind value, bool is_required, std::string_view meaning,
        size_t index = 0) {
  return {.section = section,
          .name = name,
          .value = value,
          .is_required = is_required,
          .meaning = meaning,
          .index = index,
          .yes = {},
          .no = {}};
}

// Every target has these, so their latencies are required. The others default to that of integer
// instructions.
bool is_latency_required(OpGroup group) {
  return group != OpGroup::Move && group != OpGroup::Compare && group != OpGroup::Select;
}

bool may_be_missing(OpGroup group) {
  return group == OpGroup::Multiply || group == OpGroup::Divide || group == OpGroup::Float ||
         group == OpGroup::FloatDivide;
}

bool takes_immediate(OpGroup group) {
  switch (group) {
    case OpGroup::Integer:
    case OpGroup::Move:
    case OpGroup::Multiply:
    case OpGroup::Compare:
    case OpGroup::Select:
    case OpGroup::Store:
      return true;
    default:
      return false;
  }
}

std::vector<Key> make_keys() {
  std::vector<Key> all = {
      key(Section::Top, "machine", ValueKind::Name, true, {}),
      key(Section::Top, "summary", ValueKind::Text, true, {}),
      key(Section::Predication, "guards", ValueKind::Guards, true, "what can be guarded"),
      key(Section::Predication, "redirected", ValueKind::Redirected, false,
          "do no harm where a guard is false, with another operand"),
      flag_key(Section::Predication, "select", "is there a select, or a conditional move?",
               [](Target& t) -> bool& { return t.has_select; }),
      key(Section::Predication, "cmpp", ValueKind::Actions, false, "actions of compares to predicates"),
      flag_key(
          Section::Predication, "complement", "what it takes to read a guard complemented",
          [](Target& t) -> bool& { return t.free_complement; }, "free", "register"),
      flag_key(
          Section::Issue, "order", "does what waits let others pass?",
          [](Target& t) -> bool& { return t.out_of_order; }, "out", "in"),
      number_key(
          Section::Issue, "width", "instructions that can start in a cycle, and among them of",
          [](Target& t, size_t) -> uint32_t& { return t.issue_width; }, 1, kMostUnits)};

  for (size_t i = 0; i < kNumUnits; ++i) {
    Unit unit = static_cast<Unit>(i);
    all.push_back(number_key(
        Section::Issue, unit_name(unit), kUnitMeanings[i],
        [](Target& t, size_t index) -> uint32_t& { return t.units[index]; }, 1, kMostUnits));
    all.back().index = i;
    all.back().may_be_none = unit == Unit::Multiply || unit == Unit::Float;
  }
  for (size_t i = 0; i < kNumOpGroups; ++i) {
    OpGroup group = static_cast<OpGroup>(i);
    all.push_back(number_key(
        Section::Latency, group_name(group), kGroupMeanings[i],
        [](Target& t, size_t index) -> uint32_t& { return t.latencies[index]; }, 1, kMostCycles));
    all.back().index = i;
    all.back().is_required = is_latency_required(group);
    all.back().may_be_none = may_be_missing(group);
  }
  all.push_back(number_key(
      Section::Branch, "taken", "cycles lost by a branch that is taken, predicted",
      [](Target& t, size_t) -> uint32_t& { return t.branch_cost; }, 0, kMostCycles));
  all.push_back(number_key(
      Section::Branch, "mispredicted", "cycles lost by one that is mispredicted",
      [](Target& t, size_t) -> uint32_t& { return t.misprediction; }, 0, kMostCycles));
  for (size_t i = 0; i < kNumRegisterKinds; ++i) {
    RegisterKind kind = static_cast<RegisterKind>(i);
    all.push_back(key(Section::Registers, register_kind_name(kind), ValueKind::Registers,
                      kind == RegisterKind::General, kRegisterMeanings[i], i));
  }
  for (size_t i = 0; i < kNumOpGroups; ++i) {
    OpGroup group = static_cast<OpGroup>(i);
    if (!takes_immediate(group)) continue;
    all.push_back(key(Section::Immediate, group_name(group), ValueKind::Literals, false,
                      "literals that such instructions take", i));
  }
  all.push_back(key(Section::Address, "offset", ValueKind::Offset, false, "literals added to the base"));
  all.push_back(
      key(Section::Address, "index", ValueKind::Scales, false, "scales of a register that is added"));
  all.push_back(flag_key(Section::Address, "index-offset", "an index and an offset at once",
                         [](Target& t) -> bool& { return t.addressing.index_with_offset; }));
  all.push_back(flag_key(Section::Address, "address-of", "computed by one instruction without an access",
                         [](Target& t) -> bool& { return t.addressing.address_of; }));
  return all;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> kKeys = make_keys();
  return kKeys;
}

}  // namespace psi::target
