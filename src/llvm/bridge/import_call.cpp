// Calls, and instructions that psic IR lacks, which become calls of a function $psi.llvm.N for this one
// instruction. Import remembers the instruction; export copies it.

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {

void FunctionImport::import_call(const llvm::CallInst& inst) {
  if (llvm::isa<llvm::IntrinsicInst>(inst) && !is_stack_intrinsic(*inst.getCalledFunction())) {
    if (!import_intrinsic(inst)) import_opaque(inst);
    return;
  }
  // Without that promise the program may need more stack than there is.
  if (inst.isMustTailCall()) return fail("has a call that must be a tail call");
  if (inst.isInlineAsm() || inst.hasOperandBundles()) return import_opaque(inst);
  Operands operands;
  operands.push_back(callee_of(inst));
  for (unsigned i = 0; i < inst.arg_size(); ++i) {
    const llvm::Value& argument = *inst.getArgOperand(i);
    if (is_aggregate(*argument.getType())) return fail("passes a struct as an argument");
    if (i >= inst.getFunctionType()->getNumParams() && inst.isByValArgument(i)) {
      return fail("passes a struct in memory to a variadic function");
    }
    operands.push_back(defined_operand(argument));
    if (failed()) return;
  }
  if (is_aggregate(*inst.getType())) {
    if (inst.getFunctionType()->isVarArg()) return fail("gets a struct from a variadic function");
    operands.push_back(Operand::reg(memory_of(inst)));
  }
  append_call(inst, operands);
}

// A call of a function with another type than declared goes through its address. A plain copy of the address
// would be folded into the call.
Operand FunctionImport::callee_of(const llvm::CallInst& inst) {
  const llvm::Value& callee = *inst.getCalledOperand();
  Operand result = operand(callee);
  if (!result.is_symbol()) return result.is_reg() ? result : emit(Opcode::Mov, Type::ptr, {result});
  const auto& global = llvm::cast<llvm::GlobalValue>(callee);
  if (global.getValueType() == inst.getFunctionType()) return result;
  return Operand::reg(builder_->ptradd(result, literal(target_->address_type(), 0)));
}

// The operands: the callee, then the arguments.
void FunctionImport::append_call(const llvm::Instruction& inst, Operands& operands) {
  Inst record;
  record.op = Opcode::Call;
  const llvm::Type& type = *inst.getType();
  if (!type.isVoidTy() && !is_aggregate(type)) {
    record.type = type_of(type);
    record.results[0] = reg_of(inst);
  }
  if (failed()) return;
  builder_->append(record, {operands.data(), operands.size()});
}

void FunctionImport::import_opaque(const llvm::Instruction& inst) {
  Signature signature;
  Operands operands;
  operands.push_back(Operand());
  for (unsigned i : opaque_operands(inst)) {
    const llvm::Value& value = *inst.getOperand(i);
    signature.params.push_back(type_of(*value.getType()));
    operands.push_back(operand(value));
    if (failed()) return;
  }
  const llvm::Type& type = *inst.getType();
  if (is_aggregate(type)) {
    signature.params.push_back(Type::ptr);
    operands.push_back(Operand::reg(memory_of(inst)));
  } else if (!type.isVoidTy()) {
    signature.result = type_of(type);
  }
  if (failed()) return;

  size_t number = context_.impl.opaque.size();
  context_.impl.opaque.push_back(const_cast<llvm::Instruction*>(&inst));
  SymbolId symbol = context_.module.intern_symbol("psi.llvm." + std::to_string(number));
  Function& stand_in = context_.module.add_function(symbol);
  stand_in.signature = std::move(signature);
  bool returns = !inst.mayHaveSideEffects() && !is_aggregate(type);
  stand_in.attributes.readnone = returns && !inst.mayReadFromMemory();
  stand_in.attributes.readonly = returns && inst.mayReadFromMemory();
  stand_in.attributes.nounwind = !inst.mayThrow();
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst))
    stand_in.attributes.noreturn = call->doesNotReturn();

  operands[0] = Operand::symbol(symbol);
  append_call(inst, operands);
}

}  // namespace psi::llvm_bridge
