// How well branches can be foreseen.
//
// How often a branch goes either way does not tell: one that alternates goes both ways as often, and
// processors foresee it. So a program that is compiled to measure runs a branch predictor beside its
// branches, and counts what that misses. The counts are in the profile that clang's instrumentation writes,
// under names of their own; a compiler that uses the profile marks the branches with them.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/ProfileData/InstrProfReader.h>

#include <optional>

namespace psi::llvm_bridge {

// Must see the module as LLVM's own instrumentation for profiles has left it, and before that is lowered.
bool measure_predictability(llvm::Module& module);

// Must see the module as the same instrumentation saw it, with the counts of branches in it already. What the
// profile knows nothing of has no mark. Those that are hard to foretell are `!unpredictable` from now on, and
// loops that end by such stay whole (foreseen_loops.h).
bool mark_predictability(llvm::Module& module, llvm::IndexedInstrProfReader& profile);

// The mark, a kind of metadata.
constexpr const char* kMissed = "psi.missed";

// Was it measured how well the branches of this function can be foreseen?
bool has_predictability(const llvm::Function& function);

// The share of its executions in which a branch, select or switch is mispredicted. Where others were merged
// into it since, these count as far as it goes the rarer way more often now. Nothing if it has no mark.
std::optional<double> missed_share(const llvm::Instruction& inst);

// Marks a branch of which the weights are known.
void set_missed(llvm::Instruction& branch, double share);

// How often it goes another way than most often; nothing if that was not measured.
std::optional<double> rarer_share(const llvm::Instruction& inst);

// How often a branch or select goes to its first side; nothing if that was not measured.
std::optional<double> first_share(const llvm::Instruction& inst);

// Is a condition that is missed as often worth a select?
bool is_hard_to_foretell(double missed);

}  // namespace psi::llvm_bridge
