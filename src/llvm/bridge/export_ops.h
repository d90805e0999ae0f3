// Instructions that compute: one LLVM value for each psic opcode.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <span>

#include "psi/ir/inst.h"

namespace psi::llvm_bridge {

// The value of an instruction of a computing format (Binary to Select, PtrAdd, PtrIndex), but for cmpp.
llvm::Value* emit_op(llvm::IRBuilder<>& builder, const Inst& inst, std::span<llvm::Value* const> operands);

// The values of the two targets of a cmpp; `olds` are the old values, null for targets that need none.
std::array<llvm::Value*, 2> emit_cmpp(llvm::IRBuilder<>& builder, const Inst& inst, llvm::Value* a,
                                      llvm::Value* b, llvm::Value* input, std::array<llvm::Value*, 2> olds);

}  // namespace psi::llvm_bridge
