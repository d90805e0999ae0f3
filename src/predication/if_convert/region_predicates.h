// Defines the predicates of a region in its single block.
//
// Each is defined at the positions of the branches that decide it, in all executions: it is false where
// control would not have reached such a branch. With two-target compares a branch is one instruction for both
// of its sides,
//
//     %p, %q = cmpp.un.uc.lt.i32 %a, %b if %r
//
// and a predicate that several branches decide collects their outcomes (cmpp.on). Otherwise conditions are
// combined by and, or and not; a condition of the region's entry is a predicate as it is.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "predication/if_convert/control_classes.h"
#include "predication/if_convert/predicate_code.h"
#include "psi/analysis/uses.h"
#include "psi/target/target.h"

namespace psi::predication {

class RegionPredicates {
 public:
  // New instructions go where the builder stands.
  RegionPredicates(Builder& builder, Analyses& analyses, const RegionGraph& graph,
                   const ControlClasses& classes, const Target& target);

  // --- First --------------------------------------------------------------------------------------------
  // Only the predicates of these classes, and those that they need, will be defined.
  void need(uint32_t c);
  void close();

  // --- Then, block by block -----------------------------------------------------------------------------
  // At the end of a block: the decisions of its terminator.
  void decide(uint32_t node, InstId terminator);
  // Of a class that was needed, once all its decisions are made.
  Guard guard(uint32_t c) const { return guards_[c]; }
  // The conjunction of a class and a guard.
  Guard both(uint32_t c, Guard guard);

  uint64_t num_defined() const { return num_defined_; }

 private:
  // One outcome of a branch, for one class.
  struct Outcome {
    uint32_t edge = 0;
    uint32_t of_class = 0;
  };

  bool decide_by_cmpp(uint32_t node, const Inst& terminator);
  void decide_by_logic(uint32_t node, const Inst& terminator);
  Guard one_of(std::span<const uint32_t> edges);
  void find_cases(const Inst& terminator, bool needs_first);
  void contribute(uint32_t c, Guard outcome);
  bool is_first(uint32_t c) const { return guards_[c].is_always(); }
  Guard conjunction(Guard a, Guard b);
  InstId comparison(Operand condition) const;

  Builder& builder_;
  Function& function_;
  PredicateCode code_;
  const Uses& uses_;
  const RegionGraph& graph_;
  const ControlClasses& classes_;
  const Target& target_;
  std::vector<uint8_t> is_needed_;       // by class
  std::vector<uint32_t> worklist_;       // of classes
  std::vector<Guard> guards_;            // by class
  std::vector<uint32_t> first_outcome_;  // by edge, and one more: in classes_of_edge_
  std::vector<uint32_t> classes_of_edge_;
  std::vector<Outcome> outcomes_;  // of one branch
  std::vector<Guard> conditions_;  // by edge of one branch
  std::vector<Operand> united_;
  std::unordered_map<uint64_t, Reg> conjunctions_;  // by class and guard
  uint64_t num_defined_ = 0;
};

}  // namespace psi::predication
