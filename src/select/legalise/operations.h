// Operations that a target lacks, on values of types that it holds: expansions of the description, then those
// written here, then calls of routines.
#pragma once

#include <string>

#include "psi/analysis/dominators.h"
#include "psi/ir/module.h"
#include "psi/pass/remarks.h"
#include "select/legalise/facts.h"

namespace psi::select {

// Expansions of a description, looked at before all others.
class ExpansionSource {
 public:
  virtual ~ExpansionSource() = default;
  // Appends what stands for the instruction, and says which value is its result; false: nothing fits.
  virtual bool expand(const Module& module, const Function& function, InstId id, class Emitter& emitter,
                      Operand& result) const = 0;
};

struct OperationCounts {
  uint64_t expanded = 0;
  uint64_t calls = 0;
};

std::string legalise_operations(const Module& module, Function& function, const Dominators& dominators,
                                const TargetFacts& facts, const ExpansionSource* expansions,
                                OperationCounts& counts, Remarks* remarks, InstId& culprit);

// As messages write it: `cmp.lt.i32`.
std::string describe(const Inst& inst);

// Is the instruction covered, or one that stays generic until registers are allocated?
bool is_legal_operation(const Function& function, InstId id, const TargetFacts& facts);

}  // namespace psi::select
