#include "select/prepare.h"

#include <bit>
#include <utility>
#include <vector>

#include "psi/ir/edits.h"
#include "psi/ir/views.h"

namespace psi::select {
namespace {

Inst make(Opcode op, Type type, Guard guard) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  inst.guard = guard;
  return inst;
}

class Preparation {
 public:
  Preparation(Function& function, const SelectionPatterns::Tables& tables)
      : function_(function), tables_(tables) {
    can_branch_ = {can_branch(false), can_branch(true)};
  }

  void run() {
    simplify_compares();
    complement_compares();
    const std::vector<BlockId> layout(function_.layout().begin(), function_.layout().end());
    for (size_t i = 0; i < layout.size(); ++i) {
      split_addresses(layout[i]);
      split_branches(layout[i], i + 1 < layout.size() ? layout[i + 1] : BlockId());
    }
  }

 private:
  bool can_branch(bool negated) const {
    for (uint32_t index : tables_.find({Opcode::Br, Type::none, 0, 0})) {
      const Pattern& pattern = tables_.patterns()[index];
      const MachineForm& form = tables_.set().form(pattern.form);
      const PatternNode& root = tables_.node(pattern, pattern.roots[0].node);
      if (root.has_guard ? root.guard_negated == negated
                         : form.takes_guard && (!negated || form.takes_negated_guard)) {
        return true;
      }
    }
    return false;
  }

