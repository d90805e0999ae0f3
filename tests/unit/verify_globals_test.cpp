// Broken globals, signatures and layouts.
#include "verify_cases.h"

namespace psi::testing {
namespace {

constexpr std::string_view kGlobal = "global $g align 8 { i64 1, i32 2, zero 4 }\nextern global $e size 8\n";
constexpr std::string_view kFunction = R"(
func $f(%a: i32, %b: i32) -> i32 {
@entry:
  %x = add.i32 %a, %b
  br @done
@done:
  ret %x
}
)";

Global& g(Module& module) { return module.global(*module.find_symbol("g")); }

constexpr BrokenProgram kGlobalsCases[] = {
    {"global-align", kGlobal, [](Module& m) { g(m).align = 3; }},
    {"global-align", kGlobal, [](Module& m) { g(m).align = 0; }},
    {"global-align", kGlobal, [](Module& m) { g(m).align = uint64_t{1} << 32; }},
    {"global-size", kGlobal, [](Module& m) { g(m).size = 15; }},
    {"global-size", kGlobal, [](Module& m) { g(m).contents[2].bits = UINT64_MAX; }},
    {"global-extern", kGlobal, [](Module& m) { g(m).external = true; }},
    {"initialiser-value", kGlobal, [](Module& m) { g(m).contents[1].bits = uint64_t{1} << 32; }},
    {"initialiser-value", kGlobal, [](Module& m) { g(m).contents[1].type = Type::none; }},
    {"initialiser-value", kGlobal, [](Module& m) { g(m).contents[1].type = static_cast<Type>(77); }},
    {"initialiser-value", kGlobal,
     [](Module& m) { g(m).contents[1].kind = static_cast<Initialiser::Kind>(9); }},
    {"initialiser-symbol", "global $g { ptr $other }\nglobal $other { i8 0 }",
     [](Module& m) { m.remove(*m.find_symbol("other")); }},
    {"initialiser-symbol", "global $g { ptr $g }",
     [](Module& m) { g(m).contents[0].symbol = SymbolId(1000); }},
    {"initialiser-symbol", "global $g { ptr $g }", [](Module& m) { g(m).contents[0].symbol = SymbolId(); }},

    {"known-form", kFunction, [](Module& m) { f(m).form = static_cast<Form>(4); }},
    {"pointer-bits", kFunction, [](Module& m) { f(m).pointer_bits = 32; }},
    {"pointer-bits", "pointer 32\nextern func $f(i32)", [](Module& m) { f(m).pointer_bits = 64; }},
    {"function-symbol", kFunction, [](Module& m) { f(m).symbol = SymbolId(); }},
    {"function-symbol", "global $g { i8 0 }\nfunc $f() {\n@a:\n  ret\n}",
     [](Module& m) { f(m).symbol = *m.find_symbol("g"); }},
    {"signature-types", kFunction, [](Module& m) { f(m).signature.params[1] = Type::none; }},
    {"signature-types", kFunction, [](Module& m) { f(m).signature.result = static_cast<Type>(99); }},
    {"signature-types", "extern func $f(i32)",
     [](Module& m) { f(m).signature.params[0] = static_cast<Type>(9); }},
    {"layout-range", kFunction, [](Module& m) { f(m).set_layout({BlockId(0), BlockId(1), BlockId(2)}); }},
    {"layout-range", kFunction, [](Module& m) { f(m).set_layout({BlockId()}); }},
    {"layout-unique", kFunction, [](Module& m) { f(m).set_layout({BlockId(0), BlockId(1), BlockId(0)}); }},
    {"register-type", kFunction, [](Module& m) { f(m).set_type(inst(m, 0).results[0], Type::none); }},
    {"register-type", kFunction, [](Module& m) { f(m).set_type(f(m).params[0], static_cast<Type>(20)); }},
    {"param-count", kFunction, [](Module& m) { f(m).signature.params.pop_back(); }},
    {"param-count", kFunction, [](Module& m) { f(m).signature.params.push_back(Type::f64); }},
    {"param-type", kFunction, [](Module& m) { f(m).signature.params[0] = Type::i64; }},
    {"param-unique", kFunction, [](Module& m) { f(m).params[1] = f(m).params[0]; }},
    {"register-range", kFunction, [](Module& m) { f(m).params[1] = Reg(3); }},
};

}  // namespace

std::span<const BrokenProgram> broken_globals() { return kGlobalsCases; }

}  // namespace psi::testing
