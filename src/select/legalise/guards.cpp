#include "select/legalise/guards.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "psi/ir/views.h"
#include "psi/select/boundary.h"
#include "select/legalise/emitter.h"

namespace psi::select {
namespace {

class GuardLowering {
 public:
  GuardLowering(Function& function, const TargetFacts& facts, GuardCounts& counts)
      : function_(function), facts_(facts), counts_(counts), is_ssa_(psi::is_ssa(function.form)) {}

  void run() {
    count_uses();
    rewrite();
    std::vector<BlockId> blocks(function_.layout().begin(), function_.layout().end());
    std::vector<BlockId> layout;
    bool is_split = false;
    for (BlockId block : blocks) {
      layout.push_back(block);
      is_split |= split(block, layout);
    }
    if (is_split) function_.set_layout(std::move(layout));
  }

 private:
  // --- What needs no branch ---------------------------------------------------------------------------

  void count_uses() {
    uses_.assign(function_.num_regs(), 0);
    loads_.assign(function_.num_regs(), InstId());
    for_each_inst([&](InstId id) {
      const Inst& inst = function_.inst(id);
      if (inst.guard) ++uses_[inst.guard.reg().index()];
      for (Operand operand : std::as_const(function_).operands(id)) {
        if (operand.reads_reg()) ++uses_[operand.reg().index()];
      }
      if (inst.op == Opcode::Load) loads_[inst.results[0].index()] = id;
    });
  }
  template <class Visit>
  void for_each_inst(Visit visit) const {
    for (BlockId block : function_.layout()) {
      for (InstId id : function_.insts(block)) visit(id);
    }
  }

  bool takes_guard(InstId id) const {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    // The extension of what was loaded belongs to the load.
    if (InstId load = extended_load(id)) {
      const Inst& loaded = function_.inst(load);
      return facts_.takes_guard(function_, loaded, std::as_const(function_).operands(load));
    }
    return facts_.takes_guard(function_, inst, operands);
  }
  InstId extended_load(InstId id) const {
    const Inst& inst = function_.inst(id);
    bool extends = (inst.op == Opcode::Zext || inst.op == Opcode::Sext) && !facts_.holds(inst.from());
    if (!extends) return {};
    Operand source = std::as_const(function_).operands(id)[0];
    InstId load =
        source.is_reg() && source.reg().index() < loads_.size() ? loads_[source.reg().index()] : InstId();
    return load && function_.inst(load).guard == inst.guard ? load : InstId();
  }

  // Pure instructions, and complements. What still has a guard that it does not take is for branches.
  void rewrite() {
    std::vector<InstId> insts;
    BoundaryShapes shapes(function_, facts_.held());
    // An extension is decided on as its load was.
    std::vector<bool> keeps(function_.num_insts());
    for_each_inst([&](InstId id) { keeps[id.index()] = function_.inst(id).guard && takes_guard(id); });
    for (BlockId block : function_.layout()) {
      std::span<const InstId> list = function_.insts(block);
      insts.assign(list.begin(), list.end());
      out_.clear();
      for (InstId id : insts) {
        const Inst inst = function_.inst(id);
        if (!inst.guard || keeps[id.index()] || extended_load(id) || shapes.of(id) != BoundaryShape::None) {
          out_.push_back(id);
        } else if (inst.guard.is_negated() && takes_plain_guard(id)) {
          complement_guard(id);
        } else if (inst.is_pure() || is_fixed_slot(id)) {
          speculate(id);
        } else {
          out_.push_back(id);
        }
      }
      if (!std::ranges::equal(out_, insts)) function_.set_insts(block, out_);
    }
    kept_ = std::move(keeps);
    shapes_of_.assign(function_.num_insts(), BoundaryShape::None);
    for_each_inst([&](InstId id) {
      if (id.index() < kept_.size()) shapes_of_[id.index()] = shapes.of(id);
    });
  }

  bool is_fixed_slot(InstId id) const {
    return function_.inst(id).op == Opcode::Slot && std::as_const(function_).operands(id)[0].is_literal();
  }
  bool takes_plain_guard(InstId id) const {
    Inst inst = function_.inst(id);
    inst.guard = Guard(inst.guard.reg());
    return facts_.takes_guard(function_, inst, std::as_const(function_).operands(id));
  }

  void complement_guard(InstId id) {
    ++counts_.complements;
    Emitter emitter(function_, out_);
    emitter.begin(id);
    Operand predicate = Operand::reg(function_.inst(id).guard.reg());
    size_t before = out_.size();
    Operand complement = emitter.not_(predicate);
    size_t first = before;
    while (first > 0 && function_.inst(out_[first - 1]).is_terminator()) --first;
    std::rotate(out_.begin() + static_cast<ptrdiff_t>(first), out_.begin() + static_cast<ptrdiff_t>(before),
                out_.end());
    function_.inst(id).guard = Guard(complement);
    out_.push_back(id);
  }

