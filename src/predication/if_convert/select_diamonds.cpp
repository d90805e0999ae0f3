#include "predication/if_convert/select_diamonds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::predication {
namespace {

bool writes_or_stops(const Inst& inst) {
  return inst.writes_memory() || inst.op == Opcode::Call || inst.has_flag(Inst::kVolatile);
}

InstId add_jump(Function& function, BlockId from, BlockId to, InstId instead_of) {
  Inst jump;
  jump.op = Opcode::Br;
  InstId id = function.add_inst(jump, std::array{Operand::block(to)});
  function.copy_place(instead_of, id);
  function.append(from, id);
  return id;
}

}  // namespace

// What is a condition itself may cost nothing.
bool SelectDiamonds::chooses(InstId id, Operand condition) const {
  const Inst& inst = function_.inst(id);
  return inst.op == Opcode::Select && inst.type != Type::i1 && !inst.guard &&
         std::as_const(function_).operands(id)[0] == condition;
}

bool SelectDiamonds::can_make(InstId select) const {
  Operand condition = std::as_const(function_).operands(select)[0];
  return condition.is_reg() && chooses(select, condition);
}

// Before the branch, and not under a guard alone.
bool SelectDiamonds::is_known(Operand operand) const {
  if (!operand.reads_reg()) return true;
  InstId definition = uses_.definition(operand.reg());
  if (!definition) return true;
  if (function_.inst(definition).guard) return false;
  return uses_.block(definition) != made_.back().head || uses_.position(definition) < first_;
}

SelectDiamond SelectDiamonds::make(InstId select) {
  Operand condition = std::as_const(function_).operands(select)[0];
  SelectDiamond& diamond = made_.emplace_back();
  split(diamond, select, condition);
  choose_values(diamond, condition);
  pull_loads(diamond);
  std::vector<InstId> insts = phis_;
  insts.insert(insts.end(), tail_.begin(), tail_.end());
  function_.set_insts(diamond.tail, insts);
  for (BlockId side : diamond.sides) add_jump(function_, side, diamond.tail, diamond.branch);
  return diamond;
}

void SelectDiamonds::split(SelectDiamond& diamond, InstId select, Operand condition) {
  diamond.head = uses_.block(select);
  std::vector<InstId> insts(function_.insts(diamond.head).begin(), function_.insts(diamond.head).end());
  auto at = std::ranges::find_if(insts, [&](InstId id) { return chooses(id, condition); });
  first_ = static_cast<uint32_t>(at - insts.begin());
  tail_.assign(at, insts.end());
  phis_.clear();
  insts.erase(at, insts.end());

  for (BlockId& side : diamond.sides) side = function_.add_block();
  diamond.tail = function_.add_block();
  function_.set_insts(diamond.head, insts);
  add_branch(diamond, select, condition);
  // The block's former successors are entered from its tail.
  for (InstId id : tail_) {
    if (!function_.inst(id).is_terminator()) continue;
    function_.for_each_target(function_.inst(id), [&](BlockId to) {
      for (InstId phi : function_.insts(to)) {
        if (!function_.inst(phi).is_phi()) break;
        for (Operand& entry : function_.operands(phi)) {
          if (entry == Operand::block(diamond.head)) entry = Operand::block(diamond.tail);
        }
      }
    });
  }
}

// A select may have an undefined condition; a branch may not.
void SelectDiamonds::add_branch(const SelectDiamond& diamond, InstId select, Operand condition) {
  auto is_call = [&](InstId id) { return function_.inst(id).op == Opcode::Call; };
  auto calls = static_cast<uint32_t>(std::ranges::count_if(function_.insts(diamond.head), is_call));
  if (!defined_.at(condition.reg(), {diamond.head, calls})) {
    Inst freeze;
    freeze.op = Opcode::Freeze;
    freeze.type = Type::i1;
    freeze.results[0] = function_.add_reg(Type::i1);
    InstId id = function_.add_inst(freeze, std::array{condition});
    function_.copy_place(select, id);
    function_.append(diamond.head, id);
    condition = Operand::reg(freeze.results[0]);
  }
  Inst branch;
  branch.op = Opcode::Br;
  std::array operands = {condition, Operand::block(diamond.sides[0]), Operand::block(diamond.sides[1])};
  made_.back().branch = function_.add_inst(branch, operands);
  function_.copy_place(select, made_.back().branch);
  function_.append(diamond.head, made_.back().branch);

  std::span<const uint64_t> measured = std::as_const(function_).edge_counts(select);
  if (measured.size() != 2) return;
  std::array counts = {measured[0], measured[1]};
  function_.set_edge_counts(made_.back().branch, counts);
  function_.set_misprediction_rate(made_.back().branch, function_.misprediction_rate(select));
  std::optional<uint64_t> count = function_.count(diamond.head);
  double all = static_cast<double>(counts[0]) + static_cast<double>(counts[1]);
  if (!count || all == 0) return;
  auto first = static_cast<uint64_t>(
      std::llround(static_cast<double>(*count) * (static_cast<double>(counts[0]) / all)));
  first = std::min(first, *count);
  function_.set_count(diamond.sides[0], first);
  function_.set_count(diamond.sides[1], *count - first);
  function_.set_count(diamond.tail, count);
}

