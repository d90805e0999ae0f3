// The terms under which the instructions of a block read and write registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/ir/function.h"
#include "psi/ir/views.h"
#include "psi/predicate/predicates.h"

namespace psi::live {

struct Read {
  // The read of a partial cmpp target's old value, which predicate-blind analysis assumes.
  static constexpr uint32_t kOldContents = UINT32_MAX - 1;

  Reg reg;
  uint32_t operand;  // or Use::kGuard
  Term where;        // at most
};

struct Write {
  Reg reg;
  uint32_t target;
  Term makes;          // at most where it writes the register
  Term ends_at_least;  // at least where it kills the old value
  Term ends_at_most;
};

class Accesses {
 public:
  // Without predicates: what holds whatever they are.
  explicit Accesses(const Function& function) : function_(function) {}
  // SSA forms.
  Accesses(const Function& function, Predicates& predicates)
      : function_(function), predicates_(&predicates) {}
  // Of one block, which the predicates are of.
  Accesses(const Function& function, Predicates& predicates, BlockId block);

  // Computes the accesses of this instruction.
  void look_at(InstId id);
  // Those of phis, which take place elsewhere, are left out.
  std::span<const Read> reads() const { return reads_; }
  std::span<const Write> writes() const { return writes_; }
  Term executes_at_least() const { return executes_at_least_; }
  Term executes_at_most() const { return guard_; }

 private:
  void read(Operand operand, uint32_t index, Term where);
  Term read_psi(PsiArguments arguments);
  void read_cmpp(InstId id, const Inst& cmpp);
  Term input(InstId id, Operand operand);
  void note_inputs(BlockId block);
  Term both(Term a, Term b) { return predicates_ ? predicates_->terms().both(a, b) : Term::always(); }

  const Function& function_;
  Predicates* predicates_ = nullptr;
  // Plain form: what the inputs of partial compares are where these stand.
  std::optional<std::unordered_map<InstId, Term>> inputs_;
  Term guard_;
  Term executes_at_least_;
  std::vector<Read> reads_;
  std::vector<Write> writes_;
};

}  // namespace psi::live
