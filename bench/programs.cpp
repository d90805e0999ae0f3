#include "programs.h"

#include <fmt/format.h>
#include <malloc.h>

#include <iterator>
#include <limits>

#include "psi/ir/builder.h"
#include "psi/testing/generate.h"

namespace psi::bench {

namespace {

GenerateOptions options_for(uint64_t insts) {
  GenerateOptions options;
  options.seed = 1;
  options.size = insts;
  options.functions = 1;
  options.shape = Shape::Structured;
  return options;
}

}  // namespace

Module one_function(uint64_t insts) { return generate(options_for(insts)); }

Module one_function_again(uint64_t insts) {
  GenerateOptions options = options_for(insts);
  options.externals = false;
  Module module = generate(options);
  SymbolId main = *module.find_symbol("main");
  Function& again = module.add_function(module.intern_symbol("again"));
  again.signature.params = {Type::i64};
  Reg n = again.add_reg(Type::i64);
  again.params = {n};
  Builder builder(again);
  BlockId entry = again.add_block(), loop = again.add_block(), exit = again.add_block();
  builder.at(entry);
  builder.br(loop);
  builder.at(loop);
  builder.call(Type::none, Operand::symbol(main), {});
  builder.into(n);
  builder.op(Opcode::Sub, Type::i64, {Operand::reg(n), again.literal(Type::i64, int64_t{1})});
  Reg more = builder.cmp(Cond::ne, Type::i64, Operand::reg(n), again.literal(Type::i64, int64_t{0}));
  builder.br(Operand::reg(more), loop, exit);
  builder.at(exit);
  builder.ret();
  return module;
}

namespace {

class TwinWriter {
 public:
  Twins write(uint64_t insts) {
    line("func $f(%a: i32, %b: i32, %p: ptr) -> i32 ssa {\n@entry:\n",
         "define i32 @f(i32 %a, i32 %b, ptr %p) {\nentry:\n");
    std::string x = "%a", y = "%b", block = "entry";
    for (uint64_t i = 0; twins_.insts + 13 < insts; ++i) {
      std::string s = name("s", i), t = name("t", i), v = name("v", i), c = name("c", i);
      binary("add", s, x, y);
      binary("mul", t, s, "3");
      inst(fmt::format("  store.i32 {}, %p\n", t), fmt::format("  store i32 {}, ptr %p, align 4\n", t));
      inst(fmt::format("  {} = load.i32 %p\n", v), fmt::format("  {} = load i32, ptr %p, align 4\n", v));
      inst(fmt::format("  {} = cmp.lt.i32 {}, {}\n", c, v, i % 1000),
           fmt::format("  {} = icmp slt i32 {}, {}\n", c, v, i % 1000));
      std::string then = fmt::format("then{}", i), otherwise = fmt::format("else{}", i),
                  join = fmt::format("join{}", i);
      inst(fmt::format("  br {}, @{}, @{}\n", c, then, otherwise),
           fmt::format("  br i1 {}, label %{}, label %{}\n", c, then, otherwise));
      label(then);
      std::string m = name("m", i), n = name("n", i), z = name("z", i);
      binary("xor", m, v, "5");
      jump(join);
      label(otherwise);
      binary("sub", n, t, y);
      jump(join);
      label(join);
      inst(fmt::format("  {} = phi.i32 [@{}: {}], [@{}: {}]\n", z, then, m, otherwise, n),
           fmt::format("  {} = phi i32 [ {}, %{} ], [ {}, %{} ]\n", z, m, then, n, otherwise));
      std::string w = name("w", i);
      binary("and", w, z, s);
      y = z;
      x = w;
    }
    inst(fmt::format("  ret {}\n", x), fmt::format("  ret i32 {}\n", x));
    line("}\n", "}\n");
    return std::move(twins_);
  }

 private:
  static std::string name(std::string_view stem, uint64_t i) { return fmt::format("%{}{}", stem, i); }
  void line(std::string_view psi, std::string_view llvm) {
    twins_.psi += psi;
    twins_.llvm += llvm;
  }
  void inst(std::string_view psi, std::string_view llvm) {
    line(psi, llvm);
    ++twins_.insts;
  }
  void binary(std::string_view op, const std::string& result, const std::string& a, const std::string& b) {
    inst(fmt::format("  {} = {}.i32 {}, {}\n", result, op, a, b),
         fmt::format("  {} = {} i32 {}, {}\n", result, op, a, b));
  }
  void label(const std::string& block) { line(fmt::format("@{}:\n", block), fmt::format("{}:\n", block)); }
  void jump(const std::string& block) {
    inst(fmt::format("  br @{}\n", block), fmt::format("  br label %{}\n", block));
  }

  Twins twins_;
};

}  // namespace

Twins twins(uint64_t insts) { return TwinWriter().write(insts); }

void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace psi::bench
