// Questions about predicates, and answers that can be checked: a proof of a true statement, and values that
// refute a false one.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/predicate/answer.h"
#include "psi/predicate/terms.h"

namespace psi {

enum class PredicateEngineKind : uint8_t;

// Is the statement true?
struct PredicateQuestion {
  enum class Kind : uint8_t {
    Disjoint,  // the two are never true together
    Subset,    // the first is true only where the second is
  };
  Kind kind = Kind::Disjoint;
  Term first;
  Term second;

  bool operator==(const PredicateQuestion&) const = default;
};

// One step of a proof: a statement, and its reason. `from` lists the earlier steps that it uses; that a set
// is contained in itself, or in all executions, needs no step.
struct ProofStep {
  enum class Rule : uint8_t {
    // By the terms alone.
    Never,   // Disjoint: one of the two is never true; Subset: the first is
    Always,  // Subset: the second is always true
    Same,    // Subset: the two are the same term
    // By a partition: the parts are disjoint, and their union is the whole.
    Part,      // Subset: the first is a part of the whole, which is within the second
    LastPart,  // Subset: the first is within the whole and disjoint from all parts but the second
    Separate,  // Disjoint: the first is within one part, the second within another
    // By a sum: the union of the parts, disjoint or not, is the whole.
    Parts,    // Subset: the first is the whole, and each part is within the second;
              // Disjoint: one of the two is the whole, and each part is disjoint from the other
    Summand,  // Subset: the first is a part, the second the whole
    // By other statements.
    Through,  // Subset: the first is within a set that is within the second;
              // Disjoint: one of the two is within a set that is disjoint from the other
    Rest,     // Subset: the first is disjoint from the negation of the second
    // By conditions.
    Exclude,   // Disjoint: products, one with the factor parts[0], the other with parts[1], never true
               // together
    Conflict,  // the parts are never all true, as they would be where the statement is false
  };
  Rule rule = Rule::Same;
  PredicateQuestion shows;
  Term whole;  // of the parts, where the rule speaks of it
  std::vector<Term> parts;
  std::vector<uint32_t> from;  // earlier steps
};

// A possible value.
struct WitnessValue {
  ValueNumber number = 0;
  Type type = Type::i1;
  uint64_t bits = 0;  // zero above the type's width

  bool operator==(const WitnessValue&) const = default;
};
// By number, then type, each once.
using Witness = std::vector<WitnessValue>;

// Is the term true for the values of the witness? Others are 0.
bool holds(const PredicateTerms& terms, Term term, const Witness& witness);
// Is the statement false then?
bool refutes(const PredicateTerms& terms, const PredicateQuestion& question, const Witness& witness);
// All values that a statement depends on, set to 0.
Witness values_of(const PredicateTerms& terms, const PredicateQuestion& question);

struct PredicateExplanation {
  Answer answer = Answer::Unknown;
  PredicateEngineKind engine{};  // that knew
  std::vector<ProofStep> proof;  // Yes: the last step is the statement
  Witness witness;               // No: refutes it
};

}  // namespace psi
