// Edits that remove parts of a program. They may leave operands without a definition, blocks without a
// terminator and phis that do not fit their block; `repair` corrects that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/ir/module.h"

namespace psi::testing {

// Something in a function: a block, an instruction, one of its operands, a parameter.
struct Item {
  SymbolId function;
  uint32_t id = 0;     // of the block or instruction
  uint32_t index = 0;  // which operand, target or parameter
};

// Calls edit(Function&, span of the items in it) for each function; items of one function stand together.
template <class Edit>
void for_each_function(Module& module, std::span<const Item> items, Edit edit) {
  for (size_t first = 0; first < items.size();) {
    size_t last = first + 1;
    while (last < items.size() && items[last].function == items[first].function) ++last;
    edit(module.function(items[first].function), items.subspan(first, last - first));
    first = last;
  }
}

Operand zero(Function& function, Type type);

// --- Module -------------------------------------------------------------------------------------------
// Removes symbols: calls of them are removed, other references become null.
void remove_symbols(Module& module, std::span<const SymbolId> symbols);
void remove_params(Module& module, std::span<const Item> params);
void remove_result(Module& module, SymbolId function);

// --- Function -----------------------------------------------------------------------------------------
void stub_body(Function& function);
// Branches to a removed block go where it would have gone.
void remove_blocks(Function& function, std::span<const Item> blocks);
void remove_insts(Function& function, std::span<const Item> insts);
// Joins each of these blocks with its only successor, if it is that one's only predecessor.
void merge_blocks(Function& function, std::span<const Item> blocks);
std::vector<BlockId> mergeable_blocks(const Function& function);
// Removes instructions; readers of their result read an operand (Item::index) instead.
void forward_operands(Function& function, std::span<const Item> insts);
// The targets of the last terminator become the one that Item::index says.
void keep_target(Function& function, std::span<const Item> terminators);
// The function starts at this block, and its entry is gone.
void start_at(Function& function, BlockId block);
void replace_with_return(Function& function, std::span<const Item> terminators);

// Numbers registers and blocks in the order in which the text mentions them.
void number_in_order(Function& function);

// --- Repair -------------------------------------------------------------------------------------------
// Registers without a definition become zero where they are read, and guards by them are dropped; blocks end
// after their first terminator without a guard, or return; phis have one entry for each predecessor; in SSA
// forms a use that its definition does not dominate becomes zero.
void repair(Module& module);

// Is this operand read as a value, so that a literal could stand there?
bool is_value_operand(const Function& function, const Inst& inst, uint32_t index);

}  // namespace psi::testing
