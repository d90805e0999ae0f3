// Helpers for tests that import LLVM IR from text and run it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "psi/interp/interpret.h"
#include "psi/llvm/llvm.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {

constexpr std::string_view kTarget =
    "target datalayout = "
    "\"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
    "target triple = \"x86_64-pc-linux-gnu\"\n";

inline Result<LlvmModule> read_text(std::string_view text) {
  Result<LlvmModule> module = LlvmModule::read(std::string(kTarget) + std::string(text), "test.ll");
  EXPECT_TRUE(module) << module.message();
  return module;
}

// Imported and verified. A function that could not be imported is an error unless `remarks` is there to say
// so.
inline Module import_text(std::string_view text, ImportMode mode,
                          std::vector<LlvmRemark>* remarks = nullptr) {
  auto source = read_text(text);
  if (!source) return {};
  std::vector<LlvmRemark> all;
  Module module = source->import(mode, all);
  if (remarks) {
    *remarks = all;
  } else {
    for (const LlvmRemark& remark : all) ADD_FAILURE() << remark.function << " " << remark.reason;
  }
  Result<void> verified = verifies(module);
  EXPECT_TRUE(verified) << render(verified, "test.ll", {}) << print(module);
  return module;
}

inline Outcome run(const Module& module, std::string_view function, const std::vector<uint64_t>& arguments,
                   std::string* output = nullptr) {
  std::vector<Value> values;
  for (uint64_t bits : arguments) values.push_back({bits, false});
  InterpretOptions options;
  options.fuel = 1'000'000;
  options.record = true;
  if (output) options.output = [output](std::string_view text) { *output += text; };
  return interpret(module, module.find_function(function)->symbol, values, options);
}

// What $f gives in both modes, or a failure.
inline uint64_t run_both(std::string_view text, const std::vector<uint64_t>& arguments = {},
                         std::string* output = nullptr) {
  uint64_t results[2] = {};
  for (ImportMode mode : {ImportMode::Ssa, ImportMode::Plain}) {
    Module module = import_text(text, mode);
    if (!module.find_function("f") || module.find_function("f")->is_declaration()) return UINT64_MAX;
    std::string printed;
    Outcome outcome = run(module, "f", arguments, &printed);
    EXPECT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message << "\n" << print(module);
    EXPECT_FALSE(outcome.result.undef) << print(module);
    results[mode == ImportMode::Plain] = outcome.result.bits;
    if (output) *output = printed;
  }
  EXPECT_EQ(results[0], results[1]) << text;
  return results[0];
}

// The LLVM module after all its functions went into psic IR and back.
inline std::string written_back(std::string_view text, ImportMode mode) {
  auto source = read_text(text);
  std::vector<LlvmRemark> remarks;
  Module module = source->import(mode, remarks);
  source->write_back(module, remarks, WriteBack::All);
  for (const LlvmRemark& remark : remarks) ADD_FAILURE() << remark.function << " " << remark.reason;
  return source->text();
}

// The reason why $f is not imported.
inline std::string reason_for(std::string_view text) {
  std::vector<LlvmRemark> remarks;
  Module module = import_text(text, ImportMode::Ssa, &remarks);
  const Function* function = module.find_function("f");
  if (!function || !function->is_declaration() || remarks.size() != 1 || remarks[0].function != "f")
    return "imported";
  return remarks[0].reason;
}

inline uint32_t count_ops(const Function& function, Opcode op) {
  uint32_t count = 0;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) count += function.inst(id).op == op;
  }
  return count;
}

}  // namespace psi
