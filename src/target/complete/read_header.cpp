// The header of an instruction: results, name, operands, class, attributes.
#include <fmt/format.h>

#include <algorithm>

#include "ir/names.h"
#include "target/complete/reader.h"

namespace psi::target {

bool DescriptionReader::read_header(Cursor& cursor, InstructionEntry& made, Header& header) {
  header.has_question = cursor.accept('?');
  if (!read_results(cursor, header)) return false;
  size_t begin = cursor.offset();
  Piece name = cursor.take_until("");
  made.name = name.text;
  made.where = name.where;
  if (name.text.empty() || !std::ranges::all_of(name.text, is_name_char)) {
    fail(name.text.empty() ? cursor.here() : name.where,
         "the name of an instruction is made of letters, digits, '_' and '.'");
    return false;
  }
  if (name.text.ends_with(".volatile")) {
    fail(name.where, "'.volatile' is no part of a name: it marks accesses of a program");
  }
  if (!read_header_operands(cursor, header)) return false;
  made.header = cursor.line().text().substr(0, cursor.offset());
  made.header.erase(made.header.find_last_not_of(" \t") + 1);
  for (const HeaderOperand& operand : header.operands) made.operands.push_back(operand.name);
  for (const HeaderResult& result : header.results) made.results.push_back(result.name);
  (void)begin;

  if (cursor.at_end() || cursor.at_string()) {
    cursor.fail(fmt::format("expected the class of '{}'", made.name));
    return false;
  }
  made.scheduling_class = scheduling_class_named(cursor.take_until("\""));
  if (made.scheduling_class == kNone) {
    // The rest of the line is judged all the same.
    made.scheduling_class = 0;
    if (description_->scheduling_classes.empty()) return false;
  }
  made.words = description_->scheduling_classes[made.scheduling_class].words;
  read_attributes(cursor, made);
  return true;
}

// { %d:CLASS | %d:%c | ... } =
bool DescriptionReader::read_results(Cursor& cursor, Header& header) {
  bool has_any =
      cursor.peek() == '%' || (cursor.starts_with("...") && cursor.rest().find('=') != std::string::npos);
  if (!has_any) return true;
  do {
    if (cursor.starts_with("...")) {
      cursor.move_to(cursor.offset() + 3);
      header.variable_result = true;
      break;
    }
    std::optional<Piece> name = cursor.take_reg();
    if (!name) return false;
    HeaderResult result;
    result.name = name->text;
    result.where = name->where;
    if (!cursor.accept(':')) {
      cursor.fail(fmt::format("expected ':' and the class of %{}", result.name));
      return false;
    }
    if (cursor.peek() == '%') {
      std::optional<Piece> tied = cursor.take_reg();
      if (!tied) return false;
      result.tied = tied->text;
    } else {
      Piece word = cursor.take_until(",=");
      OperandKind kind = kind_named(word);
      if (kind.kind == OperandKind::Kind::Class) {
        result.register_class = kind.index;
      } else if (kind.kind != OperandKind::Kind::None) {
        fail(word.where, fmt::format("a result is in a register, and '{}' is none", word.text));
      }
    }
    for (const HeaderResult& other : header.results) {
      if (other.name == result.name) fail(result.where, fmt::format("%{} is named twice", result.name));
    }
    header.results.push_back(std::move(result));
  } while (cursor.accept(','));
  if (cursor.accept('=')) return true;
  cursor.fail("expected '=' behind the results");
  return false;
}

// { %a:KINDS | @t[:KIND] | ... }
bool DescriptionReader::read_header_operands(Cursor& cursor, Header& header) {
  while (cursor.peek() == '%' || cursor.peek() == '@' || cursor.starts_with("...")) {
    if (cursor.starts_with("...")) {
      cursor.move_to(cursor.offset() + 3);
      header.variable_operands = true;
      if (cursor.accept(',')) {
        cursor.fail("'...' is the last operand");
        return false;
      }
      return true;
    }
    HeaderOperand operand;
    if (cursor.peek() == '@') {
      size_t begin = cursor.offset();
      Piece word = cursor.take_until(":,");
      operand.name = word.text.substr(1);
      operand.where = word.where;
      operand.is_block = true;
      if (operand.name.empty() || !std::ranges::all_of(operand.name, is_name_char)) {
        fail(cursor.line().where(begin, 1), "'@' without a name");
        return false;
      }
      if (cursor.accept(':') && !read_kinds(cursor, operand)) return false;
      if (operand.kinds.empty()) operand.kinds = operand.guarded = {OperandKind{}};
    } else {
      std::optional<Piece> name = cursor.take_reg();
      if (!name) return false;
      operand.name = name->text;
      operand.where = name->where;
      if (!cursor.accept(':')) {
        cursor.fail(fmt::format("expected ':' and the kind of %{}", operand.name));
        return false;
      }
      if (!read_kinds(cursor, operand)) return false;
    }
    for (const HeaderOperand& other : header.operands) {
      if (other.name == operand.name) fail(operand.where, fmt::format("'{}' is named twice", operand.name));
    }
    header.operands.push_back(std::move(operand));
    if (!cursor.accept(',')) return true;
  }
  return true;
}

// KIND[.new][/KIND|/-] { | ... }
bool DescriptionReader::read_kinds(Cursor& cursor, HeaderOperand& operand) {
  size_t begin = cursor.offset();
  Piece all = cursor.take_until(",");
  if (all.text.empty()) {
    cursor.fail("expected a class, immediate or mode");
    return false;
  }
  std::string_view rest = all.text;
  size_t at = begin;
  bool is_good = true;
  while (true) {
    size_t end = std::min(rest.find('|'), rest.size());
    std::string_view alternative = rest.substr(0, end);
    std::string_view plain = alternative.substr(0, alternative.find('/'));
    auto named = [&](std::string_view word, size_t from) {
      Piece piece{word, cursor.line().where(from, word.size())};
      bool forwarded = word.ends_with(".new") && !kinds_.contains(std::string(word));
      if (forwarded) piece.text.remove_suffix(4);
      OperandKind kind = kind_named(piece);
      kind.forwarded = forwarded;
      is_good &= kind.kind != OperandKind::Kind::None;
      return kind;
    };
    OperandKind kind = named(plain, at), guarded = kind;
    if (plain.size() < alternative.size()) {
      std::string_view word = alternative.substr(plain.size() + 1);
      guarded = word == "-" ? OperandKind{} : named(word, at + plain.size() + 1);
    }
    if (is_mode_list(kind)) {
      operand.is_list_of_modes = true;
      for (uint32_t mode : description_->mode_lists[kind.index - kFirstModeList].modes) {
        operand.kinds.push_back({OperandKind::Kind::Mode, mode, false});
        operand.guarded.push_back(operand.kinds.back());
      }
    } else {
      operand.kinds.push_back(kind);
      operand.guarded.push_back(guarded);
    }
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
    at += end + 1;
  }
  return is_good;
}

void DescriptionReader::read_attributes(Cursor& cursor, InstructionEntry& made) {
  while (!cursor.at_end() && !cursor.at_string()) {
    auto number = [&](uint32_t& value, std::string_view what) {
      if (auto given = cursor.take_number(0, 1000, what)) value = static_cast<uint32_t>(*given);
    };
    if (cursor.accept_word("by-name")) {
      made.by_name = true;
    } else if (cursor.accept_word("unguarded")) {
      made.unguarded = true;
    } else if (cursor.accept_word("dismissible")) {
      made.dismissible = true;
    } else if (cursor.accept_word("suffix")) {
      made.suffix = true;
    } else if (cursor.accept_word("opaque")) {
      made.opaque = true;
    } else if (cursor.accept_word("words")) {
      number(made.words, "a number of words");
    } else if (cursor.accept_word("cost")) {
      number(made.cost, "a cost");
    } else if (cursor.accept_word("rotates")) {
      made.rotates = cursor.take_reg().value_or(Piece{}).text;
    } else {
      Piece word = cursor.take_until("\"");
      fail(word.where,
           fmt::format("'{}' is no attribute (by-name, unguarded, dismissible, suffix, opaque, rotates "
                       "%NAME, words N, cost N)",
                       word.text));
    }
  }
  auto texts = [&](Cursor& from) {
    if (auto text = from.take_string("the assembly text")) made.text = made.guarded_text = std::move(*text);
    if (from.accept('/')) {
      if (auto text = from.take_string("the text under a guard")) made.guarded_text = std::move(*text);
    }
    from.expect_end();
  };
  if (cursor.at_string()) texts(cursor);
}

}  // namespace psi::target
