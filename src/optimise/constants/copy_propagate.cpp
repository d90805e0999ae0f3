// Copy propagation: readers of a copy read its source.
//
//     %b = mov %a                          @loop: ...
//     @loop: %x = phi [..: %b], [..: %y]          store.i32 %a, $out
//            %p ? %c = mov %x        ==>
//            %y = psi %x, %p ? %c
//            store.i32 %y, $out
//
// Movs, phis, psis and selects forward values. Sets of them that read each other and one value from outside
// are copies of that value, cycles included (Braun et al. 2013, section 3.2, on all of these instead of
// phis): strongly connected components are processed after those that they read from; where several values
// come in, the component is processed again without the members that read them.
//
// A copy under a guard is undefined elsewhere, where its source may be read as well. But a psi may read a
// value only within its domain: a source whose domain is not known to contain the copy's replaces it only
// where no psi reads it.
//
// Requires: SSA form. Ensures: the same; every block is reachable. Near-linear: components of components are
// processed to a depth of kMaxDepth, and everything at most kMaxIterations times.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "cfg/replaced.h"
#include "cfg/substitution.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/optimise/propagate.h"
#include "psi/predicate/guard_facts.h"
#include "support/components.h"

namespace psi {
namespace {

class CopyPropagation {
 public:
  explicit CopyPropagation(PassContext& context)
      : context_(context), function_(context.function), analyses_(context.analyses) {}

  void run() {
    size_t blocks = function_.layout().size();
    dce_unreachable(context_);
    if (function_.layout().size() < blocks) analyses_.drop(Keeps::Nothing);
    // Without the edges of branches on what became literals, more phis have one value.
    for (int iteration = 0; iteration < kMaxIterations && propagate(); ++iteration) continue;
  }

 private:
  static constexpr size_t kMaxDepth = 8;
  static constexpr int kMaxIterations = 4;
  static constexpr std::array<std::string_view, 4> kCounters = {
      "movs propagated", "phis of one value removed", "psis of one value removed",
      "selects of one value removed"};

  // Sets of copies, each after those that it reads from.
  struct Groups {
    std::vector<uint32_t> members;
    std::vector<size_t> ends;
    size_t next = 0;
  };

  // Are edges gone?
  bool propagate() {
    find_copies();
    cfg::Substitution substitution(function_);
    substitution_ = &substitution;
    // What was replaced may leave others with one value.
    for (int iteration = 0; iteration < kMaxIterations && resolve_all(); ++iteration) continue;
    facts_ = nullptr;
    if (substitution.empty()) return false;
    for (uint64_t i = 0; i < replaced_.size(); ++i) {
      if (replaced_[i] > 0) context_.counters.add(kCounters[i], replaced_[i]);
    }
    Keeps keeps = substitution.apply(analyses_, context_.counters);
    context_.counters.add("instructions removed", cfg::remove_replaced(function_, substitution));
    analyses_.drop(Keeps::ControlFlow);
    return keeps == Keeps::Nothing;
  }

  // --- The graph --------------------------------------------------------------------------------------
  static bool is_copy(const Inst& inst) {
    return inst.op == Opcode::Mov || inst.op == Opcode::Select || inst.is_phi() || inst.is_psi();
  }

  void find_copies() {
    copies_.clear();
    replaced_.fill(0);
    number_.assign(function_.num_regs(), Components::kNoNode);
    for (BlockId b : analyses_.get<Order>().reverse_post_order()) {
      for (InstId id : function_.insts(b)) {
        if (!is_copy(function_.inst(id))) continue;
        number_[function_.inst(id).results[0].index()] = static_cast<uint32_t>(copies_.size());
        copies_.push_back(id);
      }
    }
    group_.assign(copies_.size(), 0);
    num_groups_ = 0;
  }

  // The values that a copy forwards stand in every `step`th place.
  struct Values {
    std::span<const Operand> operands;
    size_t step;
    size_t size() const { return operands.size() / step; }
    Operand operator[](size_t i) const { return operands[step * i + (step - 1)]; }
  };

  Values values(InstId id) const {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (inst.op == Opcode::Select) return {operands.subspan(1), 1};
    return {operands, inst.op == Opcode::Mov ? size_t{1} : size_t{2}};
  }

  uint32_t node(Operand value) const {
    return value.is_reg() ? number_[value.reg().index()] : Components::kNoNode;
  }

  // The components among these copies, which are those of one group and not replaced.
  Groups components(std::span<const uint32_t> copies) {
    Groups groups;
    ++num_groups_;
    local_.resize(copies_.size());
    for (uint32_t i = 0; i < copies.size(); ++i) {
      group_[copies[i]] = num_groups_;
      local_[copies[i]] = i;
    }
    Components components(static_cast<uint32_t>(copies.size()));
    for (uint32_t root = 0; root < copies.size(); ++root) {
      if (components.is_visited(root)) continue;
      components.visit(
          root, [&](uint32_t i) { return values(copies_[copies[i]]).size(); },
          [&](uint32_t i, size_t edge) {
            uint32_t to = node((*substitution_)(values(copies_[copies[i]])[edge]));
            return to == Components::kNoNode || group_[to] != num_groups_ ? Components::kNoNode : local_[to];
          },
          [&](std::span<const uint32_t> members) {
            for (uint32_t member : members) groups.members.push_back(copies[member]);
            groups.ends.push_back(groups.members.size());
          });
    }
    return groups;
  }