// The register stays, so that its readers need no change.
void SelectDiamonds::become_phi(InstId id, const SelectDiamond& diamond, std::array<Operand, 2> values) {
  function_.set_edge_counts(id, {});
  Inst& inst = function_.inst(id);
  inst.op = Opcode::Phi;
  inst.extra = 0;
  inst.flags &= is_float(inst.type) ? Inst::kFast : 0;
  function_.set_operands(id, std::array{Operand::block(diamond.sides[0]), values[0],
                                        Operand::block(diamond.sides[1]), values[1]});
  phis_.push_back(id);
}

void SelectDiamonds::choose_values(const SelectDiamond& diamond, Operand condition) {
  std::vector<InstId> rest;
  for (InstId id : tail_) {
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (!chooses(id, condition) || !is_known(operands[1]) || !is_known(operands[2])) {
      rest.push_back(id);
    } else {
      become_phi(id, diamond, {operands[1], operands[2]});
    }
  }
  tail_ = std::move(rest);
}

void SelectDiamonds::pull_loads(const SelectDiamond& diamond) {
  for (size_t i = 0; i < phis_.size();) {
    bool is_pulled = function_.inst(phis_[i]).type == Type::ptr && pull_load(diamond, phis_[i]);
    is_pulled ? static_cast<void>(phis_.erase(phis_.begin() + static_cast<ptrdiff_t>(i))) : void(++i);
  }
}

// The address is read by a load alone, or by one that adds an offset first.
bool SelectDiamonds::pull_load(const SelectDiamond& diamond, InstId address) {
  auto only_reader = [&](InstId id) {
    std::span<const Use> uses = uses_.uses(function_.inst(id).results[0]);
    bool is_alone = uses.size() == 1 && uses[0].operand == 0 && std::ranges::count(tail_, uses[0].inst) > 0;
    return is_alone ? uses[0].inst : InstId();
  };
  InstId load = only_reader(address), offset;
  if (load && (function_.inst(load).op == Opcode::PtrAdd || function_.inst(load).op == Opcode::PtrIndex)) {
    offset = load;
    std::span<const Operand> operands = std::as_const(function_).operands(offset).subspan(1);
    bool is_ready = !function_.inst(offset).guard &&
                    std::ranges::all_of(operands, [&](Operand operand) { return is_known(operand); });
    load = is_ready ? only_reader(offset) : InstId();
  }
  if (!load || function_.inst(load).op != Opcode::Load || function_.inst(load).guard) return false;
  auto at = std::ranges::find(tail_, load);
  auto stops = [&](InstId id) { return writes_or_stops(function_.inst(id)); };
  if (std::any_of(tail_.begin(), at + 1, stops)) return false;

  std::array<Operand, 2> loaded;
  for (size_t i = 0; i < loaded.size(); ++i) {
    Operand from = std::as_const(function_).operands(address)[2 * i + 1];
    if (offset) from = Operand::reg(copy_to_side(offset, from, diamond.sides[i]));
    loaded[i] = Operand::reg(copy_to_side(load, from, diamond.sides[i]));
  }
  become_phi(load, diamond, loaded);
  std::erase_if(tail_, [&](InstId id) { return id == load || (offset && id == offset); });
  return true;
}

Reg SelectDiamonds::copy_to_side(InstId id, Operand address, BlockId side) {
  std::span<const Operand> old = std::as_const(function_).operands(id);
  std::vector<Operand> operands(old.begin(), old.end());
  operands[0] = address;
  Inst copy = function_.inst(id);
  copy.results[0] = function_.add_reg(function_.type(copy.results[0]));
  InstId added = function_.add_inst(copy, operands);
  function_.copy_place(id, added);
  function_.append(side, added);
  return copy.results[0];
}

void SelectDiamonds::finish() {
  std::vector<uint32_t> diamond_of(function_.num_blocks());
  for (uint32_t i = 0; i < made_.size(); ++i) diamond_of[made_[i].head.index()] = i + 1;
  std::vector<BlockId> layout;
  layout.reserve(function_.layout().size());
  // New blocks were added behind all others, three each.
  for (BlockId b : function_.layout().first(function_.layout().size() - 3 * made_.size())) {
    layout.push_back(b);
    if (diamond_of[b.index()] == 0) continue;
    const SelectDiamond& diamond = made_[diamond_of[b.index()] - 1];
    layout.insert(layout.end(), {diamond.sides[0], diamond.sides[1], diamond.tail});
  }
  function_.set_layout(std::move(layout));
}

}  // namespace psi::predication
