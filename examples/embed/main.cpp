// A program that embeds the library: it builds functions, verifies and runs them, takes them through passes,
// one of them its own, and asks what is known of their predicates. docs/embedding.md goes through it.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/psi.h"

namespace {

using psi::Cond;
using psi::Form;
using psi::Operand;
using psi::Reg;
using psi::Type;
using enum psi::Opcode;

// What failed says why, in the same way everywhere.
template <class Result>
void check(const Result& result) {
  if (result) return;
  std::cerr << result.message() << '\n';
  std::exit(1);
}

// --- Building -------------------------------------------------------------------------------------------

// |a - b| without a branch: each difference is computed under a guard, and a psi takes the one that was.
void add_distance(psi::Module& module) {
  psi::Function& function =
      module.add_function("distance", Type::i32, {{Type::i32, "a"}, {Type::i32, "b"}}, Form::Ssa);
  psi::Builder builder(module, function);
  builder.start_block("entry");
  Reg a = builder.param(0), b = builder.param(1);
  Reg less = builder.cmp(Cond::lt, a, b, "less");
  Reg result = builder.guarded(
      psi::when(less),  //
      [&] { return builder.op(Sub, {b, a}, "up"); }, [&] { return builder.op(Sub, {a, b}, "down"); },
      "result");
  builder.ret(result);
  check(builder.finish());
}

// The greatest common divisor: a loop with two variables, and an if that returns.
void add_gcd(psi::Module& module) {
  psi::Function& function =
      module.add_function("gcd", Type::i32, {{Type::i32, "a"}, {Type::i32, "b"}}, Form::Ssa);
  psi::Builder builder(module, function);
  builder.start_block("entry");
  builder.if_then(builder.cmp(Cond::lt, builder.param(1), 0), [&] { builder.ret(-1); });
  std::vector<Reg> variables = builder.while_loop(
      {builder.param(0), builder.param(1)},
      [&](std::span<const Reg> v) { return builder.cmp(Cond::ne, v[1], 0); },
      [&](std::span<const Reg> v) { return std::vector<Operand>{v[1], builder.op(Srem, {v[0], v[1]})}; });
  builder.ret(variables[0]);
  check(builder.finish());
}

// Plain form: registers are variables, and may be written again.
void add_limit(psi::Module& module) {
  psi::Function& function = module.add_function("limit", Type::i32, {{Type::i32, "x"}});
  psi::Builder builder(module, function);
  builder.start_block("entry");
  Reg x = builder.param(0);
  builder.if_then(builder.cmp(Cond::lt, x, 0), [&] { builder.assign(x, 0); });
  builder.if_then(builder.cmp(Cond::gt, x, 255), [&] { builder.assign(x, 255); });
  builder.ret(x);
  check(builder.finish());
}

// A mistake is told where it was made; nothing else happens.
void make_a_mistake() {
  psi::Module module;
  psi::Function& function = module.add_function("wrong", Type::i32, {{Type::f64, "x"}}, Form::Ssa);
  psi::Builder builder(module, function);
  builder.start_block("entry");
  builder.ret(builder.op(Add, Type::i32, {builder.param(0), 1}));
  std::cout << builder.finish().message() << '\n';
}

// --- Passes ---------------------------------------------------------------------------------------------

// A pass of one's own: `x = mul y, 2` becomes `x = add y, y`.
void double_by_adding(psi::PassContext& context) {
  psi::Function& function = context.function;
  for (psi::BlockId block : function.layout()) {
    for (psi::InstId id : function.insts(block)) {
      if (function.inst(id).op != Mul) continue;
      std::span<Operand> operands = function.operands(id);
      if (operands[1] != function.literal(function.inst(id).type, 2)) continue;
      function.inst(id).op = Add;
      operands[1] = operands[0];
      context.counters.add("multiplications replaced", 1);
    }
  }
}

psi::PassTable table_with_own_pass() {
  psi::PassTable table = psi::PassTable::builtin();
  table.add({.name = "double-by-adding",
             .summary = "add a value to itself instead of doubling it",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = psi::Keeps::ControlFlow,
             .options = {},
             .after = {},
             .run = double_by_adding});
  return table;
}

void run_passes_on_text() {
  constexpr std::string_view kText = R"(func $f(%a: i32) -> i32 {
@entry:
  %b = mov %a
  %c = mul.i32 %b, 2
  ret %c
}
)";
  psi::Result<psi::Module> module = psi::parse(kText);
  if (!module) std::cerr << psi::render(module, "f.psi", kText);
  check(module);
  check(psi::verifies(*module));

  psi::PassTable table = table_with_own_pass();
  psi::Result<psi::PassList> passes = psi::parse_passes(table, "construct,double-by-adding");
  check(passes);
  psi::PipelineResult report = psi::run_passes(*module, *passes, {.verify_each = true});
  check(report);
  std::cout << psi::print(*module)
            << "replaced: " << report->passes.back().counters["multiplications replaced"] << '\n';
}

