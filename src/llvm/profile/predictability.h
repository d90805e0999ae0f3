// How well processors predict branches.
//
// Edge counts do not determine them: both edges of an alternating branch are equally likely, and processors
// predict it. So a measuring program runs a branch predictor beside its branches, and counts mispredictions.
// The counts are in the profile of clang's instrumentation, under separate names; a compiler that uses the
// profile marks the branches with them.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/ProfileData/InstrProfReader.h>

#include <optional>

namespace psi::llvm_bridge {

// Runs right after LLVM's own instrumentation for profiles, before that is lowered.
bool measure_predictability(llvm::Module& module);

// Must see the module as the same instrumentation saw it, with the counts of branches in it already. What the
// profile knows nothing of has no mark. Unpredictable ones are `!unpredictable` from now on, and
// loops that end by such are not peeled (prevent_peeling.h).
bool mark_predictability(llvm::Module& module, llvm::IndexedInstrProfReader& profile);

// The mark, a kind of metadata.
constexpr const char* kMispredicted = "psi.mispredicted";

// Were misprediction rates measured for this function?
bool has_predictability(const llvm::Function& function);

// The misprediction rate of a branch, select or switch. If others were merged into it since, the increase of
// its rarer probability is added. Nothing if it has no mark.
std::optional<double> misprediction_rate(const llvm::Instruction& inst);

// The same of a select without a mark that gives a value, in a function that was measured: LLVM keeps the
// mark of what is hard to predict, but has none for what is predictable.
std::optional<double> unmarked_rate(const llvm::SelectInst& select);

// The probability of all edges but the likeliest; nothing if not measured.
std::optional<double> rarer_probability(const llvm::Instruction& inst);

// Is a condition with this misprediction rate worth a select?
bool is_unpredictable(double mispredicted);

}  // namespace psi::llvm_bridge
