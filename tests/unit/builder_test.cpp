// The builder: what it builds, and that every misuse is told, by itself and by the verifier, and harms
// nothing.
#include "psi/ir/builder.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "psi/interp/interpret.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi::builder_test {
namespace {

using enum Opcode;

constexpr std::array kForms = {Form::Plain, Form::Ssa};

int64_t run(const Module& module, std::string_view name, std::vector<int32_t> numbers) {
  std::vector<Value> arguments;
  for (int32_t number : numbers) arguments.push_back({static_cast<uint32_t>(number)});
  Outcome outcome = interpret(module, *module.find_symbol(name), arguments);
  EXPECT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message;
  return sign_extend(outcome.result.bits, outcome.result_type);
}

// --- What it builds -------------------------------------------------------------------------------------

TEST(BuildFunction, numbers_take_the_type_of_their_place) {
  Module module;
  Function& f = module.add_function("f", Type::i8, {{Type::i8, "a"}, {Type::f64, "x"}}, Form::Ssa);
  Builder b(module, f);
  b.start_block("entry");
  Reg sum = b.op(Add, {b.param(0), 255}, "sum");
  Reg half = b.op(Fmul, {b.param(1), 0.5}, "half");
  Reg less = b.cmp(Cond::folt, half, 2, "less");
  b.ret(b.op(Select, {less, sum, -1}, "r"));
  ASSERT_TRUE(b.finish()) << b.finish().message();
  EXPECT_TRUE(verifies(module));
  EXPECT_EQ(print(module),
            "func $f(%a: i8, %x: f64) -> i8 ssa {\n"
            "@entry:\n"
            "  %sum = add.i8 %a, -1\n"
            "  %half = fmul.f64 %x, 0.5\n"
            "  %less = cmp.olt.f64 %half, 2.0\n"
            "  %r = select %less, %sum, -1\n"
            "  ret %r\n"
            "}\n");
}

TEST(BuildFunction, literals_of_any_integer_type) {
  Function f;
  EXPECT_EQ(f.literal(Type::i32, 0), f.literal(Type::i32, uint64_t{0}));
  EXPECT_EQ(f.literal(Type::i32, -1), f.literal(Type::i32, 0xffffffffu));
  EXPECT_EQ(f.literal(Type::i1, true), Operand::small(Type::i1, -1));
}

TEST(BuildFunction, ids_are_operands) {
  Operand reg = Reg(3), block = BlockId(4), symbol = SymbolId(5);
  EXPECT_EQ(reg, Operand::reg(Reg(3)));
  EXPECT_EQ(block, Operand::block(BlockId(4)));
  EXPECT_EQ(symbol, Operand::symbol(SymbolId(5)));
  EXPECT_EQ(when(Reg(3)), Guard(Reg(3), false));
  EXPECT_EQ(unless(Reg(3)), Guard(Reg(3), true));
}

// In both forms, what each helper builds does what its C counterpart does.
class InForm : public ::testing::TestWithParam<Form> {
 protected:
  InForm()
      : f_(module_.add_function("f", Type::i32, {{Type::i32, "a"}, {Type::i32, "b"}}, GetParam())),
        b_(module_, f_) {
    b_.start_block("entry");
  }
  Reg a() { return b_.param(0); }
  Reg b() { return b_.param(1); }
  void done() {
    Result<void> built = b_.finish();
    ASSERT_TRUE(built) << built.message();
    Result<void> verified = verifies(module_);
    ASSERT_TRUE(verified) << render(verified, "f", {}) << print(module_);
  }
  int64_t result(int32_t a, int32_t b) { return run(module_, "f", {a, b}); }

