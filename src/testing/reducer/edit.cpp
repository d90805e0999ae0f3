#include "testing/reducer/edit.h"

#include <algorithm>
#include <array>

#include "psi/analysis/cfg.h"
#include "psi/ir/views.h"

namespace psi::testing {
namespace {

void drop_insts(Function& function, const std::vector<bool>& dropped) {
  std::vector<InstId> kept;
  for (BlockId b : function.layout()) {
    std::span<const InstId> old = function.insts(b);
    kept.clear();
    std::copy_if(old.begin(), old.end(), std::back_inserter(kept),
                 [&](InstId id) { return !dropped[id.index()]; });
    if (kept.size() != old.size()) function.set_insts(b, kept);
  }
}

std::vector<bool> marks(uint32_t size, std::span<const Item> items) {
  std::vector<bool> marked(size);
  for (const Item& item : items) marked[item.id] = true;
  return marked;
}

template <class Visit>
void for_each_inst(Function& function, Visit visit) {
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) visit(id);
  }
}

template <class Visit>
void for_each_function(Module& module, Visit visit) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) == SymbolKind::Function) visit(module.function(symbol));
  }
}

void set_terminator(Function& function, InstId id, Opcode op, std::span<const Operand> operands) {
  Inst& inst = function.inst(id);
  inst.op = op;
  inst.type = Type::none;
  function.set_edge_counts(id, {});
  function.set_operands(id, operands);
}

void make_return(Function& function, InstId id) {
  if (function.signature.result == Type::none) return set_terminator(function, id, Opcode::Ret, {});
  set_terminator(function, id, Opcode::Ret, std::array{zero(function, function.signature.result)});
}

}  // namespace

Operand zero(Function& function, Type type) { return function.literal(type, uint64_t{0}); }

bool is_value_operand(const Function& function, const Inst& inst, uint32_t index) {
  Operand operand = function.operands(inst)[index];
  if (operand.is_block() || operand.is_none() || operand.is_negated()) return false;
  switch (inst.format()) {
    case Format::Phi:
    case Format::Psi:
      return pair_operand(index).is_second;
    case Format::ComparePredicate:
      return index != kCmppInput;
    case Format::Call:
      return index != kCallee;
    case Format::Switch:
      return index == kCondition;
    default:
      return true;
  }
}

// --- Module -------------------------------------------------------------------------------------------

void remove_symbols(Module& module, std::span<const SymbolId> symbols) {
  std::vector<bool> gone(module.num_symbols());
  for (SymbolId symbol : symbols) gone[symbol.index()] = true;
  for (SymbolId symbol : symbols) module.remove(symbol);
  auto is_gone = [&](Operand operand) { return operand.is_symbol() && gone[operand.symbol().index()]; };
  for_each_function(module, [&](Function& function) {
    std::vector<bool> dropped(function.num_insts());
    bool any = false;
    for_each_inst(function, [&](InstId id) {
      if (function.inst(id).op == Opcode::Call && is_gone(as_call(function, id).callee)) {
        any = dropped[id.index()] = true;
        return;
      }
      for (uint32_t i = 0; i < function.inst(id).count; ++i) {
        if (is_gone(function.operands(id)[i])) {
          Operand null = zero(function, Type::ptr);
          function.operands(id)[i] = null;
        }
      }
    });
    if (any) drop_insts(function, dropped);
  });
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Global) continue;
    for (Initialiser& piece : module.global(symbol).contents) {
      if (piece.kind != Initialiser::Kind::Address || !gone[piece.symbol.index()]) continue;
      piece = Initialiser();
      piece.bits = module.pointer_bits() / 8;
    }
  }
}

void remove_params(Module& module, std::span<const Item> params) {
  std::vector<std::vector<bool>> gone(module.num_symbols());
  testing::for_each_function(module, params, [&](Function& function, std::span<const Item> items) {
    std::vector<bool>& removed = gone[function.symbol.index()];
    removed.resize(function.params.size());
    for (const Item& item : items) removed[item.index] = true;
    std::vector<Reg> regs;
    std::vector<Type> types;
    for (size_t i = 0; i < removed.size(); ++i) {
      if (removed[i]) continue;
      regs.push_back(function.params[i]);
      types.push_back(function.signature.params[i]);
    }
    function.params = std::move(regs);
    function.signature.params = std::move(types);
  });
  std::vector<Operand> operands;
  for_each_function(module, [&](Function& function) {
    for_each_inst(function, [&](InstId id) {
      if (function.inst(id).op != Opcode::Call) return;
      CallView call = as_call(function, id);
      if (!call.callee.is_symbol()) return;
      const std::vector<bool>& removed = gone[call.callee.symbol().index()];
      if (removed.empty()) return;
      operands.assign(1, call.callee);
      for (size_t i = 0; i < call.arguments.size(); ++i) {
        if (i >= removed.size() || !removed[i]) operands.push_back(call.arguments[i]);
      }
      function.set_operands(id, operands);
    });
  });
}

