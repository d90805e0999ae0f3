// The mapping shared by import and export: the psic type of an LLVM type, and the operands of an opaque
// instruction in the call that replaces it.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instruction.h>

#include <optional>
#include <string>
#include <vector>

#include "psi/ir/function.h"

namespace psi::llvm_bridge {

// The psic type of a scalar of this type: the same type, or, for an integer of a width that psic IR lacks,
// the next wider one, whose upper bits are then always zero. None for void and everything else.
Type carrier(const llvm::Type& type);

// The width if psic IR lacks it, so that the carrier is wider than the value; otherwise 0.
unsigned non_native_width(const llvm::Type& type);

// Why values of a type without a carrier cannot be imported.
std::string unsupported_type(const llvm::Type& type);

// A struct or an array. Functions and instructions that give one have, in psic IR, no result but a further,
// last parameter of type ptr, which points to memory for it, laid out as the DataLayout says.
bool is_aggregate(const llvm::Type& type);

// The signature in psic IR. Nothing if some type has no carrier, or if a variadic function
// returns an aggregate.
std::optional<Signature> signature_of(const llvm::FunctionType& type);

// The operands that the call of $psi.llvm.N passes, as indices into those of the LLVM instruction: what is
// computed. Constants, metadata and the like stay as they are in the instruction. A clone with these
// operands replaced is the instruction again.
std::vector<unsigned> opaque_operands(const llvm::Instruction& instruction);

}  // namespace psi::llvm_bridge
