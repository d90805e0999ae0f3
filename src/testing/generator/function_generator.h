// Generates the body of one function. The parts are in files by subject: generate_control.cpp and
// generate_irreducible.cpp (blocks and branches), generate_statement.cpp (which pattern comes next),
// generate_values.cpp (arithmetic), generate_predicates.cpp (guards, cmpp), generate_memory.cpp and
// generate_calls.cpp (the patterns).
//
// Undefined behaviour is avoided: everything in Scope is defined, and every dangerous instruction is part of
// a small pattern that makes it safe: a masked shift amount, a bounded index, a division guarded by a nonzero
// divisor. Runs are short: every loop has its own counter, every irreducible part a budget of backward edges,
// calls lead to functions generated before, and the worst-case number of steps is summed during generation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "psi/ir/builder.h"
#include "psi/ir/function.h"
#include "testing/generator/environment.h"
#include "testing/generator/scope.h"
#include "testing/random.h"

namespace psi::testing {

// The deepest nesting of statements.
inline constexpr int kMaxDepth = 7;

struct FunctionPlan {
  uint64_t size = 0;       // instructions, about
  uint64_t max_steps = 0;  // that a run may execute, about
  bool recursive = false;  // the first parameter is the depth
  bool call_all = false;   // ends with calls of all functions there are
};

class FunctionGenerator {
 public:
  FunctionGenerator(Environment& environment, Function& function, const FunctionPlan& plan);

  // Fills the function, whose signature is set. Returns the most steps that a run can take.
  uint64_t run();
  // Instead: a body that reads variadic arguments.
  uint64_t run_variadic();

 private:
  // How the instructions of one pattern are guarded.
  struct Mode {
    Guard guard;
    Literal literal;    // of the guard, if it is a stable predicate
    bool deep = false;  // all instructions carry the guard, not just the last; needs a literal
  };
  struct Loop {
    BlockId next;  // where `continue` goes
    BlockId exit;
  };

  // --- Function (function_generator.cpp) ------------------------------------------------------------
  void prologue();
  void epilogue();
  void annotate();
  void return_something();
  // Mixes a register into the function's hash.
  void fold(Reg reg, Type type);
  void fold_some(uint32_t count);
  // Adds the steps of what was generated since the last call.
  void settle();
  uint64_t steps_left() const { return max_steps_ - std::min(max_steps_, steps_); }
  uint64_t emitted() const { return function_.num_insts(); }

  // --- Choosing -------------------------------------------------------------------------------------
  Type int_type();
  Type float_type() { return random_.coin() ? Type::f64 : Type::f32; }
  Type value_type();
  // Of offsets, indices and sizes.
  Type word() const { return function_.address_type(); }
  int64_t pointer_bytes() const { return function_.byte_size(Type::ptr); }
  Operand literal(Type type) { return function_.literal(type, interesting_bits(random_, type)); }
  Operand constant(Type type, int64_t value) { return function_.literal(type, value); }
  // A defined value. `final`, for the last instruction of a pattern, also allows values defined under its
  // guard only.
  Operand pick(Type type, bool final = false);
  // Likewise, but a register if there is any.
  Operand pick_reg(Type type, bool final = false);
  Mode choose_mode();
  // A predicate to guard or branch on; none if there is no i1 register.
  Operand choose_predicate(Literal* literal = nullptr);
  Literal some_stable();
  Operand predicate_of(Literal literal) const;

  // --- Emitting -------------------------------------------------------------------------------------
  Reg fresh(Type type);
  // A result for a step inside a pattern: a register of its own.
  Reg temporary(Type type);
  // A result for the last instruction of a pattern: also sets its guard.
  Reg result(Type type);
  void guard_last() { builder_.guard(mode_.guard); }
  void guard_steps() { builder_.guard(mode_.deep ? mode_.guard : Guard()); }
  Reg step(Opcode op, Type type, std::initializer_list<Operand> operands);
  Reg last(Opcode op, Type type, std::initializer_list<Operand> operands);
  void make_readable(Reg reg, Type type) { scope_.readable_of(type).push_back(reg); }
  void make_writable(Reg reg, Type type);
  // Registers a predicate that was just defined, unguarded, for good.
  Literal make_stable(Reg reg, std::array<Literal, 2> when_true = {}, std::array<Literal, 2> when_false = {});
  // `reg` holds a value wherever the current pattern's guard is true.
  void add_value(Reg reg, Type type);

