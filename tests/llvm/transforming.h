// Helpers for tests that transform LLVM IR and compare what it does before and after, in psic's interpreter.
#pragma once

#include <gmock/gmock.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <functional>

#include "importing.h"

namespace psi::llvm_bridge {

class TransformTest : public testing::Test {
 protected:
  using Inputs = std::vector<std::vector<uint64_t>>;

  llvm::Function& parse(std::string_view text) {
    llvm::SMDiagnostic diagnostic;
    std::string all = std::string(kTarget) + std::string(text);
    module_ = llvm::parseIR(*llvm::MemoryBuffer::getMemBufferCopy(all, "test.ll"), diagnostic, context_);
    EXPECT_TRUE(module_) << diagnostic.getMessage().str();
    return *module_->getFunction("f");
  }

  // @f of the text, transformed; it does what it did before with all inputs. Has it changed?
  bool transform(std::string_view text, const std::function<bool(llvm::Function&)>& transformation,
                 const Inputs& inputs = {}) {
    bool is_changed = transformation(parse(text));
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs())) << print();
    Module before = import_text(text, ImportMode::Ssa);
    Module after = import_text(print(), ImportMode::Ssa);
    for (const std::vector<uint64_t>& input : inputs) {
      psi::Outcome expected = run(before, "f", input), actual = run(after, "f", input);
      EXPECT_EQ(expected.status, psi::Outcome::Status::Returned);
      Result<void> refined = refines(expected, actual);
      EXPECT_TRUE(refined) << refined.message() << print();
    }
    return is_changed;
  }

  llvm::Function& f() { return *module_->getFunction("f"); }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream out(text);
    module_->print(out, nullptr);
    // The helpers put the target before it.
    size_t start = text.find("target datalayout"), end = text.find('\n', text.find("target triple"));
    return text.erase(start, end - start);
  }

  template <class Inst>
  std::vector<Inst*> all() {
    std::vector<Inst*> found;
    for (llvm::Instruction& inst : llvm::instructions(f())) {
      if (auto* it = llvm::dyn_cast<Inst>(&inst)) found.push_back(it);
    }
    return found;
  }

  std::vector<llvm::BranchInst*> conditional_branches() {
    std::vector<llvm::BranchInst*> found = all<llvm::BranchInst>();
    std::erase_if(found, [](const llvm::BranchInst* branch) { return branch->isUnconditional(); });
    return found;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace psi::llvm_bridge
