#include "ir/check_inst.h"

#include <fmt/format.h>

#include <initializer_list>

#include "psi/ir/instruction_set.h"
#include "psi/ir/module.h"

namespace psi {
namespace {

std::string with_article(Type type) {
  bool is_vowel = is_int(type) || is_float(type);  // "an i32", "an f64"
  return fmt::format("{} {}", is_vowel ? "an" : "a", type_name(type));
}

class InstCheck {
 public:
  InstCheck(const Function& function, const Inst& inst, std::span<const Operand> operands,
            const Module* module)
      : function_(function), inst_(inst), operands_(operands), module_(module) {}

  std::string run() {
    if (static_cast<uint32_t>(inst_.op) >= kNumOpcodes) return "the opcode does not exist";
    if (inst_.is_machine()) return machine();
    std::string_view name = info(inst_.op).name;
    if (inst_.type > Type::none) return fmt::format("{}: its type does not exist", name);
    if (inst_.op != Opcode::Call && !takes_type(inst_.op, inst_.type)) {
      if (inst_.type != Type::none) return fmt::format("{} has no form for {}", name, type_name(inst_.type));
      // Where it might have come from, there may be nothing.
      if (!registers_exist()) return fmt::format("{}: {}", name, why_);
      return fmt::format("{} needs a type", name);
    }
    if (!check_guard() || !check_operands() || !check_results())
      return fmt::format("{}: {}", shown(inst_), why_);
    return {};
  }

 private:
  std::string machine() const {
    const InstructionSet* set = function_.instruction_set.get();
    if (!set || inst_.form() >= set->num_forms())
      return "a machine instruction without an instruction set that has it";
    const MachineForm& form = set->form(inst_);
    for (Operand operand : operands_) {
      if (operand.reads_reg() && !exists(operand.reg()))
        return fmt::format("{}.{}: an operand is no register", set->name(), form.name);
    }
    if (form.opcode() != inst_.op) return fmt::format("{}.{} has another effect", set->name(), form.name);
    return set->refusal(form, function_, operands_, inst_.guard, inst_.num_results());
  }

  template <class... Args>
  bool fail(fmt::format_string<Args...> format, Args&&... args) {
    why_ = fmt::format(format, std::forward<Args>(args)...);
    return false;
  }

  bool check_guard() {
    if (!inst_.guard) return true;
    if (inst_.is_phi() || inst_.is_psi()) return fail("it carries no guard; its arguments do");
    return check_reg(inst_.guard.reg(), Type::i1, kGuard);
  }

  bool exists(Reg r) const { return r.index() < function_.num_regs(); }
  bool exists(BlockId b) const { return b.index() < function_.num_blocks(); }

  bool check_reg(Reg r, Type type, size_t at) {
    if (exists(r) && fits(function_.type(r), type)) return true;
    // An operand keeps 29 bits of a register's number.
    if (r.index() >= Operand::kMaxIndex) return fail("{} is no register", place(at));
    if (!exists(r)) {
      return fail("{} is register {}, which the function does not have", place(at), r.index());
    }
    return fail("{} is {}, {}, but must be {}", place(at), shown(function_, r),
                with_article(function_.type(r)), with_article(type));
  }

  bool registers_exist() {
    for (size_t i = 0; i < operands_.size(); ++i) {
      Operand operand = operands_[i];
      if (operand.reads_reg() && !exists(operand.reg()) && !check_reg(operand.reg(), Type::none, i))
        return false;
    }
    return true;
  }

  // Machine registers hold values of several types.
  bool fits(Type actual, Type wanted) const {
    return wanted == Type::none || actual == wanted || function_.form == Form::Allocated;
  }

  static constexpr size_t kGuard = SIZE_MAX, kResult = SIZE_MAX - 1;  // in the place of an operand's number
  static std::string place(size_t at) {
    return at == kGuard ? "the guard" : at == kResult ? "the result" : fmt::format("operand {}", at + 1);
  }

