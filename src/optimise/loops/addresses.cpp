// Addresses in the forms that a target has.
//
//     %j = add.i64 %i, 1
//     %k = shl.i64 %j, 2                   x86-64:
//     %q = ptradd %p, %k            ==>    %r = ptrindex %p, %i, 4, 12
//     %r = ptradd %q, 8                    %x = load.i32 %r
//     %x = load.i32 %r
//
//     %a = ptradd %p, 100000               riscv:
//     %b = ptradd %p, 100008        ==>    %a = ptradd %p, 100000
//                                          %b = ptradd %a, 8
//
// An address that only accesses use is folded into them if the target's accesses have that form. Otherwise it
// is computed from a dominating address with the same base and index, if the difference is a legal offset.
// Constants are always summed.
//
// Instructions are rewritten in place, under their guards, so domains are unchanged. Another address may be
// used only where it is defined, so its domain must contain the guard of the user.
//
// Requires: SSA form. Ensures: the same; no more instructions than before; blocks and their order unchanged.
// Near-linear.
#include "psi/optimise/addresses.h"

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cfg/substitution.h"
#include "optimise/dead_definitions.h"
#include "optimise/loops/address_form.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"
#include "psi/predicate/guard_facts.h"
#include "support/hash.h"

namespace psi {
namespace {

using optimise::AddressForm;

// The most addresses with the same base and index that are considered.
constexpr uint32_t kMaxAnchors = 16;
constexpr uint32_t kNoAnchor = UINT32_MAX;

class AddressRewriting {
 public:
  AddressRewriting(Function& function, Analyses& analyses, const Target& target, Counters& counters,
                   Remarks* remarks)
      : function_(function),
        analyses_(analyses),
        target_(target),
        counters_(counters),
        remarks_(remarks),
        forms_(function, analyses),
        guards_(analyses.get<GuardFacts>()),
        substitution_(function),
        sizes_(function.num_regs()),
        escapes_(function.num_regs()) {}

  void run() {
    find_accesses();
    for (BlockId b : analyses_.get<Dominators>().preorder()) {
      for (InstId id : function_.insts(b)) {
        Opcode op = function_.inst(id).op;
        if (op == Opcode::PtrAdd || op == Opcode::PtrIndex) visit(b, id);
      }
    }
    if (touched_.empty()) return;
    analyses_.drop(Keeps::ControlFlow);
    substitution_.apply(analyses_, counters_);
    uint64_t removed = optimise::remove_dead_definitions(function_, analyses_, std::move(touched_));
    count("addresses folded", folded_);
    count("offsets folded", offsets_);
    count("bases shared", shared_);
    count("instructions removed", removed);
  }

 private:
  // An address that others can be computed from.
  struct Anchor {
    Reg reg;
    BlockId block;
    int64_t offset;
    uint32_t previous;  // with the same base and index, in anchors_
  };

  struct KeyHash {
    size_t operator()(const AddressForm& form) const {
      Hash hash;
      hash.add(form.base.raw());
      hash.add(form.index.raw());
      hash.add(static_cast<uint64_t>(form.scale));
      return hash.value();
    }
  };

  void count(std::string_view name, uint64_t number) {
    if (number) counters_.add(name, number);
  }

