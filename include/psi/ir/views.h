// Operands by name. An instruction's operands are a list (Function::operands); Format in opcode.h says what
// each position holds. These views read the list so that no other code counts positions:
//
//     for (auto [block, value] : phi_entries(function, id)) ...
//     for (auto [guard, value] : psi_arguments(function, id)) ...
//     BranchView branch = as_branch(function, id);      // branch.condition, branch.then, branch.otherwise
//
// A view is made of an instruction of the right shape, which the caller knows from its opcode; it copies
// nothing, and holds as long as the operand list stands: until an instruction is added or a list replaced.
// The views that start with `mutable_` hand out references, to change operands where they stand.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "psi/ir/function.h"

namespace psi {

// --- Lists of pairs: phi, psi, the cases of a switch ------------------------------------------------------

// One argument of a phi: where control comes from, and the value there.
struct PhiEntry {
  BlockId block;
  Operand value;
  PhiEntry(BlockId from, Operand taken) : block(from), value(taken) {}
  PhiEntry(Operand from, Operand taken) : block(from.block()), value(taken) {}
  bool operator==(const PhiEntry&) const = default;
};

// One argument of a psi. The guard is a predicate in either polarity, or Operand::always().
struct PsiArgument {
  Operand guard;
  Operand value;
  bool operator==(const PsiArgument&) const = default;
};

// One argument of either: where it is taken (a block or a guard), and the value.
struct MergeArgument {
  Operand where;
  Operand value;
};

// One case of a switch.
struct SwitchCase {
  Operand literal;
  BlockId target;
  SwitchCase(Operand compared, Operand to) : literal(compared), target(to.block()) {}
};

struct MutablePhiEntry {
  Operand& from;  // a block
  Operand& value;
  BlockId block() const { return from.block(); }
  void set_block(BlockId block) const { from = Operand::block(block); }
};

struct MutablePsiArgument {
  Operand& guard;
  Operand& value;
};

struct MutableSwitchCase {
  Operand& literal;
  Operand& to;  // a block
  BlockId target() const { return to.block(); }
};

// Operands taken two by two, each pair as a `Pair`. A last operand without a partner is not part of it.
template <class Pair, class Element>
class PairView {
 public:
  PairView() = default;
  explicit PairView(std::span<Element> operands) : list_(operands.first(operands.size() & ~size_t{1})) {}

  class Iterator {
   public:
    using value_type = Pair;
    using reference = Pair;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    explicit Iterator(Element* at) : at_(at) {}
    Pair operator*() const { return Pair{at_[0], at_[1]}; }
    Iterator& operator++() {
      at_ += 2;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      at_ += 2;
      return old;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Element* at_ = nullptr;
  };

  Iterator begin() const { return Iterator(list_.data()); }
  Iterator end() const { return Iterator(list_.data() + list_.size()); }
  size_t size() const { return list_.size() / 2; }
  bool empty() const { return list_.empty(); }
  Pair operator[](size_t i) const { return Pair{list_[2 * i], list_[2 * i + 1]}; }
  Pair front() const { return (*this)[0]; }
  Pair back() const { return (*this)[size() - 1]; }
  PairView first(size_t count) const { return PairView(list_.first(2 * count)); }
  PairView without_first(size_t count = 1) const { return PairView(list_.subspan(2 * count)); }
  // The list as it stands.
  std::span<Element> operands() const { return list_; }

