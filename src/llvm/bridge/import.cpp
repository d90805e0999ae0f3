// The module around the functions: every function, global and alias of the LLVM module becomes a symbol of
// the same name, declared in LLVM's order; then the functions get their bodies, one at a time.
//
// Intrinsics are not symbols: a call of one is an instruction, or a call of $psi.llvm.N. The two that save
// and restore the stack are functions like any other, so that the interpreter knows them.

#include "llvm/bridge/import.h"

#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalIFunc.h>

namespace psi::llvm_bridge {
namespace {

FunctionAttributes attributes_of(const llvm::Function& source) {
  FunctionAttributes attributes;
  attributes.nounwind = source.doesNotThrow();
  attributes.noreturn = source.doesNotReturn();
  // What is returned through memory here is written.
  bool returns = attributes.nounwind && source.hasFnAttribute(llvm::Attribute::WillReturn) &&
                 !is_aggregate(*source.getReturnType());
  attributes.readnone = returns && source.doesNotAccessMemory();
  attributes.readonly = returns && !attributes.readnone && source.onlyReadsMemory();
  return attributes;
}

// A function that psic IR cannot call still has an address, so it is declared with a signature that fits no
// call.
Signature signature_or_any(const llvm::FunctionType& type) {
  if (std::optional<Signature> signature = signature_of(type)) return *std::move(signature);
  Signature any;
  any.variadic = true;
  return any;
}

class Declarations {
 public:
  explicit Declarations(ModuleImport& context) : source_(*context.impl.module), context_(context) {}

  void name_all() {
    auto name = [](llvm::GlobalValue& value) {
      if (!value.hasName()) value.setName("psi.anon.0");  // LLVM makes it unique
    };
    for (llvm::Function& function : source_) name(function);
    for (llvm::GlobalVariable& global : source_.globals()) name(global);
    for (llvm::GlobalAlias& alias : source_.aliases()) name(alias);
    for (llvm::GlobalIFunc& resolver : source_.ifuncs()) name(resolver);
  }

  void declare_all() {
    for (const llvm::GlobalVariable& global : source_.globals()) {
      context_.module.add_global(symbol_for(global)).external = true;
    }
    for (const llvm::GlobalAlias& alias : source_.aliases()) declare_indirect(alias);
    for (const llvm::GlobalIFunc& resolver : source_.ifuncs()) declare_indirect(resolver);
    for (const llvm::Function& function : source_) {
      if (function.isIntrinsic() && !is_stack_intrinsic(function)) continue;
      Function& target = context_.module.add_function(symbol_for(function));
      target.signature = signature_or_any(*function.getFunctionType());
      target.attributes = attributes_of(function);
    }
  }

 private:
  SymbolId symbol_for(const llvm::GlobalValue& value) {
    llvm::StringRef name = value.getName();
    SymbolId symbol = context_.module.intern_symbol({name.data(), name.size()});
    context_.symbols[&value] = symbol;
    return symbol;
  }

  // An alias or ifunc: a thing of its type that is defined elsewhere.
  void declare_indirect(const llvm::GlobalValue& value) {
    SymbolId symbol = symbol_for(value);
    if (const auto* type = llvm::dyn_cast<llvm::FunctionType>(value.getValueType())) {
      context_.module.add_function(symbol).signature = signature_or_any(*type);
      return;
    }
    Global& global = context_.module.add_global(symbol);
    global.external = true;
    if (value.getValueType()->isSized()) global.size = context_.layout.getTypeAllocSize(value.getValueType());
  }

  llvm::Module& source_;
  ModuleImport& context_;
};

class Importer {
 public:
  Importer(LlvmModule::Impl& impl, Module& module, ImportMode mode, std::vector<LlvmRemark>& remarks)
      : source_(*impl.module),
        context_{impl, module, mode, impl.module->getDataLayout(), Symbols()},
        remarks_(remarks) {}

  void run() {
    set_pointer_bits(context_.module, context_.layout);
    context_.impl.imported.clear();
    context_.impl.opaque.clear();
    declare_module(context_);
    for (const llvm::GlobalVariable& global : source_.globals()) import_global(context_, global);
    import_bodies();
  }

 private:
  void import_bodies() {
    std::string reason = layout_reason(context_.layout);
    FunctionImport import(context_);
    for (llvm::Function& function : source_) {
      if (function.isDeclaration()) continue;
      SymbolId symbol = context_.symbols.lookup(&function);
      Function& target = context_.module.function(symbol);
      size_t num_opaque = context_.impl.opaque.size();
      std::string why = reason.empty() ? import.run(function, target) : reason;
      if (!why.empty()) {
        remarks_.push_back({function.getName().str(), std::move(why)});
        forget_opaque(num_opaque);
        continue;
      }
      if (symbol.index() >= context_.impl.imported.size()) context_.impl.imported.resize(symbol.index() + 1);
      context_.impl.imported[symbol.index()] = {&function, text_hash(target),
                                                static_cast<uint32_t>(num_opaque),
                                                static_cast<uint32_t>(context_.impl.opaque.size())};
    }
    context_.impl.imported.resize(context_.module.num_symbols());
  }

  void forget_opaque(size_t num_kept) {
    for (size_t n = num_kept; n < context_.impl.opaque.size(); ++n) {
      context_.module.remove(context_.module.intern_symbol("psi.llvm." + std::to_string(n)));
    }
    context_.impl.opaque.resize(num_kept);
  }

  llvm::Module& source_;
  ModuleImport context_;
  std::vector<LlvmRemark>& remarks_;
};

}  // namespace

void declare_module(ModuleImport& context) {
  Declarations declarations(context);
  declarations.name_all();
  declarations.declare_all();
}

std::string layout_reason(const llvm::DataLayout& layout) {
  if (layout.isBigEndian()) return "is for a big-endian target";
  unsigned bits = layout.getPointerSizeInBits(0), index_bits = layout.getIndexSizeInBits(0);
  if (bits != 64 && bits != 32) return "is for a target with pointers of " + std::to_string(bits) + " bits";
  if (index_bits != bits) {
    return "is for a target with pointers of " + std::to_string(bits) + " bits and indices of " +
           std::to_string(index_bits);
  }
  return {};
}

void set_pointer_bits(Module& module, const llvm::DataLayout& layout) {
  if (layout_reason(layout).empty()) module.set_pointer_bits(layout.getPointerSizeInBits(0));
}

Module import_module(LlvmModule::Impl& impl, ImportMode mode, std::vector<LlvmRemark>& remarks) {
  Module module;
  Importer(impl, module, mode, remarks).run();
  return module;
}

}  // namespace psi::llvm_bridge
