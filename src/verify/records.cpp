// Rules that make a function safe to read: ids in range, operand lists that exist, and records with the
// operands of their format. A parsed function cannot break most of them; one built or edited by hand can. No
// other check may run before these hold, and only then may an instruction be printed.

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "psi/ir/instruction_set.h"
#include "verify/checks.h"

namespace psi::verify {
namespace {

// Operands by kind, one letter each: v value, p predicate or always, b block, l literal. `repeat` may
// follow `fixed` any number of times from min_repeats to max_repeats.
struct Shape {
  std::string_view fixed;
  std::string_view repeat = {};
  uint32_t min_repeats = 0;
  uint32_t max_repeats = UINT32_MAX;
};

// The only shape, or that of the variant of the format that has `count` operands.
constexpr Shape shape_of(Format format, uint32_t count) {
  switch (format) {
    case Format::Binary:
    case Format::Overflow:
    case Format::Compare:
    case Format::PtrAdd:
    case Format::Store:
    case Format::VaCopy:
      return {"vv"};
    case Format::Ternary:
    case Format::Select:
    case Format::MemCopy:
    case Format::MemSet:
      return {"vvv"};
    case Format::Unary:
    case Format::Convert:
    case Format::Move:
    case Format::Slot:
    case Format::Load:
    case Format::VaList:
    case Format::VaArg:
      return {"v"};
    case Format::ComparePredicate:
      return {"vvp", "v", 0, 2};
    case Format::Phi:
      return {"", "bv", 1};
    case Format::Psi:
      return {"", "pv", 1};
    case Format::PtrIndex:
      return {"vvll"};
    case Format::Call:
      return {"v", "v"};
    case Format::Branch:
      return count == 1 ? Shape{"b"} : Shape{"vbb"};
    case Format::Switch:
      return {"vb", "lb"};
    case Format::Return:
      return {"", "v", 0, 1};
    case Format::Unreachable:
    case Format::Machine:
      break;
  }
  return {""};
}

constexpr bool counts_match(const Shape& shape, uint32_t count) {
  if (count < shape.fixed.size()) return false;
  uint32_t rest = count - static_cast<uint32_t>(shape.fixed.size());
  if (shape.repeat.empty()) return rest == 0;
  uint32_t period = static_cast<uint32_t>(shape.repeat.size());
  return rest % period == 0 && rest / period >= shape.min_repeats && rest / period <= shape.max_repeats;
}

constexpr std::string_view kind_text(char kind) {
  switch (kind) {
    case 'v':
      return "a value";
    case 'p':
      return "a predicate";
    case 'b':
      return "a block";
    default:
      return "a literal";
  }
}

class RecordCheck {
 public:
  RecordCheck(Context& context, BlockId block, std::span<const uint8_t> in_layout)
      : context_(context), function_(context.function), block_(block), in_layout_(in_layout) {}

  bool run() {
    size_t errors = context_.num_errors();
    for (InstId id : function_.insts(block_)) {
      id_ = id;
      check(function_.inst(id));
      if (context_.full()) break;
    }
    return context_.num_errors() == errors;
  }

 private:
  void check(const Inst& inst) {
    if (static_cast<int>(inst.op) >= kNumOpcodes) {
      return error(Rule::KnownOpcode, fmt::format("opcode {} does not exist", static_cast<int>(inst.op)));
    }
    Format format = inst.format();
    if (inst.type > Type::none || (format == Format::Convert && inst.kind >= kNumTypes)) {
      return error(Rule::KnownType, fmt::format("{} has a type that does not exist", info(inst.op).name));
    }
    if (format == Format::Machine && !check_form(inst)) return;
    check_fields(inst, format);
    check_registers(inst);
    if (!function_.owns_operands(inst)) {
      return error(Rule::OperandStorage,
                   fmt::format("the operands of {} lie outside the function's pool", info(inst.op).name));
    }
    if (format == Format::Machine) return check_machine_operands(inst);
    check_operands(inst, format);
  }

  bool check_form(const Inst& inst) {
    const InstructionSet* set = function_.instruction_set.get();
    if (!set) {
      error(Rule::InstructionSet, "a machine instruction in a function that names no target");
      return false;
    }
    if (inst.form() >= set->num_forms() || set->form(inst).opcode() != inst.op) {
      error(Rule::InstructionSet, fmt::format("{} has no form {} of this effect", set->name(), inst.form()));
      return false;
    }
    return true;
  }

  // What the form asks of them is a matter of types.
  void check_machine_operands(const Inst& inst) {
    std::span<const Operand> operands = function_.operands(inst);
    for (size_t i = 0; i < operands.size(); ++i) {
      bool is_block = operands[i].is_block();
      check_operand(inst, operands, i, is_block ? 'b' : 'v');
    }
  }

