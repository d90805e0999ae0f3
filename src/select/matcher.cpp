#include "select/matcher.h"

#include <algorithm>

#include "psi/ir/views.h"

namespace psi::select {

// --- Values -----------------------------------------------------------------------------------------------

Values::Values(const Function& function, const SelectionPatterns::Tables& tables)
    : function_(function),
      tables_(tables),
      ssa_(is_ssa(function.form)),
      definition_(function.num_regs()),
      definitions_(function.num_regs()),
      uses_(function.num_regs()),
      is_read_elsewhere_(function.num_regs()),
      blocks_(function.num_regs()),
      positions_(function.num_insts()),
      writes_before_(function.num_insts()),
      last_written_(function.num_regs()),
      written_in_(function.num_regs()),
      first_use_(function.num_regs()) {
  for (Reg param : function.params) ++definitions_[param.index()];
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      for (Reg r : function.inst(id).results) {
        if (!r) continue;
        ++definitions_[r.index()];
        definition_[r.index()] = id;
        blocks_[r.index()] = b;
      }
    }
  }
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      auto use = [&](Operand operand) {
        if (!operand.reads_reg()) return;
        Reg r = operand.reg();
        ++uses_[r.index()];
        if (blocks_[r.index()] != b || inst.is_phi() || definitions_[r.index()] != 1) {
          is_read_elsewhere_[r.index()] = true;
        }
      };
      use(inst.guard.as_operand());
      for (Operand operand : function.operands(inst)) use(operand);
    }
  }
}

void Values::start(BlockId block) {
  block_ = block;
  position_ = writes_ = 0;
  readers_.clear();
  uint32_t at = 0;
  std::span<const InstId> ids = function_.insts(block);
  for (InstId id : ids) {
    for (Operand operand : function_.operands(id)) {
      if (operand.reads_reg()) first_use_[operand.reg().index()] = UINT32_MAX;
    }
    if (Guard guard = function_.inst(id).guard) first_use_[guard.reg().index()] = UINT32_MAX;
    for (Reg r : function_.inst(id).results) {
      if (r) first_use_[r.index()] = UINT32_MAX;
    }
  }
  for (InstId id : ids) {
    const Inst& inst = function_.inst(id);
    positions_[id.index()] = at;
    auto use = [&](Operand operand) {
      if (!operand.reads_reg()) return;
      uint32_t& first = first_use_[operand.reg().index()];
      first = std::min(first, at);
    };
    use(inst.guard.as_operand());
    for (Operand operand : function_.operands(id)) use(operand);
    bool adds = inst.op == Opcode::Add || inst.op == Opcode::PtrAdd || inst.op == Opcode::Sub;
    if (adds && !inst.guard) {
      for (Operand operand : function_.operands(id)) {
        Operand from = source(operand);
        if (from.is_reg()) readers_[from.reg().index()].push_back(id);
      }
    }
    ++at;
  }
}

void Values::pass(InstId id) {
  const Inst& inst = function_.inst(id);
  // No load is covered past a write or a volatile access.
  if (inst.writes_memory() || inst.has_flag(Inst::kVolatile)) ++writes_;
  writes_before_[id.index()] = writes_;
  ++position_;
  for (Reg r : inst.results) {
    if (!r) continue;
    last_written_[r.index()] = position_;
    written_in_[r.index()] = block_;
  }
}

std::span<const InstId> Values::readers(Reg r) const {
  auto it = readers_.find(r.index());
  return it == readers_.end() ? std::span<const InstId>() : std::span<const InstId>(it->second);
}

Operand Values::source(Operand operand) const {
  for (int steps = 0; steps < 8 && operand.is_reg(); ++steps) {
    Reg r = operand.reg();
    if (definitions_[r.index()] != 1 || !definition_[r.index()]) return operand;
    const Inst& inst = function_.inst(definition_[r.index()]);
    if (inst.format() != Format::Convert || !tables_.is_free(inst.op, inst.from(), inst.type)) return operand;
    Operand from = function_.operands(inst)[0];
    // In plain form the source may have been written since.
    if (!from.is_reg() || (!ssa_ && definitions_[from.reg().index()] != 1)) return operand;
    operand = from;
  }
  return operand;
}