  void speculate(InstId id) {
    ++counts_.speculated;
    Inst& inst = function_.inst(id);
    Guard guard = inst.guard;
    if (is_ssa_) {
      inst.guard = {};
      return out_.push_back(id);
    }
    Reg result = inst.results[0];
    Type type = function_.type(result);
    bool by_logic = type == Type::i1 && facts_.covers(Opcode::And, type) && facts_.covers(Opcode::Or, type);
    // A partial action keeps what is in the register.
    bool is_partly_written = inst.op == Opcode::Cmpp && is_partial(inst.action(0));
    if (inst.num_results() != 1 || is_partly_written || !(by_logic || can_choose(type, guard)))
      return out_.push_back(id);
    Operand value = inst.op == Opcode::Mov ? std::as_const(function_).operands(id)[0] : Operand();
    if (value.is_none()) {
      Reg always = function_.add_reg(type);
      function_.inst(id).results[0] = always;
      function_.inst(id).guard = {};
      out_.push_back(id);
      value = always;
    }
    Emitter emitter(function_, out_);
    emitter.begin(id);
    Inst chooses;
    chooses.type = type;
    chooses.results[0] = result;
    if (moves(type, guard)) {
      chooses.op = Opcode::Mov;
      emitter.guard(guard);
      emitter.append(chooses, std::array{value});
      return;
    }
    Operand old = result;
    if (guard.is_negated()) std::swap(value, old);
    if (by_logic) {
      Operand predicate = guard.reg();
      Operand first = emitter.and_({predicate, value});
      Operand second = emitter.and_({emitter.not_(predicate), old});
      chooses.op = Opcode::Or;
      emitter.append(chooses, std::array{first, second});
      return;
    }
    chooses.op = Opcode::Select;
    emitter.append(chooses, std::array{Operand(guard.reg()), value, old});
  }
  bool moves(Type type, Guard guard) const {
    Inst mov;
    mov.op = Opcode::Mov;
    mov.type = type;
    mov.guard = guard;
    return facts_.takes_guard(function_, mov, std::array{Operand::undef(type)});
  }
  bool can_choose(Type type, Guard guard) const {
    return moves(type, guard) || facts_.covers(Opcode::Select, type);
  }

  // --- Branches ---------------------------------------------------------------------------------------

  bool needs_branch(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (!inst.guard) return false;
    if (id.index() < kept_.size() && kept_[id.index()]) return false;
    if (is_crossing(id)) return false;
    return !takes_guard(id);
  }
  bool is_crossing(InstId id) const {
    return id.index() < shapes_of_.size() && shapes_of_[id.index()] != BoundaryShape::None;
  }

  bool split(BlockId block, std::vector<BlockId>& layout) {
    std::span<const InstId> list = function_.insts(block);
    std::vector<InstId> insts(list.begin(), list.end());
    bool any = std::ranges::any_of(insts, [&](InstId id) { return needs_branch(id); });
    if (!any) {
      strip(insts);
      return false;
    }
    std::vector<BlockId> targets;
    function_.for_each_successor(block, [&](BlockId target) { targets.push_back(target); });
    std::vector<BlockId> pieces = {block};
    BlockId at = block;
    std::vector<InstId> piece;
    for (size_t i = 0; i < insts.size();) {
      // A run of instructions under one guard.
      Guard guard = function_.inst(insts[i]).guard;
      size_t end = i + 1;
      bool branches = needs_branch(insts[i]);
      bool terminates = function_.inst(insts[i]).is_terminator();
      while (guard && !terminates && end < insts.size() && function_.inst(insts[end]).guard == guard &&
             !function_.inst(insts[end]).is_terminator() && !writes(insts[end - 1], guard.reg())) {
        branches |= needs_branch(insts[end]);
        ++end;
      }
      std::span<const InstId> run = std::span(insts).subspan(i, end - i);
      i = end;
      if (!branches) {
        strip(run);
        piece.insert(piece.end(), run.begin(), run.end());
        continue;
      }
      ++counts_.branched;
      BlockId then = function_.add_block(), rest = function_.add_block();
      layout.push_back(then), layout.push_back(rest);
      pieces.push_back(then), pieces.push_back(rest);
      Emitter emitter(function_, piece);
      emitter.begin(run[0]);
      Inst branch;
      branch.op = Opcode::Br;
      std::array sides = {Operand(then), Operand(rest)};
      if (guard.is_negated()) std::swap(sides[0], sides[1]);
      emitter.append(branch, std::array{Operand(guard.reg()), sides[0], sides[1]});
      function_.set_insts(at, piece);
      std::vector<InstId> body(run.begin(), run.end());
      for (InstId id : body) function_.inst(id).guard = {};
      std::vector<InstId> merges;
      if (is_ssa_) merge_results(body, at, then, merges);
      if (!terminates) {
        Emitter behind(function_, body);
        behind.begin(run[0]);
        behind.append(branch, std::array{Operand(rest)});
      }
      function_.set_insts(then, body);
      piece = std::move(merges);
      at = rest;
    }
    function_.set_insts(at, piece);
    if (is_ssa_) update_phis(block, targets, pieces);
    return true;
  }