  void check_fields(const Inst& inst, Format format) {
    switch (format) {
      case Format::Compare:
        check_condition(inst);
        break;
      case Format::ComparePredicate:
        check_condition(inst);
        if (inst.action(0) >= Action::none || inst.action(1) > Action::none) {
          error(Rule::KnownAction, "cmpp has an action that does not exist");
        }
        break;
      case Format::Slot:
      case Format::Load:
      case Format::Store:
      case Format::MemCopy:
      case Format::MemSet:
        if (inst.extra > kMaxAlignLog2) {
          error(Rule::AlignRange,
                fmt::format("the alignment of {} is 2 to the power of {}, which is above {}",
                            info(inst.op).name, inst.extra, kMaxAlignLog2));
        }
        break;
      case Format::Branch:
      case Format::Switch:
      case Format::Select:
        if (inst.extra > 101) {
          error(Rule::EdgeCounts, fmt::format("{} has a misprediction rate above 100", info(inst.op).name));
        }
        break;
      default:
        break;
    }
  }

  void check_condition(const Inst& inst) {
    if (inst.kind >= kNumConds) {
      error(Rule::KnownCondition, fmt::format("{} has a condition that does not exist", info(inst.op).name));
    }
  }

  void check_registers(const Inst& inst) {
    if (inst.guard && !is_known(inst.guard.reg())) register_error("the guard", inst, inst.guard.reg());
    for (Reg r : inst.results) {
      if (r && !is_known(r)) register_error("a result", inst, r);
    }
  }

  void check_operands(const Inst& inst, Format format) {
    std::span<const Operand> operands = function_.operands(inst);
    Shape shape = shape_of(format, inst.count);
    if (!counts_match(shape, inst.count)) {
      return error(Rule::OperandCount,
                   fmt::format("{} has {} operands", info(inst.op).name, operands.size()));
    }
    size_t fixed = shape.fixed.size();
    for (size_t i = 0; i < fixed; ++i) check_operand(inst, operands, i, shape.fixed[i]);
    size_t period = shape.repeat.size();
    for (size_t i = fixed, k = 0; i < operands.size(); ++i) {
      check_operand(inst, operands, i, shape.repeat[k]);
      if (++k == period) k = 0;
    }
  }

  void check_operand(const Inst& inst, std::span<const Operand> operands, size_t i, char wanted) {
    Operand operand = operands[i];
    if (!is_kind(operand, wanted)) {
      return error(Rule::OperandKind,
                   fmt::format("operand {} of {} is not {}", i + 1, info(inst.op).name, kind_text(wanted)));
    }
    switch (operand.kind()) {
      case Operand::Kind::Reg:
      case Operand::Kind::NotReg:
        if (!is_known(operand.reg())) {
          register_error(fmt::format("operand {}", i + 1), inst, operand.reg());
        }
        break;
      case Operand::Kind::Small: {
        uint64_t bits = static_cast<uint64_t>(int64_t{operand.small_value()});
        if (function_.sign_extend(bits, operand.literal_type()) != operand.small_value()) {
          error(Rule::LiteralFits,
                fmt::format("operand {} of {}: literal {} does not fit {}", i + 1, info(inst.op).name,
                            operand.small_value(), type_name(operand.literal_type())));
        }
        break;
      }
      case Operand::Kind::Pooled:
        if (!function_.owns_literal(operand)) {
          error(Rule::OperandStorage, fmt::format("operand {} of {} is a literal outside the function's pool",
                                                  i + 1, info(inst.op).name));
        }
        break;
      case Operand::Kind::Block:
        if (operand.block().index() >= in_layout_.size() || !in_layout_[operand.block().index()]) {
          error(Rule::BlockTarget,
                fmt::format("operand {} of {} is block number {}, which is not in the layout", i + 1,
                            info(inst.op).name, operand.block().index()));
        }
        break;
      case Operand::Kind::Symbol:
        if (operand.symbol().index() >= context_.module.num_symbols()) {
          error(Rule::SymbolDeclared,
                fmt::format("operand {} of {} is symbol number {}, which does not exist", i + 1,
                            info(inst.op).name, operand.symbol().index()));
        }
        break;
      case Operand::Kind::Undef:
      case Operand::Kind::None:
        break;
    }
  }

  static bool is_kind(Operand operand, char wanted) {
    switch (wanted) {
      case 'v':
        return operand.is_reg() || operand.is_literal() || operand.is_undef() || operand.is_symbol();
      case 'p':
        return operand.reads_reg() || operand == Operand::always();
      case 'b':
        return operand.is_block();
      default:
        return operand.is_literal();
    }
  }

