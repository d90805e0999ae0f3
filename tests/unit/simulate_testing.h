// A small machine, made by hand, for tests of the simulator.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "psi/interp/interpret.h"
#include "psi/ir/instruction_set.h"
#include "psi/simulate/simulate.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {

// Scheduling classes of the machine.
enum MiniClass : uint32_t { kAlu, kMul, kMem, kJump };

inline MachineForm mini_form(std::string name, uint32_t scheduling_class, std::string_view parameters,
                             std::string_view body, std::vector<std::string> results,
                             Effect effect = Effect::Pure) {
  std::string text = "func $m(" + std::string(parameters) + ") ssa {\n@entry:\n" + std::string(body) +
                     "  ret\n@t:\n  unreachable\n}\n";
  Result<Module> module = parse(text);
  EXPECT_TRUE(module) << module.message();
  MachineForm made;
  made.name = std::move(name);
  made.effect = effect;
  made.scheduling_class = scheduling_class;
  made.takes_guard = made.takes_negated_guard = true;
  Meaning& meaning = made.meaning;
  meaning.body = *module->find_function("m");
  std::span<const InstId> insts = meaning.body.insts(meaning.body.entry());
  std::vector<InstId> kept(insts.begin(), insts.end() - 1);
  meaning.body.set_insts(meaning.body.entry(), kept);
  for (Reg param : meaning.body.params) {
    MachineOperand operand;
    operand.type = meaning.body.type(param);
    operand.name = meaning.body.name(param);
    made.operands.push_back(operand);
    meaning.operands.push_back(param);
    meaning.targets.push_back(BlockId());
  }
  for (const std::string& result : results) {
    Reg reg = find_reg(meaning.body, result);
    meaning.results[made.results.size()] = reg;
    made.results.push_back({meaning.body.type(reg), result});
  }
  return made;
}

inline MachineForm with_literal(MachineForm form, size_t operand) {
  form.operands[operand].kind = MachineOperand::Kind::Literal;
  form.operands[operand].literals = form.operands[operand].guarded_literals = {{INT32_MIN, INT32_MAX}};
  return form;
}

inline MachineForm with_target(MachineForm form) {
  MachineOperand operand;
  operand.kind = MachineOperand::Kind::Block;
  operand.name = "t";
  form.operands.push_back(operand);
  form.meaning.operands.push_back(Reg());
  form.meaning.targets.push_back(find_block(form.meaning.body, "t"));
  return form;
}

