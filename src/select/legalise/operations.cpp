#include "select/legalise/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "psi/ir/routines.h"
#include "psi/ir/views.h"
#include "psi/select/boundary.h"
#include "select/legalise/rewriter.h"
#include "select/legalise/split.h"

namespace psi::select {
namespace {

constexpr uint8_t kMaxDepth = 24;

bool stays_generic(Opcode op) {
  switch (op) {
    case Opcode::Phi:
    case Opcode::Psi:
    case Opcode::Mov:
    case Opcode::Freeze:
    case Opcode::Slot:
    case Opcode::PtrAdd:
    case Opcode::VaStart:
    case Opcode::VaArg:
    case Opcode::VaCopy:
    case Opcode::Call:
    case Opcode::Br:
    case Opcode::Ret:
    case Opcode::Unreachable:
      return true;
    default:
      return false;
  }
}

class Operations : private Rewriter {
 public:
  Operations(const Module& module, Function& function, const TargetFacts& facts,
             const ExpansionSource* expansions, OperationCounts& counts, Remarks* remarks)
      : Rewriter(function, remarks),
        module_(module),
        facts_(facts),
        expansions_(expansions),
        counts_(counts),
        split_(emitter_),
        shapes_(function, facts.held()),
        num_old_(function.num_insts()) {}
  using Rewriter::culprit;
  using Rewriter::reuse;

  std::string run() {
    std::vector<InstId> work, insts;
    for (BlockId block : function_.layout()) {
      std::span<const InstId> list = function_.insts(block);
      insts.assign(list.begin(), list.end());
      work.assign(list.rbegin(), list.rend());
      out_.clear();
      start_block(block);
      while (!work.empty()) {
        InstId id = work.back();
        work.pop_back();
        begin(id);
        keep(id);
        if (is_legal(id)) {
          note_computed(out_.size() - 1);
          continue;
        }
        out_.pop_back();
        uint8_t depth = depth_of(id);
        if (depth > kMaxDepth) {
          return fmt::format("the expansion of {} never ends", describe(function_.inst(id)));
        }
        ++counts_.expanded;
        if (depth == 0)
          remark(fmt::format("{} is no instruction of the target", describe(function_.inst(id))));
        expand(id);
        if (!failure_.empty()) return failure_;
        while (out_.size() > group_start_) {
          work.push_back(out_.back());
          set_depth(out_.back(), static_cast<uint8_t>(depth + 1));
          out_.pop_back();
        }
      }
      if (!std::ranges::equal(out_, insts)) function_.set_insts(block, out_);
    }
    resolve_all();
    return {};
  }

 private:
  uint8_t depth_of(InstId id) const { return id.index() < depths_.size() ? depths_[id.index()] : 0; }
  void set_depth(InstId id, uint8_t depth) {
    if (depths_.size() <= id.index()) depths_.resize(function_.num_insts());
    depths_[id.index()] = depth;
  }

  bool is_legal(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (stays_generic(inst.op)) return true;
    if (id.index() < num_old_ && shapes_.of(id) != BoundaryShape::None) return true;
    // What loads and stores make of other types.
    if (inst.format() == Format::Convert && inst.from() != Type::ptr && !facts_.holds(inst.from()))
      return true;
    if (inst.type != Type::none && !facts_.holds(inst.type)) return true;
    return is_legal_operation(function_, id, facts_);
  }

  void expand(InstId id) {
    const Inst inst = function_.inst(id);
    std::span<const Operand> list = std::as_const(function_).operands(id);
    std::vector<Operand> operands(list.begin(), list.end());
    for (Operand& operand : operands) operand = resolve(operand);
    Operand result;
    if (!expansions_ || !expansions_->expand(module_, function_, id, emitter_, result)) {
      emitter_.begin(id);
      result = inst.type == Type::i1 && inst.format() != Format::Convert ? expand_predicate(inst, operands)
                                                                         : expand(inst, operands);
    }
    if (result.is_none()) {
      return fail(fmt::format("nothing covers {}, and nothing stands for it", describe(inst)));
    }
    bind(inst.results[0], result);
  }

  Operand literal(Type type, uint64_t bits) { return emitter_.literal(type, bits); }

