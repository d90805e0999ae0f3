// Floating point: only what is exact, for zeros of both signs and NaNs, too. Arithmetic turns every NaN into
// the one that it makes, so that `x * 1.0` is `x` only where x has been computed.
#include "optimise/algebra/rules.h"

namespace psi::optimise {
namespace {

constexpr RuleText kFloatRules[] = {
    {"fneg of fneg", "fneg(fneg(x))", "x"},
    {"fabs of fneg", "fabs(fneg|fabs(x))", "fabs(x)"},
    {"fadd of fneg", "fadd(x, fneg(y))", "fsub(x, y)"},
    {"fsub of fneg", "fsub(x, fneg(y))", "fadd(x, y)"},
    {"fmul of fnegs", "fmul|fdiv(fneg(x), fneg(y))", "fmul|fdiv(x, y)"},
    {"fadd of negative product", "fadd(x, fmul|fdiv(y, fneg(z)))", "fsub(x, fmul|fdiv(y, z))"},
    {"fsub of negative product", "fsub(x, fmul|fdiv(y, fneg(z)))", "fadd(x, fmul|fdiv(y, z))"},
    {"fmul one", "fmul(x, 1)", "x", "canonical(x)"},
    {"fdiv one", "fdiv(x, 1)", "x", "canonical(x)"},
    {"fsub zero", "fsub(x, 0)", "x", "canonical(x)"},
    {"fadd negative zero", "fadd(x, A)", "x", "A == 1 << (w - 1) && canonical(x)"},
    {"fdiv by power", "fdiv(x, A)", "fmul(x, reciprocal(A))", "exact_reciprocal(A)"},
    {"fptrunc of fpext", "fptrunc(fpext(x))", "x", "canonical(x)"},
    {"fmin of same", "fmin|fmax(x, x)", "x", "canonical(x)"},
    {"copysign of self", "copysign(x, x)", "x"},
    {"copysign of fneg", "copysign(fneg|fabs(x), y)", "copysign(x, y)"},
    // Twice the digits and two more: rounding to f64 first changes nothing.
    {"narrow float", "fptrunc(fadd|fsub|fmul|fdiv(fpext(x), fpext(y)))", "fadd|fsub|fmul|fdiv(x, y)"},
    {"narrow sqrt", "fptrunc(sqrt(fpext(x)))", "sqrt(x)"},
    {"narrow rounding", "fptrunc(floor|ceil|ftrunc|rint|round(fpext(x)))", "floor|ceil|ftrunc|rint|round(x)"},
    {"compare of fpexts", "cmp.f(fpext(x), fpext(y))", "cmp.f(x, y)"},
};

}  // namespace

std::span<const RuleText> float_rules() { return kFloatRules; }

}  // namespace psi::optimise