InstId Values::definition(Operand operand) const {
  if (!operand.is_reg()) return {};
  Reg r = operand.reg();
  InstId id = definition_[r.index()];
  if (!id || definitions_[r.index()] != 1 || blocks_[r.index()] != block_) return {};
  return positions_[id.index()] < position_ ? id : InstId();
}

InstId Values::coverable(Operand operand, Guard guard) const {
  InstId id = definition(operand);
  if (!id) return {};
  const Inst& inst = function_.inst(id);
  if (inst.guard && inst.guard != guard) return {};
  if (inst.op == Opcode::Load) {
    if (!has_one_use(operand.reg())) return {};
    if (writes_before_[id.index()] != writes_) return {};
  } else if (!inst.is_pure() || inst.op == Opcode::Freeze) {
    return {};
  }
  if (ssa_) return id;
  for (Operand each : function_.operands(inst)) {
    if (!each.reads_reg() || definitions_[each.reg().index()] == 1) continue;
    uint32_t r = each.reg().index();
    if (written_in_[r] == block_ && last_written_[r] > positions_[id.index()]) return {};
  }
  if (inst.guard && definitions_[inst.guard.reg().index()] != 1) return {};
  return id;
}

bool Values::always_defined(Operand operand) const {
  if (!operand.is_reg()) return !operand.is_undef();
  Reg r = operand.reg();
  if (definitions_[r.index()] != 1) return false;
  InstId id = definition_[r.index()];
  if (!id) return true;  // a parameter
  const Inst& inst = function_.inst(id);
  return !inst.guard && !inst.is_psi();
}

// --- Matcher ----------------------------------------------------------------------------------------------

namespace {

bool holds(std::span<const LiteralAlternative> alternatives, uint64_t bits, Type type) {
  return std::any_of(alternatives.begin(), alternatives.end(),
                     [&](const LiteralAlternative& each) { return each.holds(bits, type); });
}

}  // namespace

bool Matcher::covers(const Pattern& pattern, InstId id, bool swapped, Match& match) {
  pattern_ = &pattern;
  form_ = &tables_.set().form(pattern.form);
  match_ = &match;
  match = Match();
  trail_.clear();
  if (form_->operands.size() > kMaxOperands) return false;
  const Inst& inst = function_.inst(id);
  const PatternNode& root = tables_.node(pattern, pattern.roots[0].node);
  guard_ = inst.guard;
  if (root.has_guard) {
    // A meaning that branches under a predicate has no place for another guard.
    if (!guard_ || guard_.is_negated() != root.guard_negated) return false;
  } else if (guard_) {
    bool takes = form_->takes_guard && (!guard_.is_negated() || form_->takes_negated_guard);
    bool speculates = inst.is_pure() && is_ssa(function_.form);
    if (!takes && !speculates) return false;
    if (!takes) guard_ = {};
  }
  bool accesses = inst.format() == Format::Load || inst.format() == Format::Store;
  if (accesses && inst.extra < root.align_log2) return false;

  std::array<Operand, 3> scratch;
  std::span<const Operand> operands = list(id, scratch);
  if (inst.op == Opcode::Call || inst.op == Opcode::Ret) {
    size_t named = inst.op == Opcode::Call ? 1 : 0;
    if (root.num_children != named) return false;
    if (named == 1 && !node(root.children[0], operands[0])) return false;
  } else if (!children(root, operands, swapped)) {
    return false;
  }
  if (root.has_guard) {
    // A register leaf for the guard itself, or a comparison that it comes from.
    guard_ = {};
    if (!node(root.children[root.num_children - 1u], Operand(inst.guard.reg()))) return false;
  }
  for (size_t i = 0; i < form_->operands.size(); ++i) {
    if (form_->operands[i].kind != MachineOperand::Kind::Block) continue;
    for (Operand operand : function_.operands(id)) {
      if (operand.is_block()) match.operands[i] = operand;
    }
    if (match.operands[i].is_none()) return false;
  }
  if (pattern.num_roots > 1) find_other_root(pattern, id);
  // Operands that no part of the meaning that was matched reads.
  for (size_t i = 0; i < form_->operands.size(); ++i) {
    if (!match.operands[i].is_none()) continue;
    const MachineOperand& operand = form_->operands[i];
    if (operand.kind == MachineOperand::Kind::Register) {
      match.operands[i] = Operand::undef(operand.type);
      continue;
    }
    if (operand.kind != MachineOperand::Kind::Literal || operand.literals.empty()) return false;
    const LiteralAlternative& first = operand.literals.front();
    int64_t value = first.min <= 0 && 0 <= first.max ? 0 : first.min;
    if (!Operand::fits_small(value)) return false;
    match.operands[i] = Operand::small(operand.type, static_cast<int32_t>(value));
  }
  return true;
}

