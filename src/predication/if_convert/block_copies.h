// Copies of blocks, each for some of the block's predecessors.
//
//     @j: %v = phi [@a: 1], [@b: 2], [@c: 3]          @j:  %v = phi [@a: 1], [@b: 2]
//         br @k                                 ==>        br @k
//     @k: %w = phi [@j: %v], ...                      @j1: %v1 = phi [@c: 3]
//                                                          br @k
//                                                     @k:  %w = phi [@j: %v], [@j1: %v1], ...
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::predication {

struct IncomingEdge {
  BlockId from;
  BlockId original;     // what `from` is a copy of, or itself
  uint32_t region = 0;  // for the caller to use
  double frequency = 0;
};

// Some of a block's incoming edges, all of each predecessor.
struct EdgeGroup {
  std::span<const IncomingEdge> edges;
  uint32_t region = 0;  // for the caller to use
  double frequency = 0;
  bool is_copied = false;  // or they keep the original
  BlockId copy;
};

// Blocks are copied in reverse post-order, each once into any number of copies, except targets of back edges.
// Until finish() terminators lead to the originals, so that the targets of a wide switch are visited once.
// Linear in the visited and copied code, except for sorting at the end.
class BlockCopies {
 public:
  BlockCopies(Function& function, Analyses& analyses);

  // A register of the block with a read outside the block and outside phis for its edges. The block may be
  // copied if there is none.
  Reg read_elsewhere(BlockId b) const;
  // Includes those from copies. The edges from one block are adjacent.
  void find_incoming(BlockId b, std::vector<IncomingEdge>& incoming) const;
  double frequency(BlockId b) const { return frequency_[b.index()]; }

  // Makes a copy for each group that asks for it. The groups hold all edges of find_incoming(), and one keeps
  // the original. Counts and frequencies are divided in proportion to the groups.
  void copy(BlockId b, std::span<EdgeGroup> groups);
  size_t num_copies() const { return copies_.size(); }
  // Restores SSA form. Copies follow their originals in the layout.
  void finish();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Copy {
    BlockId original, block;
  };
  struct AddedEdge {
    Copy from;
    double frequency;
    uint32_t next;  // to the same block
  };
  struct Redirection {
    BlockId from, old_target, new_target;
  };

  bool reads_here(Use use, BlockId b) const;
  Copy add_copy(BlockId b, const EdgeGroup& group);
  void divide_phis(BlockId b, std::span<const EdgeGroup> groups);
  void add_pairs(const EdgeGroup& group);
  void fill(Copy copy);
  void append_copy(BlockId copy, InstId id);
  Operand translate(Operand operand, Copy copy) const;
  void move_counts(Copy copy, double fraction);
  void add_edges(Copy copy);
  void read_entries(InstId phi);
  void add_entries(BlockId b);
  void redirect();
  void place();

  Function& function_;
  const Cfg& cfg_;
  const Uses& uses_;
  const Frequencies& frequencies_;
  std::vector<double> frequency_;     // by BlockId, copies included
  std::vector<AddedEdge> added_;      // those that leave copies
  std::vector<uint32_t> last_added_;  // by BlockId: of those to it, in added_
  std::vector<uint8_t> is_divided_;   // by BlockId: its phis have the entries for added edges
  std::vector<Copy> copies_;
  std::vector<uint32_t> first_copy_;  // by BlockId, in copies_; the others of the block follow
  std::vector<Redirection> redirections_;
  std::vector<Operand> entry_;  // by BlockId: of the phi being looked at
  std::vector<Operand> operands_;
  std::vector<uint64_t> counts_, moved_counts_;
};

}  // namespace psi::predication
