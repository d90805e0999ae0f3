// The names of a description: one namespace for registers, classes, immediates and modes, one for scheduling
// classes.
#include <fmt/format.h>

#include <algorithm>

#include "psi/support/suggestion.h"
#include "target/complete/reader.h"

namespace psi::target {
namespace {

// `r12`: its letters, and its number.
std::optional<std::pair<std::string_view, uint32_t>> numbered(std::string_view name) {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  std::optional<int64_t> number = number_in(name.substr(digits));
  if (!number || digits == 0 || *number > 65536) return std::nullopt;
  return std::pair(name.substr(0, digits), static_cast<uint32_t>(*number));
}

}  // namespace

bool DescriptionReader::declare(const Piece& name, OperandKind kind) {
  if (name.text.empty()) return false;
  auto [at, is_new] = kinds_.emplace(name.text, kind);
  if (is_new && !registers_.contains(std::string(name.text))) {
    places_.emplace(name.text, name.where);
    return true;
  }
  fail(name.where, fmt::format("'{}' is declared twice", name.text));
  if (auto first = places_.find(std::string(name.text)); first != places_.end()) {
    problems_.note(first->second, "first here");
  }
  return false;
}

OperandKind DescriptionReader::kind_named(const Piece& name) {
  std::string text(name.text);
  if (auto found = kinds_.find(text); found != kinds_.end()) return found->second;
  if (auto found = registers_.find(text); found != registers_.end()) {
    return {OperandKind::Kind::Class, class_of_register(found->second, text)};
  }
  std::vector<std::string_view> known;
  for (const auto& [word, kind] : kinds_) known.push_back(word);
  for (const auto& [word, index] : registers_) known.push_back(word);
  std::ranges::sort(known);
  fail(name.where, fmt::format("'{}' is no register class, immediate, mode or register{}", name.text,
                               suggestion(name.text, known)));
  return {};
}

uint32_t DescriptionReader::class_of_register(uint32_t index, std::string_view name) {
  std::vector<MachineRegisterClass>& classes = description_->classes;
  for (uint32_t i = 0; i < classes.size(); ++i) {
    if (classes[i].kind == MachineRegisterClass::Kind::Single && classes[i].registers.front() == index)
      return i;
  }
  MachineRegisterClass made;
  made.name = name;
  made.kind = MachineRegisterClass::Kind::Single;
  made.types = description_->registers[index].types;
  made.registers = {index};
  for (Type type : made.types) made.bits = std::max(made.bits, width(type));
  classes.push_back(std::move(made));
  return static_cast<uint32_t>(classes.size() - 1);
}

uint32_t DescriptionReader::take_register(Cursor& cursor) {
  Piece name = cursor.take_name("a register");
  if (name.text.empty()) return kNone;
  if (auto found = registers_.find(std::string(name.text)); found != registers_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& [word, index] : registers_) known.push_back(word);
  std::ranges::sort(known);
  fail(name.where, fmt::format("there is no register '{}'{}", name.text, suggestion(name.text, known)));
  return kNone;
}

bool DescriptionReader::add_registers(const Piece& word, std::vector<uint32_t>& registers) {
  std::string text(word.text);
  if (size_t dots = text.find(".."); dots != std::string::npos) {
    auto first = numbered(std::string_view(text).substr(0, dots));
    auto last = numbered(std::string_view(text).substr(dots + 2));
    if (!first || !last || first->first != last->first || first->second > last->second) {
      fail(word.where, fmt::format("'{}' is no range of registers, as in 'r0..r7'", text));
      return false;
    }
    bool is_any = false;
    for (uint32_t i = first->second; i <= last->second; ++i) {
      auto found = registers_.find(fmt::format("{}{}", first->first, i));
      // Pairs have even numbers alone.
      if (found == registers_.end()) continue;
      is_any = true;
      registers.push_back(found->second);
    }
    if (!is_any || !registers_.contains(text.substr(0, dots)) ||
        !registers_.contains(text.substr(dots + 2))) {
      fail(word.where, fmt::format("'{}' names registers that do not exist", text));
    }
    return is_any;
  }
  if (auto found = registers_.find(text); found != registers_.end()) {
    registers.push_back(found->second);
    return true;
  }
  if (auto found = kinds_.find(text);
      found != kinds_.end() && found->second.kind == OperandKind::Kind::Class) {
    const std::vector<uint32_t>& members = description_->classes[found->second.index].registers;
    registers.insert(registers.end(), members.begin(), members.end());
    return true;
  }
  std::vector<std::string_view> known;
  for (const auto& [name, index] : registers_) known.push_back(name);
  for (const auto& [name, kind] : kinds_) {
    if (kind.kind == OperandKind::Kind::Class) known.push_back(name);
  }
  std::ranges::sort(known);
  fail(word.where, fmt::format("there is no register or class '{}'{}", text, suggestion(text, known)));
  return false;
}

std::vector<uint32_t> DescriptionReader::take_registers(Cursor& cursor) {
  std::vector<uint32_t> registers;
  if (cursor.at_end()) cursor.fail("expected registers");
  while (!cursor.at_end()) add_registers(cursor.take_word(), registers);
  return registers;
}

uint32_t DescriptionReader::scheduling_class_named(const Piece& name) {
  if (auto found = scheduling_classes_.find(std::string(name.text)); found != scheduling_classes_.end()) {
    return found->second;
  }
  std::vector<std::string_view> known;
  for (const SchedulingClass& one : description_->scheduling_classes) known.push_back(one.name);
  fail(name.where, fmt::format("there is no class '{}'{}", name.text, suggestion(name.text, known)));
  return kNone;
}

ClassSet DescriptionReader::take_classes(Cursor& cursor, std::initializer_list<std::string_view> stops) {
  ClassSet set;
  size_t words = 0;
  while (!cursor.at_end() && !cursor.at_string() && !cursor.at_number()) {
    if (std::ranges::any_of(stops, [&](std::string_view stop) {
          std::string_view rest = cursor.rest();
          return rest.starts_with(stop) && (rest.size() == stop.size() || rest[stop.size()] == ' ');
        })) {
      break;
    }
    uint32_t index = scheduling_class_named(cursor.take_word());
    ++words;
    if (index != kNone) set.push_back(index);
  }
  if (words == 0) cursor.fail("expected classes");
  std::ranges::sort(set);
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

std::vector<Type> DescriptionReader::take_types(Cursor& cursor) {
  std::vector<Type> types;
  while (!cursor.at_end()) {
    std::string_view rest = cursor.rest();
    std::optional<Type> type =
        type_from_name(rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size())));
    if (!type) break;
    types.push_back(*type);
    cursor.take_word();
  }
  if (types.empty()) {
    cursor.fail("expected a type (i1 i8 i16 i32 i64 f32 f64 ptr)");
    types.push_back(pointer_type());  // so that what uses it is read
  }
  return types;
}

bool DescriptionReader::choose_word(Cursor& cursor, std::string_view yes, std::string_view no) {
  Piece word = cursor.take_word();
  if (word.text == yes) return true;
  if (word.text != no) fail(word.where, fmt::format("expected '{}' or '{}', found '{}'", yes, no, word.text));
  return false;
}

}  // namespace psi::target
