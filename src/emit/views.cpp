#include "emit/views.h"

#include <array>

#include "psi/emit.h"

namespace psi {

std::span<const View> views() {
  using namespace emit;
  static constexpr std::array<View, 10> kViews = {{
      {"cfg", "The control flow graph", cfg_text, cfg_dot},
      {"dom", "The dominator tree", dom_text, dom_dot},
      {"postdom", "The post-dominator tree", postdom_text, postdom_dot},
      {"loops", "The loops, as they are nested", loops_text, loops_dot},
      {"frontiers", "The dominance frontiers", frontiers_text, frontiers_dot},
      {"dj", "The DJ-graph", dj_text, dj_dot},
      {"adt", "The augmented dominator tree", adt_text, adt_dot},
      {"control", "The control dependences", control_text, control_dot},
      {"frequencies", "The frequencies of the blocks", frequencies_text, frequencies_dot},
      {"liveness", "The registers that are live at the ends of blocks", liveness_text, liveness_dot},
  }};
  return kViews;
}

}  // namespace psi
