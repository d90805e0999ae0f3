#include <bit>

#include "interp/machine.h"
#include "psi/analysis/cfg.h"
#include "psi/ir/evaluate.h"

namespace psi::interp {
namespace {

// Arithmetic that gives NaN gives the canonical one.
inline uint64_t from_f32(float value) { return value == value ? std::bit_cast<uint32_t>(value) : kNan32; }
inline uint64_t from_f64(double value) { return value == value ? std::bit_cast<uint64_t>(value) : kNan64; }
inline float to_f32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
inline double to_f64(uint64_t bits) { return std::bit_cast<double>(bits); }

inline uint64_t align_mask(const Decoded& step) { return (uint64_t{1} << step.flag) - 1; }

}  // namespace

void Machine::run_moves(const Edge& edge, const Move* moves, uint64_t* values, uint8_t* undefs) {
  if (edge.is_timed) monitor_->cycle += edge.cycles;
  if (!edge.staged) {
    for (uint32_t i = 0; i < edge.num_moves; ++i) {
      values[moves[i].to] = values[moves[i].from];
      undefs[moves[i].to] = undefs[moves[i].from];
    }
    return;
  }
  staged_.clear();
  for (uint32_t i = 0; i < edge.num_moves; ++i) {
    staged_.push_back({values[moves[i].from], undefs[moves[i].from] != 0});
  }
  for (uint32_t i = 0; i < edge.num_moves; ++i) {
    values[moves[i].to] = staged_[i].bits;
    undefs[moves[i].to] = staged_[i].undef;
  }
}

// With pointers of 64 bits or, in the flat space, of 32.
//
// The current frame is kept in locals. `at` is written back before any operation that may need the position
// or push a frame; all locals are reloaded after any operation that may have changed the frames.
//
// Where a source may be undef the result is computed from arbitrary bits, and the undef flags of the sources
// are joined: cheaper than a branch.
template <bool kFlat>
void Machine::execute() {
  DecodedFunction* function = nullptr;
  const Decoded* at = nullptr;
  uint64_t* v = nullptr;
  uint8_t* u = nullptr;

  auto save = [&] { frames_.back().at = at; };
  auto restore = [&] {
    const Frame& frame = frames_.back();
    function = frame.function;
    at = frame.at;
    v = values_.data() + frame.base;
    u = undefs_.data() + frame.base;
  };
  auto set = [&](const Decoded& s, uint64_t bits, uint8_t undef) {
    v[s.d] = bits;
    u[s.d] = undef;
    ++at;
  };
  auto value = [&](uint32_t place) { return Value{v[place], u[place] != 0}; };
  auto set_value = [&](const Decoded& s, Value result, uint8_t undef) {
    set(s, result.bits, static_cast<uint8_t>(undef | static_cast<uint8_t>(result.undef)));
  };
  auto joined = [&](const Decoded& s) { return static_cast<uint8_t>(u[s.a] | u[s.b]); };
  auto follow = [&](Edge& edge) __attribute__((always_inline)) {
    if (edge.cost > fuel_ && !refuel(edge.cost)) {
      save();
      return out_of_fuel();
    }
    fuel_ -= edge.cost;
    ++edge.count;
    at = function->code.data() + edge.target;
    if (edge.num_moves != 0 || edge.is_timed) {
      run_moves(edge, function->moves.data() + edge.moves, v, u);
    }
    return true;
  };
  auto load = [&]<class Int>(const Decoded& s, Int) {
    uint64_t bits = 0;
    uint8_t undef = 0;
    if (u[s.a]) {
      save();
      return undef_operand("address", 0);
    }
    if (!memory_.load<Int, kFlat>(v[s.a], align_mask(s), bits, undef)) {
      save();
      return bad_access("load", v[s.a], sizeof(Int), align_mask(s), false);
    }
    set(s, mask_by(bits, s.shift), undef);
    return true;
  };
  auto store = [&]<class Int>(const Decoded& s, Int) {
    if (u[s.b]) {
      save();
      return undef_operand("address", 1);
    }
    if (u[s.a] && !may_store_undef()) {
      save();
      return undef_operand("stored value", 0);
    }
    if (!memory_.store<Int, kFlat>(v[s.b], align_mask(s), v[s.a], u[s.a])) {
      save();
      return bad_access("store", v[s.b], sizeof(Int), align_mask(s), true);
    }
    ++at;
    return true;
  };
  // The first of the operands a, b, c that is undef, unless it is `except`, by its index; -1: none.
  auto first_undef = [&](const Decoded& s, int count, int except = -1) {
    const uint32_t places[] = {s.a, s.b, s.c};
    for (int i = 0; i < count; ++i) {
      if (i != except && u[places[i]]) return i;
    }
    return -1;
  };

  restore();
  for (;;) {
    const Decoded& s = *at;
    switch (s.step) {
      case Step::Guard:
        if (u[s.a]) {
          save();
          undef_guard();
          return;
        }
        if (v[s.a] != s.flag) {
          ++at;
        } else {
          u[s.d] = 1;
          u[s.e] = 1;
          ++function->nullified[s.b];
          at += 2;
        }
        break;
      case Step::Mark:
        if (!monitor_->mark(s.b, v, u)) {
          save();
          stop(Outcome::Status::Unsupported, "unsupported: " + monitor_->message);
          return;
        }
        ++at;
        break;

      case Step::Mov:
        set(s, v[s.a], u[s.a]);
        break;
      case Step::Freeze:
        set(s, u[s.a] ? 0 : v[s.a], 0);
        break;
      case Step::Add:
        set(s, mask_by(v[s.a] + v[s.b], s.shift), joined(s));
        break;
      case Step::Sub:
        set(s, mask_by(v[s.a] - v[s.b], s.shift), joined(s));
        break;
      case Step::Mul:
        set(s, mask_by(v[s.a] * v[s.b], s.shift), joined(s));
        break;
      case Step::And:
        set(s, v[s.a] & v[s.b], joined(s));
        break;
      case Step::Or:
        set(s, v[s.a] | v[s.b], joined(s));
        break;
      case Step::Xor:
        set(s, v[s.a] ^ v[s.b], joined(s));
        break;
      case Step::AndI1: {
        bool decided = (!u[s.a] && !v[s.a]) || (!u[s.b] && !v[s.b]);
        set(s, decided ? 0 : v[s.a] & v[s.b], decided ? 0 : joined(s));
        break;
      }
      case Step::OrI1: {
        bool decided = (!u[s.a] && v[s.a]) || (!u[s.b] && v[s.b]);
        set(s, decided ? 1 : v[s.a] | v[s.b], decided ? 0 : joined(s));
        break;
      }
      case Step::Shl: {
        uint8_t too_far = v[s.b] + s.shift >= 64 || v[s.b] >= 64;
        set(s, mask_by(v[s.a] << (v[s.b] & 63), s.shift), joined(s) | too_far);
        break;
      }
      case Step::Lshr: {
        uint8_t too_far = v[s.b] + s.shift >= 64 || v[s.b] >= 64;
        set(s, v[s.a] >> (v[s.b] & 63), joined(s) | too_far);
        break;
      }
      case Step::Ashr: {
        uint8_t too_far = v[s.b] + s.shift >= 64 || v[s.b] >= 64;
        auto bits = static_cast<uint64_t>(signed_by(v[s.a], s.shift) >> (v[s.b] & 63));
        set(s, mask_by(bits, s.shift), joined(s) | too_far);
        break;
      }
      case Step::Divide: {
        const char* fault = divide_fault(s.op, s.type, value(s.a), value(s.b));
        if (fault) {
          save();
          undefined(fault);
          return;
        }
        // An undef dividend's bits may be the minimum.
        uint64_t dividend = u[s.a] ? 0 : v[s.a];
        set_value(s, eval_binary(s.op, s.type, dividend, v[s.b]), u[s.a]);
        break;
      }
      case Step::Binary:
        set_value(s, eval_binary(s.op, s.type, v[s.a], v[s.b]), joined(s));
        break;
      case Step::Unary:
        set_value(s, eval_unary(s.op, s.type, v[s.a]), u[s.a]);
        break;
      case Step::Ternary:
        set_value(s, eval_ternary(s.op, s.type, v[s.a], v[s.b], v[s.c]), joined(s) | u[s.c]);
        break;
      case Step::Overflow:
        set(s, eval_overflow(s.op, s.type, v[s.a], v[s.b]), joined(s));
        break;

      case Step::Fadd32:
        set(s, from_f32(to_f32(v[s.a]) + to_f32(v[s.b])), joined(s));
        break;
      case Step::Fsub32:
        set(s, from_f32(to_f32(v[s.a]) - to_f32(v[s.b])), joined(s));
        break;
      case Step::Fmul32:
        set(s, from_f32(to_f32(v[s.a]) * to_f32(v[s.b])), joined(s));
        break;
      case Step::Fdiv32:
        set(s, from_f32(to_f32(v[s.a]) / to_f32(v[s.b])), joined(s));
        break;
      case Step::Fadd64:
        set(s, from_f64(to_f64(v[s.a]) + to_f64(v[s.b])), joined(s));
        break;
      case Step::Fsub64:
        set(s, from_f64(to_f64(v[s.a]) - to_f64(v[s.b])), joined(s));
        break;
      case Step::Fmul64:
        set(s, from_f64(to_f64(v[s.a]) * to_f64(v[s.b])), joined(s));
        break;
      case Step::Fdiv64:
        set(s, from_f64(to_f64(v[s.a]) / to_f64(v[s.b])), joined(s));
        break;

      case Step::CmpEq:
        set(s, v[s.a] == v[s.b], joined(s));
        break;
      case Step::CmpNe:
        set(s, v[s.a] != v[s.b], joined(s));
        break;
      case Step::CmpLt:
        set(s, signed_by(v[s.a], s.shift) < signed_by(v[s.b], s.shift), joined(s));
        break;
      case Step::CmpLe:
        set(s, signed_by(v[s.a], s.shift) <= signed_by(v[s.b], s.shift), joined(s));
        break;
      case Step::CmpUlt:
        set(s, v[s.a] < v[s.b], joined(s));
        break;
      case Step::CmpUle:
        set(s, v[s.a] <= v[s.b], joined(s));
        break;
      case Step::CmpFloat:
        set(s, eval_cond(static_cast<Cond>(s.from), s.type, v[s.a], v[s.b]), joined(s));
        break;
      case Step::Cmpp: {
        const PredicateCompare& compare = function->predicate_compares[s.b];
        Value input = value(compare.input);
        if (compare.negated) input.bits ^= 1;
        Value condition = {eval_cond(static_cast<Cond>(s.from), s.type, v[compare.a], v[compare.b]),
                           (u[compare.a] | u[compare.b]) != 0};
        // Both read before either is written: one may be the other's old value.
        Value first = eval_action(compare.actions[0], input, condition, value(compare.olds[0]));
        Value second = eval_action(compare.actions[1], input, condition, value(compare.olds[1]));
        v[compare.targets[0]] = first.bits;
        u[compare.targets[0]] = first.undef;
        v[compare.targets[1]] = second.bits;
        u[compare.targets[1]] = second.undef;
        ++at;
        break;
      }

      case Step::Mask:
        set(s, mask_by(v[s.a], s.shift), u[s.a]);
        break;
      case Step::Sext:
        set(s, static_cast<uint64_t>(signed_by(v[s.a], s.shift)) & value_mask(s.type), u[s.a]);
        break;
      case Step::Convert:
        set_value(s, eval_convert(s.op, static_cast<Type>(s.from), s.type, v[s.a]), u[s.a]);
        break;
      case Step::Select: {
        uint32_t arm = v[s.a] ? s.b : s.c;
        set(s, v[arm], u[s.a] | u[arm]);
        break;
      }
      case Step::Psi: {
        const uint32_t* list = function->lists.data() + s.b;
        uint32_t i = s.c;
        bool found = false;
        while (i-- > 0 && !found) {
          uint32_t guard = list[2 * i] / 2;
          if (u[guard]) {
            save();
            undef_operand("guard", 2 * i);
            return;
          }
          found = v[guard] != (list[2 * i] & 1);
          if (found) set(s, v[list[2 * i + 1]], u[list[2 * i + 1]]);
        }
        if (!found) set(s, 0, 1);
        break;
      }
      case Step::PtrIndex:
        if constexpr (kFlat) {
          set(s, static_cast<uint32_t>(v[s.a] + v[s.b] * v[s.c] + v[s.e]), joined(s));
        } else {
          set(s, v[s.a] + v[s.b] * v[s.c] + v[s.e], joined(s));
        }
        break;

      case Step::Slot: {
        save();
        if (u[s.a]) {
          undef_operand("size", 0);
          return;
        }
        uint64_t address = 0;
        if (!add_slot(v[s.a], uint64_t{1} << s.flag, address)) return;
        set(s, address, 0);
        break;
      }
      case Step::Load8:
        if (!load(s, uint8_t{})) return;
        break;
      case Step::Load16:
        if (!load(s, uint16_t{})) return;
        break;
      case Step::Load32:
        if (!load(s, uint32_t{})) return;
        break;
      case Step::Load64:
        if (!load(s, uint64_t{})) return;
        break;
      case Step::Store8:
        if (!store(s, uint8_t{})) return;
        break;
      case Step::Store16:
        if (!store(s, uint16_t{})) return;
        break;
      case Step::Store32:
        if (!store(s, uint32_t{})) return;
        break;
      case Step::Store64:
        if (!store(s, uint64_t{})) return;
        break;
      case Step::MemCopy: {
        save();
        int undef = first_undef(s, 3);
        if (undef >= 0) {
          undef_operand(undef == 2 ? "length" : "address", static_cast<size_t>(undef));
          return;
        }
        bool may_overlap = s.op == Opcode::Memmove;
        if (!copy_memory(s, v[s.a], v[s.b], v[s.c], may_overlap)) return;
        ++at;
        break;
      }
      case Step::MemSet: {
        save();
        int undef = first_undef(s, 3, 1);
        if (undef >= 0) {
          undef_operand(undef == 2 ? "length" : "address", static_cast<size_t>(undef));
          return;
        }
        if (!fill_memory(s, v[s.a], value(s.b), v[s.c])) return;
        ++at;
        break;
      }
      case Step::VaStart:
      case Step::VaArg:
      case Step::VaCopy:
      case Step::VaEnd: {
        save();
        int undef = first_undef(s, s.step == Step::VaCopy ? 2 : 1);
        if (undef >= 0) {
          undef_operand("address", static_cast<size_t>(undef));
          return;
        }
        Value result;
        if (s.step == Step::VaStart && !start_va_list(v[s.a])) return;
        if (s.step == Step::VaArg && !take_va_arg(s, v[s.a], result)) return;
        if (s.step == Step::VaCopy && !copy_va_list(s, v[s.a], v[s.b])) return;
        set_value(s, result, 0);
        break;
      }

      case Step::Call:
        save();
        if (!call_function(s, function->calls[s.b].callee)) return;
        restore();
        break;
      case Step::CallAny:
        save();
        if (!call_any(s)) return;
        restore();
        break;
      case Step::Jump:
        if (!follow(function->edges[s.b])) return;
        break;
      case Step::Branch:
        if (u[s.a]) {
          save();
          undef_operand("condition", 0);
          return;
        }
        if (!follow(function->edges[s.b + (v[s.a] ? 0 : 1)])) return;
        break;
      case Step::Switch:
        if (u[s.a]) {
          save();
          undef_operand("switch value", 0);
          return;
        }
        if (!follow(function->edges[function->switches[s.b].find(v[s.a])])) return;
        break;
      case Step::Ret:
      case Step::RetVoid:
        save();
        if (!return_from(s.step == Step::Ret ? value(s.a) : Value{0, true})) return;
        restore();
        break;
      case Step::RetNoreturn:
        save();
        undefined("return from a function that is declared noreturn");
        return;
      case Step::Unreachable:
        save();
        undefined("unreachable was reached");
        return;
    }
  }
}

template void Machine::execute<false>();
template void Machine::execute<true>();

}  // namespace psi::interp
