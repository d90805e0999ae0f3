#include "llvm/export_calls.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "llvm/export_values.h"
#include "llvm/mapping.h"

namespace psi::llvm_bridge {

llvm::Value* resize(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type) {
  if (value->getType() == type || !type->isIntegerTy() || !value->getType()->isIntegerTy()) return value;
  return builder.CreateZExtOrTrunc(value, type);
}

ExportCalls::ExportCalls(LlvmModule::Impl& impl, llvm::Function& original, llvm::IRBuilder<>& builder)
    : impl_(impl), builder_(builder) {
  for (llvm::BasicBlock& block : original) {
    for (llvm::Instruction& inst : block) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
      if (!call || call->isInlineAsm()) continue;
      if (llvm::isa<llvm::Function>(call->getCalledOperand())) {
        direct_[call->getCalledOperand()].push_back(call);
      } else {
        indirect_.push_back(call);
      }
    }
  }
}

namespace {

// Does a value of psic's types fit this LLVM type, up to the width of odd integers?
bool fits(llvm::Type* ours, llvm::Type* theirs) {
  if (ours == theirs) return true;
  return ours->isIntegerTy() && theirs->isIntegerTy() &&
         ours->getIntegerBitWidth() > theirs->getIntegerBitWidth() &&
         llvm::PowerOf2Ceil(std::max(8u, theirs->getIntegerBitWidth())) == ours->getIntegerBitWidth();
}

bool fits(llvm::FunctionType* type, std::span<llvm::Value* const> arguments, llvm::Type* result) {
  // A structure comes back through a pointer, which is the last argument.
  bool through_memory = is_aggregate(*type->getReturnType());
  size_t count = arguments.size() - (through_memory && !arguments.empty() ? 1 : 0);
  if (type->getNumParams() > count || (type->getNumParams() < count && !type->isVarArg())) return false;
  for (unsigned i = 0; i < type->getNumParams(); ++i) {
    if (!fits(arguments[i]->getType(), type->getParamType(i))) return false;
  }
  return through_memory || result->isVoidTy() || fits(result, type->getReturnType());
}

// How an argument is passed; anything else is a promise about its value.
bool is_convention(llvm::Attribute attribute) {
  if (attribute.isStringAttribute()) return false;
  switch (attribute.getKindAsEnum()) {
    case llvm::Attribute::ZExt:
    case llvm::Attribute::SExt:
    case llvm::Attribute::InReg:
    case llvm::Attribute::ByVal:
    case llvm::Attribute::ByRef:
    case llvm::Attribute::StructRet:
    case llvm::Attribute::InAlloca:
    case llvm::Attribute::Preallocated:
    case llvm::Attribute::Nest:
    case llvm::Attribute::SwiftSelf:
    case llvm::Attribute::SwiftError:
    case llvm::Attribute::SwiftAsync:
      return true;
    default:
      return false;
  }
}

// The attributes that are in both sets. Clears `agree` if the sets differ in how arguments are passed.
llvm::AttributeSet common(llvm::LLVMContext& context, llvm::AttributeSet a, llvm::AttributeSet b,
                          bool& agree) {
  if (a == b) return a;
  auto has = [](llvm::AttributeSet set, llvm::Attribute attribute) {
    return std::find(set.begin(), set.end(), attribute) != set.end();
  };
  llvm::AttrBuilder kept(context);
  for (llvm::Attribute attribute : a) {
    if (has(b, attribute)) {
      kept.addAttribute(attribute);
    } else if (is_convention(attribute)) {
      agree = false;
    }
  }
  for (llvm::Attribute attribute : b) agree = agree && (!is_convention(attribute) || has(a, attribute));
  return llvm::AttributeSet::get(context, kept);
}

}  // namespace

