// What the transformations of psis share: what is known of the function, how psis are read and written, the
// instructions that are made, and the words of remarks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "psi/defined.h"
#include "psi/edits.h"
#include "psi/guard_facts.h"
#include "psi/predicate_text.h"
#include "psi/psi_transforms.h"

namespace psi::psis {

// Unions of guards in long psis are of so many of them.
constexpr size_t kMaxNeighbours = 16;
// Where names are compared, of so many.
constexpr size_t kMaxNamesCompared = 64;

struct Argument {
  Operand guard;  // none: the predicate has no name yet
  Operand value;
  Term term;  // of the guard
};

class Scene {
 public:
  Scene(const Module& module, Function& function, Analyses& analyses, Counters& counters, Remarks* remarks,
        const PsiTransformOptions& options);

  Function& function() { return function_; }
  const Uses& uses() const { return uses_; }
  const PsiTransformOptions& options() const { return options_; }
  // The blocks that can be reached, each after those that dominate it.
  std::span<const BlockId> blocks() const { return dominators_.preorder(); }
  // The psis of a block, into a list that the next call overwrites.
  std::span<const InstId> psis_in(BlockId b);

  // --- Psis -----------------------------------------------------------------------------------------
  void load(InstId psi, std::vector<Argument>& arguments);
  // May the psi have these arguments, apart from giving the same value? Of a psi of predicates no less must
  // be known than before, not even where it is undefined: it may be in use.
  bool keeps_term(InstId psi, std::span<const Argument> before, std::span<const Argument> after);
  void store(InstId psi, std::span<const Argument> arguments);
  // The psi that defines a value, or none.
  InstId psi_of(Operand value) const;

  // --- Places ---------------------------------------------------------------------------------------
  // Is the value there when the instruction is reached?
  bool is_available(Operand value, InstId at) const;
  // Of two registers that are there at one place: does the one get defined before the other?
  bool is_above(Reg a, Reg b) const;

  // --- Predicates -----------------------------------------------------------------------------------
  Term term(Operand guard);
  Term domain(Operand value) const;
  Term both(Term a, Term b) { return facts_.both(a, b); }
  Term either(Term a, Term b) { return facts_.either(a, b); }
  bool contains(Term outer, Term inner) { return facts_.contains(outer, inner); }
  bool excludes(Term a, Term b) { return plainly_exclude(a, b) || facts_.excludes(a, b); }
  // In constant time.
  bool plainly_exclude(Term a, Term b) { return facts_.predicates().terms().excludes(a, b); }
  // Where one of the guards is true, as far as a few of them tell.
  Term united(std::span<const Argument> arguments);
  // Is the guard sure to be defined where the psi has read all of `later`, and those were false?
  bool is_defined(Operand guard, InstId psi, std::span<const Argument> later) const;
  // A guard of this term that the psi may read then, if there is one.
  std::optional<Operand> name(Term term, InstId psi, std::span<const Argument> later);
  // Where both are true, by name if there is one: of the two, or of another predicate. `may_read_b`: b is
  // defined when it is read, also if a is false. `may_be_hidden`: b will do if one of `later` is true
  // wherever a is not.
  Argument conjunction(const Argument& a, const Argument& b, bool may_read_b, bool may_be_hidden, InstId psi,
                       std::span<const Argument> later);

  // --- New instructions -----------------------------------------------------------------------------
  // The conjunction of two guards, computed in front of the psi.
  Operand materialise(Operand a, Operand b, InstId psi);
  // Another psi right behind this one.
  Reg add_psi(InstId psi, std::span<const Argument> arguments);
  // Puts them in, and takes out what was removed.
  void apply();
  void remove(InstId id) { removed_.push_back(id); }
  bool has_changes() const { return !insertions_.empty() || !removed_.empty(); }

  // --- Reports --------------------------------------------------------------------------------------
  void count(const char* what, uint64_t amount = 1) { counters_.add(what, amount); }
  bool listens() const { return remarks_ != nullptr; }
  void done(InstId about, std::string message) { remarks_->done(function_, about, std::move(message)); }
  // `why()` gives the words, if anybody listens. False, to be returned.
  template <class Why>
  bool refuse(InstId about, Why why) {
    count("refused");
    if (listens()) remarks_->refused(function_, about, why());
    return false;
  }
  std::string text(Operand operand) const;
  // ", as when %a = 3" if two can be true together, or one outside of the other; empty if that is not known.
  std::string when_both(Term a, Term b);
  std::string when_outside(Term inner, Term outer);

 private:
  // Where an instruction that was made stands.
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
  GuardFacts facts_;
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

bool inline_argument(Scene& scene, InstId psi, size_t i);
uint32_t reduce(Scene& scene, InstId psi);
std::optional<Operand> project(Scene& scene, InstId psi, Guard guard);
bool permute(Scene& scene, InstId psi, size_t i);
uint32_t sort(Scene& scene, InstId psi);
bool promote(Scene& scene, InstId psi, size_t i, Guard wider);

// --- Of all -----------------------------------------------------------------------------------------------

// The scene of a pass: where there are no psis, nothing is looked at.
class PassScene {
 public:
  explicit PassScene(PassContext& context);
  bool has_psis() const { return scene_.has_value(); }
  Scene& operator*() { return *scene_; }
  Scene* operator->() { return &*scene_; }

 private:
  std::optional<Scene> scene_;
};

// Removes the psis that nobody reads any more, and what only they read, if that is a psi. The new
// instructions must be in their blocks.
void remove_unread_psis(Scene& scene);

}  // namespace psi::psis
