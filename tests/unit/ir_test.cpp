// The IR in memory: operands, literals, operand lists, block lists, renumbering, compaction.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "psi/ir/builder.h"
#include "psi/ir/edits.h"
#include "psi/ir/module.h"
#include "psi/text/text.h"

namespace psi {
namespace {

RC_GTEST_PROP(Literal, keeps_its_bits, (uint64_t bits, int which)) {
  Type type = static_cast<Type>(static_cast<unsigned>(which) % kNumTypes);
  Function function;
  function.pointer_bits = which & 64 ? 32 : 64;
  Operand operand = function.literal(type, bits);
  RC_ASSERT(function.literal_bits(operand) == (bits & function.value_mask(type)));
  RC_ASSERT(function.literal_signed(operand) == function.sign_extend(bits, type));
  RC_ASSERT(function.type(operand) == type);
  RC_ASSERT(operand.is_literal());
}

RC_GTEST_PROP(Literal, equal_values_are_equal_operands, (uint64_t bits, uint64_t other)) {
  Function function;
  Operand a = function.literal(Type::i64, bits);
  Operand b = function.literal(Type::i64, other);
  RC_ASSERT((a == b) == (bits == other));
  RC_ASSERT(function.literal(Type::i64, bits) == a);
}

TEST(Operand, small_literals_at_the_edges) {
  Function function;
  for (int64_t value : {int64_t{0}, int64_t{-1}, int64_t{(1 << 25) - 1}, int64_t{1 << 25}, -int64_t{1 << 25},
                        -int64_t{1 << 25} - 1, INT64_MIN, INT64_MAX}) {
    Operand operand = function.literal(Type::i64, value);
    EXPECT_EQ(function.literal_signed(operand), value);
    EXPECT_EQ(operand.kind() == Operand::Kind::Small, Operand::fits_small(value)) << value;
  }
}

TEST(Operand, polarity) {
  Operand p = Operand::predicate(Reg(7), true);
  EXPECT_TRUE(p.is_negated());
  EXPECT_TRUE(p.reads_reg());
  EXPECT_FALSE(p.is_reg());
  EXPECT_EQ(p.reg(), Reg(7));
  Guard guard(p);
  EXPECT_EQ(guard.as_operand(), p);
  EXPECT_TRUE(Guard().is_always());
  EXPECT_TRUE(Guard(Operand::always()).is_always());
  EXPECT_EQ(Guard().as_operand(), Operand::always());
}

TEST(Condition, negation_and_exchange_are_involutions) {
  for (int i = 0; i < kNumConds; ++i) {
    Cond cond = static_cast<Cond>(i);
    EXPECT_EQ(negate(negate(cond)), cond);
    EXPECT_EQ(swap_operands(swap_operands(cond)), cond);
    EXPECT_NE(negate(cond), cond);
    EXPECT_EQ(is_float_cond(negate(cond)), is_float_cond(cond));
    Type type = is_float_cond(cond) ? Type::f64 : Type::i32;
    EXPECT_EQ(cond_from_name(cond_name(cond), type), cond);
  }
}

// On integers, by what they mean.
TEST(Condition, negation_and_exchange_mean_what_they_say) {
  auto holds = [](Cond cond, int8_t a, int8_t b) {
    auto ua = static_cast<uint8_t>(a), ub = static_cast<uint8_t>(b);
    switch (cond) {
      case Cond::eq:
        return a == b;
      case Cond::ne:
        return a != b;
      case Cond::lt:
        return a < b;
      case Cond::le:
        return a <= b;
      case Cond::gt:
        return a > b;
      case Cond::ge:
        return a >= b;
      case Cond::ult:
        return ua < ub;
      case Cond::ule:
        return ua <= ub;
      case Cond::ugt:
        return ua > ub;
      default:
        return ua >= ub;
    }
  };
  for (int i = 0; i < kNumIntConds; ++i) {
    Cond cond = static_cast<Cond>(i);
    for (int8_t a : {-128, -1, 0, 1, 127}) {
      for (int8_t b : {-128, -1, 0, 1, 127}) {
        EXPECT_NE(holds(cond, a, b), holds(negate(cond), a, b));
        EXPECT_EQ(holds(cond, a, b), holds(swap_operands(cond), b, a));
      }
    }
  }
}

TEST(Opcode, names_are_found_again) {
  for (int i = 0; i < kNumOpcodes; ++i) {
    EXPECT_EQ(opcode_from_name(info(static_cast<Opcode>(i)).name), static_cast<Opcode>(i));
  }
  EXPECT_FALSE(opcode_from_name("nop"));
  EXPECT_FALSE(opcode_from_name(""));
}

// Lists of operands of changing length, against a model.
RC_GTEST_PROP(OperandList, set_operands_keeps_lists_apart,
              (const std::vector<std::vector<uint16_t>>& lists)) {
  RC_PRE(!lists.empty());
  Function function;
  std::vector<std::vector<Operand>> model;
  for (size_t iteration = 0; iteration < 2; ++iteration) {
    for (size_t i = 0; i < lists.size(); ++i) {
      std::vector<Operand> operands;
      const std::vector<uint16_t>& source = lists[(i + iteration) % lists.size()];
      for (uint16_t n : source) operands.push_back(Operand::reg(Reg(n)));
      if (iteration == 0) {
        function.add_inst(Inst(), operands);
        model.push_back(operands);
      } else {
        function.set_operands(InstId(static_cast<uint32_t>(i)), operands);
        model[i] = operands;
      }
    }
  }
  for (size_t i = 0; i < model.size(); ++i) {
    std::span<const Operand> got = std::as_const(function).operands(InstId(static_cast<uint32_t>(i)));
    RC_ASSERT(std::equal(got.begin(), got.end(), model[i].begin(), model[i].end()));
  }
}

TEST(OperandList, may_be_set_from_itself) {
  Function function;
  std::vector<Operand> operands;
  for (uint32_t i = 0; i < 8; ++i) operands.push_back(Operand::reg(Reg(i)));
  InstId id = function.add_inst(Inst(), operands);
  function.set_operands(id, std::as_const(function).operands(id).subspan(2));
  EXPECT_EQ(std::as_const(function).operands(id).size(), 6u);
  EXPECT_EQ(std::as_const(function).operands(id)[0], Operand::reg(Reg(2)));
  EXPECT_EQ(std::as_const(function).operands(id)[5], Operand::reg(Reg(7)));
}

// Appending to blocks in any order, against a model.
RC_GTEST_PROP(BlockList, append_in_turns, (const std::vector<uint8_t>& turns)) {
  Function function;
  std::vector<std::vector<InstId>> model(5);
  for (size_t i = 0; i < model.size(); ++i) function.add_block();
  for (uint8_t turn : turns) {
    BlockId block(turn % 5);
    InstId id = function.add_inst(Inst(), {});
    function.append(block, id);
    model[block.index()].push_back(id);
  }
  for (uint32_t b = 0; b < model.size(); ++b) {
    std::span<const InstId> got = function.insts(BlockId(b));
    RC_ASSERT(std::equal(got.begin(), got.end(), model[b].begin(), model[b].end()));
  }
}

// Edits at random positions, against inserting and removing one by one from the back.
RC_GTEST_PROP(BlockEdits, apply_all_at_once,
              (uint8_t size, const std::vector<std::pair<uint8_t, bool>>& edits)) {
  Function function;
  BlockId block = function.add_block();
  std::vector<InstId> model;
  for (uint32_t i = 0; i < size; ++i) {
    model.push_back(function.add_inst(Inst(), {}));
    function.append(block, model.back());
  }
  BlockEdits batch;
  std::vector<std::vector<InstId>> inserted(size + 1u);
  std::vector<bool> removed(size);
  for (auto [where, insertion] : edits) {
    uint32_t position = where % (size + 1u);
    if (insertion) {
      InstId id = function.add_inst(Inst(), {});
      batch.insert_before(position, id);
      inserted[position].push_back(id);
    } else if (position < size) {
      batch.remove(position);
      removed[position] = true;
    }
  }
  batch.apply(function, block);
  std::vector<InstId> expected;
  for (uint32_t i = 0; i <= size; ++i) {
    expected.insert(expected.end(), inserted[i].begin(), inserted[i].end());
    if (i < size && !removed[i]) expected.push_back(model[i]);
  }
  std::span<const InstId> got = function.insts(block);
  RC_ASSERT(std::equal(got.begin(), got.end(), expected.begin(), expected.end()));
  RC_ASSERT(batch.empty());
}

constexpr std::string_view kAnyProgram = R"(func $f(%a: i32, %b: i32) -> i32 ssa {
@entry: count 3
  %c = cmp.lt.i32 %a, 1234567890123, line 7
  br %c, @left, @right, counts 1 2
@left:
  %x = add.i32 %a, 1
  br @join
@right:
  %y = mul.i32 %b, 100000000
  br @join
@join:
  %z = phi [@left: %x], [@right: %y]
  ret %z
}
)";