std::span<const Operand> Matcher::list(InstId id, std::array<Operand, 3>& scratch) const {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = function_.operands(id);
  if (!inst.is_psi()) return operands;
  // `psi %b, %p ? %a` as `select %p, %a, %b`; the caller has looked at both values.
  PsiArguments arguments = psi_arguments(function_, id);
  Operand guard = arguments[1].guard;
  bool negated = guard.is_negated();
  scratch = {Operand(guard.reg()), arguments[1].value, arguments[0].value};
  if (negated) std::swap(scratch[1], scratch[2]);
  return scratch;
}

bool Matcher::children(const PatternNode& pattern, std::span<const Operand> operands, bool swapped) {
  size_t count = pattern.num_children - (pattern.has_guard ? 1u : 0u);
  size_t given = 0;
  std::array<Operand, 6> values{};
  for (Operand operand : operands) {
    if (operand.is_block()) continue;
    if (given == values.size()) return false;
    values[given++] = operand;
  }
  if (given != count) return false;
  if (swapped) std::swap(values[0], values[1]);
  size_t mark = trail_.size();
  auto all = [&] {
    for (size_t i = 0; i < count; ++i) {
      if (!node(pattern.children[i], values[i])) return false;
    }
    return true;
  };
  auto release = [&] {
    while (trail_.size() > mark) {
      match_->operands[trail_.back()] = Operand();
      trail_.pop_back();
    }
  };
  if (all()) return true;
  release();
  if (!pattern.commutes || pattern.op == Opcode::Cmp || count != 2) return false;
  std::swap(values[0], values[1]);
  if (all()) return true;
  release();
  return false;
}

bool Matcher::bind(uint8_t operand, Operand value) {
  Operand& bound = match_->operands[operand];
  if (!bound.is_none()) return bound == value;
  bound = value;
  trail_.push_back(operand);
  return true;
}

bool Matcher::literal_fits(const MachineOperand& operand, uint64_t bits, Type type) const {
  return holds(guard_ ? operand.guarded_literals : operand.literals, bits, type);
}

bool Matcher::node(NodeIndex index, Operand operand) {
  const PatternNode& pattern = tables_.node(*pattern_, index);
  switch (pattern.kind) {
    case PatternNode::Kind::Register: {
      if (operand.is_negated() || operand.is_block() || operand.is_none()) return false;
      Operand from = values_.source(operand);
      Type type = function_.type(from);
      return tables_.normal(type) == tables_.normal(pattern.type) && bind(pattern.operand, from);
    }
    case PatternNode::Kind::Literal: {
      if (!operand.is_literal()) return false;
      if (tables_.normal(operand.literal_type()) != tables_.normal(pattern.type)) return false;
      uint64_t bits = function_.literal_bits(operand);
      return literal_fits(form_->operands[pattern.operand], bits, operand.literal_type()) &&
             bind(pattern.operand, operand);
    }
    case PatternNode::Kind::Symbol:
      return operand.is_symbol() && bind(pattern.operand, operand);
    case PatternNode::Kind::Constant:
      return operand.is_literal() && function_.literal_bits(operand) == pattern.bits;
    case PatternNode::Kind::Computed: {
      if (!operand.is_literal()) return false;
      const uint64_t* value = tables_.invert(pattern.table, function_.literal_bits(operand));
      if (!value) return false;
      const MachineOperand& wanted = form_->operands[pattern.operand];
      int64_t number = sign_extend(*value, wanted.type);
      if (!Operand::fits_small(number) || !literal_fits(wanted, *value, wanted.type)) return false;
      Operand literal = Operand::small(wanted.type, static_cast<int32_t>(number));
      Operand& bound = match_->operands[pattern.operand];
      if (bound.is_literal()) return function_.literal_bits(bound) == *value;
      return bind(pattern.operand, literal);
    }
    case PatternNode::Kind::Op:
      break;
  }
  size_t mark = trail_.size();
  if (operation(pattern, operand)) return true;
  while (trail_.size() > mark) {
    match_->operands[trail_.back()] = Operand();
    trail_.pop_back();
  }
  if (pattern.neutral_child < 0) return false;
  // The operation may be absent.
  size_t side = static_cast<size_t>(pattern.neutral_child);
  const PatternNode& literal = tables_.node(*pattern_, pattern.children[side]);
  const MachineOperand& wanted = form_->operands[literal.operand];
  int64_t number = sign_extend(pattern.bits, wanted.type);
  if (!Operand::fits_small(number) || !literal_fits(wanted, pattern.bits, wanted.type)) return false;
  Operand neutral = Operand::small(wanted.type, static_cast<int32_t>(number));
  return bind(literal.operand, neutral) && node(pattern.children[1 - side], operand);
}

