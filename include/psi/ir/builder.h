// Builds functions: appends instructions to blocks, with the records' details filled in.
//
// Every instruction is checked when it is added. What makes no sense is left out and noted with the function
// (Function::misuses), with its place; results of the right type stand in for it, so that one mistake is
// reported once. finish() says what there is, and so does the verifier: a mistake never goes unseen, and
// never crashes.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "psi/ir/function.h"
#include "psi/ir/module.h"
#include "psi/support/result.h"

namespace psi {

class Builder {
 public:
  // What an instruction reads: a register, any other operand, or a number, which takes the type of its place.
  class Input {
   public:
    Input(Operand operand) : operand_(operand) {}
    Input(Reg reg) : operand_(reg) {}
    Input(SymbolId symbol) : operand_(symbol) {}
    template <std::integral Number>
    Input(Number number)
        : kind_(std::signed_integral<Number> ? Kind::Signed : Kind::Unsigned),
          bits_(static_cast<uint64_t>(number)) {}
    template <std::floating_point Number>
    Input(Number number) : kind_(Kind::Real), real_(static_cast<double>(number)) {}

   private:
    friend class Builder;
    enum class Kind : uint8_t { Operand, Signed, Unsigned, Real };
    Kind kind_ = Kind::Operand;
    Operand operand_;
    uint64_t bits_ = 0;
    double real_ = 0;
  };
  using Inputs = std::initializer_list<Input>;

  // An entry of a phi, an argument of a psi, a case of a switch.
  struct Incoming {
    BlockId block;
    Input value;
  };
  struct Guarded {
    Guard guard;
    Input value;
  };
  struct Case {
    Input value;
    BlockId block;
  };

  // With the module, callees are known, and messages name the function.
  explicit Builder(Function& function) : function_(function) {}
  Builder(const Module& module, Function& function) : module_(&module), function_(function) {}

  Function& function() { return function_; }
  BlockId block() const { return block_; }
  // Where the next instruction goes.
  void at(BlockId block);
  // Adds a block at the function's end, and goes there.
  BlockId start_block(std::string_view name = {});
  // The guard, source line and origin of the next instructions.
  void guard(Guard guard) { guard_ = guard; }
  void line(uint32_t line) { line_ = line; }
  void origin(uint32_t origin) { origin_ = origin; }
  // The line and origin of this instruction.
  void place_of(InstId inst);
  // Where the next result goes: into this register instead of a new one (plain form).
  void into(Reg reg) { into(reg, Reg()); }
  void into(Reg first, Reg second) { into_[0] = first, into_[1] = second; }

  // Has nothing been built wrong, and do all blocks end in a terminator? If not, what, and where.
  Result<void> finish() const;

  // --- Values -----------------------------------------------------------------------------------------
  Reg param(size_t i);
  Operand literal(Type type, Input number);
  Operand i32(int64_t number) { return literal(Type::i32, number); }
  Operand i64(int64_t number) { return literal(Type::i64, number); }

  // --- Computing ------------------------------------------------------------------------------------
  // Binary, unary, ternary and overflow opcodes, mov and select: inputs in order. Without a type it is that
  // of the inputs, the predicate of a select aside.
  Reg op(Opcode op, Type type, std::span<const Operand> operands, std::string_view name = {});
  Reg op(Opcode op, Type type, Inputs inputs, std::string_view name = {});
  Reg op(Opcode op, Inputs inputs, std::string_view name = {});
  Reg cmp(Cond cond, Type type, Input a, Input b, std::string_view name = {});
  Reg cmp(Cond cond, Input a, Input b, std::string_view name = {});
  // `input` is a predicate operand or Operand::always(). `old` holds one value for each partial action (SSA).
  std::pair<Reg, Reg> cmpp(Action first, Action second, Cond cond, Type type, Input a, Input b,
                           Operand input = Operand::always(), std::span<const Operand> old = {});
  Reg convert(Opcode op, Type from, Type to, Input a, std::string_view name = {});
  Reg convert(Opcode op, Type to, Operand a, std::string_view name = {});
  // Copies `value` to a register that there is (plain form).
  void assign(Reg to, Input value);
  // (block, value) pairs; (guard, value) pairs.
  Reg phi(Type type, std::span<const Operand> pairs, std::string_view name = {});
  Reg psi(Type type, std::span<const Operand> pairs, std::string_view name = {});
  Reg phi(std::initializer_list<Incoming> entries, std::string_view name = {});
  Reg psi(std::initializer_list<Guarded> arguments, std::string_view name = {});

