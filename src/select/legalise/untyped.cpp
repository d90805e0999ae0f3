#include "select/legalise/untyped.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "psi/ir/views.h"
#include "select/legalise/rewriter.h"

namespace psi::select {
namespace {

// A memset of this many stores or fewer needs no call.
constexpr uint64_t kInlineStores = 8;

class UntypedLowering : private Rewriter {
 public:
  UntypedLowering(const Module& module, Function& function, const TargetFacts& facts, UntypedCounts& counts,
                  Remarks* remarks)
      : Rewriter(function, remarks), module_(module), facts_(facts), counts_(counts) {}
  using Rewriter::culprit;

  std::string run() {
    std::vector<InstId> insts;
    for (BlockId block : function_.layout()) {
      std::span<const InstId> list = function_.insts(block);
      insts.assign(list.begin(), list.end());
      out_.clear();
      for (InstId id : insts) {
        begin(id);
        lower(id);
        if (!failure_.empty()) return failure_;
      }
      if (!std::ranges::equal(out_, insts)) function_.set_insts(block, out_);
    }
    resolve_all();
    return {};
  }

 private:
  void lower(InstId id) {
    const Inst inst = function_.inst(id);
    std::span<const Operand> list = std::as_const(function_).operands(id);
    std::vector<Operand> operands(list.begin(), list.end());
    for (Operand& operand : operands) operand = resolve(operand);
    switch (inst.op) {
      case Opcode::Cmpp:
        if (is_held(inst.type) && facts_.covers(function_, inst, operands)) return keep(id);
        return lower_cmpp(inst, operands);
      case Opcode::PtrIndex:
        return lower_ptrindex(inst);
      case Opcode::VaEnd:
        return;
      case Opcode::Memcpy:
      case Opcode::Memmove:
        return call(inst.op == Opcode::Memcpy ? "memcpy" : "memmove", Type::ptr, operands);
      case Opcode::Memset:
        return lower_memset(inst, operands);
      case Opcode::Br:
        if (inst.is_branch() && inst.guard) return lower_guarded_branch(operands);
        return keep(id);
      default:
        return keep(id);
    }
  }

  bool is_held(Type type) const { return facts_.carrier(type).kind == Carrier::Kind::Same; }

  // In three-valued logic, as the table of docs/ir.md has it.
  void lower_cmpp(const Inst& inst, std::span<const Operand> operands) {
    ++counts_.cmpps;
    Operand input = operands[kCmppInput];
    if (input.is_negated()) input = emitter_.not_(Operand(input.reg()));
    std::array<Operand, 2> compared, values;
    auto result = [&](bool complemented) {
      Operand& value = compared[complemented];
      if (value.is_none() && !compared[!complemented].is_none() && is_float(inst.type)) {
        value = emitter_.not_(compared[!complemented]);
      } else if (value.is_none()) {
        value = emitter_.cmp(complemented ? negate(inst.cond()) : inst.cond(), {operands[0], operands[1]});
      }
      return value;
    };
    for (int i = 0; i < 2; ++i) {
      if (!inst.results[i]) continue;
      Action action = inst.action(i);
      bool complemented = is_complement(action);
      Operand old;
      if (is_partial(action)) {
        old = is_ssa() ? operands[old_value_operand(inst, i)] : Operand(inst.results[i]);
      }
      switch (action_class(action)) {
        case ActionClass::Unconditional:
          values[i] = emitter_.and_({input, result(complemented)});
          break;
        case ActionClass::ParallelOr:
          values[i] = emitter_.or_({old, emitter_.and_({input, result(complemented)})});
          break;
        case ActionClass::ParallelAnd:
          values[i] = emitter_.and_({old, emitter_.not_(emitter_.and_({input, result(!complemented)}))});
          break;
        default:
          values[i] = emitter_.or_(
              {emitter_.and_({input, result(complemented)}), emitter_.and_({emitter_.not_(input), old})});
          break;
      }
      // In plain form the next target reads the old values.
      if (!is_ssa() && inst.results[1]) {
        Reg copy = function_.add_reg(Type::i1);
        move(copy, values[i], {});
        values[i] = copy;
      }
    }
    // The guard itself is written last.
    bool guards_itself = !is_ssa() && guard_ && guard_.reg() == inst.results[0] && inst.results[1];
    if (guards_itself) bind(inst.results[1], values[1]);
    bind(inst.results[0], values[0]);
    if (!guards_itself && inst.results[1]) bind(inst.results[1], values[1]);
  }

