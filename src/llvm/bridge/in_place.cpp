#include "llvm/bridge/in_place.h"

#include "llvm/bridge/export.h"

namespace psi::llvm_bridge {

InPlaceModule::InPlaceModule(llvm::Module& source)
    : context_{impl_, module_, ImportMode::Ssa, source.getDataLayout(), Symbols()}, import_(context_) {
  impl_.module = &source;
  impl_.keeps_origins = true;
  set_pointer_bits(module_, context_.layout);
  declare_module(context_);
  for (const llvm::GlobalVariable& global : source.globals()) import_global(context_, global);
}

std::string InPlaceModule::import(llvm::Function& function) {
  forget();
  if (std::string reason = layout_reason(context_.layout); !reason.empty()) return reason;
  function_ = &module_.function(context_.symbols.lookup(&function));
  auto first_opaque = static_cast<uint32_t>(impl_.opaque.size());
  if (std::string reason = import_.run(function, *function_); !reason.empty()) return reason;
  imported_ = {&function, text_hash(*function_), first_opaque, static_cast<uint32_t>(impl_.opaque.size())};
  return {};
}

std::string InPlaceModule::write_back(std::function<void()> in_the_middle) {
  impl_.while_replaced = std::move(in_the_middle);
  return export_function(impl_, imported_, module_, *function_);
}

void InPlaceModule::recover() { restore_body(impl_); }

void InPlaceModule::forget() {
  if (!function_) return;
  Function declaration;
  declaration.symbol = function_->symbol;
  declaration.signature = std::move(function_->signature);
  declaration.attributes = function_->attributes;
  declaration.pointer_bits = function_->pointer_bits;
  *function_ = std::move(declaration);
  function_ = nullptr;
}

}  // namespace psi::llvm_bridge
