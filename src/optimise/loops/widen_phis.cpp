// widen-phis: numbers that an iteration loads for the next one to use as an index become as wide as the
// index.
//
//     @l: %n = phi.i32 [@e: 0], [@l: %next]      @l: %w = phi.i64 [@e: %0], [@l: %next1]
//         %w = zext.i32.i64 %n                       ...
//         ...                             ==>        %n = trunc.i64.i32 %w
//         %s = add.i32 %t, %n                        %s = add.i32 %t, %n
//         %next = load.i32 %p                        %next = load.i32 %p
//         br %c, @l, @x                              %next1 = zext.i32.i64 %next
//                                                    br %c, @l, @x
//
// Targets extend what they load as they load it, but not if only the next iteration does so. All entries but
// for one at most, from before a loop, must be loaded at the end of the block that they come from.
//
// Requires SSA form; ensures it. Linear, but for sorting.
#include <algorithm>
#include <array>
#include <vector>

#include "psi/analysis/uses.h"
#include "psi/ir/edits.h"
#include "psi/ir/views.h"
#include "psi/optimise/induction.h"

namespace psi {
namespace {

class PhiWidening {
 public:
  explicit PhiWidening(PassContext& context)
      : context_(context), function_(context.function), uses_(context.analyses.get<Uses>()) {}

  void run() {
    // Only indices of 64 bits are wider.
    if (function_.address_type() != Type::i64) return;
    std::vector<Widened> found;
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).is_phi()) break;
        if (function_.inst(id).type != Type::i32 || !is_loaded(id)) continue;
        if (InstId extension = only_extension(id)) found.push_back({id, extension});
      }
    }
    for (const Widened& widened : found) replace_narrow(widened);
    for (const Widened& widened : found) widen(widened);
    apply();
    context_.counters.add("phis widened", found.size());
  }

 private:
  struct Widened {
    InstId phi, extension;
  };
  struct Insertion {
    BlockId block;
    uint32_t position;
    InstId inst;
  };

  // In the block of the phi; none if there is none, or more than one anywhere.
  InstId only_extension(InstId phi) const {
    InstId found;
    for (Use use : uses_.uses(function_.inst(phi).results[0])) {
      const Inst& inst = function_.inst(use.inst);
      if (inst.op != Opcode::Zext || inst.type != Type::i64 || use.is_guard()) continue;
      if (found || inst.guard || uses_.block(use.inst) != uses_.block(phi)) return InstId();
      found = use.inst;
    }
    return found;
  }

  bool is_loaded(InstId phi) const {
    PhiEntries entries = phi_entries(function_, phi);
    size_t loaded = 0;
    for (auto [from, value] : entries) {
      InstId id = value.is_reg() ? uses_.definition(value.reg()) : InstId();
      if (!id) continue;
      const Inst& inst = function_.inst(id);
      if (inst.guard) return false;
      loaded += inst.op == Opcode::Load && uses_.block(id) == from;
    }
    return loaded > 0 && loaded + 1 >= entries.size();
  }

  // Readers of the narrow phi read the lower half of the wide one, each its own: most targets do so for
  // nothing.
  void replace_narrow(const Widened& widened) {
    Reg narrow = function_.inst(widened.phi).results[0], wide = function_.inst(widened.extension).results[0];
    for (Use use : uses_.uses(narrow)) {
      if (use.inst == widened.extension) continue;
      bool is_phi = function_.inst(use.inst).is_phi();
      BlockId b = is_phi ? incoming_block(function_, use.inst, use.operand) : uses_.block(use.inst);
      Operand read = convert(Opcode::Trunc, Type::i64, Type::i32, Operand::reg(wide), b,
                             is_phi ? end(b) : uses_.position(use.inst));
      function_.operands(use.inst)[use.operand] = read;
    }
  }

  // The wide phi takes the register of the extension.
  void widen(const Widened& widened) {
    for (size_t i = 0; i < phi_entries(function_, widened.phi).size(); ++i) {
      auto [from, value] = phi_entries(function_, widened.phi)[i];
      if (value.is_literal()) {
        value = function_.literal(Type::i64, function_.literal_bits(value));
      } else if (value.is_undef()) {
        value = function_.literal(Type::i64, int64_t{0});
      } else {
        value = convert(Opcode::Zext, Type::i32, Type::i64, value, from, end(from));
      }
      mutable_phi_entries(function_, widened.phi)[i].value = value;
    }
    Inst& phi = function_.inst(widened.phi);
    phi.type = Type::i64;
    phi.results[0] = function_.inst(widened.extension).results[0];
    gone_.push_back(widened.extension);
    if (context_.remarks) context_.remarks->done(function_, widened.phi, "widened to the width of the index");
  }

  uint32_t end(BlockId b) const { return uses_.position(function_.terminators(b).front()); }

  Operand convert(Opcode op, Type from, Type to, Operand operand, BlockId block, uint32_t position) {
    Inst inst;
    inst.op = op;
    inst.type = to;
    inst.set_from(from);
    inst.results[0] = function_.add_reg(to);
    insertions_.push_back({block, position, function_.add_inst(inst, std::array{operand})});
    return Operand::reg(inst.results[0]);
  }

  void apply() {
    // Instructions are numbered as they are made.
    std::ranges::sort(insertions_, {}, [](const Insertion& i) { return std::pair(i.block, i.inst); });
    std::ranges::sort(gone_, {}, [&](InstId id) { return uses_.block(id); });
    size_t gone = 0, inserted = 0;
    while (gone < gone_.size() || inserted < insertions_.size()) {
      BlockId b = gone < gone_.size() ? uses_.block(gone_[gone]) : insertions_[inserted].block;
      if (inserted < insertions_.size()) b = std::min(b, insertions_[inserted].block);
      for (; gone < gone_.size() && uses_.block(gone_[gone]) == b; ++gone) {
        edits_.remove(uses_.position(gone_[gone]));
      }
      for (; inserted < insertions_.size() && insertions_[inserted].block == b; ++inserted) {
        edits_.insert_before(insertions_[inserted].position, insertions_[inserted].inst);
      }
      edits_.apply(function_, b);
    }
  }

  PassContext& context_;
  Function& function_;
  const Uses& uses_;
  std::vector<Insertion> insertions_;
  std::vector<InstId> gone_;
  BlockEdits edits_;
};

}  // namespace

void widen_phis(PassContext& context) { PhiWidening(context).run(); }

}  // namespace psi