  // p + i * scale + offset, the offset last: accesses take it.
  void lower_ptrindex(const Inst& inst) {
    ++counts_.addresses;
    PtrIndexView index = as_ptr_index(function_, inst);
    Operand base = resolve(index.base), scaled = resolve(index.index);
    Type type = emitter_.type(scaled);
    if (std::has_single_bit(index.scale)) {
      scaled = emitter_.shl(scaled, static_cast<unsigned>(std::countr_zero(index.scale)));
    } else {
      scaled = emitter_.mul({scaled, emitter_.literal(type, index.scale)});
    }
    Operand address = base;
    if (scaled.is_literal()) {
      index.offset += static_cast<uint64_t>(function_.literal_signed(scaled));
    } else {
      address = add(address, scaled);
    }
    Operand offset = emitter_.literal(type, index.offset);
    if (!emitter_.is_literal(offset, 0)) address = add(address, offset);
    bind(inst.results[0], address);
  }
  Operand add(Operand base, Operand offset) {
    Inst inst;
    inst.op = Opcode::PtrAdd;
    return emitter_.append(inst, std::array{base, offset}, Type::ptr);
  }

  void lower_memset(const Inst& inst, std::span<const Operand> operands) {
    Operand address = operands[0], byte = operands[1], size = operands[2];
    uint64_t align = std::min<uint64_t>(inst.align(), byte_size(facts_.word()));
    bool is_small = byte.is_literal() && size.is_literal() &&
                    function_.literal_bits(size) <= kInlineStores * align &&
                    function_.literal_bits(size) % align == 0;
    if (!is_small) {
      Operand wide = emitter_.convert(Opcode::Zext, Type::i32, byte);
      return call("memset", Type::ptr, std::array{address, wide, size});
    }
    ++counts_.memory;
    Type type = align == 1 ? Type::i8 : align == 2 ? Type::i16 : align == 4 ? Type::i32 : Type::i64;
    uint64_t bits = function_.literal_bits(byte) * 0x0101'0101'0101'0101;
    for (uint64_t offset = 0; offset < function_.literal_bits(size); offset += align) {
      emitter_.guard({});
      Operand at = emitter_.advance(address, offset);
      emitter_.guard(inst.guard);
      emitter_.store(emitter_.literal(type, bits), at, align, inst.flags);
    }
  }

  void call(std::string_view name, Type result, std::span<const Operand> arguments) {
    ++counts_.memory;
    std::optional<SymbolId> callee = module_.find_symbol(name);
    if (!callee || module_.kind(*callee) != SymbolKind::Function) {
      return fail(fmt::format("the module does not declare the routine ${}", name));
    }
    const Signature& signature = module_.function(*callee).signature;
    bool fits = signature.params.size() == arguments.size() && signature.result == result;
    for (size_t i = 0; fits && i < arguments.size(); ++i) {
      fits = signature.params[i] == emitter_.type(arguments[i]);
    }
    if (!fits) return fail(fmt::format("the module has another ${} than the routine of that name", name));
    remark(fmt::format("a call of ${}", name));
    emitter_.guard(guard_);
    emitter_.call(*callee, Type::none, arguments);
  }

  // To the first block under both predicates, else to the second under the guard.
  void lower_guarded_branch(std::span<const Operand> operands) {
    Operand guard = guard_.is_negated() ? emitter_.not_(Operand(guard_.reg())) : Operand(guard_.reg());
    Operand both = emitter_.and_({guard, operands[0]});
    // What computes stands before the first terminator.
    size_t first = group_start_;
    while (first > 0 && function_.inst(out_[first - 1]).is_terminator()) --first;
    std::rotate(out_.begin() + static_cast<ptrdiff_t>(first),
                out_.begin() + static_cast<ptrdiff_t>(group_start_), out_.end());
    Inst jump;
    jump.op = Opcode::Br;
    if (both.is_reg()) {
      emitter_.guard(Guard(both.reg()));
      emitter_.append(jump, std::array{operands[1]});
    }
    emitter_.guard(guard_);
    emitter_.append(jump, std::array{operands[2]});
  }

  const Module& module_;
  const TargetFacts& facts_;
  UntypedCounts& counts_;
};

}  // namespace

std::string lower_untyped(const Module& module, Function& function, const TargetFacts& facts,
                          UntypedCounts& counts, Remarks* remarks, InstId& culprit) {
  lower_switches(function, counts.switches);
  UntypedLowering lowering(module, function, facts, counts, remarks);
  std::string failure = lowering.run();
  culprit = lowering.culprit();
  return failure;
}

}  // namespace psi::select
