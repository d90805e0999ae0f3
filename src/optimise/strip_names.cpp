#include "psi/cfg/unreachable.h"

namespace psi {

void strip_names(PassContext& context) {
  Function& function = context.function;
  uint64_t registers = 0, blocks = 0;
  for (uint32_t i = 0; i < function.num_regs(); ++i) registers += !function.name(Reg(i)).empty();
  for (BlockId b : function.layout()) blocks += !function.name(b).empty();
  function.strip_names();
  context.counters.add("register names removed", registers);
  context.counters.add("block names removed", blocks);
}

}  // namespace psi
