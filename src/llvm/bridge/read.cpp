// An LLVM module from text or bitcode, and back.

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "llvm/bridge/bridge.h"
#include "psi/support/diagnostic.h"
#include "support/byte_order_mark.h"

namespace psi {
namespace {

llvm::StringRef as_ref(std::string_view text) { return {text.data(), text.size()}; }

bool is_bitcode(std::string_view contents) {
  const auto* start = reinterpret_cast<const unsigned char*>(contents.data());
  return llvm::isBitcode(start, start + contents.size());
}

// What LLVM has to say, in the shape of psic's own messages: bytes of the input that are not text stay out.
std::string describe(const llvm::SMDiagnostic& diagnostic, std::string_view contents, std::string_view name) {
  Diagnostics diagnostics;
  Location where;
  std::string message = diagnostic.getMessage().str();
  if (is_bitcode(contents)) {
    message = "the bitcode is damaged: " + message;
    contents = {};
  } else if (diagnostic.getLineNo() > 0) {
    where = {static_cast<uint32_t>(diagnostic.getLineNo()),
             static_cast<uint32_t>(diagnostic.getColumnNo()) + 1, 1};
  }
  diagnostics.error(where, std::move(message));
  std::string text = render(diagnostics, name, contents);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// What is wrong with a file before LLVM reads it; empty if nothing is.
std::string refusal(std::string_view contents, std::string_view name) {
  if (contents.empty()) return std::string(name) + ": error: the file is empty";
  if (!name.ends_with(".bc") || is_bitcode(contents)) return {};
  return std::string(name) + ": error: not bitcode: it begins with other bytes than \"BC\" 0xc0 0xde";
}

}  // namespace

LlvmModule::LlvmModule() : impl_(std::make_unique<Impl>()) {}
LlvmModule::~LlvmModule() = default;
LlvmModule::LlvmModule(LlvmModule&&) noexcept = default;
LlvmModule& LlvmModule::operator=(LlvmModule&&) noexcept = default;

Result<LlvmModule> LlvmModule::read(std::string_view contents, std::string_view name) {
  contents = without_mark(contents);
  if (std::string wrong = refusal(contents, name); !wrong.empty()) return failure(std::move(wrong));
  LlvmModule result;
  Impl& impl = *result.impl_;
  impl.own_context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  if (is_bitcode(contents)) {
    llvm::MemoryBufferRef buffer(as_ref(contents), as_ref(name));
    impl.own_module = llvm::parseIR(buffer, diagnostic, *impl.own_context);
  } else {
    // LLVM's lexer needs a zero after the text.
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(as_ref(contents), as_ref(name));
    impl.own_module = llvm::parseIR(*copy, diagnostic, *impl.own_context);
  }
  impl.module = impl.own_module.get();
  if (!impl.module) return failure(describe(diagnostic, contents, name));
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  bool broken_debug_info = false;
  if (llvm::verifyModule(*impl.module, &stream, &broken_debug_info)) {
    return failure(std::string(name) + ": error: LLVM IR that does not verify\n" + broken);
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
