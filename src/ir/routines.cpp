#include "psi/ir/routines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "psi/ir/evaluate.h"

namespace psi {
namespace {

using Kind = RuntimeRoutine::Kind;

std::vector<RuntimeRoutine> make_routines() {
  using enum Opcode;
  using enum Type;
  std::vector<RuntimeRoutine> all;
  auto operation = [&](std::string_view name, Opcode op, Type type, Type from = none) {
    all.push_back({name, Kind::Operation, op, type, from, Cond::eq, false});
  };
  auto compare = [&](std::string_view name, Type type, Cond cond) {
    all.push_back({name, Kind::Compare, Cmp, type, none, cond, false});
  };
  operation("__mulsi3", Mul, i32), operation("__muldi3", Mul, i64);
  operation("__divsi3", Sdiv, i32), operation("__divdi3", Sdiv, i64);
  operation("__modsi3", Srem, i32), operation("__moddi3", Srem, i64);
  operation("__udivsi3", Udiv, i32), operation("__udivdi3", Udiv, i64);
  operation("__umodsi3", Urem, i32), operation("__umoddi3", Urem, i64);

  // As ST's library for the ST200 calls them.
  for (auto [name, op] : {std::pair("__divw", Sdiv), std::pair("__modw", Srem), std::pair("__divuw", Udiv),
                          std::pair("__moduw", Urem)}) {
    all.push_back({name, Kind::Operation, op, i32, none, Cond::eq, true});
  }

  operation("__addsf3", Fadd, f32), operation("__adddf3", Fadd, f64);
  operation("__subsf3", Fsub, f32), operation("__subdf3", Fsub, f64);
  operation("__mulsf3", Fmul, f32), operation("__muldf3", Fmul, f64);
  operation("__divsf3", Fdiv, f32), operation("__divdf3", Fdiv, f64);
  operation("fmodf", Frem, f32), operation("fmod", Frem, f64);
  operation("fminf", Fmin, f32), operation("fmin", Fmin, f64);
  operation("fmaxf", Fmax, f32), operation("fmax", Fmax, f64);
  operation("sqrtf", Sqrt, f32), operation("sqrt", Sqrt, f64);
  operation("floorf", Floor, f32), operation("floor", Floor, f64);
  operation("ceilf", Ceil, f32), operation("ceil", Ceil, f64);
  operation("truncf", Ftrunc, f32), operation("trunc", Ftrunc, f64);
  operation("rintf", Rint, f32), operation("rint", Rint, f64);
  operation("roundf", Round, f32), operation("round", Round, f64);
  operation("fmaf", Fma, f32), operation("fma", Fma, f64);

  operation("__extendsfdf2", Fpext, f64, f32), operation("__truncdfsf2", Fptrunc, f32, f64);
  operation("__fixsfsi", Fptosi, i32, f32), operation("__fixsfdi", Fptosi, i64, f32);
  operation("__fixdfsi", Fptosi, i32, f64), operation("__fixdfdi", Fptosi, i64, f64);
  operation("__fixunssfsi", Fptoui, i32, f32), operation("__fixunssfdi", Fptoui, i64, f32);
  operation("__fixunsdfsi", Fptoui, i32, f64), operation("__fixunsdfdi", Fptoui, i64, f64);
  operation("__floatsisf", Sitofp, f32, i32), operation("__floatdisf", Sitofp, f32, i64);
  operation("__floatsidf", Sitofp, f64, i32), operation("__floatdidf", Sitofp, f64, i64);
  operation("__floatunsisf", Uitofp, f32, i32), operation("__floatundisf", Uitofp, f32, i64);
  operation("__floatunsidf", Uitofp, f64, i32), operation("__floatundidf", Uitofp, f64, i64);

  compare("__eqsf2", f32, Cond::foeq), compare("__eqdf2", f64, Cond::foeq);
  compare("__nesf2", f32, Cond::fune), compare("__nedf2", f64, Cond::fune);
  compare("__ltsf2", f32, Cond::folt), compare("__ltdf2", f64, Cond::folt);
  compare("__lesf2", f32, Cond::fole), compare("__ledf2", f64, Cond::fole);
  compare("__gtsf2", f32, Cond::fogt), compare("__gtdf2", f64, Cond::fogt);
  compare("__gesf2", f32, Cond::foge), compare("__gedf2", f64, Cond::foge);
  compare("__unordsf2", f32, Cond::funo), compare("__unorddf2", f64, Cond::funo);
  std::ranges::sort(all, {}, &RuntimeRoutine::name);
  return all;
}

// In the order of names.
const std::vector<RuntimeRoutine>& table() {
  static const std::vector<RuntimeRoutine> all = make_routines();
  return all;
}

// As in libgcc: -1, 0 or 1; for a NaN the number for which no ordered comparison holds.
int32_t compared(const RuntimeRoutine& routine, uint64_t a, uint64_t b) {
  auto holds = [&](Cond cond) { return eval_cond(cond, routine.type, a, b); };
  if (routine.cond == Cond::funo) return holds(Cond::funo) ? 1 : 0;
  if (holds(Cond::funo)) return routine.cond == Cond::fogt || routine.cond == Cond::foge ? -1 : 1;
  return holds(Cond::folt) ? -1 : holds(Cond::fogt) ? 1 : 0;
}

}  // namespace

size_t RuntimeRoutine::num_operands() const {
  Format format = info(op).format;
  return format == Format::Ternary ? 3 : format == Format::Unary || format == Format::Convert ? 1 : 2;
}

Cond RuntimeRoutine::int_cond() const {
  switch (cond) {
    case Cond::foeq:
      return Cond::eq;
    case Cond::folt:
      return Cond::lt;
    case Cond::fole:
      return Cond::le;
    case Cond::fogt:
      return Cond::gt;
    case Cond::foge:
      return Cond::ge;
    default:  // une, uno
      return Cond::ne;
  }
}

std::span<const RuntimeRoutine> routines() { return table(); }

const RuntimeRoutine* find_routine(std::string_view name) {
  auto at = std::ranges::lower_bound(table(), name, {}, &RuntimeRoutine::name);
  return at == table().end() || at->name != name ? nullptr : &*at;
}

const RuntimeRoutine* routine_for(Opcode op, Type type, Type from) {
  for (const RuntimeRoutine& routine : table()) {
    if (routine.is_other) continue;
    if (routine.kind == Kind::Operation && routine.op == op && routine.type == type && routine.from == from) {
      return &routine;
    }
  }
  return nullptr;
}

const RuntimeRoutine* routine_for(Cond cond, Type type) {
  for (const RuntimeRoutine& routine : table()) {
    if (routine.kind == Kind::Compare && routine.type == type && routine.cond == cond) return &routine;
  }
  return nullptr;
}

std::optional<Value> call_routine(const RuntimeRoutine& routine, std::span<const uint64_t> arguments) {
  uint64_t a = arguments[0];
  if (routine.kind == Kind::Compare) {
    return Value{static_cast<uint32_t>(compared(routine, a, arguments[1])), false};
  }
  switch (info(routine.op).format) {
    case Format::Unary:
      return eval_unary(routine.op, routine.type, a);
    case Format::Ternary:
      return eval_ternary(routine.op, routine.type, a, arguments[1], arguments[2]);
    case Format::Convert:
      return eval_convert(routine.op, routine.from, routine.type, a);
    default:
      if (info(routine.op).effect == Effect::Trap &&
          divide_fault(routine.op, routine.type, {a, false}, {arguments[1], false})) {
        return std::nullopt;
      }
      return eval_binary(routine.op, routine.type, a, arguments[1]);
  }
}

}  // namespace psi
