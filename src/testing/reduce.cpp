#include "psi/testing/reduce.h"

#include "testing/reducer/reducer.h"

namespace psi {

uint64_t count_instructions(const Module& module) {
  uint64_t count = 0;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function) continue;
    count += count_instructions(module.function(symbol));
  }
  return count;
}

uint64_t count_instructions(const Function& function) {
  uint64_t count = 0;
  for (BlockId b : function.layout()) count += function.insts(b).size();
  return count;
}

ReduceResult reduce(Module module, const ReduceTest& test, const ReduceOptions& options) {
  ReduceResult result;
  result.tests = 1;
  result.interesting = test(module);
  if (!result.interesting) {
    result.module = std::move(module);
    return result;
  }
  testing::Reducer reducer(std::move(module), test, options);
  result.finished = reducer.run();
  result.tests += reducer.tests();
  result.module = reducer.take();
  return result;
}

}  // namespace psi
