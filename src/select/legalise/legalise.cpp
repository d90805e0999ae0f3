#include "psi/select/legalise.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "psi/ir/routines.h"
#include "psi/select/boundary.h"
#include "select/legalise/expansions.h"
#include "select/legalise/guards.h"
#include "select/legalise/operations.h"
#include "select/legalise/target_facts.h"
#include "select/legalise/types.h"
#include "select/legalise/untyped.h"

namespace psi {
namespace {

using namespace select;

bool is_extension(Opcode op) { return op == Opcode::Zext || op == Opcode::Sext; }

// What of an instruction that works on a type which is not held, within a load, a store or an extension, is
// no form's; empty if all is.
std::string wrong_narrow(const Function& function, InstId id, const TargetFacts& facts,
                         std::span<const InstId> definitions) {
  const Inst& inst = function.inst(id);
  std::span<const Operand> operands = function.operands(inst);
  auto definition = [&](Operand operand) -> const Inst* {
    if (!operand.is_reg() || !definitions[operand.reg().index()]) return nullptr;
    return &function.inst(definitions[operand.reg().index()]);
  };
  switch (inst.op) {
    case Opcode::Load:
      return {};  // its extension is looked at
    case Opcode::Store: {
      const Inst* made = definition(operands[0]);
      bool truncates =
          made && made->op == Opcode::Trunc && facts.has_truncating_store(inst.type, made->from());
      if (truncates || !operands[0].is_reg()) return {};
      return fmt::format("no store for {}", type_name(inst.type));
    }
    case Opcode::Trunc:
      return {};  // its reader is
    case Opcode::Zext:
    case Opcode::Sext: {
      const Inst* made = definition(operands[0]);
      if (made && made->op == Opcode::Load && facts.extending_load(inst.from(), inst.type) == inst.op)
        return {};
      if (made && made->op == Opcode::Trunc && facts.extends_in_register(inst.op, inst.from(), inst.type)) {
        return {};
      }
      return fmt::format("no form for {}.{}.{}", info(inst.op).name, type_name(inst.from()),
                         type_name(inst.type));
    }
    default:
      return fmt::format("no register for {}", type_name(inst.type));
  }
}

// A half that nobody reads is made of what no form covers alone. Linear.
void remove_unread(Function& function) {
  std::vector<uint32_t> reads(function.num_regs());
  std::vector<std::vector<InstId>> definitions(function.num_regs());
  auto for_each_read = [&](InstId id, auto visit) {
    const Inst& inst = function.inst(id);
    if (inst.guard) visit(inst.guard.reg());
    for (Operand operand : std::as_const(function).operands(id)) {
      if (operand.reads_reg()) visit(operand.reg());
    }
  };
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) {
      for_each_read(id, [&](Reg reg) { ++reads[reg.index()]; });
      for (Reg result : function.inst(id).results) {
        if (result) definitions[result.index()].push_back(id);
      }
    }
  }
  std::vector<bool> is_removed(function.num_insts());
  std::vector<InstId> work;
  auto is_unread = [&](InstId id) {
    const Inst& inst = function.inst(id);
    if (!inst.is_pure() || !inst.results[0] || is_removed[id.index()]) return false;
    return std::ranges::all_of(inst.results, [&](Reg reg) { return !reg || reads[reg.index()] == 0; });
  };
  auto remove = [&](InstId id) {
    if (!is_unread(id)) return;
    is_removed[id.index()] = true;
    work.push_back(id);
  };
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) remove(id);
  }
  if (work.empty()) return;
  while (!work.empty()) {
    InstId id = work.back();
    work.pop_back();
    for_each_read(id, [&](Reg reg) {
      if (--reads[reg.index()] > 0) return;
      for (InstId definition : definitions[reg.index()]) remove(definition);
    });
  }
  std::vector<InstId> kept;
  for (BlockId block : function.layout()) {
    std::span<const InstId> insts = function.insts(block);
    kept.clear();
    for (InstId id : insts) {
      if (!is_removed[id.index()]) kept.push_back(id);
    }
    if (kept.size() != insts.size()) function.set_insts(block, kept);
  }
}

bool crosses_boundary(Opcode op) { return op == Opcode::Call || op == Opcode::Ret || op == Opcode::VaArg; }

