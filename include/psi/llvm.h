// The bridge to LLVM: modules of LLVM IR become psic modules, and what passes made of them goes back. Only in
// builds with the component `llvm`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "psi/module.h"

namespace psi {

enum class ImportMode : uint8_t {
  Ssa,    // as it is: phis stay phis, stack slots stay memory
  Plain,  // stack slots that could be registers are, and phis become copies
};

enum class TakeWhat : uint8_t {
  Changed,  // a function that is as import made it stays the LLVM function that it was
  All,
};

// Why a function was not imported, or not exported.
struct LlvmRemark {
  std::string function;
  std::string reason;
};

// An LLVM module and what is known of it. Everything about LLVM is behind this class.
class LlvmModule {
 public:
  // From the contents of a .ll or .bc file; `name` is for messages. Null, and a message that may span several
  // lines, if it cannot be read.
  static std::unique_ptr<LlvmModule> read(std::string_view contents, std::string_view name,
                                          std::string& error);
  ~LlvmModule();
  LlvmModule(const LlvmModule&) = delete;
  LlvmModule& operator=(const LlvmModule&) = delete;

  // The module in psic IR. A function with something that psic IR cannot say is a declaration in it, and a
  // remark says what.
  Module import(ImportMode mode, std::vector<LlvmRemark>& remarks);
  // Takes over the functions of `module`, which came from import and went through passes. A function that
  // cannot be written in LLVM IR stays as it was, with a remark.
  void take(const Module& module, std::vector<LlvmRemark>& remarks, TakeWhat what = TakeWhat::Changed);

  // As LLVM reads it.
  std::string text() const;
  std::string bitcode() const;
  uint64_t num_instructions() const;

  struct Impl;

 private:
  LlvmModule();
  std::unique_ptr<Impl> impl_;
};

}  // namespace psi