  bool writes(InstId id, Reg reg) const {
    const Inst& inst = function_.inst(id);
    return inst.results[0] == reg || inst.results[1] == reg;
  }

  // Shapes at the boundary have no guard of their own.
  void strip(std::span<const InstId> run) {
    for (InstId id : run) {
      if (is_crossing(id)) function_.inst(id).guard = {};
    }
  }

  // What is computed behind the branch, and read elsewhere, is undefined if the branch is not taken.
  void merge_results(std::vector<InstId>& body, BlockId head, BlockId then, std::vector<InstId>& merges) {
    std::vector<std::pair<Reg, Reg>> renamed;  // in the program, here
    for (InstId id : body) {
      for (Reg result : function_.inst(id).results) {
        if (result) renamed.push_back({result, Reg()});
      }
    }
    if (renamed.empty()) return;
    std::ranges::sort(renamed);
    auto find = [&](Reg reg) {
      auto it = std::ranges::lower_bound(renamed, std::pair(reg, Reg(0)),
                                         [](const auto& a, const auto& b) { return a.first < b.first; });
      return it != renamed.end() && it->first == reg ? &*it : nullptr;
    };
    std::vector<uint32_t> inside(renamed.size());
    for (InstId id : body) {
      for (Operand operand : std::as_const(function_).operands(id)) {
        if (!operand.reads_reg()) continue;
        if (auto* entry = find(operand.reg())) ++inside[static_cast<size_t>(entry - renamed.data())];
      }
    }
    for (size_t i = 0; i < renamed.size(); ++i) {
      Reg outside = renamed[i].first;
      uint32_t uses = outside.index() < uses_.size() ? uses_[outside.index()] : UINT32_MAX;
      if (uses == inside[i]) continue;
      Type type = function_.type(outside);
      renamed[i].second = function_.add_reg(type);
      Inst phi;
      phi.op = Opcode::Phi;
      phi.type = type;
      phi.results[0] = outside;
      std::vector<Operand> entries;
      add_phi_entry(entries, head, Operand::undef(type));
      add_phi_entry(entries, then, renamed[i].second);
      merges.push_back(function_.add_inst(phi, entries));
    }
    for (InstId id : body) {
      for (Operand& operand : function_.operands(id)) {
        if (!operand.reads_reg()) continue;
        auto* entry = find(operand.reg());
        if (entry && entry->second) operand = Operand::predicate(entry->second, operand.is_negated());
      }
      for (Reg& result : function_.inst(id).results) {
        auto* entry = result ? find(result) : nullptr;
        if (entry && entry->second) result = entry->second;
      }
    }
  }

  void update_phis(BlockId block, std::vector<BlockId>& targets, std::span<const BlockId> pieces) {
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    std::vector<Operand> operands;
    for (BlockId target : targets) {
      std::vector<BlockId> from;
      for (BlockId piece : pieces) {
        bool leads = false;
        function_.for_each_successor(piece, [&](BlockId successor) { leads |= successor == target; });
        if (leads) from.push_back(piece);
      }
      for (InstId phi : function_.insts(target)) {
        if (!function_.inst(phi).is_phi()) break;
        operands.clear();
        for (PhiEntry entry : phi_entries(function_, phi)) {
          if (entry.block != block) add_phi_entry(operands, entry);
          if (entry.block != block) continue;
          for (BlockId piece : from) add_phi_entry(operands, piece, entry.value);
        }
        function_.set_operands(phi, operands);
      }
    }
  }

  Function& function_;
  const TargetFacts& facts_;
  GuardCounts& counts_;
  bool is_ssa_;
  std::vector<uint32_t> uses_;  // by register
  std::vector<InstId> loads_;   // by register: the load that gives it
  std::vector<bool> kept_;      // by instruction: it takes its guard
  std::vector<BoundaryShape> shapes_of_;
  std::vector<InstId> out_;
};

}  // namespace

void legalise_guards(Function& function, const TargetFacts& facts, GuardCounts& counts) {
  GuardLowering(function, facts, counts).run();
}

}  // namespace psi::select