  // The uses of each address: access sizes, as a set of their logarithms, and other uses. Computing another
  // address is neither.
  void find_accesses() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        std::span<const Operand> operands = std::as_const(function_).operands(id);
        for (size_t i = 0; i < operands.size(); ++i) {
          if (!operands[i].is_reg() || !forms_.is_known(operands[i].reg())) continue;
          uint32_t r = operands[i].reg().index();
          bool links = inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex;
          if ((inst.op == Opcode::Load && i == 0) || (inst.op == Opcode::Store && i == 1)) {
            sizes_[r] |= static_cast<uint8_t>(function_.byte_size(inst.type));  // 1, 2, 4 or 8: a bit each
          } else if (!links) {
            escapes_[r] = true;
          }
        }
      }
    }
  }

  // Do all accesses of the register take this offset and scale?
  bool accesses_take(Reg r, int64_t scale, int64_t offset) const {
    for (unsigned size : {1u, 2u, 4u, 8u}) {
      if ((sizes_[r.index()] & size) && !target_.can_access(scale, offset, size)) return false;
    }
    return true;
  }

  bool takes_whole(Reg r, const AddressForm& form) const {
    bool computed = escapes_[r.index()] || sizes_[r.index()] == 0;
    if (computed && !target_.addressing.address_of) return false;
    if (computed && !target_.can_access(form.scale, form.offset, 1)) return false;
    return accesses_take(r, form.scale, form.offset);
  }

  // The form as written in the instruction.
  AddressForm written(const Inst& inst) const {
    std::span<const Operand> operands = std::as_const(function_).operands(inst);
    AddressForm form{.base = operands[0], .index = operands[1], .scale = 1, .offset = 0};
    if (inst.op == Opcode::PtrIndex) {
      form.scale = function_.literal_signed(operands[2]);
      form.offset = function_.literal_signed(operands[3]);
    } else if (operands[1].is_literal()) {
      form.offset = function_.literal_signed(operands[1]);
      form.scale = 0;
      form.index = Operand();
    }
    return form;
  }

  void visit(BlockId b, InstId id) {
    Reg r = function_.inst(id).results[0];
    if (!forms_.is_known(r)) return;
    AddressForm form = forms_.of(Operand::reg(r));
    AddressForm old = written(function_.inst(id));
    for (const AddressForm& copy : {form, old}) {
      if (!copy.has_index() && copy.offset == 0 && may_replace(copy.base, id)) return replace(id, copy.base);
    }
    if (takes_whole(r, form)) {
      if (form != old) rewrite(id, old, form);
      return note(b, r, form);
    }
    const Anchor* anchor = find_anchor(b, id, form);
    if (!anchor) {
      // No anchor: constants can still be summed, unless the accesses can hold the rest.
      bool foldable = !form.has_index() && form != old && !accesses_take(r, old.scale, old.offset);
      if (foldable) rewrite(id, old, form);
      return note(b, r, form);
    }
    AddressForm from{
        .base = Operand::reg(anchor->reg), .index = {}, .scale = 0, .offset = distance(*anchor, form)};
    if (from.offset == 0) return replace(id, from.base);
    if (from == old) return;
    ++shared_;
    if (remarks_) remarks_->done(function_, id, "computed from another address with the same base");
    write(id, from);
  }

  int64_t distance(const Anchor& from, const AddressForm& to) const {
    return forms_.wrapped(optimise::wrapping_add(to.offset, -from.offset));
  }

  // Is the value defined wherever the instruction is executed?
  bool may_replace(Operand value, InstId id) {
    return guards_.contains(guards_.domain(value), guards_.guard(id));
  }

  // The newest anchor that dominates the instruction and is in reach of its accesses.
  const Anchor* find_anchor(BlockId b, InstId id, const AddressForm& form) {
    auto at = newest_.find(key(form));
    if (at == newest_.end()) return nullptr;
    Reg r = function_.inst(id).results[0];
    uint32_t looked_at = 0;
    for (uint32_t i = at->second; i != kNoAnchor && looked_at < kMaxAnchors;
         i = anchors_[i].previous, ++looked_at) {
      const Anchor& anchor = anchors_[i];
      if (!analyses_.get<Dominators>().dominates(anchor.block, b)) continue;
      int64_t difference = distance(anchor, form);
      if (!accesses_take(r, 0, difference) || !target_.has_offset(difference, 1)) continue;
      if (!may_replace(Operand::reg(anchor.reg), id)) continue;
      return &anchor;
    }
    return nullptr;
  }

  void note(BlockId b, Reg r, const AddressForm& form) {
    auto [at, is_new] = newest_.try_emplace(key(form), kNoAnchor);
    anchors_.push_back({r, b, form.offset, at->second});
    at->second = static_cast<uint32_t>(anchors_.size() - 1);
  }

  static AddressForm key(AddressForm form) {
    form.offset = 0;
    return form;
  }

  void replace(InstId id, Operand by) {
    ++offsets_;
    if (remarks_) remarks_->done(function_, id, "replaced by an equal address");
    Reg r = function_.inst(id).results[0];
    substitution_.set(r, by);
    touched_.push_back(r);
  }

  void rewrite(InstId id, const AddressForm& old, const AddressForm& form) {
    bool same_index = old.index == form.index && old.scale == form.scale;
    ++(same_index ? offsets_ : folded_);
    if (remarks_) remarks_->done(function_, id, "computed in one step from base and index");
    write(id, form);
  }

  void write(InstId id, const AddressForm& form) {
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (operand.is_reg()) touched_.push_back(operand.reg());
    }
    Inst& inst = function_.inst(id);
    touched_.push_back(inst.results[0]);
    if (form.has_index() && (form.scale != 1 || form.offset != 0)) {
      inst.op = Opcode::PtrIndex;
      function_.set_operands(
          id, std::array{form.base, form.index, function_.literal(function_.address_type(), form.scale),
                         function_.literal(function_.address_type(), form.offset)});
      return;
    }
    inst.op = Opcode::PtrAdd;
    Operand by = form.has_index() ? form.index : function_.literal(function_.address_type(), form.offset);
    function_.set_operands(id, std::array{form.base, by});
  }

  Function& function_;
  Analyses& analyses_;
  const Target& target_;
  Counters& counters_;
  Remarks* remarks_;
  optimise::AddressForms forms_;
  GuardFacts& guards_;
  cfg::Substitution substitution_;
  std::vector<uint8_t> sizes_;    // by Reg: of its accesses
  std::vector<uint8_t> escapes_;  // by Reg: used otherwise
  std::vector<Anchor> anchors_;
  std::unordered_map<AddressForm, uint32_t, KeyHash> newest_;  // in anchors_, by base, index and scale
  std::vector<Reg> touched_;
  uint64_t folded_ = 0;
  uint64_t offsets_ = 0;
  uint64_t shared_ = 0;
};

}  // namespace

void addresses(Function& function, Analyses& analyses, const Target& target, Counters& counters,
               Remarks* remarks) {
  if (analyses.get<Order>().num_reachable() < function.layout().size()) {
    dce_unreachable(function, analyses, counters);
    analyses.drop(Keeps::Nothing);
  }
  AddressRewriting(function, analyses, target, counters, remarks).run();
}

void addresses(PassContext& context) {
  addresses(context.function, context.analyses, context.target(), context.counters, context.remarks);
}

}  // namespace psi
