// Rewrites the function with the facts found about predicates.
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/substitution.h"
#include "optimise/predicates/simplify_predicates_values.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"
#include "psi/pass/remarks.h"

namespace psi::optimise {

class PredicateRewriting {
 public:
  PredicateRewriting(Function& function, Analyses& analyses, Counters& counters, Remarks* remarks)
      : function_(function),
        analyses_(analyses),
        counters_(counters),
        remarks_(remarks),
        substitution_(function) {}

  // This read of a predicate, by a guard, branch, select, psi or cmpp, gives this.
  void note_known(Use use, bool value) { known_.push_back({use, value}); }
  // The analyses are dropped as far as they are no longer valid.
  void run(const PredicateValues& values, uint64_t implied);

 private:
  struct Known {
    Use use;
    bool value;
  };

  void use_known(const Known& known);
  void remove_unexecuted(InstId id);
  void rewrite_psi(size_t first, size_t last);
  void keep_old(InstId cmpp);
  void make_mov(InstId id, Operand value);
  void replace(Reg r, Operand value);
  void use_complement(Reg r, Operand value);
  bool flip(Use use, Operand value);
  void finish();
  void sweep();
  void note(InstId id, const char* message) {
    if (remarks_) remarks_->done(function_, id, message);
  }

  Function& function_;
  Analyses& analyses_;
  Counters& counters_;
  Remarks* remarks_;
  cfg::Substitution substitution_;
  std::vector<Known> known_;      // in the order of the walk: those of one instruction together
  std::vector<uint8_t> is_gone_;  // by InstId; empty: none
  std::vector<Reg> replaced_;
  bool changed_ = false;
  bool changes_branches_ = false;
  uint64_t guards_dropped_ = 0;
  uint64_t implied_ = 0;
  uint64_t complements_ = 0;
};

}  // namespace psi::optimise
