#include "view/views.h"

#include <array>

#include "psi/view/views.h"

namespace psi {

std::span<const View> views() {
  using namespace view;
  static constexpr std::array<View, 11> kViews = {{
      {"cfg", "The control flow graph", cfg_text, cfg_dot, cfg_json},
      {"dom", "The dominator tree", dom_text, dom_dot, dom_json},
      {"postdom", "The post-dominator tree", postdom_text, postdom_dot, postdom_json},
      {"loops", "The loops, as they are nested", loops_text, loops_dot, loops_json},
      {"frontiers", "The dominance frontiers", frontiers_text, frontiers_dot, frontiers_json},
      {"dj", "The DJ-graph", dj_text, dj_dot, dj_json},
      {"adt", "The augmented dominator tree", adt_text, adt_dot, adt_json},
      {"control", "The control dependences", control_text, control_dot, control_json},
      {"frequencies", "The frequencies of the blocks", frequencies_text, frequencies_dot, frequencies_json},
      {"liveness", "The registers that are live at the ends of blocks", liveness_text, liveness_dot,
       liveness_json},
      {"webs", "The webs of phis and psis: registers that want to be one", webs_text, webs_dot, webs_json},
  }};
  return kViews;
}

}  // namespace psi
