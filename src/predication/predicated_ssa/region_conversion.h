// Makes one block of an acyclic region: see psi/predication/predicated_ssa.h.
//
// Blocks are converted in topological order, and every block has a list of paths. Paths with equal live
// values are merged into one under the union of their predicates. An instruction is computed once for all
// paths with equal operands; phis disappear.
#pragma once

#include <unordered_map>
#include <vector>

#include "predication/predicated_ssa/function_state.h"
#include "psi/ir/views.h"

namespace psi::predication {

class RegionConversion {
 public:
  RegionConversion(FunctionState& state, uint32_t region);
  Hyperblock run();
  // The new block's code, which its entry's phis come before.
  BlockId code() const { return code_; }

 private:
  // An exit of the region: to a block, or by ret or unreachable.
  struct Exit {
    BlockId target;
    Opcode op = Opcode::Br;
    Operand value;                           // of ret
    std::vector<Node> predicates;            // of the edges
    std::vector<std::vector<Operand>> phis;  // the arguments of the target's phis for each
  };

  // --- region_conversion.cpp: the blocks --------------------------------------------------------------
  void enter(BlockId b);
  void note_partial();
  void merge_equal_paths();
  void merge_all_paths(std::span<const Reg> phis);
  void convert(InstId id);
  std::vector<Operand> emit(const Inst& inst, std::vector<Operand> operands, Operand guard, Node predicate,
                            bool is_only);
  Operand emit_psi(const Inst& inst, PsiArguments arguments, Node predicate, Reg result);
  void remember_version(Reg r, Node predicate, Operand value);

  // --- exits.cpp: the edges, and the end ---------------------------------------------------------------
  void leave(BlockId b);
  Node convert_terminator(const Inst& terminator, std::span<const Operand> operands, BlockId b,
                          const Path& path, Node left);
  void go(BlockId from, BlockId target, Node predicate, const Path& path);
  Exit& exit_by(BlockId target, Opcode op, Operand value);
  void merge_escaping();
  void define_everywhere();
  void hand_over_phis();
  void emit_exits();

  // --- versions.cpp: values ---------------------------------------------------------------------------
  bool is_inside(BlockId b) const { return state_.regions.region(b) == region_; }
  std::vector<InstId> phis_of(BlockId b) const;
  Operand value_on(const Path& path, Operand operand) const;
  Operand as_register(Operand operand);
  // The value in a register that is defined everywhere, at least as undef, so that psis may take it under any
  // guard.
  Operand total(Operand value);
  // One value: itself; several: a psi, into `into` if that is a register.
  Operand merged(Type type, std::vector<Version> versions, Reg into, Reg like);
  Reg new_version(Reg like);

  FunctionState& state_;
  Function& function_;
  uint32_t region_;
  BlockId entry_;
  BlockId code_;
  Builder builder_;
  PathPredicates predicates_;
  std::vector<Path> paths_;  // of the block at hand
  Node here_ = kAlways;      // all of them
  std::vector<Exit> exits_;
  std::unordered_map<uint64_t, size_t> exit_of_;  // by target, or opcode and value
  std::vector<std::pair<Reg, std::vector<Version>>> escaping_;
  std::unordered_map<Reg, size_t> escaping_place_;
  std::vector<Reg> read_by_psis_;  // outside
  Hyperblock result_;
};

}  // namespace psi::predication
