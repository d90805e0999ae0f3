// Rules about one instruction at a time: the types of its suffix, operands, results and guard, and what its
// modifiers may be. In allocated form a machine register holds values of several types, so there a
// register only has to be of the right class.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "psi/ir/instruction_set.h"
#include "psi/ir/views.h"
#include "verify/checks.h"

namespace psi::verify {
namespace {

enum class RegisterClass : uint8_t { Predicate, General, Float };

constexpr RegisterClass class_of(Type type) {
  if (type == Type::i1) return RegisterClass::Predicate;
  return is_float(type) ? RegisterClass::Float : RegisterClass::General;
}

uint32_t allowed_flags(const Inst& inst, Format format) {
  switch (format) {
    case Format::Load:
      return Inst::kVolatile | Inst::kDeref;
    case Format::Store:
    case Format::MemCopy:
    case Format::MemSet:
      return Inst::kVolatile;
    case Format::Binary:
    case Format::Unary:
    case Format::Ternary:
    case Format::Compare:
    case Format::ComparePredicate:
    case Format::Select:
    case Format::Phi:
    case Format::Psi:
      return is_float(inst.type) ? Inst::kFast : 0;
    default:
      return 0;
  }
}

class TypeCheck {
 public:
  TypeCheck(Context& context, BlockId block)
      : context_(context),
        function_(context.function),
        block_(block),
        by_class_(context.function.form == Form::Allocated),
        ssa_(is_ssa(context.function.form)) {}

  void run() {
    for (InstId id : function_.insts(block_)) {
      id_ = id;
      check(function_.inst(id));
      if (context_.full()) return;
    }
  }

 private:
  void check(const Inst& inst) {
    const OpcodeInfo& opcode = info(inst.op);
    name_ = opcode.name;
    if (opcode.format == Format::Machine) return check_machine(inst);
    bool typed = takes_type(inst.op, inst.type) || inst.op == Opcode::Call;
    if (!typed) {
      error(Rule::SuffixType, inst.type == Type::none
                                  ? fmt::format("{} needs a type", name_)
                                  : fmt::format("{} has no form for {}", name_, type_name(inst.type)));
    }
    check_guard(inst, opcode.format);
    check_flags(inst, opcode.format);
    if (opcode.effect == Effect::Control || opcode.format == Format::Select) check_edge_counts(inst);
    // With a wrong suffix every operand would be reported as well.
    if (typed) {
      check_results(inst);
      check_operands(inst, opcode.format);
    }
  }

  void check_machine(const Inst& inst) {
    check_guard(inst, Format::Machine);
    const InstructionSet& set = *function_.instruction_set;
    const MachineForm& form = set.form(inst);
    std::string why = set.refusal(form, function_, function_.operands(inst), inst.guard, inst.num_results());
    if (!why.empty()) return error(Rule::FormOperands, std::move(why));
    for (size_t i = 0; i < inst.num_results(); ++i) {
      Type type = function_.type(inst.results[i]);
      if (i == 0 && inst.type != type) {
        error(Rule::ResultType,
              fmt::format("the record of {}.{} says {}, but {} has type {}", set.name(), form.name,
                          type_name(inst.type), context_.name(inst.results[0]), type_name(type)));
      }
      if (i < form.results.size() && !takes(set, form.results[i].type, type)) {
        error(Rule::ResultType, fmt::format("the result of {}.{} has the width of {}, but {} has type {}",
                                            set.name(), form.name, type_name(form.results[i].type),
                                            context_.name(inst.results[i]), type_name(type)));
      }
    }
    if (inst.num_results() == 2 && inst.results[0] == inst.results[1]) {
      error(Rule::ResultUnique, fmt::format("both results of {}.{} are {}", set.name(), form.name,
                                            context_.name(inst.results[0])));
    }
  }

  static bool takes(const InstructionSet& set, Type wanted, Type actual) {
    MachineOperand operand;
    operand.type = wanted;
    return operand.takes(actual, set.pointer_bits());
  }

