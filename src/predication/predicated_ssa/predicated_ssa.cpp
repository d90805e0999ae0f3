// Predicated SSA: see psi/predication/predicated_ssa.h. Departs from the paper in three points: paths are
// distinguished only as far as live values differ, where the paper makes a predicate for each path; paths are
// merged where there are too many; and a psi gives values a single name at the exits, where the paper copies
// in the exit's block.
//
// Requires SSA form; psis and guards in the region are allowed. Ensures SSA form, and one block for each
// acyclic region. Time: linear in the result, times the paths that a block may distinguish.
#include "psi/predication/predicated_ssa.h"

#include "cfg/substitution.h"
#include "predication/if_convert/predicate_code.h"
#include "predication/predicated_ssa/region_conversion.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/edits.h"
#include "psi/ir/views.h"
#include "psi/psi_transforms/speculate.h"

namespace psi {
namespace {

// In an unconverted block: fewer facts about the guards of psis may be known than before. A copy is defined
// everywhere, at least as undef.
void copy_psi_arguments(predication::FunctionState& state, BlockId b, BlockEdits& edits) {
  Function& function = state.function;
  std::span<const InstId> listed = function.insts(b);
  for (uint32_t position = 0; position < listed.size(); ++position) {
    InstId id = listed[position];
    if (!function.inst(id).is_psi()) continue;
    for (size_t i = 1; i < psi_arguments(function, id).size(); ++i) {
      auto [guard, value] = psi_arguments(function, id)[i];
      if (!state.is_partial(value) || state.is_defined_under(value, guard)) continue;
      Inst copy;
      copy.op = Opcode::Mov;
      copy.type = function.type(value);
      copy.results[0] = function.add_reg(copy.type);
      edits.insert_before(position, function.add_inst(copy, std::array{value}));
      mutable_psi_arguments(function, id)[i].value = Operand::reg(copy.results[0]);
    }
  }
  edits.apply(function, b);
}

// Installs the new blocks, and drops the blocks that they replace.
void install(predication::FunctionState& state, std::span<const std::pair<uint32_t, BlockId>> code) {
  Function& function = state.function;
  std::vector<uint8_t> is_converted(state.regions.num_regions());
  for (auto [region, block] : code) is_converted[region] = 1;
  auto is_within = [&](BlockId b) { return is_converted[state.regions.region(b)] != 0; };

  std::vector<BlockId> layout;
  BlockEdits edits;
  for (BlockId b : function.layout()) {
    // The code's own blocks came last.
    if (b.index() >= state.arriving.size()) break;
    if (is_within(b) && state.regions.entry(state.regions.region(b)) != b) continue;
    layout.push_back(b);
    if (!is_within(b)) copy_psi_arguments(state, b, edits);
    for (InstId id : function.insts(b)) {
      if (!function.inst(id).is_phi()) break;
      PhiEntries listed = phi_entries(function, id);
      std::vector<Operand> kept;
      for (PhiEntry entry : listed) {
        if (!is_within(entry.block)) add_phi_entry(kept, entry);
      }
      if (phi_entries(kept).size() != listed.size()) function.set_operands(id, kept);
    }
  }
  for (const predication::FunctionState::Handed& handed : state.handed) {
    std::span<const Operand> listed = function.operands(handed.phi);
    std::vector<Operand> entries(listed.begin(), listed.end());
    add_phi_entry(entries, handed.from, handed.value);
    function.set_operands(handed.phi, entries);
  }
  for (auto [region, block] : code) {
    BlockId entry = state.regions.entry(region);
    std::vector<InstId> all;
    for (InstId id : function.insts(entry)) {
      if (function.inst(id).is_phi()) all.push_back(id);
    }
    std::span<const InstId> own = function.insts(block);
    all.insert(all.end(), own.begin(), own.end());
    function.set_insts(entry, all);
  }
  function.set_layout(std::move(layout));
}

}  // namespace

std::vector<Hyperblock> make_hyperblocks(Function& function, Analyses& analyses,
                                         const PredicatedSsaOptions& options, Counters& counters,
                                         BlockId only) {
  dce_unreachable(function, analyses, counters);
  predication::FunctionState state(function, analyses, options);
  std::vector<Hyperblock> made;
  std::vector<std::pair<uint32_t, BlockId>> code;
  for (uint32_t region = 0; region < state.regions.num_regions(); ++region) {
    if (state.regions.blocks(region).size() < 2) continue;
    if (only && state.regions.region(only) != region) continue;
    predication::RegionConversion conversion(state, region);
    made.push_back(conversion.run());
    code.emplace_back(region, conversion.code());
  }
  if (made.empty()) return made;
  install(state, code);
  analyses.drop(Keeps::Nothing);
  dce_unreachable(function, analyses, counters);
  cfg::Substitution substitution(function);
  for (uint32_t i = 0; i < state.replaced.size(); ++i) {
    if (!state.replaced[i].is_none()) substitution.set(Reg(i), state.replaced[i]);
  }
  if (!substitution.empty()) substitution.apply(analyses, counters);
  std::vector<BlockId> blocks;
  for (const Hyperblock& hyperblock : made) blocks.push_back(hyperblock.block);
  predication::remove_unread_predicates(function, blocks);
  analyses.drop(Keeps::Nothing);
  return made;
}

BlockStatistics block_statistics(const Function& function, Analyses& analyses, BlockId block) {
  BlockStatistics statistics;
  for (InstId id : function.insts(block)) {
    const Inst& inst = function.inst(id);
    if (inst.is_phi()) continue;
    if (inst.is_psi()) {
      ++statistics.psis;
      statistics.psi_arguments += inst.count / 2;
      continue;
    }
    ++statistics.instructions;
    if (inst.num_results() > 0 && inst.result_type() == Type::i1) ++statistics.predicate;
  }
  statistics.height = dependence_height(function, analyses, block);
  return statistics;
}

std::vector<PassOption> predicated_ssa_options() {
  return {PassOption::number("paths", {1, 1024, PredicatedSsaOptions().max_paths},
                             "how many paths to a block are distinguished; 1: psi-SSA")};
}

void predicated_ssa(PassContext& context) {
  PredicatedSsaOptions options;
  options.max_paths = context.arguments.number("paths");
  std::vector<Hyperblock> made =
      make_hyperblocks(context.function, context.analyses, options, context.counters);
  if (made.empty()) return;
  uint64_t copies = 0, refused = 0;
  for (const Hyperblock& hyperblock : made) {
    copies += hyperblock.copies;
    refused += hyperblock.refused;
  }
  context.counters.add("regions made one block", made.size());
  if (copies > 0) context.counters.add("instructions copied for paths", copies);
  if (refused > 0) context.counters.add("blocks with too many paths", refused);
}

}  // namespace psi