  // --- Predicates as numbers ------------------------------------------------------------------------

  Operand and_not(Operand a, Operand b) { return emitter_.and_({a, emitter_.not_(b)}); }
  Operand or_not(Operand a, Operand b) { return emitter_.or_({a, emitter_.not_(b)}); }

  // true is 1 as an unsigned number and -1 as a signed one. Where there is one defined result, or overflow is
  // undefined behaviour, that is it.
  Operand expand_predicate(const Inst& inst, std::span<const Operand> operands) {
    Operand a = operands[0], b = operands.size() > 1 ? operands[1] : Operand();
    switch (inst.op) {
      case Opcode::Add:
      case Opcode::Sub:
        return emitter_.xor_({a, b});
      case Opcode::Mul:
      case Opcode::Smax:
      case Opcode::Umin:
      case Opcode::SaddOverflow:
      case Opcode::UaddOverflow:
      case Opcode::SmulOverflow:
        return emitter_.and_({a, b});
      case Opcode::Smin:
      case Opcode::Umax:
      case Opcode::SaddSat:
      case Opcode::UaddSat:
        return emitter_.or_({a, b});
      case Opcode::UsubSat:
      case Opcode::SsubSat:
        return and_not(a, b);
      case Opcode::UsubOverflow:
      case Opcode::SsubOverflow:
        return and_not(b, a);
      case Opcode::Srem:
      case Opcode::Urem:
      case Opcode::UmulOverflow:
        return Operand::never();
      case Opcode::Sdiv:
      case Opcode::Udiv:
      case Opcode::Shl:
      case Opcode::Lshr:
      case Opcode::Ashr:
      case Opcode::Neg:
      case Opcode::Abs:
      case Opcode::Ctpop:
      case Opcode::BitReverse:
      case Opcode::Fshl:
        return a;
      case Opcode::Fshr:
        return b;
      case Opcode::Ctlz:
      case Opcode::Cttz:
        return emitter_.not_(a);
      case Opcode::Not:
        return emitter_.xor_({a, Operand::always()});
      case Opcode::Select: {
        Operand chosen = emitter_.and_({a, b});
        return emitter_.or_({chosen, emitter_.and_({emitter_.not_(a), operands[2]})});
      }
      case Opcode::Cmp:
        switch (inst.cond()) {
          case Cond::eq:
            return emitter_.not_(emitter_.xor_({a, b}));
          case Cond::ne:
            return emitter_.xor_({a, b});
          case Cond::ult:
          case Cond::gt:
            return and_not(b, a);
          case Cond::ugt:
          case Cond::lt:
            return and_not(a, b);
          case Cond::ule:
          case Cond::ge:
            return or_not(b, a);
          default:
            return or_not(a, b);
        }
      default:
        return {};
    }
  }

  // --- Integers -------------------------------------------------------------------------------------