void optimise(psi::Module& module) {
  const psi::PassTable& table = psi::PassTable::builtin();
  psi::Result<psi::PassList> passes = psi::optimisation_passes(table, {.level = 2, .target = "riscv"});
  check(passes);
  check(psi::run_passes(module, *passes));
}

// For a target of one's own: `description` is in the language of docs/targets.md.
void convert_for_own_target(psi::Module& module, const std::string& description) {
  psi::TargetTable targets = psi::TargetTable::builtin();
  psi::Result<psi::Target> mine = psi::parse_target(description);
  check(mine);
  check(targets.add(*mine));
  psi::PassTable table = psi::PassTable::builtin();
  table.set_targets(targets);
  psi::Result<psi::PassList> passes = psi::parse_passes(table, "construct,if-convert(target=mine)");
  check(passes);
  psi::PipelineOptions options;
  options.targets = &targets;
  check(psi::run_passes(module, *passes, options));
}

// --- Predicates -----------------------------------------------------------------------------------------

void ask_about_predicates() {
  psi::Result<psi::Module> module = psi::parse(R"(func $g(%a: i32) -> i32 ssa {
@entry:
  %low = cmp.lt.i32 %a, 3
  %high = cmp.gt.i32 %a, 7
  %odd = cmp.ne.i32 %a, 4
  ret %a
}
)");
  check(module);
  const psi::Function& function = *module->find_function("g");
  psi::Analyses analyses(function);
  psi::Predicates predicates(function, analyses);
  std::unique_ptr<psi::PredicateEngine> engine =
      psi::make_predicate_engine(psi::PredicateEngineKind::Auto, predicates.terms());
  auto term = [&](std::string_view name) { return predicates.value(psi::find_reg(function, name)); };
  auto say = [](std::string_view statement, psi::Answer answer) {
    std::cout << statement << ": "
              << (answer == psi::Answer::Yes  ? "yes"
                  : answer == psi::Answer::No ? "no"
                                              : "not known")
              << '\n';
  };
  say("%low and %high are never true together", engine->disjoint(term("low"), term("high")));
  say("%low is true only where %odd is", engine->subset(term("low"), term("odd")));
  say("%odd is true only where %low is", engine->subset(term("odd"), term("low")));
}

}  // namespace

int main() {
  psi::Module module;
  add_distance(module);
  add_gcd(module);
  check(psi::verifies(module));
  std::cout << psi::print(module, *module.find_function("distance")) << '\n';
  std::cout << "distance(3, 10) = " << psi::interpret(module, "distance", {3, 10}).number() << '\n';
  std::cout << "gcd(48, 36) = " << psi::interpret(module, "gcd", {48, 36}).number() << '\n';

  psi::Module plain;
  add_limit(plain);
  check(psi::verifies(plain));
  std::cout << "limit(300) = " << psi::interpret(plain, "limit", {300}).number() << "\n\n";
  // Like one that there is, under another name.
  psi::Target like = *psi::find_target("playdoh");
  like.name = "mine";
  convert_for_own_target(plain, psi::print(like));
  std::cout << psi::print(plain) << '\n';
  optimise(plain);

  make_a_mistake();
  std::cout << '\n';
  run_passes_on_text();
  std::cout << '\n';
  ask_about_predicates();
}