Module program() {
  std::string text(kAnyProgram);
  text.replace(text.find("1234567890123"), 13, "1234567890");
  Result<Module> module = parse(text);
  EXPECT_TRUE(module) << render(module, "program", text);
  return std::move(*module);
}

TEST(Compact, keeps_the_text_and_drops_the_rest) {
  Module module = program();
  Function& function = *module.find_function("f");
  std::string before = print(module);
  for (int i = 0; i < 100; ++i) function.add_inst(Inst(), std::vector<Operand>(10, Operand::always()));
  uint32_t insts = function.num_insts();
  function.compact();
  EXPECT_EQ(print(module), before);
  EXPECT_EQ(function.num_insts(), insts - 100);
}

TEST(Renumber, keeps_the_text_of_a_named_function) {
  Module module = program();
  Function& function = *module.find_function("f");
  std::string before = print(module);
  std::vector<uint32_t> regs(function.num_regs()), blocks(function.num_blocks());
  for (uint32_t i = 0; i < regs.size(); ++i) regs[i] = static_cast<uint32_t>(2 * (regs.size() - i));
  for (uint32_t i = 0; i < blocks.size(); ++i) blocks[i] = (i + 3) % static_cast<uint32_t>(blocks.size());
  function.renumber(regs, blocks);
  EXPECT_EQ(print(module), before);
}

