// Arithmetic in a wider type than necessary, because of C's promotions.
//
//     %a = zext.i16.i32 %x                 %s = lshr.i16 %x, 3
//     %b = sext.i16.i32 %y                 %t = shl.i16 %y, 13
//     %s = lshr.i32 %a, 3            ==>   %r = or.i16 %s, %t
//     %t = shl.i32 %b, 13
//     %u = or.i32 %s, %t
//     %r = trunc.i32.i16 %u
//
// The tree of instructions above a truncation, each read only there, moves to the narrow type if the low bits
// of its results depend on the low bits of what it reads. Its leaves are extensions, which become dead,
// literals, and other values, which are truncated; the tree is narrowed if fewer instructions are left.
// Linear in the tree, whose size is limited.
#include <array>
#include <vector>

#include "optimise/algebra/simplify_steps.h"

namespace psi::optimise {
namespace {

class Narrowing {
 public:
  Narrowing(SimplifyGraph& graph, KnownBits& known, InstId trunc)
      : graph_(graph),
        function_(graph.function()),
        known_(known),
        trunc_(trunc),
        to_(function_.inst(trunc).type) {}

  bool run() {
    if (to_ == Type::i1) return false;
    Operand root = operand(trunc_, 0);
    if (!is_inner(root)) return false;
    tree_.push_back(graph_.definition(root));
    for (size_t i = 0; i < tree_.size(); ++i) {
      if (tree_.size() > kMaxTree) return false;
      size_t first = function_.inst(tree_[i]).op == Opcode::Select ? 1 : 0;
      for (size_t k = first; k < num_narrowed(tree_[i]); ++k) visit(operand(tree_[i], k));
    }
    // The truncation itself goes, too.
    if (cost_ > gain_) return false;
    for (size_t i = tree_.size(); i-- > 0;) rewrite(tree_[i]);
    finish(root);
    return true;
  }

 private:
  static constexpr size_t kMaxTree = 64;

  Operand operand(InstId id, size_t i) { return graph_.value(std::as_const(function_).operands(id)[i]); }

  // How many operands are of the type; the amount of a shift is a literal.
  size_t num_narrowed(InstId id) const {
    const Inst& inst = function_.inst(id);
    bool shifts = inst.op == Opcode::Shl || inst.op == Opcode::Lshr || inst.op == Opcode::Ashr;
    return shifts ? 1 : inst.count;
  }

  bool fits_unsigned(Operand value) const { return known_(value).greatest() <= value_mask(to_); }
  // Is it an extension of a value that the narrow type can hold, sign and all?
  bool fits_signed(Operand value) const {
    InstId id = graph_.definition(value);
    return id && !graph_.is_dead(id) && function_.inst(id).op == Opcode::Sext &&
           bit_width(function_.inst(id).from()) <= bit_width(to_);
  }

  bool is_inner(Operand value) {
    InstId id = graph_.definition(value);
    if (!id || graph_.is_dead(id) || graph_.num_uses(value.reg()) != 1) return false;
    const Inst& inst = function_.inst(id);
    auto shifts_less = [&] {
      Operand amount = operand(id, 1);
      return amount.is_literal() && function_.literal_bits(amount) < bit_width(to_);
    };
    switch (inst.op) {
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Not:
      case Opcode::Neg:
      case Opcode::Select:
        return true;
      case Opcode::Shl:
        return shifts_less();
      case Opcode::Lshr:
        return shifts_less() && fits_unsigned(operand(id, 0));
      case Opcode::Ashr:
        return shifts_less() && fits_signed(operand(id, 0));
      case Opcode::Udiv:
      case Opcode::Urem:
        return fits_unsigned(operand(id, 0)) && fits_unsigned(operand(id, 1));
      default:
        return false;
    }
  }

  // The conversion that makes a leaf, whose source can be read instead; none if it is made by something else.
  InstId conversion(Operand leaf) const {
    InstId id = graph_.definition(leaf);
    if (!id || graph_.is_dead(id)) return InstId();
    Opcode op = function_.inst(id).op;
    return op == Opcode::Zext || op == Opcode::Sext || op == Opcode::Trunc ? id : InstId();
  }

  void visit(Operand value) {
    if (!value.is_reg()) return;
    if (is_inner(value)) {
      tree_.push_back(graph_.definition(value));
      return;
    }
    InstId id = conversion(value);
    if (!id) {
      ++cost_;
      return;
    }
    if (bit_width(function_.inst(id).from()) != bit_width(to_)) ++cost_;
    if (graph_.num_uses(value.reg()) == 1) ++gain_;
  }

  Operand narrowed(InstId reader, Operand value) {
    if (value.is_literal()) return function_.literal(to_, function_.literal_bits(value));
    if (value.is_undef()) return Operand::undef(to_);
    Type from = function_.type(value);
    // Of the tree.
    if (from == to_) return value;
    Inst record;
    record.op = Opcode::Trunc;
    if (InstId id = conversion(value)) {
      value = operand(id, 0);
      if (value.is_literal()) return function_.literal(to_, extended(id, function_.literal_bits(value)));
      from = function_.type(value);
      if (from == to_) return value;
      if (bit_width(from) < bit_width(to_)) record.op = function_.inst(id).op;
    }
    record.type = to_;
    record.set_from(from);
    Operand result = Operand::reg(graph_.insert_before(reader, record, std::array{value}));
    known_.update(graph_.definition(result));
    return result;
  }

  uint64_t extended(InstId id, uint64_t bits) const {
    const Inst& inst = function_.inst(id);
    return inst.op == Opcode::Sext ? static_cast<uint64_t>(sign_extend(bits, inst.from())) : bits;
  }

  void rewrite(InstId id) {
    Inst record = function_.inst(id);
    record.type = to_;
    std::array<Operand, 3> operands;
    for (size_t i = 0; i < record.count; ++i) {
      Operand value = operand(id, i);
      operands[i] = record.op == Opcode::Select && i == 0 ? value : narrowed(id, value);
    }
    function_.set_type(record.results[0], to_);
    graph_.rewrite(id, record, std::span(operands).first(record.count));
    known_.update(id);
  }

  void finish(Operand root) {
    if (graph_.replace(function_.inst(trunc_).results[0], root)) return;
    Inst copy;
    copy.op = Opcode::Mov;
    copy.type = to_;
    graph_.rewrite(trunc_, copy, std::array{root});
  }

  SimplifyGraph& graph_;
  Function& function_;
  KnownBits& known_;
  InstId trunc_;
  Type to_;
  std::vector<InstId> tree_;  // parents first
  uint32_t cost_ = 0;         // conversions that will be needed
  uint32_t gain_ = 0;         // those that will not be
};

}  // namespace

const char* narrow(SimplifyGraph& graph, KnownBits& known, InstId id) {
  if (graph.function().inst(id).op != Opcode::Trunc) return nullptr;
  return Narrowing(graph, known, id).run() ? "narrow" : nullptr;
}

}  // namespace psi::optimise
