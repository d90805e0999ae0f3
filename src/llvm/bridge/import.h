// The import of LLVM IR: the module around the functions, and one function at a time.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Operator.h>

#include <string>
#include <utility>
#include <vector>

#include "llvm/bridge/bridge.h"
#include "llvm/bridge/mapping.h"
#include "psi/ir/builder.h"

namespace psi::llvm_bridge {

using Symbols = llvm::DenseMap<const llvm::GlobalValue*, SymbolId>;

// The shared state of the import of a module's functions.
struct ModuleImport {
  LlvmModule::Impl& impl;
  Module& module;
  const ImportMode mode;
  const llvm::DataLayout& layout;
  Symbols symbols;
};

// Gives every function, global and alias a name if it has none, and declares a symbol of that name.
void declare_module(ModuleImport& context);

// The reason why no function of a module with this layout can be imported; empty if they can.
std::string layout_reason(const llvm::DataLayout& layout);
// Gives an empty module the width of the layout's pointers, if its functions can be imported.
void set_pointer_bits(Module& module, const llvm::DataLayout& layout);

// Declares the global with its initial contents; as external where psic IR cannot express them.
void import_global(ModuleImport& context, const llvm::GlobalVariable& source);

// Those that save and restore the stack.
inline bool is_stack_intrinsic(const llvm::Function& function) {
  llvm::Intrinsic::ID id = function.getIntrinsicID();
  return id == llvm::Intrinsic::stacksave || id == llvm::Intrinsic::stackrestore;
}

// The opcode of a binary operator or a conversion, and the condition of a comparison.
Opcode opcode_of(unsigned op);
Cond cond_of(llvm::CmpInst::Predicate predicate);

// Imports functions, one after the other.
//
// Blocks are visited in LLVM's order; registers are made where they are first seen, which may be a use.
// Values of aggregate type are slots of the entry block. Anything that psic IR cannot express stops the
// import with a reason.
class FunctionImport {
 public:
  explicit FunctionImport(ModuleImport& context);

  // Fills in the body. On failure the result is the reason, and the target stays a declaration.
  std::string run(const llvm::Function& source, Function& target);

 private:
  using Operands = llvm::SmallVector<Operand, 8>;

  // --- The function (import_function.cpp) -----------------------------------------------------------
  void reset(const llvm::Function& source);
  void import_params();
  Reg import_copied_param(const llvm::Argument& argument);
  void find_promotable();
  void find_edge_copies();
  void import_block(const llvm::BasicBlock& block);
  uint32_t line_of(const llvm::Instruction& inst);
  uint32_t origin_of(const llvm::Instruction& inst);
  void import_phi(const llvm::PHINode& phi);
  void import_edge_copies(BlockId block);
  void finish_entry();

  // --- Instructions (import_inst.cpp) -----------------------------------------------------------------
  void import_inst(const llvm::Instruction& inst);
  void import_binary(const llvm::Instruction& inst);
  void import_icmp(const llvm::CmpInst& inst);
  void import_fcmp(const llvm::CmpInst& inst);
  void import_cast(const llvm::CastInst& inst);
  void import_int_cast(const llvm::CastInst& inst);
  void import_select(const llvm::SelectInst& inst);
  void import_freeze(const llvm::Instruction& inst);
  // --- Terminators (import_control.cpp) ---------------------------------------------------------------
  void import_branch(const llvm::BranchInst& inst);
  void import_switch(const llvm::SwitchInst& inst);
  void import_return(const llvm::ReturnInst& inst);
  void import_weights(const llvm::Instruction& inst, InstId decision);

  // --- Integers of widths that psic IR lacks (import_non_native.cpp) ----------------------------------