TEST(Module, copies_are_independent) {
  Module module = program();
  Module copy = module;
  copy.find_function("f")->strip_names();
  EXPECT_NE(print(copy), print(module));
  EXPECT_EQ(module.find_function("f")->name(Reg(0)), "a");
}

TEST(Module, remove_takes_a_declaration_back) {
  Module module = program();
  SymbolId symbol = *module.find_symbol("f");
  module.remove(symbol);
  EXPECT_EQ(module.kind(symbol), SymbolKind::Undeclared);
  EXPECT_EQ(module.find_function("f"), nullptr);
  EXPECT_EQ(print(module), "");
  module.add_function(symbol);
  EXPECT_NE(module.find_function("f"), nullptr);
}

TEST(Profile, counts_can_be_changed) {
  Module module = program();
  Function& function = *module.find_function("f");
  InstId br = function.terminators(function.entry())[0];
  EXPECT_EQ(function.edge_counts(br).size(), 2u);
  function.set_edge_counts(br, std::array<uint64_t, 2>{10, 20});
  EXPECT_EQ(function.edge_counts(br)[1], 20u);
  function.set_edge_counts(br, std::array<uint64_t, 3>{1, 2, 3});
  EXPECT_EQ(function.edge_counts(br).size(), 3u);
  EXPECT_FALSE(function.misprediction_rate(br));
  function.set_misprediction_rate(br, 0);
  EXPECT_EQ(function.misprediction_rate(br), 0u);
  function.set_misprediction_rate(br, 100);
  function.compact();
  br = function.terminators(function.entry())[0];
  EXPECT_EQ(function.misprediction_rate(br), 100u);
  function.set_edge_counts(br, {});
  EXPECT_TRUE(function.edge_counts(br).empty());
  EXPECT_FALSE(function.misprediction_rate(br));
  EXPECT_EQ(function.count(function.entry()), 3u);
  function.set_count(function.entry(), std::nullopt);
  EXPECT_FALSE(function.count(function.entry()));
}

// The bound that the design rests on, for an ordinary mix of instructions.
TEST(Memory, at_most_64_bytes_an_instruction) {
  std::string text = "func $f(%0: i32) -> i32 ssa {\n@0:\n";
  constexpr int kInsts = 100'000;
  for (int i = 1; i < kInsts; ++i) {
    if (i % 10 == 0) {
      text += "  %" + std::to_string(i) + " = psi %" + std::to_string(i - 1) + ", %" + std::to_string(i - 5) +
              " ? %" + std::to_string(i - 2) + "\n";
    } else if (i % 10 == 5) {
      text += "  %" + std::to_string(i) + " = cmp.lt.i32 %" + std::to_string(i - 1) + ", 5\n";
    } else {
      text +=
          "  %" + std::to_string(i) + " = add.i32 %" + std::to_string(i % 10 == 6 ? i - 2 : i - 1) + ", 1\n";
    }
  }
  text += "  ret %" + std::to_string(kInsts - 1) + "\n}\n";
  Result<Module> module = parse(text);
  ASSERT_TRUE(module) << render(module, "text", {});
  const Function& function = *module->find_function("f");
  EXPECT_LE(function.memory(), size_t{64} * function.num_insts());
}

TEST(Builder, builds_what_the_parser_reads) {
  Module module;
  Function& function = module.add_function(module.intern_symbol("max"));
  function.form = Form::Ssa;
  function.signature = {Type::i32, {Type::i32, Type::i32}, false};
  Reg a = function.add_reg(Type::i32, "a"), b = function.add_reg(Type::i32, "b");
  function.params = {a, b};
  Builder builder(function);
  builder.at(function.add_block("entry"));
  auto [p, q] = builder.cmpp(Action::un, Action::uc, Cond::lt, Type::i32, Operand::reg(a), Operand::reg(b));
  function.set_name(p, "p");
  function.set_name(q, "q");
  builder.guard(Guard(p, false));
  builder.line(3);
  Reg x = builder.op(Opcode::Mov, Type::i32, {Operand::reg(b)}, "x");
  builder.guard(Guard());
  builder.line(0);
  Reg m = builder.psi(Type::i32,
                      std::array{Operand::always(), Operand::reg(a), Operand::reg(p), Operand::reg(x)}, "m");
  builder.ret(Operand::reg(m));
  EXPECT_EQ(print(module),
            "func $max(%a: i32, %b: i32) -> i32 ssa {\n"
            "@entry:\n"
            "  %p, %q = cmpp.un.uc.lt.i32 %a, %b\n"
            "  %p ? %x = mov %b, line 3\n"
            "  %m = psi %a, %p ? %x\n"
            "  ret %m\n"
            "}\n");
}

}  // namespace
}  // namespace psi
