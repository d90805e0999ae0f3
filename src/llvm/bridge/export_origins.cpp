#include "llvm/bridge/export_origins.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Operator.h>

#include "llvm/profile/predictability.h"
#include "psi/analysis/dominators.h"

namespace psi::llvm_bridge {
namespace {

// Metadata of memory accesses that holds wherever the access is executed.
constexpr unsigned kAccessMetadata[] = {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_tbaa_struct,
                                        llvm::LLVMContext::MD_nontemporal};
// Scopes are valid only together with their declarations, if they have any.
constexpr unsigned kScopes[] = {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias};

// The variable index of an address computation that has one at most; null if it has none.
const llvm::Use* variable_index(const llvm::GetElementPtrInst& address) {
  for (const llvm::Use& index : address.indices()) {
    if (!llvm::isa<llvm::ConstantInt>(index)) return &index;
  }
  return nullptr;
}

// `base + index * scale + offset`, in bytes.
struct AddressShape {
  uint64_t scale = 0;
  uint64_t offset = 0;
};

std::optional<AddressShape> shape_of(const llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
  llvm::MapVector<llvm::Value*, llvm::APInt> variables;
  llvm::APInt offset(64, 0);
  if (!llvm::cast<llvm::GEPOperator>(address).collectOffset(layout, 64, variables, offset)) return {};
  unsigned num_variable = 0;
  for (const llvm::Use& index : address.indices()) num_variable += !llvm::isa<llvm::ConstantInt>(index);
  if (num_variable > 1 || variables.size() != num_variable) return {};
  return AddressShape{variables.empty() ? 0 : variables.begin()->second.getZExtValue(),
                      offset.getZExtValue()};
}

// The last operand of some intrinsics says that a special case gives poison.
bool has_poison_operand(llvm::Intrinsic::ID id) {
  return id == llvm::Intrinsic::abs || id == llvm::Intrinsic::ctlz || id == llvm::Intrinsic::cttz;
}

}  // namespace

ExportOrigins::ExportOrigins(const LlvmModule::Impl& impl, llvm::Function& original, Analyses& analyses)
    : impl_(impl), original_(original) {
  if (!impl.keeps_origins) return;
  for (const llvm::BasicBlock& block : original) blocks_.push_back(&block);
  size_t num_old = blocks_.size();
  const Dominators& dominators = analyses.get<Dominators>();
  for (BlockId b : dominators.preorder()) {
    if (b.index() < num_old) continue;
    if (b.index() >= blocks_.size()) blocks_.resize(b.index() + 1);
    blocks_[b.index()] = blocks_[dominators.idom(b).index()];
  }
}

bool ExportOrigins::is_executed_as_before(const llvm::Instruction& origin, BlockId b) {
  const llvm::BasicBlock* now = b.index() < blocks_.size() ? blocks_[b.index()] : nullptr;
  if (!now) return false;
  if (origin.getParent() == now) return true;
  if (!post_dominators_) post_dominators_.emplace(original_);
  return post_dominators_->dominates(origin.getParent(), now);
}

llvm::Instruction* ExportOrigins::address(const llvm::Instruction& origin, const Function& function,
                                          const Inst& inst, std::span<llvm::Value* const> operands) const {
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&origin);
  if (!address) return nullptr;
  std::optional<AddressShape> shape = shape_of(*address, impl_.module->getDataLayout());
  if (!shape) return nullptr;
  const llvm::Use* index = variable_index(*address);
  auto is_number = [&](size_t i, uint64_t number) {
    Operand operand = function.operands(inst)[i];
    return operand.is_literal() && function.literal_bits(operand) == number;
  };
  bool is_same = index ? inst.op == Opcode::PtrIndex && operands[1]->getType() == index->get()->getType() &&
                             is_number(2, shape->scale) && is_number(3, shape->offset)
                       : inst.op == Opcode::PtrAdd && is_number(1, shape->offset);
  if (!is_same || operands[0]->getType() != address->getPointerOperandType()) return nullptr;
  llvm::Instruction* copy = address->clone();
  copy->setOperand(0, operands[0]);
  if (index) copy->setOperand(index->getOperandNo(), operands[1]);
  return copy;
}

