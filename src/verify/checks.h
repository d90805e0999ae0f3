// The parts of the verifier, in the order in which they build on each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/cfg.h"
#include "psi/dominators.h"
#include "verify/context.h"
#include "verify/definitions.h"
#include "verify/domains.h"

namespace psi::verifier {

// Alignments are kept as their logarithm. Larger ones are a mistake, and the text cannot write them.
inline constexpr unsigned kMaxAlignLog2 = 31;

// globals.cpp
void check_global(const Module& module, const Global& global, Diagnostics& diagnostics,
                  const VerifyOptions& options);

// records.cpp. After the first holds, and the second for a block, every id in the block is in range, every
// operand list can be read and every record has the operands that its format asks for, so that the rest need
// not ask again. The first gives, by BlockId, whether a block is in the layout.
std::vector<uint8_t> check_skeleton(Context& context);
bool check_records(Context& context, BlockId block, std::span<const uint8_t> in_layout);

// types.cpp
void check_types(Context& context, BlockId block);

// structure.cpp. A Cfg can be made if all blocks pass the first.
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

}  // namespace psi::verifier
