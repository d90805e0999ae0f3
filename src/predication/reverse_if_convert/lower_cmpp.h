// cmpp as other instructions, for targets without cmpp.
//
//     p, q = cmpp.un.uc.lt a, b if r      c = cmp.lt a, b;  p = and r, c;  n = not c;  q = and r, n
//     p = cmpp.on.lt a, b if r            c = cmp.lt a, b;  d = and r, c;  p = or p, d
//     p = cmpp.an.lt a, b                 c = cmp.lt a, b;  p = and p, c
//     p = cmpp.cn.lt a, b if r            c = cmp.lt a, b;  p = select r, c, p
//
// By the formulas of docs/ir.md, which hold for undef, too: where r is false, the compared values are read
// without effect, as false and undef is false.
#pragma once

#include <vector>

#include "psi/ir/function.h"

namespace psi::predication {

// Appends the replacement of the cmpp, in plain form, to `out`, under its guard and line.
void lower_cmpp(Function& function, InstId cmpp, std::vector<InstId>& out);

}  // namespace psi::predication
