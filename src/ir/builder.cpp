#include "psi/ir/builder.h"

#include <fmt/format.h>

#include <bit>
#include <utility>
#include <vector>

#include "ir/check_inst.h"

namespace psi {
namespace {

Inst record(Opcode op, Type type = Type::none) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  return inst;
}

uint64_t natural_alignment(const Function& function, Type type) {
  return type < Type::none ? function.byte_size(type) : 1;
}

// The function of the builder for instructions that are more than an opcode, a type and operands.
std::string_view built_by(Opcode op) {
  if (static_cast<uint32_t>(op) >= kNumOpcodes) return {};
  switch (info(op).format) {
    case Format::Compare:
      return "cmp";
    case Format::ComparePredicate:
      return "cmpp";
    case Format::Convert:
      return "convert";
    case Format::Slot:
      return "slot";
    case Format::Load:
      return "load";
    case Format::Store:
      return "store";
    default:
      return {};
  }
}

}  // namespace

// --- Places and mistakes ------------------------------------------------------------------------------

void Builder::at(BlockId block) {
  resume(block);
  if (block.index() < function_.num_blocks()) return;
  block_ = BlockId();
  misuse(block ? fmt::format("at: block {}, which the function does not have", block.index())
               : "at: no block");
  is_lost_ = true;
}

BlockId Builder::start_block(std::string_view name) {
  resume(function_.add_block(name));
  return block_;
}

void Builder::resume(BlockId block) {
  block_ = block;
  is_lost_ = false;
}

void Builder::place_of(InstId inst) {
  if (inst.index() >= function_.num_insts()) {
    misuse(inst ? fmt::format("place_of: instruction {}, which the function does not have", inst.index())
                : "place_of: no instruction");
    return;
  }
  line_ = function_.line(inst);
  origin_ = function_.origin(inst);
}

void Builder::misuse(std::string message) {
  std::string context = "no block";
  if (block_) {
    context =
        fmt::format("block {}, instruction {}", shown(function_, block_), function_.insts(block_).size() + 1);
  }
  function_.misuse(std::move(message), std::move(context));
}

bool Builder::is_open() const {
  if (!block_) return false;
  std::span<const InstId> insts = function_.insts(block_);
  if (insts.empty()) return true;
  const Inst& last = function_.inst(insts.back());
  return !last.is_terminator() || last.guard;
}

// May an instruction be added here?
bool Builder::check_place(const Inst& inst) {
  if (is_lost_) return false;
  std::string_view name = info(inst.op).name;
  if (!block_) {
    misuse(
        fmt::format("{} stands in no block: at() or start_block() comes first, and nothing follows an if "
                    "whose sides have both ended",
                    name));
    is_lost_ = true;
    return false;
  }
  std::span<const InstId> insts = function_.insts(block_);
  if (insts.empty()) return true;
  const Inst& last = function_.inst(insts.back());
  if (last.is_terminator() && (last.guard.is_always() || !inst.is_terminator())) {
    misuse(fmt::format("{} follows the terminator {}", name, info(last.op).name));
    is_lost_ = true;
    return false;
  }
  if (inst.is_phi() && !last.is_phi()) {
    misuse("phi follows another instruction of its block");
    return false;
  }
  return true;
}

std::string Builder::name_of_function() const {
  if (!module_ || function_.symbol.index() >= module_->num_symbols()) return {};
  return fmt::format("function ${}", module_->name(function_.symbol));
}

Result<void> Builder::finish() const {
  Diagnostics wrong;
  std::string name = name_of_function();
  auto add = [&](const std::string& message, const std::string& context) {
    wrong.error({}, message, name.empty() ? context : fmt::format("{}, {}", name, context));
  };
  for (const Diagnostic& misuse : function_.misuses().all()) add(misuse.message, misuse.context);
  // What a mistake left out may have been a terminator.
  if (wrong.has_errors()) return wrong;
  for (BlockId b : function_.layout()) {
    std::span<const InstId> terminators = function_.terminators(b);
    if (!terminators.empty() && function_.inst(terminators.back()).guard.is_always()) continue;
    add("the block does not end in a terminator", fmt::format("block {}", shown(function_, b)));
  }
  return wrong;
}

