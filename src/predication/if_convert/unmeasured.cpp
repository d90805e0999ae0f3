#include "predication/if_convert/unmeasured.h"

#include <algorithm>
#include <array>

#include "psi/analysis/cfg.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi::predication {
namespace {

constexpr std::array<uint64_t, 2> kAsOften = {1, 1};

}  // namespace

std::vector<InstId> expect_mispredictions(Function& function, Analyses& analyses) {
  const Loops& loops = analyses.get<Loops>();
  std::vector<InstId> found;
  for (BlockId b : analyses.get<Order>().reverse_post_order()) {
    InstId last = function.terminators(b).back();
    if (!function.inst(last).is_branch()) continue;
    if (!function.edge_counts(last).empty()) continue;
    bool stays = true;
    for (BlockId to : analyses.get<Cfg>().successors(b)) {
      bool leads_back = loops.of(to) && loops.header(loops.of(to)) == to;
      bool ends = function.inst(function.terminators(to).back()).op == Opcode::Unreachable;
      stays = stays && loops.of(to) == loops.of(b) && !leads_back && !ends;
    }
    if (stays) found.push_back(last);
  }
  for (InstId id : found) function.set_edge_counts(id, kAsOften);
  return found;
}

void forget_mispredictions(Function& function, const std::vector<InstId>& branches) {
  for (InstId id : branches) {
    if (std::ranges::equal(function.edge_counts(id), kAsOften)) function.set_edge_counts(id, {});
  }
}

}  // namespace psi::predication
