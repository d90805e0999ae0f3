// And, or, xor, not.
#include "optimise/algebra/rules.h"

namespace psi::optimise {
namespace {

constexpr RuleText kLogicRules[] = {
    {"and zero", "and(x, 0)", "0"},
    {"and all ones", "and(x, -1)", "x"},
    {"and self", "and|or(x, x)", "x"},
    {"or zero", "or|xor(x, 0)", "x"},
    {"or all ones", "or(x, -1)", "-1"},
    {"xor self", "xor(x, x)", "0"},
    {"xor all ones", "xor(x, -1)", "not(x)"},
    {"not of not", "not(not(x))", "x"},
    // Guards, branches and selects read complements as they are.
    {"not of compare", "not(t = cmp.c(x, y))", "cmp.!c(x, y)", "uses(t) == 1"},
    {"not of neg", "not(neg(x))", "add(x, -1)"},
    {"not of add", "not(add(x, A))", "sub(~A, x)"},
    {"not of sub", "not(sub(A, x))", "add(x, ~A)"},
    {"not of xor", "not(xor(x, A))", "xor(x, ~A)"},
    {"not of xor with not", "not(xor(not(x), y))", "xor(x, y)"},
    {"not of ashr", "not(ashr(not(x), y))", "ashr(x, y)"},

    {"and with complement", "and(x, not(x))", "0"},
    {"or with complement", "or|xor(x, not(x))", "-1"},
    {"absorb in and", "and(x, or(x, y))", "x"},
    {"absorb in or", "or(x, and(x, y))", "x"},
    {"and again", "and|or(x, and|or(x, y))", "and|or(x, y)"},
    {"xor again", "xor(x, xor(x, y))", "y"},
    {"or of xor", "or(x, xor(x, y))", "or(x, y)"},
    {"and of or with complement", "and(x, or(not(x), y))", "and(x, y)"},
    {"or of and with complement", "or(x, and(not(x), y))", "or(x, y)"},
    {"and of ors with complement", "and(or(x, y), or(x, not(y)))", "x"},
    {"or of ands with complement", "or(and(x, y), and(x, not(y)))", "x"},
    {"or of both differences", "or(and(x, not(y)), and(not(x), y))", "xor(x, y)"},
    {"xor of or and and", "xor(or(x, y), and(x, y))", "xor(x, y)"},
    {"and of or and not and", "and(or(x, y), not(and(x, y)))", "xor(x, y)"},
    {"or of xor and and", "or(xor(x, y), and(x, y))", "or(x, y)"},
    {"xor of and", "xor(and(x, y), y)", "and(not(x), y)"},
    {"xor of or", "xor(or(x, y), y)", "and(x, not(y))"},
    {"xor of nots", "xor(not(x), not(y))", "xor(x, y)"},
    {"xor of not", "xor(not(x), A)", "xor(x, ~A)"},
    {"and of nots", "and(not(x), not(y))", "not(or(x, y))"},
    {"or of nots", "or(not(x), not(y))", "not(and(x, y))"},
    {"not of and of nots", "not(and(not(x), y))", "or(x, not(y))"},
    {"not of or of nots", "not(or(not(x), y))", "and(x, not(y))"},
    {"common part of ands", "or|xor(and(x, y), and(x, z))", "and(x, or|xor(y, z))"},
    {"common part of ors", "and(or(x, y), or(x, z))", "or(x, and(y, z))"},

    {"and of and", "and(and(x, A), B)", "and(x, A & B)"},
    {"or of or", "or(or(x, A), B)", "or(x, A | B)"},
    {"xor of xor", "xor(xor(x, A), B)", "xor(x, A ^ B)"},
    {"and of or", "and(or(x, A), B)", "and(x, B)", "(A & B) == 0"},
    {"and of or, known", "and(or(x, A), B)", "B", "(A & B) == B"},
    {"or of and", "or(and(x, A), B)", "or(x, B)", "(A | B) == bits(x)"},
    {"and of xor", "and(xor(x, A), B)", "and(x, B)", "(A & B) == 0"},
    {"and of sum", "and(add(x, A), B)", "and(x, B)", "B != 0 && (B & B + 1) == 0 && (A & B) == 0"},
    {"xor of ands", "xor(and(x, A), and(x, B))", "and(x, A ^ B)"},
    {"or of ands", "or(and(x, A), and(x, B))", "and(x, A | B)"},
    {"or of ors", "or(or(x, A), or(y, B))", "or(or(x, y), A | B)"},
    {"and of two ands", "and(and(x, A), and(y, B))", "and(and(x, y), A & B)"},
    {"xor of two xors", "xor(xor(x, A), xor(y, B))", "xor(xor(x, y), A ^ B)"},
    {"and of ands with a mask", "and(and(x, A), and(y, A))", "and(and(x, y), A)"},
    {"or of ands with a mask", "or|xor(and(x, A), and(y, A))", "and(or|xor(x, y), A)"},

    // Known bits.
    {"and of bits that are there", "and(x, A)", "x", "(~zeros(x) & ~A) == 0"},
    {"and of bits that are not", "and(x, A)", "0", "(~zeros(x) & A) == 0"},
    {"and of disjoint bits", "and(x, y)", "0", "(~zeros(x) & ~zeros(y)) == 0"},
    {"or of bits that are there", "or(x, A)", "x", "(~ones(x) & A) == 0"},

    {"common shift of logic", "and|or|xor(shl(x, z), shl(y, z))", "shl(and|or|xor(x, y), z)"},
    {"common shift right of logic", "and|or|xor(lshr(x, z), lshr(y, z))", "lshr(and|or|xor(x, y), z)"},
    {"logic of zexts", "and|or|xor(zext(x), zext(y))", "zext(and|or|xor(x, y))"},
    {"logic of sexts", "and|or|xor(sext(x), sext(y))", "sext(and|or|xor(x, y))"},
    {"logic of truncs", "and|or|xor(trunc(x), trunc(y))", "trunc(and|or|xor(x, y))"},
    {"complement of zext of bit", "xor(zext(x), 1)", "zext(not(x))", "width(x) == 1"},
    {"not of sext", "not(sext(x))", "sext(not(x))", "width(x) == 1"},

    // Compares of the same values.
    {"zero and zero", "and(cmp.eq(x, 0), cmp.eq(y, 0))", "cmp.eq(or(x, y), 0)", "int(x)"},
    {"one not zero", "or(cmp.ne(x, 0), cmp.ne(y, 0))", "cmp.ne(or(x, y), 0)", "int(x)"},
    {"both negative", "and(cmp.lt(x, 0), cmp.lt(y, 0))", "cmp.lt(and(x, y), 0)"},
    {"one negative", "or(cmp.lt(x, 0), cmp.lt(y, 0))", "cmp.lt(or(x, y), 0)"},
    {"different signs", "xor(cmp.lt(x, 0), cmp.lt(y, 0))", "cmp.lt(xor(x, y), 0)"},
};

}  // namespace

std::span<const RuleText> logic_rules() { return kLogicRules; }

}  // namespace psi::optimise
