#include "destruct/coalesce.h"

#include <algorithm>
#include <numeric>

#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"

namespace psi::destruct {

std::vector<Affinity> collect_affinities(const Function& function, Analyses& analyses) {
  std::vector<Affinity> affinities;
  for (BlockId b : analyses.get<Dominators>().preorder()) {
    double frequency = analyses.get<Frequencies>().of(b);
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.op != Opcode::Mov || !function.operands(inst)[0].is_reg()) continue;
      affinities.push_back({inst.results[0], function.operands(inst)[0].reg(), frequency + kEachCopy});
    }
  }
  std::vector<uint32_t> order(affinities.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (affinities[a].weight != affinities[b].weight) return affinities[a].weight > affinities[b].weight;
    return a < b;
  });
  std::vector<Affinity> sorted;
  sorted.reserve(affinities.size());
  for (uint32_t i : order) sorted.push_back(affinities[i]);
  return sorted;
}

double cost(const Webs& webs, const std::vector<Affinity>& affinities) {
  double sum = 0;
  for (const Affinity& affinity : affinities) {
    if (!webs.same(affinity.target, affinity.source)) sum += affinity.weight;
  }
  return sum;
}

std::vector<uint8_t> registers_in_webs(const Function& function, const Webs& webs,
                                       const std::vector<Affinity>& affinities) {
  std::vector<uint8_t> marked(function.num_regs());
  for (uint32_t r = 0; r < function.num_regs(); ++r) marked[r] = webs.size(Reg(r)) > 1;
  for (const Affinity& affinity : affinities) {
    marked[affinity.target.index()] = marked[affinity.source.index()] = 1;
  }
  return marked;
}

}  // namespace psi::destruct