bool Matcher::operation(const PatternNode& pattern, Operand operand) {
  if (operand.is_literal() && pattern.num_children == 1) {
    // A literal under a truncation or an extension.
    uint64_t bits = function_.literal_bits(operand);
    Type from = static_cast<Type>(pattern.kind_bits);
    bool extends = pattern.op == Opcode::Zext || pattern.op == Opcode::Sext;
    if (extends && bits > value_mask(from)) return false;
    if (pattern.op != Opcode::Trunc && pattern.op != Opcode::Zext) return false;
    int64_t number = sign_extend(bits, operand.literal_type());
    if (!Operand::fits_small(number)) return false;
    return node(pattern.children[0], Operand::small(from, static_cast<int32_t>(sign_extend(bits, from))));
  }
  Operand from = values_.source(operand);
  InstId id = values_.coverable(from, guard_);
  if (!id) return false;
  const Inst& inst = function_.inst(id);
  RootKey key = tables_.key(inst);
  bool same = key.op == pattern.op && key.type == pattern.type && key.extra == pattern.extra;
  if (!same || pattern.has_guard) return false;
  if (inst.op == Opcode::Load && inst.extra < pattern.align_log2) return false;
  bool swapped = false;
  if (key.kind_bits != pattern.kind_bits) {
    if (inst.op != Opcode::Cmp || swap_operands(inst.cond()) != static_cast<Cond>(pattern.kind_bits))
      return false;
    swapped = true;
  }
  // Only the first result of two has a name in an expression.
  if (inst.results[1] || !children(pattern, function_.operands(id), swapped)) return false;
  if (inst.op == Opcode::Load) match_->load = id;
  return true;
}

// The value of another root, if the program computes it in this block, so that this instruction can provide
// it.
void Matcher::find_other_root(const Pattern& pattern, InstId id) {
  const Inst& root = function_.inst(id);
  for (uint8_t k = 1; k < pattern.num_roots; ++k) {
    const PatternNode& other = tables_.node(pattern, pattern.roots[k].node);
    if (pattern.roots[k].node == pattern.roots[0].node) continue;  // another result of the same instruction
    if (other.kind != PatternNode::Kind::Op || other.op != Opcode::Add || root.guard) continue;
    for (Operand bound : std::array(match_->operands)) {
      if (!bound.is_reg()) continue;
      for (InstId candidate : values_.readers(bound.reg())) {
        const Inst& inst = function_.inst(candidate);
        RootKey key = tables_.key(inst);
        if (candidate == id || key.op != other.op || key.type != other.type || inst.guard) continue;
        Reg result = inst.results[0];
        if (!values_.has_one_definition(result)) continue;
        // Nobody may read it before this instruction writes it.
        if (values_.first_use(result) <= values_.position(id)) continue;
        size_t mark = trail_.size();
        std::span<const Operand> operands = function_.operands(candidate);
        bool same = true;
        for (size_t i = 0; i < 2 && same; ++i) {
          const PatternNode& leaf = tables_.node(pattern, other.children[i]);
          same = leaf.kind != PatternNode::Kind::Op && node(other.children[i], operands[i]);
        }
        if (same) {
          match_->also = candidate;
          match_->also_result = pattern.roots[k].result;
          return;
        }
        while (trail_.size() > mark) {
          match_->operands[trail_.back()] = Operand();
          trail_.pop_back();
        }
      }
    }
  }
}

}  // namespace psi::select