void remove_result(Module& module, SymbolId symbol) {
  Function& target = module.function(symbol);
  target.signature.result = Type::none;
  for_each_inst(target, [&](InstId id) {
    if (target.inst(id).op == Opcode::Ret) target.set_operands(id, {});
  });
  for_each_function(module, [&](Function& function) {
    for_each_inst(function, [&](InstId id) {
      if (function.inst(id).op != Opcode::Call) return;
      if (as_call(function, id).callee != Operand::symbol(symbol)) return;
      function.inst(id).type = Type::none;
      function.inst(id).results = {};
    });
  });
}

// --- Function -----------------------------------------------------------------------------------------

void stub_body(Function& function) {
  BlockId entry = function.entry();
  function.set_layout({entry});
  Inst inst;
  inst.op = Opcode::Ret;
  InstId id = function.add_inst(inst, {});
  make_return(function, id);
  function.set_insts(entry, std::array{id});
}

void remove_insts(Function& function, std::span<const Item> insts) {
  drop_insts(function, marks(function.num_insts(), insts));
}

void remove_blocks(Function& function, std::span<const Item> blocks) {
  std::vector<bool> gone = marks(function.num_blocks(), blocks);
  // Where a branch to a removed block goes instead; none if it leads nowhere but to removed ones.
  std::vector<BlockId> instead(function.num_blocks());
  for (uint32_t i = 0; i < function.num_blocks(); ++i) {
    if (!gone[i]) instead[i] = BlockId(i);
  }
  std::vector<bool> followed(function.num_blocks());
  std::vector<BlockId> path;
  for (const Item& item : blocks) {
    path.clear();
    BlockId at(item.id);
    while (at && gone[at.index()] && !followed[at.index()]) {
      followed[at.index()] = true;
      path.push_back(at);
      BlockId next;
      function.for_each_successor(at, [&](BlockId to) {
        if (!next || (gone[next.index()] && !gone[to.index()])) next = to;
      });
      at = next;
    }
    BlockId end = at ? instead[at.index()] : BlockId();
    for (BlockId b : path) instead[b.index()] = end;
  }
  std::vector<BlockId> layout;
  for (BlockId b : function.layout()) {
    if (!gone[b.index()]) layout.push_back(b);
  }
  function.set_layout(std::move(layout));

  std::vector<Operand> operands;
  for (BlockId b : function.layout()) {
    for (InstId id : function.terminators(b)) {
      bool changed = false;
      operands.assign(function.operands(id).begin(), function.operands(id).end());
      for (Operand& operand : operands) {
        if (!operand.is_block() || !gone[operand.block().index()]) continue;
        changed = true;
        BlockId to = instead[operand.block().index()];
        operand = to ? Operand::block(to) : Operand();
      }
      if (!changed) continue;
      // Targets that are left over; a switch loses the cases that have none.
      std::vector<Operand> targets;
      for (Operand operand : operands) {
        if (operand.is_block()) targets.push_back(operand);
      }
      const Inst& inst = function.inst(id);
      if (targets.empty()) {
        make_return(function, id);
      } else if (inst.op == Opcode::Br) {
        if (inst.is_branch() && targets.size() == 2) {
          function.set_operands(id, operands);
        } else {
          set_terminator(function, id, Opcode::Br, std::array{targets[0]});
        }
      } else {
        Operand& otherwise = operands[kSwitchOtherwise];
        if (otherwise.is_none()) otherwise = targets[0];
        std::vector<Operand> kept = {operands[kCondition], otherwise};
        for (auto [literal, to] : mutable_switch_cases(operands)) {
          if (!to.is_none()) add_switch_case(kept, literal, to.block());
        }
        if (kept.size() != operands.size()) function.set_edge_counts(id, {});
        function.set_operands(id, kept);
      }
    }
  }
}

std::vector<BlockId> mergeable_blocks(const Function& function) {
  std::vector<BlockId> found;
  Cfg cfg(function);
  for (BlockId b : function.layout()) {
    std::span<const InstId> ends = function.terminators(b);
    if (ends.size() != 1 || cfg.successors(b).size() != 1 || function.inst(ends[0]).op != Opcode::Br)
      continue;
    BlockId to = cfg.successors(b)[0];
    if (to != b && to != function.entry() && cfg.predecessors(to).size() == 1) found.push_back(b);
  }
  return found;
}

