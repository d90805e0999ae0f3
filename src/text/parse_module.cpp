// The parser's module level: declarations of functions and globals, and token handling.
#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "text/parser.h"

namespace psi {

Result<Module> parse(std::string_view text, SourceMap* map, const InstructionSets* sets) {
  Diagnostics diagnostics;
  std::optional<Module> module = Parser(text, diagnostics, map, sets).run();
  if (!module) return diagnostics;
  return std::move(*module);
}

Parser::Parser(std::string_view text, Diagnostics& diagnostics, SourceMap* map, const InstructionSets* sets)
    : lexer_(text), text_(text), diagnostics_(diagnostics), map_(map), sets_(sets) {}

std::optional<Module> Parser::run() {
  size_t errors = diagnostics_.num_errors();
  advance();
  if (at_word("pointer")) parse_pointer_bits();
  while (!at(TokenKind::End) && !diagnostics_.is_full()) parse_declaration();
  if (diagnostics_.num_errors() == errors) finish_module();
  if (diagnostics_.num_errors() != errors) return std::nullopt;
  return std::move(module_);
}

// --- Tokens -----------------------------------------------------------------------------------------

bool Parser::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

bool Parser::fail(const Token& token, std::string message) {
  diagnostics_.error(token.where, std::move(message));
  return false;
}

std::string Parser::describe(const Token& token) const {
  if (token.kind == TokenKind::End) return "the end of the file";
  if (token.kind == TokenKind::Bad) {
    if (token.quoted) return token.text.ends_with("\"\"") ? "an empty name" : "a string without an end";
    if (token.text == "%" || token.text == "@" || token.text == "$") {
      return fmt::format("'{}' without a name", token.text);
    }
    unsigned char c = static_cast<unsigned char>(token.text[0]);
    if (c < 0x20 || c >= 0x7f) return fmt::format("the byte 0x{:02x}", c);
  }
  if (token.text.size() > 40) return fmt::format("'{}...'", token.text.substr(0, 40));
  return fmt::format("'{}'", token.text);
}

bool Parser::fail_expected(std::string_view what) {
  if (token_.first_on_line && token_.where != start_) {
    // The error is at the end of the previous line.
    Token end = token_;
    end.where = {previous_.line, previous_.column + previous_.length, 1};
    return fail(
        end, fmt::format("expected {}, found the end of the {}", what, at(TokenKind::End) ? "file" : "line"));
  }
  return fail(token_, fmt::format("expected {}, found {}", what, describe(token_)));
}

bool Parser::expect(TokenKind kind, std::string_view what) { return accept(kind) || fail_expected(what); }

bool Parser::take_name(std::string_view& name) {
  name = resolve_name(token_);
  if (name.empty()) return false;
  advance();
  return true;
}

bool Parser::take_symbol(SymbolId& symbol) {
  if (!at(TokenKind::Symbol)) return fail_expected("a symbol ($name)");
  Location where = token_.where;
  std::string_view name;
  if (!take_name(name)) return false;
  symbol = module_.intern_symbol(name);
  if (symbol.index() >= symbol_mentions_.size()) symbol_mentions_.push_back(where);
  return true;
}

bool Parser::take_number(uint64_t& value, std::string_view what) {
  if (!at(TokenKind::Number)) return fail_expected(what);
  std::string_view digits = token_.text;
  int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    return fail(token_, fmt::format("{} does not fit 64 bits", describe(token_)));
  }
  if (error != std::errc() || end != digits.data() + digits.size()) return fail_expected(what);
  advance();
  return true;
}

bool Parser::take_align(uint64_t& align) {
  Token token = token_;
  if (!take_number(align, "an alignment")) return false;
  if (!std::has_single_bit(align) || align > (uint64_t{1} << 31)) {
    return fail(token, fmt::format("alignment {} is not a power of two of at most 2^31", align));
  }
  return true;
}

bool Parser::take_type(Type& type, std::string_view what) {
  std::optional<Type> named = at(TokenKind::Word) ? type_from_name(token_.text) : std::nullopt;
  if (!named) return fail_expected(what);
  type = *named;
  advance();
  return true;
}

// --- Declarations -----------------------------------------------------------------------------------

