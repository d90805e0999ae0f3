// The parser's instruction level.
#include <fmt/format.h>

#include <bit>

#include "text/parser.h"

namespace psi {

// [GUARD ?] [RESULTS =] OPCODE OPERANDS [, align N] [, counts N ...] [, mispredicted N] [, line N] [;;]
bool Parser::parse_inst() {
  Location where = token_.where;
  if (!block_) return fail(token_, "expected a label (@name:) before the first instruction");
  operands_.clear();
  inst_pending_.clear();
  counts_.clear();
  counts_given_ = false;
  line_ = 0;
  if (!parse_prefix() || !parse_operands() || !parse_suffixes()) return false;
  if (accept(TokenKind::Stop)) inst_.flags = (inst_.flags | Inst::kStop) & 0xff;
  if (!token_.first_on_line && !at(TokenKind::RightBrace)) return fail_expected("the end of the line");
  if (operands_.size() > Inst::kMaxOperands) return fail(opcode_token_, "too many operands");

  if (inst_.is_machine() && !define_machine_results()) return false;
  for (uint32_t i = 0; i < inst_.num_results() && !inst_.is_machine(); ++i) {
    if (!define(inst_.results[i], inst_.result_type(), result_tokens_[i])) return false;
  }
  add_inst(where);
  return true;
}

void Parser::add_inst(Location where) {
  InstId id = function_->add_inst(inst_, operands_);
  function_->append(block_, id);
  if (line_ != 0) function_->set_line(id, line_);
  if (counts_given_) function_->set_edge_counts(id, counts_);
  if (map_) map_->add(function_->symbol, id, where);
  if (inst_.is_machine()) {
    machine_insts_.push_back({id, opcode_token_, static_cast<uint32_t>(machine_literals_.size()),
                              static_cast<uint32_t>(inst_pending_.size())});
    machine_literals_.insert(machine_literals_.end(), inst_pending_.begin(), inst_pending_.end());
    return;
  }
  for (PendingLiteral& literal : inst_pending_) {
    literal.inst = id;
    if (literal.callee) {
      literal.function = function_->symbol;
      pending_arguments_.push_back(literal);
    } else {
      pending_.push_back(literal);
    }
  }
  bool merges = inst_.format() == Format::Move || inst_.format() == Format::Select ||
                inst_.format() == Format::Phi || inst_.format() == Format::Psi;
  if (merges && inst_.type == Type::none) untyped_.push_back(id);
}

// The guard, the results and the opcode; leaves the record in inst_.
bool Parser::parse_prefix() {
  Guard guard;
  std::array<Reg, 2> results;
  uint32_t num_results = 0;
  bool negated = accept(TokenKind::Bang);
  if (negated && !at(TokenKind::Reg)) return fail_expected("a predicate register after '!'");
  while (at(TokenKind::Reg)) {
    Token token = token_;
    Reg reg = take_reg_name(token);
    if (!reg) return false;
    advance();
    if (num_results == 0 && !guard && (negated || at(TokenKind::Question))) {
      if (!expect(TokenKind::Question, "'?' after the guard")) return false;
      guard = Guard(reg, negated);
      negated = false;
      continue;
    }
    if (num_results == 2) return fail(token, "an instruction has at most two results");
    results[num_results] = reg;
    result_types_[num_results] = Type::none;
    if (accept(TokenKind::Colon) && !take_result_type(result_types_[num_results])) return false;
    result_tokens_[num_results++] = token;
    if (accept(TokenKind::Comma)) {
      if (!at(TokenKind::Reg)) return fail_expected("a second result register");
      continue;
    }
    if (!expect(TokenKind::Equal, guard ? "'='" : "'=' or '?'")) return false;
    break;
  }
  if (!at(TokenKind::Word)) return fail_expected("an instruction");
  opcode_token_ = token_;
  if (at_machine_word() ? !resolve_machine_word(token_, inst_) : !resolve_opcode(token_, inst_)) return false;
  advance();

  inst_.guard = guard;
  inst_.results = results;
  if (inst_.is_machine()) return true;
  std::string_view name = info(inst_.op).name;
  uint32_t wanted = inst_.op == Opcode::Call   ? (inst_.type != Type::none ? 1 : 0)
                    : inst_.op == Opcode::Cmpp ? (inst_.action(1) != Action::none ? 2 : 1)
                    : has_result(inst_.op)     ? 1
                                               : 0;
  if (num_results == wanted) return true;
  if (inst_.op == Opcode::Call) {
    return wanted
               ? fail(opcode_token_, fmt::format("the result of '{}' needs a register", opcode_token_.text))
               : fail(opcode_token_, "a call with a result needs its type, as in 'call.i32'");
  }
  if (inst_.op == Opcode::Cmpp) {
    return fail(opcode_token_, fmt::format("'{}' has {} and needs as many result registers",
                                           opcode_token_.text, wanted == 2 ? "two actions" : "one action"));
  }
  return fail(opcode_token_, fmt::format("'{}' has {} result", name, wanted ? "one" : "no"));
}

bool Parser::parse_operands() {
  Type type = inst_.type, wide = function_->address_type();
  switch (inst_.format()) {
    case Format::Unary:
    case Format::Move:
      return parse_values({type});
    case Format::Binary:
    case Format::Overflow:
    case Format::Compare:
      return parse_values({type, type});
    case Format::Ternary:
      return parse_values({type, type, type});
    case Format::ComparePredicate:
      return parse_values({type, type}) && parse_cmpp_tail();
    case Format::Convert:
      return parse_values({inst_.from()});
    case Format::Select:
      return parse_values({Type::i1, type, type});
    case Format::Phi:
      return parse_phi();
    case Format::Psi:
      return parse_psi();
    case Format::Slot:
      return parse_values({wide});
    case Format::PtrAdd:
      return parse_values({Type::ptr, wide});
    case Format::PtrIndex:
      return parse_values({Type::ptr, wide, wide, wide});
    case Format::Load:
      inst_.extra = static_cast<uint8_t>(std::countr_zero(function_->byte_size(type)));
      return parse_values({Type::ptr});
    case Format::Store:
      inst_.extra = static_cast<uint8_t>(std::countr_zero(function_->byte_size(type)));
      return parse_values({type, Type::ptr});
    case Format::MemCopy:
      return parse_values({Type::ptr, Type::ptr, wide});
    case Format::MemSet:
      return parse_values({Type::ptr, Type::i8, wide});
    case Format::VaList:
    case Format::VaArg:
      return parse_values({Type::ptr});
    case Format::VaCopy:
      return parse_values({Type::ptr, Type::ptr});
    case Format::Call:
      return parse_call();
    case Format::Branch:
      return parse_branch();
    case Format::Switch:
      return parse_switch();
    case Format::Return: {
      if (token_.first_on_line || at(TokenKind::RightBrace) || at(TokenKind::Comma) || at(TokenKind::Stop))
        return true;
      Type result = function_->signature.result;
      bool value =
          at(TokenKind::Reg) || at(TokenKind::Symbol) || at(TokenKind::Number) || at(TokenKind::Minus);
      if (result == Type::none && value) {
        return fail(token_, fmt::format("${} returns nothing", module_.name(function_->symbol)));
      }
      return result == Type::none ? fail_expected("the end of the line") : parse_value(result);
    }
    case Format::Unreachable:
      return true;
    case Format::Machine:
      return parse_machine_operands();
  }
  return false;
}

bool Parser::parse_values(std::initializer_list<Type> types) {
  bool first = true;
  for (Type type : types) {
    if (!first && !accept(TokenKind::Comma)) {
      return fail_expected(fmt::format("',' ('{}' has {} operands)", info(inst_.op).name, types.size()));
    }
    first = false;
    if (!parse_value(type)) return false;
  }
  return true;
}

bool Parser::parse_cmpp_tail() {
  if (accept_word("if")) {
    if (!parse_predicate()) return false;
  } else {
    operands_.push_back(Operand::always());
  }
  if (!accept_word("old")) return true;
  do {
    if (!parse_value(Type::i1)) return false;
  } while (operands_.size() < 5 && at(TokenKind::Comma) && (advance(), !at_suffix()));
  return true;
}

bool Parser::parse_block_operand() {
  if (!at(TokenKind::Block)) return fail_expected("a block (@name)");
  BlockId block = take_block_name(token_);
  if (!block) return false;
  advance();
  operands_.push_back(Operand::block(block));
  return true;
}

bool Parser::parse_phi() {
  do {
    if (!expect(TokenKind::LeftBracket, "'[' and a phi argument ([@block: value])") ||
        !parse_block_operand() || !expect(TokenKind::Colon, "':'") || !parse_value(inst_.type) ||
        !expect(TokenKind::RightBracket, "']'")) {
      return false;
    }
  } while (at(TokenKind::Comma) && (advance(), !at_suffix()));
  return true;
}

bool Parser::parse_psi() {
  do {
    Operand guard = Operand::always();
    bool negated = at(TokenKind::Bang);
    if (negated || at(TokenKind::Reg)) {
      if (!parse_predicate()) return false;
      Operand first = operands_.back();
      operands_.pop_back();
      if (accept(TokenKind::Question)) {
        guard = first;
      } else if (negated) {
        return fail_expected("'?' after the guard");
      } else {
        operands_.push_back(guard);
        operands_.push_back(first);
        continue;
      }
    }
    operands_.push_back(guard);
    if (!parse_value(inst_.type)) return false;
  } while (at(TokenKind::Comma) && (advance(), !at_suffix()));
  return true;
}

bool Parser::parse_call() {
  SymbolId callee;
  if (at(TokenKind::Symbol)) {
    if (!take_symbol(callee)) return false;
    operands_.push_back(Operand::symbol(callee));
  } else if (at(TokenKind::Reg)) {
    if (!parse_value(Type::ptr)) return false;
  } else {
    return fail_expected("a function ($name, or a register that holds its address)");
  }
  if (!expect(TokenKind::LeftParen, "'(' and the arguments")) return false;
  while (!at(TokenKind::RightParen)) {
    Type type = Type::none;
    std::optional<Type> written = at(TokenKind::Word) ? type_from_name(token_.text) : std::nullopt;
    if (written) {
      type = *written;
      advance();
    } else if (callee && module_.kind(callee) == SymbolKind::Function) {
      const std::vector<Type>& params = module_.function(callee).signature.params;
      size_t argument = operands_.size() - 1;
      if (argument < params.size()) type = params[argument];
    }
    Token token = token_;
    size_t pending = inst_pending_.size();
    if (!parse_value(type)) return false;
    if (inst_pending_.size() > pending) {
      if (!callee || module_.kind(callee) != SymbolKind::Undeclared) {
        return fail(token, "a literal needs a type here (as in 'i32 1'): no parameter gives it one");
      }
      inst_pending_.back().callee = callee;
    }
    if (!at(TokenKind::RightParen) && !expect(TokenKind::Comma, "',' or ')'")) return false;
  }
  advance();
  return true;
}

bool Parser::parse_branch() {
  if (at(TokenKind::Block)) return parse_block_operand();
  return parse_value(Type::i1) && expect(TokenKind::Comma, "',' and two blocks") && parse_block_operand() &&
         expect(TokenKind::Comma, "',' and the block for false") && parse_block_operand();
}

bool Parser::parse_switch() {
  if (!parse_value(inst_.type) || !expect(TokenKind::Comma, "',' and the default block") ||
      !parse_block_operand()) {
    return false;
  }
  while (at(TokenKind::Comma) && (advance(), !at_suffix())) {
    if (!expect(TokenKind::LeftBracket, "'[' and a case ([value: @block])")) return false;
    Token token = token_;
    if (!parse_value(inst_.type)) return false;
    if (!operands_.back().is_literal()) return fail(token, "a case is a literal");
    if (!expect(TokenKind::Colon, "':'") || !parse_block_operand() ||
        !expect(TokenKind::RightBracket, "']'")) {
      return false;
    }
  }
  return true;
}

bool Parser::at_suffix() const {
  return at_word("align") || at_word("counts") || at_word("mispredicted") || at_word("line");
}

// A list of operands has already taken the comma before the first suffix.
bool Parser::parse_suffixes() {
  while (at_suffix() || accept(TokenKind::Comma)) {
    Token token = token_;
    uint64_t number;
    if (accept_word("align")) {
      switch (inst_.format()) {
        case Format::Load:
        case Format::Store:
        case Format::MemCopy:
        case Format::MemSet:
        case Format::Slot:
          break;
        default:
          return fail(token, fmt::format("'{}' has no alignment", info(inst_.op).name));
      }
      if (!take_align(number)) return false;
      inst_.extra = static_cast<uint8_t>(std::countr_zero(number));
    } else if (accept_word("counts")) {
      bool selects = inst_.op == Opcode::Select;
      size_t targets = selects ? 2 : 0;
      for (Operand operand : operands_) targets += operand.is_block();
      if (!(inst_.is_terminator() || selects) || targets == 0) {
        return fail(token, fmt::format("'{}' has no targets to count", info(inst_.op).name));
      }
      while (at(TokenKind::Number) && !token_.first_on_line) {
        if (!take_number(number, "a count")) return false;
        counts_.push_back(number);
      }
      counts_given_ = true;
      if (counts_.size() != targets) {
        return fail(token, fmt::format("{} counts for {} {}", counts_.size(), targets,
                                       selects ? "values" : "targets"));
      }
    } else if (accept_word("mispredicted")) {
      bool decides = inst_.op == Opcode::Br ? operands_.size() > 1
                                            : inst_.op == Opcode::Switch || inst_.op == Opcode::Select;
      if (!decides) return fail(token, fmt::format("'{}' decides nothing here", info(inst_.op).name));
      Token where = token_;
      if (!take_number(number, "a percentage")) return false;
      if (number > 100) return fail(where, fmt::format("{} is not a percentage", number));
      inst_.extra = static_cast<uint8_t>(number + 1);
    } else if (accept_word("line")) {
      Token where = token_;
      if (!take_number(number, "a line number")) return false;
      if (number == 0 || number > UINT32_MAX)
        return fail(where, fmt::format("{} is not a line number", number));
      line_ = static_cast<uint32_t>(number);
    } else {
      return fail_expected("'align', 'counts', 'mispredicted', 'line' or the end of the line");
    }
  }
  return true;
}

}  // namespace psi
