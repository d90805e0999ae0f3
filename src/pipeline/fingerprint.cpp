#include "pipeline/fingerprint.h"

#include <array>
#include <bit>

#include "support/hash.h"

namespace psi {
Fingerprint fingerprint(const Function& function) {
  Hash hash;
  uint32_t size = 0;
  for (BlockId b : function.layout()) {
    hash.add(uint64_t{b.index()} << 32 | function.insts(b).size());
    size += static_cast<uint32_t>(function.insts(b).size());
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      // Literals are never renumbered, so the record determines them.
      auto words = std::bit_cast<std::array<uint64_t, sizeof(Inst) / 8>>(inst);
      hash.add(words[0] ^ uint64_t{id.index()} << 32);
      for (size_t i = 1; i < words.size(); ++i) hash.add(words[i]);
      if (inst.count <= Inst::kMaxInline) continue;
      for (Operand operand : function.operands(inst)) hash.add(operand.raw());
    }
  }
  return {hash.value(), size, function.num_regs(), function.num_insts(), function.num_blocks()};
}

uint64_t control_flow_fingerprint(const Function& function) {
  Hash hash;
  hash.add(function.num_blocks());
  for (BlockId b : function.layout()) {
    hash.add(b.index());
    std::optional<uint64_t> count = function.count(b);
    hash.add(count ? *count + 1 : 0);
    for (InstId id : function.terminators(b)) {
      const Inst& inst = function.inst(id);
      hash.add(static_cast<uint64_t>(inst.op) << 1 | static_cast<bool>(inst.guard));
      for (uint64_t count : function.edge_counts(id)) hash.add(count);
    }
    function.for_each_successor(b, [&](BlockId target) { hash.add(target.index()); });
  }
  return hash.value();
}

}  // namespace psi