// `pointer 32`, before all else: types and sizes depend on it.
void Parser::parse_pointer_bits() {
  start_ = token_.where;
  advance();
  Token token = token_;
  uint64_t bits = 0;
  if (token.first_on_line || !take_number(bits, "32 or 64")) {
    if (token.first_on_line) fail_expected("32 or 64");
    return skip_declaration();
  }
  if (bits != 32 && bits != 64) {
    fail(token, fmt::format("pointers have 32 or 64 bits, not {}", token.text));
  } else if (!at(TokenKind::End) && !token_.first_on_line) {
    fail_expected("the end of the line");
    skip_declaration();
  } else {
    module_.set_pointer_bits(static_cast<unsigned>(bits));
  }
}

void Parser::parse_declaration() {
  start_ = token_.where;
  bool ok;
  if (accept_word("func")) {
    ok = parse_function(false);
  } else if (accept_word("global")) {
    ok = parse_global(false, false);
  } else if (accept_word("const")) {
    ok = parse_global(true, false);
  } else if (accept_word("extern")) {
    if (accept_word("func")) {
      ok = parse_function(true);
    } else if (accept_word("global")) {
      ok = parse_global(false, true);
    } else if (accept_word("const")) {
      ok = parse_global(true, true);
    } else {
      ok = fail_expected("'func', 'global' or 'const'");
    }
  } else if (at_word("pointer")) {
    ok = fail(token_, "'pointer' stands once, before the declarations");
  } else {
    ok = fail(token_,
              fmt::format("expected 'func', 'global', 'const' or 'extern', found {}", describe(token_)));
  }
  if (!ok) skip_declaration();
}

// To the next line that looks like the start of a declaration.
void Parser::skip_declaration() {
  if (token_.where == start_) advance();
  while (!at(TokenKind::End)) {
    bool declaration = at_word("func") || at_word("global") || at_word("const") || at_word("extern");
    if (token_.first_on_line && declaration) return;
    advance();
  }
}

bool Parser::declare(SymbolId symbol, const Token& name) {
  if (module_.kind(symbol) != SymbolKind::Undeclared) {
    fail(name, fmt::format("{} is declared twice", name.text));
    diagnostics_.note(symbol_places_[symbol.index()], "the first declaration is here");
    return false;
  }
  symbol_places_.resize(module_.num_symbols());
  symbol_places_[symbol.index()] = name.where;
  if (map_) map_->add(symbol, name.where);
  return true;
}

bool Parser::parse_global(bool constant, bool external) {
  Token name = token_;
  SymbolId symbol;
  if (!take_symbol(symbol) || !declare(symbol, name)) return false;
  Global& global = module_.add_global(symbol);
  global.constant = constant;
  global.external = external;
  while (at(TokenKind::Word) && !token_.first_on_line) {
    if (accept_word("align")) {
      if (!take_align(global.align)) return false;
    } else if (external && accept_word("size")) {
      if (!take_number(global.size, "a size in bytes")) return false;
    } else {
      return fail_expected(external ? "'size' or 'align'" : "'align' or '{'");
    }
  }
  if (external) return token_.first_on_line || fail_expected("the end of the line");
  if (!expect(TokenKind::LeftBrace, "'{'")) return false;
  while (!at(TokenKind::RightBrace)) {
    Token piece = token_;
    if (!parse_initialiser(global)) return false;
    if (__builtin_add_overflow(global.size, global.contents.back().size(module_.pointer_bits()),
                               &global.size) ||
        global.size > (uint64_t{1} << 40)) {
      return fail(piece, fmt::format("{} is larger than 2^40 bytes", name.text));
    }
    if (!at(TokenKind::RightBrace) && !expect(TokenKind::Comma, "',' or '}'")) return false;
  }
  advance();
  return true;
}

bool Parser::parse_initialiser(Global& global) {
  Initialiser piece;
  if (at(TokenKind::String)) {
    piece.kind = Initialiser::Kind::Bytes;
    size_t bad;
    if (!unescape(token_.text.substr(1, token_.text.size() - 2), piece.bytes, bad)) {
      Token escape = token_;
      escape.where.column += static_cast<uint32_t>(bad) + 1;
      escape.where.length = 2;
      return fail(escape, "bad escape in a string: write \\n, \\t, \\\\, \\\" or two hexadecimal digits");
    }
    advance();
  } else if (accept_word("zero")) {
    piece.kind = Initialiser::Kind::Zero;
    if (!take_number(piece.bits, "how many bytes are zero")) return false;
  } else {
    if (!take_type(piece.type, "a type, 'zero' or a string")) return false;
    if (at(TokenKind::Symbol)) {
      if (piece.type != Type::ptr) return fail(token_, "an address has type ptr");
      piece.kind = Initialiser::Kind::Address;
      if (!take_symbol(piece.symbol)) return false;
      bool negative = at(TokenKind::Minus);
      if (negative || at(TokenKind::Plus)) {
        advance();
        Token token = token_;
        uint64_t addend;
        if (!take_number(addend, "an offset in bytes")) return false;
        if (addend > INT64_MAX) return fail(token, "the offset does not fit 64 bits");
        piece.addend = negative ? -static_cast<int64_t>(addend) : static_cast<int64_t>(addend);
      }
    } else {
      piece.kind = Initialiser::Kind::Value;
      if (!parse_typed_bits(piece.type, piece.bits)) return false;
    }
  }
  global.contents.push_back(std::move(piece));
  return true;
}