  // The value with the sign in all bits of its carrier; its bits at the carrier's upper end.
  Operand sign_extended(Operand value, Type type, unsigned width);
  Operand at_top(Operand value, Type type, unsigned width);
  // The result of `inst` is `value` without what lies above the width.
  void define_masked(const llvm::Instruction& inst, Operand value, Type type, unsigned width);
  // Any opcode on operands of one non-native width.
  void import_non_native(const llvm::Instruction& inst, Opcode op, llvm::ArrayRef<Operand> operands,
                         Type type, unsigned width);
  void import_non_native_funnel(const llvm::Instruction& inst, Opcode op, llvm::ArrayRef<Operand> operands,
                                Type type, unsigned width);
  Operand non_native_overflow(Opcode op, Operand a, Operand b, Type type, unsigned width);

  // --- Integers of 65 to 128 bits (import_wide.cpp) -------------------------------------------------------
  struct Wide {
    Operand low;
    Operand high;
  };
  // Does it have such an integer as its result or first operand?
  static bool is_wide(const llvm::Instruction& inst);
  void import_wide(const llvm::Instruction& inst);
  Wide wide_operand(const llvm::Value& value);
  std::pair<Reg, Reg> wide_regs(const llvm::Value& value);
  void define_wide(const llvm::Instruction& inst, Wide value);
  Operand signed_high(Operand high, unsigned width);
  void import_wide_load(const llvm::LoadInst& inst);
  void import_wide_store(const llvm::StoreInst& inst);
  void import_wide_cast(const llvm::CastInst& inst);
  void import_wide_binary(const llvm::Instruction& inst);
  void import_wide_shift(const llvm::Instruction& inst);
  void import_wide_icmp(const llvm::CmpInst& inst);

  // --- Memory (import_memory.cpp) ---------------------------------------------------------------------
  void import_alloca(const llvm::AllocaInst& inst);
  void import_load(const llvm::LoadInst& inst);
  void import_store(const llvm::StoreInst& inst);
  void import_gep(const llvm::GEPOperator& gep, const llvm::Instruction& inst);
  Operand index_operand(const llvm::Value& index);
  Operand resized(Operand value, Type type, Opcode extend);
  bool is_promoted(const llvm::Value& address) const {
    return !promoted_.empty() && promoted_.contains(&address);
  }

  // --- Aggregates (import_aggregate.cpp) --------------------------------------------------------------
  // The memory of a computed value of aggregate type.
  Reg memory_of(const llvm::Value& aggregate);
  // The register of `value` points to a new slot of the entry block.
  Reg make_entry_slot(const llvm::Value& value, const llvm::Type& type, uint64_t align);
  uint64_t size_of(const llvm::Type& type) const;
  uint64_t align_of(const llvm::Type& type) const;
  Operand address_at(Operand base, uint64_t offset);
  // The lowest `bytes` of a value, in pieces where no type has that size; what lies above is zero.
  Operand load_bytes(Type type, uint64_t bytes, Operand address, uint64_t align, uint32_t flags);
  void store_bytes(Type type, Operand value, uint64_t bytes, Operand address, uint64_t align, uint32_t flags);
  void load_scalar(const llvm::Instruction& inst, Operand address, uint64_t align, uint32_t flags);
  void store_scalar(const llvm::Value& value, Operand address, uint64_t align, uint32_t flags);
  void copy_aggregate(const llvm::Type& type, Operand to, Operand from, uint64_t align, uint32_t flags);
  // Writes an aggregate, computed or constant, to memory.
  void write_aggregate(const llvm::Value& value, Operand address, uint64_t align, uint32_t flags);
  void write_constant(const llvm::Constant& constant, Operand address, uint64_t align, uint32_t flags);
  void import_extract(const llvm::ExtractValueInst& inst);
  void import_insert(const llvm::InsertValueInst& inst);

  // --- Calls (import_call.cpp) ------------------------------------------------------------------------
  void import_call(const llvm::CallInst& inst);
  Operand callee_of(const llvm::CallInst& inst);
  void import_opaque(const llvm::Instruction& inst);
  void append_call(const llvm::Instruction& inst, Operands& operands);

