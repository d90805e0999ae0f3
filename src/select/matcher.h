// Does a pattern cover an instruction, and with what operands?
#pragma once

#include <array>
#include <vector>

#include "select/patterns.h"

namespace psi::select {

// A function, as matching sees it: where values come from.
class Values {
 public:
  Values(const Function& function, const SelectionPatterns::Tables& tables);

  // Before the instructions of a block are matched, in order.
  void start(BlockId block);
  // The instruction has been passed: what comes may cover it.
  void pass(InstId id);

  // The operand, past conversions that change nothing.
  Operand source(Operand operand) const;
  // The only definition of a register, if it is in this block and above; none otherwise.
  InstId definition(Operand operand) const;
  // The definition, if an instruction under `guard` may compute it in its stead.
  InstId coverable(Operand operand, Guard guard) const;
  bool has_one_use(Reg r) const { return uses_[r.index()] == 1; }
  // By InstId: its place in the current block.
  uint32_t position(InstId id) const { return positions_[id.index()]; }
  // Is the value read in other blocks, or by phis?
  bool is_read_elsewhere(Reg r) const { return is_read_elsewhere_[r.index()]; }
  uint32_t first_use(Reg r) const { return first_use_[r.index()]; }
  bool has_one_definition(Reg r) const { return definitions_[r.index()] == 1; }
  // Binary operations of this block, passed or not, that read a register.
  std::span<const InstId> readers(Reg r) const;
  bool always_defined(Operand operand) const;

 private:
  const Function& function_;
  const SelectionPatterns::Tables& tables_;
  BlockId block_;
  bool ssa_;
  uint32_t position_ = 0, writes_ = 0;
  std::vector<InstId> definition_;  // by Reg
  std::vector<uint32_t> definitions_, uses_;
  std::vector<bool> is_read_elsewhere_;
  std::vector<BlockId> blocks_;          // by Reg: of its definition
  std::vector<uint32_t> positions_;      // by InstId
  std::vector<uint32_t> writes_before_;  // by InstId: of loads
  std::vector<uint32_t> last_written_;   // by Reg, plain form: position in this block, plus one
  std::vector<BlockId> written_in_;      // by Reg: the block that last_written_ speaks of
  std::vector<uint32_t> first_use_;      // by Reg: in this block
  std::unordered_map<uint32_t, std::vector<InstId>> readers_;
};

class Matcher {
 public:
  Matcher(const Function& function, const SelectionPatterns::Tables& tables, const Values& values)
      : function_(function), tables_(tables), values_(values) {}

  static constexpr size_t kMaxOperands = 12;

  struct Match {
    std::array<Operand, kMaxOperands> operands{};  // by operand of the form
    InstId also;                                   // provides the value of this instruction, too
    int8_t also_result = -1;
    InstId load;  // that it covers, below its root
  };

  // Does the pattern cover the instruction? `swapped`: a comparison with its sides exchanged.
  bool covers(const Pattern& pattern, InstId id, bool swapped, Match& match);

 private:
  bool node(NodeIndex index, Operand operand);
  bool children(const PatternNode& node, std::span<const Operand> operands, bool swapped);
  bool operation(const PatternNode& node, Operand operand);
  bool bind(uint8_t operand, Operand value);
  bool literal_fits(const MachineOperand& operand, uint64_t bits, Type type) const;
  void find_other_root(const Pattern& pattern, InstId id);
  std::span<const Operand> list(InstId id, std::array<Operand, 3>& scratch) const;

  const Function& function_;
  const SelectionPatterns::Tables& tables_;
  const Values& values_;
  const Pattern* pattern_ = nullptr;
  const MachineForm* form_ = nullptr;
  Guard guard_;  // of the root
  Match* match_ = nullptr;
  std::vector<uint8_t> trail_;  // operands in the order in which they were bound
};

}  // namespace psi::select
