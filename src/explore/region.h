// What is shown of a region's predicates: its lanes, the named sets, their partitions and proofs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "explore/lanes.h"
#include "explore/state.h"
#include "psi/predicate/text.h"

namespace psi::explore {

// Something with a name that is a set of executions.
struct NamedSet {
  std::string name;
  Term term;
  uint32_t value = 0;  // the identity of a register; 0: a block, or a complement
};

class RegionText {
 public:
  RegionText(Predicates& predicates, PredicateText& text, Lanes& lanes)
      : predicates_(predicates), text_(text), lanes_(lanes) {}

  // Puts the lanes in their places, and says what they are.
  void place(uint32_t entry, const std::vector<NamedSet>& named, LaneMemory& memory);
  // The members `exact`, `lanes`, `sets`, `partitions`, `proofs`. `num_proofs`: how many more may be written.
  // With `brief` no partitions and no proofs.
  std::string json(const std::vector<NamedSet>& named, uint32_t& num_proofs, bool brief);

 private:
  struct Set {
    Term term;
    std::vector<std::string> names;
    std::vector<uint32_t> values;
  };

  std::string structure(Term term) const;
  void group(const std::vector<NamedSet>& named);
  uint32_t add(Term term);
  void add_partitions();
  void write_sets(class Json& json);
  void write_proofs(class Json& json, uint32_t& num_proofs);
  std::string name_of(Term term) const;

  Predicates& predicates_;
  PredicateText& text_;
  Lanes& lanes_;
  std::vector<Set> sets_;                 // the first: all executions
  std::map<uint32_t, uint32_t> by_term_;  // by Term::raw(): index in sets_
  std::vector<std::vector<uint32_t>> partitions_;
};

}  // namespace psi::explore
