// A target as a commented description:
//
//   [predication]
//   guards         load store      # what can be guarded
//   select         yes             # is there a select, or a conditional move?
#include <fmt/format.h>

#include <limits>

#include "target/description.h"

namespace psi {
namespace {

using target::Key;
using target::Section;
using target::ValueKind;

std::string range_text(const LiteralRange& range) {
  using Limits = std::numeric_limits<int64_t>;
  if (range.min == Limits::min() && range.max == Limits::max()) return "any";
  return fmt::format("{}..{}", range.min, range.max);
}

// Groups that are guarded completely, and single opcodes for the rest.
std::string guards_text(const Target& target) {
  std::array<bool, kNumOpGroups> whole;
  whole.fill(true);
  bool all = true;
  for (size_t i = 0; i < kNumOpcodes; ++i) {
    std::optional<OpGroup> group = group_of(static_cast<Opcode>(i));
    if (!group || target.guarded[i]) continue;
    whole[static_cast<size_t>(*group)] = all = false;
  }
  if (all) return "all";
  std::vector<std::string_view> words;
  for (size_t i = 0; i < kNumOpGroups; ++i) {
    if (whole[i]) words.push_back(group_name(static_cast<OpGroup>(i)));
  }
  for (size_t i = 0; i < kNumOpcodes; ++i) {
    std::optional<OpGroup> group = group_of(static_cast<Opcode>(i));
    if (group && target.guarded[i] && !whole[static_cast<size_t>(*group)]) {
      words.push_back(info(static_cast<Opcode>(i)).name);
    }
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

std::string redirected_text(const Target& target) {
  std::vector<std::string_view> words;
  for (Opcode op : {Opcode::Load, Opcode::Store, Opcode::Sdiv}) {
    if (target.redirected[static_cast<size_t>(op)]) words.push_back(group_name(*group_of(op)));
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

std::string actions_text(const Target& target) {
  if (target.actions.all()) return "all";
  std::vector<std::string_view> words;
  for (size_t i = 0; i < target.actions.size(); ++i) {
    if (target.actions[i]) words.push_back(action_name(static_cast<Action>(i)));
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

std::string scales_text(const AddressingModes& addressing) {
  if (!addressing.index) return "none";
  if (addressing.any_scale) return "any";
  std::vector<std::string> words;
  for (int bit = 0; bit < 64; ++bit) {
    uint64_t scale = uint64_t{1} << bit;
    if (addressing.scales & scale) words.push_back(fmt::format("{}", scale));
  }
  if (addressing.scale_by_size) words.emplace_back("size");
  return fmt::format("{}", fmt::join(words, " "));
}

// The values after the key, one for each line.
std::vector<std::string> values(const Key& key, Target& target) {
  switch (key.value) {
    case ValueKind::Name:
      return {target.name};
    case ValueKind::Text:
      return {target.summary};
    case ValueKind::Number: {
      uint32_t number = key.number(target, key.index);
      return {key.may_be_none && number == 0 ? "none" : fmt::format("{}", number)};
    }
    case ValueKind::Flag:
      return {std::string(key.flag(target) ? key.yes : key.no)};
    case ValueKind::Guards:
      return {guards_text(target)};
    case ValueKind::Redirected:
      return {redirected_text(target)};
    case ValueKind::Actions:
      return {actions_text(target)};
    case ValueKind::Registers: {
      const RegisterClass& registers = target.registers[key.index];
      return {registers.count == 0 ? "none" : fmt::format("{} {}", registers.count, registers.prefix)};
    }
    case ValueKind::Literals: {
      const std::optional<LiteralRange>& range = target.immediates[key.index];
      return {range ? range_text(*range) : "none"};
    }
    case ValueKind::Offset: {
      std::vector<std::string> all;
      for (const OffsetRange& offset : target.addressing.offsets) {
        all.push_back(range_text(offset.range) + (offset.scaled ? " scaled" : "") +
                      (offset.extended ? " extended" : ""));
      }
      if (all.empty()) all.emplace_back("none");
      return all;
    }
    case ValueKind::Scales:
      return {scales_text(target.addressing)};
  }
  return {};
}

}  // namespace

std::string print(const Target& target) {
  Target copy = target;  // the keys need writable members
  std::string out;
  Section section = Section::Top;
  for (const Key& key : target::keys()) {
    if (key.section != section) {
      section = key.section;
      out += fmt::format("\n[{}]\n", target::kSectionNames[static_cast<size_t>(section)]);
    }
    for (const std::string& value : values(key, copy)) {
      out += key.meaning.empty() ? fmt::format("{:<12} {}\n", key.name, value)
                                 : fmt::format("{:<12} {:<12} # {}\n", key.name, value, key.meaning);
    }
  }
  return out;
}

}  // namespace psi