  // --- Memory ---------------------------------------------------------------------------------------
  Reg slot(Input size, uint64_t align, std::string_view name = {});
  Reg ptradd(Input base, Input offset, std::string_view name = {});
  Reg ptrindex(Input base, Input index, int64_t scale, int64_t offset, std::string_view name = {});
  // align 0: natural.
  Reg load(Type type, Input address, uint64_t align = 0, uint32_t flags = 0, std::string_view name = {});
  InstId store(Type type, Input value, Input address, uint64_t align = 0, uint32_t flags = 0);
  InstId store(Operand value, Operand address);
  // memcpy, memmove, memset; va_start, va_copy, va_end.
  InstId effect(Opcode op, std::initializer_list<Operand> operands);

  // --- Control --------------------------------------------------------------------------------------
  // `result` none: no result, and the returned register is none.
  Reg call(Type result, Operand callee, std::span<const Operand> arguments, std::string_view name = {});
  Reg call(const Function& callee, Inputs arguments, std::string_view name = {});
  InstId br(BlockId target);
  InstId br(Input condition, BlockId then, BlockId otherwise);
  // (literal, block) pairs.
  InstId switch_on(Type type, Operand value, BlockId otherwise, std::span<const Operand> cases);
  InstId switch_on(Operand value, BlockId otherwise, std::initializer_list<Case> cases);
  InstId ret();
  InstId ret(Input value);
  InstId unreachable();

  // Any record, under the current guard and place. None if it makes no sense.
  InstId append(Inst inst, std::span<const Operand> operands);

  // --- Structured control -----------------------------------------------------------------------------
  // Blocks and branches of an if or a loop around what the callables build. They may themselves hold ifs and
  // loops, start blocks, and return: a side that ends in a terminator of its own does not go on. Values that
  // the sides give become one register: by a phi in SSA forms, by assignments in plain form.

  // Is there a block to append to, that has not ended?
  bool is_open() const;

  template <std::invocable Then>
  void if_then(Input condition, Then then);
  // If both give a value, the result is a register that holds the one of the side taken.
  template <std::invocable Then, std::invocable Else>
  auto if_else(Input condition, Then then, Else otherwise, std::string_view name = {});

  // while (condition()) body();
  template <std::invocable Condition, std::invocable Body>
  void while_loop(Condition condition, Body body);
  // The same with variables, which have these values at first; `condition` and `body` get their registers as
  // std::span<const Reg>, and `body` gives the next values as std::vector<Operand>. The result: their
  // registers after the loop.
  template <class Condition, class Body>
  std::vector<Reg> while_loop(std::initializer_list<Operand> initial, Condition condition, Body body);

  // The same without branches: instructions under guards. Guards nest: within another guard a side is
  // executed where both hold. The sides must stay in their block.
  template <std::invocable Then>
  void guarded(Guard guard, Then then);
  // `otherwise` under the complement. If both give a value, the result is their psi (in plain form, a
  // register that both write).
  template <std::invocable Then, std::invocable Else>
  auto guarded(Guard guard, Then then, Else otherwise, std::string_view name = {});

 private:
  static Input nothing() { return Input(Operand()); }
  // What one side of an if or of guarded code gave, and where it ended.
  struct Side {
    BlockId end;  // none: it does not go on
    Guard guard;
    Input value = nothing();
  };
  struct Loop {
    BlockId head, body;
    BlockId test_end;  // where the condition is known
    Input condition = nothing();
    Guard guard;
    std::vector<Reg> variables;
    std::vector<InstId> phis;
  };
  template <class Build>
  static constexpr bool gives_value = !std::is_void_v<std::invoke_result_t<Build>>;
  template <class Build>
  static Input value_of(Build& build) {
    if constexpr (gives_value<Build>) {
      return Input(build());
    } else {
      build();
      return nothing();
    }
  }

  Reg append_with_result(Inst inst, std::span<const Operand> operands, std::string_view name);
  Reg take_result(Type type, std::string_view name, int which = 0);
  void misuse(std::string message);
  bool check_place(const Inst& inst);
  std::string name_of_function() const;

