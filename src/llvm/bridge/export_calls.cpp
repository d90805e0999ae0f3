#include "llvm/bridge/export_calls.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "llvm/bridge/export_values.h"
#include "llvm/bridge/mapping.h"

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
      if (call && !call->isInlineAsm()) add(*call);
    }
  }
}

void ExportCalls::add(const llvm::CallBase& call) {
  std::vector<Model>& models = models_[llvm::dyn_cast<llvm::Function>(call.getCalledOperand())];
  auto same_type = [&](const Model& model) { return model.type == call.getFunctionType(); };
  auto model = std::find_if(models.begin(), models.end(), same_type);
  if (model != models.end()) return merge(*model, call);
  Model& first = models.emplace_back();
  first.type = call.getFunctionType();
  first.convention = call.getCallingConv();
  merge(first, call);
}

namespace {

// Does a value of psic's types fit this LLVM type, up to the width of non-native integers?
bool fits(llvm::Type* ours, llvm::Type* theirs) {
  if (ours == theirs) return true;
  return ours->isIntegerTy() && theirs->isIntegerTy() &&
         ours->getIntegerBitWidth() > theirs->getIntegerBitWidth() &&
         llvm::PowerOf2Ceil(std::max(8u, theirs->getIntegerBitWidth())) == ours->getIntegerBitWidth();
}

bool fits(llvm::FunctionType* type, std::span<llvm::Value* const> arguments, llvm::Type* result) {
  // A structure is returned through a pointer, the last argument.
  bool through_memory = is_aggregate(*type->getReturnType());
  size_t count = arguments.size() - (through_memory && !arguments.empty() ? 1 : 0);
  if (type->getNumParams() > count || (type->getNumParams() < count && !type->isVarArg())) return false;
  for (unsigned i = 0; i < type->getNumParams(); ++i) {
    if (!fits(arguments[i]->getType(), type->getParamType(i))) return false;
  }
  return through_memory || result->isVoidTy() || fits(result, type->getReturnType());
}

// Is it part of the calling convention? All other attributes are promises about the value.
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
  llvm::AttributeList theirs = call.getAttributes();
  model.agrees = model.agrees && model.convention == call.getCallingConv();
  bool is_first = !model.has_call;
  // Most calls of a function are alike. Arguments beyond the parameters are looked at in any case.
  if (!is_first && theirs == model.last && !model.type->isVarArg()) return;
  model.has_call = true;
  model.last = theirs;
  for (unsigned i = model.type->getNumParams(); i < call.arg_size(); ++i) {
    // Variadic arguments: the call is not known, and promises about them are not needed.
    for (llvm::Attribute attribute : theirs.getParamAttrs(i)) {
      model.agrees = model.agrees && !is_convention(attribute);
    }
  }
  llvm::LLVMContext& context = builder_.getContext();
  std::vector<llvm::AttributeSet> params;
  for (unsigned i = 0; i < model.type->getNumParams(); ++i) {
    llvm::AttributeSet own = theirs.getParamAttrs(i);
    params.push_back(is_first ? own : common(context, model.attributes.getParamAttrs(i), own, model.agrees));
  }
  llvm::AttributeSet function = theirs.getFnAttrs(), result = theirs.getRetAttrs();
  if (!is_first) {
    function = common(context, model.attributes.getFnAttrs(), function, model.agrees);
    result = common(context, model.attributes.getRetAttrs(), result, model.agrees);
  }
  model.attributes = llvm::AttributeList::get(context, function, result, params);
}

ExportCalls::Model ExportCalls::find_model(llvm::Value* callee, std::span<llvm::Value* const> arguments,
                                           Type result) {
  llvm::Type* result_type = llvm_type(builder_.getContext(), result);
  auto* function = llvm::dyn_cast<llvm::Function>(callee);
  auto known = models_.find(function);
  const Model* found = nullptr;
  // A call without a result may come from one whose result became unused, but preferably from one without a
  // result.
  for (bool drops_result : {false, true}) {
    if (found || known == models_.end()) break;
    for (const Model& model : known->second) {
      llvm::Type* returned = model.type->getReturnType();
      bool drops = result == Type::none && !returned->isVoidTy() && !is_aggregate(*returned);
      if (drops != drops_result || !fits(model.type, arguments, result_type)) continue;
      if (found) problem_ = "it has indirect calls whose types psic IR does not distinguish";
      found = found ? found : &model;
    }
  }
  if (found) {
    if (!found->agrees) {
      problem_ = "it has calls of the same types that pass their arguments in different ways";
    }
    return *found;
  }
  if (function && fits(function->getFunctionType(), arguments, result_type)) {
    return {.type = function->getFunctionType(), .convention = function->getCallingConv()};
  }
  std::vector<llvm::Type*> params;
  for (llvm::Value* argument : arguments) params.push_back(argument->getType());
  return {.type = llvm::FunctionType::get(result_type, params, false)};
}

ExportCalls::Model ExportCalls::model_of(llvm::Value* callee, std::span<llvm::Value* const> arguments,
                                         Type result, const llvm::Instruction* origin) {
  const auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(origin);
  if (!call || call->isInlineAsm()) return find_model(callee, arguments, result);
  // A pass may have resolved an indirect call.
  bool is_same = callee == call->getCalledOperand() ||
                 (!llvm::isa<llvm::Function>(callee) && !llvm::isa<llvm::Function>(call->getCalledOperand()));
  llvm::Type* result_type = llvm_type(builder_.getContext(), result);
  if (!is_same || !fits(call->getFunctionType(), arguments, result_type)) {
    return find_model(callee, arguments, result);
  }
  return {.type = call->getFunctionType(),
          .convention = call->getCallingConv(),
          .attributes = call->getAttributes(),
          .origin = call};
}

llvm::Value* ExportCalls::call(llvm::Value* callee, std::span<llvm::Value* const> arguments, Type result,
                               const llvm::Instruction* origin) {
  Model model = model_of(callee, arguments, result, origin);
  llvm::FunctionType* type = model.type;
  llvm::Type* result_type = llvm_type(builder_.getContext(), result);
  bool through_memory = is_aggregate(*type->getReturnType());
  std::vector<llvm::Value*> values(arguments.begin(), arguments.end() - (through_memory ? 1 : 0));
  for (unsigned i = 0; i < type->getNumParams(); ++i)
    values[i] = resize(builder_, values[i], type->getParamType(i));
  llvm::CallInst* call = builder_.CreateCall(type, callee, values);
  call->setCallingConv(model.convention);
  call->setAttributes(model.attributes);
  if (model.origin) {
    call->setTailCallKind(model.origin->getTailCallKind());
    call->copyMetadata(*model.origin);
    if (impl_.dropped_scopes) {
      call->setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
      call->setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
    }
  }
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