std::vector<IllegalInstruction> illegal(const Function& function, const TargetFacts& facts,
                                        std::string_view name) {
  std::vector<IllegalInstruction> found;
  BoundaryShapes shapes(function, facts.held());
  std::vector<InstId> definitions(function.num_regs());
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) {
      for (Reg result : function.inst(id).results) {
        if (result) definitions[result.index()] = id;
      }
    }
  }
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) {
      const Inst& inst = function.inst(id);
      if (shapes.of(id) != BoundaryShape::None) continue;
      std::span<const Operand> operands = function.operands(inst);
      auto add = [&](std::string_view why) { found.push_back({id, fmt::format("{} has {}", name, why)}); };
      bool is_narrow =
          inst.format() == Format::Convert && inst.from() != Type::ptr && !facts.holds(inst.from());
      if (inst.type != Type::none && !facts.holds(inst.type) && !crosses_boundary(inst.op)) is_narrow = true;
      if (is_narrow) {
        if (std::string why = wrong_narrow(function, id, facts, definitions); !why.empty()) add(why);
        continue;
      }
      if (!is_legal_operation(function, id, facts)) {
        add(fmt::format("no form for {}", describe(inst)));
        continue;
      }
      bool is_free = inst.op == Opcode::Phi || inst.op == Opcode::Psi;
      bool with_load = is_extension(inst.op) && !facts.holds(inst.from());
      if (inst.guard && !is_free && !with_load && !facts.takes_guard(function, inst, operands)) {
        add(fmt::format("no guard on {}", describe(inst)));
      }
    }
  }
  return found;
}

}  // namespace

std::vector<IllegalInstruction> illegal_for_selection(const Function& function, const Target& target) {
  return illegal(function, facts_of(*target.description), target.name);
}

void declare_routines(Module& module, const Target& target) {
  auto declare = [&](std::string_view name, const Signature& signature, bool readnone) {
    SymbolId symbol = module.intern_symbol(name);
    if (module.kind(symbol) != SymbolKind::Undeclared) return;
    Function& function = module.add_function(symbol);
    function.signature = signature;
    function.attributes.readnone = readnone;
    function.attributes.nounwind = true;
  };
  for (const RuntimeRoutine& routine : routines()) {
    Signature signature;
    signature.result = routine.result();
    signature.params.assign(routine.num_operands(), routine.operand());
    declare(routine.name, signature, true);
  }
  Type size = module.address_type();
  declare("memcpy", {Type::ptr, {Type::ptr, Type::ptr, size}, false}, false);
  declare("memmove", {Type::ptr, {Type::ptr, Type::ptr, size}, false}, false);
  declare("memset", {Type::ptr, {Type::ptr, Type::i32, size}, false}, false);
  if (!target.description || !target.description->code) return;
  const Module& code = *target.description->code;
  for (SymbolId symbol : code.declarations()) {
    if (code.kind(symbol) != SymbolKind::Function || !code.function(symbol).is_declaration()) continue;
    declare(code.name(symbol), code.function(symbol).signature, true);
  }
}

void legalise(PassContext& context) {
  const Target& target = context.target();
  if (!target.description) {
    return context.refuse(
        fmt::format("target '{}' has no instructions: its description says only costs", target.name));
  }
  Function& function = context.function;
  if (function.pointer_bits != target.description->pointer_bits) {
    return context.refuse(fmt::format("pointers of the module have {} bits, those of {} have {}",
                                      function.pointer_bits, target.name, target.description->pointer_bits));
  }
  TargetFacts facts = facts_of(*target.description);
  DescribedExpansions expansions(*target.description);
  UntypedCounts prepared;
  TypeCounts types;
  OperationCounts operations;
  GuardCounts guards;
  InstId culprit;
  auto refused = [&](const std::string& why) {
    if (why.empty()) return false;
    std::string place =
        culprit && function.line(culprit) ? fmt::format(", line {}", function.line(culprit)) : "";
    context.refuse(fmt::format("{}{}", why, place));
    if (context.remarks && culprit) context.remarks->refused(function, culprit, why);
    return true;
  };
  if (refused(lower_untyped(context.module, function, facts, prepared, context.remarks, culprit))) return;
  context.analyses.drop(Keeps::Nothing);
  const Dominators& dominators = context.analyses.get<Dominators>();
  if (refused(legalise_types(context.module, function, dominators, facts, types, context.remarks, culprit)))
    return;
  // What guards become may be no instruction, and what stands for an operation may have guards.
  for (int round = 0; round < 2; ++round) {
    context.analyses.drop(Keeps::Nothing);
    const Dominators& now = context.analyses.get<Dominators>();
    if (refused(legalise_operations(context.module, function, now, facts, &expansions, operations,
                                    context.remarks, culprit))) {
      return;
    }
    legalise_guards(function, facts, guards);
  }
  remove_unread(function);
  std::vector<IllegalInstruction> left = illegal(function, facts, target.name);
  for (const IllegalInstruction& each : left) {
    context.refuse(each.reason);
    if (context.remarks) context.remarks->refused(function, each.inst, each.reason);
  }
  auto count = [&](const char* what, uint64_t number) {
    if (number > 0) context.counters.add(what, number);
  };
  count("switches as branches", prepared.switches);
  count("cmpps as compares", prepared.cmpps);
  count("addresses lowered", prepared.addresses);
  count("memory operations lowered", prepared.memory);
  count("values split", types.split);
  count("values promoted", types.promoted);
  count("routines called", types.calls + operations.calls);
  count("operations expanded", operations.expanded);
  count("guards speculated", guards.speculated);
  count("guards as branches", guards.branched);
  count("complements of guards", guards.complements);
}

}  // namespace psi
