#include "llvm/bridge/mapping.h"

#include <llvm/IR/Argument.h>

namespace psi::llvm_bridge {

Type carrier(const llvm::Type& type) {
  switch (type.getTypeID()) {
    case llvm::Type::IntegerTyID: {
      unsigned width = llvm::cast<llvm::IntegerType>(type).getBitWidth();
      if (width == 1) return Type::i1;
      if (width <= 8) return Type::i8;
      if (width <= 16) return Type::i16;
      if (width <= 32) return Type::i32;
      return width <= 64 ? Type::i64 : Type::none;
    }
    case llvm::Type::PointerTyID:
      return llvm::cast<llvm::PointerType>(type).getAddressSpace() == 0 ? Type::ptr : Type::none;
    case llvm::Type::FloatTyID:
      return Type::f32;
    case llvm::Type::DoubleTyID:
      return Type::f64;
    default:
      return Type::none;
  }
}

unsigned non_native_width(const llvm::Type& type) {
  if (!type.isIntegerTy()) return 0;
  unsigned width = llvm::cast<llvm::IntegerType>(type).getBitWidth();
  return width > 64 || width == bit_width(carrier(type)) ? 0 : width;
}

std::string unsupported_type(const llvm::Type& type) {
  switch (type.getTypeID()) {
    case llvm::Type::IntegerTyID:
      return "uses an integer wider than 64 bits";
    case llvm::Type::PointerTyID:
      return "uses an address space other than 0";
    case llvm::Type::FixedVectorTyID:
    case llvm::Type::ScalableVectorTyID:
      return "uses a vector";
    case llvm::Type::X86_FP80TyID:
      return "uses x86_fp80";
    case llvm::Type::FP128TyID:
    case llvm::Type::PPC_FP128TyID:
      return "uses fp128";
    case llvm::Type::HalfTyID:
    case llvm::Type::BFloatTyID:
      return "uses half";
    case llvm::Type::TokenTyID:
      return "uses a token";
    case llvm::Type::StructTyID:
    case llvm::Type::ArrayTyID:
      return "uses a struct where only a scalar can be";
    default:
      return "uses a type that psic IR lacks";
  }
}

bool is_aggregate(const llvm::Type& type) { return type.isStructTy() || type.isArrayTy(); }

std::optional<Signature> signature_of(const llvm::FunctionType& type) {
  Signature signature;
  signature.params.reserve(type.getNumParams() + 1);
  for (const llvm::Type* param : type.params()) {
    Type carried = carrier(*param);
    if (carried == Type::none) return std::nullopt;
    signature.params.push_back(carried);
  }
  const llvm::Type& result = *type.getReturnType();
  if (is_aggregate(result)) {
    if (type.isVarArg()) return std::nullopt;
    signature.params.push_back(Type::ptr);
  } else if (!result.isVoidTy()) {
    signature.result = carrier(result);
    if (signature.result == Type::none) return std::nullopt;
  }
  signature.variadic = type.isVarArg();
  return signature;
}

std::vector<unsigned> opaque_operands(const llvm::Instruction& instruction) {
  std::vector<unsigned> operands;
  for (unsigned i = 0; i < instruction.getNumOperands(); ++i) {
    const llvm::Value* operand = instruction.getOperand(i);
    if (llvm::isa<llvm::Instruction>(operand) || llvm::isa<llvm::Argument>(operand)) operands.push_back(i);
  }
  return operands;
}

}  // namespace psi::llvm_bridge
