// The parts of the verifier, in the order in which they build on each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "verify/context.h"
#include "verify/definitions.h"
#include "verify/domains.h"

namespace psi::verify {

// Alignments are stored as logarithms. Larger ones are errors, and the text cannot express them.
inline constexpr unsigned kMaxAlignLog2 = 31;

// globals.cpp
void check_global(const Module& module, const Global& global, Diagnostics& diagnostics,
                  const VerifyOptions& options);

// records.cpp. After the first holds, and the second for a block, every id in the block is in range, every
// operand list is readable and every record has the operands of its format, so that the other checks need not
// test this. The first returns, by BlockId, whether a block is in the layout.
std::vector<uint8_t> check_skeleton(Context& context);
bool check_records(Context& context, BlockId block, std::span<const uint8_t> in_layout);

// types.cpp
void check_types(Context& context, BlockId block);

// structure.cpp. A Cfg can be built if all blocks pass the first.
bool check_block(Context& context, BlockId block);
void check_edges(Context& context, const Cfg& cfg);

// dominance.cpp
void check_dominance(Context& context, const Dominators& dominators, const Definitions& definitions);

// psi.cpp
void check_psi_domains(Context& context, const Dominators& dominators, const Definitions& definitions,
                       const Domains& domains);

// webs.cpp
void check_webs(Context& context, const Cfg& cfg, const Dominators& dominators, const Domains& domains);

// packets.cpp
void check_packets(Context& context);

}  // namespace psi::verify