llvm::Value* ExportOrigins::compute(llvm::IRBuilder<>& builder, const llvm::Instruction& origin,
                                    const Function& function, const Inst& inst,
                                    std::span<llvm::Value* const> operands, BlockId b) {
  if (inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex) {
    llvm::Instruction* copy = address(origin, function, inst, operands);
    return copy ? builder.Insert(copy) : nullptr;
  }
  if (const auto* with_overflow = llvm::dyn_cast<llvm::WithOverflowInst>(&origin)) {
    return overflow(builder, *with_overflow, inst, operands);
  }
  // No operand becomes poison.
  bool is_logic = inst.type == Type::i1 && (inst.op == Opcode::And || inst.op == Opcode::Or);
  if (!is_logic || !is_executed_as_before(origin, b)) return nullptr;
  if (inst.op == Opcode::And && origin.getOpcode() == llvm::Instruction::And) {
    return builder.CreateAnd(operands[0], operands[1]);
  }
  if (inst.op == Opcode::Or && origin.getOpcode() == llvm::Instruction::Or) {
    return builder.CreateOr(operands[0], operands[1]);
  }
  return nullptr;
}

// One intrinsic has both the value and the overflow bit, which are separate in psic IR.
llvm::Value* ExportOrigins::overflow(llvm::IRBuilder<>& builder, const llvm::WithOverflowInst& origin,
                                     const Inst& inst, std::span<llvm::Value* const> operands) {
  bool is_value = inst.op == Opcode::Add || inst.op == Opcode::Sub || inst.op == Opcode::Mul;
  if (operands.size() != 2 || operands[0]->getType() != origin.getLHS()->getType()) return nullptr;
  if (is_value) {
    llvm::Value* both = builder.CreateBinaryIntrinsic(origin.getIntrinsicID(), operands[0], operands[1]);
    overflow_ = llvm::dyn_cast<llvm::CallInst>(both);
    return builder.CreateExtractValue(both, 0);
  }
  bool is_same = overflow_ && inst.format() == Format::Overflow &&
                 overflow_->getParent() == builder.GetInsertBlock() &&
                 overflow_->getIntrinsicID() == origin.getIntrinsicID() &&
                 overflow_->getArgOperand(0) == operands[0] && overflow_->getArgOperand(1) == operands[1];
  return is_same ? builder.CreateExtractValue(overflow_, 1) : nullptr;
}

void ExportOrigins::keep_access(llvm::Instruction& made, const llvm::Instruction& origin) {
  made.copyMetadata(origin, kAccessMetadata);
  if (!impl_.dropped_scopes) made.copyMetadata(origin, kScopes);
}

void ExportOrigins::keep(llvm::Instruction& made, const llvm::Instruction& origin, BlockId b) {
  if (made.getOpcode() != origin.getOpcode() || made.getType() != origin.getType()) return;
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(made)) {
    keep_access(made, origin);
    return;
  }
  if (made.isTerminator()) {
    if (made.getNumSuccessors() == origin.getNumSuccessors()) {
      made.copyMetadata(origin, {llvm::LLVMContext::MD_loop, llvm::LLVMContext::MD_unpredictable,
                                 made.getContext().getMDKindID(kMispredicted)});
    }
    return;
  }
  if (llvm::isa<llvm::SelectInst>(made)) {
    made.copyMetadata(origin, {llvm::LLVMContext::MD_unpredictable});
  }
  if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&made)) {
    const auto* was = llvm::dyn_cast<llvm::MemIntrinsic>(&origin);
    if (!was || was->getCalledFunction() != memory->getCalledFunction()) return;
    memory->setAttributes(was->getAttributes());
    keep_access(made, origin);
    memory->setTailCallKind(was->getTailCallKind());
    return;
  }
  if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&made)) {
    const auto* was = llvm::dyn_cast<llvm::IntrinsicInst>(&origin);
    if (!was || was->getIntrinsicID() != call->getIntrinsicID()) return;
    call->setTailCallKind(was->getTailCallKind());
    if (has_poison_operand(was->getIntrinsicID()) && is_executed_as_before(origin, b)) {
      call->setArgOperand(1, was->getArgOperand(1));
    }
  }
  made.copyIRFlags(&origin);
  if (made.hasPoisonGeneratingFlags() && !is_executed_as_before(origin, b)) made.dropPoisonGeneratingFlags();
}

}  // namespace psi::llvm_bridge
