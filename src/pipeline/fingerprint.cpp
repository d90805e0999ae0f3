#include "pipeline/fingerprint.h"

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

uint64_t pair_of(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }

}  // namespace

Fingerprint fingerprint(const Function& function) {
  Hash hash;
  for (BlockId b : function.layout()) {
    hash.add(pair_of(b.index(), static_cast<uint32_t>(function.insts(b).size())));
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      hash.add(uint64_t{static_cast<uint8_t>(inst.op)} | uint64_t{static_cast<uint8_t>(inst.type)} << 8 |
               uint64_t{inst.kind} << 16 | uint64_t{inst.extra} << 24 | uint64_t{inst.flags} << 32);
      hash.add(pair_of(inst.guard.as_operand().raw(), id.index()));
      hash.add(pair_of(inst.results[0].index(), inst.results[1].index()));
      for (Operand operand : function.operands(inst)) {
        hash.add(operand.kind() == Operand::Kind::Pooled ? function.literal_bits(operand) : operand.raw());
      }
    }
  }
  return {hash.value(), function.num_regs(), function.num_insts(), function.num_blocks()};
}

}  // namespace psi