  // --- One value each ---------------------------------------------------------------------------------
  bool resolve_all() {
    uint64_t before = num_replaced_;
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < copies_.size(); ++i) {
      Reg result = function_.inst(copies_[i]).results[0];
      if (!substitution_->replaces(result) &&
          !cfg::is_only_called(function_, copies_[i], analyses_.get<Uses>())) {
        all.push_back(i);
      }
    }
    std::vector<Groups> frames;
    frames.push_back(components(all));
    std::vector<uint32_t> members, inner;
    while (!frames.empty()) {
      Groups& groups = frames.back();
      if (groups.next == groups.ends.size()) {
        frames.pop_back();
        continue;
      }
      size_t first = groups.next == 0 ? 0 : groups.ends[groups.next - 1], last = groups.ends[groups.next];
      ++groups.next;
      members.assign(groups.members.begin() + static_cast<ptrdiff_t>(first),
                     groups.members.begin() + static_cast<ptrdiff_t>(last));
      inner.clear();
      if (!resolve(members, inner) && frames.size() < kMaxDepth && !inner.empty()) {
        frames.push_back(components(inner));
      }
    }
    return num_replaced_ > before;
  }

  // Replaces the members if all that they read from outside is one value. If not, `inner` gets the members
  // that read nothing from outside.
  bool resolve(std::span<const uint32_t> members, std::vector<uint32_t>& inner) {
    ++num_groups_;
    for (uint32_t member : members) group_[member] = num_groups_;
    Operand source;
    bool is_one = true, skips_undef = false;
    for (uint32_t member : members) {
      Values read = values(copies_[member]);
      bool is_inner = true;
      for (size_t i = 0; i < read.size(); ++i) {
        Operand value = (*substitution_)(read[i]);
        uint32_t from = node(value);
        if (from != Components::kNoNode && group_[from] == num_groups_) continue;
        is_inner = false;
        if (value.is_undef() && read.size() > 1) {
          skips_undef |= function_.inst(copies_[member]).is_phi();
          continue;
        }
        is_one &= source.is_none() || source == value;
        source = value;
      }
      if (is_inner) inner.push_back(member);
    }
    if (source.is_none()) source = Operand::undef(type(members[0]));
    if (!is_one || (skips_undef && !is_above(source, members)) || !may_replace(source, members)) {
      return false;
    }
    for (uint32_t member : members) replace(member, source);
    return true;
  }

  Type type(uint32_t member) const { return function_.type(function_.inst(copies_[member]).results[0]); }

  // A value that does not come in by all edges need not be there.
  bool is_above(Operand source, std::span<const uint32_t> members) const {
    if (!source.is_reg()) return true;
    InstId definition = analyses_.get<Uses>().definition(source.reg());
    if (!definition) return true;
    BlockId above = analyses_.get<Uses>().block(definition);
    return std::ranges::all_of(members, [&](uint32_t member) {
      return analyses_.get<Dominators>().strictly_dominates(above,
                                                            analyses_.get<Uses>().block(copies_[member]));
    });
  }

  bool is_defined_everywhere(Reg r) const {
    InstId definition = analyses_.get<Uses>().definition(r);
    return !definition || (!function_.inst(definition).guard && !function_.inst(definition).is_psi());
  }

  bool may_replace(Operand source, std::span<const uint32_t> members) {
    if (!source.is_reg() || is_defined_everywhere(source.reg())) return true;
    if (!facts_) facts_ = &analyses_.get<GuardFacts>();
    Term domain = facts_->domain(source);
    return std::ranges::all_of(members, [&](uint32_t member) {
      Reg copy = function_.inst(copies_[member]).results[0];
      if (facts_->contains(domain, facts_->domain(Operand::reg(copy))) || !is_handed_on(copy)) return true;
      if (context_.remarks) {
        context_.remarks->refused(function_, copies_[member],
                                  "its source may be undefined where a psi reads it");
      }
      return false;
    });
  }

  // Does another copy read it, and so possibly a psi?
  bool is_handed_on(Reg copy) const {
    return std::ranges::any_of(analyses_.get<Uses>().uses(copy), [&](Use use) {
      const Inst& inst = function_.inst(use.inst);
      return is_copy(inst) && group_[number_[inst.results[0].index()]] != num_groups_;
    });
  }

  void replace(uint32_t member, Operand source) {
    const Inst& inst = function_.inst(copies_[member]);
    substitution_->set(inst.results[0], source);
    size_t what = inst.op == Opcode::Mov ? 0 : inst.is_phi() ? 1 : inst.is_psi() ? 2 : 3;
    ++replaced_[what];
    ++num_replaced_;
  }

  PassContext& context_;
  Function& function_;
  Analyses& analyses_;
  GuardFacts* facts_ = nullptr;  // once asked for
  cfg::Substitution* substitution_ = nullptr;
  std::vector<InstId> copies_;
  std::vector<uint32_t> number_;  // by Reg: in copies_
  std::vector<uint32_t> group_;   // by copy: the last set it was in
  std::vector<uint32_t> local_;   // by copy: its place there
  uint32_t num_groups_ = 0;
  std::array<uint64_t, 4> replaced_ = {};
  uint64_t num_replaced_ = 0;
};

}  // namespace

void copy_propagate(PassContext& context) { CopyPropagation(context).run(); }

}  // namespace psi
