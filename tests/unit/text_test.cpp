// The text format: what is read, what is written, and that the two fit.
#include "psi/text/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "ir/name_scope.h"
#include "text/lexer.h"
#include "text/literal.h"

namespace psi {
namespace {

std::string reprint(std::string_view text) {
  Result<Module> module = parse(text);
  return module ? print(*module) : render(module, "text", text);
}

std::string body(std::string_view lines, std::string_view signature = "()") {
  return "func $f" + std::string(signature) + " {\n@entry:\n" + std::string(lines) + "  ret\n}\n";
}

// What is already canonical comes back as it was.
void expect_same(const std::string& text) { EXPECT_EQ(reprint(text), text); }

RC_GTEST_PROP(LiteralText, floats_read_back, (uint64_t bits)) {
  for (Type type : {Type::f32, Type::f64}) {
    uint64_t value = bits & value_mask(type);
    RC_ASSERT(parse_literal(print_literal(type, value), type) == value);
  }
}

RC_GTEST_PROP(LiteralText, integers_read_back, (uint64_t bits)) {
  for (Type type : {Type::i1, Type::i8, Type::i16, Type::i32, Type::i64, Type::ptr}) {
    uint64_t value = bits & value_mask(type);
    RC_ASSERT(parse_literal(print_literal(type, value), type) == value);
  }
}

TEST(LiteralText, edges) {
  EXPECT_EQ(parse_literal("18446744073709551615", Type::i64), UINT64_MAX);
  EXPECT_EQ(parse_literal("-9223372036854775808", Type::i64), uint64_t{1} << 63);
  EXPECT_FALSE(parse_literal("18446744073709551616", Type::i64));
  EXPECT_FALSE(parse_literal("-9223372036854775809", Type::i64));
  EXPECT_EQ(parse_literal("0xff", Type::i8), 0xffu);
  EXPECT_FALSE(parse_literal("0x100", Type::i8));
  EXPECT_FALSE(parse_literal("0x", Type::i8));
  EXPECT_EQ(parse_literal("-1", Type::i1), 1u);
  EXPECT_FALSE(parse_literal("2", Type::i1));
  EXPECT_FALSE(parse_literal("", Type::i32));
  EXPECT_FALSE(parse_literal("1 2", Type::i32));
  EXPECT_FALSE(parse_literal("1.5", Type::i32));
  EXPECT_EQ(parse_literal("-0.0", Type::f32), 0x80000000u);
  EXPECT_EQ(parse_literal("-inf", Type::f64), 0xfff0000000000000u);
  EXPECT_FALSE(parse_literal("1e999", Type::f64));
  EXPECT_EQ(print_literal(Type::f64, 0x4024000000000000), "10.0");
  EXPECT_EQ(print_literal(Type::f32, 0x7fc00001), "bits(0x7fc00001)");
}

RC_GTEST_PROP(Escapes, read_back, (const std::string& bytes)) {
  std::string quoted = quote(bytes), again;
  size_t bad;
  RC_ASSERT(unescape(std::string_view(quoted).substr(1, quoted.size() - 2), again, bad));
  RC_ASSERT(again == bytes);
}

// Names of few characters, digits among them, against a map.
RC_GTEST_PROP(NameScope, is_a_map, (const std::vector<uint32_t>& draws)) {
  std::vector<std::string> names;
  for (uint32_t draw : draws) {
    std::string& name = names.emplace_back();
    for (uint32_t rest = draw % 4096; rest > 0 || name.empty(); rest /= 5) name += "a0129"[rest % 5];
    if (draw % 7 == 0) name += "000000000123";
  }
  NameScope scope;
  for (int iteration = 0; iteration < 2; ++iteration) {
    std::map<std::string, uint32_t> model;
    scope.reset(iteration == 0 ? 0 : 100);
    for (const std::string& name : names) {
      uint32_t index = scope.intern(name, {});
      auto [at, added] = model.try_emplace(name, static_cast<uint32_t>(model.size()));
      RC_ASSERT(index == at->second);
      RC_ASSERT(scope[index].name == name);
      RC_ASSERT(scope[index].number == number_of_name(name));
      RC_ASSERT(scope.size() == model.size());
    }
  }
}

TEST(NameScope, numbers_as_names) {
  EXPECT_EQ(number_of_name("0"), 0u);
  EXPECT_EQ(number_of_name("907"), 907u);
  EXPECT_EQ(number_of_name("999999999"), 999999999u);
  for (std::string_view name : {"", "00", "07", "1000000000", "x1", "1x", "-1"}) {
    EXPECT_EQ(number_of_name(name), NameScope::kNoNumber) << name;
  }
}

RC_GTEST_PROP(Names, any_bytes_can_be_a_name, (const std::string& name)) {
  RC_PRE(!name.empty());
  Module module;
  Function& function = module.add_function(module.intern_symbol(name));
  Reg reg = function.add_reg(Type::i32, name);
  function.params = {reg};
  function.signature.params = {Type::i32};
  BlockId block = function.add_block(name);
  Inst ret;
  ret.op = Opcode::Ret;
  function.append(block, function.add_inst(ret, {}));
  std::string text = print(module);
  RC_ASSERT(reprint(text) == text);
}

TEST(Text, declarations) {
  expect_same(
      "global $g align 8 { i64 -1, \"a\\00\\ff\", zero 3, f32 1.5, ptr $g - 4, ptr $f, i1 true }\n"
      "const $c { }\n"
      "extern global $e size 12 align 4\n"
      "extern const $d size 1\n"
      "extern func $f(i32, ptr, ...) -> f64 readnone readonly noreturn nounwind\n"
      "extern func $v(...)\n");
}

TEST(Text, every_kind_of_instruction) {
  expect_same(
      "extern func $g(i32) -> i32\n"
      "extern func $v(ptr, ...)\n"
      "\n"
      "func $f(%a: i32, %p: i1, %m: ptr, %d: f64, ...) -> i32 nounwind {\n"
      "@entry: count 17\n"
      "  %x = add.i32 %a, -1, line 3\n"
      "  %y = fshl.i32 %a, %x, 3\n"
      "  %n = not.i1 %p\n"
      "  %o = smul_overflow.i32 %a, %x\n"
      "  %c = cmp.uge.i32 %a, %x\n"
      "  %e = cmp.une.f64 %d, nan\n"
      "  %q = cmpp.an.ne.ptr %m, null if !%p\n"
      "  !%p ? %q, %r = cmpp.on.cc.lt.i32 %a, 5\n"
      "  %w = sext.i32.i64 %a\n"
      "  %s = select %p, %a, 7\n"
      "  %t = select.i32 %p, 1, undef\n"
      "  %u = mov %a\n"
      "  %k = mov.i32 5\n"
      "  %z = slot 16, align 8\n"
      "  %z2 = slot %w\n"
      "  %i = ptradd %m, %w\n"
      "  %j = ptrindex %m, %w, 4, -8\n"
      "  %l = load.volatile.i32 %m\n"
      "  %l2 = load.deref.i64 $g, align 1\n"
      "  %p ? store.i32 %l, %j, align 2\n"
      "  memcpy.volatile %z, %m, 16, align 8\n"
      "  memset %z, -1, %w\n"
      "  va_start %z\n"
      "  %va = va_arg.i32 %z\n"
      "  %h = call.i32 $g(4)\n"
      "  call $v(%m, i32 4, %d, f32 undef)\n"
      "  %h2 = call.i32 %m(i32 1, %a)\n"
      "  %fast = fadd.fast.f64 %d, 1.0\n"
      "  %p ? ret 3\n"
      "  !%n ? br @b, counts 5\n"
      "  switch.i32 %a, @b, [1: @c], [-2: @b], counts 1 2 3, line 9\n"
      "@b:\n"
      "  br %p, @c, @d\n"
      "@c:\n"
      "  ret %h2\n"
      "@d:\n"
      "  unreachable\n"
      "}\n");
}

TEST(Text, merges_without_types) {
  std::string text =
      "func $f(%a: i32, %p: i1) -> i32 ssa {\n"
      "@entry:\n"
      "  br @loop\n"
      "@loop:\n"
      "  %i = phi [@entry: 0], [@loop: %k]\n"
      "  %j = phi [@entry: %i0], [@loop: %j]\n"
      "  %k = psi %p ? 5, %i, !%p ? %a\n"
      "  br %p, @loop, @exit\n"
      "@exit:\n"
      "  %s = psi $f\n"
      "  ret %k\n"
      "}\n";
  // %i0 is not defined.
  EXPECT_NE(reprint(text).find("%i0 is never defined"), std::string::npos) << reprint(text);
  text.replace(text.find("%i0"), 3, "%a");
  std::string printed = reprint(text);
  EXPECT_NE(printed.find("%i = phi.i32 [@entry: 0], [@loop: %k]"), std::string::npos) << printed;
  EXPECT_NE(printed.find("%j = phi [@entry: %a], [@loop: %j]"), std::string::npos) << printed;
  EXPECT_NE(printed.find("%k = psi %p ? 5, %i, !%p ? %a"), std::string::npos) << printed;
  EXPECT_NE(printed.find("%s = psi.ptr $f"), std::string::npos) << printed;
  EXPECT_EQ(reprint(printed), printed);
}

TEST(Text, types_are_inferred_around_cycles) {
  std::string text = body(
      "  br @a\n@a:\n  %x = phi [@entry: %y0], [@b: %y]\n  br @b\n@b:\n  %y = phi [@a: %x]\n  br @a\n@c:\n",
      "(%y0: i8) ssa");
  std::string printed = reprint(text);
  EXPECT_NE(printed.find("%y = phi [@a: %x]"), std::string::npos) << printed;
}

TEST(Text, lines_may_be_broken_inside) {
  EXPECT_EQ(reprint(body("  %x = add.i32 %a,\n     1\n  %y = psi %p ? %a,\n    # a comment\n   !%p ? %x\n",
                         "(%a: i32, %p: i1) ssa")),
            body("  %x = add.i32 %a, 1\n  %y = psi %p ? %a, !%p ? %x\n", "(%a: i32, %p: i1) ssa"));
}

TEST(Text, names_survive_comments_do_not) {
  EXPECT_EQ(reprint("# one\nfunc $f(%\"a b\": i32) { # two\n@\"the entry\": # three\n  ret # four\n}\n"),
            "func $f(%\"a b\": i32) {\n@\"the entry\":\n  ret\n}\n");
}

TEST(Text, numbers_are_kept) {
  expect_same("func $f(%3: i32) -> i32 {\n@7:\n  %9 = add.i32 %3, 1\n  br @2\n@2:\n  ret %9\n}\n");
  // Out of all proportion: renumbered, but still the same program.
  std::string printed = reprint("func $f(%99999999: i32) -> i32 {\n@0:\n  ret %99999999\n}\n");
  EXPECT_EQ(printed, "func $f(%0: i32) -> i32 {\n@0:\n  ret %0\n}\n");
}

TEST(Text, names_that_clash_are_told_apart) {
  Module module;
  Function& function = module.add_function(module.intern_symbol("f"));
  Reg a = function.add_reg(Type::i32, "x"), b = function.add_reg(Type::i32, "x"),
      c = function.add_reg(Type::i32, "0");
  function.params = {a, b, c};
  function.signature.params = {Type::i32, Type::i32, Type::i32};
  BlockId block = function.add_block();
  Inst ret;
  ret.op = Opcode::Ret;
  function.append(block, function.add_inst(ret, {}));
  std::string text = print(module);
  EXPECT_EQ(reprint(text), text);
  EXPECT_EQ(parse(text)->find_function("f")->num_regs(), 3u);
}

TEST(Text, calls_of_functions_declared_below) {
  expect_same(
      "func $f() -> i32 {\n@entry:\n  %x = call.i32 $g(-1, 2.5)\n  ret %x\n}\n\nextern func $g(i8, f32) -> "
      "i32\n");
  EXPECT_NE(reprint("func $f() {\n@entry:\n  call $g(300)\n  ret\n}\nextern func $g(i8)\n")
                .find("300 does not fit i8"),
            std::string::npos);
}

TEST(Text, errors_past_a_limit_are_counted) {
  std::string text = "func $f() {\n@entry:\n";
  for (int i = 0; i < 50; ++i) text += "  bad\n";
  text += "  ret\n}\n";
  Result<Module> module = parse(text);
  EXPECT_FALSE(module);
  EXPECT_EQ(module.diagnostics().num_errors(), 50u);
  EXPECT_EQ(module.diagnostics().all().size(), Diagnostics::kMaxErrors);
}

TEST(Text, errors_in_two_functions) {
  Result<Module> module = parse("func $f() {\n@entry:\n  bad\n}\nfunc $g() {\n@entry:\n  worse\n}\n");
  EXPECT_FALSE(module);
  const Diagnostics& diagnostics = module.diagnostics();
  ASSERT_EQ(diagnostics.num_errors(), 2u);
  EXPECT_EQ(diagnostics.all()[0].where.line, 3u);
  EXPECT_EQ(diagnostics.all()[1].where.line, 7u);
}

TEST(SourceMap, knows_where_instructions_stand) {
  SourceMap map;
  Result<Module> module = parse("\nfunc $f() {\n@entry:\n  %x = mov.i32 1\n\n  ret\n}\n", &map);
  ASSERT_TRUE(module);
  const Function& function = *module->find_function("f");
  EXPECT_EQ(map.find(function.symbol).line, 2u);
  EXPECT_EQ(map.find(function.symbol, function.insts(function.entry())[0]).line, 4u);
  EXPECT_EQ(map.find(function.symbol, function.insts(function.entry())[1]).line, 6u);
}

TEST(Render, marks_the_place) {
  Diagnostics diagnostics;
  diagnostics.error({2, 3, 4}, "wrong");
  diagnostics.note({1, 1, 1}, "because");
  EXPECT_EQ(render(diagnostics, "file", "one\n\ttabbed text\n"),
            "file:2:3: error: wrong\n  \ttabbed text\n  \t ^~~~\nfile:1:1: note: because\n  one\n  ^\n");
}

TEST(Render, counts_what_it_leaves_out) {
  Diagnostics diagnostics;
  for (int i = 0; i < 25; ++i) diagnostics.error({}, "wrong", "here");
  std::string text = render(diagnostics, "file", {});
  EXPECT_NE(text.find("file: and 5 more errors"), std::string::npos);
}

TEST(Find, by_name_and_number) {
  Result<Module> module = parse("func $f(%x: i32, %1: i32) {\n@entry:\n  br @1\n@1:\n  ret\n}\n");
  const Function& function = *module->find_function("f");
  EXPECT_EQ(find_reg(function, "x"), function.params[0]);
  EXPECT_EQ(find_reg(function, "1"), function.params[1]);
  EXPECT_TRUE(find_reg(function, "y").is_none());
  EXPECT_EQ(find_block(function, "entry"), function.entry());
  EXPECT_EQ(find_block(function, "1"), function.layout()[1]);
  EXPECT_TRUE(find_block(function, "7").is_none());
}

}  // namespace
}  // namespace psi