inline std::shared_ptr<const InstructionSet> make_mini() {
  auto set = std::make_shared<InstructionSet>("mini", 64);
  auto add = [&](MachineForm form) { set->add(std::move(form)); };
  for (std::string op : {"add", "sub", "xor", "mul"}) {
    uint32_t each = op == "mul" ? kMul : kAlu;
    std::string body = "  %d = " + op + ".i64 %a, %b\n";
    add(mini_form(op, each, "%a: i64, %b: i64", body, {"d"}));
    add(with_literal(mini_form(op, each, "%a: i64, %b: i64", body, {"d"}), 1));
  }
  add(with_literal(mini_form("const", kAlu, "%a: i64", "  %d = mov.i64 %a\n", {"d"}), 0));
  MachineForm copy = mini_form("copy", kAlu, "%a: i64", "  %d = mov.i64 %a\n", {"d"});
  copy.is_copy = true;
  add(copy);
  MachineForm load = mini_form("load", kMem, "%b: i64", "  %a = inttoptr.i64.ptr %b\n  %d = load.i64 %a\n",
                               {"d"}, Effect::Read);
  load.operands[0].name = "m.b";
  add(load);
  MachineForm post =
      with_literal(mini_form("load.post", kMem, "%b: i64, %i: i64",
                             "  %n = add.i64 %b, %i\n  %a = inttoptr.i64.ptr %b\n  %d = load.i64 %a\n",
                             {"d", "n"}, Effect::Read),
                   1);
  post.operands[0].name = "m.b";
  add(post);
  MachineForm store = mini_form("store", kMem, "%v: i64, %b: i64",
                                "  %a = inttoptr.i64.ptr %b\n  store.i64 %v, %a\n", {}, Effect::Write);
  store.operands[1].name = "m.b";
  add(store);
  add(mini_form("clt", kAlu, "%a: i64, %b: i64", "  %d = cmp.lt.i64 %a, %b\n", {"d"}));
  add(with_literal(mini_form("clt", kAlu, "%a: i64, %b: i64", "  %d = cmp.lt.i64 %a, %b\n", {"d"}), 1));
  add(with_target(mini_form("jump", kJump, "", "  br @t\n", {}, Effect::Control)));
  MachineForm branch = with_target(mini_form(
      "blt", kJump, "%a: i64, %b: i64", "  %p = cmp.lt.i64 %a, %b\n  %p ? br @t\n", {}, Effect::Control));
  branch.falls_through = true;
  add(branch);
  // Counts down, and jumps as long as the counter is not used up.
  MachineForm count = with_target(mini_form("count", kJump, "%c: i64",
                                            "  %d = sub.i64 %c, 1\n  %p = cmp.gt.i64 %d, 0\n  %p ? br @t\n",
                                            {"d"}, Effect::Control));
  count.falls_through = true;
  add(count);
  auto first_inst = [](MachineForm& form) {
    return form.meaning.body.insts(form.meaning.body.entry()).front();
  };
  MachineForm ret = mini_form("ret", kJump, "", "  ret\n", {}, Effect::Control);
  ret.meaning.variable = first_inst(ret);
  ret.variable_operands = true;
  ret.is_return = true;
  add(ret);
  MachineForm call = mini_form("call", kJump, "%f: ptr", "  call %f()\n", {}, Effect::Write);
  call.operands[0].kind = MachineOperand::Kind::Symbol;
  call.meaning.variable = first_inst(call);
  call.variable_operands = call.variable_result = true;
  call.is_call = true;
  add(call);
  add(mini_form("nop", kAlu, "", "", {}));
  MachineForm opaque;
  opaque.name = "halt";
  opaque.effect = Effect::Write;
  opaque.is_opaque = true;
  opaque.scheduling_class = kAlu;
  add(opaque);
  add_boundary_forms(*set);
  return set;
}

class MiniSets final : public InstructionSets {
 public:
  std::shared_ptr<const InstructionSet> find(std::string_view name) const override {
    return name == "mini" ? set_ : nullptr;
  }

 private:
  std::shared_ptr<const InstructionSet> set_ = make_mini();
};

// Two slots: 0 takes all but jumps and memory, 1 all but multiplications.
inline MachineTiming mini_timing() {
  MachineTiming timing;
  timing.name = "mini";
  timing.slots = {"0", "1"};
  timing.width = 2;
  timing.classes.resize(4);
  timing.classes[kAlu] = {"alu", {1, 2}, 1, 1, {}};
  timing.classes[kMul] = {"mul", {1}, 3, 1, {}};
  timing.classes[kMem] = {"mem", {2}, 2, 1, {}};
  timing.classes[kJump] = {"jump", {2}, 1, 1, {}};
  timing.latencies.push_back({kMem, MachineTiming::kAny, MachineTiming::Role::Address, "", 3});
  timing.taken_cost = 1;
  return timing;
}

inline Module parse_mini(const std::string& text) {
  static const MiniSets sets;
  Result<Module> module = parse(text, nullptr, &sets);
  EXPECT_TRUE(module) << render(module, "mini", text);
  if (!module) return Module();
  Result<void> correct = verifies(*module);
  EXPECT_TRUE(correct) << render(correct, "mini", text) << text;
  return std::move(*module);
}

inline Simulation simulate_mini(const Module& module, std::string_view function,
                                std::initializer_list<int64_t> arguments, const MachineTiming& timing,
                                SimulateOptions options = {}) {
  std::vector<Value> values;
  for (int64_t number : arguments) values.push_back({static_cast<uint64_t>(number), false});
  options.run.record = true;
  return simulate(module, module.find_symbol(function).value_or(SymbolId()), values, timing, options);
}

}  // namespace psi