  bool is_known(Reg r) const { return r.index() < function_.num_regs() && function_.type(r) < Type::none; }

  void register_error(std::string_view what, const Inst& inst, Reg r) {
    if (r.index() < function_.num_regs()) {
      return error(Rule::RegisterType, fmt::format("{} of {} is {}, which has no type", what,
                                                   info(inst.op).name, context_.name(r)));
    }
    error(Rule::RegisterRange, fmt::format("{} of {} is register number {}, which does not exist", what,
                                           info(inst.op).name, r.index()));
  }

  void error(Rule rule, std::string message) { context_.record_error(rule, block_, id_, std::move(message)); }

  Context& context_;
  const Function& function_;
  const BlockId block_;
  const std::span<const uint8_t> in_layout_;  // by BlockId
  InstId id_;
};

void check_signature(Context& context) {
  const Function& f = context.function;
  if (f.symbol.index() >= context.module.num_symbols() ||
      context.module.kind(f.symbol) != SymbolKind::Function) {
    context.error(Rule::FunctionSymbol,
                  fmt::format("{} is not the symbol of a function", symbol_name(context.module, f.symbol)));
  }
  if (f.form > Form::Allocated) {
    context.error(Rule::KnownForm, fmt::format("form {} does not exist", static_cast<int>(f.form)));
  }
  if (f.pointer_bits != context.module.pointer_bits()) {
    context.error(Rule::PointerBits, fmt::format("pointers have {} bits, but those of the module {}",
                                                 f.pointer_bits, context.module.pointer_bits()));
  }
  if (f.signature.result > Type::none) context.error(Rule::SignatureTypes, "the result type does not exist");
  for (size_t i = 0; i < f.signature.params.size(); ++i) {
    if (f.signature.params[i] < Type::none) continue;
    context.error(Rule::SignatureTypes, fmt::format("parameter {} has no type", i + 1));
  }
}

void check_params(Context& context) {
  const Function& f = context.function;
  if (f.params.size() != f.signature.params.size()) {
    context.error(Rule::ParamCount, fmt::format("the function has {} parameters but {} types for them",
                                                f.params.size(), f.signature.params.size()));
  }
  std::vector<uint8_t> seen(f.num_regs());
  for (size_t i = 0; i < f.params.size(); ++i) {
    Reg r = f.params[i];
    if (r.index() >= f.num_regs()) {
      context.error(
          Rule::RegisterRange,
          fmt::format("parameter {} is register number {}, which does not exist", i + 1, r.index()));
      continue;
    }
    if (f.type(r) >= Type::none) {
      context.error(Rule::RegisterType,
                    fmt::format("parameter {} is {}, which has no type", i + 1, context.name(r)));
      continue;
    }
    if (std::exchange(seen[r.index()], 1)) {
      context.error(Rule::ParamUnique, fmt::format("parameter {} is {} again", i + 1, context.name(r)));
    }
    if (i < f.signature.params.size() && f.signature.params[i] < Type::none &&
        f.type(r) != f.signature.params[i]) {
      context.error(Rule::ParamType,
                    fmt::format("parameter {} has type {}, but {} is {}", i + 1,
                                type_name(f.signature.params[i]), context.name(r), type_name(f.type(r))));
    }
  }
}

}  // namespace

std::vector<uint8_t> check_skeleton(Context& context) {
  const Function& f = context.function;
  check_signature(context);
  if (f.is_declaration()) return {};
  check_params(context);

  std::vector<uint8_t> in_layout(f.num_blocks());
  std::vector<uint8_t> listed(f.num_insts());
  for (BlockId b : f.layout()) {
    if (context.full()) break;
    if (b.index() >= f.num_blocks()) {
      context.error(Rule::LayoutRange,
                    fmt::format("the layout has block number {}, which does not exist", b.index()));
      continue;
    }
    if (std::exchange(in_layout[b.index()], 1)) {
      context.error(Rule::LayoutUnique, fmt::format("block {} is in the layout twice", context.name(b)));
      continue;
    }
    for (InstId id : f.insts(b)) {
      if (context.full()) break;
      if (id.index() >= f.num_insts()) {
        context.record_error(Rule::InstructionRange, b, id,
                             fmt::format("block {} lists instruction number {}, which does not exist",
                                         context.name(b), id.index()));
      } else if (std::exchange(listed[id.index()], 1)) {
        context.record_error(Rule::InstructionUnique, b, id,
                             fmt::format("block {} lists instruction number {}, which is listed already",
                                         context.name(b), id.index()));
      }
    }
  }
  return in_layout;
}

bool check_records(Context& context, BlockId block, std::span<const uint8_t> in_layout) {
  return RecordCheck(context, block, in_layout).run();
}

}  // namespace psi::verify
