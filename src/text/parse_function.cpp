// The parser's function level: blocks, names, and the work at a function's end.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "text/parser.h"

namespace psi {

void Parser::start_function(Function& function, bool external) {
  function_ = &function;
  // A line takes some thirty bytes.
  uint32_t lines = static_cast<uint32_t>(external ? 0 : bytes_to_brace() / 32);
  function.reserve(lines);
  regs_.reset(lines);
  blocks_.reset(lines / 8);
  block_places_.clear();
  block_order_.clear();
  untyped_.clear();
  pending_.clear();
  machine_insts_.clear();
  machine_literals_.clear();
  block_ = BlockId();
}

// The number of bytes up to the next brace at the start of a line, where functions usually end.
size_t Parser::bytes_to_brace() {
  size_t at = static_cast<size_t>(token_.text.data() - text_.data());
  if (at >= brace_at_) {
    brace_at_ = text_.find('}', at);
    while (brace_at_ != std::string_view::npos && brace_at_ > 0 && text_[brace_at_ - 1] != '\n') {
      brace_at_ = text_.find('}', brace_at_ + 1);
    }
    brace_at_ = std::min(brace_at_, text_.size());
  }
  return brace_at_ - std::min(at, brace_at_);
}

bool Parser::parse_body(Function& function) {
  size_t errors = diagnostics_.num_errors();
  while (!at(TokenKind::RightBrace)) {
    // A declaration here means that the closing brace is missing.
    if (at(TokenKind::End) || (token_.first_on_line && (at_word("func") || at_word("extern")))) {
      return fail(token_, fmt::format("expected '}}' at the end of ${}", module_.name(function.symbol)));
    }
    start_ = token_.where;
    bool ok = at(TokenKind::Block) ? parse_label() : parse_inst();
    if (diagnostics_.is_full()) return false;
    if (ok) continue;
    if (token_.where == start_) advance();
    while (!token_.first_on_line) advance();
  }
  // Without a block it would be a declaration.
  if (block_order_.empty() && diagnostics_.num_errors() == errors) return fail_expected("a block (@name:)");
  advance();
  // With lines missing, errors about names would only confuse.
  if (diagnostics_.num_errors() == errors) finish_function();
  return true;
}

bool Parser::parse_label() {
  Token label = token_;
  block_ = take_block_name(label);
  if (!block_) return false;
  advance();
  if (!expect(TokenKind::Colon, "':' after the label")) return false;
  Location& place = block_places_[block_.index()];
  if (place.line != 0) {
    fail(label, fmt::format("block {} is defined twice", label.text));
    diagnostics_.note(place, "the first definition is here");
    return false;
  }
  place = label.where;
  block_order_.push_back(block_.index());
  if (!token_.first_on_line && accept_word("count")) {
    uint64_t count;
    if (!take_number(count, "an execution count")) return false;
    function_->set_count(block_, count);
  }
  return token_.first_on_line || fail_expected("the end of the line");
}

// --- Names ------------------------------------------------------------------------------------------

std::string_view Parser::resolve_name(const Token& token) {
  std::string_view name = token.name();
  if (!token.quoted || name.find('\\') == std::string_view::npos) return name;
  size_t bad;
  if (!unescape(name, unescaped_.emplace_back(), bad)) {
    fail(token, "bad escape in a name: write \\n, \\t, \\\\, \\\" or two hexadecimal digits");
    return {};
  }
  return unescaped_.back();
}

Reg Parser::take_reg_name(const Token& token) {
  std::string_view name = resolve_name(token);
  if (name.empty()) return Reg();
  Reg reg(regs_.intern(name, token.where));
  if (reg.index() == function_->num_regs()) function_->add_reg(Type::none);
  return reg;
}

BlockId Parser::take_block_name(const Token& token) {
  std::string_view name = resolve_name(token);
  if (name.empty()) return BlockId();
  BlockId block(blocks_.intern(name, token.where));
  if (block.index() == function_->num_blocks()) {
    function_->add_block();
    block_places_.push_back({0, 0, 0});
  }
  return block;
}

// In allocated form one machine register holds values of several types of its class in turn.
static bool same_class(Type a, Type b) {
  return (a == Type::i1) == (b == Type::i1) && is_float(a) == is_float(b);
}

bool Parser::define(Reg reg, Type type, const Token& token) {
  Type known = function_->type(reg);
  if (known == Type::none) {
    function_->set_type(reg, type);
  } else if (known != type && type != Type::none) {
    if (function_->form == Form::Allocated && same_class(known, type)) {
      if (function_->bit_width(type) > function_->bit_width(known)) function_->set_type(reg, type);
      return true;
    }
    fail(token, fmt::format("{} is defined here as {}, elsewhere as {}", token.text, type_name(type),
                            type_name(known)));
    diagnostics_.note(regs_[reg.index()].first, "it is first mentioned here");
    return false;
  }
  return true;
}

// --- The end of a function ----------------------------------------------------------------------------

void Parser::finish_function() {
  size_t errors = diagnostics_.num_errors();
  check_defined();
  if (diagnostics_.num_errors() == errors) infer_types();
  if (diagnostics_.num_errors() == errors) choose_forms();
  if (diagnostics_.num_errors() != errors) return;
  renumber();
  function_->shrink();
}

void Parser::check_defined() {
  std::vector<bool> untyped(regs_.size());
  for (InstId id : untyped_) untyped[function_->inst(id).results[0].index()] = true;
  for (uint32_t i = 0; i < regs_.size(); ++i) {
    if (function_->type(Reg(i)) != Type::none || untyped[i]) continue;
    diagnostics_.error(regs_[i].first, fmt::format("register %{} is never defined", regs_[i].name));
  }
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    if (block_places_[i].line != 0) continue;
    diagnostics_.error(blocks_[i].first, fmt::format("block @{} is never defined", blocks_[i].name));
  }
}