InstId Builder::append(Inst inst, std::span<const Operand> operands) {
  inst.guard = guard_;
  bool has_results = inst.results[0] || inst.results[1];
  // What stands in for a result whose type was not known has told of its mistake.
  for (Operand operand : operands) {
    bool exists = operand.is_reg() && operand.reg().index() < function_.num_regs();
    is_spoiled_ |= exists && function_.type(operand.reg()) == Type::none;
  }
  if (std::exchange(is_spoiled_, false)) {
    into(Reg());
    return InstId();
  }
  if (std::string mistake = mistake_in(function_, inst, operands, module_); !mistake.empty()) {
    if (!is_lost_) misuse(std::move(mistake));
    return InstId();
  }
  if (!check_place(inst)) return InstId();
  if (!has_results && (into_[0] || into_[1])) {
    misuse(fmt::format("into: {} has no result", shown(inst)));
    into(Reg());
    return InstId();
  }
  InstId id = function_.add_inst(inst, operands);
  if (line_ != 0) function_.set_line(id, line_);
  if (origin_ != 0) function_.set_origin(id, origin_);
  function_.append(block_, id);
  return id;
}

Reg Builder::take_result(Type type, std::string_view name, int which) {
  Reg result = into_[which];
  into_[which] = Reg();
  return result ? result : function_.add_reg(type, name);
}

Reg Builder::append_with_result(Inst inst, std::span<const Operand> operands, std::string_view name) {
  bool is_opcode = static_cast<uint32_t>(inst.op) < kNumOpcodes;
  bool is_known = is_opcode && inst.type <= Type::none;
  inst.results[0] = take_result(is_known ? inst.result_type() : Type::none, name);
  append(inst, operands);
  return inst.results[0];
}

// --- Values -------------------------------------------------------------------------------------------

Reg Builder::param(size_t i) {
  if (i < function_.params.size()) return function_.params[i];
  misuse(fmt::format("param: {} is not one of the function's {}", i,
                     counted(function_.params.size(), "parameter")));
  return function_.add_reg(Type::i32);
}

Operand Builder::literal(Type type, Input number) {
  Operand operand = resolve(number, type);
  is_spoiled_ = false;
  return operand;
}

Operand Builder::resolve(const Input& input, Type type) {
  using Kind = Input::Kind;
  if (input.kind_ == Kind::Operand) return input.operand_;
  auto wrong = [&](const std::string& number) {
    if (!is_spoiled_)
      misuse(type < Type::none ? fmt::format("{} is no {}", number, type_name(type))
                               : fmt::format("{} needs a type, such as Builder::literal gives it", number));
    is_spoiled_ = true;
    return Operand::undef(type < Type::none ? type : Type::i32);
  };
  if (input.kind_ == Kind::Real || is_float(type)) {
    double number = input.kind_ == Kind::Real     ? input.real_
                    : input.kind_ == Kind::Signed ? static_cast<double>(static_cast<int64_t>(input.bits_))
                                                  : static_cast<double>(input.bits_);
    if (!is_float(type)) return wrong(fmt::format("{}", number));
    return function_.literal(type, type == Type::f64 ? std::bit_cast<uint64_t>(number)
                                                     : std::bit_cast<uint32_t>(static_cast<float>(number)));
  }
  bool is_negative = input.kind_ == Kind::Signed && static_cast<int64_t>(input.bits_) < 0;
  // A number may be meant as signed or as unsigned.
  bool fits = type < Type::none &&
              (is_negative ? function_.sign_extend(input.bits_, type) == static_cast<int64_t>(input.bits_)
                           : input.bits_ <= function_.value_mask(type));
  if (fits && (type != Type::ptr || input.bits_ == 0)) return function_.literal(type, input.bits_);
  return wrong(is_negative ? fmt::format("{}", static_cast<int64_t>(input.bits_))
                           : fmt::format("{}", input.bits_));
}

// none: of numbers, and of registers that do not exist.
Type Builder::type_of(const Input& input) const {
  if (input.kind_ != Input::Kind::Operand) return Type::none;
  Operand operand = input.operand_;
  bool exists = !operand.reads_reg() || operand.reg().index() < function_.num_regs();
  return exists ? function_.type(operand) : Type::none;
}

Type Builder::common_type(std::span<const Input> inputs) {
  for (const Input& input : inputs) {
    if (Type type = type_of(input); type != Type::none) return type;
  }
  return Type::none;
}

