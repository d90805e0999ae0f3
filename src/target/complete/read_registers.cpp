// Section `registers`.
#include <fmt/format.h>

#include <algorithm>

#include "target/complete/reader.h"

namespace psi::target {
namespace {

constexpr int64_t kMostOfAFile = 4096;

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

}  // namespace

void DescriptionReader::read_registers() {
  constexpr std::array<std::string_view, 8> kKeys = {"file", "pairs", "register", "set",
                                                     "name", "wired", "reserved", "rotating"};
  report_unknown_keys("registers", kKeys);
  each_key("registers", "file", [&](Cursor& cursor) { read_file(cursor); });
  each_key("registers", "register", [&](Cursor& cursor) { read_register(cursor); });
  each_key("registers", "pairs", [&](Cursor& cursor) { read_pairs(cursor); });
  each_key("registers", "name", [&](Cursor& cursor) { read_name(cursor); });
  each_key("registers", "set", [&](Cursor& cursor) { read_set(cursor); });
  each_key("registers", "wired", [&](Cursor& cursor) { read_wired(cursor); });
  each_key("registers", "reserved", [&](Cursor& cursor) {
    for (uint32_t index : take_registers(cursor)) description_->registers[index].reserved = true;
  });
  each_key("registers", "rotating", [&](Cursor& cursor) {
    for (uint32_t index : take_registers(cursor)) description_->registers[index].rotating = true;
  });
  if (description_->classes.empty() && problems_.num_errors() == 0) {
    fail(section("registers").heading.where(), "the machine has no registers: give it a 'file'");
  }
}

uint32_t DescriptionReader::add_register(MachineRegister reg, Location where) {
  uint32_t index = static_cast<uint32_t>(description_->registers.size());
  if (!registers_.emplace(reg.name, index).second || kinds_.contains(reg.name)) {
    fail(where, fmt::format("'{}' is declared twice", reg.name));
  }
  description_->registers.push_back(std::move(reg));
  return index;
}

// file NAME COUNT TYPES ["SPELLING"]
void DescriptionReader::read_file(Cursor& cursor) {
  Piece name = cursor.take_name("the name of a file of registers");
  std::optional<int64_t> count = cursor.take_number(1, kMostOfAFile, "a number of registers");
  if (!count) return;
  MachineRegisterClass made;
  made.name = name.text;
  made.types = take_types(cursor);
  std::string spelling = made.name + "{}";
  if (cursor.at_string()) spelling = cursor.take_string("the spelling").value_or("");
  cursor.expect_end();
  for (Type type : made.types) made.bits = std::max(made.bits, width(type));
  for (int64_t i = 0; i < *count; ++i) {
    MachineRegister reg;
    reg.name = fmt::format("{}{}", name.text, i);
    reg.spelling = replace_all(spelling, "{}", fmt::format("{}", i));
    reg.first_unit = description_->num_units++;
    reg.types = made.types;
    made.registers.push_back(add_register(std::move(reg), name.where));
  }
  if (!declare(name, {OperandKind::Kind::Class, static_cast<uint32_t>(description_->classes.size())})) return;
  description_->classes.push_back(std::move(made));
}

// register NAME TYPES ["SPELLING"]
void DescriptionReader::read_register(Cursor& cursor) {
  Piece name = cursor.take_name("the name of a register");
  MachineRegister reg;
  reg.name = reg.spelling = name.text;
  reg.types = take_types(cursor);
  if (cursor.at_string()) reg.spelling = cursor.take_string("the spelling").value_or("");
  cursor.expect_end();
  reg.first_unit = description_->num_units++;
  uint32_t index = add_register(std::move(reg), name.where);
  class_of_register(index, name.text);
}

// pairs NAME of FILE TYPES ["SPELLING"]
void DescriptionReader::read_pairs(Cursor& cursor) {
  Piece name = cursor.take_name("the name of the pairs");
  if (!cursor.accept_word("of")) return cursor.fail("expected 'of' and a file");
  Piece of = cursor.take_name("a file of registers");
  MachineRegisterClass made;
  made.name = name.text;
  made.kind = MachineRegisterClass::Kind::Pairs;
  made.types = take_types(cursor);
  std::string spelling = made.name + "{0}";
  if (cursor.at_string()) spelling = cursor.take_string("the spelling").value_or("");
  cursor.expect_end();
  auto found = kinds_.find(std::string(of.text));
  if (found == kinds_.end() || found->second.kind != OperandKind::Kind::Class) {
    return fail(of.where, fmt::format("there is no file '{}'", of.text));
  }
  made.halves = found->second.index;
  for (Type type : made.types) {
    made.bits = std::max(made.bits, width(type));
    if (width(type) == 2 * description_->classes[made.halves].bits) continue;
    fail(name.where, fmt::format("a pair of '{}' holds {} bits, but {} has {}", of.text,
                                 2 * description_->classes[made.halves].bits, type_name(type), width(type)));
  }
  std::vector<uint32_t> halves = description_->classes[made.halves].registers;
  for (size_t pair = 0; pair < halves.size() / 2; ++pair) {
    size_t i = 2 * pair;
    MachineRegister reg;
    reg.name = fmt::format("{}{}", name.text, i);
    reg.spelling =
        replace_all(replace_all(spelling, "{0}", fmt::format("{}", i)), "{1}", fmt::format("{}", i + 1));
    reg.first_unit = description_->registers[halves[i]].first_unit;
    reg.num_units = 2;
    reg.types = made.types;
    made.registers.push_back(add_register(std::move(reg), name.where));
  }
  if (!declare(name, {OperandKind::Kind::Class, static_cast<uint32_t>(description_->classes.size())})) return;
  description_->classes.push_back(std::move(made));
}

// name SECOND REGISTER
void DescriptionReader::read_name(Cursor& cursor) {
  Piece name = cursor.take_name("a second name of a register");
  uint32_t index = take_register(cursor);
  cursor.expect_end();
  if (index == kNone || name.text.empty()) return;
  if (!registers_.emplace(name.text, index).second || kinds_.contains(std::string(name.text))) {
    return fail(name.where, fmt::format("'{}' is declared twice", name.text));
  }
  description_->register_names.emplace_back(name.text, index);
}

// set NAME REGISTERS
void DescriptionReader::read_set(Cursor& cursor) {
  Piece name = cursor.take_name("the name of a set");
  MachineRegisterClass made;
  made.name = name.text;
  made.kind = MachineRegisterClass::Kind::Set;
  made.registers = take_registers(cursor);
  if (made.registers.empty()) return;
  made.types = description_->registers[made.registers.front()].types;
  for (uint32_t index : made.registers) {
    std::erase_if(made.types, [&](Type type) {
      const std::vector<Type>& held = description_->registers[index].types;
      return std::ranges::find(held, type) == held.end();
    });
  }
  if (made.types.empty()) return fail(name.where, fmt::format("no type is held by all of '{}'", name.text));
  for (Type type : made.types) made.bits = std::max(made.bits, width(type));
  if (!declare(name, {OperandKind::Kind::Class, static_cast<uint32_t>(description_->classes.size())})) return;
  description_->classes.push_back(std::move(made));
}

// wired REGISTER LITERAL
void DescriptionReader::read_wired(Cursor& cursor) {
  uint32_t index = take_register(cursor);
  if (cursor.at_end()) return cursor.fail("expected the literal that it reads as");
  Piece literal = cursor.take_word();
  cursor.expect_end();
  if (index == kNone) return;
  MachineRegister& reg = description_->registers[index];
  reg.wired = parse_literal(literal.text, reg.types.front());
  if (reg.wired) return;
  fail(literal.where,
       fmt::format("'{}' is no literal of type {}", literal.text, type_name(reg.types.front())));
}

}  // namespace psi::target