  Operand resolve(const Input& input, Type type);
  Type type_of(const Input& input) const;
  Type common_type(std::span<const Input> inputs);
  std::vector<Operand> resolve(std::span<const Input> inputs, Type type);
  uint8_t log2_align(uint64_t align);

  // Control flow has no guard; the guard that was set comes back where it ends.
  Guard begin_branches();
  BlockId begin_side(std::string_view name);
  Side end_side(Input value);
  Reg end_if(Input condition, BlockId head, std::span<const BlockId> begins, std::span<const Side> sides,
             bool has_value, std::string_view name);
  Loop begin_loop(std::span<const Operand> initial);
  void end_condition(Loop& loop, Input condition);
  void end_loop(Loop& loop, std::span<const Operand> next);
  void update_phis(const Loop& loop, std::span<const Operand> next);
  void update_registers(const Loop& loop, std::span<const Operand> next);
  // The guard within the code that is guarded now, and its complement there if that is wanted, too.
  std::pair<Guard, Guard> begin_guards(Guard guard, bool wants_complement);
  Side end_guarded(BlockId begin, Input value);
  Reg end_guards(std::span<const Side> sides, std::string_view name);
  void resume(BlockId block);

  const Module* module_ = nullptr;
  Function& function_;
  BlockId block_;
  bool is_lost_ = false;     // a misuse has left no block to append to; more would only repeat it
  bool is_spoiled_ = false;  // an input of the next instruction was a misuse, likewise
  Guard guard_;
  uint32_t line_ = 0;
  uint32_t origin_ = 0;
  Reg into_[2];
};

template <std::invocable Then>
void Builder::if_then(Input condition, Then then) {
  Guard before = begin_branches();
  BlockId head = block_;
  BlockId begins[] = {begin_side("then")};
  then();
  Side sides[] = {end_side(nothing())};
  end_if(condition, head, begins, sides, false, {});
  guard_ = before;
}

template <std::invocable Then, std::invocable Else>
auto Builder::if_else(Input condition, Then then, Else otherwise, std::string_view name) {
  static_assert(gives_value<Then> == gives_value<Else>, "both sides give a value, or none does");
  Guard before = begin_branches();
  BlockId head = block_;
  BlockId begins[2];
  begins[0] = begin_side("then");
  Side first = end_side(value_of(then));
  begins[1] = begin_side("else");
  Side sides[] = {first, end_side(value_of(otherwise))};
  Reg result = end_if(condition, head, begins, sides, gives_value<Then>, name);
  guard_ = before;
  if constexpr (gives_value<Then>) return result;
}

template <std::invocable Condition, std::invocable Body>
void Builder::while_loop(Condition condition, Body body) {
  Loop loop = begin_loop({});
  end_condition(loop, Input(condition()));
  body();
  end_loop(loop, {});
}

template <class Condition, class Body>
std::vector<Reg> Builder::while_loop(std::initializer_list<Operand> initial, Condition condition, Body body) {
  Loop loop = begin_loop(std::span(initial.begin(), initial.size()));
  const std::span<const Reg> variables(loop.variables);
  end_condition(loop, Input(condition(variables)));
  const std::vector<Operand> next = body(variables);
  end_loop(loop, next);
  return std::move(loop.variables);
}

template <std::invocable Then>
void Builder::guarded(Guard guard, Then then) {
  Guard before = guard_;
  guard_ = begin_guards(guard, false).first;
  BlockId begin = block_;
  then();
  end_guarded(begin, nothing());
  guard_ = before;
}

template <std::invocable Then, std::invocable Else>
auto Builder::guarded(Guard guard, Then then, Else otherwise, std::string_view name) {
  static_assert(gives_value<Then> == gives_value<Else>, "both sides give a value, or none does");
  Guard before = guard_;
  auto [first, second] = begin_guards(guard, true);
  BlockId begin = block_;
  guard_ = first;
  Side taken = end_guarded(begin, value_of(then));
  guard_ = second;
  Side sides[] = {taken, end_guarded(begin, value_of(otherwise))};
  guard_ = Guard();
  Reg result;
  if constexpr (gives_value<Then>) result = end_guards(sides, name);
  guard_ = before;
  if constexpr (gives_value<Then>) return result;
}

}  // namespace psi