  // --- Intrinsics (import_intrinsic.cpp) ----------------------------------------------------------------
  // False if psic IR has no equivalent of the intrinsic.
  bool import_intrinsic(const llvm::CallInst& inst);
  bool import_arithmetic(const llvm::CallInst& inst, Opcode op, unsigned num_operands);
  void import_mem(const llvm::CallInst& inst, Opcode op);
  void import_overflow(const llvm::CallInst& inst, Opcode op, Opcode value);
  // The result and the overflow bit of an overflow intrinsic.
  std::pair<Reg, Reg> overflow_regs(const llvm::Value& inst);

  // --- Values (import_constant.cpp) -------------------------------------------------------------------
  Operand operand(const llvm::Value& value) {
    if (llvm::isa<llvm::Constant>(value)) return constant(llvm::cast<llvm::Constant>(value));
    return Operand::reg(reg_of(value));
  }
  // The same where psic IR does not allow undef but LLVM does: 0, which refines it.
  Operand defined_operand(const llvm::Value& value);
  Operand constant(const llvm::Constant& constant);
  Operand expand(const llvm::Constant& expression);
  Operand expand_one(const llvm::ConstantExpr& expression);
  Reg reg_of(const llvm::Value& value);
  Type type_of(const llvm::Type& type);

  // --- Writing ----------------------------------------------------------------------------------------
  template <std::integral Bits>
  Operand literal(Type type, Bits bits) {
    return target_->literal(type, bits);
  }
  // The next result is the register of `inst`.
  Builder& define(const llvm::Instruction& inst) {
    builder_->into(reg_of(inst));
    return *builder_;
  }
  void define_as(const llvm::Instruction& inst, Operand value);
  Operand emit(Opcode op, Type type, std::initializer_list<Operand> operands) {
    return Operand::reg(builder_->op(op, type, operands));
  }
  void mark_fast(const llvm::Instruction& inst);
  Inst& last() { return target_->inst(InstId(target_->num_insts() - 1)); }
  BlockId block_of(const llvm::BasicBlock& block) const { return blocks_.lookup(&block); }
  bool is_plain() const { return context_.mode == ImportMode::Plain; }
  // The first reason counts.
  void fail(std::string reason);
  bool failed() const { return !reason_.empty(); }

  ModuleImport& context_;
  const llvm::DataLayout& layout_;
  const llvm::Function* source_ = nullptr;
  Function* target_ = nullptr;
  Builder* builder_ = nullptr;
  std::string reason_;
  Reg result_memory_;  // the hidden parameter of a function that returns an aggregate

  llvm::DenseMap<const llvm::Value*, Reg> regs_;  // of aggregates: the register that points to them
  llvm::DenseMap<const llvm::BasicBlock*, BlockId> blocks_;
  llvm::DenseMap<const llvm::Value*, std::pair<Reg, Reg>> wide_regs_;  // lower and upper half
  llvm::DenseMap<const llvm::Value*, Reg> overflow_bits_;              // of overflow intrinsics
  llvm::DenseSet<const llvm::Value*> promoted_;  // plain form: stack slots that are registers
  llvm::DenseMap<const llvm::Constant*, Operand> expanded_;
  std::vector<InstId> entry_insts_;  // to be put at the start of the entry block

  // At the end of a block: this register becomes this value. By block, as lists.
  struct EdgeCopy {
    Reg to;
    const llvm::Value* value;
    uint32_t next;
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<EdgeCopy> edge_copies_;
  std::vector<uint32_t> first_copy_;  // by BlockId
  std::vector<uint32_t> last_copy_;
  std::vector<uint32_t> seen_by_;  // by BlockId: the last phi that had an entry for it
  uint32_t phi_ = 0;
  // The registers that carry the entries of a phi: in plain form one for the phi, in SSA form one for each
  // entry that takes code to compute.
  llvm::DenseMap<const llvm::PHINode*, Reg> phi_inputs_;
  llvm::DenseMap<std::pair<const llvm::PHINode*, unsigned>, Reg> entry_regs_;
};

}  // namespace psi::llvm_bridge