bool Parser::parse_function(bool external) {
  Token name = token_;
  SymbolId symbol;
  if (!take_symbol(symbol) || !declare(symbol, name)) return false;
  Function& function = module_.add_function(symbol);
  start_function(function, external);
  if (!parse_params(function, external)) return false;
  if (accept(TokenKind::Arrow) && !take_type(function.signature.result, "a result type")) return false;
  if (!external && at(TokenKind::Word)) {
    if (std::optional<Form> form = form_from_name(token_.text)) {
      function.form = *form;
      advance();
    }
  }
  if (!external && accept_word("target") && !parse_target(function)) return false;
  if (!parse_attributes(function)) return false;
  if (external) return token_.first_on_line || fail_expected("an attribute or the end of the line");
  return expect(TokenKind::LeftBrace, "'{'") && parse_body(function);
}

bool Parser::parse_params(Function& function, bool external) {
  if (!expect(TokenKind::LeftParen, "'('")) return false;
  Signature& signature = function.signature;
  while (!at(TokenKind::RightParen)) {
    if (accept(TokenKind::Ellipsis)) {
      signature.variadic = true;
      break;
    }
    Token name = token_;
    Reg reg;
    if (!external) {
      if (!at(TokenKind::Reg)) return fail_expected("a parameter (%name: type)");
      uint32_t known = regs_.size();
      reg = take_reg_name(token_);
      if (!reg) return false;
      if (reg.index() < known) return fail(name, fmt::format("parameter {} is named twice", name.text));
      advance();
      if (!expect(TokenKind::Colon, "':' and the parameter's type")) return false;
    }
    Type type = Type::none;
    if (!take_type(type, "a parameter type")) return false;
    signature.params.push_back(type);
    if (!external) {
      function.params.push_back(reg);
      if (!define(reg, type, name)) return false;
    }
    if (!at(TokenKind::RightParen) && !expect(TokenKind::Comma, "',' or ')'")) return false;
  }
  return expect(TokenKind::RightParen, "')'");
}

bool Parser::parse_attributes(Function& function) {
  FunctionAttributes& attributes = function.attributes;
  while (at(TokenKind::Word) && !token_.first_on_line) {
    if (accept_word("readnone")) {
      attributes.readnone = true;
    } else if (accept_word("readonly")) {
      attributes.readonly = true;
    } else if (accept_word("noreturn")) {
      attributes.noreturn = true;
    } else if (accept_word("nounwind")) {
      attributes.nounwind = true;
    } else {
      return fail(token_, fmt::format("{} is neither a form (plain, ssa, conventional, allocated) nor an "
                                      "attribute (readnone, readonly, noreturn, nounwind)",
                                      describe(token_)));
    }
  }
  return true;
}

void Parser::finish_module() {
  for (uint32_t i = 0; i < module_.num_symbols(); ++i) {
    if (module_.kind(SymbolId(i)) != SymbolKind::Undeclared) continue;
    diagnostics_.error(symbol_mentions_[i], fmt::format("${} is not declared", module_.name(SymbolId(i))));
  }
  for (const PendingLiteral& literal : pending_arguments_) {
    if (module_.kind(literal.callee) != SymbolKind::Function) continue;
    Function& function = module_.function(literal.function);
    const Signature& signature = module_.function(literal.callee).signature;
    uint32_t argument = literal.operand - 1;
    if (argument >= signature.params.size()) {
      fail(literal.token, "a literal needs a type here (as in 'i32 1'): no parameter gives it one");
      continue;
    }
    function_ = &function;
    Operand operand;
    if (!literal_operand(literal.token, literal.negative, signature.params[argument], operand)) continue;
    function.operands(literal.inst)[literal.operand] = operand;
  }
}

}  // namespace psi
