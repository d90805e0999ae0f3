#include "psi/interp/interpret.h"

namespace psi {

void apply_profile(Module& module, const Outcome& outcome) {
  for (const FunctionProfile& profile : outcome.profiles) {
    Function& function = module.function(profile.function);
    for (BlockId block : function.layout()) {
      if (block.index() >= profile.blocks.size()) continue;
      function.set_count(block, profile.blocks[block.index()]);
      for (InstId id : function.terminators(block)) {
        if (id.index() >= profile.edges.size() || profile.edges[id.index()].empty()) continue;
        function.set_edge_counts(id, profile.edges[id.index()]);
        // The old rate is of other data.
        function.set_misprediction_rate(id, std::nullopt);
      }
    }
  }
}

}  // namespace psi