void merge_blocks(Function& function, std::span<const Item> blocks) {
  std::vector<bool> wanted = marks(function.num_blocks(), blocks);
  std::vector<bool> can(function.num_blocks());
  for (BlockId b : mergeable_blocks(function)) can[b.index()] = wanted[b.index()];
  std::vector<BlockId> into(function.num_blocks());  // by merged block: the one that it became part of
  std::vector<InstId> list;
  std::vector<BlockId> chain;
  for (BlockId b : function.layout()) {
    if (!can[b.index()] || into[b.index()]) continue;
    list.assign(function.insts(b).begin(), function.insts(b).end());
    // A chain of merges ends at a block that cannot merge, or one that has done so with others already.
    for (BlockId at = b; can[at.index()];) {
      can[at.index()] = false;
      BlockId to;
      function.for_each_target(function.inst(list.back()), [&](BlockId target) { to = target; });
      if (to == b) break;
      list.pop_back();
      for (InstId id : function.insts(to)) {
        if (function.inst(id).is_phi()) {
          Inst& phi = function.inst(id);
          PhiEntries entries = phi_entries(function, id);
          Operand value = entries.size() == 1 ? entries.front().value : zero(function, phi.type);
          phi.op = Opcode::Mov;
          function.set_operands(id, std::array{value});
        }
        list.push_back(id);
      }
      into[to.index()] = b;
      at = to;
    }
    function.set_insts(b, list);
  }
  std::vector<BlockId> layout;
  for (BlockId b : function.layout()) {
    if (!into[b.index()]) layout.push_back(b);
  }
  function.set_layout(std::move(layout));
  auto survivor = [&](BlockId b) {
    while (into[b.index()]) b = into[b.index()];
    return b;
  };
  for_each_inst(function, [&](InstId id) {
    if (!function.inst(id).is_phi()) return;
    for (Operand& operand : function.operands(id)) {
      if (operand.is_block()) operand = Operand::block(survivor(operand.block()));
    }
  });
}

void forward_operands(Function& function, std::span<const Item> insts) {
  std::vector<Operand> instead(function.num_regs());
  for (const Item& item : insts) {
    const Inst& inst = function.inst(InstId(item.id));
    instead[inst.results[0].index()] = function.operands(InstId(item.id))[item.index];
  }
  remove_insts(function, insts);
  auto resolve = [&](Operand operand) {
    // A cycle of instructions that forward to each other ends somewhere within it.
    for (size_t i = 0; i <= insts.size() && operand.is_reg() && !instead[operand.reg().index()].is_none();
         ++i) {
      operand = instead[operand.reg().index()];
    }
    return operand;
  };
  for_each_inst(function, [&](InstId id) {
    Inst& inst = function.inst(id);
    if (inst.guard && !instead[inst.guard.reg().index()].is_none()) {
      Operand guard = resolve(Operand::reg(inst.guard.reg()));
      inst.guard = guard.is_reg() ? Guard(guard.reg(), inst.guard.is_negated()) : Guard();
    }
    for (uint32_t i = 0; i < inst.count; ++i) {
      Operand operand = function.operands(id)[i];
      if (!operand.reads_reg() || instead[operand.reg().index()].is_none()) continue;
      Operand value = resolve(Operand::reg(operand.reg()));
      if (operand.is_negated())
        value = value.is_reg() ? Operand::not_reg(value.reg()) : Operand::always();
      else if (!value.is_reg() && !is_value_operand(function, inst, i))
        value = Operand::always();
      function.operands(id)[i] = value;
    }
  });
}

void keep_target(Function& function, std::span<const Item> terminators) {
  for (const Item& item : terminators) {
    InstId id(item.id);
    std::vector<BlockId> targets;
    function.for_each_target(function.inst(id), [&](BlockId to) { targets.push_back(to); });
    if (item.index < targets.size()) {
      set_terminator(function, id, Opcode::Br, std::array{Operand::block(targets[item.index])});
    }
  }
}

void start_at(Function& function, BlockId block) {
  std::vector<BlockId> layout = {block};
  for (BlockId b : function.layout()) {
    if (b != block && b != function.entry()) layout.push_back(b);
  }
  function.set_layout(std::move(layout));
}

void number_in_order(Function& function) {
  constexpr uint32_t kUnused = UINT32_MAX;
  uint32_t next_reg = 0, next_block = 0;
  std::vector<uint32_t> regs(function.num_regs(), kUnused), blocks(function.num_blocks(), kUnused);
  auto number = [](std::vector<uint32_t>& numbers, uint32_t index, uint32_t& next) {
    if (numbers[index] == kUnused) numbers[index] = next++;
  };
  for (Reg param : function.params) number(regs, param.index(), next_reg);
  for (BlockId b : function.layout()) {
    number(blocks, b.index(), next_block);
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard) number(regs, inst.guard.reg().index(), next_reg);
      for (Reg result : inst.results) {
        if (result) number(regs, result.index(), next_reg);
      }
      for (Operand operand : function.operands(id)) {
        if (operand.reads_reg()) number(regs, operand.reg().index(), next_reg);
      }
    }
  }
  for (uint32_t i = 0; i < regs.size(); ++i) number(regs, i, next_reg);
  for (uint32_t i = 0; i < blocks.size(); ++i) number(blocks, i, next_block);
  function.renumber(regs, blocks);
}

void replace_with_return(Function& function, std::span<const Item> terminators) {
  for (const Item& item : terminators) make_return(function, InstId(item.id));
}

}  // namespace psi::testing