void ExportCalls::merge(Model& model, const llvm::CallBase& call) {
  llvm::LLVMContext& context = builder_.getContext();
  llvm::AttributeList theirs = call.getAttributes();
  bool agree = true;
  std::vector<llvm::AttributeSet> params;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (i < model.type->getNumParams()) continue;
    // Variadic arguments: which call has which is not known, and promises about them are not needed.
    for (llvm::Attribute attribute : theirs.getParamAttrs(i)) agree = agree && !is_convention(attribute);
  }
  bool is_first = !model.has_call;
  model.has_call = true;
  for (unsigned i = 0; i < model.type->getNumParams(); ++i) {
    llvm::AttributeSet own = theirs.getParamAttrs(i);
    params.push_back(is_first ? own : common(context, model.attributes.getParamAttrs(i), own, agree));
  }
  if (is_first) {
    model.convention = call.getCallingConv();
    model.attributes = llvm::AttributeList::get(context, theirs.getFnAttrs(), theirs.getRetAttrs(), params);
  } else {
    agree = agree && model.convention == call.getCallingConv();
    model.attributes = llvm::AttributeList::get(
        context, common(context, model.attributes.getFnAttrs(), theirs.getFnAttrs(), agree),
        common(context, model.attributes.getRetAttrs(), theirs.getRetAttrs(), agree), params);
  }
  if (!agree) problem_ = "it has calls of the same types that pass their arguments in different ways";
}

ExportCalls::Model ExportCalls::find_model(llvm::Value* callee, std::span<llvm::Value* const> arguments,
                                           Type result) {
  llvm::Type* result_type = llvm_type(builder_.getContext(), result);
  auto direct = direct_.find(callee);
  std::span<llvm::CallBase* const> calls = indirect_;
  if (direct != direct_.end()) calls = direct->second;
  if (direct == direct_.end() && llvm::isa<llvm::Function>(callee)) calls = {};
  Model model;
  // A call without a result may be one whose result is not used any more; but rather one that never had one.
  for (bool drops_result : {false, true}) {
    for (llvm::CallBase* call : calls) {
      llvm::FunctionType* type = call->getFunctionType();
      bool drops =
          result == Type::none && !type->getReturnType()->isVoidTy() && !is_aggregate(*type->getReturnType());
      if (drops != drops_result || !fits(type, arguments, result_type)) continue;
      if (!model.type) model.type = type;
      if (type == model.type) {
        merge(model, *call);
      } else {
        problem_ = "it has indirect calls whose types psic IR does not tell apart";
      }
    }
    if (model.type) return model;
  }
  auto* function = llvm::dyn_cast<llvm::Function>(callee);
  if (function && fits(function->getFunctionType(), arguments, result_type)) {
    return {function->getFunctionType(), function->getCallingConv(), {}, false};
  }
  std::vector<llvm::Type*> params;
  for (llvm::Value* argument : arguments) params.push_back(argument->getType());
  return {llvm::FunctionType::get(result_type, params, false), llvm::CallingConv::C, {}, false};
}

llvm::Value* ExportCalls::call(llvm::Value* callee, std::span<llvm::Value* const> arguments, Type result) {
  Model model = find_model(callee, arguments, result);
  llvm::FunctionType* type = model.type;
  llvm::Type* result_type = llvm_type(builder_.getContext(), result);
  bool through_memory = is_aggregate(*type->getReturnType());
  std::vector<llvm::Value*> values(arguments.begin(), arguments.end() - (through_memory ? 1 : 0));
  for (unsigned i = 0; i < type->getNumParams(); ++i)
    values[i] = resize(builder_, values[i], type->getParamType(i));
  llvm::CallInst* call = builder_.CreateCall(type, callee, values);
  call->setCallingConv(model.convention);
  call->setAttributes(model.attributes);
  if (through_memory) {
    builder_.CreateStore(call, arguments.back());
    return nullptr;
  }
  return result == Type::none ? nullptr : resize(builder_, call, result_type);
}

llvm::Value* ExportCalls::opaque(uint32_t number, std::span<llvm::Value* const> operands) {
  llvm::Instruction* model = impl_.opaque[number];
  llvm::Instruction* copy = model->clone();
  size_t next = 0;
  for (unsigned i : opaque_operands(*model)) {
    copy->setOperand(i, resize(builder_, operands[next++], copy->getOperand(i)->getType()));
  }
  builder_.Insert(copy);
  impl_.opaque[number] = copy;
  if (copy->getType()->isVoidTy()) return nullptr;
  if (!is_aggregate(*copy->getType())) return copy;
  builder_.CreateStore(copy, operands[next]);
  return nullptr;
}

}  // namespace psi::llvm_bridge