  Operand expand(const Inst& inst, std::span<const Operand> operands) {
    Type type = inst.type;
    unsigned width = type == Type::none || type == Type::ptr ? 0 : bit_width(type);
    Operand a = operands[0], b = operands.size() > 1 ? operands[1] : Operand();
    auto sign = [&](Operand x) { return emitter_.ashr(x, width - 1); };
    auto negative = [&](Operand x) { return emitter_.cmp(Cond::lt, {x, literal(type, 0)}); };
    switch (inst.op) {
      case Opcode::Neg:
        return emitter_.sub({literal(type, 0), a});
      case Opcode::Not:
        return emitter_.xor_({a, literal(type, UINT64_MAX)});
      case Opcode::Abs: {
        Operand mask = sign(a);
        return emitter_.sub({emitter_.xor_({a, mask}), mask});
      }
      case Opcode::Smin:
        return emitter_.select({emitter_.cmp(Cond::lt, {a, b}), a, b});
      case Opcode::Smax:
        return emitter_.select({emitter_.cmp(Cond::lt, {b, a}), a, b});
      case Opcode::Umin:
        return emitter_.select({emitter_.cmp(Cond::ult, {a, b}), a, b});
      case Opcode::Umax:
        return emitter_.select({emitter_.cmp(Cond::ult, {b, a}), a, b});
      case Opcode::UaddSat: {
        Operand sum = emitter_.add({a, b});
        return emitter_.select({emitter_.cmp(Cond::ult, {sum, a}), literal(type, UINT64_MAX), sum});
      }
      case Opcode::UsubSat:
        return emitter_.select({emitter_.cmp(Cond::ult, {a, b}), literal(type, 0), emitter_.sub({a, b})});
      case Opcode::SaddSat:
      case Opcode::SsubSat: {
        bool adds = inst.op == Opcode::SaddSat;
        Operand exact = adds ? emitter_.add({a, b}) : emitter_.sub({a, b});
        Operand extreme = emitter_.xor_({sign(a), literal(type, value_mask(type) >> 1)});
        return emitter_.select({negative(wrong_sign(adds, a, b, exact)), extreme, exact});
      }
      case Opcode::SaddOverflow:
        return negative(wrong_sign(true, a, b, emitter_.add({a, b})));
      case Opcode::SsubOverflow:
        return negative(wrong_sign(false, a, b, emitter_.sub({a, b})));
      case Opcode::UaddOverflow:
        return emitter_.cmp(Cond::ult, {emitter_.add({a, b}), a});
      case Opcode::UsubOverflow:
        return emitter_.cmp(Cond::ult, {a, b});
      case Opcode::UmulOverflow:
        return emitter_.cmp(Cond::ne, {split_.mul_high(a, b), literal(type, 0)});
      case Opcode::SmulOverflow: {
        Operand high = split_.mul_high(a, b);
        high = emitter_.sub({high, emitter_.and_({sign(a), b})});
        high = emitter_.sub({high, emitter_.and_({sign(b), a})});
        return emitter_.cmp(Cond::ne, {high, sign(emitter_.mul({a, b}))});
      }
      case Opcode::Ctpop:
        return count_bits(a);
      case Opcode::Ctlz: {
        for (unsigned n = 1; n < width; n *= 2) a = emitter_.or_({a, emitter_.lshr(a, n)});
        return emitter_.op(Opcode::Ctpop, {emitter_.not_(a)});
      }
      case Opcode::Cttz: {
        Operand below = emitter_.and_({emitter_.not_(a), emitter_.add({a, literal(type, UINT64_MAX)})});
        return emitter_.op(Opcode::Ctpop, {below});
      }
      case Opcode::Bswap:
        return reverse(a, 8);
      case Opcode::BitReverse:
        return reverse(a, 1);
      case Opcode::Fshl:
      case Opcode::Fshr:
        return funnel(inst.op == Opcode::Fshl, a, b, operands[2]);
      case Opcode::Srem:
      case Opcode::Urem:
        if (Operand rest = remainder(inst, a, b); !rest.is_none()) return rest;
        return call_routine(inst, operands);
      case Opcode::Mul:
      case Opcode::Sdiv:
      case Opcode::Udiv:
        return call_routine(inst, operands);
      case Opcode::Cmp:
        return compare(inst, a, b);
      case Opcode::Select:
        return choose(a, b, operands[2]);
      case Opcode::Zext:
        if (inst.from() != Type::i1) return {};
        return emitter_.select({a, literal(type, 1), literal(type, 0)});
      case Opcode::Sext:
        if (inst.from() != Type::i1) return {};
        if (facts_.covers(Opcode::Zext, type, inst.kind)) {
          return emitter_.sub({literal(type, 0), emitter_.convert(Opcode::Zext, type, a)});
        }
        return emitter_.select({a, literal(type, UINT64_MAX), literal(type, 0)});
      case Opcode::Trunc: {
        if (type != Type::i1) return {};
        Type from = inst.from();
        return emitter_.cmp(Cond::ne, {emitter_.and_({a, literal(from, 1)}), literal(from, 0)});
      }
      default:
        return {};
    }
  }

  // Its sign bit: does the sum, or difference, have the sign that it must not have?
  Operand wrong_sign(bool adds, Operand a, Operand b, Operand exact) {
    Operand other = adds ? emitter_.xor_({b, exact}) : emitter_.xor_({a, b});
    return emitter_.and_({emitter_.xor_({a, exact}), other});
  }

