// The common part of methods II and III of Sreedhar et al.: phi by phi, some of its registers whose webs
// interfere get copies, then the rest becomes one web. The methods differ in the choice.
//
// A copy of an argument is at the end of its predecessor, and is live only there; one of the result is at the
// head of the phi's block. Literals always need a copy. At the place of a copy a web may be live that the
// copied register does not interfere with: its own, if it has another member in the phi, or one under
// disjoint conditions. Then that member gets a copy, too.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "destruct/methods.h"
#include "live/interference_graph.h"

namespace psi::destruct {

class PhiRepair {
 public:
  PhiRepair(Translation& t, live::InterferenceGraph& graph);
  virtual ~PhiRepair() = default;

  // All phis. The copies take effect.
  void run();

 protected:
  // The result or an argument of the phi looked at. Undefined arguments are none.
  struct Member {
    Operand value;
    BlockId block;     // where a copy would stand
    uint32_t operand;  // its place in the phi; of the result, 0
    bool needs_copy = false;
    bool is_result() const { return operand == 0; }
  };
  using Pair = std::pair<uint32_t, uint32_t>;

  // `pairs` are members whose webs interfere. Marks members so that one of each pair gets a copy, at a place
  // where the other's web is not live.
  virtual void choose(std::span<const Pair> pairs) = 0;

  // Is a register of the one's web live where a copy of the other would stand?
  bool is_live_at(const Member& member, const Member& copied) const;

  std::vector<Member> members_;

 private:
  void collect_members(BlockId b, InstId phi);
  void find_pairs();
  void spread();
  void release(const Member& member);
  bool is_read_at_end(BlockId b, Reg r) const;
  void insert_copies(InstId phi);
  Reg web(const Member& member) const { return t_.webs.find(member.value.reg()); }

  static uint64_t key(BlockId b, Reg r) { return uint64_t{b.index()} << 32 | r.index(); }

  Translation& t_;
  Function& function_;
  live::InterferenceGraph& graph_;
  // By predecessor and register: how many arguments of phis.
  std::unordered_map<uint64_t, uint32_t> phi_reads_;
  std::vector<uint32_t> group_of_;             // by representative: one above its position in groups_
  std::vector<std::vector<uint32_t>> groups_;  // members of the same web
  uint32_t num_groups_ = 0;
  std::vector<uint32_t> met_;  // by group: the last one that an edge was found to
  std::vector<Pair> pairs_;
  std::vector<uint32_t> work_;
};

}  // namespace psi::destruct