  Module module_;
  Function& f_;
  Builder b_;
};

INSTANTIATE_TEST_SUITE_P(Forms, InForm, ::testing::ValuesIn(kForms),
                         [](const auto& form) { return std::string(form_name(form.param)); });

TEST_P(InForm, if_else_with_a_value) {
  Reg less = b_.cmp(Cond::lt, a(), b());
  b_.ret(b_.if_else(less, [&] { return b_.op(Sub, {b(), a()}); }, [&] { return b_.op(Sub, {a(), b()}); }));
  done();
  EXPECT_EQ(result(3, 10), 7);
  EXPECT_EQ(result(10, 3), 7);
}

TEST_P(InForm, if_else_takes_the_type_from_the_side_that_has_one) {
  Reg less = b_.cmp(Cond::lt, a(), 0);
  b_.ret(b_.if_else(less, [&] { return 0; }, [&] { return a(); }));
  done();
  EXPECT_EQ(result(-5, 0), 0);
  EXPECT_EQ(result(5, 0), 5);
}

TEST_P(InForm, a_side_that_returns_does_not_go_on) {
  b_.if_then(b_.cmp(Cond::eq, b(), 0), [&] { b_.ret(-1); });
  Reg quotient = b_.if_else(
      b_.cmp(Cond::lt, a(), 0),
      [&] {
        b_.ret(-2);
        return a();
      },
      [&] { return b_.op(Sdiv, {a(), b()}); });
  b_.ret(quotient);
  done();
  EXPECT_EQ(result(1, 0), -1);
  EXPECT_EQ(result(-1, 1), -2);
  EXPECT_EQ(result(12, 3), 4);
}

TEST_P(InForm, both_sides_may_return) {
  b_.if_else(b_.cmp(Cond::lt, a(), b()), [&] { b_.ret(1); }, [&] { b_.ret(2); });
  EXPECT_FALSE(b_.is_open());
  done();
  EXPECT_EQ(result(0, 1), 1);
  EXPECT_EQ(result(1, 0), 2);
}

TEST_P(InForm, a_loop_whose_variables_change_places) {
  // gcd
  std::vector<Reg> end = b_.while_loop(
      {a(), b()}, [&](std::span<const Reg> v) { return b_.cmp(Cond::ne, v[1], 0); },
      [&](std::span<const Reg> v) { return std::vector<Operand>{v[1], b_.op(Srem, {v[0], v[1]})}; });
  b_.ret(end[0]);
  done();
  EXPECT_EQ(result(48, 36), 12);
  EXPECT_EQ(result(7, 0), 7);
}

TEST_P(InForm, loops_nest_and_hold_ifs) {
  // The number of pairs i < a, j < b with i < j.
  auto below = [&](Reg limit) {
    return [this, limit](std::span<const Reg> v) { return b_.cmp(Cond::lt, v[0], limit); };
  };
  std::vector<Reg> outer = b_.while_loop({b_.i32(0), b_.i32(0)}, below(a()), [&](std::span<const Reg> o) {
    std::vector<Reg> inner = b_.while_loop({b_.i32(0), o[1]}, below(b()), [&](std::span<const Reg> i) {
      Reg count = b_.if_else(
          b_.cmp(Cond::lt, o[0], i[0]), [&] { return b_.op(Add, {i[1], 1}); }, [&] { return i[1]; });
      return std::vector<Operand>{b_.op(Add, {i[0], 1}), count};
    });
    return std::vector<Operand>{b_.op(Add, {o[0], 1}), inner[1]};
  });
  b_.ret(outer[1]);
  done();
  EXPECT_EQ(result(3, 4), 6);
  EXPECT_EQ(result(0, 4), 0);
}

TEST_P(InForm, a_body_that_always_returns) {
  b_.while_loop([&] { return b_.cmp(Cond::lt, a(), b()); }, [&] { b_.ret(1); });
  b_.ret(0);
  done();
  EXPECT_EQ(result(0, 1), 1);
  EXPECT_EQ(result(1, 0), 0);
}

TEST_P(InForm, guarded_code_without_branches) {
  Reg less = b_.cmp(Cond::lt, a(), b());
  b_.ret(
      b_.guarded(when(less), [&] { return b_.op(Sub, {b(), a()}); }, [&] { return b_.op(Sub, {a(), b()}); }));
  done();
  EXPECT_EQ(f_.layout().size(), 1u);
  EXPECT_EQ(result(3, 10), 7);
  EXPECT_EQ(result(10, 3), 7);
}

TEST_P(InForm, guards_nest) {
  Reg p = b_.cmp(Cond::lt, a(), 10), q = b_.cmp(Cond::lt, b(), 10);
  b_.ret(b_.guarded(
      p,
      [&] {
        return b_.guarded(
            unless(q), [&] { return b_.op(Add, {a(), 1}); }, [&] { return b_.op(Add, {a(), 2}); });
      },
      [&] { return b_.op(Add, {a(), 3}); }));
  done();
  EXPECT_EQ(f_.layout().size(), 1u);
  EXPECT_EQ(result(0, 10), 1);
  EXPECT_EQ(result(0, 0), 2);
  EXPECT_EQ(result(20, 0), 23);
}

TEST(BuildFunction, assignments_in_plain_form) {
  Module module;
  Function& f = module.add_function("f", Type::i32, {{Type::i32, "a"}});
  Builder b(module, f);
  b.start_block("entry");
  Reg x = f.add_reg(Type::i32, "x");
  b.assign(x, b.param(0));
  b.if_then(b.cmp(Cond::lt, x, 0), [&] { b.assign(x, 0); });
  b.guarded(b.cmp(Cond::gt, x, 9), [&] { b.assign(x, 9); });
  b.ret(x);
  ASSERT_TRUE(b.finish()) << b.finish().message();
  ASSERT_TRUE(verifies(module)) << print(module);
  EXPECT_EQ(run(module, "f", {-5}), 0);
  EXPECT_EQ(run(module, "f", {5}), 5);
  EXPECT_EQ(run(module, "f", {15}), 9);
}

TEST(BuildFunction, calls_know_their_callee) {
  Module module;
  Function& twice = module.add_function("twice", Type::i32, {{Type::i32, "x"}}, Form::Ssa);
  Builder b(module, twice);
  b.start_block();
  b.ret(b.op(Add, {b.param(0), b.param(0)}));
  Function& f = module.add_function("f", Type::i32, {}, Form::Ssa);
  Builder c(module, f);
  c.start_block();
  c.ret(c.call(twice, {21}));
  ASSERT_TRUE(c.finish()) << c.finish().message();
  ASSERT_TRUE(verifies(module));
  EXPECT_EQ(run(module, "f", {}), 42);
}

TEST(BuildFunction, phis_psis_and_switches_from_lists) {
  Module module;
  Function& f = module.add_function("f", Type::i32, {{Type::i32, "a"}}, Form::Ssa);
  Builder b(module, f);
  BlockId entry = b.start_block("entry"), one = f.add_block("one"), end = f.add_block("end");
  b.switch_on(b.param(0), end, {{1, one}, {-1, one}});
  b.at(one);
  b.br(end);
  b.at(end);
  Reg x = b.phi({{entry, 5}, {one, b.param(0)}}, "x");
  Reg p = b.cmp(Cond::eq, x, 5);
  b.ret(b.psi({{Guard(), x}, {when(p), 50}}));
  ASSERT_TRUE(b.finish()) << b.finish().message();
  ASSERT_TRUE(verifies(module)) << print(module);
  EXPECT_EQ(run(module, "f", {7}), 50);
  EXPECT_EQ(run(module, "f", {-1}), -1);
}

// --- Misuse ---------------------------------------------------------------------------------------------

struct Misuse {
  std::string_view name;
  std::string_view says;  // in a message
  void (*build)(Builder& b);
  std::string_view where = "block @entry, instruction 1";
  Form form = Form::Ssa;
};

// On `func $f(%a: i32, %p: i1, %x: f64) -> i32`, at the start of @entry.
constexpr Misuse kMisuses[] = {
    {"no_block", "at: no block", [](Builder& b) { b.at(BlockId()), b.op(Add, {b.param(0), 1}); }, "no block"},
    {"unknown_block", "at: block 7, which the function does not have",
     [](Builder& b) { b.at(BlockId(7)), b.ret(1); }, "no block"},
    {"after_a_terminator", "add follows the terminator ret",
     [](Builder& b) { b.ret(1), b.op(Add, {b.param(0), 1}), b.ret(2); }, "block @entry, instruction 2"},
    {"after_a_guarded_terminator", "add follows the terminator ret",
     [](Builder& b) { b.guard(b.param(1)), b.ret(1), b.guard(Guard()), b.op(Add, {b.param(0), 1}); },
     "block @entry, instruction 2"},
    {"after_both_sides_ended", "add stands in no block",
     [](Builder& b) {
       b.if_else(b.param(1), [&] { b.ret(1); }, [&] { b.ret(2); });
       b.op(Add, {b.param(0), 1});
     },
     "no block"},
    {"wrong_type", "add.i32: operand 2 is %x, an f64, but must be an i32",
     [](Builder& b) { b.op(Add, Type::i32, {b.param(0), b.param(2)}); }},
    {"wrong_literal_type", "add.i32: operand 2 is an i64, but must be an i32",
     [](Builder& b) { b.op(Add, {b.param(0), b.i64(1)}); }},
    {"wrong_suffix", "fadd has no form for i32", [](Builder& b) { b.op(Fadd, {b.param(0), b.param(0)}); }},
    {"none_as_type", "add needs a type",
     [](Builder& b) { b.op(Add, Type::none, {Operand(b.param(0)), Operand()}); }},
    {"registers_that_are_none", "add: operand 1 is no register",
     [](Builder& b) { b.ret(b.op(Add, {Reg(), Reg()})); }},
    {"what_stands_in_is_no_mistake", "1 needs a type", [](Builder& b) { b.ret(b.op(Add, {1, 2})); }},
    {"wild_type", "load: its type does not exist",
     [](Builder& b) { b.load(static_cast<Type>(200), Operand::undef(Type::ptr)); }},
    {"more_than_operands", "cmp is built by Builder::cmp, not by op",
     [](Builder& b) { b.op(Cmp, {b.param(0), 1}); }},
    {"assigned_to_nothing", "assign: no register", [](Builder& b) { b.assign(Reg(), 1); },
     "block @entry, instruction 1", Form::Plain},
    {"place_of_nothing", "place_of: instruction 9, which the function does not have",
     [](Builder& b) { b.place_of(InstId(9)); }},
    {"wild_opcode", "the opcode does not exist",
     [](Builder& b) { b.op(static_cast<Opcode>(200), {b.param(0)}); }},
    {"too_few_operands", "add.i32: it has 1 operand, but takes 2",
     [](Builder& b) { b.op(Add, {b.param(0)}); }},
    {"too_many_operands", "neg.i32: it has 2 operands, but takes 1",
     [](Builder& b) { b.op(Neg, {b.param(0), 1}); }},
    {"register_never_made", "operand 1 is register 99, which the function does not have",
     [](Builder& b) { b.op(Add, Type::i32, {Reg(99), 1}); }},
    {"no_register", "operand 1 is no register", [](Builder& b) { b.op(Add, Type::i32, {Reg(), 1}); }},
    {"missing_operand", "operand 2 is missing",
     [](Builder& b) { b.op(Add, Type::i32, {Operand(b.param(0)), Operand()}); }},
    {"foreign_literal", "operand 2 is a literal of another function",
     [](Builder& b) {
       Function other;
       b.op(Add, {b.param(0), other.literal(Type::i32, 0x7fffffff)});
     }},
    {"block_as_value", "operand 2 is a block, but must be a value",
     [](Builder& b) { b.op(Add, {b.param(0), Operand(b.block())}); }},
    {"complement_as_value", "operand 1 is a complement",
     [](Builder& b) { b.op(Mov, Type::i1, {Operand::not_reg(b.param(1))}); }},
    {"number_too_large", "300 is no i8", [](Builder& b) { b.literal(Type::i8, 300); }},
    {"number_too_small", "-129 is no i8", [](Builder& b) { b.literal(Type::i8, -129); }},
    {"fraction_as_integer", "0.5 is no i32", [](Builder& b) { b.op(Add, {b.param(0), 0.5}); }},
    {"number_as_pointer", "8 is no ptr", [](Builder& b) { b.load(Type::i32, 8); }},
    {"numbers_alone", "1 needs a type, such as Builder::literal gives it",
     [](Builder& b) { b.op(Add, {1, 2}); }},
    {"wrong_guard", "the guard is %a, an i32, but must be an i1",
     [](Builder& b) { b.guard(b.param(0)), b.op(Add, {b.param(0), 1}); }},
    {"unknown_guard", "the guard is register 99",
     [](Builder& b) { b.guard(Reg(99)), b.op(Add, {b.param(0), 1}); }},
    {"guarded_psi", "it carries no guard",
     [](Builder& b) { b.guard(b.param(1)), b.psi({{Guard(), 1}, {b.param(1), b.param(0)}}); }},
    {"unknown_target", "operand 1 is block 7, which the function does not have",
     [](Builder& b) { b.br(BlockId(7)); }},
    {"no_target", "operand 1 is no block", [](Builder& b) { b.br(BlockId()); }},
    {"wrong_condition_type", "operand 1 is %a, an i32, but must be an i1",
     [](Builder& b) { b.br(b.param(0), b.block(), b.block()); }},
    {"float_condition_of_integers", "its condition is not one for i32",
     [](Builder& b) { b.cmp(Cond::folt, b.param(0), 1); }},
    {"impossible_conversion", "zext.i32.i8: it cannot make i8 of i32",
     [](Builder& b) { b.convert(Zext, Type::i8, b.param(0)); }},
    {"phi_after_another", "phi follows another instruction",
     [](Builder& b) { b.op(Add, {b.param(0), 1}), b.phi({{b.block(), b.param(0)}}); },
     "block @entry, instruction 2"},
    {"phi_without_blocks", "operand 1 must be a block",
     [](Builder& b) { b.phi(Type::i32, std::array{Operand(b.param(0)), Operand(b.param(0))}); }},
    {"half_a_pair", "its operands do not come in pairs",
     [](Builder& b) { b.psi(Type::i32, std::array{Operand::always()}); }},
    {"merge_in_plain_form", "it stands only in SSA forms, but the function is plain",
     [](Builder& b) { b.psi({{Guard(), b.param(0)}}); }, "block @entry, instruction 1", Form::Plain},
    {"wrong_return", "ret: operand 1 is %x, an f64, but must be an i32",
     [](Builder& b) { b.ret(b.param(2)); }},
    {"empty_return", "it returns nothing, but the function returns an i32", [](Builder& b) { b.ret(); }},
    {"odd_alignment", "an alignment of 3 is not a power of two", [](Builder& b) { b.slot(8, 3); }},
    {"into_without_result", "into: ret has no result", [](Builder& b) { b.into(b.param(0)), b.ret(1); }},
    {"into_another_type", "the result is %x, an f64, but must be an i32",
     [](Builder& b) { b.into(b.param(2)), b.op(Add, {b.param(0), 1}); }},
    {"same_result_twice", "both results are %p",
     [](Builder& b) {
       b.into(b.param(1), b.param(1));
       b.cmpp(Action::un, Action::uc, Cond::eq, Type::i32, b.param(0), 1);
     }},
    {"unknown_parameter", "param: 5 is not one of the function's 3 parameters",
     [](Builder& b) { b.param(5); }},
    {"too_few_arguments", "$f takes 3 arguments, but is given 1",
     [](Builder& b) { b.call(b.function(), {1}); }},
    {"wrong_argument", "argument 2 of $f is an i32, but must be an i1",
     [](Builder& b) { b.call(b.function(), {1, b.param(0), 1.0}); }},
    {"unknown_symbol", "operand 1 is no symbol of the module",
     [](Builder& b) { b.call(Type::i32, SymbolId(9), {}); }},
    {"branches_under_a_guard", "an if or a loop within guarded code",
     [](Builder& b) { b.guarded(b.param(1), [&] { b.if_then(b.param(1), [&] { b.ret(1); }); }); }},
    {"guarded_by_no_predicate", "guarded code needs a predicate",
     [](Builder& b) { b.guarded(b.param(0), [] {}); }},
    {"guarded_code_leaves_its_block", "guarded code leaves its block",
     [](Builder& b) { b.guarded(b.param(1), [&] { b.start_block(); }); }, "block @1, instruction 1"},
    {"too_few_next_values", "the loop has 1 variable, but its body gives 0 values",
     [](Builder& b) {
       b.while_loop(
           {b.i32(0)}, [&](auto) { return b.param(1); }, [](auto) { return std::vector<Operand>(); });
     },
     "block @body, instruction 1"},
    {"next_value_of_another_type", "the next value of variable 1: phi.i32: operand 4 is an i64",
     [](Builder& b) {
       b.while_loop(
           {b.i32(0)}, [&](auto) { return b.param(1); },
           [&](auto) { return std::vector<Operand>{b.i64(1)}; });
     },
     "block @body, instruction 1"},
    {"sides_of_different_types", "operand 4 is %x, an f64, but must be an i32",
     [](Builder& b) { b.if_else(b.param(1), [&] { return b.param(0); }, [&] { return b.param(2); }); },
     "block @end, instruction 1"},
};

TEST(BuilderMisuse, is_told_by_the_builder_and_the_verifier) {
  for (const Misuse& misuse : kMisuses) {
    SCOPED_TRACE(misuse.name);
    Module module;
    Function& f = module.add_function("f", Type::i32, {{Type::i32, "a"}, {Type::i1, "p"}, {Type::f64, "x"}},
                                      misuse.form);
    Builder b(module, f);
    b.start_block("entry");
    misuse.build(b);
    // One mistake, one error, whatever follows it.
    Result<void> built = b.finish();
    ASSERT_FALSE(built);
    const Diagnostic& first = built.diagnostics().all().front();
    EXPECT_NE(first.message.find(misuse.says), std::string::npos) << first.message;
    EXPECT_EQ(first.context, "function $f, " + std::string(misuse.where)) << first.message;
    EXPECT_EQ(built.diagnostics().num_errors(), 1u) << built.message();

    Result<void> verified = verifies(module);
    EXPECT_FALSE(verified);
    EXPECT_EQ(verified.diagnostics().all().front().message, first.message + " [misuse]");
    EXPECT_EQ(verified.diagnostics().all().front().context, first.context);
    print(module);
  }
}

TEST(BuilderMisuse, a_builder_before_at) {
  Module module;
  Function& f = module.add_function("f", Type::none, {});
  Builder b(f);
  b.ret();
  EXPECT_NE(b.finish().message().find("ret stands in no block: at() or start_block() comes first"),
            std::string::npos);
  EXPECT_FALSE(verifies(module));
}

TEST(BuilderMisuse, blocks_that_do_not_end) {
  Module module;
  Function& f = module.add_function("f", Type::none, {});
  Builder b(module, f);
  b.start_block("entry");
  EXPECT_EQ(b.finish().message(), "the block does not end in a terminator (in function $f, block @entry)");
  b.ret();
  EXPECT_TRUE(b.finish());
}

// The function is as good as before for those who go on: each mistake is told where it is made.
TEST(BuilderMisuse, several_are_collected) {
  Module module;
  Function& f = module.add_function("f", Type::i32, {{Type::i32, "a"}}, Form::Ssa);
  Builder b(module, f);
  b.start_block("entry");
  Reg wrong = b.op(Fadd, {b.param(0), 1});
  Reg right = b.op(Add, {wrong, 1});
  b.op(Add, {right, b.i64(1)});
  b.ret(right);
  EXPECT_EQ(b.finish().diagnostics().num_errors(), 2u) << b.finish().message();
}

TEST(ModuleMisuse, a_function_that_is_there_stays) {
  Module module;
  Function& first = module.add_function("f", Type::i32, {}, Form::Ssa);
  Builder b(module, first);
  b.start_block();
  b.ret(1);
  ASSERT_TRUE(verifies(module));
  Function& second = module.add_function("f", Type::i32, {}, Form::Ssa);
  Builder c(module, second);
  c.start_block();
  c.ret(2);
  EXPECT_EQ(module.find_function("f"), &first);
  EXPECT_EQ(run(module, "f", {}), 1);
  EXPECT_EQ(module.misuses().text(),
            "function $f is added, but there is a function of that name (in the module)");
  Result<void> verified = verifies(module);
  EXPECT_FALSE(verified);
  EXPECT_EQ(verified.diagnostics().all().front().message,
            "function $f is added, but there is a function of that name [misuse]");
}

TEST(ModuleMisuse, other_declarations) {
  Module module;
  SymbolId g = module.intern_symbol("g");
  module.add_global(g).size = 0;
  module.add_function(g);
  module.add_global(g);
  module.add_function(SymbolId());
  EXPECT_EQ(module.misuses().text(),
            "function $g is added, but there is a global of that name (in the module)\n"
            "global $g is added, but there is a global of that name (in the module)\n"
            "a function is added under a symbol that is not the module's (in the module)");
  EXPECT_EQ(module.declarations().size(), 1u);
}

TEST(Results, hold_a_value_or_say_why_not) {
  Result<int> good = 3;
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 3);
  Result<int> bad = failure("there is none");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.message(), "there is none");
  EXPECT_TRUE(Result<void>());
  EXPECT_FALSE(Result<void>(failure("no")));
  EXPECT_DEATH(*bad, "the value of a failed result is taken; it failed with:\nthere is none");
}

}  // namespace
}  // namespace psi::builder_test
