// Conversions between integers: extensions, truncations, and arithmetic in unnecessarily wide types.
#include "optimise/algebra/rules.h"

namespace psi::optimise {
namespace {

constexpr RuleText kConvertRules[] = {
    {"zext of zext", "zext(zext(x))", "zext(x)"},
    {"sext of zext", "sext(zext(x))", "zext(x)"},
    {"sext of sext", "sext(sext(x))", "sext(x)"},
    {"trunc of trunc", "trunc(trunc(x))", "trunc(x)"},
    {"trunc of zext", "trunc(zext(x))", "zresize(x)"},
    {"trunc of sext", "trunc(sext(x))", "sresize(x)"},
    {"zext of trunc, known", "zext(t = trunc(x))", "zresize(x)", "(~zeros(x) & ~bits(t)) == 0"},
    {"sext of trunc, known", "sext(t = trunc(x))", "zresize(x)", "(~zeros(x) & ~(bits(t) >> 1)) == 0"},
    {"zext of trunc", "zext(t = trunc(x))", "and(zresize(x), bits(t))"},
    {"zext of masked trunc", "zext(and(trunc(x), A))", "and(zresize(x), A)"},
    {"sext of nonnegative", "sext(x)", "zext(x)", "zeros(x) >> (width(x) - 1) & 1"},

    {"mask of zext", "and(zext(x), A)", "zext(and(x, A))", "A < bits(x) && A != 1"},
    {"mask of sext", "and(sext(x), A)", "and(zext(x), A)", "A <= bits(x)"},
    {"trunc of and", "trunc(and(x, A))", "trunc(x)", "(~A & ((1 << (w - 1)) * 2 - 1)) == 0"},
    {"trunc of or", "trunc(or|xor(x, A))", "trunc(x)", "(A & ((1 << (w - 1)) * 2 - 1)) == 0"},

    // The low bits of these depend on the low bits of their operands only.
    {"narrow", "trunc(add|sub|mul|and|or|xor(zext(x), zext(y)))",
     "add|sub|mul|and|or|xor(zresize(x), zresize(y))"},
    {"narrow signed", "trunc(add|sub|mul|and|or|xor(sext(x), sext(y)))",
     "add|sub|mul|and|or|xor(sresize(x), sresize(y))"},
    {"narrow zext and sext", "trunc(add|sub|mul|and|or|xor(zext(x), sext(y)))",
     "add|sub|mul|and|or|xor(zresize(x), sresize(y))"},
    {"narrow sext and zext", "trunc(sub(sext(x), zext(y)))", "sub(sresize(x), zresize(y))"},
    {"narrow with literal", "trunc(add|mul|and|or|xor(zext(x), A))", "add|mul|and|or|xor(zresize(x), A)"},
    {"narrow signed with literal", "trunc(add|mul|and|or|xor(sext(x), A))",
     "add|mul|and|or|xor(sresize(x), A)"},
    {"narrow from literal", "trunc(sub(A, zext(x)))", "sub(A, zresize(x))"},
    {"narrow signed from literal", "trunc(sub(A, sext(x)))", "sub(A, sresize(x))"},
    {"narrow with register", "trunc(add|sub|mul|and|or|xor(x, zext(y)))",
     "add|sub|mul|and|or|xor(trunc(x), zresize(y))"},
    {"narrow signed with register", "trunc(add|sub|mul|and|or|xor(x, sext(y)))",
     "add|sub|mul|and|or|xor(trunc(x), sresize(y))"},
    {"narrow from register", "trunc(sub(zext(y), x))", "sub(zresize(y), trunc(x))"},
    {"narrow signed from register", "trunc(sub(sext(y), x))", "sub(sresize(y), trunc(x))"},
    {"narrow unary", "trunc(neg|not(zext(x)))", "neg|not(zresize(x))"},
    {"narrow unary signed", "trunc(neg|not(sext(x)))", "neg|not(sresize(x))"},
    {"narrow shl", "trunc(shl(zext(x), A))", "shl(zresize(x), A)", "A < w"},
    {"narrow shl signed", "trunc(shl(sext(x), A))", "shl(sresize(x), A)", "A < w"},
    {"narrow lshr", "trunc(lshr(zext(x), A))", "zresize(lshr(x, A))", "A < width(x)"},
    {"narrow ashr", "trunc(ashr(sext(x), A))", "sresize(ashr(x, A))", "A < width(x)"},
    {"narrow lshr of sext", "trunc(lshr(t = sext(x), A))", "sresize(ashr(x, A))",
     "A < width(x) && width(t) - A >= w"},
    {"trunc of shl, nothing left", "trunc(shl(x, A))", "0", "A >= w && A < width(x)"},
    {"narrow select", "trunc(select(x, A, B))", "select(x, A, B)"},
    {"widen select", "zext(select(x, A, B))", "select(x, A, B)"},
    {"widen select with sign", "sext(select(x, A, B))", "select(x, s(A), s(B))"},
    {"narrow select of zexts", "trunc(select(z, zext(x), zext(y)))", "select(z, zresize(x), zresize(y))"},
    {"narrow select of sexts", "trunc(select(z, sext(x), sext(y)))", "select(z, sresize(x), sresize(y))"},
    {"narrow select of zext", "trunc(select(z, zext(x), A))", "select(z, zresize(x), A)"},
    {"narrow select of zext, other", "trunc(select(z, A, zext(x)))", "select(z, A, zresize(x))"},

    // A sign bit as a number.
    {"sign as number", "zext(cmp.lt(x, 0))", "lshr(x, w - 1)", "width(x) == w"},
    {"sign as mask", "sext(cmp.lt(x, 0))", "ashr(x, w - 1)", "width(x) == w"},
    {"no sign as number", "zext(cmp.gt(x, -1))", "lshr(not(x), w - 1)", "width(x) == w"},
    {"bit as number", "zext(cmp.ne(and(x, A), 0))", "and(lshr(zresize(x), log2(A)), 1)",
     "pow2(A) && A < 1 << (w - 1)"},
    {"masked bit as number", "zext(cmp.ne(x, 0))", "zresize(x)", "~zeros(x) == 1"},

    {"uitofp of zext", "uitofp(zext(x))", "uitofp(x)"},
    {"sitofp of zext", "sitofp(zext(x))", "uitofp(x)"},
    {"sitofp of sext", "sitofp(sext(x))", "sitofp(x)"},
    {"bitcast of bitcast", "bitcast(bitcast(x))", "x"},
};

}  // namespace

std::span<const RuleText> convert_rules() { return kConvertRules; }

}  // namespace psi::optimise