std::vector<Operand> Builder::resolve(std::span<const Input> inputs, Type type) {
  std::vector<Operand> operands;
  operands.reserve(inputs.size());
  for (const Input& input : inputs) operands.push_back(resolve(input, type));
  return operands;
}

uint8_t Builder::log2_align(uint64_t align) {
  if (std::has_single_bit(align) && align <= uint64_t{1} << 31)
    return static_cast<uint8_t>(std::countr_zero(align));
  misuse(fmt::format("an alignment of {} is not a power of two, at most 2 to the power of 31", align));
  is_spoiled_ = true;
  return 0;
}

// --- Computing ----------------------------------------------------------------------------------------

Reg Builder::op(Opcode op, Type type, std::span<const Operand> operands, std::string_view name) {
  if (std::string_view by = built_by(op); !by.empty() && !is_spoiled_) {
    misuse(fmt::format("{} is built by Builder::{}, not by op", info(op).name, by));
    is_spoiled_ = true;
  }
  return append_with_result(record(op, type), operands, name);
}

Reg Builder::op(Opcode opcode, Type type, Inputs inputs, std::string_view name) {
  std::vector<Operand> operands;
  for (const Input& input : inputs) {
    bool is_condition = opcode == Opcode::Select && operands.empty();
    operands.push_back(resolve(input, is_condition ? Type::i1 : type));
  }
  return op(opcode, type, operands, name);
}

Reg Builder::op(Opcode opcode, Inputs inputs, std::string_view name) {
  std::span<const Input> typed(inputs.begin(), inputs.size());
  if (opcode == Opcode::Select && !typed.empty()) typed = typed.subspan(1);
  return op(opcode, common_type(typed), inputs, name);
}

Reg Builder::cmp(Cond cond, Type type, Input a, Input b, std::string_view name) {
  Inst inst = record(Opcode::Cmp, type);
  inst.set_cond(cond);
  return append_with_result(inst, std::array{resolve(a, type), resolve(b, type)}, name);
}

Reg Builder::cmp(Cond cond, Input a, Input b, std::string_view name) {
  return cmp(cond, common_type(std::array{a, b}), a, b, name);
}

std::pair<Reg, Reg> Builder::cmpp(Action first, Action second, Cond cond, Type type, Input a, Input b,
                                  Operand input, std::span<const Operand> old) {
  Inst inst = record(Opcode::Cmpp, type);
  inst.set_cond(cond);
  inst.set_actions(first, second);
  inst.results[0] = take_result(Type::i1, {});
  if (second != Action::none) inst.results[1] = take_result(Type::i1, {}, 1);
  std::vector<Operand> operands = {resolve(a, type), resolve(b, type), input};
  operands.insert(operands.end(), old.begin(), old.end());
  append(inst, operands);
  return {inst.results[0], inst.results[1]};
}

Reg Builder::convert(Opcode op, Type from, Type to, Input a, std::string_view name) {
  Inst inst = record(op, to);
  inst.set_from(from);
  return append_with_result(inst, std::array{resolve(a, from)}, name);
}

Reg Builder::convert(Opcode op, Type to, Operand a, std::string_view name) {
  return convert(op, type_of(a), to, a, name);
}

void Builder::assign(Reg to, Input value) {
  if (to.index() >= function_.num_regs()) {
    misuse(to ? fmt::format("assign: register {}, which the function does not have", to.index())
              : "assign: no register");
    return;
  }
  into(to);
  Type type = type_of(to);
  op(Opcode::Mov, type, {value});
}

Reg Builder::phi(Type type, std::span<const Operand> pairs, std::string_view name) {
  return op(Opcode::Phi, type, pairs, name);
}

Reg Builder::psi(Type type, std::span<const Operand> pairs, std::string_view name) {
  return op(Opcode::Psi, type, pairs, name);
}

Reg Builder::phi(std::initializer_list<Incoming> entries, std::string_view name) {
  std::vector<Input> values;
  for (const Incoming& entry : entries) values.push_back(entry.value);
  Type type = common_type(values);
  std::vector<Operand> pairs;
  for (const Incoming& entry : entries) pairs.insert(pairs.end(), {entry.block, resolve(entry.value, type)});
  return phi(type, pairs, name);
}