  // none: of any type.
  bool value(size_t i, Type type) {
    Operand operand = operands_[i];
    switch (operand.kind()) {
      case Operand::Kind::Reg:
        return check_reg(operand.reg(), type, i);
      case Operand::Kind::Small:
      case Operand::Kind::Undef:
        break;
      case Operand::Kind::Pooled:
        if (!function_.owns_literal(operand)) return fail("{} is a literal of another function", place(i));
        break;
      case Operand::Kind::Symbol:
        if (module_ && operand.symbol().index() >= module_->num_symbols()) {
          return fail("{} is no symbol of the module", place(i));
        }
        break;
      case Operand::Kind::NotReg:
        return fail("{} is a complement, which only a guard of a psi and the input of a cmpp may be",
                    place(i));
      case Operand::Kind::Block:
        return fail("{} is a block, but must be a value", place(i));
      case Operand::Kind::None:
        return fail("{} is missing", place(i));
    }
    Type actual = function_.type(operand);
    if (fits(actual, type)) return true;
    return fail("{} is {}, but must be {}", place(i), with_article(actual), with_article(type));
  }

  bool values(std::initializer_list<Type> types) {
    if (!count_is(types.size())) return false;
    size_t i = 0;
    for (Type type : types) {
      if (!value(i++, type)) return false;
    }
    return true;
  }

  bool count_is(size_t count) {
    if (operands_.size() == count) return true;
    return fail("it has {}, but takes {}", counted(operands_.size(), "operand"), count);
  }

  bool pairs_from(size_t first) {
    if (operands_.size() >= first && (operands_.size() - first) % 2 == 0) return true;
    return fail("its operands do not come in pairs");
  }

  bool block(size_t i) {
    Operand operand = operands_[i];
    if (!operand.is_block()) return fail("{} must be a block", place(i));
    if (exists(operand.block())) return true;
    if (operand == Operand::block(BlockId())) return fail("{} is no block", place(i));
    return fail("{} is block {}, which the function does not have", place(i), operand.block().index());
  }

  bool predicate(size_t i) {
    Operand operand = operands_[i];
    if (operand == Operand::always()) return true;
    if (!operand.reads_reg())
      return fail("{} must be a predicate: a register, its complement, or always", place(i));
    return check_reg(operand.reg(), Type::i1, i);
  }

  bool literal(size_t i, Type type) {
    if (!operands_[i].is_literal()) return fail("{} must be a literal", place(i));
    return value(i, type);
  }

  bool condition() {
    if (inst_.kind < kNumConds && is_float_cond(inst_.cond()) == is_float(inst_.type)) return true;
    return fail("its condition is not one for {}", type_name(inst_.type));
  }

  bool check_operands() {
    Type t = inst_.type, wide = function_.address_type();
    switch (inst_.format()) {
      case Format::Binary:
      case Format::Overflow:
        return values({t, t});
      case Format::Unary:
        if (inst_.op == Opcode::Bswap && bit_width(t) < 16) return fail("it has no two bytes to exchange");
        return values({t});
      case Format::Ternary:
        return values({t, t, t});
      case Format::Compare:
        return condition() && values({t, t});
      case Format::ComparePredicate:
        return condition() && check_cmpp();
      case Format::Convert:
        if (inst_.kind >= kNumTypes || !converts(inst_.op, inst_.from(), t)) {
          return fail("it cannot make {} of {}", type_name(t),
                      inst_.kind >= kNumTypes ? "nothing" : type_name(inst_.from()));
        }
        return values({inst_.from()});
      case Format::Move:
        return values({t});
      case Format::Select:
        return values({Type::i1, t, t});
      case Format::Phi:
        if (!check_merge() || !pairs_from(0)) return false;
        for (size_t i = 0; i < operands_.size(); i += 2) {
          if (!block(i) || !value(i + 1, t)) return false;
        }
        return true;
      case Format::Psi:
        if (!check_merge() || !pairs_from(0)) return false;
        for (size_t i = 0; i < operands_.size(); i += 2) {
          if (!predicate(i) || !value(i + 1, t)) return false;
        }
        return !operands_.empty() || fail("it has no argument");
      case Format::Slot:
        return values({wide});
      case Format::PtrAdd:
        return values({Type::ptr, wide});
      case Format::PtrIndex:
        return values({Type::ptr, wide, wide, wide}) && literal(2, wide) && literal(3, wide);
      case Format::Load:
      case Format::VaList:
      case Format::VaArg:
        return values({Type::ptr});
      case Format::Store:
        return values({t, Type::ptr});
      case Format::MemCopy:
        return values({Type::ptr, Type::ptr, wide});
      case Format::MemSet:
        return values({Type::ptr, Type::i8, wide});
      case Format::VaCopy:
        return values({Type::ptr, Type::ptr});
      case Format::Call:
        return check_call();
      case Format::Branch:
        if (operands_.size() == 1) return block(0);
        return count_is(3) && value(0, Type::i1) && block(1) && block(2);
      case Format::Switch:
        if (!pairs_from(2) || !value(0, t) || !block(1)) return false;
        for (size_t i = 2; i < operands_.size(); i += 2) {
          if (!literal(i, t) || !block(i + 1)) return false;
        }
        return true;
      case Format::Return:
        return check_return();
      case Format::Unreachable:
        return count_is(0);
      case Format::Machine:
        break;
    }
    return fail("its opcode has no format");
  }

