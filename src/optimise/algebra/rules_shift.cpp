// Shifts. Shifting by the width or more is undef, so a rule may give any result.
#include "optimise/algebra/rules.h"

namespace psi::optimise {
namespace {

constexpr RuleText kShiftRules[] = {
    {"shift by zero", "shl|lshr|ashr(x, 0)", "x"},
    {"shift of bit", "shl|lshr|ashr(x, y)", "x", "w == 1"},
    {"shift of zero", "shl|lshr|ashr(0, x)", "0"},
    {"ashr of minus one", "ashr(-1, x)", "-1"},
    {"shl of shl", "shl(shl(x, A), B)", "shl(x, A + B)", "A < w && B < w && A + B < w"},
    {"lshr of lshr", "lshr(lshr(x, A), B)", "lshr(x, A + B)", "A < w && B < w && A + B < w"},
    {"ashr of ashr", "ashr(ashr(x, A), B)", "ashr(x, A + B)", "A < w && B < w && A + B < w"},
    {"ashr of ashr, too far", "ashr(ashr(x, A), B)", "ashr(x, w - 1)", "A < w && B < w && A + B >= w"},
    {"shifted out", "shl|lshr(shl|lshr(x, A), B)", "0", "A < w && B < w && A + B >= w"},
    {"shl of lshr", "shl(lshr(x, A), A)", "and(x, bits(x) << A)", "A < w"},
    {"shl of ashr", "shl(ashr(x, A), A)", "and(x, bits(x) << A)", "A < w"},
    {"lshr of shl", "lshr(shl(x, A), A)", "and(x, bits(x) >> A)", "A < w"},
    {"lshr of shl, less", "lshr(shl(x, A), B)", "and(shl(x, A - B), bits(x) >> B)", "A < w && B < A"},
    {"lshr of shl, more", "lshr(shl(x, A), B)", "and(lshr(x, B - A), bits(x) >> B)", "B < w && A < B"},
    {"shl of lshr, less", "shl(lshr(x, A), B)", "and(lshr(x, A - B), bits(x) << B)", "A < w && B < A"},
    {"shl of lshr, more", "shl(lshr(x, A), B)", "and(shl(x, B - A), bits(x) << B)", "B < w && A < B"},
    {"ashr of nonnegative", "ashr(x, y)", "lshr(x, y)", "zeros(x) >> (w - 1) & 1"},
    {"sign of ashr", "lshr(ashr(x, A), B)", "lshr(x, B)", "A < w && B == w - 1"},
    {"ashr of shl of zext", "ashr(shl(zext(x), A), A)", "sext(x)", "A < w && w - A == width(x)"},
    {"shr of shl known", "lshr|ashr(shl(x, A), A)", "x",
     "A < w && (~zeros(x) << A >> A) == ~zeros(x) && (~zeros(x) << A) <= (bits(x) >> 1)"},
    {"lshr of and", "lshr(and(x, A), B)", "lshr(x, B)", "B < w && A >> B == bits(x) >> B"},
    {"shl of and", "shl(and(x, A), B)", "shl(x, B)",
     "B < w && (A << B & bits(x)) == (bits(x) << B & bits(x))"},
    {"lshr of and to mask", "lshr(and(x, A), B)", "and(lshr(x, B), A >> B)", "B < w && A >> B != 0"},
    {"lshr of all", "lshr(x, A)", "0", "A < w && ~zeros(x) >> A == 0"},
    {"shl of masked shift", "shl(and(lshr(x, A), B), A)", "and(x, B << A)", "A < w"},
    {"and of shifted mask", "and(shl(and(x, A), B), C)", "and(shl(x, B), C & A << B)", "B < w"},

    {"rotate", "or|add|xor(shl(x, A), lshr(x, B))", "fshl(x, x, A)", "A < w && B < w && A + B == w"},
    {"rotate by register", "or(shl(x, y), lshr(x, sub(A, y)))", "fshl(x, x, y)", "A == w"},
    {"rotate right by register", "or(lshr(x, y), shl(x, sub(A, y)))", "fshr(x, x, y)", "A == w"},
    {"funnel", "or(shl(x, A), lshr(y, B))", "fshl(x, y, A)", "A < w && B < w && A + B == w"},
    {"funnel by zero", "fshl(x, y, 0)", "x"},
    {"funnel right by zero", "fshr(x, y, 0)", "y"},
    {"rotate of rotate", "fshl(fshl(x, x, A), fshl(x, x, A), B)", "fshl(x, x, A + B & w - 1)"},
};

}  // namespace

std::span<const RuleText> shift_rules() { return kShiftRules; }

}  // namespace psi::optimise