  Operand pattern(Type type, unsigned byte) { return literal(type, byte * 0x0101'0101'0101'0101); }

  // By adding neighbours: pairs of bits, of pairs, of nibbles, then all bytes by a multiplication.
  Operand count_bits(Operand a) {
    Type type = emitter_.type(a);
    a = emitter_.sub({a, emitter_.and_({emitter_.lshr(a, 1), pattern(type, 0x55)})});
    Operand pairs = pattern(type, 0x33);
    a = emitter_.add({emitter_.and_({a, pairs}), emitter_.and_({emitter_.lshr(a, 2), pairs})});
    a = emitter_.and_({emitter_.add({a, emitter_.lshr(a, 4)}), pattern(type, 0x0f)});
    return emitter_.lshr(emitter_.mul({a, pattern(type, 1)}), bit_width(type) - 8);
  }

  // Exchanges neighbours, of `from` bits first, then of twice as many.
  Operand reverse(Operand a, unsigned from) {
    Type type = emitter_.type(a);
    unsigned width = bit_width(type);
    for (unsigned n = from; n < width; n *= 2) {
      Operand upper = emitter_.lshr(a, n), lower = a;
      if (2 * n < width) {
        uint64_t mask = 0;
        for (unsigned i = 0; i < width; i += 2 * n) mask |= ((uint64_t{1} << n) - 1) << i;
        upper = emitter_.and_({upper, literal(type, mask)});
        lower = emitter_.and_({lower, literal(type, mask)});
      }
      a = emitter_.or_({upper, emitter_.shl(lower, n)});
    }
    return a;
  }

  Operand funnel(bool left, Operand a, Operand b, Operand amount) {
    Type type = emitter_.type(a);
    unsigned width = bit_width(type);
    if (amount.is_literal()) {
      unsigned n = static_cast<unsigned>(function_.literal_bits(amount) % width);
      if (n == 0) return left ? a : b;
      unsigned up = left ? n : width - n;
      return emitter_.or_({emitter_.shl(a, up), emitter_.lshr(b, width - up)});
    }
    Operand n = emitter_.and_({amount, literal(type, width - 1)});
    Operand rest = emitter_.xor_({n, literal(type, width - 1)});
    if (left) {
      Operand low = emitter_.op(Opcode::Lshr, {emitter_.lshr(b, 1), rest});
      return emitter_.or_({emitter_.op(Opcode::Shl, {a, n}), low});
    }
    Operand high = emitter_.op(Opcode::Shl, {emitter_.shl(a, 1), rest});
    return emitter_.or_({high, emitter_.op(Opcode::Lshr, {b, n})});
  }

  // By the division, if that is an instruction.
  Operand remainder(const Inst& inst, Operand a, Operand b) {
    Inst division = inst;
    division.op = inst.op == Opcode::Srem ? Opcode::Sdiv : Opcode::Udiv;
    if (!facts_.covers(function_, division, std::array{a, b})) return {};
    emitter_.guard(guard_);
    Operand quotient = emitter_.append(division, std::array{a, b}, inst.type);
    emitter_.guard({});
    return emitter_.sub({a, emitter_.mul({quotient, b})});
  }

  // An argument must not be undef, a dividend may be.
  Operand call_routine(const Inst& inst, std::span<const Operand> operands) {
    const RuntimeRoutine* routine = routine_for(inst.op, inst.type);
    if (!routine) return {};
    std::optional<SymbolId> callee = module_.find_symbol(routine->name);
    bool is_declared = callee && module_.kind(*callee) == SymbolKind::Function;
    if (is_declared) {
      const Signature& signature = module_.function(*callee).signature;
      is_declared = signature.result == inst.type && signature.params.size() == operands.size() &&
                    std::ranges::all_of(signature.params, [&](Type type) { return type == inst.type; });
    }
    if (!is_declared) {
      fail(fmt::format("the module does not declare the routine ${}, or has another of that name",
                       routine->name));
      return operands[0];
    }
    ++counts_.calls;
    remark(fmt::format("a call of ${}", routine->name));
    std::vector<Operand> arguments;
    for (Operand operand : operands) arguments.push_back(emitter_.freeze(operand));
    emitter_.guard(guard_);
    Operand result = emitter_.call(*callee, inst.type, arguments);
    emitter_.guard({});
    return result;
  }

  // By the opposite condition; equality by an unsigned compare, a signed one by an unsigned one.
  Operand compare(const Inst& inst, Operand a, Operand b) {
    if (is_float(inst.type)) return {};
    auto has = [&](Cond cond) {
      Inst other = inst;
      other.set_cond(cond);
      return facts_.covers(function_, other, std::array{a, b});
    };
    if (has(negate(inst.cond()))) return emitter_.not_(emitter_.cmp(negate(inst.cond()), {a, b}));
    Type type = facts_.canonical(inst.op, inst.type);
    if (type != inst.type) return {};
    switch (inst.cond()) {
      case Cond::eq:
        return emitter_.cmp(Cond::ult, {emitter_.xor_({a, b}), literal(type, 1)});
      case Cond::ne:
        return emitter_.cmp(Cond::ult, {literal(type, 0), emitter_.xor_({a, b})});
      case Cond::lt:
      case Cond::le:
      case Cond::gt:
      case Cond::ge: {
        Operand sign = literal(type, (value_mask(type) >> 1) + 1);
        Cond unsigned_cond = inst.cond() == Cond::lt   ? Cond::ult
                             : inst.cond() == Cond::le ? Cond::ule
                             : inst.cond() == Cond::gt ? Cond::ugt
                                                       : Cond::uge;
        return emitter_.cmp(unsigned_cond, {emitter_.xor_({a, sign}), emitter_.xor_({b, sign})});
      }
      default:
        return {};
    }
  }

  // A guarded move. A select by undef is undef, a guard that is undef undefined behaviour.
  Operand choose(Operand predicate, Operand a, Operand b) {
    Operand frozen = emitter_.freeze(predicate);
    if (!frozen.is_reg()) frozen = emitter_.op(Opcode::Mov, {frozen});
    Reg chooses = frozen.reg();
    Type type = emitter_.type(a);
    if (!is_ssa()) {
      Reg value = function_.add_reg(type);
      move(value, b, {});
      move(value, a, Guard(chooses));
      return value;
    }
    emitter_.guard(Guard(chooses));
    Inst mov;
    mov.op = Opcode::Mov;
    mov.type = type;
    Operand first = emitter_.append(mov, std::array{a}, type);
    emitter_.guard({});
    Inst psi;
    psi.op = Opcode::Psi;
    psi.type = type;
    return emitter_.append(psi, std::array{Operand::always(), b, Operand(chooses), first}, type);
  }

  const Module& module_;
  const TargetFacts& facts_;
  const ExpansionSource* expansions_;
  OperationCounts& counts_;
  SplitArithmetic split_;
  BoundaryShapes shapes_;
  uint32_t num_old_;
  std::vector<uint8_t> depths_;  // by instruction: of expansions in expansions
};

}  // namespace

std::string describe(const Inst& inst) {
  std::string text(info(inst.op).name);
  if (inst.format() == Format::Compare) text += fmt::format(".{}", cond_name(inst.cond()));
  if (inst.format() == Format::Convert) text += fmt::format(".{}", type_name(inst.from()));
  if (inst.type != Type::none) text += fmt::format(".{}", type_name(inst.type));
  return text;
}

std::string legalise_operations(const Module& module, Function& function, const Dominators& dominators,
                                const TargetFacts& facts, const ExpansionSource* expansions,
                                OperationCounts& counts, Remarks* remarks, InstId& culprit) {
  Operations operations(module, function, facts, expansions, counts, remarks);
  operations.reuse(dominators, facts.held());
  std::string failure = operations.run();
  culprit = operations.culprit();
  return failure;
}

bool is_legal_operation(const Function& function, InstId id, const TargetFacts& facts) {
  const Inst& inst = function.inst(id);
  if (stays_generic(inst.op)) return true;
  std::span<const Operand> operands = function.operands(inst);
  switch (inst.op) {
    case Opcode::Ptrtoint:
      if (inst.type == facts.address_type()) return true;
      break;
    case Opcode::Inttoptr:
      if (inst.from() == facts.address_type()) return true;
      break;
    case Opcode::Bitcast:
      return facts.holds(inst.type) && facts.holds(inst.from());
    default:
      break;
  }
  return facts.covers(function, inst, operands);
}

}  // namespace psi::select
