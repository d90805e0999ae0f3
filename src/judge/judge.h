// The parts of judge_target.
#pragma once

#include "psi/target/description.h"
#include "target/complete/problems.h"

namespace psi::judge {

void judge_literals(const TargetDescription& description, target::Problems& problems);
void judge_overlap(const TargetDescription& description, target::Problems& problems);
void judge_coverage(const TargetDescription& description, target::Problems& problems);
void judge_sequences(const TargetDescription& description, target::Problems& problems);
void judge_packets(const TargetDescription& description, target::Problems& problems);
void judge_frame(const TargetDescription& description, target::Problems& problems);

// Forms that selection may choose.
bool is_selectable(const MachineForm& form);
// Bits of a value.
unsigned width(const TargetDescription& description, Type type);
// Are all registers of `inner` in `outer`?
bool contains(const TargetDescription& description, uint32_t outer, uint32_t inner);

}  // namespace psi::judge
