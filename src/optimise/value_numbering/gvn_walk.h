// One walk of gvn down the dominator tree (gvn.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "optimise/memory/gvn_loads.h"
#include "optimise/value_numbering/gvn_values.h"
#include "optimise/value_numbering/value_keys.h"
#include "optimise/value_numbering/value_table.h"
#include "psi/analysis/alias.h"
#include "psi/optimise/value_numbering.h"
#include "psi/pass/pass.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {

struct GvnOptions {
  bool loads = true;
  bool branches = true;
  bool guards = true;
};

class GvnWalk {
 public:
  // `numbers`: additional equalities, or null.
  GvnWalk(PassContext& context, const GvnOptions& options, const ValueNumbering* numbers);

  // True if another walk may find more: equalities along back edges, or of new instructions.
  bool run();

 private:
  // --- The walk (gvn_walk.cpp) ----------------------------------------------------------------------
  void walk();
  void visit(BlockId b);
  void visit(InstId id);
  void visit_load(InstId id);
  void visit_call(InstId id);
  void finish();
  void fold_branches();
  void count();

  // --- What instructions read (gvn_operands.cpp) ----------------------------------------------------
  void rewrite(Operand& operand);
  bool rewrite_operands(InstId id);
  bool resolve_targets(InstId id);
  void drop(InstId id);
  bool rewrite_psi(InstId id);
  void rewrite_phi_entries(BlockId b);
  void rewrite_phi_entries(BlockId from, BlockId to);

  // --- What they compute (gvn_expressions.cpp) ------------------------------------------------------
  void visit_phi(InstId id);
  void number(InstId id);
  Operand fold(InstId id);
  bool find_number(InstId id, Reg result);
  void find_or_add(InstId id, Reg result, std::span<const uint32_t> words, bool is_complement);
  void replace(InstId id, Reg result, Operand by, uint64_t& count);
  void refuse(InstId id, Reg equal);
  std::string written(Operand operand);

  PassContext& context_;
  GvnOptions options_;
  const ValueNumbering* numbers_;
  Function& function_;
  Analyses& analyses_;
  GuardFacts& guards_;
  GvnValues values_;
  Alias alias_;
  GvnLoads loads_;
  ValueKeys keys_;
  ValueTable table_;
  std::vector<uint8_t> is_dead_;  // by InstId: never executed
  std::vector<Operand> operands_;
  std::vector<uint32_t> words_;
  bool changed_ = false;
  bool finds_more_ = false;  // another walk would
  uint64_t replaced_ = 0, folded_ = 0, loads_replaced_ = 0, calls_replaced_ = 0, never_executed_ = 0;
};

}  // namespace psi::optimise
