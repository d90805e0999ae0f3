// Addresses: as many steps as possible in one ptrindex, literal offsets last.
#include "optimise/algebra/rules.h"

namespace psi::optimise {
namespace {

constexpr RuleText kPointerRules[] = {
    {"ptradd zero", "ptradd(p, 0)", "p"},
    {"ptradd of ptradd", "ptradd(ptradd(p, A), B)", "ptradd(p, A + B)"},
    {"literal index", "ptrindex(p, A, B, C)", "ptradd(p, A * B + C)"},
    {"scale zero", "ptrindex(p, x, 0, A)", "ptradd(p, A)"},
    {"ptrindex by bytes", "ptrindex(p, x, 1, 0)", "ptradd(p, x)"},
    {"offset of index", "ptradd(ptrindex(p, x, A, B), C)", "ptrindex(p, x, A, B + C)"},
    {"index of offset", "ptrindex(ptradd(p, A), x, B, C)", "ptrindex(p, x, B, A + C)"},
    {"bytes at offset", "ptradd(ptradd(p, A), x)", "ptrindex(p, x, 1, A)"},
    {"offset of bytes", "ptradd(ptradd(p, x), A)", "ptrindex(p, x, 1, A)"},
    {"index of sum", "ptrindex(p, add(x, A), B, C)", "ptrindex(p, x, B, A * B + C)"},
    {"index of difference", "ptrindex(p, sub(A, x), B, C)", "ptrindex(p, x, -B, A * B + C)"},
    {"index of neg", "ptrindex(p, neg(x), A, B)", "ptrindex(p, x, -A, B)"},
    {"index of shl", "ptrindex(p, shl(x, A), B, C)", "ptrindex(p, x, B << A, C)", "A < 64"},
    {"index of mul", "ptrindex(p, mul(x, A), B, C)", "ptrindex(p, x, A * B, C)"},
    {"bytes of mul", "ptradd(p, mul(x, A))", "ptrindex(p, x, A, 0)"},
    {"bytes of shl", "ptradd(p, shl(x, A))", "ptrindex(p, x, 1 << A, 0)", "A < 64"},
    {"bytes of sum", "ptradd(p, add(x, A))", "ptrindex(p, x, 1, A)"},
    {"bytes of neg", "ptradd(p, neg(x))", "ptrindex(p, x, -1, 0)"},
    {"bytes of difference", "ptradd(p, sub(A, x))", "ptrindex(p, x, -1, A)"},
    {"offset back and forth", "ptradd(ptrindex(p, x, -1, 0), x)", "p"},
    {"distance added", "ptradd(p, sub(ptrtoint(q), ptrtoint(p)))", "q"},

    {"inttoptr of ptrtoint", "inttoptr(t = ptrtoint(x))", "x", "width(t) >= width(x)"},
    {"ptrtoint of inttoptr", "ptrtoint(p = inttoptr(x))", "zresize(x)",
     "width(x) <= width(p) || w <= width(p)"},
    {"distance", "sub(ptrtoint(ptradd(p, x)), ptrtoint(p))", "x", "w == width(p)"},
    {"distance back", "sub(ptrtoint(p), ptrtoint(ptradd(p, x)))", "neg(x)", "w == width(p)"},
    {"distance of same base", "sub(ptrtoint(ptradd(p, x)), ptrtoint(ptradd(p, y)))", "sub(x, y)",
     "w == width(p)"},
    {"distance of index", "sub(ptrtoint(ptrindex(p, x, A, B)), ptrtoint(p))", "add(mul(x, A), B)",
     "w == width(p)"},
    {"trunc of ptrtoint", "trunc(ptrtoint(x))", "ptrtoint(x)"},
};

}  // namespace

std::span<const RuleText> pointer_rules() { return kPointerRules; }

}  // namespace psi::optimise
