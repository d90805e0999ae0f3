// What the integer conditions mean.
#pragma once

#include <cstdint>

#include "psi/ir/opcode.h"
#include "psi/ir/type.h"

namespace psi {

// Of two values of the type, zero above its width.
constexpr bool int_cond_holds(Cond cond, Type type, uint64_t a, uint64_t b) {
  int64_t sa = sign_extend(a, type), sb = sign_extend(b, type);
  switch (cond) {
    case Cond::eq:
      return a == b;
    case Cond::ne:
      return a != b;
    case Cond::lt:
      return sa < sb;
    case Cond::le:
      return sa <= sb;
    case Cond::gt:
      return sa > sb;
    case Cond::ge:
      return sa >= sb;
    case Cond::ult:
      return a < b;
    case Cond::ule:
      return a <= b;
    case Cond::ugt:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace psi
