// Makes one block of an acyclic region: see psi/predicated_ssa.h.
//
// Blocks are taken in topological order, and every block knows its paths. Paths whose registers have the same
// values, as far as those are still read, are one path under the union of their predicates. An instruction is
// computed once for all paths on which its operands are the same; a phi is not computed at all.
#pragma once

#include <unordered_map>
#include <vector>

#include "predicated_ssa/path_values.h"
#include "psi/analyses.h"
#include "psi/predicated_ssa.h"
#include "psi/regions.h"

namespace psi::paths {

// What the conversions of all regions of a function share. They add to the function, and leave its blocks as
// they are; what is to become of these is noted here.
struct FunctionState {
  struct Handed {
    InstId phi;
    BlockId from;
    Operand value;
  };

  FunctionState(Function& function, Analyses& analyses, const PredicatedSsaOptions& options);

  bool does_escape(Reg r) const { return r.index() < escapes.size() && escapes[r.index()] != 0; }
  void replace(Reg r, Operand by);
  bool is_partial(Operand value) const {
    return value.reads_reg() && value.reg().index() < partial.size() && partial[value.reg().index()] != 0;
  }

  // Is the register defined under just this guard? Then it will be, whatever becomes of both.
  bool is_defined_under(Operand value, Operand guard) const {
    if (!value.reads_reg()) return true;
    InstId id = analyses.uses().definition(value.reg());
    return id && !function.inst(id).is_psi() && function.inst(id).guard.as_operand() == guard;
  }

  Function& function;
  Analyses& analyses;  // of the function as it was
  const PredicatedSsaOptions& options;
  Regions regions;
  std::vector<uint8_t> escapes;             // by Reg: read outside the region of its definition
  std::vector<uint8_t> psi_reads;           // by Reg: a psi there takes it, and not as its first argument
  std::vector<uint8_t> partial;             // by Reg: may be undefined where its block is executed
  std::vector<Operand> replaced;            // by Reg: what stands for it; none: itself
  std::vector<std::vector<Path>> arriving;  // by BlockId
  std::vector<Handed> handed;               // entries of phis in place of those from a region's blocks
};

class RegionConversion {
 public:
  RegionConversion(FunctionState& state, uint32_t region);
  Hyperblock run();
  // The new block's code, which its entry's phis come before.
  BlockId code() const { return code_; }

 private:
  // A way out of the region: to a block, or by ret or unreachable.
  struct Exit {
    BlockId target;
    Opcode op = Opcode::Br;
    Operand value;                           // of ret
    std::vector<Node> predicates;            // of the edges
    std::vector<std::vector<Operand>> phis;  // what each of them hands to the target's phis
  };

  // --- region_conversion.cpp: the blocks --------------------------------------------------------------
  void enter(BlockId b);
  void note_partial();
  void merge_equal_paths();
  void merge_all_paths(std::span<const Reg> phis);
  void convert(InstId id);
  std::vector<Operand> emit(const Inst& inst, std::vector<Operand> operands, Operand guard, Node predicate,
                            bool is_only);
  Operand emit_psi(const Inst& inst, std::span<const Operand> pairs, Node predicate, Reg result);
  void remember_version(Reg r, Node predicate, Operand value);

  // --- exits.cpp: the edges, and the end ---------------------------------------------------------------
  void leave(BlockId b);
  Node take(const Inst& terminator, std::span<const Operand> operands, BlockId b, const Path& path,
            Node left);
  void go(BlockId from, BlockId target, Node predicate, const Path& path);
  Reg case_test(Type type, Operand value, Operand literal);
  Exit& exit_by(BlockId target, Opcode op, Operand value);
  void merge_escaping();
  void define_everywhere();
  void hand_over_phis();
  void emit_exits();
  void remove_unread();

  // --- Both --------------------------------------------------------------------------------------------
  bool is_inside(BlockId b) const { return state_.regions.region(b) == region_; }
  std::vector<InstId> phis_of(BlockId b) const;
  Operand value_on(const Path& path, Operand operand) const;
  Operand as_register(Operand operand);
  // The value, by a register that is defined everywhere, if only as undef: psis may take that under any
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
  std::vector<Reg> read_by_psis_;                 // outside
  std::unordered_map<uint64_t, Reg> case_tests_;  // by value and literal
  size_t first_handed_;
  Hyperblock result_;
};

}  // namespace psi::paths
