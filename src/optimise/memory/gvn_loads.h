// The value of a load, from earlier loads and stores.
//
//     @a: store %x, %p            @a: store %x, %p
//         br @c                       br @c
//     @b: %y = load %p            @b: %y = load %p
//         br @c             ==>       br @c
//     @c: %z = load %p            @c: %z = phi [@a: %x], [@b: %y]
//
// The search goes up from the load, past accesses that cannot change its bytes: first along blocks with one
// predecessor, where guards have the same meaning as at the load, then through joins, with the address
// translated on each edge. If the value is missing on one path only, a load there makes the one below
// redundant; it is inserted where it adds no instruction, as for loop-invariant loads. Searches are bounded.
#pragma once

#include <cstdint>
#include <vector>

#include "optimise/insertions.h"
#include "optimise/memory/memory_accesses.h"
#include "optimise/value_numbering/gvn_values.h"
#include "psi/analysis/alias.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/pass/remarks.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {

class GvnLoads {
 public:
  GvnLoads(const Module& module, Function& function, Analyses& analyses, GuardFacts& guards, Alias& alias,
           GvnValues& values)
      : module_(module),
        function_(function),
        cfg_(analyses.get<Cfg>()),
        uses_(analyses.get<Uses>()),
        dominators_(analyses.get<Dominators>()),
        guards_(guards),
        alias_(alias),
        values_(values),
        accesses_(module, function),
        node_of_(function.num_blocks()),
        is_expected_(function.num_blocks()) {}

  // What may replace the result of a load, in SSA form; none: nothing is known. May turn the load into the
  // conversion of a value of another type.
  Operand find(InstId load);
  // The same for the result of a call of a readonly function.
  Operand find_call(InstId call);

  // Phis and loads that were added, yet to be put into their blocks.
  Insertions& added() { return added_; }

 private:
  static constexpr uint32_t kMaxSteps = 200;
  static constexpr uint32_t kMaxBlocks = 100;

  // The load and what it reads.
  struct Wanted {
    InstId load;
    Type type;
    Bytes bytes;
    Term guard;
    bool is_straight = true;  // does every register have the same value as at the load?
  };
  enum class Step : uint8_t { Through, Found, Blocked };
  // A block that the search went into from below.
  struct Node {
    BlockId block;
    Address address;
    Operand value;  // at its end; none: that at its beginning
    Operand entry;  // at its beginning: none yet, a value, or the block where a phi is needed
    bool is_blocked = false;
  };

  int64_t wrapped(uint64_t distance) const;
  Address resolve(Address address);
  Step look(InstId access, const Wanted& wanted, Operand& value);
  Step look_at_load(InstId access, const Wanted& wanted, Operand& value);
  Step look_at_store(InstId access, const Wanted& wanted, Operand& value);
  Step look_at_memset(InstId access, const Wanted& wanted, Operand& value);
  Step scan(std::span<const InstId> accesses, const Wanted& wanted, Operand& value);
  void look_ahead(BlockId b);
  Operand reuse(const Wanted& wanted, Operand value);

  Operand find_at_join(Wanted wanted, BlockId join);
  bool explore(const Wanted& wanted, BlockId join);
  bool go_up(BlockId b, Address address, bool& is_lost);
  bool translate(BlockId b, BlockId predecessor, Address& address);
  bool solve(const Wanted& wanted);
  bool update_entry(Node& node, const Wanted& wanted);
  Operand value_at_end(BlockId b, const Wanted& wanted);
  bool may_insert_load(const Wanted& wanted, BlockId join);
  Operand pointer_at_end(const Wanted& wanted, BlockId b, BlockId join);
  Operand make_phis(const Wanted& wanted, BlockId join);
  Operand equal_phi(BlockId b, PhiEntries entries);

  const Module& module_;
  Function& function_;
  const Cfg& cfg_;
  const Uses& uses_;
  const Dominators& dominators_;
  GuardFacts& guards_;
  Alias& alias_;
  GvnValues& values_;
  MemoryAccesses accesses_;

  struct Visit {
    uint32_t search = 0;
    uint32_t node = 0;
  };
  std::vector<Visit> node_of_;        // by BlockId: where in nodes_, in the search of that number
  std::vector<uint8_t> is_expected_;  // by BlockId: did a search visit it before the walk?
  std::vector<Node> nodes_;           // the first stands for the beginning of the join
  uint32_t search_ = 0;
  uint32_t steps_ = 0;
  BlockId blocked_;  // the one block that is
  std::vector<Operand> entries_;
  Insertions added_;
};

}  // namespace psi::optimise
