// Induction variables: registers that change by the same amount in each iteration of a loop.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "psi/analysis/loops.h"
#include "psi/pass/analyses.h"
#include "psi/pass/pass.h"
#include "psi/target/target.h"

namespace psi {

// %phi = phi [outside: start], [inside: %next], at the header of its loop.
struct InductionVariable {
  enum class Kind : uint8_t {
    Basic,     // next = phi + step
    Monotone,  // next is phi or phi + step: psi(phi, p ? phi + step)
  };
  Kind kind = Kind::Basic;
  Type type = Type::none;  // an integer other than i1, or ptr
  LoopId loop;
  Reg phi;
  Reg next;
  Operand start;  // a literal, a register from outside the loop, or a symbol
  Operand step;   // a literal, or a register from outside
};

// scale * phi + offset of a basic variable, modulo 2^width. The register is of the variable's type.
struct LinearForm {
  uint32_t variable = 0;
  uint64_t scale = 1;
  uint64_t offset = 0;
};

// A branch that every iteration executes and that leaves the loop on one side. The loop continues while `form
// cond bound`.
struct ExitTest {
  BlockId block;
  BlockId exit;    // the target of the branch outside the loop
  InstId compare;  // what defines the condition
  Reg tested;      // its operand of this form
  LinearForm form;
  Cond cond = Cond::eq;
  Operand bound;  // a literal, or a register from outside
  // The number of times the back edge is taken if the loop is left by this test; an upper bound otherwise.
  std::optional<uint64_t> trip_count;
};

// Of functions in SSA form whose blocks are all reachable, for reducible loops with at most kMaxLatches back
// edges. Linear.
class InductionVariables {
 public:
  static constexpr uint32_t kMaxLatches = 4;

  InductionVariables(const Function& function, Analyses& analyses);

  // Loop by loop, each in the order of the phis.
  std::span<const InductionVariable> all() const { return variables_; }
  const InductionVariable& variable(uint32_t index) const { return variables_[index]; }
  std::span<const InductionVariable> of(LoopId loop) const {
    return std::span(variables_)
        .subspan(first_[loop.index()], first_[loop.index() + 1] - first_[loop.index()]);
  }
  uint32_t first_of(LoopId loop) const { return first_[loop.index()]; }

  // Of the phis, and of registers computed from them and literals; nothing for other registers. Where the
  // register is defined, it has the value of the form for the phi of the same iteration.
  const LinearForm* form(Reg r) const {
    return r.index() < form_of_.size() && form_of_[r.index()] ? &forms_[form_of_[r.index()] - 1] : nullptr;
  }
  // An exit test, one with a trip count if there is one; null if none is known.
  const ExitTest* exit_test(LoopId loop) const {
    return tests_[loop.index()] ? &*tests_[loop.index()] : nullptr;
  }

  // The value of a form after this many iterations, where start and step are literals.
  std::optional<uint64_t> value_after(const LinearForm& form, uint64_t iterations) const;

 private:
  class Finder;

  const Function& function_;
  std::vector<InductionVariable> variables_;
  std::vector<uint32_t> first_;    // by LoopId, and one more
  std::vector<uint32_t> form_of_;  // by Reg: index in forms_ + 1; 0: none
  std::vector<LinearForm> forms_;
  std::vector<std::optional<ExitTest>> tests_;  // by LoopId
};

// The least k for which `start + k * step cond bound` is false, in the type's arithmetic. Nothing if there is
// none, or if the values wrap around before (except for `ne`, for which wrapping does no harm).
std::optional<uint64_t> first_failure(Type type, Cond cond, uint64_t start, uint64_t step, uint64_t bound);

enum class StrengthReduction : uint8_t {
  Auto,  // where the program does not get longer
  On,    // where the target multiplies more slowly than it adds
  Off,
};

struct InductionOptions {
  StrengthReduction reduce = StrengthReduction::Auto;
  const Target* target = nullptr;  // null: generic
};

// Merges dependent variables, replaces values after loops with known trip counts, canonicalises exit tests,
// widens counters to the width that is used, and turns multiplications into sums.
void induction(Function& function, Analyses& analyses, const InductionOptions& options, Counters& counters,
               Remarks* remarks = nullptr);
void induction(PassContext& context);

// 32-bit phis that an iteration loads, for the next one to extend, become 64 bits wide. SSA form. Linear.
void widen_phis(PassContext& context);

}  // namespace psi