  // A cmpp without an input that writes one predicate unconditionally is a cmp.
  void simplify_compares() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        Inst& inst = function_.inst(id);
        if (inst.op != Opcode::Cmpp || inst.results[1] || inst.action(1) != Action::none) continue;
        if (action_class(inst.action(0)) != ActionClass::Unconditional) continue;
        CmppView cmpp = as_cmpp(std::as_const(function_), id);
        if (cmpp.input != Operand::always()) continue;
        Operand compared[] = {cmpp.left, cmpp.right};
        if (is_complement(inst.action(0))) inst.set_cond(negate(inst.cond()));
        inst.op = Opcode::Cmp;
        inst.extra = 0;
        function_.set_operands(id, compared);
      }
    }
  }

  // --- Comparisons that the target has only for the opposite condition ------------------------------------

  bool has_compare(Type type, Cond cond) const {
    type = tables_.normal(type) == type || is_float(type) ? type : tables_.normal(type);
    auto has = [&](Cond each) {
      return !tables_.find({Opcode::Cmp, type, static_cast<uint8_t>(each), 0}).empty();
    };
    return has(cond) || has(swap_operands(cond));
  }

  struct Reader {
    InstId inst;
    uint32_t operand;  // kGuard: its guard
  };
  static constexpr uint32_t kGuard = UINT32_MAX;

  void complement_compares() {
    std::vector<InstId> wanted;
    std::vector<bool> is_wanted(function_.num_regs());
    std::vector<uint32_t> definitions(function_.num_regs());
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        for (Reg r : inst.results) {
          if (r) ++definitions[r.index()];
        }
        if (inst.op != Opcode::Cmp) continue;
        if (has_compare(inst.type, inst.cond()) || !has_compare(inst.type, negate(inst.cond()))) continue;
        wanted.push_back(id);
        is_wanted[inst.results[0].index()] = true;
      }
    }
    if (wanted.empty()) return;
    std::vector<std::vector<Reader>> readers(function_.num_regs());
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        if (inst.guard && is_wanted[inst.guard.reg().index()]) {
          readers[inst.guard.reg().index()].push_back({id, kGuard});
        }
        std::span<const Operand> operands = std::as_const(function_).operands(id);
        for (uint32_t i = 0; i < operands.size(); ++i) {
          if (operands[i].reads_reg() && is_wanted[operands[i].reg().index()]) {
            readers[operands[i].reg().index()].push_back({id, i});
          }
        }
      }
    }
    std::vector<Reg> kept;  // complements that some readers need as they were
    for (InstId id : wanted) {
      Reg predicate = function_.inst(id).results[0];
      bool single = definitions[predicate.index()] == 1;
      bool all_take = single;
      for (Reader reader : readers[predicate.index()]) all_take = all_take && takes_complement(reader);
      Inst& inst = function_.inst(id);
      inst.set_cond(negate(inst.cond()));
      if (all_take) {
        for (Reader reader : readers[predicate.index()]) complement_reader(reader);
        continue;
      }
      Reg opposite = function_.add_reg(Type::i1);
      function_.inst(id).results[0] = opposite;
      Inst invert = make(Opcode::Not, Type::i1, function_.inst(id).guard);
      invert.results[0] = predicate;
      Operand operand = opposite;
      InstId made = function_.add_inst(invert, {&operand, 1});
      function_.copy_place(id, made);
      inverted_.push_back({id, made});
      if (single) {
        for (Reader reader : readers[predicate.index()]) {
          if (takes_complement(reader)) complement_reader(reader, opposite);
        }
      }
    }
    insert_inverted();
  }

  bool takes_complement(Reader reader) const {
    const Inst& inst = function_.inst(reader.inst);
    if (reader.operand == kGuard) {
      if (inst.op == Opcode::Br) return can_branch_[inst.guard.is_negated() ? 0 : 1];
      return inst.guard.is_negated() || tables_.description().guards.has_false;
    }
    if (inst.is_branch()) return true;
    return inst.op == Opcode::Select && reader.operand == kCondition;
  }

  // `in` takes the place of the predicate whose complement it is.
  void complement_reader(Reader reader, Reg in = {}) {
    Inst& inst = function_.inst(reader.inst);
    if (reader.operand == kGuard) {
      inst.guard = Guard(in ? in : inst.guard.reg(), !inst.guard.is_negated());
      return;
    }
    std::span<Operand> operands = function_.operands(reader.inst);
    if (in) operands[kCondition] = in;
    swap_sides(operands);
    std::span<const uint64_t> counts = function_.edge_counts(reader.inst);
    if (counts.size() == 2) {
      uint64_t swapped[] = {counts[1], counts[0]};
      std::optional<uint32_t> rate = function_.misprediction_rate(reader.inst);
      function_.set_edge_counts(reader.inst, swapped);
      function_.set_misprediction_rate(reader.inst, rate);
    }
  }

  void insert_inverted() {
    if (inverted_.empty()) return;
    std::vector<InstId> after(function_.num_insts());
    for (auto [compare, invert] : inverted_) after[compare.index()] = invert;
    BlockEdits edits;
    for (BlockId b : function_.layout()) {
      uint32_t position = 0;
      for (InstId id : function_.insts(b)) {
        if (after[id.index()]) edits.insert_after(position, after[id.index()]);
        ++position;
      }
      if (!edits.empty()) edits.apply(function_, b);
    }
  }

  // --- Addresses ------------------------------------------------------------------------------------------

  //     ptrindex %p, %i, 4, 8      %s = shl %i, 2; %q = ptradd %p, %s; ptradd %q, 8
  void split_addresses(BlockId b) {
    BlockEdits edits;
    uint32_t position = 0;
    const std::vector<InstId> ids(function_.insts(b).begin(), function_.insts(b).end());
    for (InstId id : ids) {
      if (function_.inst(id).op == Opcode::PtrIndex) split_address(id, position, edits);
      ++position;
    }
    if (!edits.empty()) edits.apply(function_, b);
  }

  void split_address(InstId id, uint32_t position, BlockEdits& edits) {
    PtrIndexView address = as_ptr_index(std::as_const(function_), id);
    Inst inst = function_.inst(id);
    Type type = function_.type(address.index);
    auto add = [&](Inst step, Type result, Operand left, Operand right) -> Operand {
      step.results[0] = function_.add_reg(result);
      Operand operands[] = {left, right};
      InstId made = function_.add_inst(step, operands);
      function_.copy_place(id, made);
      edits.insert_before(position, made);
      return step.results[0];
    };
    Operand index = address.index;
    uint64_t offset = address.offset;
    if (index.is_literal()) {
      offset += function_.literal_bits(index) * address.scale;
      index = Operand();
    } else if (std::has_single_bit(address.scale)) {
      unsigned shift = static_cast<unsigned>(std::countr_zero(address.scale));
      if (shift > 0) {
        index = add(make(Opcode::Shl, type, inst.guard), type, index, function_.literal(type, shift));
      }
    } else {
      index = add(make(Opcode::Mul, type, inst.guard), type, index, function_.literal(type, address.scale));
    }
    Operand base = address.base;
    if (!index.is_none() && offset != 0) {
      base = add(make(Opcode::PtrAdd, Type::none, inst.guard), Type::ptr, base, index);
      index = Operand();
    }
    Operand last[] = {base, index.is_none() ? function_.literal(type, offset & value_mask(type)) : index};
    function_.inst(id).op = Opcode::PtrAdd;
    function_.set_operands(id, last);
  }

  // --- Branches -------------------------------------------------------------------------------------------

  //     br %p, @a, @b      %p ? br @a; br @b      or  !%p ? br @b; br @a  where @a comes next
  void split_branches(BlockId b, BlockId next) {
    bool has_branch = false;
    for (InstId id : function_.terminators(b)) has_branch |= function_.inst(id).is_branch();
    if (!has_branch) return;
    std::vector<InstId> ids(function_.insts(b).begin(), function_.insts(b).end());
    std::vector<InstId> made;
    for (InstId id : ids) {
      if (!function_.inst(id).is_branch()) {
        made.push_back(id);
        continue;
      }
      split_branch(id, next, made);
    }
    function_.set_insts(b, made);
  }

  void split_branch(InstId id, BlockId next, std::vector<InstId>& made) {
    BranchView branch = as_branch(std::as_const(function_), id);
    const Inst inst = function_.inst(id);
    std::vector<uint64_t> counts(function_.edge_counts(id).begin(), function_.edge_counts(id).end());
    auto jump = [&](Guard guard, BlockId to, size_t side) {
      Inst step = make(Opcode::Br, Type::none, guard);
      Operand target = to;
      InstId added = function_.add_inst(step, {&target, 1});
      function_.copy_place(id, added);
      if (counts.size() == 2) function_.set_edge_counts(added, {&counts[side], 1});
      made.push_back(added);
    };
    bool same = branch.then == branch.otherwise;
    if (!branch.condition.is_reg() || same || inst.guard) {
      // Of undef any side; a guarded branch has two conditions.
      if (inst.guard) return made.push_back(id);
      bool taken = !branch.condition.is_literal() || function_.literal_bits(branch.condition) != 0;
      return jump({}, branch.target(taken), taken ? 0 : 1);
    }
    bool negates = (branch.then == next && can_branch_[1]) || !can_branch_[0];
    Guard guard(branch.condition.reg(), negates);
    jump(guard, negates ? branch.otherwise : branch.then, negates ? 1 : 0);
    jump({}, negates ? branch.then : branch.otherwise, negates ? 0 : 1);
  }

  Function& function_;
  const SelectionPatterns::Tables& tables_;
  std::array<bool, 2> can_branch_{};  // under a predicate, under its complement
  std::vector<std::pair<InstId, InstId>> inverted_;
};

}  // namespace

void prepare(Function& function, const SelectionPatterns::Tables& tables) {
  Preparation(function, tables).run();
}

}  // namespace psi::select
