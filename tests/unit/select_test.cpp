// Selection: each form covers its own meaning, and what is selected does what was there.
#include "psi/select/select.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "parsing.h"
#include "psi/interp/interpret.h"
#include "psi/ir/instruction_set.h"
#include "psi/target/target.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

std::vector<const Target*> complete_targets() {
  std::vector<const Target*> found;
  for (const Target& target : targets()) {
    if (target.description) found.push_back(&target);
  }
  return found;
}

uint64_t random_bits(std::mt19937_64& random, Type type) {
  static constexpr uint64_t kBoundaries[] = {0,
                                             1,
                                             2,
                                             7,
                                             31,
                                             32,
                                             63,
                                             127,
                                             128,
                                             255,
                                             0x7fff,
                                             0x8000,
                                             0x7fff'ffff,
                                             0x8000'0000,
                                             0xffff'ffff,
                                             0x7fff'ffff'ffff'ffff,
                                             0x8000'0000'0000'0000,
                                             ~uint64_t{0}};
  uint64_t bits = random() % 3 ? kBoundaries[random() % std::size(kBoundaries)] : random();
  return bits & value_mask(type);
}

// A function that computes what a form means, from its register operands.
class MeaningProgram {
 public:
  MeaningProgram(const TargetDescription& description, const MachineForm& form, std::mt19937_64& random)
      : form_(form), random_(random), pointer_(description.pointer_bits == 32 ? Type::i32 : Type::i64) {
    module_.set_pointer_bits(description.pointer_bits);
    SymbolId buffer = module_.intern_symbol("buffer");
    Global& global = module_.add_global(buffer);
    global.align = 16;
    Initialiser bytes;
    bytes.kind = Initialiser::Kind::Bytes;
    for (int i = 0; i < 4096; ++i) bytes.bytes.push_back(static_cast<char>(random()));
    global.contents.push_back(bytes);
    global.size = 4096;
    function_ = &module_.add_function(module_.intern_symbol("f"));
    function_->form = Form::Ssa;
    block_ = function_->add_block("entry");
    made_ = make(buffer);
  }

  bool made() const { return made_; }
  const Module& module() const { return module_; }
  Module& module() { return module_; }
  Function& function() { return *function_; }

  Outcome run(const Module& module, std::span<const Value> arguments) const {
    InterpretOptions options;
    options.record = true;
    return interpret(module, function_->symbol, arguments, options);
  }

  std::vector<Value> random_arguments() {
    std::vector<Value> values;
    for (Type type : function_->signature.params) values.push_back({random_bits(random_, type)});
    return values;
  }

 private:
  Reg append(Inst inst, std::initializer_list<Operand> operands) {
    inst.results[0] = function_->add_reg(inst.type);
    function_->append(block_, function_->add_inst(inst, std::span(operands.begin(), operands.size())));
    return inst.results[0];
  }

  Operand base_address(SymbolId buffer) {
    Inst address;
    address.op = Opcode::Ptrtoint;
    address.set_from(Type::ptr);
    address.type = pointer_;
    Reg start = append(address, {Operand::symbol(buffer)});
    Inst add;
    add.op = Opcode::Add;
    add.type = pointer_;
    return append(add, {Operand(start), function_->literal(pointer_, 2048u)});
  }

  std::optional<Operand> literal(const MachineOperand& operand, bool is_offset) {
    if (operand.literals.empty()) return std::nullopt;
    const LiteralAlternative& range = operand.literals[random_() % operand.literals.size()];
    int64_t least = range.min, most = range.max;
    if (is_offset) {
      least = std::max<int64_t>(least, -1024);
      most = std::min<int64_t>(most, 1024);
    }
    int64_t step = static_cast<int64_t>(std::max<uint64_t>(range.multiple, 1));
    if (is_offset && step < 8) step = 8;
    int64_t first = least / step * step, last = most / step * step;
    if (first < least) first += step;
    if (last < first) return std::nullopt;
    uint64_t count =
        (static_cast<uint64_t>(last) - static_cast<uint64_t>(first)) / static_cast<uint64_t>(step);
    uint64_t value = static_cast<uint64_t>(first);
    if (count > 0) value += (random_() % 4 ? random_() % count : count) * static_cast<uint64_t>(step);
    return function_->literal(operand.type, value);
  }

  bool make(SymbolId buffer) {
    const Meaning& meaning = form_.meaning;
    std::vector<Operand> values(meaning.body.num_regs());
    bool accesses = form_.effect == Effect::Read || form_.effect == Effect::Write;
    for (size_t i = 0; i < form_.operands.size(); ++i) {
      const MachineOperand& operand = form_.operands[i];
      if (!meaning.operands[i]) continue;
      bool in_mode = operand.name.find('.') != std::string::npos;
      Operand value;
      if (operand.kind == MachineOperand::Kind::Literal) {
        std::optional<Operand> some = literal(operand, accesses && in_mode && operand.type == pointer_);
        if (!some) return false;
        value = *some;
      } else if (operand.kind == MachineOperand::Kind::Symbol) {
        value = Operand::symbol(buffer);
      } else if (accesses && in_mode && operand.type == pointer_) {
        value = based_ ? function_->literal(pointer_, 16u) : base_address(buffer);
        based_ = true;
      } else {
        Reg param = function_->add_reg(operand.type);
        function_->params.push_back(param);
        function_->signature.params.push_back(operand.type);
        value = param;
      }
      values[meaning.operands[i].index()] = value;
    }
    if (accesses && !based_ && form_.effect != Effect::Pure) return false;
    for (InstId id : meaning.body.insts(meaning.body.entry())) {
      Inst inst = meaning.body.inst(id);
      if (inst.is_terminator() || inst.op == Opcode::Call || inst.guard) return false;
      std::vector<Operand> operands;
      for (Operand operand : meaning.body.operands(id)) {
        if (operand.reads_reg()) {
          Operand value = values[operand.reg().index()];
          operands.push_back(operand.is_negated() ? complement(value) : value);
        } else if (operand.is_literal()) {
          operands.push_back(function_->literal(operand.literal_type(), meaning.body.literal_bits(operand)));
        } else {
          operands.push_back(operand);
        }
      }
      for (Reg& result : inst.results) {
        if (!result) continue;
        Operand made = function_->add_reg(meaning.body.type(result));
        values[result.index()] = made;
        result = made.reg();
      }
      function_->append(block_, function_->add_inst(inst, operands));
    }
    // All results are read: the second goes to memory.
    Inst ret;
    ret.op = Opcode::Ret;
    if (form_.results.empty()) {
      function_->append(block_, function_->add_inst(ret, {}));
      return true;
    }
    size_t which = random_() % form_.results.size();
    Operand result = values[meaning.results[which].index()];
    if (result.is_none()) return false;
    function_->signature.result = function_->type(result);
    function_->append(block_, function_->add_inst(ret, {&result, 1}));
    return true;
  }

