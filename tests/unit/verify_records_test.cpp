// Records with fields, ids or operands that a text cannot give them.
#include "psi/ir/instruction_set.h"
#include "verify_cases.h"

namespace psi::testing {
namespace {

// 0 cmp, 1 load, 2 call, 3 zext, 4 cmpp, 5 br, 6 switch, 7 ret
constexpr std::string_view kText = R"(
extern func $g(i32, i32, i32, i32) -> i32
global $v { i32 0 }
func $f(%a: i32) -> i32 {
@entry:
  %p = cmp.lt.i32 %a, 3
  %x = load.i32 $v
  %y = call.i32 $g(%a, %x, 7, 123456789)
  %z = zext.i32.i64 %y
  %q = cmpp.un.ge.i32 %a, %x if !%p
  br %p, @one, @two
@one:
  switch.i32 %x, @two, [1: @two], [2: @two]
@two:
  ret %y
}
)";

void set_operand(Module& m, size_t n, size_t i, Operand operand) { f(m).operands(nth(f(m), n))[i] = operand; }

// Instruction n as the form with this index of the set that all targets have, `lo` of an i64.
void make_machine(Module& m, size_t n, uint32_t form) {
  auto set = std::make_shared<InstructionSet>("any", 64);
  add_boundary_forms(*set);
  f(m).instruction_set = std::move(set);
  inst(m, n).op = Opcode::MachinePure;
  inst(m, n).set_form(form);
}

constexpr BrokenProgram kRecordsCases[] = {
    {"instruction-set", kText, [](Module& m) { inst(m, 0).op = Opcode::MachinePure; }},
    {"instruction-set", kText, [](Module& m) { make_machine(m, 0, 60000); }},
    {"form-operands", kText, [](Module& m) { make_machine(m, 0, 0); }},
    {"instruction-range", kText, [](Module& m) { f(m).append(BlockId(0), InstId(8)); }},
    {"instruction-range", kText, [](Module& m) { f(m).append(BlockId(0), InstId()); }},
    {"instruction-unique", kText, [](Module& m) { f(m).append(BlockId(1), nth(f(m), 0)); }},
    {"known-opcode", kText, [](Module& m) { inst(m, 1).op = static_cast<Opcode>(kNumOpcodes); }},
    {"known-opcode", kText, [](Module& m) { inst(m, 1).op = static_cast<Opcode>(255); }},
    {"known-type", kText, [](Module& m) { inst(m, 1).type = static_cast<Type>(9); }},
    {"known-type", kText, [](Module& m) { inst(m, 3).set_from(Type::none); }},
    {"known-condition", kText, [](Module& m) { inst(m, 0).kind = kNumConds; }},
    {"known-condition", kText, [](Module& m) { inst(m, 4).kind = 255; }},
    {"known-action", kText, [](Module& m) { inst(m, 4).set_actions(Action::none, Action::none); }},
    {"known-action", kText, [](Module& m) { inst(m, 4).extra = 0x90; }},
    {"align-range", kText, [](Module& m) { inst(m, 1).extra = 32; }},
    {"align-range", kText, [](Module& m) { inst(m, 1).extra = 255; }},
    {"operand-storage", kText,
     [](Module& m) { inst(m, 2).inline_operands[0] = Operand::from_raw(UINT32_MAX); }},
    {"operand-storage", kText, [](Module& m) { inst(m, 2).count = Inst::kMaxOperands; }},
    {"operand-storage", kText, [](Module& m) { set_operand(m, 0, 1, Operand::pooled(Type::i32, 1)); }},
    {"operand-count", kText, [](Module& m) { inst(m, 0).count = 1; }},
    {"operand-count", kText, [](Module& m) { inst(m, 0).count = 3; }},
    {"operand-count", kText, [](Module& m) { inst(m, 2).count = 0; }},
    {"operand-count", kText, [](Module& m) { inst(m, 5).count = 2; }},
    {"operand-count", kText, [](Module& m) { inst(m, 6).count = 5; }},
    {"operand-count", kText, [](Module& m) { inst(m, 4).count = 2; }},
    {"operand-count", kText, [](Module& m) { inst(m, 7).op = Opcode::Unreachable; }},
    {"operand-kind", kText, [](Module& m) { set_operand(m, 0, 0, Operand()); }},
    {"operand-kind", kText, [](Module& m) { set_operand(m, 0, 0, Operand::block(BlockId(0))); }},
    {"operand-kind", kText, [](Module& m) { set_operand(m, 0, 0, Operand::not_reg(f(m).params[0])); }},
    {"operand-kind", kText, [](Module& m) { set_operand(m, 4, 2, Operand::small(Type::i1, 0)); }},
    {"operand-kind", kText, [](Module& m) { set_operand(m, 4, 2, Operand::undef(Type::i1)); }},
    {"operand-kind", kText, [](Module& m) { set_operand(m, 5, 1, Operand::small(Type::i32, 1)); }},
    {"operand-kind", kText, [](Module& m) { set_operand(m, 6, 2, Operand::undef(Type::i32)); }},
    {"operand-kind", "func $f(%p: ptr, %i: i64) {\n@a:\n  %q = ptrindex %p, %i, %i, 8\n  ret\n}"},
    {"literal-fits", kText, [](Module& m) { set_operand(m, 5, 0, Operand::small(Type::i1, 1)); }},
    {"literal-fits", "func $f() -> i8 {\n@a:\n  ret -1\n}",
     [](Module& m) { set_operand(m, 0, 0, Operand::small(Type::i8, 255)); }},
    {"register-range", kText, [](Module& m) { set_operand(m, 0, 0, Operand::reg(Reg(1000))); }},
    {"register-range", kText, [](Module& m) { set_operand(m, 0, 0, Operand::reg(Reg())); }},
    {"register-range", kText, [](Module& m) { inst(m, 0).guard = Guard(Reg(1000), true); }},
    {"register-range", kText, [](Module& m) { inst(m, 0).results[0] = Reg(1000); }},
    {"register-range", kText, [](Module& m) { inst(m, 0).results[1] = Reg(1000); }},
    {"register-type", kText,
     [](Module& m) { set_operand(m, 0, 0, Operand::reg(f(m).add_reg(Type::none, "untyped"))); }},
    {"block-target", kText, [](Module& m) { set_operand(m, 5, 1, Operand::block(BlockId(1000))); }},
    {"block-target", kText, [](Module& m) { f(m).set_layout({BlockId(0), BlockId(1)}); }},
    {"symbol-declared", kText, [](Module& m) { set_operand(m, 1, 0, Operand::symbol(SymbolId(1000))); }},
    {"symbol-declared", kText, [](Module& m) { m.remove(*m.find_symbol("v")); }},
    {"symbol-declared", kText, [](Module& m) { m.remove(*m.find_symbol("g")); }},
};

}  // namespace

std::span<const BrokenProgram> broken_records() { return kRecordsCases; }

}  // namespace psi::testing
