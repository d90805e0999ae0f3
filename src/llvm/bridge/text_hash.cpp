// A hash of a function's text. Unlisted records, the layout of operand lists and the order of the constant
// pool do not count.
//
// 64 bits, mixed a word at a time: linear, and much faster than import.

#include "llvm/bridge/bridge.h"
#include "support/hash.h"

namespace psi::llvm_bridge {
namespace {

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
  hash.add(function.origin(id));
  add_operands(hash, function, function.operands(inst));
  for (uint64_t count : function.edge_counts(id)) hash.add(count);
}

}  // namespace

uint64_t text_hash(const Function& function) {
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
