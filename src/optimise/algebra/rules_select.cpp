// Selects. One reads its condition and the arm it takes, and `and`, `or` of bits read no more than that
// either.
#include "optimise/algebra/rules.h"

namespace psi::optimise {
namespace {

constexpr RuleText kSelectRules[] = {
    {"select of same", "select(p, x, x)", "x"},
    {"select true", "select(1, x, y)", "x"},
    {"select false", "select(0, x, y)", "y"},
    {"select of not", "select(not(p), x, y)", "select(p, y, x)"},
    {"select is bit", "select(p, 1, 0)", "p"},
    {"select is bit as number", "select(p, 1, 0)", "zext(p)"},
    {"select is bit as mask", "select(p, -1, 0)", "sext(p)"},
    {"select is complement", "select(p, 0, 1)", "not(p)", "w == 1"},
    {"select or false", "select(p, x, 0)", "and(p, x)", "w == 1"},
    {"select true or", "select(p, 1, x)", "or(p, x)", "w == 1"},
    {"select of condition", "select(p, p, x)", "or(p, x)"},
    {"select of condition, other", "select(p, x, p)", "and(p, x)"},
    {"select of opposite", "select(cmp.c(x, y), 0, 1)", "zext(cmp.!c(x, y))"},
    {"select false or", "select(cmp.c(x, y), 0, z)", "and(cmp.!c(x, y), z)", "w == 1"},
    {"select or true", "select(cmp.c(x, y), z, 1)", "or(cmp.!c(x, y), z)", "w == 1"},
    {"select of select", "select(p, select(p, x, y), z)", "select(p, x, z)"},
    {"select of select, other", "select(p, x, select(p, y, z))", "select(p, x, z)"},
    {"select of equal", "select(cmp.eq(x, y), x, y)", "y"},
    {"select of equal, other", "select(cmp.eq(x, y), y, x)", "x"},
    {"select of unequal", "select(cmp.ne(x, y), x, y)", "x"},
    {"select of unequal, other", "select(cmp.ne(x, y), y, x)", "y"},

    {"smin", "select(cmp.lt|le(x, y), x, y)", "smin(x, y)"},
    {"smax", "select(cmp.gt|ge(x, y), x, y)", "smax(x, y)"},
    {"umin", "select(cmp.ult|ule(x, y), x, y)", "umin(x, y)"},
    {"umax", "select(cmp.ugt|uge(x, y), x, y)", "umax(x, y)"},
    {"smax, other", "select(cmp.lt|le(x, y), y, x)", "smax(x, y)"},
    {"smin, other", "select(cmp.gt|ge(x, y), y, x)", "smin(x, y)"},
    {"umax, other", "select(cmp.ult|ule(x, y), y, x)", "umax(x, y)"},
    {"umin, other", "select(cmp.ugt|uge(x, y), y, x)", "umin(x, y)"},
    {"smin of literal", "select(cmp.lt(x, A), x, B)", "smin(x, B)", "s(B) + 1 == s(A)"},
    {"smax of literal", "select(cmp.gt(x, A), x, B)", "smax(x, B)", "s(A) + 1 == s(B)"},
    {"umin of literal", "select(cmp.ult(x, A), x, B)", "umin(x, B)", "B + 1 == A"},
    {"umax of literal", "select(cmp.ugt(x, A), x, B)", "umax(x, B)", "A + 1 == B"},
    {"smax of literal, other", "select(cmp.lt(x, A), B, x)", "smax(x, B)", "s(B) + 1 == s(A)"},
    {"smin of literal, other", "select(cmp.gt(x, A), B, x)", "smin(x, B)", "s(A) + 1 == s(B)"},
    {"umax of literal, other", "select(cmp.ult(x, A), B, x)", "umax(x, B)", "B + 1 == A"},
    {"umin of literal, other", "select(cmp.ugt(x, A), B, x)", "umin(x, B)", "A + 1 == B"},
    {"abs", "select(cmp.lt(x, A), neg(x), x)", "abs(x)", "A <= 1"},
    {"abs, other", "select(cmp.gt(x, A), x, neg(x))", "abs(x)", "A == 0 || s(A) + 1 == 0"},

    {"unsigned sum that saturates", "select(uadd_overflow(x, y), -1, add(x, y))", "uadd_sat(x, y)"},
    {"unsigned difference that saturates", "select(cmp.ult(x, y), 0, sub(x, y))", "usub_sat(x, y)"},
    {"unsigned difference that saturates, other", "select(cmp.ugt(x, y), sub(x, y), 0)", "usub_sat(x, y)"},
    {"select of sums", "select(p, add|sub|mul|and|or|xor(x, y), add|sub|mul|and|or|xor(x, z))",
     "add|sub|mul|and|or|xor(x, select(p, y, z))"},
    {"select of conversions", "select(p, zext|sext|trunc(x), zext|sext|trunc(y))",
     "zext|sext|trunc(select(p, x, y))"},
    {"select of pointers", "select(p, ptradd(x, y), ptradd(x, z))", "ptradd(x, select(p, y, z))"},
    {"select of pointer", "select(p, ptradd(x, y), x)", "ptradd(x, select(p, y, 0))"},
};

}  // namespace

std::span<const RuleText> select_rules() { return kSelectRules; }

}  // namespace psi::optimise
