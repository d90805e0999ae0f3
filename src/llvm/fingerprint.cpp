// A hash of everything that makes up a function. What does not show in its text has no part in it: unlisted
// records, where operand lists lie, the order of the constant pool.
//
// Sixty-four bits, mixed a word at a time: linear, and fast enough not to show beside import.

#include <algorithm>
#include <cstring>

#include "llvm/bridge.h"

namespace psi::llvm_bridge {
namespace {

class Hash {
 public:
  void add(uint64_t word) {
    // Bijective in each word, so that two functions that differ in one word never collide.
    state_ = (state_ ^ word) * 0xd6e8feb86659fd93 + 0x9e3779b97f4a7c15;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) {
    add(text.size());
    for (size_t i = 0; i < text.size(); i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + i, std::min<size_t>(8, text.size() - i));
      add(word);
    }
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0;
};

uint64_t pair(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }

void add_operands(Hash& hash, const Function& function, std::span<const Operand> operands) {
  for (Operand operand : operands) {
    if (operand.kind() == Operand::Kind::Pooled) {
      hash.add(static_cast<uint64_t>(operand.literal_type()));
      hash.add(function.literal_bits(operand));
    } else {
      hash.add(operand.raw());
    }
  }
}

void add_inst(Hash& hash, const Function& function, InstId id) {
  const Inst& inst = function.inst(id);
  hash.add(pair(static_cast<uint32_t>(inst.op) << 24 | static_cast<uint32_t>(inst.type) << 16 |
                    uint32_t{inst.kind} << 8 | inst.extra,
                inst.count | inst.flags << 24));
  hash.add(pair(inst.results[0].index(), inst.results[1].index()));
  hash.add(pair(inst.guard.as_operand().raw(), function.line(id)));
  add_operands(hash, function, function.operands(inst));
  for (uint64_t count : function.edge_counts(id)) hash.add(count);
}

}  // namespace

uint64_t fingerprint(const Function& function) {
  Hash hash;
  const FunctionAttributes& attributes = function.attributes;
  hash.add(pair(static_cast<uint32_t>(function.form), static_cast<uint32_t>(function.signature.result)));
  hash.add(uint64_t{attributes.readnone} | uint64_t{attributes.readonly} << 1 |
           uint64_t{attributes.noreturn} << 2 | uint64_t{attributes.nounwind} << 3 |
           uint64_t{function.signature.variadic} << 4);
  for (Type type : function.signature.params) hash.add(static_cast<uint64_t>(type));
  for (Reg r : function.params) hash.add(r.index());
  hash.add(function.num_regs());
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    hash.add(static_cast<uint64_t>(function.type(Reg(i))));
    if (std::string_view name = function.name(Reg(i)); !name.empty()) hash.add(name);
  }
  for (BlockId b : function.layout()) {
    hash.add(pair(b.index(), static_cast<uint32_t>(function.insts(b).size())));
    hash.add(function.count(b).value_or(UINT64_MAX));
    hash.add(function.name(b));
    for (InstId id : function.insts(b)) add_inst(hash, function, id);
  }
  return hash.value();
}

}  // namespace psi::llvm_bridge
