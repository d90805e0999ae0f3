// The parser's values: registers, addresses and literals.
#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "text/literal.h"
#include "text/parser.h"

namespace psi {

std::optional<uint64_t> parse_literal(std::string_view text, Type type) {
  Diagnostics ignored;
  return Parser(text, ignored, nullptr).run_literal(type);
}

std::string print_literal(Type type, uint64_t bits) {
  std::string out;
  append_literal(out, type, bits);
  return out;
}

std::optional<uint64_t> Parser::run_literal(Type type) {
  uint64_t bits;
  advance();
  if (!parse_typed_bits(type, bits) || !at(TokenKind::End)) return std::nullopt;
  return bits;
}

// A value of the type goes into operands_. With Type::none the type is not known yet: registers determine it,
// a literal is noted for later.
bool Parser::parse_value(Type type) {
  if (at(TokenKind::Reg)) {
    Reg reg = take_reg_name(token_);
    if (!reg) return false;
    operands_.push_back(Operand::reg(reg));
    advance();
    return true;
  }
  if (at(TokenKind::Symbol)) {
    if (type != Type::ptr && type != Type::none) {
      return fail(token_, fmt::format("{} is an address, where a value of type {} is wanted", token_.text,
                                      type_name(type)));
    }
    SymbolId symbol;
    if (!take_symbol(symbol)) return false;
    operands_.push_back(Operand::symbol(symbol));
    return true;
  }
  // A word at the start of a line is an instruction, not `true` or `undef`.
  if (at(TokenKind::Word) && token_.first_on_line) return fail_expected("a value");
  if (at(TokenKind::Bang)) return fail(token_, "'!' stands before a guard or the input of a cmpp only");
  Operand operand;
  if (!parse_literal(type, operand)) return false;
  operands_.push_back(operand);
  return true;
}

// [!]%p
bool Parser::parse_predicate() {
  bool negated = accept(TokenKind::Bang);
  if (!at(TokenKind::Reg)) return fail_expected("a predicate register");
  Reg reg = take_reg_name(token_);
  if (!reg) return false;
  advance();
  operands_.push_back(Operand::predicate(reg, negated));
  return true;
}

// From the minus sign, which was the last token, to the number's end.
Location Parser::with_sign(Location number) const {
  if (previous_.line != number.line) return number;
  return {number.line, previous_.column, number.column + number.length - previous_.column};
}

bool Parser::parse_literal(Type type, Operand& operand) {
  bool negative = accept(TokenKind::Minus);
  if (!at(TokenKind::Number) && !at(TokenKind::Word)) return fail_expected("a value");
  if (at_word("bits")) {
    if (type == Type::none) return fail(token_, "the type of 'bits' must be written after the opcode");
    uint64_t bits;
    if (!parse_typed_bits(type, bits)) return false;
    operand = function_->literal(type, bits);
    return true;
  }
  Token token = token_;
  if (negative) token.where = with_sign(token.where);
  advance();
  if (type == Type::none) {
    inst_pending_.push_back({InstId(), static_cast<uint32_t>(operands_.size()), token, negative, {}, {}});
    operand = Operand();
    return true;
  }
  return literal_operand(token, negative, type, operand);
}

bool Parser::literal_operand(const Token& token, bool negative, Type type, Operand& operand) {
  if (token.text == "undef" && !negative) {
    operand = Operand::undef(type);
    return true;
  }
  uint64_t bits;
  if (!literal_bits(token, negative, type, bits)) return false;
  operand = function_->literal(type, bits);
  return true;
}

// A literal at the current token, `bits(0x...)` included.
bool Parser::parse_typed_bits(Type type, uint64_t& bits) {
  bool negative = accept(TokenKind::Minus);
  if (!negative && at_word("bits") && is_float(type)) {
    advance();
    Token token;
    if (!expect(TokenKind::LeftParen, "'('")) return false;
    token = token_;
    if (!take_number(bits, "the bits of a float")) return false;
    if ((bits & ~value_mask(type)) != 0) {
      return fail(token, fmt::format("{} does not fit {}", token.text, type_name(type)));
    }
    return expect(TokenKind::RightParen, "')'");
  }
  if (!at(TokenKind::Number) && !at(TokenKind::Word)) return fail_expected("a literal");
  Token token = token_;
  if (negative) token.where = with_sign(token.where);
  advance();
  return literal_bits(token, negative, type, bits);
}

bool Parser::literal_bits(const Token& token, bool negative, Type type, uint64_t& bits) {
  if (is_float(type)) return float_bits(token, negative, type, bits);
  if (token.kind == TokenKind::Number) return integer_bits(token, negative, type, bits);
  if (!negative && type == Type::i1 && (token.text == "true" || token.text == "false")) {
    bits = token.text == "true";
    return true;
  }
  if (!negative && type == Type::ptr && token.text == "null") {
    bits = 0;
    return true;
  }
  return fail(token, fmt::format("{} is not a value of type {}", describe(token), type_name(type)));
}

bool Parser::integer_bits(const Token& token, bool negative, Type type, uint64_t& bits) {
  std::string_view digits = token.text;
  int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, base);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return fail(token, fmt::format("'{}' is not a value of type {}", token.text, type_name(type)));
  }
  uint64_t mask = value_mask(as_bits(type, module_.pointer_bits()));
  uint64_t most = negative ? mask / 2 + 1 : mask;
  if (error == std::errc::result_out_of_range || bits > most) {
    return fail(token, fmt::format("{}{} does not fit {}", negative ? "-" : "", token.text, type_name(type)));
  }
  if (negative) bits = -bits;
  bits &= mask;
  return true;
}

bool Parser::float_bits(const Token& token, bool negative, Type type, uint64_t& bits) {
  switch (float_from_text(token.text, type, bits)) {
    case FloatText::Ok:
      break;
    case FloatText::OutOfRange:
      return fail(token, fmt::format("{} does not fit {}", token.text, type_name(type)));
    case FloatText::NotAFloat:
      return fail(token, fmt::format("{} is not a value of type {}", describe(token), type_name(type)));
  }
  if (negative) bits ^= uint64_t{1} << (bit_width(type) - 1);
  return true;
}

}  // namespace psi
