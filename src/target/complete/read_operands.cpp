// Sections `guards` and `operands`.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "psi/support/suggestion.h"
#include "target/complete/reader.h"

namespace psi::target {
namespace {

constexpr int64_t kMostExtraWords = 16;

// `s11`, `u6`, `-8..7`, `i32`.
bool literal_range(std::string_view text, ImmediatePiece& piece) {
  using Limits = std::numeric_limits<int64_t>;
  if (std::optional<Type> type = type_from_name(text); type && is_int(*type)) {
    unsigned bits = bit_width(*type);
    piece.min = bits == 64 ? Limits::min() : -(int64_t{1} << (bits - 1));
    piece.max = bits == 64 ? Limits::max() : (int64_t{1} << bits) - 1;
    return true;
  }
  if (size_t dots = text.find(".."); dots != std::string_view::npos) {
    std::optional<int64_t> min = number_in(text.substr(0, dots)), max = number_in(text.substr(dots + 2));
    if (!min || !max || *min > *max) return false;
    piece.min = *min;
    piece.max = *max;
    return true;
  }
  if (text.empty() || (text[0] != 's' && text[0] != 'u')) return false;
  std::optional<int64_t> bits = number_in(text.substr(1));
  if (!bits || *bits < 1 || *bits > 63) return false;
  piece.min = text[0] == 's' ? -(int64_t{1} << (*bits - 1)) : 0;
  piece.max =
      text[0] == 's' ? (int64_t{1} << (*bits - 1)) - 1 : static_cast<int64_t>((uint64_t{1} << *bits) - 1);
  return true;
}

}  // namespace

void DescriptionReader::read_guards() {
  constexpr std::array<std::string_view, 5> kKeys = {"registers", "senses", "all", "true", "false"};
  report_unknown_keys("guards", kKeys);
  GuardRules& guards = description_->guards;
  single_key("guards", "registers", [&](Cursor& cursor) {
    Piece name = cursor.take_name("a register class");
    if (name.text.empty()) return;
    OperandKind kind = kind_named(name);
    if (kind.kind == OperandKind::Kind::None) return;
    if (kind.kind != OperandKind::Kind::Class || !description_->classes[kind.index].holds(Type::i1)) {
      return fail(name.where, fmt::format("'{}' holds no i1, so it cannot guard", name.text));
    }
    guards.register_class = kind.index;
  });
  single_key("guards", "senses", [&](Cursor& cursor) {
    guards.has_true = guards.has_false = false;
    while (!cursor.at_end()) {
      Piece word = cursor.take_word();
      if (word.text == "true") {
        guards.has_true = true;
      } else if (word.text == "false") {
        guards.has_false = true;
      } else {
        fail(word.where, fmt::format("expected 'true' or 'false', found '{}'", word.text));
      }
    }
    if (!guards.has_true) fail(cursor.line().where(), "a guard has at least the sense 'true'");
  });
  single_key("guards", "all", [&](Cursor& cursor) { guards.all = choose_word(cursor, "yes", "no"); });
  auto text = [&](std::string_view key, std::string& value) {
    single_key("guards", key, [&](Cursor& cursor) { value = cursor.take_string("a text").value_or(""); });
  };
  text("true", guards.true_text);
  text("false", guards.false_text);
  if (!section("guards").entries.empty() && guards.register_class == kNone && problems_.num_errors() == 0) {
    fail(section("guards").heading.where(), "the key 'registers' of section 'guards' is missing");
  }
}

void DescriptionReader::read_operands() {
  constexpr std::array<std::string_view, 3> kKeys = {"immediate", "mode", "modes"};
  report_unknown_keys("operands", kKeys);
  each_key("operands", "immediate", [&](Cursor& cursor) { read_immediate(cursor); });
  for (const Entry& entry : section("operands").entries) {
    if (entry.head.text().starts_with("mode ")) declare_mode(entry);
  }
  each_key("operands", "modes", [&](Cursor& cursor) { read_mode_list(cursor); });
  uint32_t index = 0;
  for (const Entry& entry : section("operands").entries) {
    if (entry.head.text().starts_with("mode ") && index < description_->modes.size())
      read_mode(entry, index++);
  }
}

// immediate NAME RANGE ["TEXT"] [words N] {or RANGE ["TEXT"] [words N]}
void DescriptionReader::read_immediate(Cursor& cursor) {
  Piece name = cursor.take_name("the name of an immediate");
  Immediate made;
  made.name = name.text;
  made.where = name.where;
  bool is_good = true;
  do {
    ImmediatePiece piece;
    if (cursor.at_end()) return cursor.fail("expected a range, as in 's8', 'u5', '-8..7' or 'i32'");
    Piece word = cursor.take_word();
    if (word.text == "block") {
      piece.kind = ImmediatePiece::Kind::Block;
      piece.is_bounded = false;
      if (!cursor.at_end() && !cursor.at_string() && !cursor.starts_with("or ") &&
          !cursor.starts_with("words ")) {
        piece.is_bounded = true;
        is_good &= read_range(cursor.take_word(), piece);
      }
    } else if (word.text == "symbol") {
      piece.kind = ImmediatePiece::Kind::Symbol;
    } else if (word.text == "used") {
      piece.kind = ImmediatePiece::Kind::Used;
      Piece file = cursor.take_name("a file of registers");
      OperandKind kind = file.text.empty() ? OperandKind{} : kind_named(file);
      if (kind.kind == OperandKind::Kind::Class) piece.used = kind.index;
    } else {
      is_good &= read_range(word, piece);
    }
    if (cursor.at_string()) piece.text = cursor.take_string("a text").value_or("{}");
    if (cursor.accept_word("words")) {
      if (auto words = cursor.take_number(0, kMostExtraWords, "a number of words")) {
        piece.words = static_cast<uint32_t>(*words);
      }
    }
    made.pieces.push_back(std::move(piece));
  } while (cursor.accept_word("or"));
  cursor.expect_end();
  if (!is_good && made.pieces.empty()) return;
  if (!declare(name, {OperandKind::Kind::Immediate, static_cast<uint32_t>(description_->immediates.size())}))
    return;
  description_->immediates.push_back(std::move(made));
}

// A range, perhaps with `*N` or `*size`.
bool DescriptionReader::read_range(const Piece& word, ImmediatePiece& piece) {
  std::string_view range = word.text.substr(0, word.text.find('*'));
  if (!literal_range(range, piece)) {
    fail(word.where, fmt::format("'{}' is no range, as 's8', 'u5', '-8..7' or 'i32' are", range));
    return false;
  }
  if (range.size() == word.text.size()) return true;
  std::string_view multiple = word.text.substr(range.size() + 1);
  if (multiple == "size") {
    piece.by_size = true;
    return true;
  }
  std::optional<int64_t> number = number_in(multiple);
  if (!number || *number < 1 || *number > 65536) {
    fail(word.where, fmt::format("'{}' is no multiple: a number from 1 to 65536, or 'size'", multiple));
    return false;
  }
  piece.multiple = static_cast<uint64_t>(*number);
  if (__builtin_mul_overflow(piece.min, *number, &piece.min) ||
      __builtin_mul_overflow(piece.max, *number, &piece.max)) {
    fail(word.where, fmt::format("the limits of '{}' do not fit 64 bits", word.text));
    return false;
  }
  return true;
}

// Modes are declared first, so that lists find them.
void DescriptionReader::declare_mode(const Entry& entry) {
  Cursor cursor(entry.head, problems_);
  cursor.accept_word("mode");
  if (size_t equal = entry.head.text().find(" = "); equal != std::string::npos) cursor.move_to(equal + 3);
  Piece name = cursor.take_name("the name of a mode");
  AddressingMode made;
  made.name = name.text;
  made.where = name.where;
  declare(name, {OperandKind::Kind::Mode, static_cast<uint32_t>(description_->modes.size())});
  description_->modes.push_back(std::move(made));
}

// mode [%R:%PART =] NAME PARTS [unguarded] "TEXT" [tail "TEXT"]
void DescriptionReader::read_mode(const Entry& entry, uint32_t index) {
  Cursor cursor(entry.head, problems_);
  cursor.accept_word("mode");
  AddressingMode mode = std::move(description_->modes[index]);
  std::string tied;
  Location tied_where;
  if (entry.head.text().find(" = ") != std::string::npos) {
    std::optional<Piece> result = cursor.take_reg();
    if (result) mode.result = result->text;
    if (!cursor.accept(':'))
      return cursor.fail("expected ':' and the part that the result is tied to, as in '%n:%b'");
    std::optional<Piece> part = cursor.take_reg();
    if (part) tied = part->text, tied_where = part->where;
    if (!cursor.accept('=')) return cursor.fail("expected '='");
  }
  cursor.take_name("the name of a mode");
  while (cursor.peek() == '%') {
    std::optional<Piece> name = cursor.take_reg();
    if (!name) return;
    HeaderOperand operand;
    operand.name = name->text;
    operand.where = name->where;
    if (!cursor.accept(':')) return cursor.fail("expected ':' and a class or immediate");
    if (!read_kinds(cursor, operand)) return;
    if (operand.kinds.size() != 1 || operand.kinds[0].kind == OperandKind::Kind::Mode) {
      fail(operand.where,
           fmt::format("%{} of mode '{}' is one class or one immediate", operand.name, mode.name));
    } else {
      mode.parts.push_back({operand.name, operand.kinds[0], operand.guarded[0]});
    }
    if (!cursor.accept(',')) break;
  }
  mode.unguarded = cursor.accept_word("unguarded");
  std::optional<std::string> text = cursor.take_string("the text of the mode");
  if (!text) return;
  mode.text = std::move(*text);
  if (cursor.accept_word("tail")) mode.tail = cursor.take_string("the text of the tail").value_or("");
  cursor.expect_end();

  std::vector<BodyOperand> operands;
  for (uint32_t i = 0; i < mode.parts.size(); ++i) {
    const AddressingMode::Part& part = mode.parts[i];
    operands.push_back({part.name, default_type(part.kind), false});
    if (part.name == tied) mode.tied = i;
  }
  if (!mode.result.empty() && mode.tied == kNone) {
    fail(tied_where,
         fmt::format("%{} of '{}' is tied to %{}, which is no operand", mode.result, mode.name, tied));
  }
  std::string owner = mode.name;
  if (entry.body.empty()) {
    fail(mode.where, fmt::format("mode '{}' has no body, which would define %address", owner));
  } else if (std::optional<Body> body = read_meaning(entry.body, owner, mode.where, operands)) {
    Reg address = body->find("address");
    if (!address || body->function.type(address) != Type::ptr) {
      fail(mode.where, address ? fmt::format("%address of mode '{}' is {}, but must be ptr", owner,
                                             type_name(body->function.type(address)))
                               : fmt::format("the body of mode '{}' does not define %address", owner));
    }
    Reg result = mode.result.empty() ? Reg() : body->find(mode.result);
    if (!mode.result.empty() && !result) {
      fail(mode.where, fmt::format("result %{} of '{}' is not defined by its meaning", mode.result, owner));
    }
    for (size_t i = 0; i < mode.parts.size(); ++i) {
      check_types(owner, mode.parts[i].name, mode.where, body->function.type(body->operands[i]),
                  mode.parts[i].kind);
    }
    mode.meaning.results = {address, result};
    mode.meaning.operands = std::move(body->operands);
    mode.meaning.body = std::move(body->function);
  }
  description_->modes[index] = std::move(mode);
}

// modes NAME MODES
void DescriptionReader::read_mode_list(Cursor& cursor) {
  Piece name = cursor.take_name("the name of a list of modes");
  ModeList made;
  made.name = name.text;
  while (!cursor.at_end()) {
    Piece word = cursor.take_word();
    auto found = kinds_.find(std::string(word.text));
    if (found == kinds_.end() || found->second.kind != OperandKind::Kind::Mode ||
        is_mode_list(found->second)) {
      std::vector<std::string_view> known;
      for (const AddressingMode& mode : description_->modes) known.push_back(mode.name);
      fail(word.where, fmt::format("there is no mode '{}'{}", word.text, suggestion(word.text, known)));
    } else {
      made.modes.push_back(found->second.index);
    }
  }
  if (made.modes.empty()) return cursor.fail("expected modes");
  uint32_t index = kFirstModeList + static_cast<uint32_t>(description_->mode_lists.size());
  if (!declare(name, {OperandKind::Kind::Mode, index})) return;
  description_->mode_lists.push_back(std::move(made));
}

}  // namespace psi::target