// A move or merge without a suffix has the type of its operands, and vice versa: unite them, and take the
// type of any of them.
void Parser::infer_types() {
  if (untyped_.empty()) return;
  std::vector<uint32_t> parent(function_->num_regs());
  std::iota(parent.begin(), parent.end(), 0u);
  auto find = [&](uint32_t r) {
    while (parent[r] != r) r = parent[r] = parent[parent[r]];
    return r;
  };
  auto each_value = [&](InstId id, auto visit) {
    std::span<const Operand> operands = std::as_const(*function_).operands(id);
    Format format = function_->inst(id).format();
    size_t first = format == Format::Move ? 0 : 1;
    size_t step = format == Format::Select || format == Format::Move ? 1 : 2;
    for (size_t i = first; i < operands.size(); i += step) visit(operands[i]);
  };
  for (InstId id : untyped_) {
    uint32_t result = function_->inst(id).results[0].index();
    each_value(id, [&](Operand operand) {
      if (operand.is_reg()) parent[find(operand.reg().index())] = find(result);
    });
  }
  std::vector<Type> class_type(parent.size(), Type::none);
  for (uint32_t r = 0; r < parent.size(); ++r) {
    if (function_->type(Reg(r)) != Type::none) class_type[find(r)] = function_->type(Reg(r));
  }
  for (InstId id : untyped_) {
    each_value(id, [&](Operand operand) {
      Type& type = class_type[find(function_->inst(id).results[0].index())];
      if (operand.is_symbol() && type == Type::none) type = Type::ptr;
    });
  }
  for (InstId id : untyped_) {
    Inst& inst = function_->inst(id);
    Reg result = inst.results[0];
    inst.type = class_type[find(result.index())];
    if (inst.type == Type::none) {
      const NameScope::Entry& entry = regs_[result.index()];
      diagnostics_.error(entry.first,
                         fmt::format("cannot tell the type of %{}: write it after the opcode, as in {}.i32",
                                     entry.name, info(inst.op).name));
      return;
    }
    if (function_->type(result) == Type::none) function_->set_type(result, inst.type);
  }
  for (const PendingLiteral& literal : pending_) {
    Operand operand;
    if (!literal_operand(literal.token, literal.negative, function_->inst(literal.inst).type, operand))
      continue;
    function_->operands(literal.inst)[literal.operand] = operand;
  }
}

// Registers and blocks written as numbers get these numbers; the rest are numbered in order.
void Parser::renumber() {
  std::vector<uint32_t> in_order(regs_.size());
  std::iota(in_order.begin(), in_order.end(), 0u);
  std::vector<uint32_t> regs = regs_.numbering(in_order);
  std::vector<uint32_t> blocks = blocks_.numbering(block_order_);
  std::vector<BlockId> layout;
  layout.reserve(block_order_.size());
  for (uint32_t block : block_order_) layout.push_back(BlockId(block));
  function_->set_layout(std::move(layout));
  function_->renumber(regs, blocks);
  for (uint32_t i = 0; i < regs_.size(); ++i) {
    if (regs_[i].number == NameScope::kNoNumber) function_->set_name(Reg(regs[i]), regs_[i].name);
  }
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    if (map_) map_->add(function_->symbol, BlockId(blocks[i]), block_places_[i]);
    if (blocks_[i].number == NameScope::kNoNumber) function_->set_name(BlockId(blocks[i]), blocks_[i].name);
  }
}

}  // namespace psi
