// The meaning of a program's predicates: for each a term over conditions on values.
//
// Values are numbered. In SSA forms a register is a value, once copies are followed; in plain form each
// definition gives the register a new value. Where a register is undefined, because the guard of its
// definition is false or because it was computed from undef, its term may be anything.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/ir/function.h"
#include "psi/ir/meaning.h"
#include "psi/ir/views.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/terms.h"

namespace psi {

// The value of a value number.
struct NumberedValue {
  Operand operand;       // a register, a literal, a symbol, or one use of undef
  uint32_t version = 0;  // plain form: 0 where the block starts, one more with each definition in it
};

class Predicates {
 public:
  // SSA forms: the whole function. At any point that the definitions of two registers dominate, their terms
  // refer to the same values. Near-linear.
  Predicates(const Function& function, Analyses& analyses);
  // Plain and allocated form: one block. Registers change, so facts about an instruction hold at the
  // instruction, and facts about a register at the end of the block. Near-linear in the size of the block.
  Predicates(const Function& function, BlockId block);

  PredicateTerms& terms() { return terms_; }
  const PredicateTerms& terms() const { return terms_; }

  // The executions in which an instruction executes.
  Term guard(InstId id) const;
  // The executions in which it writes a target: not every action of a cmpp writes whenever it executes.
  Term written(InstId id, int target) const;
  // The value of a target of type i1 after an instruction.
  Term value_of(InstId id, int target) const;

  // An i1 register, or any operand of that type.
  Term value(Reg predicate);
  Term value(Operand predicate);
  Term compare(Type type, Cond cond, Operand left, Operand right);

  // The function that was scanned: with machine instructions, their meanings. Blocks and registers are the same.
  const Function& scanned() const { return function_; }

  uint32_t num_values() const { return static_cast<uint32_t>(values_.size()); }
  const NumberedValue& numbered_value(ValueNumber number) const { return values_[number]; }

 private:
  // The contents of a register at the position of the scan.
  struct Contents {
    std::optional<ValueNumber> number;  // when first asked for
    std::optional<Term> term;           // of an i1, likewise
    uint32_t version = 0;
  };

  // Facts about an instruction that has a guard or defines a predicate.
  struct Facts {
    InstId inst;
    Term guard;
    std::array<Term, 2> written;
    std::array<Term, 2> values;
  };

  Contents& contents(Reg r) {
    if (!ssa_) return block_contents_[r];
    // Registers may have been added since.
    if (r.index() >= contents_.size()) contents_.resize(function_.num_regs());
    return contents_[r.index()];
  }
  const Contents* find(Reg r) const;
  void scan(BlockId b);
  void scan(InstId id);
  void scan_meaning(InstId id, std::span<const InstId> steps);
  void define_predicates(const Inst& inst, Facts& facts);
  void define_other(const Inst& inst);
  std::array<std::optional<Term>, 2> compared_to_predicates(const Inst& cmpp, Facts& facts);
  std::optional<Term> computed(const Inst& inst);
  std::optional<Term> merged_by_phi(PhiEntries entries);
  Term merged_by_psi(PsiArguments arguments);
  Term compare_predicates(Cond cond, Term left, Term right);
  void renew(Reg r);
  bool is_known(Reg predicate) const;

  ValueNumber number(Operand operand);
  ValueNumber add_value(Operand operand, uint32_t version);
  std::optional<uint64_t> constant(Type type, Operand operand) const;
  const Facts* find(InstId id) const;

  const Function& program_;
  std::unique_ptr<const Expanded> expanded_;  // of a program with machine instructions
  const Function& function_;                  // that is scanned: this, or the program itself
  Analyses* analyses_ = nullptr;  // SSA forms, while scanning
  bool ssa_;
  BlockId block_;  // the block of the scan
  PredicateTerms terms_;
  std::vector<Contents> contents_;                       // SSA forms: by Reg
  std::unordered_map<Reg, Contents> block_contents_;     // other forms: of the relevant registers
  std::vector<NumberedValue> values_;                    // by number
  std::unordered_map<uint32_t, ValueNumber> constants_;  // by the operand's bits
  std::vector<Facts> facts_;                             // by InstId, in order
};

// The executions in which the blocks of an acyclic region are reached, given its entry: a term for each, in
// the order of `blocks`. The region has a single entry; all its blocks are reachable. SSA forms. Near-linear
// in the size of the region.
std::vector<Term> block_terms(Analyses& analyses, std::span<const BlockId> blocks, Predicates& predicates);

}  // namespace psi