  void check_guard(const Inst& inst, Format format) {
    if (!inst.guard) return;
    if (format == Format::Phi || format == Format::Psi) {
      error(Rule::GuardPlace, fmt::format("{} carries a guard", name_));
    }
    check_predicate("the guard", inst.guard.as_operand());
  }

  void check_predicate(std::string_view what, Operand predicate) {
    if (!predicate.reads_reg() || function_.type(predicate.reg()) == Type::i1) return;
    error(Rule::GuardType, fmt::format("{} {} has type {}, not i1", what, context_.name(predicate.reg()),
                                       type_name(function_.type(predicate.reg()))));
  }

  void check_flags(const Inst& inst, Format format) {
    uint32_t flags = inst.flags;
    if (flags == 0) return;
    if ((flags & Inst::kStop) && function_.form != Form::Allocated) {
      error(Rule::StopForm,
            fmt::format("{} ends a packet, but the function is {}", name_, form_name(function_.form)));
    }
    uint32_t wrong = flags & ~Inst::kStop & ~allowed_flags(inst, format);
    if (wrong == 0) return;
    std::string_view flag = wrong & Inst::kVolatile ? "volatile"
                            : wrong & Inst::kDeref  ? "deref"
                            : wrong & Inst::kFast   ? "fast"
                                                    : "marked with a flag that does not exist";
    error(Rule::FlagPlace, fmt::format("{} cannot be {}", name_, flag));
  }

  void check_edge_counts(const Inst& inst) {
    std::span<const uint64_t> counts = function_.edge_counts(id_);
    if (counts.empty()) return;
    bool selects = inst.op == Opcode::Select;
    size_t targets = selects ? 2 : 0;
    function_.for_each_target(inst, [&](BlockId) { ++targets; });
    if (counts.size() != targets) {
      error(Rule::EdgeCounts, fmt::format("{} has {} counts for {} {}", name_, counts.size(), targets,
                                          selects ? "values" : "targets"));
    }
  }

  void check_results(const Inst& inst) {
    Type wanted = inst.result_type();
    uint32_t expected = wanted == Type::none ? 0 : 1;
    if (inst.op == Opcode::Cmpp && inst.action(1) != Action::none) expected = 2;
    uint32_t given = (inst.results[0] ? 1 : 0) + (inst.results[1] ? 1 : 0);
    if (given != expected || (given == 1 && !inst.results[0])) {
      return error(Rule::ResultCount, fmt::format("{} has {} results, not {}", name_, given, expected));
    }
    for (Reg r : inst.results) {
      if (r && !fits(function_.type(r), wanted)) {
        error(Rule::ResultType,
              fmt::format("the result of {} is {}, but {} has type {}", name_, type_name(wanted),
                          context_.name(r), type_name(function_.type(r))));
      }
    }
    if (expected == 2 && inst.results[0] == inst.results[1]) {
      error(Rule::ResultUnique,
            fmt::format("both results of {} are {}", name_, context_.name(inst.results[0])));
    }
  }

  // May a register of type `actual` be used where `wanted` is expected?
  bool fits(Type actual, Type wanted) const {
    return actual == wanted || (by_class_ && class_of(actual) == class_of(wanted));
  }

