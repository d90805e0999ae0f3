// The steps of the pass `induction`. Each returns whether it changed the function, and preserves control flow
// analyses and uses; its induction variables are then out of date.
#pragma once

#include <initializer_list>
#include <vector>

#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"
#include "psi/optimise/induction.h"
#include "psi/pass/counters.h"

namespace psi::optimise {

struct InductionContext {
  Function& function;
  Analyses& analyses;
  const InductionVariables& variables;
  const Target& target;
  Counters& counters;
  Remarks* remarks;  // may be null

  InstId definition(Reg r) const { return analyses.get<Uses>().definition(r); }
  BlockId block_of(Reg r) const {
    InstId id = definition(r);
    return id ? analyses.get<Uses>().block(id) : function.entry();
  }
  // Does the definition of `a` come before that of `b`, wherever that is reached?
  bool comes_before(Reg a, Reg b) const;
  // New instructions without guards: behind the phis of a block, before its terminators, or behind another.
  Reg insert_at_head(BlockId b, Opcode op, Type type, std::initializer_list<Operand> operands);
  Reg insert_at_end(BlockId b, Opcode op, Type type, std::initializer_list<Operand> operands);
  Reg insert_behind(InstId old, Opcode op, Type type, std::initializer_list<Operand> operands);
  // A new counter at the head of the variable's loop: from `start`, stepped right behind the old one. A
  // pointer is stepped by an i64.
  struct Counter {
    Reg phi;
    Reg next;
  };
  Counter add_counter(const InductionVariable& like, Type type, Operand start, Operand step);
  // Inserts new instructions into the blocks, which are unchanged until then. Drops the analyses.
  void apply();

  // The block outside the loop that alone leads to its header, and is in no loop that this one is not in;
  // none if there is none.
  BlockId preheader(LoopId loop) const;

  Reg insert(BlockId b, uint32_t position, Opcode op, Type type, std::initializer_list<Operand> operands);
  struct Insertion {
    BlockId block;
    uint32_t position;
    InstId inst;
  };
  std::vector<Insertion> insertions = {};
  BlockId counted = {};  // the block whose phis were counted last
  uint32_t num_phis = 0;
};

// i and j = i: one of them; j = i + 5: computed from i.
bool merge_variables(InductionContext& context);
// 3 * i <= 29 becomes i != 10; i <= 9 becomes i < 10.
bool simplify_exit_tests(InductionContext& context);
// The value of a variable after a loop with a known trip count.
bool replace_final_values(InductionContext& context);
// sext(i), zext(i) become a counter in the wider type, which replaces i.
bool widen_variables(InductionContext& context);
// i * 12 becomes a counter.
bool reduce_strength(InductionContext& context, StrengthReduction mode);
// Removes counters that only read each other.
bool remove_dead_variables(InductionContext& context);

}  // namespace psi::optimise