  const MachineForm& form_;
  std::mt19937_64& random_;
  Type pointer_;
  Module module_;
  Function* function_ = nullptr;
  BlockId block_;
  bool based_ = false;
  bool made_ = false;
};

TEST(Select, EachFormCoversItsMeaning) {
  ASSERT_FALSE(complete_targets().empty());
  for (const Target* target : complete_targets()) {
    const TargetDescription& description = *target->description;
    const SelectionPatterns patterns(description);
    std::mt19937_64 random(7);
    size_t covered = 0;
    for (const MachineForm& form : description.instructions->forms()) {
      if (form.by_name || form.is_opaque || form.is_boundary || form.effect == Effect::Control) continue;
      for (int round = 0; round < 4; ++round) {
        MeaningProgram program(description, form, random);
        if (!program.made()) continue;
        SCOPED_TRACE(fmt::format("{}.{}\n{}", target->name, form.name, print(program.module())));
        Result<void> valid = verifies(program.module());
        ASSERT_TRUE(valid) << valid.message();
        Module selected = program.module();
        Function& function = selected.function(program.function().symbol);
        Analyses analyses(function);
        Result<void> result = select_instructions(selected, function, analyses, patterns);
        ASSERT_TRUE(result) << result.message();
        Result<void> still_valid = verifies(selected);
        ASSERT_TRUE(still_valid) << still_valid.message() << print(selected);
        ++covered;
        for (int run = 0; run < 12; ++run) {
          std::vector<Value> arguments = program.random_arguments();
          Outcome before = program.run(program.module(), arguments);
          Outcome after = program.run(selected, arguments);
          Result<void> same = refines(before, after);
          ASSERT_TRUE(same) << same.message() << print(selected);
        }
      }
    }
    EXPECT_GT(covered, 20u) << target->name;
  }
}

// One instruction where there is one for the whole.
struct Covered {
  const char* text;
  const char* machine;  // a line of the result
};

TEST(Select, TheLargestPatternIsTaken) {
  const Covered kCases[] = {
      {"func $f(%a: i32, %b: i32, %c: i32) -> i32 ssa {\n@e:\n  %m = mul.i32 %a, %b\n  %d = add.i32 %c, %m\n "
       " ret %d\n}",
       "%d = tiny.mac %c, %a, %b"},
      {"func $f(%a: i32) -> i32 ssa {\n@e:\n  %d = add.i32 %a, 100\n  ret %d\n}", "%d = tiny.add %a, 100"},
      {"func $f(%a: i32) -> i32 ssa {\n@e:\n  %x = add.i32 %a, 12\n  %p = inttoptr.i32.ptr %x\n  %d = "
       "load.i32 %p\n"
       "  ret %d\n}",
       "%d = tiny.ldw %a, 12"},
      {"func $f(%a: i32, %b: i32) -> i32 ssa {\n@e:\n  %p = cmp.ge.i32 %a, %b\n  %p ? %x = mov.i32 1\n"
       "  %y = psi.i32 0, %p ? %x\n  ret %y\n}",
       "= tiny.clt %a, %b"},
  };
  const Target* tiny = find_target("tiny");
  ASSERT_NE(tiny, nullptr);
  const SelectionPatterns patterns(*tiny->description);
  for (const Covered& each : kCases) {
    Result<Module> module = parse("pointer 32\n\n" + std::string(each.text));
    ASSERT_TRUE(module) << module.message();
    Function& function = *module->find_function("f");
    Analyses analyses(function);
    Result<void> result = select_instructions(*module, function, analyses, patterns);
    ASSERT_TRUE(result) << result.message();
    EXPECT_NE(print(*module).find(each.machine), std::string::npos) << print(*module);
  }
}

TEST(Select, WhatNothingCoversIsNamedAndLeftAlone) {
  const Target* tiny = find_target("tiny");
  ASSERT_NE(tiny, nullptr);
  const SelectionPatterns patterns(*tiny->description);
  Result<Module> module =
      parse("pointer 32\n\nfunc $f(%a: i32) -> i32 ssa {\n@e:\n  %d = ctlz.i32 %a\n  ret %d\n}");
  ASSERT_TRUE(module) << module.message();
  std::string before = print(*module);
  Function& function = *module->find_function("f");
  Analyses analyses(function);
  Result<void> result = select_instructions(*module, function, analyses, patterns);
  ASSERT_FALSE(result);
  EXPECT_NE(result.message().find("no instruction of tiny covers ctlz.i32: %d = ctlz.i32 %a"),
            std::string::npos)
      << result.message();
  EXPECT_EQ(print(*module), before);
}

}  // namespace
}  // namespace psi
