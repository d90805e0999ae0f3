#include "predication/if_convert/closed_blocks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::predication {
namespace {

class Closing {
 public:
  Closing(const Function& function, Analyses& analyses)
      : function_(function),
        cfg_(analyses.get<Cfg>()),
        dominators_(analyses.get<Dominators>()),
        uses_(analyses.get<Uses>()) {}

  // Calls visit(Use, BlockId) for each reader, with the successor that it stands behind; none if it need not
  // be changed. Returns false as soon as there is one that cannot be.
  template <class Visit>
  bool for_each_reader(BlockId b, Reg r, Visit visit) const {
    for (Use use : uses_.uses(r)) {
      BlockId at = place(use);
      if (at == b) continue;
      BlockId behind;
      for (BlockId successor : cfg_.successors(b)) {
        bool is_own = cfg_.num_distinct_predecessors(successor) == 1 && successor != b;
        if (is_own && dominators_.dominates(successor, at)) behind = successor;
      }
      if (!behind) return false;
      visit(use, behind);
    }
    return true;
  }

 private:
  // A phi reads at the end of the block that it has the value from.
  BlockId place(Use use) const {
    if (!function_.inst(use.inst).is_phi()) return uses_.block(use.inst);
    return incoming_block(function_, use.inst, use.operand);
  }

  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Uses& uses_;
};

struct Reader {
  Use use;
  BlockId behind;
};

}  // namespace

bool can_close(const Function& function, Analyses& analyses, BlockId b) {
  Closing closing(function, analyses);
  for (InstId id : function.insts(b)) {
    bool is_read_behind = false;
    for (Reg r : function.inst(id).results) {
      if (r && !closing.for_each_reader(b, r, [&](Use, BlockId) { is_read_behind = true; })) return false;
    }
    // A phi would read it also where it is not defined.
    if (is_read_behind && function.inst(id).guard) return false;
  }
  return true;
}

void close_blocks(Function& function, Analyses& analyses, std::span<const BlockId> blocks) {
  Closing closing(function, analyses);
  std::vector<std::vector<InstId>> entered(function.num_blocks());  // phis
  std::vector<Reader> readers;
  for (BlockId b : blocks) {
    for (InstId id : std::vector<InstId>(function.insts(b).begin(), function.insts(b).end())) {
      for (Reg r : std::array<Reg, 2>(function.inst(id).results)) {
        if (!r) continue;
        readers.clear();
        closing.for_each_reader(b, r, [&](Use use, BlockId behind) { readers.push_back({use, behind}); });
        std::vector<std::pair<BlockId, Reg>> values;
        for (const Reader& reader : readers) {
          auto known = std::ranges::find(values, reader.behind, &std::pair<BlockId, Reg>::first);
          if (known == values.end()) {
            Inst phi;
            phi.op = Opcode::Phi;
            phi.type = function.type(r);
            phi.results[0] = function.add_reg(phi.type);
            InstId added = function.add_inst(phi, std::array{Operand::block(b), Operand::reg(r)});
            function.copy_place(id, added);
            entered[reader.behind.index()].push_back(added);
            values.emplace_back(reader.behind, phi.results[0]);
            known = values.end() - 1;
          }
          Inst& inst = function.inst(reader.use.inst);
          if (reader.use.is_guard()) {
            inst.guard = Guard(known->second, inst.guard.is_negated());
          } else {
            Operand& operand = function.operands(reader.use.inst)[reader.use.operand];
            operand = Operand::predicate(known->second, operand.is_negated());
          }
        }
      }
    }
  }
  for (uint32_t b = 0; b < entered.size(); ++b) {
    if (entered[b].empty()) continue;
    std::span<const InstId> insts = function.insts(BlockId(b));
    entered[b].insert(entered[b].end(), insts.begin(), insts.end());
    function.set_insts(BlockId(b), entered[b]);
  }
}

}  // namespace psi::predication
