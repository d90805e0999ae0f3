// Globals and their initial contents. An initialiser is walked leaf by leaf in the order of its bytes;
// scalars are collected in a run of bytes until an address or a run of zeros ends it. Contents other than
// data and addresses (such as a difference of addresses) make the global external.

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

#include <algorithm>
#include <cstring>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {
namespace {

class Contents {
 public:
  Contents(ModuleImport& context, std::vector<Initialiser>& pieces) : context_(context), pieces_(pieces) {}

  // False for contents that an initialiser cannot express.
  bool run(const llvm::Constant& root) {
    uint64_t size = context_.layout.getTypeAllocSize(root.getType());
    if (is_lone_value(root)) return true;
    pending_.push_back({&root, 0});
    while (!pending_.empty()) {
      auto [constant, offset] = pending_.pop_back_val();
      if (!add(*constant, offset)) return false;
    }
    pad_to(size);
    end_run();
    return true;
  }

 private:
  struct Part {
    const llvm::Constant* constant;
    uint64_t offset;
  };

  // A global of a single number is written as that number.
  bool is_lone_value(const llvm::Constant& constant) {
    Type type = carrier(*constant.getType());
    if (type == Type::none || type == Type::ptr || non_native_width(*constant.getType())) return false;
    Initialiser piece;
    piece.kind = Initialiser::Kind::Value;
    piece.type = type;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
      piece.bits = number->getZExtValue();
    } else if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
      piece.bits = real->getValueAPF().bitcastToAPInt().getZExtValue();
    } else {
      return false;
    }
    pieces_.push_back(std::move(piece));
    return true;
  }

  bool add(const llvm::Constant& constant, uint64_t offset) {
    const llvm::Type& type = *constant.getType();
    // Undefined bytes become zeros, which refines them.
    if (constant.isNullValue() || llvm::isa<llvm::UndefValue>(constant)) return true;
    if (const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(&constant)) {
      llvm::StringRef bytes = data->getRawDataValues();
      return add_bytes(bytes.data(), bytes.size(), offset);
    }
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
      return add_number(number->getValue(), context_.layout.getTypeStoreSize(constant.getType()), offset);
    }
    if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
      llvm::APInt bits = real->getValueAPF().bitcastToAPInt();
      return add_number(bits, (bits.getBitWidth() + 7) / 8, offset);
    }
    if (type.isStructTy()) return add_fields(constant, offset);
    if (type.isArrayTy()) {
      return add_elements(constant, type.getArrayNumElements(),
                          context_.layout.getTypeAllocSize(type.getArrayElementType()), offset);
    }
    if (type.isVectorTy()) return add_vector(constant, offset);
    return add_address(constant, offset);
  }

  // The last part is pushed first, so that the parts are met in the order of their offsets.
  bool add_fields(const llvm::Constant& constant, uint64_t offset) {
    auto* type = llvm::cast<llvm::StructType>(constant.getType());
    const llvm::StructLayout& fields = *context_.layout.getStructLayout(type);
    for (unsigned i = type->getNumElements(); i-- > 0;) {
      pending_.push_back({constant.getAggregateElement(i), offset + fields.getElementOffset(i)});
    }
    return true;
  }

  bool add_elements(const llvm::Constant& constant, uint64_t count, uint64_t stride, uint64_t offset) {
    for (uint64_t i = count; i-- > 0;) {
      pending_.push_back({constant.getAggregateElement(static_cast<unsigned>(i)), offset + i * stride});
    }
    return true;
  }

  bool add_vector(const llvm::Constant& constant, uint64_t offset) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(constant.getType());
    if (!type || !context_.layout.typeSizeEqualsStoreSize(type->getElementType())) return false;
    return add_elements(constant, type->getNumElements(),
                        context_.layout.getTypeStoreSize(type->getElementType()), offset);
  }

  bool add_number(const llvm::APInt& value, uint64_t size, uint64_t offset) {
    llvm::SmallVector<char, 16> bytes;
    for (uint64_t i = 0; i < size; ++i) {
      unsigned at = static_cast<unsigned>(i * 8);
      unsigned width = std::min(8u, value.getBitWidth() - at);
      bytes.push_back(static_cast<char>(value.extractBitsAsZExtValue(width, at)));
    }
    return add_bytes(bytes.data(), bytes.size(), offset);
  }

  bool add_bytes(const char* bytes, size_t size, uint64_t offset) {
    pad_to(offset);
    run_.append(bytes, size);
    return true;
  }

  bool add_address(const llvm::Constant& constant, uint64_t offset) {
    const uint64_t size = context_.module.pointer_bits() / 8;
    if (context_.layout.getTypeStoreSize(constant.getType()) != size) return false;
    const llvm::Constant* at = &constant;
    // An address may be disguised as a number.
    while (const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(at)) {
      if (cast->getOpcode() != llvm::Instruction::PtrToInt &&
          cast->getOpcode() != llvm::Instruction::IntToPtr)
        break;
      at = cast->getOperand(0);
      if (context_.layout.getTypeStoreSize(at->getType()) != size) return false;
    }
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(at)) {
      return add_number(number->getValue(), size, offset);
    }
    if (!at->getType()->isPointerTy() || at->getType()->getPointerAddressSpace() != 0) return false;
    llvm::APInt addend(context_.module.pointer_bits(), 0);
    const llvm::Value* base = at->stripAndAccumulateConstantOffsets(context_.layout, addend, true);
    if (llvm::isa<llvm::ConstantPointerNull>(base)) return add_number(addend, size, offset);
    const auto* symbol = llvm::dyn_cast<llvm::GlobalValue>(base);
    if (!symbol || !context_.symbols.contains(symbol)) return false;
    pad_to(offset);
    end_run();
    Initialiser piece;
    piece.kind = Initialiser::Kind::Address;
    piece.symbol = context_.symbols.lookup(symbol);
    piece.addend = addend.getSExtValue();
    pieces_.push_back(std::move(piece));
    end_ += size;
    return true;
  }

  uint64_t end() const { return end_ + run_.size(); }

  void pad_to(uint64_t offset) {
    // Short gaps stay in the run of bytes: a piece costs more than they do.
    constexpr uint64_t kLongGap = 64;
    uint64_t gap = offset - end();
    if (!run_.empty() && gap < kLongGap) {
      run_.append(gap, '\0');
      return;
    }
    if (gap == 0) return;
    end_run();
    Initialiser piece;
    piece.kind = Initialiser::Kind::Zero;
    piece.bits = gap;
    pieces_.push_back(std::move(piece));
    end_ += gap;
  }

  void end_run() {
    if (run_.empty()) return;
    Initialiser piece;
    piece.kind = Initialiser::Kind::Bytes;
    piece.bytes.assign(run_.data(), run_.size());
    pieces_.push_back(std::move(piece));
    end_ += run_.size();
    run_.clear();
  }

  ModuleImport& context_;
  std::vector<Initialiser>& pieces_;
  llvm::SmallVector<Part, 32> pending_;
  std::string run_;   // bytes that no piece holds yet
  uint64_t end_ = 0;  // where they start: the bytes that pieces hold
};

}  // namespace

void import_global(ModuleImport& context, const llvm::GlobalVariable& source) {
  Global& global = context.module.global(context.symbols.lookup(&source));
  global.constant = source.isConstant();
  global.external = true;
  uint64_t max_align = uint64_t{1} << 31;
  global.align = std::min(context.layout.getPreferredAlign(&source).value(), max_align);
  if (source.getValueType()->isSized()) global.size = context.layout.getTypeAllocSize(source.getValueType());
  if (!source.hasInitializer() || source.isThreadLocal() || source.getAddressSpace() != 0) return;
  std::vector<Initialiser> pieces;
  if (!Contents(context, pieces).run(*source.getInitializer())) return;
  // Contents that another module may replace are not constant.
  global.constant = source.isConstant() && source.hasDefinitiveInitializer();
  global.external = false;
  pieces.shrink_to_fit();
  global.contents = std::move(pieces);
}

}  // namespace psi::llvm_bridge
