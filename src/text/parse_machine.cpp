// Machine instructions: `%d = tiny.add %a, 5`. Which form a name means depends on its operands, whose types
// may be known only at the function's end; so literals wait, and forms are chosen there.
#include <fmt/format.h>

#include <charconv>

#include "psi/support/suggestion.h"
#include "text/parser.h"

namespace psi {

// `target NAME` behind the form.
bool Parser::parse_target(Function& function) {
  Token name = token_;
  std::string_view text = name.text;
  if (at(TokenKind::String)) {
    text = text.substr(1, text.size() - 2);
  } else if (!at(TokenKind::Word)) {
    return fail_expected("the name of a target");
  }
  advance();
  function.instruction_set = sets_ ? sets_->find(text) : nullptr;
  if (function.instruction_set) return true;
  return fail(name, fmt::format("there is no target '{}' with instructions", text));
}

bool Parser::at_machine_word() const {
  if (!function_->instruction_set) return false;
  std::string_view set = function_->instruction_set->name();
  return token_.text.size() > set.size() && token_.text.starts_with(set) && token_.text[set.size()] == '.';
}

std::string_view Parser::form_name(const Token& opcode) const {
  std::string_view name = opcode.text.substr(function_->instruction_set->name().size() + 1);
  return name.ends_with(".volatile") ? name.substr(0, name.size() - 9) : name;
}

bool Parser::resolve_machine_word(const Token& token, Inst& inst) {
  const InstructionSet& set = *function_->instruction_set;
  std::span<const uint32_t> forms = set.find(form_name(token));
  if (forms.empty()) {
    std::vector<std::string_view> names;
    for (const MachineForm& form : set.forms()) names.push_back(form.name);
    return fail(token, fmt::format("{} has no instruction '{}'{}", set.name(), form_name(token),
                                   suggestion(form_name(token), names)));
  }
  inst = Inst();
  inst.op = set.form(forms.front()).opcode();
  inst.set_form(forms.front());
  if (token.text.ends_with(".volatile")) inst.flags = Inst::kVolatile;
  return true;
}

bool Parser::take_result_type(Type& type) { return take_type(type, "the type of the result"); }

// Where a result's type is not written, it is that of the first form of the name.
bool Parser::define_machine_results() {
  const InstructionSet& set = *function_->instruction_set;
  const MachineForm& first = set.form(inst_);
  for (uint32_t i = 0; i < inst_.num_results(); ++i) {
    Type type = result_types_[i];
    if (type == Type::none && i < first.results.size()) type = first.results[i].type;
    if (type == Type::none) {
      return fail(result_tokens_[i], fmt::format("cannot tell the type of {0}: write it, as in '{0}: i32 ='",
                                                 result_tokens_[i].text));
    }
    if (!define(inst_.results[i], type, result_tokens_[i])) return false;
    if (i == 0) inst_.type = type;
  }
  return true;
}

// Values, blocks, and literals, which may have their type before them.
bool Parser::parse_machine_operands() {
  if (token_.first_on_line || at(TokenKind::RightBrace) || at(TokenKind::Stop)) return true;
  do {
    if (at(TokenKind::Block)) {
      if (!parse_block_operand()) return false;
      continue;
    }
    std::optional<Type> type = at(TokenKind::Word) ? type_from_name(token_.text) : std::nullopt;
    if (type) advance();
    if (!parse_value(type.value_or(Type::none))) return false;
  } while (at(TokenKind::Comma) && (advance(), !at_suffix()));
  return true;
}

void Parser::choose_forms() {
  for (const MachineInst& pending : machine_insts_) {
    if (!choose_form(pending) && diagnostics_.is_full()) return;
  }
}

// The first form of the name that takes the operands, with the literals in its types.
bool Parser::choose_form(const MachineInst& pending) {
  const InstructionSet& set = *function_->instruction_set;
  Inst& inst = function_->inst(pending.inst);
  std::span<const Operand> written = std::as_const(*function_).operands(pending.inst);
  std::vector<Operand> operands(written.begin(), written.end());
  std::string why;
  for (uint32_t index : set.find(form_name(pending.opcode))) {
    const MachineForm& form = set.form(index);
    bool typed = true;
    for (uint32_t i = 0; i < pending.num_literals && typed; ++i) {
      const PendingLiteral& literal = machine_literals_[pending.first_literal + i];
      bool is_named = literal.operand < form.operands.size();
      std::optional<Operand> value;
      if (is_named && form.operands[literal.operand].kind != MachineOperand::Kind::Block) {
        value = quiet_literal(literal, form.operands[literal.operand].type);
      }
      if (value) {
        operands[literal.operand] = *value;
      } else {
        typed = false;
        if (why.empty()) {
          why = is_named ? fmt::format("{} is not a value of type {}", describe(literal.token),
                                       type_name(form.operands[literal.operand].type))
                         : fmt::format("{} needs its type, as in 'i32 {}'", describe(literal.token),
                                       literal.token.text);
        }
      }
    }
    if (!typed) continue;
    std::string refusal = set.refusal(form, *function_, operands, inst.guard, inst.num_results());
    if (refusal.empty()) {
      inst.op = form.opcode();
      inst.set_form(index);
      function_->set_operands(pending.inst, operands);
      return true;
    }
    if (why.empty()) why = std::move(refusal);
  }
  return fail(pending.opcode, std::move(why));
}

std::optional<Operand> Parser::quiet_literal(const PendingLiteral& literal, Type type) {
  std::string_view digits = literal.token.text;
  if (digits == "undef" && !literal.negative) return Operand::undef(type);
  uint64_t bits = 0;
  if (is_float(type) || literal.token.kind != TokenKind::Number) {
    std::optional<uint64_t> parsed =
        psi::parse_literal((literal.negative ? "-" : "") + std::string(digits), type);
    if (!parsed) return std::nullopt;
    return function_->literal(type, *parsed);
  }
  int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, base);
  uint64_t most = literal.negative ? value_mask(type) / 2 + 1 : value_mask(type);
  if (error != std::errc() || end != digits.data() + digits.size() || bits > most) return std::nullopt;
  if (literal.negative) bits = -bits;
  return function_->literal(type, bits & value_mask(type));
}

}  // namespace psi