  void check_operands(const Inst& inst, Format format) {
    std::span<const Operand> operands = function_.operands(inst);
    Type t = inst.type;
    switch (format) {
      case Format::Unary:
        if (inst.op == Opcode::Bswap && bit_width(t) < 16) {
          error(Rule::BswapWidth,
                fmt::format("bswap of {}, which has no two bytes to exchange", type_name(t)));
        }
        [[fallthrough]];
      case Format::Binary:
      case Format::Ternary:
      case Format::Overflow:
      case Format::Move:
        for (size_t i = 0; i < operands.size(); ++i) value(operands, i, t);
        break;
      case Format::Compare:
        check_condition(inst);
        value(operands, 0, t), value(operands, 1, t);
        break;
      case Format::ComparePredicate:
        check_cmpp(inst, operands);
        break;
      case Format::Convert:
        if (!converts(inst.op, inst.from(), t)) {
          error(Rule::Conversion,
                fmt::format("{} cannot make {} of {}", name_, type_name(t), type_name(inst.from())));
        }
        value(operands, 0, inst.from());
        break;
      case Format::Select:
        value(operands, 0, Type::i1), value(operands, 1, t), value(operands, 2, t);
        break;
      case Format::Phi:
        for (size_t i = 0; i < phi_entries(operands).size(); ++i) value(operands, value_operand(i), t);
        break;
      case Format::Psi:
        for (size_t i = 0; i < psi_arguments(operands).size(); ++i) {
          check_predicate("guard", operands[first_operand(i)]);
          value(operands, value_operand(i), t);
        }
        break;
      case Format::Slot:
        value(operands, 0, function_.address_type());
        break;
      case Format::PtrAdd:
      case Format::PtrIndex:
        value(operands, 0, Type::ptr);
        for (size_t i = 1; i < operands.size(); ++i) value(operands, i, function_.address_type());
        break;
      case Format::Load:
      case Format::VaArg:
        value(operands, 0, Type::ptr);
        break;
      case Format::Store:
        value(operands, 0, t), value(operands, 1, Type::ptr);
        break;
      case Format::MemCopy:
        value(operands, 0, Type::ptr), value(operands, 1, Type::ptr),
            value(operands, 2, function_.address_type());
        break;
      case Format::MemSet:
        value(operands, 0, Type::ptr), value(operands, 1, Type::i8),
            value(operands, 2, function_.address_type());
        break;
      case Format::VaList:
        if (inst.op == Opcode::VaStart && !function_.signature.variadic) {
          error(Rule::VaStart, "va_start in a function without variadic arguments");
        }
        value(operands, 0, Type::ptr);
        break;
      case Format::VaCopy:
        value(operands, 0, Type::ptr), value(operands, 1, Type::ptr);
        break;
      case Format::Call:
        for (size_t i = 0; i < operands.size(); ++i) check_symbol(operands, i);
        check_callee(inst, operands);
        break;
      case Format::Branch:
        if (inst.is_branch()) value(operands, 0, Type::i1);
        break;
      case Format::Switch:
        check_switch(inst, operands);
        break;
      case Format::Return:
        check_return(operands);
        break;
      case Format::Unreachable:
      case Format::Machine:
        break;
    }
  }

  void value(std::span<const Operand> operands, size_t i, Type wanted) {
    Operand operand = operands[i];
    if (operand.is_reg()) {
      if (fits(function_.type(operand.reg()), wanted)) return;
    } else {
      check_symbol(operands, i);
      if (function_.type(operand) == wanted) return;
    }
    error(Rule::OperandType,
          fmt::format("operand {} of {} is {} of type {}, not {}", i + 1, name_, context_.name(operand),
                      type_name(function_.type(operand)), type_name(wanted)));
  }

  void check_symbol(std::span<const Operand> operands, size_t i) {
    if (!operands[i].is_symbol()) return;
    if (context_.module.kind(operands[i].symbol()) != SymbolKind::Undeclared) return;
    error(Rule::SymbolDeclared, fmt::format("operand {} of {} is {}, which is not declared", i + 1, name_,
                                            context_.name(operands[i])));
  }

  void check_condition(const Inst& inst) {
    if (is_float_cond(inst.cond()) == is_float(inst.type)) return;
    error(Rule::ConditionType,
          fmt::format("{} compares {} with a condition for {}", name_, type_name(inst.type),
                      is_float(inst.type) ? "integers" : "floats"));
  }

