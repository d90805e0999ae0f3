// The arguments of normalized psis as links of chains, updated while webs are made.
//
//     a = ...                               a
//     p ? b = ...                           b over a: b where p is true, otherwise what a left
//     q ? c = ...                           c over that
//     x = psi a, p ? b, q ? c               which is x
//
// One register can hold the whole chain: each link forwards it to the next at the next one's definition, and
// carries, besides its own value, the values of those to its left. If the next is a psi, its first definition
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "live/guard_reads.h"
#include "live/guard_union.h"
#include "live/points.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::live {

struct Link {
  Reg source;     // the argument
  Reg copy = {};  // takes its place; none: it stays
  Guard guard;
  uint32_t chain = 0;
  Point end = {};         // where it hands over now
  Point first_end = {};   // and where it did at first; it can be read from its definition down to there
  Point copy_point = {};  // of `copy`
  Point read_point = {};  // where that reads the source; further up it is saved first

  Reg reg() const { return copy ? copy : source; }
};

struct Chain {
  InstId psi;
  Reg result;
  uint32_t first = 0;  // of its links
  uint32_t count = 0;
  Reg top;             // the first definition that it is made of; the result if it has no links
  GuardUnion written;  // where its links are
};

// The contents for which a register is live: its own value (a psi's are those of its links), or also carried
// values.
enum class Content : uint8_t { Own, Carried };

class PsiChains {
 public:
  PsiChains(Function& function, Analyses& analyses, Points& points, GuardFacts& guards);

  std::span<const Chain> chains() const { return chains_; }
  std::span<const Link> links(const Chain& chain) const {
    return std::span(links_).subspan(chain.first, chain.count);
  }
  const Link& link(uint32_t l) const { return links_[l]; }
  // Calls visit(link number) for the links that a register is the source of; a copy has the one it was made
  // for.
  template <class Visit>
  void for_each_link(Reg r, Visit visit) const {
    if (is_new(r)) {
      if (added(r).link != kNone) visit(added(r).link);
      return;
    }
    for (uint32_t i = link_start_[r.index()]; i < link_start_[r.index() + 1]; ++i) visit(link_of_[i]);
  }

  // --- Registers ----------------------------------------------------------------------------------------
  bool is_merge(Reg r) const { return chain_of(r) != kNone; }
  bool is_in_psi(Reg r) const { return is_merge(r) || link_start_[r.index()] < link_start_[r.index() + 1]; }
  Point definition(Reg r) const;
  // A partial target of a cmpp gets its old value first, in the gap above, if that is defined.
  struct Old {
    Point point;
    Operand value;
  };
  std::optional<Old> old_value(Reg r) const;
  // Not of a psi, nor of a new register.
  Guard definition_guard(Reg r) const;
  GuardUnion written(Reg r) const;
  // Where its own value matters. A copy may be written elsewhere, too.
  Term needed(Reg r) const { return is_new(r) ? added(r).needed : written(r).term(); }
  // Does the writer, wherever it is written, write the other one's value, if that is defined there? It may
  // copy an undefined one.
  bool writes_value_of(Reg writer, Reg r) const;
  // Does a copy of the operand, where the writer is written?
  bool copies_value_of(Operand operand, Reg writer, Reg r) const;
  // Two parameters, phis of one block, results of one instruction.
  bool are_written_together(Reg a, Reg b) const;
  Reg top(Reg r) const { return is_merge(r) ? chains_[chain_of(r)].top : r; }
  // Does it hold for all definitions whose values the register may have? False also if these are many.
  template <class Test>
  bool all_contents(Reg r, Content content, Test test);

  // --- Changes ------------------------------------------------------------------------------------------
  void set_end(uint32_t l, Point end) { links_[l].end = end; }
  // In place of the link's source, at a point above its end. It may be written in more places than needed.
  Reg copy(uint32_t l, Point point, Point read, Term written);
  void undo_copy(uint32_t l);
  void set_guard(uint32_t l, Guard guard) { links_[l].guard = guard; }
  // Once its links are settled.
  void update_top(uint32_t chain);
  // A new register for the psi, which a copy at the point forwards to the old one.
  Reg split_result(uint32_t chain, Point point);
  // Where, if this is such a register.
  std::optional<Point> forwarded(Reg r) const;
  // The guard and value of each argument, into the function.
  void write_psis();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMaxContents = 64;

  // Equal numbers, equal values where both are defined: copies, and psis of copies only.
  struct Value {
    uint32_t number = 0;
    bool is_whole = true;  // it is defined wherever the register is written
  };
  struct Added {
    Point point;
    uint32_t link = kNone;   // of a copy
    uint32_t chain = kNone;  // of a psi's new result
    Point forwarded;         // likewise
    GuardUnion written;
    Term needed;
    Value value;
  };

  bool is_new(Reg r) const { return r.index() >= num_old_regs_; }
  const Added& added(Reg r) const { return added_[r.index() - num_old_regs_]; }
  Added& add(Reg r);
  uint32_t chain_of(Reg r) const { return is_new(r) ? added(r).chain : chain_of_[r.index()]; }
  void collect();
  void find_values();
  void find_outer_chains();
  Value value(Reg r) const { return is_new(r) ? added(r).value : values_[r.index()]; }
  Value copied(Reg source, Term written) const;
  Value merged(const Chain& chain) const;
  bool push_left(Reg r);

  Function& function_;
  const Dominators& dominators_;
  const Uses& uses_;
  Points& points_;
  GuardFacts& guards_;
  uint32_t num_old_regs_;
  std::vector<Chain> chains_;  // in preorder of the dominator tree
  std::vector<Link> links_;
  std::vector<uint32_t> chain_of_;    // by Reg: the psi that defines it
  std::vector<uint32_t> link_start_;  // by Reg, and one more
  std::vector<uint32_t> link_of_;
  std::vector<uint32_t> outer_;           // by chain: see find_outer_chains
  std::vector<Value> values_;             // by Reg
  std::vector<Added> added_;              // by Reg from num_old_regs_ on
  std::vector<Reg> spare_;                // registers of removed copies
  std::unordered_map<Reg, Point> moved_;  // results that copies define now
  // In all_contents: registers that were or are to be looked at, for themselves and for what is to their
  // left.
  std::vector<Reg> seen_;
  std::vector<Reg> left_of_;
};

template <class Test>
bool PsiChains::all_contents(Reg r, Content content, Test test) {
  seen_.assign(1, r);
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (seen_.size() > kMaxContents) return false;
    Reg next = seen_[i];
    std::span<const Link> arguments;
    if (is_merge(next)) {
      arguments = links(chains_[chain_of(next)]);
    } else if (!test(next)) {
      return false;
    }
    if (content == Content::Carried) {
      if (arguments.empty() && !push_left(next)) return false;
      // The last argument of a psi carries the others, and what is to their left.
      if (!arguments.empty()) arguments = arguments.last(1);
    }
    for (const Link& argument : arguments) seen_.push_back(argument.reg());
  }
  return true;
}

}  // namespace psi::live
