// The shared context of the transformations of psis: facts about the function, access to psis, new
// instructions, and remarks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "psi/analysis/defined.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/edits.h"
#include "psi/predicate/guard_facts.h"
#include "psi/predicate/text.h"
#include "psi/psi_transforms/psi_transforms.h"

namespace psi::psi_transforms {

// The most guards in a union.
constexpr size_t kMaxNeighbours = 16;
// The same, where names are compared.
constexpr size_t kMaxNamesCompared = 64;

struct Argument {
  Operand guard;  // none: the predicate has no name yet
  Operand value;
  Term term;  // of the guard
};

class PsiContext {
 public:
  PsiContext(const Module& module, Function& function, Analyses& analyses, Counters& counters,
             Remarks* remarks, const PsiTransformOptions& options);

  Function& function() { return function_; }
  const Uses& uses() const { return uses_; }
  const PsiTransformOptions& options() const { return options_; }
  // The reachable blocks, each after its dominators.
  std::span<const BlockId> blocks() const { return dominators_.preorder(); }
  // The psis of a block, into a list that the next call overwrites.
  std::span<const InstId> psis_in(BlockId b);

  // --- Psis -----------------------------------------------------------------------------------------
  void load(InstId psi, std::vector<Argument>& arguments);
  // Do these arguments, which preserve the value, preserve the facts about a psi of predicates, even where it
  // is undefined? They may be in use.
  bool keeps_term(InstId psi, std::span<const Argument> before, std::span<const Argument> after);
  void store(InstId psi, std::span<const Argument> arguments);
  // The psi that defines a value, or none.
  InstId psi_of(Operand value) const;

  // --- Places ---------------------------------------------------------------------------------------
  // Is the value available at the instruction?
  bool is_available(Operand value, InstId at) const;
  // Is a defined before b? Both must be available at one place.
  bool is_above(Reg a, Reg b) const;

  // --- Predicates -----------------------------------------------------------------------------------
  Term term(Operand guard);
  Term domain(Operand value) const;
  Term both(Term a, Term b) { return facts_.both(a, b); }
  Term either(Term a, Term b) { return facts_.either(a, b); }
  bool contains(Term outer, Term inner) { return facts_.contains(outer, inner); }
  bool excludes(Term a, Term b) { return exclude_by_terms(a, b) || facts_.excludes(a, b); }
  // In constant time.
  bool exclude_by_terms(Term a, Term b) { return facts_.predicates().terms().excludes(a, b); }
  // The union of the guards, of the last few only.
  Term united(std::span<const Argument> arguments);
  // Is the guard defined where the psi has read all of `later`, and those were false?
  bool is_defined(Operand guard, InstId psi, std::span<const Argument> later) const;
  // A guard of this term that the psi may read then, if there is one.
  std::optional<Operand> name(Term term, InstId psi, std::span<const Argument> later);
  // The conjunction, by name if there is one: one of the two, or another predicate. `may_read_b`: b is
  // defined when it is read, also if a is false. `may_be_hidden`: b suffices if one of `later` is true
  // wherever a is false.
  Argument conjunction(const Argument& a, const Argument& b, bool may_read_b, bool may_be_hidden, InstId psi,
                       std::span<const Argument> later);

  // --- New instructions -----------------------------------------------------------------------------
  // The conjunction of two guards, computed before the psi.
  Operand materialise(Operand a, Operand b, InstId psi);
  // A new psi directly behind this one.
  Reg add_psi(InstId psi, std::span<const Argument> arguments);
  // Inserts new instructions, and removes dropped ones.
  void apply();
  void remove(InstId id) { removed_.push_back(id); }
  bool has_changes() const { return !insertions_.empty() || !removed_.empty(); }

  // --- Reports --------------------------------------------------------------------------------------
  void count(const char* what, uint64_t amount = 1) { counters_.add(what, amount); }
  bool listens() const { return remarks_ != nullptr; }
  void done(InstId about, std::string message) { remarks_->done(function_, about, std::move(message)); }
  // `why()` makes the text, if remarks are wanted. Returns false.
  template <class Why>
  bool refuse(InstId about, Why why) {
    count("refused");
    if (listens()) remarks_->refused(function_, about, why());
    return false;
  }
  std::string text(Operand operand) const;
  // ", as when %a = 3" if the two can be true together; empty if that is not known.
  std::string when_both(Term a, Term b);
  std::string when_outside(Term inner, Term outer);

 private:
  // The place of a new instruction.
  struct Made {
    InstId anchor;
    bool is_behind;
    Term term;    // of a predicate
    Term domain;  // of another value
  };
  struct Name {
    Operand guard;
    uint32_t next;  // in names_, 0: none
  };
  struct Insertion {
    InstId anchor;
    bool is_behind;
    InstId inst;
  };

  const Made* made(Operand operand) const;
  void find_names();
  void add_name(Term term, Operand guard);
  Term merged(std::span<const Argument> arguments);
  Reg make(Opcode op, std::initializer_list<Operand> operands, InstId psi, Term term);
  std::string example(const PredicateQuestion& question);

  const Module& module_;
  Function& function_;
  Counters& counters_;
  Remarks* remarks_;
  PsiTransformOptions options_;
  const Dominators& dominators_;
  const Uses& uses_;
  GuardFacts& facts_;
  Defined defined_;
  uint32_t num_regs_;            // before any was made
  std::vector<uint32_t> calls_;  // by InstId: how many come before it in its block
  std::vector<Made> made_;       // by Reg, from num_regs_ on
  std::vector<Insertion> insertions_;
  std::vector<InstId> removed_;
  bool has_names_ = false;
  std::unordered_map<uint32_t, uint32_t> first_name_;  // by term: in names_
  std::vector<Name> names_;
  // For remarks.
  std::unique_ptr<PredicateText> words_;
  std::unique_ptr<PredicateEngine> witness_engine_;
  std::vector<InstId> psis_;
  std::vector<Operand> pairs_;
};

// --- The transformations of one psi -----------------------------------------------------------------------

bool inline_argument(PsiContext& context, InstId psi, size_t i);
uint32_t reduce(PsiContext& context, InstId psi);
std::optional<Operand> project(PsiContext& context, InstId psi, Guard guard);
bool permute(PsiContext& context, InstId psi, size_t i);
uint32_t sort(PsiContext& context, InstId psi);
bool promote(PsiContext& context, InstId psi, size_t i, Guard wider);

// --- Of all -----------------------------------------------------------------------------------------------

// The context of a pass, made only for functions with psis.
class OptionalPsiContext {
 public:
  explicit OptionalPsiContext(PassContext& context, const PsiTransformOptions& options = {});
  bool has_psis() const { return context_.has_value(); }
  PsiContext& operator*() { return *context_; }
  PsiContext* operator->() { return &*context_; }

 private:
  std::optional<PsiContext> context_;
};

// Removes unread psis, and psis that only they read. New instructions must be in their blocks.
void remove_unread_psis(PsiContext& context);

}  // namespace psi::psi_transforms
