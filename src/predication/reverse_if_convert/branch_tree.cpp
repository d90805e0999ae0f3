#include "predication/reverse_if_convert/branch_tree.h"

#include "predication/reverse_if_convert/conflicts.h"

namespace psi::predication {

namespace {

// The most instructions that one passes on its way up, branches included.
constexpr uint32_t kMaxPassed = 32;
// The deepest nesting of branches.
constexpr uint32_t kMaxDepth = 24;

}  // namespace

void BranchTree::begin_block(GuardFacts& facts) {
  facts_ = &facts;
  items_.clear();
  sequences_.assign(1, {});
}

void BranchTree::insert_behind(uint32_t s, uint32_t previous, const Item& item) {
  auto i = static_cast<uint32_t>(items_.size());
  items_.push_back(item);
  uint32_t& to_it = previous == kNone ? sequences_[s].first : items_[previous].next;
  items_[i].previous = previous;
  items_[i].next = to_it;
  (to_it == kNone ? sequences_[s].last : items_[to_it].previous) = i;
  to_it = i;
}

std::optional<std::pair<Term, Term>> BranchTree::conjunction(Term term) const {
  const PredicateTerms& terms = facts_->terms();
  if (term.is_negated() || terms.kind(term) != PredicateTerms::Kind::Both) return std::nullopt;
  return std::pair(terms.first(term), terms.second(term));
}

bool BranchTree::holds(Term guard, uint32_t s) const {
  for (; s != kNone; s = sequences_[s].owner) {
    for (Term known : sequences_[s].known) {
      if (known == guard) return true;
    }
  }
  return false;
}

// Is it true wherever the sequence is executed?
bool BranchTree::is_implied(Term guard, uint32_t s) const {
  if (holds(guard, s)) return true;
  auto parts = conjunction(guard);
  return parts && holds(parts->first, s) && holds(parts->second, s);
}

// What is true in an arm for this guard of a branch in the sequence.
std::array<Term, 3> BranchTree::implied_by(Term guard, uint32_t s) const {
  std::array<Term, 3> known = {guard};
  if (auto parts = conjunction(guard)) {
    known[1] = parts->first;
    known[2] = parts->second;
  }
  // Not both, and one: not the other.
  if (auto parts = conjunction(!guard)) {
    if (holds(parts->first, s)) known[1] = !parts->second;
    if (holds(parts->second, s)) known[2] = !parts->first;
  }
  return known;
}

// Its predicate may be read there: an instruction in it has the predicate as its guard.
bool BranchTree::may_pass_branch(InstId id, uint32_t branch) {
  pending_.assign(1, branch);
  while (!pending_.empty()) {
    const Item& item = items_[pending_.back()];
    pending_.pop_back();
    if (steps_left_ == 0) return false;
    --steps_left_;
    if (item.inst) {
      if (!may_pass(function_, id, item.inst)) return false;
      continue;
    }
    for (uint32_t arm : item.arms) {
      for (uint32_t i = sequences_[arm].last; i != kNone; i = items_[i].previous) {
        if (pending_.size() > kMaxPassed) return false;
        pending_.push_back(i);
      }
    }
  }
  return true;
}

uint32_t BranchTree::arm_within(Term guard, uint32_t branch) const {
  const Item& item = items_[branch];
  if (facts_->contains(item.term, guard)) return item.arms[0];
  if (facts_->contains(!item.term, guard)) return item.arms[1];
  return kNone;
}

uint32_t BranchTree::place_behind(InstId id, uint32_t s) {
  uint32_t i = sequences_[s].last;
  for (; i != kNone && !items_[i].inst; i = items_[i].previous) {
    if (!may_pass_branch(id, i)) return sequences_[s].last;
  }
  return i;
}

uint32_t BranchTree::branch_for(InstId id, Term guard, uint32_t s) {
  for (uint32_t i = sequences_[s].last; i != kNone; i = items_[i].previous) {
    if (!items_[i].inst && arm_within(guard, i) != kNone) return i;
    if (!may_pass_branch(id, i)) break;
  }
  return kNone;
}

uint32_t BranchTree::open_branch(InstId id, Term guard, uint32_t s) {
  Guard read = function_.inst(id).guard;
  Item branch;
  branch.predicate = read.reg();
  branch.is_flipped = read.is_negated() != guard.is_negated();
  branch.term = guard.positive();
  for (bool negated : {false, true}) {
    branch.arms[negated] = static_cast<uint32_t>(sequences_.size());
    Sequence arm;
    arm.known = implied_by(negated ? !branch.term : branch.term, s);
    arm.owner = s;
    arm.branch = static_cast<uint32_t>(items_.size());
    sequences_.push_back(arm);
  }
  insert_behind(s, sequences_[s].last, branch);
  return branch.arms[guard.is_negated()];
}

// If both arms of a branch end, so does the sequence that holds the branch.
void BranchTree::add_terminator(uint32_t s) {
  bool ends = true;
  for (;; s = sequences_[s].owner) {
    if (ends) sequences_[s].always_ends = true;
    if (s == 0) return;
    Item& branch = items_[sequences_[s].branch];
    branch.has_exits = true;
    ends = sequences_[branch.arms[0]].always_ends && sequences_[branch.arms[1]].always_ends;
  }
}

BranchTree::Outcome BranchTree::place(InstId id, Term guard) {
  if (guard == Term::never()) return Outcome::Dropped;
  bool is_terminator = function_.inst(id).is_terminator();
  // Terminators pass nothing but the contents of the last branch.
  steps_left_ = is_terminator ? 0 : kMaxPassed;
  uint32_t s = 0, depth = 0;
  while (!sequences_[s].always_ends && !is_implied(guard, s)) {
    uint32_t branch = depth++ < kMaxDepth ? branch_for(id, guard, s) : kNone;
    if (branch == kNone) {
      s = open_branch(id, guard, s);
      insert_behind(s, kNone, {.inst = id});
      if (is_terminator) add_terminator(s);
      return Outcome::Opened;
    }
    s = arm_within(guard, branch);
  }
  if (sequences_[s].always_ends) return Outcome::Dropped;
  uint32_t previous = place_behind(id, s);
  bool is_moved = previous != sequences_[s].last;
  insert_behind(s, previous, {.inst = id});
  if (is_terminator) add_terminator(s);
  return is_moved ? Outcome::Moved : Outcome::Appended;
}

}  // namespace psi::predication
