// cmpp in other instructions, for machines that have none.
//
//     p, q = cmpp.un.uc.lt a, b if r      c = cmp.lt a, b;  p = and r, c;  n = not c;  q = and r, n
//     p = cmpp.on.lt a, b if r            c = cmp.lt a, b;  d = and r, c;  p = or p, d
//     p = cmpp.an.lt a, b                 c = cmp.lt a, b;  p = and p, c
//     p = cmpp.cn.lt a, b if r            c = cmp.lt a, b;  p = select r, c, p
//
// By the formulas of docs/ir.md, which hold for undef, too: where r is false, what is compared is read and
// does not count, as false and undef is false.
#pragma once

#include <vector>

#include "psi/function.h"

namespace psi::reversal {

// Appends what stands for the cmpp, of a function in plain form, to `out`: under its guard and line.
void lower_cmpp(Function& function, InstId cmpp, std::vector<InstId>& out);

}  // namespace psi::reversal