  void check_cmpp(const Inst& inst, std::span<const Operand> operands) {
    check_condition(inst);
    CmppView cmpp = as_cmpp(operands);
    value(operands, 0, inst.type), value(operands, 1, inst.type);
    check_predicate("input", cmpp.input);
    size_t olds = 0;
    if (ssa_) olds = size_t{is_partial(inst.action(0))} + size_t{is_partial(inst.action(1))};
    if (cmpp.olds.size() != olds) {
      error(Rule::CmppOlds,
            fmt::format("cmpp reads {} old values, not {}{}", cmpp.olds.size(), olds,
                        ssa_ ? ", one for each partial target" : " as this is not an ssa form"));
    }
    for (size_t i = kCmppOld; i < operands.size(); ++i) value(operands, i, Type::i1);
  }

  void check_switch(const Inst& inst, std::span<const Operand> operands) {
    value(operands, 0, inst.type);
    cases_.clear();
    SwitchCases cases = as_switch(operands).cases;
    for (size_t i = 0; i < cases.size(); ++i) {
      value(operands, case_operand(i), inst.type);
      cases_.push_back(function_.literal_signed(cases[i].literal));
    }
    std::sort(cases_.begin(), cases_.end());
    auto twice = std::adjacent_find(cases_.begin(), cases_.end());
    if (twice != cases_.end()) {
      error(Rule::SwitchCases, fmt::format("switch has two cases for {}", *twice));
    }
  }

  void check_return(std::span<const Operand> operands) {
    Type wanted = function_.signature.result;
    if (operands.empty() && wanted != Type::none) {
      error(Rule::ReturnValue,
            fmt::format("ret without a value in a function that returns {}", type_name(wanted)));
    } else if (!operands.empty() && wanted == Type::none) {
      error(Rule::ReturnValue,
            fmt::format("ret of {} in a function that returns nothing", context_.name(operands[0])));
    } else if (!operands.empty()) {
      value(operands, 0, wanted);
    }
  }

  void check_callee(const Inst& inst, std::span<const Operand> operands) {
    auto [callee, arguments] = as_call(operands);
    if (!callee.is_symbol()) return value(operands, 0, Type::ptr);
    // The address of a global is a pointer like any other: calling it fails only at run time.
    if (context_.module.kind(callee.symbol()) != SymbolKind::Function) return;
    const Signature& signature = context_.module.function(callee.symbol()).signature;
    size_t given = arguments.size();
    size_t params = signature.params.size();
    if (given < params || (given > params && !signature.variadic)) {
      return error(Rule::CallArguments,
                   fmt::format("call of {} with {} arguments, which takes {}{}", context_.name(callee), given,
                               signature.variadic ? "at least " : "", params));
    }
    for (size_t i = 0; i < params; ++i) {
      Operand argument = arguments[i];
      Type actual = function_.type(argument);
      Type wanted = signature.params[i];
      if (actual == wanted || (argument.is_reg() && fits(actual, wanted)) || wanted >= Type::none) continue;
      error(Rule::CallArguments, fmt::format("argument {} of the call of {} is {} of type {}, not {}", i + 1,
                                             context_.name(callee), context_.name(argument),
                                             type_name(actual), type_name(wanted)));
    }
    bool dropped = inst.type == Type::none;
    if (!dropped && inst.type != signature.result && signature.result <= Type::none) {
      error(Rule::CallResult,
            fmt::format("call of {} with result {}, which returns {}", context_.name(callee),
                        type_name(inst.type), type_name(signature.result)));
    }
  }

  void error(Rule rule, std::string message) { context_.error(rule, block_, id_, std::move(message)); }

  Context& context_;
  const Function& function_;
  const BlockId block_;
  const bool by_class_;
  const bool ssa_;
  InstId id_;
  std::string_view name_;
  std::vector<int64_t> cases_;
};

}  // namespace

void check_types(Context& context, BlockId block) { TypeCheck(context, block).run(); }

}  // namespace psi::verify
