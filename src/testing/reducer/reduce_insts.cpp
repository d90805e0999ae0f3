// Steps that remove or simplify instructions and their operands.
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "psi/ir/views.h"
#include "testing/reducer/reducer.h"

namespace psi::testing {
namespace {

// Takes out `count` operands at each place.
template <uint32_t count>
void drop_operands(Function& function, std::span<const Item> places) {
  // From the last, so that the places before it stay.
  for (size_t i = places.size(); i > 0; --i) {
    InstId id(places[i - 1].id);
    uint32_t first = places[i - 1].index;
    std::span<const Operand> old = std::as_const(function).operands(id);
    if (old.size() <= count || first >= old.size()) continue;
    std::vector<Operand> operands(old.begin(), old.end());
    operands.erase(operands.begin() + first, operands.begin() + first + count);
    function.set_operands(id, operands);
  }
}

}  // namespace

bool Reducer::remove_insts() {
  std::vector<Item> insts = collect_insts([](const Function& function, InstId id, std::vector<Item>& items) {
    const Inst& inst = function.inst(id);
    if (!inst.is_terminator() || inst.guard) items.push_back({function.symbol, id.index()});
  });
  return function_chunks("removing instructions", std::move(insts), testing::remove_insts);
}

bool Reducer::forward() {
  bool progress = false;
  for (uint32_t place = 0; place < 3; ++place) {
    std::vector<Item> insts = collect([&](const Function& function, std::vector<Item>& items) {
      std::vector<uint8_t> definitions(function.num_regs());
      for (Reg param : function.params) ++definitions[param.index()];
      for (BlockId b : function.layout()) {
        for (InstId id : function.insts(b)) {
          for (Reg result : function.inst(id).results) {
            if (result && definitions[result.index()] < 2) ++definitions[result.index()];
          }
        }
      }
      for (BlockId b : function.layout()) {
        for (InstId id : function.insts(b)) {
          const Inst& inst = function.inst(id);
          if (inst.num_results() != 1 || definitions[inst.results[0].index()] != 1) continue;
          // The place-th operand that could stand for the result.
          uint32_t fitting = 0;
          for (uint32_t i = 0; i < inst.count; ++i) {
            Operand operand = function.operands(id)[i];
            if (!is_value_operand(function, inst, i) || function.type(operand) != inst.result_type())
              continue;
            if (operand.is_reg() && operand.reg() == inst.results[0]) continue;
            if (fitting++ == place) items.push_back({function.symbol, id.index(), i});
          }
        }
      }
    });
    progress = function_chunks("forwarding operands", std::move(insts), forward_operands) || progress;
  }
  return progress;
}

bool Reducer::drop_guards() {
  std::vector<Item> guarded =
      collect_insts([](const Function& function, InstId id, std::vector<Item>& items) {
        if (function.inst(id).guard) items.push_back({function.symbol, id.index()});
      });
  bool progress = function_chunks("dropping guards", std::move(guarded),
                                  [](Function& function, std::span<const Item> chosen) {
                                    for (const Item& item : chosen)
                                      function.inst(InstId(item.id)).guard = Guard();
                                  });
  std::vector<Item> negated =
      collect_insts([](const Function& function, InstId id, std::vector<Item>& items) {
        if (function.inst(id).guard.is_negated()) items.push_back({function.symbol, id.index()});
      });
  return function_chunks("dropping complements", std::move(negated),
                         [](Function& function, std::span<const Item> chosen) {
                           for (const Item& item : chosen) {
                             Guard& guard = function.inst(InstId(item.id)).guard;
                             guard = Guard(guard.reg(), false);
                           }
                         }) ||
         progress;
}

bool Reducer::simplify_cmpp() {
  enum Edit : uint32_t { DropSecond, DropFirst, DropInput, MakeUnconditional, MakeCompare };
  bool progress = false;
  for (Edit edit : {DropSecond, DropFirst, DropInput, MakeUnconditional, MakeCompare}) {
    std::vector<Item> insts =
        collect_insts([&](const Function& function, InstId id, std::vector<Item>& items) {
          const Inst& inst = function.inst(id);
          if (inst.op != Opcode::Cmpp) return;
          bool two = inst.num_results() == 2;
          bool partial = is_partial(inst.action(0)) || is_partial(inst.action(1));
          bool input = as_cmpp(function, id).input.reads_reg();
          bool applies = edit == DropSecond || edit == DropFirst ? two
                         : edit == DropInput                     ? input
                         : edit == MakeUnconditional             ? partial
                                                                 : !two;
          if (applies) items.push_back({function.symbol, id.index()});
        });
    progress = function_chunks("simplifying cmpp", std::move(insts),
                               [&](Function& function, std::span<const Item> chosen) {
                                 for (const Item& item : chosen) {
                                   InstId id(item.id);
                                   Inst& inst = function.inst(id);
                                   std::array actions = {inst.action(0), inst.action(1)};
                                   std::span<const Operand> old = std::as_const(function).operands(id);
                                   std::vector<Operand> operands(old.begin(), old.end());
                                   switch (edit) {
                                     case DropSecond:
                                       if (inst.has_old_values() && is_partial(actions[1]))
                                         operands.pop_back();
                                       actions[1] = Action::none;
                                       inst.results[1] = Reg();
                                       break;
                                     case DropFirst:
                                       if (inst.has_old_values() && is_partial(actions[0]))
                                         operands.erase(operands.begin() + kCmppOld);
                                       actions = {actions[1], Action::none};
                                       inst.results = {inst.results[1], Reg()};
                                       break;
                                     case DropInput:
                                       operands[kCmppInput] = Operand::always();
                                       break;
                                     case MakeUnconditional:
                                       for (Action& action : actions) {
                                         if (is_partial(action))
                                           action =
                                               make_action(ActionClass::Unconditional, is_complement(action));
                                       }
                                       operands.resize(kCmppOld);
                                       break;
                                     case MakeCompare:
                                       if (is_complement(actions[0])) inst.set_cond(negate(inst.cond()));
                                       inst.op = Opcode::Cmp;
                                       inst.extra = 0;
                                       operands.resize(kCmppInput);
                                       break;
                                   }
                                   if (edit != MakeCompare) inst.set_actions(actions[0], actions[1]);
                                   function.set_operands(id, operands);
                                 }
                               }) ||
               progress;
  }
  return progress;
}

bool Reducer::drop_call_arguments() {
  // Only those beyond the parameters: they go together with the others (simplify_signatures).
  std::vector<Item> calls = collect_insts([&](const Function& function, InstId id, std::vector<Item>& items) {
    if (function.inst(id).op != Opcode::Call || !as_call(function, id).callee.is_symbol()) return;
    SymbolId callee = as_call(function, id).callee.symbol();
    if (current_.kind(callee) != SymbolKind::Function) return;
    uint32_t fixed = 1 + static_cast<uint32_t>(current_.function(callee).signature.params.size());
    for (uint32_t i = fixed; i < function.inst(id).count; ++i)
      items.push_back({function.symbol, id.index(), i});
  });
  return function_chunks("dropping call arguments", std::move(calls), drop_operands<1>);
}

bool Reducer::drop_psi_arguments() {
  std::vector<Item> arguments =
      collect_insts([](const Function& function, InstId id, std::vector<Item>& items) {
        if (!function.inst(id).is_psi()) return;
        for (size_t i = 0; i < psi_arguments(function, id).size(); ++i) {
          items.push_back({function.symbol, id.index(), first_operand(i)});
        }
      });
  return function_chunks("dropping psi arguments", std::move(arguments), drop_operands<2>);
}

// Literals closer to zero, and registers that come earlier: the program gets simpler in every step.
bool Reducer::simplify_operands() {
  bool progress = false;
  enum Edit : uint32_t { Zero, One, Half };
  for (Edit edit : {Zero, One, Half}) {
    std::vector<Item> operands =
        collect_insts([&](const Function& function, InstId id, std::vector<Item>& items) {
          const Inst& inst = function.inst(id);
          for (uint32_t i = 0; i < inst.count; ++i) {
            Operand operand = function.operands(id)[i];
            if (!is_value_operand(function, inst, i)) continue;
            Type type = function.type(operand);
            bool simple = operand.is_literal();
            uint64_t bits = simple ? function.literal_bits(operand) : 0;
            if (edit == Zero && simple && bits == 0) continue;
            if (edit == One && (!is_int(type) || type == Type::i1 || (simple && bits <= 1))) continue;
            if (edit == Half && (!simple || !is_int(type) || bits <= 2)) continue;
            items.push_back({function.symbol, id.index(), i});
          }
        });
    // Halving continues with the result.
    bool again = true;
    while (again) {
      again = function_chunks(
          "simplifying operands", operands, [&](Function& function, std::span<const Item> chosen) {
            for (const Item& item : chosen) {
              InstId id(item.id);
              Operand old = function.operands(id)[item.index];
              Type type = function.type(old);
              uint64_t bits = edit == Zero ? 0 : edit == One ? 1 : function.literal_bits(old) / 2;
              Operand simpler = function.literal(type, bits);
              function.operands(id)[item.index] = simpler;
            }
          });
      progress = progress || again;
      if (edit != Half) break;
      std::erase_if(operands, [&](const Item& item) {
        const Function& function = current_.function(item.function);
        Operand operand = function.operands(InstId(item.id))[item.index];
        return !operand.is_literal() || function.literal_bits(operand) <= 2;
      });
    }
  }
  return progress;
}

bool Reducer::share_registers() {
  // The first register of each type, parameters before others, stands for the later ones.
  std::vector<Item> operands = collect([](const Function& function, std::vector<Item>& items) {
    std::array<Reg, kNumTypes> first;
    auto note = [&](Reg reg) {
      Type type = function.type(reg);
      if (type != Type::none && !first[static_cast<size_t>(type)]) first[static_cast<size_t>(type)] = reg;
    };
    for (Reg param : function.params) note(param);
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        const Inst& inst = function.inst(id);
        for (uint32_t i = 0; i < inst.count; ++i) {
          Operand operand = function.operands(id)[i];
          if (!operand.is_reg() || !is_value_operand(function, inst, i)) continue;
          Reg known = first[static_cast<size_t>(function.type(operand.reg()))];
          if (known && known != operand.reg()) items.push_back({function.symbol, id.index(), i});
        }
        for (Reg result : inst.results) {
          if (result) note(result);
        }
      }
    }
  });
  return function_chunks(
      "sharing registers", std::move(operands), [](Function& function, std::span<const Item> chosen) {
        std::array<Reg, kNumTypes> first;
        auto note = [&](Reg reg) {
          Reg& known = first[static_cast<size_t>(function.type(reg))];
          if (!known) known = reg;
        };
        for (Reg param : function.params) note(param);
        for (BlockId b : function.layout()) {
          for (InstId id : function.insts(b)) {
            for (Reg result : function.inst(id).results) {
              if (result) note(result);
            }
          }
        }
        for (const Item& item : chosen) {
          Operand& operand = function.operands(InstId(item.id))[item.index];
          if (operand.is_reg())
            operand = Operand::reg(first[static_cast<size_t>(function.type(operand.reg()))]);
        }
      });
}

}  // namespace psi::testing
