#include "ir/name_scope.h"
#include "psi/text/text.h"

namespace psi {

Location SourceMap::find(SymbolId symbol) const {
  return symbol.index() < entries_.size() ? entries_[symbol.index()].declared : Location{0, 0, 0};
}

Location SourceMap::find(SymbolId function, InstId inst) const {
  if (function.index() >= entries_.size()) return {0, 0, 0};
  const std::vector<Location>& insts = entries_[function.index()].insts;
  return inst && inst.index() < insts.size() ? insts[inst.index()] : entries_[function.index()].declared;
}

Location SourceMap::find(SymbolId function, BlockId block) const {
  if (function.index() >= entries_.size()) return {0, 0, 0};
  const std::vector<Location>& blocks = entries_[function.index()].blocks;
  return block && block.index() < blocks.size() ? blocks[block.index()] : entries_[function.index()].declared;
}

void SourceMap::add(SymbolId symbol, Location where) {
  if (symbol.index() >= entries_.size()) entries_.resize(symbol.index() + 1);
  entries_[symbol.index()].declared = where;
}

void SourceMap::add(SymbolId function, InstId inst, Location where) {
  if (function.index() >= entries_.size()) entries_.resize(function.index() + 1);
  std::vector<Location>& insts = entries_[function.index()].insts;
  if (inst.index() >= insts.size()) insts.resize(inst.index() + 1);
  insts[inst.index()] = where;
}

void SourceMap::add(SymbolId function, BlockId block, Location where) {
  if (function.index() >= entries_.size()) entries_.resize(function.index() + 1);
  std::vector<Location>& blocks = entries_[function.index()].blocks;
  if (block.index() >= blocks.size()) blocks.resize(block.index() + 1);
  blocks[block.index()] = where;
}

Reg find_reg(const Function& function, std::string_view name) {
  uint32_t number = number_of_name(name);
  if (number < function.num_regs() && function.name(Reg(number)).empty()) return Reg(number);
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    if (function.name(Reg(i)) == name) return Reg(i);
  }
  return Reg();
}

BlockId find_block(const Function& function, std::string_view name) {
  uint32_t number = number_of_name(name);
  if (number < function.num_blocks() && function.name(BlockId(number)).empty()) return BlockId(number);
  for (BlockId b : function.layout()) {
    if (function.name(b) == name) return b;
  }
  return BlockId();
}

}  // namespace psi
