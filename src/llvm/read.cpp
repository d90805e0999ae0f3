// An LLVM module from text or bitcode, and back.

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "llvm/bridge.h"

namespace psi {
namespace {

llvm::StringRef as_ref(std::string_view text) { return {text.data(), text.size()}; }

bool is_bitcode(std::string_view contents) {
  const auto* start = reinterpret_cast<const unsigned char*>(contents.data());
  return llvm::isBitcode(start, start + contents.size());
}

std::string describe(const llvm::SMDiagnostic& diagnostic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  diagnostic.print(nullptr, stream, /*ShowColors=*/false);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

LlvmModule::LlvmModule() : impl_(std::make_unique<Impl>()) {}
LlvmModule::~LlvmModule() = default;

std::unique_ptr<LlvmModule> LlvmModule::read(std::string_view contents, std::string_view name,
                                             std::string& error) {
  std::unique_ptr<LlvmModule> result(new LlvmModule);
  Impl& impl = *result->impl_;
  impl.own_context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  if (is_bitcode(contents)) {
    llvm::MemoryBufferRef buffer(as_ref(contents), as_ref(name));
    impl.own_module = llvm::parseIR(buffer, diagnostic, *impl.own_context);
  } else {
    // LLVM's lexer wants a zero after the text.
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(as_ref(contents), as_ref(name));
    impl.own_module = llvm::parseIR(*copy, diagnostic, *impl.own_context);
  }
  impl.module = impl.own_module.get();
  if (!impl.module) {
    error = describe(diagnostic);
    return nullptr;
  }
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  bool broken_debug_info = false;
  if (llvm::verifyModule(*impl.module, &stream, &broken_debug_info)) {
    error = std::string(name) + ": not a valid module\n" + broken;
    return nullptr;
  }
  return result;
}

Module LlvmModule::import(ImportMode mode, std::vector<LlvmRemark>& remarks) {
  return llvm_bridge::import_module(*impl_, mode, remarks);
}

std::string LlvmModule::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl_->module->print(stream, nullptr);
  return text;
}

std::string LlvmModule::bitcode() const {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*impl_->module, stream);
  return bytes;
}

uint64_t LlvmModule::num_instructions() const {
  uint64_t total = 0;
  for (const llvm::Function& function : *impl_->module) total += function.getInstructionCount();
  return total;
}

}  // namespace psi
