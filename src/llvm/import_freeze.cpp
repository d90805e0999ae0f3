// freeze: a copy where the value cannot be undef in psic IR, otherwise an instruction without words of its
// own.
//
// Import drops the flags that make LLVM's arithmetic give poison, so undef comes only from where it is read
// (memory, parameters, calls), written as a constant, or made by a shift or conversion out of range. A search
// back from the value finds whether one of these is behind it; it gives up after a fixed number of values.

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>

#include "llvm/import.h"

namespace psi::llvm_bridge {
namespace {

bool shifts_within_width(const llvm::Instruction& shift) {
  const auto* amount = llvm::dyn_cast<llvm::ConstantInt>(shift.getOperand(1));
  return amount && amount->getValue().ult(amount->getBitWidth());
}

enum class Origin : uint8_t { Defined, MaybeUndef, Operands };

// Is the value defined, or may it be undef, or is that for its operands to say?
Origin origin_of(const llvm::Value& value) {
  auto either = [](bool defined) { return defined ? Origin::Defined : Origin::MaybeUndef; };
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) {
    return either(llvm::isGuaranteedNotToBeUndefOrPoison(constant));
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    return either(argument->hasAttribute(llvm::Attribute::NoUndef));
  }
  const auto& inst = llvm::cast<llvm::Instruction>(value);
  switch (inst.getOpcode()) {
    case llvm::Instruction::Alloca:
    case llvm::Instruction::Freeze:
      return Origin::Defined;
    case llvm::Instruction::Load:
      return either(inst.hasMetadata(llvm::LLVMContext::MD_noundef));
    case llvm::Instruction::Call:
      return either(llvm::cast<llvm::CallInst>(inst).hasRetAttr(llvm::Attribute::NoUndef));
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return shifts_within_width(inst) ? Origin::Operands : Origin::MaybeUndef;
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      return Origin::MaybeUndef;
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
    case llvm::Instruction::Select:
    case llvm::Instruction::PHI:
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::FNeg:
      return Origin::Operands;
    default:
      return inst.isBinaryOp() || inst.isCast() ? Origin::Operands : Origin::MaybeUndef;
  }
}

// Values that depend on each other in a cycle are undef only if something outside it is.
bool is_defined(const llvm::Value& root) {
  constexpr unsigned kMaxValues = 64;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen{&root};
  llvm::SmallVector<const llvm::Value*, 16> pending{&root};
  while (!pending.empty()) {
    const llvm::Value* value = pending.pop_back_val();
    Origin origin = origin_of(*value);
    if (origin == Origin::MaybeUndef || seen.size() > kMaxValues) return false;
    if (origin == Origin::Defined) continue;
    for (const llvm::Use& use : llvm::cast<llvm::Instruction>(value)->operands()) {
      if (seen.insert(use.get()).second) pending.push_back(use.get());
    }
  }
  return true;
}

}  // namespace

void FunctionImport::import_freeze(const llvm::Instruction& inst) {
  const llvm::Value& value = *inst.getOperand(0);
  if (is_aggregate(*inst.getType())) return fail("freezes a struct");
  if (llvm::isa<llvm::Constant>(value)) return define_as(inst, defined_operand(value));
  if (is_defined(value) || llvm::isGuaranteedNotToBeUndefOrPoison(&value, nullptr, &inst)) {
    return define_as(inst, operand(value));
  }
  import_opaque(inst);
}

}  // namespace psi::llvm_bridge