  bool check_merge() {
    if (is_ssa(function_.form)) return true;
    return fail("it stands only in SSA forms, but the function is {}", form_name(function_.form));
  }

  bool check_cmpp() {
    size_t olds = 0;
    for (int target = 0; target < 2; ++target) {
      Action action = inst_.action(target);
      if (action > Action::none || (target == 0 && action == Action::none))
        return fail("an action does not exist");
      olds += is_ssa(function_.form) && is_partial(action);
    }
    if (!count_is(3 + olds) || !value(0, inst_.type) || !value(1, inst_.type) || !predicate(2)) return false;
    for (size_t i = 3; i < operands_.size(); ++i) {
      if (!value(i, Type::i1)) return false;
    }
    return true;
  }

  bool check_call() {
    if (operands_.empty()) return fail("it calls nothing");
    if (!value(0, Type::ptr)) return false;
    for (size_t i = 1; i < operands_.size(); ++i) {
      if (!value(i, Type::none)) return false;
    }
    if (!module_ || !operands_[0].is_symbol()) return true;
    SymbolId callee = operands_[0].symbol();
    if (module_->kind(callee) != SymbolKind::Function) return true;
    const Signature& signature = module_->function(callee).signature;
    std::string_view name = module_->name(callee);
    size_t given = operands_.size() - 1, wanted = signature.params.size();
    if (given < wanted || (given > wanted && !signature.variadic)) {
      return fail("${} takes {}, but is given {}", name, counted(wanted, "argument"), given);
    }
    for (size_t i = 0; i < wanted; ++i) {
      if (Type actual = function_.type(operands_[i + 1]); !fits(actual, signature.params[i])) {
        return fail("argument {} of ${} is {}, but must be {}", i + 1, name, with_article(actual),
                    with_article(signature.params[i]));
      }
    }
    if (inst_.type == Type::none || inst_.type == signature.result) return true;
    return fail("${} returns {}", name, type_name(signature.result));
  }

  bool check_return() {
    Type result = function_.signature.result;
    if (result == Type::none) {
      return operands_.empty() || fail("it returns a value, but the function has no result");
    }
    if (operands_.empty())
      return fail("it returns nothing, but the function returns {}", with_article(result));
    return values({result});
  }

  bool check_results() {
    Type wanted = inst_.result_type();
    uint32_t count = wanted == Type::none ? 0 : 1;
    if (inst_.op == Opcode::Cmpp && inst_.action(1) != Action::none) count = 2;
    uint32_t given = (inst_.results[0] ? 1u : 0u) + (inst_.results[1] ? 1u : 0u);
    if (given != count || (count == 1 && !inst_.results[0])) {
      return fail("it writes {}, but gets {}", counted(count, "result"), counted(given, "register"));
    }
    for (Reg r : inst_.results) {
      if (r && !check_reg(r, wanted, kResult)) return false;
    }
    if (count < 2 || inst_.results[0] != inst_.results[1]) return true;
    return fail("both results are {}", shown(function_, inst_.results[0]));
  }

  const Function& function_;
  const Inst& inst_;
  std::span<const Operand> operands_;
  const Module* module_;
  std::string why_;
};

}  // namespace

std::string mistake_in(const Function& function, const Inst& inst, std::span<const Operand> operands,
                       const Module* module) {
  return InstCheck(function, inst, operands, module).run();
}

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string shown(const Function& function, Reg r) {
  std::string_view name = function.name(r);
  return name.empty() ? fmt::format("%{}", r.index()) : fmt::format("%{}", name);
}

std::string shown(const Function& function, BlockId b) {
  std::string_view name = function.name(b);
  return name.empty() ? fmt::format("@{}", b.index()) : fmt::format("@{}", name);
}

std::string shown(const Inst& inst) {
  std::string text(info(inst.op).name);
  if (inst.format() == Format::Convert) text += fmt::format(".{}", type_name(inst.from()));
  if (inst.type != Type::none) text += fmt::format(".{}", type_name(inst.type));
  return text;
}

}  // namespace psi