  // --- Control (generate_control.cpp) ---------------------------------------------------------------
  void place(BlockId block);
  BlockId new_block();
  void region(uint64_t end, int depth);
  void straight(uint64_t end);
  void statement();
  void control(uint64_t size, int depth);
  void if_else(uint64_t size, int depth);
  void guarded_branches(uint64_t size, int depth);
  void loop(uint64_t size, int depth);
  void switch_on(uint64_t size, int depth);
  void irreducible(uint64_t size, int depth);
  void irreducible_end(std::span<const BlockId> blocks, size_t at, Reg fuel);
  void early_exit();
  void leave_loop();
  void unreachable_code(int depth);
  void never_taken();
  void arm(BlockId block, BlockId merge, uint64_t size, int depth, std::initializer_list<Literal> facts);
  // A register to branch on, and the literal that it stands for, if any.
  Operand branch_condition(Literal* literal);
  Operand rare_condition(Literal* literal);
  // `target`, or an empty block before it.
  BlockId maybe_detour(BlockId target);

  // --- Values (generate_values.cpp) -----------------------------------------------------------------
  void arithmetic();
  void shift();
  void division();
  void floating();
  void conversion();
  void float_to_int();
  void move_or_select();
  void undefined_value();

  // --- Predicates (generate_predicates.cpp) ---------------------------------------------------------
  void compare();
  void two_target_compare();
  void partial_compare();
  void accumulate_predicate();
  void correlated_compares();
  void predicate_logic();
  void both_arms();
  void guarded_definition();
  void nullified_compare();
  void guarded_division();
  struct Comparison {
    Cond cond;
    Type type;
    Operand a, b;
  };
  Comparison comparison();

  // --- Memory (generate_memory.cpp) -----------------------------------------------------------------
  void add_slots();
  void initialise(Operand address, uint32_t size);
  // One with room for `size` bytes; false if there is none.
  bool choose_pointer(uint32_t size, bool writable, Pointer& pointer, bool final = false);
  void add_pointer(Reg reg, const Pointer& like);
  struct Address {
    Operand operand;
    uint32_t align = 1;
    bool is_partial = false;  // it can be accessed only where control comes
  };
  bool choose_address(Type type, bool writable, Address& address);
  uint64_t access_align(const Address& address, Type type);
  void load();
  void store();
  void block_copy();
  void derive_pointer();
  void pointer_table();
  void pointer_numbers();
  void bounded_access();
  void heap();
  void local_slot();

  // --- Calls (generate_calls.cpp) -------------------------------------------------------------------
  void call();
  // False if it would take too long, or there are no arguments for it.
  bool call(const Callee& callee);
  void call_recursive();
  void call_indirect();
  void call_external();
  void observe();
  bool choose_arguments(const Signature& signature, std::vector<Operand>& arguments);
  void append_call(Type result_type, Operand callee, std::span<const Operand> arguments);

  Environment& environment_;
  Function& function_;
  FunctionPlan plan_;
  const GenerateOptions& options_;
  Random& random_;
  Builder builder_;
  Scope scope_;
  Mode mode_;
  std::vector<BlockId> layout_;
  std::vector<Loop> loops_;
  std::vector<std::pair<BlockId, BlockId>> detours_;  // empty blocks not placed yet, and where they lead
  Reg hash_;
  Reg depth_;
  uint64_t reserve_ = 0;  // instructions kept for the epilogue
  uint32_t recursive_calls_ = 0;
  uint64_t max_steps_ = 0;
  uint64_t steps_ = 0;
  uint64_t settled_ = 0;  // instructions whose steps are in steps_
  uint64_t times_ = 1;    // the most executions of the current place
  uint32_t line_ = 0;
};

}  // namespace psi::testing
