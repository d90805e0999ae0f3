#include "pipeline/fingerprint.h"

#include <array>
#include <bit>

#include "support/hash.h"

namespace psi {
namespace {

// Odd, and otherwise at random.
constexpr std::array<uint64_t, 4> kFactors = {0x9fb21c651e98df25, 0xc2b2ae3d27d4eb4f, 0xff51afd7ed558ccd,
                                              0x165667b19e3779f9};
constexpr uint64_t kIdFactor = 0xd6e8feb86659fd93;

// Products do not wait for each other, as the steps of a hash do. Literals are never renumbered, so the
// record determines them.
uint64_t hash_of(const Function& function, InstId id) {
  const Inst& inst = function.inst(id);
  auto words = std::bit_cast<std::array<uint64_t, kFactors.size()>>(inst);
  uint64_t sum = id.index() * kIdFactor;
  for (size_t i = 0; i < words.size(); ++i) sum += words[i] * kFactors[i];
  if (inst.count > Inst::kMaxInline) {
    for (Operand operand : function.operands(inst)) sum = std::rotl(sum, 23) * kIdFactor + operand.raw();
  }
  return sum ^ sum >> 32;
}

// May it define a predicate, or decide when something is executed? Copies matter to the values compared.
bool matters_to_predicates(const Inst& inst) {
  if (inst.guard || inst.type == Type::i1 || inst.is_copy() || inst.is_psi()) return true;
  switch (inst.format()) {
    case Format::Compare:
    case Format::ComparePredicate:
    case Format::Overflow:
      return true;
    default:
      return inst.is_terminator();
  }
}

}  // namespace

Fingerprint fingerprint(const Function& function) {
  Hash text, control_flow, predicates;
  uint32_t size = 0;
  bool has_guards = false;
  for (BlockId b : function.layout()) {
    std::span<const InstId> insts = function.insts(b);
    text.add(uint64_t{b.index()} << 32 | insts.size());
    control_flow.add(uint64_t{b.index()} << 32);
    control_flow.add(function.count(b).value_or(UINT64_MAX));
    predicates.add(b.index());
    size += static_cast<uint32_t>(insts.size());
    for (InstId id : insts) {
      uint64_t hash = hash_of(function, id);
      text.add(hash);
      const Inst& inst = function.inst(id);
      if (!matters_to_predicates(inst)) continue;
      predicates.add(hash);
      has_guards = has_guards || inst.guard || inst.is_psi() || inst.op == Opcode::Cmpp;
      if (!inst.is_terminator()) continue;
      control_flow.add(uint64_t{static_cast<uint8_t>(inst.op)} << 32 | (inst.guard ? 1 : 0));
      function.for_each_target(inst, [&](BlockId to) { control_flow.add(to.index()); });
      for (uint64_t count : function.edge_counts(id)) control_flow.add(count);
    }
  }
  return {text.value(),        control_flow.value(), predicates.value(),    size,
          function.num_regs(), function.num_insts(), function.num_blocks(), has_guards};
}

Keeps kept(const Fingerprint& before, const Fingerprint& after) {
  if (before == after) return Keeps::All;
  if (before.control_flow != after.control_flow || before.blocks != after.blocks) return Keeps::Nothing;
  return before.predicates == after.predicates ? Keeps::Predicates : Keeps::ControlFlow;
}

}  // namespace psi
