// The bridge to LLVM: modules of LLVM IR become psic modules, and transformed functions are written back.
// Only in builds with the component `llvm`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/module.h"
#include "psi/support/result.h"

namespace psi {

enum class ImportMode : uint8_t {
  Ssa,    // phis stay phis, stack slots stay memory
  Plain,  // promotable stack slots become registers, and phis copies
};

enum class WriteBack : uint8_t {
  Changed,  // an unchanged function stays the same LLVM function
  All,
};

// Why a function was not imported, or not exported.
struct LlvmRemark {
  std::string function;
  std::string reason;
};

// An LLVM module with its import state. All of LLVM is behind this class.
class LlvmModule {
 public:
  // From the contents of a .ll or .bc file; `name` is for messages, which may span several lines.
  static Result<LlvmModule> read(std::string_view contents, std::string_view name);
  ~LlvmModule();
  LlvmModule(LlvmModule&&) noexcept;
  LlvmModule& operator=(LlvmModule&&) noexcept;

  // The module in psic IR. A function that psic IR cannot express becomes a declaration, and a remark gives
  // the reason.
  Module import(ImportMode mode, std::vector<LlvmRemark>& remarks);
  // Writes back the functions of `module`, which import made and passes transformed. A function that cannot
  // be written in LLVM IR stays as it was, with a remark.
  void write_back(const Module& module, std::vector<LlvmRemark>& remarks,
                  WriteBack what = WriteBack::Changed);

  // As LLVM IR text.
  std::string text() const;
  std::string bitcode() const;
  uint64_t num_instructions() const;

  struct Impl;

 private:
  LlvmModule();
  std::unique_ptr<Impl> impl_;
};

}  // namespace psi