 private:
  std::span<Element> list_;
};

using PhiEntries = PairView<PhiEntry, const Operand>;
using PsiArguments = PairView<PsiArgument, const Operand>;
using MergeArguments = PairView<MergeArgument, const Operand>;
using SwitchCases = PairView<SwitchCase, const Operand>;
using MutablePhiEntries = PairView<MutablePhiEntry, Operand>;
using MutablePsiArguments = PairView<MutablePsiArgument, Operand>;
using MutableSwitchCases = PairView<MutableSwitchCase, Operand>;

// Also of a list of operands that is still being made.
inline PhiEntries phi_entries(std::span<const Operand> operands) { return PhiEntries(operands); }
inline PhiEntries phi_entries(const Function& function, const Inst& phi) {
  assert(phi.is_phi());
  return PhiEntries(function.operands(phi));
}
inline PhiEntries phi_entries(const Function& function, InstId phi) {
  return phi_entries(function, function.inst(phi));
}
inline MutablePhiEntries mutable_phi_entries(std::span<Operand> operands) {
  return MutablePhiEntries(operands);
}
inline MutablePhiEntries mutable_phi_entries(Function& function, InstId phi) {
  assert(function.inst(phi).is_phi());
  return MutablePhiEntries(function.operands(phi));
}

inline PsiArguments psi_arguments(std::span<const Operand> operands) { return PsiArguments(operands); }
inline PsiArguments psi_arguments(const Function& function, const Inst& psi) {
  assert(psi.is_psi());
  return PsiArguments(function.operands(psi));
}
inline PsiArguments psi_arguments(const Function& function, InstId psi) {
  return psi_arguments(function, function.inst(psi));
}
inline MutablePsiArguments mutable_psi_arguments(std::span<Operand> operands) {
  return MutablePsiArguments(operands);
}
inline MutablePsiArguments mutable_psi_arguments(Function& function, InstId psi) {
  assert(function.inst(psi).is_psi());
  return MutablePsiArguments(function.operands(psi));
}

inline MergeArguments merge_arguments(const Function& function, const Inst& merge) {
  assert(merge.is_phi() || merge.is_psi());
  return MergeArguments(function.operands(merge));
}
inline MergeArguments merge_arguments(const Function& function, InstId merge) {
  return merge_arguments(function, function.inst(merge));
}

// To make such lists.
inline void add_phi_entry(std::vector<Operand>& operands, BlockId block, Operand value) {
  operands.insert(operands.end(), {Operand::block(block), value});
}
inline void add_phi_entry(std::vector<Operand>& operands, PhiEntry entry) {
  add_phi_entry(operands, entry.block, entry.value);
}
inline void add_psi_argument(std::vector<Operand>& operands, Operand guard, Operand value) {
  operands.insert(operands.end(), {guard, value});
}
inline void add_psi_argument(std::vector<Operand>& operands, PsiArgument argument) {
  add_psi_argument(operands, argument.guard, argument.value);
}
inline void add_switch_case(std::vector<Operand>& operands, Operand literal, BlockId target) {
  operands.insert(operands.end(), {literal, Operand::block(target)});
}
inline void add_switch_case(std::vector<Operand>& operands, SwitchCase added) {
  add_switch_case(operands, added.literal, added.target);
}

// The value that a phi takes from this block; none if it has no entry for it.
inline Operand value_from(PhiEntries entries, BlockId from) {
  for (auto [block, value] : entries) {
    if (block == from) return value;
  }
  return {};
}

// Drops the entries of a phi whose blocks `drop(BlockId)` names; how many there were.
template <class Drop>
size_t drop_phi_entries(Function& function, InstId phi, Drop drop) {
  std::span<Operand> operands = function.operands(phi);
  size_t kept = 0;
  for (auto [from, value] : phi_entries(operands)) {
    if (drop(from)) continue;
    operands[kept++] = Operand::block(from);
    operands[kept++] = value;
  }
  if (kept == operands.size()) return 0;
  size_t dropped = (operands.size() - kept) / 2;
  function.set_operands(phi, operands.first(kept));
  return dropped;
}

// Is one of the guards true in every execution? Yes if the first argument has none, or the second has the
// complement of the first one's.
inline bool always_chooses(PsiArguments arguments) {
  Operand first = arguments.front().guard;
  if (!first.reads_reg()) return true;
  return arguments.size() > 1 && arguments[1].guard == complement(first);
}

// Where a merge's arguments stand among its operands, for code that keeps operands by their position (Use).
struct PairOperand {
  uint32_t pair;
  bool is_second;  // the value; the first is the block or the guard
};
constexpr PairOperand pair_operand(uint32_t operand) { return {operand / 2, operand % 2 == 1}; }
// The operand that holds the value of the phi entry or psi argument with this number; of its guard or block.
constexpr uint32_t value_operand(size_t pair) { return static_cast<uint32_t>(2 * pair + 1); }
constexpr uint32_t first_operand(size_t pair) { return static_cast<uint32_t>(2 * pair); }
// Is this operand of the instruction the guard of a psi argument?
inline bool is_psi_guard(const Inst& inst, uint32_t operand) {
  return inst.is_psi() && !pair_operand(operand).is_second;
}
// The block at whose end a phi reads this operand, one of its values.
inline BlockId incoming_block(const Function& function, const Inst& phi, uint32_t operand) {
  return phi_entries(function, phi)[pair_operand(operand).pair].block;
}
inline BlockId incoming_block(const Function& function, InstId phi, uint32_t operand) {
  return incoming_block(function, function.inst(phi), operand);
}

// --- Control ----------------------------------------------------------------------------------------------

// `br condition, @then, @otherwise` (Inst::is_branch).
struct BranchView {
  Operand condition;
  BlockId then;
  BlockId otherwise;
  BlockId target(bool taken) const { return taken ? then : otherwise; }
};

struct SwitchView {
  Operand value;
  BlockId otherwise;
  SwitchCases cases;
};

// The list of a br, or of one that is being made.
inline BranchView as_branch(std::span<const Operand> operands) {
  assert(operands.size() == 3);
  return {operands[0], operands[1].block(), operands[2].block()};
}
inline BranchView as_branch(const Function& function, const Inst& inst) {
  assert(inst.is_branch());
  return as_branch(function.operands(inst));
}
inline BranchView as_branch(const Function& function, InstId id) {
  return as_branch(function, function.inst(id));
}

// Where `br @target` (Inst::is_jump) leads.
inline BlockId jump_target(const Function& function, const Inst& inst) {
  assert(inst.is_jump());
  return function.operands(inst)[0].block();
}
inline BlockId jump_target(const Function& function, InstId id) {
  return jump_target(function, function.inst(id));
}

inline SwitchView as_switch(std::span<const Operand> operands) {
  return {operands[0], operands[1].block(), SwitchCases(operands.subspan(2))};
}
inline SwitchView as_switch(const Function& function, const Inst& inst) {
  assert(inst.op == Opcode::Switch);
  return as_switch(function.operands(inst));
}
inline SwitchView as_switch(const Function& function, InstId id) {
  return as_switch(function, function.inst(id));
}
// Positions, for code that keeps operands by them (Use): what a branch, switch or select decides by, and the
// block that a switch leads to where no case holds.
inline constexpr uint32_t kCondition = 0;
inline constexpr uint32_t kSwitchOtherwise = 1;
// The operand that holds the literal of this case.
constexpr uint32_t case_operand(size_t number) { return static_cast<uint32_t>(2 + 2 * number); }
inline MutableSwitchCases mutable_switch_cases(std::span<Operand> operands) {
  return MutableSwitchCases(operands.subspan(2));
}

// How many blocks it may lead to, repeats included.
inline uint32_t num_targets(const Inst& inst) {
  if (inst.op == Opcode::Br) return inst.is_jump() ? 1 : 2;
  return inst.op == Opcode::Switch ? inst.count / 2 : 0;
}

// The same of any terminator, also of a target's.
inline uint32_t num_targets(const Function& function, const Inst& inst) {
  if (!inst.is_machine()) return num_targets(inst);
  uint32_t count = 0;
  function.for_each_target(inst, [&](BlockId) { ++count; });
  return count;
}

// Does the instruction choose between targets: a branch or a switch?
inline bool is_decision(const Inst& inst) { return inst.is_branch() || inst.op == Opcode::Switch; }
// What a branch or switch decides by: its condition or value; none of any other instruction.
inline Operand decided_by(const Function& function, const Inst& inst) {
  return is_decision(inst) ? function.operands(inst)[0] : Operand();
}
inline Operand decided_by(const Function& function, InstId id) {
  return decided_by(function, function.inst(id));
}
// Exchanges the two targets of a branch, or the two values of a select.
inline void swap_sides(std::span<Operand> operands) {
  assert(operands.size() == 3);
  std::swap(operands[1], operands[2]);
}

// What a ret gives; none where it gives nothing.
inline Operand returned(const Function& function, const Inst& ret) {
  assert(ret.op == Opcode::Ret);
  return ret.count == 0 ? Operand() : function.operands(ret)[0];
}
inline Operand returned(const Function& function, InstId ret) {
  return returned(function, function.inst(ret));
}

// --- Moves and comparisons --------------------------------------------------------------------------------

// What a mov copies.
inline Operand copied(const Function& function, const Inst& mov) {
  assert(mov.is_copy());
  return function.operands(mov)[0];
}
inline Operand copied(const Function& function, InstId mov) { return copied(function, function.inst(mov)); }

struct SelectView {
  Operand condition;
  Operand if_true;
  Operand if_false;
  Operand chosen(bool condition_holds) const { return condition_holds ? if_true : if_false; }
};

inline SelectView as_select(std::span<const Operand> operands) {
  return {operands[0], operands[1], operands[2]};
}
inline SelectView as_select(const Function& function, const Inst& inst) {
  assert(inst.op == Opcode::Select);
  return as_select(function.operands(inst));
}
inline SelectView as_select(const Function& function, InstId id) {
  return as_select(function, function.inst(id));
}

// What a cmp or a cmpp compares.
struct Compared {
  Operand left;
  Operand right;
};

inline Compared as_compared(std::span<const Operand> operands) { return {operands[0], operands[1]}; }
inline Compared as_compared(const Function& function, const Inst& inst) {
  assert(inst.op == Opcode::Cmp || inst.op == Opcode::Cmpp);
  return as_compared(function.operands(inst));
}
inline Compared as_compared(const Function& function, InstId id) {
  return as_compared(function, function.inst(id));
}

// Positions in the list of a cmpp, for code that keeps operands by their position (Use).
inline constexpr uint32_t kCmppInput = 2;
inline constexpr uint32_t kCmppOld = 3;
// The operand that is the old value of a partial target (0 or 1), in SSA form.
inline uint32_t old_value_operand(const Inst& cmpp, int target) {
  assert(is_partial(cmpp.action(target)));
  return kCmppOld + (target == 1 && is_partial(cmpp.action(0)) ? 1 : 0);
}

struct CmppView {
  Operand left;
  Operand right;
  Operand input;                  // Operand::always() where there is no `if`
  std::span<const Operand> olds;  // of the partial targets, in order; empty in plain form
};

inline CmppView as_cmpp(std::span<const Operand> operands) {
  return {operands[0], operands[1], operands[kCmppInput], operands.subspan(kCmppOld)};
}
inline CmppView as_cmpp(const Function& function, const Inst& inst) {
  assert(inst.op == Opcode::Cmpp);
  return as_cmpp(function.operands(inst));
}
inline CmppView as_cmpp(const Function& function, InstId id) { return as_cmpp(function, function.inst(id)); }
// The old value of a target; none where its action is not partial.
inline Operand old_value(const Inst& cmpp, std::span<const Operand> operands, int target) {
  return is_partial(cmpp.action(target)) ? operands[old_value_operand(cmpp, target)] : Operand();
}
inline Operand old_value(const Function& function, const Inst& cmpp, int target) {
  return old_value(cmpp, function.operands(cmpp), target);
}
// What a target gets where the input is false: its old value, or false.
inline Operand target_without_input(const Inst& cmpp, std::span<const Operand> operands, int target) {
  return is_partial(cmpp.action(target)) ? old_value(cmpp, operands, target) : Operand::never();
}

// --- Memory and calls -------------------------------------------------------------------------------------

struct StoreView {
  Operand value;
  Operand address;
};

inline StoreView as_store(std::span<const Operand> operands) { return {operands[0], operands[1]}; }
inline StoreView as_store(const Function& function, const Inst& inst) {
  assert(inst.op == Opcode::Store);
  return as_store(function.operands(inst));
}
inline StoreView as_store(const Function& function, InstId id) {
  return as_store(function, function.inst(id));
}

// Positions of a store's operands, for code that keeps them by their position (Use).
inline constexpr uint32_t kStoredValue = 0;
inline constexpr uint32_t kStoreAddress = 1;
inline constexpr uint32_t kLoadAddress = 0;

inline Operand load_address(const Function& function, const Inst& load) {
  assert(load.op == Opcode::Load);
  return function.operands(load)[0];
}
inline Operand load_address(const Function& function, InstId load) {
  return load_address(function, function.inst(load));
}

// memcpy, memmove.
struct MemCopy {
  Operand to;
  Operand from;
  Operand size;
};

inline MemCopy as_mem_copy(const Function& function, const Inst& inst) {
  assert(inst.format() == Format::MemCopy);
  std::span<const Operand> operands = function.operands(inst);
  return {operands[0], operands[1], operands[2]};
}
inline MemCopy as_mem_copy(const Function& function, InstId id) {
  return as_mem_copy(function, function.inst(id));
}

// memset.
struct MemSet {
  Operand to;
  Operand byte;
  Operand size;
};

inline MemSet as_mem_set(const Function& function, const Inst& inst) {
  assert(inst.op == Opcode::Memset);
  std::span<const Operand> operands = function.operands(inst);
  return {operands[0], operands[1], operands[2]};
}
inline MemSet as_mem_set(const Function& function, InstId id) {
  return as_mem_set(function, function.inst(id));
}

// Where a store, memcpy, memmove or memset writes; none for any other instruction.
inline Operand written_address(const Function& function, const Inst& inst) {
  switch (inst.op) {
    case Opcode::Store:
      return as_store(function, inst).address;
    case Opcode::Memcpy:
    case Opcode::Memmove:
      return as_mem_copy(function, inst).to;
    case Opcode::Memset:
      return as_mem_set(function, inst).to;
    default:
      return {};
  }
}

// ptradd and ptrindex: base + index * scale + offset.
struct PtrIndexView {
  Operand base;
  Operand index;
  uint64_t scale = 1;
  uint64_t offset = 0;
};

inline PtrIndexView as_ptr_index(const Function& function, const Inst& inst) {
  std::span<const Operand> operands = function.operands(inst);
  assert(inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex);
  if (inst.op == Opcode::PtrAdd) return {operands[0], operands[1]};
  auto number = [&](size_t i) { return static_cast<uint64_t>(function.literal_signed(operands[i])); };
  return {operands[0], operands[1], number(2), number(3)};
}
inline PtrIndexView as_ptr_index(const Function& function, InstId id) {
  return as_ptr_index(function, function.inst(id));
}

inline constexpr uint32_t kCallee = 0;

struct CallView {
  Operand callee;
  std::span<const Operand> arguments;
};

inline CallView as_call(std::span<const Operand> operands) { return {operands[0], operands.subspan(1)}; }
inline CallView as_call(const Function& function, const Inst& inst) {
  assert(inst.op == Opcode::Call);
  return as_call(function.operands(inst));
}
inline CallView as_call(const Function& function, InstId id) { return as_call(function, function.inst(id)); }

}  // namespace psi
