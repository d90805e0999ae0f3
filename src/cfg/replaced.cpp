#include "cfg/replaced.h"

#include <algorithm>
#include <vector>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::cfg {
namespace {

// Only as a callee may a replaced register still be read.
std::vector<uint8_t> called_registers(const Function& function) {
  std::vector<uint8_t> is_called(function.num_regs());
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      if (function.inst(id).op != Opcode::Call) continue;
      Operand callee = as_call(function, id).callee;
      if (callee.is_reg()) is_called[callee.reg().index()] = 1;
    }
  }
  return is_called;
}

enum class Calls { Stay, Go };

bool stays(const Inst& inst, Calls calls) {
  if (inst.has_flag(Inst::kVolatile) || !inst.results[0]) return true;
  if (inst.op == Opcode::Call) return calls == Calls::Stay;
  return inst.writes_memory() || inst.is_terminator();
}

uint64_t remove(Function& function, const Substitution& substitution, Calls calls,
                std::span<const uint8_t> is_dead) {
  std::vector<uint8_t> is_called = called_registers(function);
  auto is_unread = [&](const Inst& inst) {
    if (stays(inst, calls)) return false;
    for (Reg result : inst.results) {
      if (result && (!substitution.replaces(result) || is_called[result.index()])) return false;
    }
    return true;
  };
  std::vector<InstId> kept;
  uint64_t removed = 0;
  for (BlockId b : function.layout()) {
    kept.clear();
    for (InstId id : function.insts(b)) {
      bool goes = id.index() < is_dead.size() && is_dead[id.index()];
      if (!goes && !is_unread(function.inst(id))) kept.push_back(id);
    }
    if (kept.size() == function.insts(b).size()) continue;
    removed += function.insts(b).size() - kept.size();
    function.set_insts(b, kept);
  }
  return removed;
}

}  // namespace

bool is_only_called(const Function& function, InstId id, const Uses& uses) {
  const Inst& inst = function.inst(id);
  if (!inst.is_copy() || inst.type != Type::ptr || copied(function, id).is_reg()) return false;
  return std::ranges::all_of(uses.uses(inst.results[0]), [&](Use use) {
    return use.operand == kCallee && function.inst(use.inst).op == Opcode::Call;
  });
}

uint64_t remove_replaced(Function& function, const Substitution& substitution) {
  return remove(function, substitution, Calls::Stay, {});
}

uint64_t remove_replaced_and_calls(Function& function, const Substitution& substitution,
                                   std::span<const uint8_t> is_dead) {
  return remove(function, substitution, Calls::Go, is_dead);
}

}  // namespace psi::cfg
