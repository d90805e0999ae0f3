// Every pure opcode, crossed with interesting values and compared with what plain C++ computes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "interp_test_util.h"

namespace psi::interp_test {
namespace {

const std::vector<uint64_t> kInteresting = {0,
                                            1,
                                            2,
                                            3,
                                            5,
                                            7,
                                            8,
                                            15,
                                            16,
                                            31,
                                            32,
                                            63,
                                            64,
                                            100,
                                            0x7f,
                                            0x80,
                                            0x81,
                                            0xff,
                                            0x1234,
                                            0x7fff,
                                            0x8000,
                                            0xffff,
                                            0x1234'5678,
                                            0x7fff'ffff,
                                            0x8000'0000,
                                            0xffff'fffe,
                                            0xffff'ffff,
                                            0x0123'4567'89ab'cdef,
                                            0x7fff'ffff'ffff'ffff,
                                            0x8000'0000'0000'0000,
                                            0xffff'ffff'ffff'fffe,
                                            0xffff'ffff'ffff'ffff};

const std::vector<Type> kInts = {Type::i1, Type::i8, Type::i16, Type::i32, Type::i64};

std::vector<uint64_t> interesting(Type type) {
  std::vector<uint64_t> result;
  for (uint64_t value : kInteresting) {
    value &= value_mask(type);
    if (std::find(result.begin(), result.end(), value) == result.end()) result.push_back(value);
  }
  return result;
}

std::string name(Type type) { return std::string(type_name(type)); }

Module binary_program(const std::string& op, Type type, Type result) {
  return parse_program("func $f(%a: " + name(type) + ", %b: " + name(type) + ") -> " + name(result) +
                       " {\n@e:\n  %r = " + op + "." + name(type) + " %a, %b\n  ret %r\n}\n");
}

Module unary_program(const std::string& op, Type type) {
  return parse_program("func $f(%a: " + name(type) + ") -> " + name(type) + " {\n@e:\n  %r = " + op + "." +
                       name(type) + " %a\n  ret %r\n}\n");
}

// What an operator gives: bits, undef, or undefined behaviour.
struct Expected {
  enum class Kind { Bits, Undef, Trap } kind = Kind::Bits;
  uint64_t bits = 0;
};
Expected exactly(uint64_t bits) { return {Expected::Kind::Bits, bits}; }
Expected undef() { return {Expected::Kind::Undef, 0}; }
Expected trap() { return {Expected::Kind::Trap, 0}; }

::testing::AssertionResult matches(const Outcome& outcome, Expected expected, Type type) {
  switch (expected.kind) {
    case Expected::Kind::Bits:
      return returns(outcome, expected.bits & value_mask(type));
    case Expected::Kind::Undef:
      return gives_undef(outcome) ? ::testing::AssertionSuccess()
                                  : ::testing::AssertionFailure() << "not undef: " << outcome.message;
    case Expected::Kind::Trap:
      return is_undefined(outcome, "division");
  }
  return ::testing::AssertionFailure();
}

using BinaryFn = std::function<Expected(Type, uint64_t, uint64_t)>;

void check_binary(const std::string& op, bool gives_i1, const BinaryFn& expected) {
  for (Type type : kInts) {
    Type result = gives_i1 ? Type::i1 : type;
    Module module = binary_program(op, type, result);
    for (uint64_t a : interesting(type)) {
      for (uint64_t b : interesting(type)) {
        EXPECT_TRUE(matches(run(module, {{a}, {b}}), expected(type, a, b), result))
            << op << "." << type_name(type) << " " << a << ", " << b;
      }
    }
  }
}

int64_t s(Type type, uint64_t a) { return sign_extend(a, type); }
int64_t smin_of(Type type) {
  return bit_width(type) == 64 ? INT64_MIN : -(int64_t{1} << (bit_width(type) - 1));
}
int64_t smax_of(Type type) { return -(smin_of(type) + 1); }

// Is the exact result outside [low, high]? By the compiler's checked arithmetic on 64 bits, then by range.
template <class Int>
struct Checked {
  Int value;
  bool overflow;
};
template <class Int, class Op>
Checked<Int> checked(Op op, Int a, Int b, Int low, Int high) {
  Int value = 0;
  bool overflow = op(a, b, &value);
  return {value, overflow || value < low || value > high};
}
auto kAdd = [](auto a, auto b, auto* r) { return __builtin_add_overflow(a, b, r); };
auto kSub = [](auto a, auto b, auto* r) { return __builtin_sub_overflow(a, b, r); };
auto kMul = [](auto a, auto b, auto* r) { return __builtin_mul_overflow(a, b, r); };

template <class Op>
Checked<int64_t> schecked(Op op, Type type, uint64_t a, uint64_t b) {
  return checked<int64_t>(op, s(type, a), s(type, b), smin_of(type), smax_of(type));
}
template <class Op>
Checked<uint64_t> uchecked(Op op, Type type, uint64_t a, uint64_t b) {
  return checked<uint64_t>(op, a, b, 0, value_mask(type));
}

TEST(InterpArith, WrappingIntegers) {
  check_binary("add", false, [](Type, uint64_t a, uint64_t b) { return exactly(a + b); });
  check_binary("sub", false, [](Type, uint64_t a, uint64_t b) { return exactly(a - b); });
  check_binary("mul", false, [](Type, uint64_t a, uint64_t b) { return exactly(a * b); });
  check_binary("and", false, [](Type, uint64_t a, uint64_t b) { return exactly(a & b); });
  check_binary("or", false, [](Type, uint64_t a, uint64_t b) { return exactly(a | b); });
  check_binary("xor", false, [](Type, uint64_t a, uint64_t b) { return exactly(a ^ b); });
}

TEST(InterpArith, Division) {
  auto is_trap = [](Type type, uint64_t a, uint64_t b) {
    return b == 0 || (s(type, b) == -1 && s(type, a) == smin_of(type));
  };
  check_binary("udiv", false, [](Type, uint64_t a, uint64_t b) { return b == 0 ? trap() : exactly(a / b); });
  check_binary("urem", false, [](Type, uint64_t a, uint64_t b) { return b == 0 ? trap() : exactly(a % b); });
  check_binary("sdiv", false, [&](Type type, uint64_t a, uint64_t b) {
    if (is_trap(type, a, b)) return trap();
    return exactly(static_cast<uint64_t>(s(type, a) / s(type, b)));
  });
  check_binary("srem", false, [&](Type type, uint64_t a, uint64_t b) {
    if (is_trap(type, a, b)) return trap();
    return exactly(static_cast<uint64_t>(s(type, a) % s(type, b)));
  });
}

TEST(InterpArith, Shifts) {
  check_binary("shl", false, [](Type type, uint64_t a, uint64_t b) {
    return b >= bit_width(type) ? undef() : exactly(a << b);
  });
  check_binary("lshr", false, [](Type type, uint64_t a, uint64_t b) {
    return b >= bit_width(type) ? undef() : exactly(a >> b);
  });
  check_binary("ashr", false, [](Type type, uint64_t a, uint64_t b) {
    return b >= bit_width(type) ? undef() : exactly(static_cast<uint64_t>(s(type, a) >> b));
  });
}

TEST(InterpArith, MinMaxSaturation) {
  check_binary("smin", false, [](Type t, uint64_t a, uint64_t b) {
    return exactly(static_cast<uint64_t>(std::min(s(t, a), s(t, b))));
  });
  check_binary("smax", false, [](Type t, uint64_t a, uint64_t b) {
    return exactly(static_cast<uint64_t>(std::max(s(t, a), s(t, b))));
  });
  check_binary("umin", false, [](Type, uint64_t a, uint64_t b) { return exactly(std::min(a, b)); });
  check_binary("umax", false, [](Type, uint64_t a, uint64_t b) { return exactly(std::max(a, b)); });
  check_binary("uadd_sat", false, [](Type t, uint64_t a, uint64_t b) {
    auto r = uchecked(kAdd, t, a, b);
    return exactly(r.overflow ? value_mask(t) : r.value);
  });
  check_binary("usub_sat", false, [](Type, uint64_t a, uint64_t b) { return exactly(a > b ? a - b : 0); });
  check_binary("sadd_sat", false, [](Type t, uint64_t a, uint64_t b) {
    auto r = schecked(kAdd, t, a, b);
    int64_t limit = s(t, a) < 0 ? smin_of(t) : smax_of(t);
    return exactly(static_cast<uint64_t>(r.overflow ? limit : r.value));
  });
  check_binary("ssub_sat", false, [](Type t, uint64_t a, uint64_t b) {
    auto r = schecked(kSub, t, a, b);
    int64_t limit = s(t, a) < 0 ? smin_of(t) : smax_of(t);
    return exactly(static_cast<uint64_t>(r.overflow ? limit : r.value));
  });
}

TEST(InterpArith, Overflow) {
  check_binary("sadd_overflow", true,
               [](Type t, uint64_t a, uint64_t b) { return exactly(schecked(kAdd, t, a, b).overflow); });
  check_binary("ssub_overflow", true,
               [](Type t, uint64_t a, uint64_t b) { return exactly(schecked(kSub, t, a, b).overflow); });
  check_binary("smul_overflow", true,
               [](Type t, uint64_t a, uint64_t b) { return exactly(schecked(kMul, t, a, b).overflow); });
  check_binary("uadd_overflow", true,
               [](Type t, uint64_t a, uint64_t b) { return exactly(uchecked(kAdd, t, a, b).overflow); });
  check_binary("usub_overflow", true, [](Type, uint64_t a, uint64_t b) { return exactly(a < b); });
  check_binary("umul_overflow", true,
               [](Type t, uint64_t a, uint64_t b) { return exactly(uchecked(kMul, t, a, b).overflow); });
}

TEST(InterpArith, IntegerComparisons) {
  auto check = [](const std::string& cond, auto compare) {
    check_binary("cmp." + cond, true,
                 [&](Type t, uint64_t a, uint64_t b) { return exactly(compare(t, a, b)); });
  };
  check("eq", [](Type, uint64_t a, uint64_t b) { return a == b; });
  check("ne", [](Type, uint64_t a, uint64_t b) { return a != b; });
  check("lt", [](Type t, uint64_t a, uint64_t b) { return s(t, a) < s(t, b); });
  check("le", [](Type t, uint64_t a, uint64_t b) { return s(t, a) <= s(t, b); });
  check("gt", [](Type t, uint64_t a, uint64_t b) { return s(t, a) > s(t, b); });
  check("ge", [](Type t, uint64_t a, uint64_t b) { return s(t, a) >= s(t, b); });
  check("ult", [](Type, uint64_t a, uint64_t b) { return a < b; });
  check("ule", [](Type, uint64_t a, uint64_t b) { return a <= b; });
  check("ugt", [](Type, uint64_t a, uint64_t b) { return a > b; });
  check("uge", [](Type, uint64_t a, uint64_t b) { return a >= b; });
}

TEST(InterpArith, IntegerUnary) {
  auto check = [](const std::string& op, auto expected) {
    for (Type type : kInts) {
      if (op == "bswap" && bit_width(type) < 16) continue;
      Module module = unary_program(op, type);
      for (uint64_t a : interesting(type)) {
        EXPECT_TRUE(returns(run(module, {{a}}), expected(type, a) & value_mask(type)))
            << op << "." << type_name(type) << " " << a;
      }
    }
  };
  check("not", [](Type, uint64_t a) { return ~a; });
  check("neg", [](Type, uint64_t a) { return 0 - a; });
  check("abs", [](Type t, uint64_t a) { return s(t, a) < 0 ? 0 - a : a; });
  auto count_if = [](Type t, uint64_t a, auto keep) {
    uint64_t n = 0;
    for (unsigned i = 0; i < bit_width(t) && keep(a, i); ++i) ++n;
    return n;
  };
  check("ctpop", [](Type t, uint64_t a) {
    uint64_t n = 0;
    for (unsigned i = 0; i < bit_width(t); ++i) n += a >> i & 1;
    return n;
  });
  check("cttz", [&](Type t, uint64_t a) {
    return count_if(t, a, [](uint64_t v, unsigned i) { return !(v >> i & 1); });
  });
  check("ctlz", [&](Type t, uint64_t a) {
    unsigned top = bit_width(t) - 1;
    return count_if(t, a, [top](uint64_t v, unsigned i) { return !(v >> (top - i) & 1); });
  });
  check("bswap", [](Type t, uint64_t a) {
    return t == Type::i16   ? uint64_t{__builtin_bswap16(static_cast<uint16_t>(a))}
           : t == Type::i32 ? uint64_t{__builtin_bswap32(static_cast<uint32_t>(a))}
                            : uint64_t{__builtin_bswap64(a)};
  });
  check("bitreverse", [](Type t, uint64_t a) {
    uint64_t r = 0;
    for (unsigned i = 0; i < bit_width(t); ++i) {
      if (a & uint64_t{1} << i) r |= uint64_t{1} << (bit_width(t) - 1 - i);
    }
    return r;
  });
}

TEST(InterpArith, FunnelShifts) {
  for (Type type : kInts) {
    for (bool left : {true, false}) {
      std::string t = name(type);
      std::string op = left ? "fshl" : "fshr";
      Module module = parse_program("func $f(%a: " + t + ", %b: " + t + ", %c: " + t + ") -> " + t +
                                    " {\n@e:\n  %r = " + op + "." + t + " %a, %b, %c\n  ret %r\n}\n");
      unsigned width = bit_width(type);
      for (uint64_t a : {uint64_t{0x0123'4567'89ab'cdef}, UINT64_MAX, uint64_t{1}}) {
        for (uint64_t b : {uint64_t{0xfedc'ba98'7654'3210}, uint64_t{0}}) {
          for (uint64_t c : interesting(type)) {
            // Bit by bit, out of the 2 * width bits of a:b.
            auto bit = [&](unsigned i) { return (i >= width ? a >> (i - width) : b >> i) & 1; };
            uint64_t expected = 0;
            for (unsigned i = 0; i < width; ++i) {
              unsigned amount = static_cast<unsigned>(c % width);
              expected |= bit(left ? width + i - amount : i + amount) << i;
            }
            uint64_t am = a & value_mask(type);
            uint64_t bm = b & value_mask(type);
            EXPECT_TRUE(returns(run(module, {{am}, {bm}, {c}}), expected)) << op << " " << t << " " << c;
          }
        }
      }
    }
  }
}

// --- Floating point ---------------------------------------------------------------------------------

template <class F>
std::vector<F> interesting_floats() {
  using L = std::numeric_limits<F>;
  return {F(0),          -F(0),          F(1),           F(-1),       F(0.5),
          F(1.5),        F(2.5),         F(-2.5),        F(3.7),      F(-3.2),
          F(0.1),        L::max(),       L::min(),       L::lowest(), L::denorm_min(),
          L::infinity(), -L::infinity(), L::quiet_NaN(), F(1e10),     F(4503599627370497.5)};
}

template <class F>
constexpr Type kType = sizeof(F) == 4 ? Type::f32 : Type::f64;

template <class F>
uint64_t canonical(F value) {
  if (!std::isnan(value)) return bits(value);
  return sizeof(F) == 4 ? 0x7fc0'0000 : 0x7ff8'0000'0000'0000;
}

template <class F>
void check_float_binary(const std::string& op, F (*expected)(F, F)) {
  Module module = binary_program(op, kType<F>, kType<F>);
  for (F a : interesting_floats<F>()) {
    for (F b : interesting_floats<F>()) {
      EXPECT_TRUE(returns(run(module, {{bits(a)}, {bits(b)}}), canonical(expected(a, b))))
          << op << " " << a << ", " << b;
    }
  }
}

template <class F>
void check_float_unary(const std::string& op, F (*expected)(F)) {
  Module module = unary_program(op, kType<F>);
  for (F a : interesting_floats<F>()) {
    EXPECT_TRUE(returns(run(module, {{bits(a)}}), canonical(expected(a)))) << op << " " << a;
  }
}

template <class F>
void check_float_arithmetic() {
  check_float_binary<F>("fadd", [](F a, F b) { return a + b; });
  check_float_binary<F>("fsub", [](F a, F b) { return a - b; });
  check_float_binary<F>("fmul", [](F a, F b) { return a * b; });
  check_float_binary<F>("fdiv", [](F a, F b) { return a / b; });
  check_float_binary<F>("frem", [](F a, F b) { return std::fmod(a, b); });
  check_float_unary<F>("sqrt", [](F a) { return std::sqrt(a); });
  check_float_unary<F>("floor", [](F a) { return std::floor(a); });
  check_float_unary<F>("ceil", [](F a) { return std::ceil(a); });
  check_float_unary<F>("ftrunc", [](F a) { return std::trunc(a); });
  check_float_unary<F>("rint", [](F a) { return std::rint(a); });
  check_float_unary<F>("round", [](F a) { return std::round(a); });
  // fmin and fmax: zeros of both signs have an order here, NaN counts as missing.
  auto pick = [](F a, F b, bool smaller) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == 0 && b == 0) return std::signbit(a) == smaller ? a : b;
    return (a < b) == smaller ? a : b;
  };
  for (bool smaller : {true, false}) {
    Module module = binary_program(smaller ? "fmin" : "fmax", kType<F>, kType<F>);
    for (F a : interesting_floats<F>()) {
      for (F b : interesting_floats<F>()) {
        EXPECT_TRUE(returns(run(module, {{bits(a)}, {bits(b)}}), canonical(pick(a, b, smaller))))
            << smaller << " " << a << ", " << b;
      }
    }
  }
}

TEST(InterpArith, Float32) { check_float_arithmetic<float>(); }
TEST(InterpArith, Float64) { check_float_arithmetic<double>(); }

template <class F>
void check_sign_operations() {
  Module neg = unary_program("fneg", kType<F>);
  Module abs = unary_program("fabs", kType<F>);
  Module copysign = binary_program("copysign", kType<F>, kType<F>);
  for (F a : interesting_floats<F>()) {
    EXPECT_TRUE(returns(run(neg, {{bits(a)}}), bits(-a))) << a;
    EXPECT_TRUE(returns(run(abs, {{bits(a)}}), bits(std::fabs(a)))) << a;
    for (F b : interesting_floats<F>()) {
      EXPECT_TRUE(returns(run(copysign, {{bits(a)}, {bits(b)}}), bits(std::copysign(a, b))))
          << a << ", " << b;
    }
  }
}

TEST(InterpArith, SignOperations) {
  check_sign_operations<float>();
  check_sign_operations<double>();
}

TEST(InterpArith, SignOperationsKeepTheBitsOfNan) {
  uint64_t nan = 0x7ff0'0000'0000'0123;
  uint64_t sign = uint64_t{1} << 63;
  EXPECT_TRUE(returns(run(unary_program("fneg", Type::f64), {{nan}}), nan | sign));
  EXPECT_TRUE(returns(run(unary_program("fabs", Type::f64), {{nan | sign}}), nan));
  EXPECT_TRUE(returns(run(unary_program("mov", Type::f64), {{nan}}), nan));
  Module copysign = binary_program("copysign", Type::f64, Type::f64);
  EXPECT_TRUE(returns(run(copysign, {{nan}, {bits(-1.0)}}), nan | sign));
  // Arithmetic does not keep them.
  Module fadd = binary_program("fadd", Type::f64, Type::f64);
  EXPECT_TRUE(returns(run(fadd, {{nan | sign}, {bits(1.0)}}), 0x7ff8'0000'0000'0000));
}

TEST(InterpArith, FusedMultiplyAddRoundsOnce) {
  Module module = parse_program(
      "func $f(%a: f64, %b: f64, %c: f64) -> f64 {\n@e:\n  %r = fma.f64 %a, %b, %c\n  ret %r\n}\n");
  double a = 1 + std::ldexp(1.0, -30);
  double exact = std::ldexp(1.0, -29) + std::ldexp(1.0, -60);
  EXPECT_TRUE(returns(run(module, {{bits(a)}, {bits(a)}, {bits(-1.0)}}), bits(exact)));
}

template <class F>
void check_float_comparisons() {
  struct Case {
    const char* cond;
    bool less, equal, greater, unordered;
  };
  const Case cases[] = {{"oeq", 0, 1, 0, 0}, {"one", 1, 0, 1, 0}, {"olt", 1, 0, 0, 0}, {"ole", 1, 1, 0, 0},
                        {"ogt", 0, 0, 1, 0}, {"oge", 0, 1, 1, 0}, {"ord", 1, 1, 1, 0}, {"ueq", 0, 1, 0, 1},
                        {"une", 1, 0, 1, 1}, {"ult", 1, 0, 0, 1}, {"ule", 1, 1, 0, 1}, {"ugt", 0, 0, 1, 1},
                        {"uge", 0, 1, 1, 1}, {"uno", 0, 0, 0, 1}};
  for (const Case& c : cases) {
    Module module = binary_program(std::string("cmp.") + c.cond, kType<F>, Type::i1);
    for (F a : interesting_floats<F>()) {
      for (F b : interesting_floats<F>()) {
        bool expected = std::isnan(a) || std::isnan(b) ? c.unordered
                        : a < b                        ? c.less
                        : a > b                        ? c.greater
                                                       : c.equal;
        EXPECT_TRUE(returns(run(module, {{bits(a)}, {bits(b)}}), expected))
            << c.cond << " " << a << ", " << b;
      }
    }
  }
}

TEST(InterpArith, FloatComparisons) {
  check_float_comparisons<float>();
  check_float_comparisons<double>();
}

// --- Conversions ------------------------------------------------------------------------------------

Outcome convert(const std::string& op, Type from, Type to, uint64_t a) {
  return run("func $f(%a: " + name(from) + ") -> " + name(to) + " {\n@e:\n  %r = " + op + "." + name(from) +
                 "." + name(to) + " %a\n  ret %r\n}\n",
             {{a}});
}

TEST(InterpArith, IntegerConversions) {
  for (Type from : kInts) {
    for (Type to : kInts) {
      for (uint64_t a : interesting(from)) {
        if (bit_width(to) < bit_width(from)) {
          EXPECT_TRUE(returns(convert("trunc", from, to, a), a & value_mask(to)));
        } else if (bit_width(to) > bit_width(from)) {
          EXPECT_TRUE(returns(convert("zext", from, to, a), a));
          auto extended = static_cast<uint64_t>(s(from, a));
          EXPECT_TRUE(returns(convert("sext", from, to, a), extended & value_mask(to)));
        }
      }
    }
  }
}

TEST(InterpArith, IntegerToFloat) {
  for (Type from : kInts) {
    for (uint64_t a : interesting(from)) {
      EXPECT_TRUE(returns(convert("sitofp", from, Type::f64, a), bits(static_cast<double>(s(from, a)))));
      EXPECT_TRUE(returns(convert("sitofp", from, Type::f32, a), bits(static_cast<float>(s(from, a)))));
      EXPECT_TRUE(returns(convert("uitofp", from, Type::f64, a), bits(static_cast<double>(a))));
      EXPECT_TRUE(returns(convert("uitofp", from, Type::f32, a), bits(static_cast<float>(a))));
    }
  }
  // By way of double, this would round to the wrong float.
  uint64_t twice = (uint64_t{1} << 60) + (uint64_t{1} << 36) + 1;
  EXPECT_TRUE(returns(convert("uitofp", Type::i64, Type::f32, twice),
                      bits(std::ldexp(1.0f, 60) + std::ldexp(1.0f, 37))));
}

TEST(InterpArith, FloatToInteger) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  struct Case {
    const char* op;
    Type to;
    double from;
    std::optional<uint64_t> expected;
  };
  const Case cases[] = {
      {"fptosi", Type::i32, -1.9, 0xffff'ffff},
      {"fptosi", Type::i32, 2147483647.9, 0x7fff'ffff},
      {"fptosi", Type::i32, 2147483648.0, std::nullopt},
      {"fptosi", Type::i32, -2147483648.9, 0x8000'0000},
      {"fptosi", Type::i32, -2147483649.0, std::nullopt},
      {"fptosi", Type::i8, 127.5, 127},
      {"fptosi", Type::i8, 128.0, std::nullopt},
      {"fptosi", Type::i1, -1.5, 1},
      {"fptosi", Type::i1, 1.0, std::nullopt},
      {"fptosi", Type::i64, -std::ldexp(1.0, 63), uint64_t{1} << 63},
      {"fptosi", Type::i64, std::ldexp(1.0, 63), std::nullopt},
      {"fptosi", Type::i64, nan, std::nullopt},
      {"fptosi", Type::i64, inf, std::nullopt},
      {"fptoui", Type::i32, -0.9, 0},
      {"fptoui", Type::i32, -1.0, std::nullopt},
      {"fptoui", Type::i32, 4294967295.5, 0xffff'ffff},
      {"fptoui", Type::i32, 4294967296.0, std::nullopt},
      {"fptoui", Type::i1, 1.9, 1},
      {"fptoui", Type::i1, 2.0, std::nullopt},
      {"fptoui", Type::i64, std::ldexp(1.0, 63), uint64_t{1} << 63},
      {"fptoui", Type::i64, std::ldexp(1.0, 64), std::nullopt},
      {"fptoui", Type::i64, nan, std::nullopt},
  };
  for (const Case& c : cases) {
    Outcome outcome = convert(c.op, Type::f64, c.to, bits(c.from));
    if (c.expected) {
      EXPECT_TRUE(returns(outcome, *c.expected)) << c.op << " " << c.from;
    } else {
      EXPECT_TRUE(gives_undef(outcome)) << c.op << " " << c.from;
    }
  }
  EXPECT_TRUE(returns(convert("fptosi", Type::f32, Type::i16, bits(-7.5f)), 0xfff9));
}

TEST(InterpArith, FloatWidths) {
  EXPECT_TRUE(returns(convert("fptrunc", Type::f64, Type::f32, bits(0.1)), bits(0.1f)));
  EXPECT_TRUE(returns(convert("fptrunc", Type::f64, Type::f32, bits(1e300)),
                      bits(std::numeric_limits<float>::infinity())));
  EXPECT_TRUE(returns(convert("fpext", Type::f32, Type::f64, bits(0.1f)), bits(static_cast<double>(0.1f))));
  EXPECT_TRUE(returns(convert("fpext", Type::f32, Type::f64, 0xff80'0001), 0x7ff8'0000'0000'0000));
  EXPECT_TRUE(returns(convert("fptrunc", Type::f64, Type::f32, 0xfff0'0000'0000'0001), 0x7fc0'0000));
}

TEST(InterpArith, BitsKept) {
  EXPECT_TRUE(returns(convert("bitcast", Type::f32, Type::i32, 0xffc0'0001), 0xffc0'0001));
  EXPECT_TRUE(
      returns(convert("bitcast", Type::i64, Type::f64, 0x7ff0'0000'0000'0001), 0x7ff0'0000'0000'0001));
  EXPECT_TRUE(returns(convert("ptrtoint", Type::ptr, Type::i64, 0x1'0000'0010), 0x1'0000'0010));
  EXPECT_TRUE(returns(convert("inttoptr", Type::i64, Type::ptr, 0x1'0000'0010), 0x1'0000'0010));
}

TEST(InterpArith, AddressArithmeticWraps) {
  EXPECT_TRUE(returns(run("func $f(%p: ptr, %i: i64) -> ptr {\n@e:\n  %q = ptradd %p, %i\n  ret %q\n}\n",
                          {{0x5'0000'0000}, {static_cast<uint64_t>(-8)}}),
                      0x4'ffff'fff8));
  EXPECT_TRUE(
      returns(run("func $f(%p: ptr, %i: i64) -> ptr {\n@e:\n  %q = ptrindex %p, %i, 12, -4\n  ret %q\n}\n",
                  {{0x5'0000'0000}, {3}}),
              0x5'0000'0020));
}

}  // namespace
}  // namespace psi::interp_test