Reg Builder::psi(std::initializer_list<Guarded> arguments, std::string_view name) {
  std::vector<Input> values;
  for (const Guarded& argument : arguments) values.push_back(argument.value);
  Type type = common_type(values);
  std::vector<Operand> pairs;
  for (const Guarded& argument : arguments) {
    pairs.insert(pairs.end(), {argument.guard.as_operand(), resolve(argument.value, type)});
  }
  return psi(type, pairs, name);
}

// --- Memory -------------------------------------------------------------------------------------------

Reg Builder::slot(Input size, uint64_t align, std::string_view name) {
  Inst inst = record(Opcode::Slot);
  inst.extra = log2_align(align);
  return append_with_result(inst, std::array{resolve(size, function_.address_type())}, name);
}

Reg Builder::ptradd(Input base, Input offset, std::string_view name) {
  return append_with_result(record(Opcode::PtrAdd),
                            std::array{resolve(base, Type::ptr), resolve(offset, function_.address_type())},
                            name);
}

Reg Builder::ptrindex(Input base, Input index, int64_t scale, int64_t offset, std::string_view name) {
  Type wide = function_.address_type();
  std::array operands{resolve(base, Type::ptr), resolve(index, wide), resolve(Input(scale), wide),
                      resolve(Input(offset), wide)};
  return append_with_result(record(Opcode::PtrIndex), operands, name);
}

Reg Builder::load(Type type, Input address, uint64_t align, uint32_t flags, std::string_view name) {
  Inst inst = record(Opcode::Load, type);
  inst.extra = log2_align(align ? align : natural_alignment(function_, type));
  inst.flags = flags & 0xff;
  return append_with_result(inst, std::array{resolve(address, Type::ptr)}, name);
}

InstId Builder::store(Type type, Input value, Input address, uint64_t align, uint32_t flags) {
  Inst inst = record(Opcode::Store, type);
  inst.extra = log2_align(align ? align : natural_alignment(function_, type));
  inst.flags = flags & 0xff;
  return append(inst, std::array{resolve(value, type), resolve(address, Type::ptr)});
}

InstId Builder::store(Operand value, Operand address) { return store(type_of(value), value, address); }

InstId Builder::effect(Opcode op, std::initializer_list<Operand> operands) {
  return append(record(op), std::span(operands.begin(), operands.size()));
}

// --- Control ------------------------------------------------------------------------------------------

Reg Builder::call(Type result, Operand callee, std::span<const Operand> arguments, std::string_view name) {
  std::vector<Operand> operands = {callee};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  Inst inst = record(Opcode::Call, result);
  if (result != Type::none) return append_with_result(inst, operands, name);
  append(inst, operands);
  return Reg();
}

Reg Builder::call(const Function& callee, Inputs arguments, std::string_view name) {
  const std::vector<Type>& types = callee.signature.params;
  std::vector<Operand> operands;
  for (const Input& argument : arguments) {
    operands.push_back(
        resolve(argument, operands.size() < types.size() ? types[operands.size()] : Type::none));
  }
  return call(callee.signature.result, callee.symbol, operands, name);
}

InstId Builder::br(BlockId target) { return append(record(Opcode::Br), std::array{Operand(target)}); }

InstId Builder::br(Input condition, BlockId then, BlockId otherwise) {
  return append(record(Opcode::Br),
                std::array{resolve(condition, Type::i1), Operand(then), Operand(otherwise)});
}

InstId Builder::switch_on(Type type, Operand value, BlockId otherwise, std::span<const Operand> cases) {
  std::vector<Operand> operands = {value, otherwise};
  operands.insert(operands.end(), cases.begin(), cases.end());
  return append(record(Opcode::Switch, type), operands);
}

InstId Builder::switch_on(Operand value, BlockId otherwise, std::initializer_list<Case> cases) {
  Type type = type_of(value);
  std::vector<Operand> pairs;
  for (const Case& one : cases) pairs.insert(pairs.end(), {resolve(one.value, type), one.block});
  return switch_on(type, value, otherwise, pairs);
}

InstId Builder::ret() { return append(record(Opcode::Ret), {}); }

InstId Builder::ret(Input value) {
  Operand operand = resolve(value, function_.signature.result);
  if (operand.is_none()) return ret();
  return append(record(Opcode::Ret), std::array{operand});
}

InstId Builder::unreachable() { return append(record(Opcode::Unreachable), {}); }

}  // namespace psi
