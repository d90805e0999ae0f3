// Values of instructions: constants, copies, and equal expressions above.
#include <array>
#include <utility>

#include "optimise/value_numbering/gvn_walk.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/evaluate.h"
#include "psi/ir/views.h"

namespace psi::optimise {

void GvnWalk::visit_phi(InstId id) {
  Reg result = function_.inst(id).results[0];
  PhiEntries entries = phi_entries(function_, id);
  BlockId b = analyses_.get<Uses>().block(id);
  Operand common;
  bool has_undef = false, differs = false;
  for (PhiEntry entry : entries) {
    if (differs) break;
    Operand value = values_.everywhere(entry.value);
    if (value == Operand::reg(result)) continue;
    if (value.is_undef()) {
      has_undef = true;
      continue;
    }
    differs = !common.is_none() && common != value;
    common = value;
  }
  if (!differs) {
    if (common.is_none()) common = Operand::undef(function_.type(result));
    bool fits = !common.is_reg() || !has_undef ||
                analyses_.get<Dominators>().strictly_dominates(values_.block_of(common.reg()), b);
    if (fits && values_.may_replace(result, common)) return replace(id, result, common, replaced_);
  }
  if (find_number(id, result)) return;
  words_.assign({static_cast<uint32_t>(Opcode::Phi), b.index(), static_cast<uint32_t>(entries.size())});
  for (auto [from, value] : entries) {
    words_.insert(words_.end(), {from.index(), values_.everywhere(value).raw()});
    if (!values_.was_visited(from)) values_.expect(value);
  }
  find_or_add(id, result, words_, false);
}

// What an instruction without effects computes.
void GvnWalk::number(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  Reg result = inst.results[0];
  if (inst.is_copy() && values_.may_replace(result, copied(function_, inst))) {
    return replace(id, result, copied(function_, inst), replaced_);
  }
  if (Operand value = fold(id); !value.is_none()) return replace(id, result, value, folded_);
  if (inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex) {
    Address address = alias_.address(Operand::reg(result));
    if (address.index.is_none() && address.offset == 0 && values_.may_replace(result, address.base)) {
      return replace(id, result, address.base, replaced_);
    }
  }
  if (find_number(id, result)) return;
  for (int target = 0; target < 2 && inst.results[static_cast<size_t>(target)]; ++target) {
    if (!keys_.make(id, operands, target)) return;
    find_or_add(id, inst.results[static_cast<size_t>(target)], keys_.words(), keys_.is_complement());
  }
}

Operand GvnWalk::fold(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  if (operands.size() > 3 || inst.num_results() != 1) return {};
  for (Operand operand : operands) {
    if (!operand.is_undef() && !operand.is_literal()) return {};
  }
  std::array<Value, 3> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_undef()) {
      inputs[i].undef = true;
    } else {
      inputs[i].bits = function_.literal_bits(operands[i]);
    }
  }
  std::optional<Value> value =
      evaluate(inst, std::span(inputs).first(operands.size()), function_.pointer_bits);
  if (!value) return {};
  Type type = function_.type(inst.results[0]);
  return value->undef ? Operand::undef(type) : function_.literal(type, value->bits);
}

// Is it equal around a loop to an earlier register?
bool GvnWalk::find_number(InstId id, Reg result) {
  if (!numbers_) return false;
  Operand number = numbers_->number(result);
  if (!number.is_reg()) {
    replace(id, result, number, replaced_);
  } else if (numbers_->is_shared(result)) {
    std::array key{UINT32_MAX, number.raw()};
    find_or_add(id, result, key, false);
  }
  return values_.substitution().replaces(result);
}

// An entry of the table is a register, or its complement if that is what the key says.
void GvnWalk::find_or_add(InstId id, Reg result, std::span<const uint32_t> words, bool is_complement) {
  ValueTable::Key key(words);
  Operand refused;
  bool is_there = false;
  Operand found = table_.find(key, [&](Operand value) {
    is_there = true;
    if (value.is_negated() != is_complement) return false;
    if (values_.may_replace(result, Operand::reg(value.reg()))) return true;
    refused = value;
    return false;
  });
  if (!found.is_none()) return replace(id, result, values_.here(Operand::reg(found.reg())), replaced_);
  if (is_there) found = table_.find(key, [&](Operand value) { return values_.here(value).is_literal(); });
  if (!found.is_none()) {
    Operand literal = values_.here(found);
    if (is_complement) literal = complement(literal);
    return replace(id, result, literal, replaced_);
  }
  if (!refused.is_none()) refuse(id, refused.reg());
  table_.add(key, Operand::predicate(result, is_complement));
}

void GvnWalk::replace(InstId id, Reg result, Operand by, uint64_t& count) {
  if (context_.remarks) {
    context_.remarks->done(function_, id, "replaced by " + written(by));
  }
  values_.replace(result, by);
  // A slot that had another name may turn out to be private.
  if (by.is_reg() && function_.type(by) == Type::ptr) {
    InstId object = values_.definition(by.reg());
    finds_more_ |= object && function_.inst(object).op == Opcode::Slot;
  }
  ++count;
}

void GvnWalk::refuse(InstId id, Reg equal) {
  if (!context_.remarks) return;
  context_.remarks->refused(function_, id,
                            written(Operand::reg(equal)) + " is equal, but not defined wherever this is");
}

std::string GvnWalk::written(Operand operand) {
  if (operand.is_reg()) {
    std::string_view name = function_.name(operand.reg());
    return "%" + (name.empty() ? std::to_string(operand.reg().index()) : std::string(name));
  }
  if (operand.is_undef()) return "undef";
  if (operand.is_symbol()) return "$" + std::string(context_.module.name(operand.symbol()));
  return std::to_string(function_.literal_signed(operand));
}

}  // namespace psi::optimise
