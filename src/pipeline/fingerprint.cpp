#include "pipeline/fingerprint.h"

#include <array>
#include <bit>

namespace psi {
namespace {

class Hash {
 public:
  void add(uint64_t word) { state_ = (std::rotl(state_, 23) ^ word) * 0x9e37'79b9'7f4a'7c15; }
  uint64_t value() const { return state_ ^ state_ >> 32; }

 private:
  uint64_t state_ = 0x243f'6a88'85a3'08d3;
};

}  // namespace

Fingerprint fingerprint(const Function& function) {
  Hash hash;
  uint32_t size = 0;
  for (BlockId b : function.layout()) {
    hash.add(uint64_t{b.index()} << 32 | function.insts(b).size());
    size += static_cast<uint32_t>(function.insts(b).size());
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      // Literals are never renumbered, so the record says all of them.
      auto words = std::bit_cast<std::array<uint64_t, sizeof(Inst) / 8>>(inst);
      hash.add(words[0] ^ uint64_t{id.index()} << 32);
      for (size_t i = 1; i < words.size(); ++i) hash.add(words[i]);
      if (inst.count <= Inst::kMaxInline) continue;
      for (Operand operand : function.operands(inst)) hash.add(operand.raw());
    }
  }
  return {hash.value(), size, function.num_regs(), function.num_insts(), function.num_blocks()};
}

}  // namespace psi
