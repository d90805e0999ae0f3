// Exports a function to LLVM IR.
//
// Registers become values, phis phis, and a psi a chain of selects, the last argument outermost. Guarded
// instructions that cannot trap are speculated, as they are unread where the guard is false; all others get a
// new block behind a branch. In plain form registers are stack slots (export_values.h). A block with guarded
// terminators becomes several.

#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <charconv>

#include "llvm/bridge/export.h"
#include "llvm/bridge/export_calls.h"
#include "llvm/bridge/export_ops.h"
#include "llvm/bridge/export_origins.h"
#include "llvm/bridge/export_values.h"
#include "llvm/bridge/export_variables.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi::llvm_bridge {
namespace {

class FunctionExport {
 public:
  FunctionExport(LlvmModule::Impl& impl, llvm::Function& target, llvm::Function& original,
                 const Module& module, const Function& function)
      : module_(module),
        function_(function),
        target_(target),
        context_(impl.module->getContext()),
        builder_(context_),
        analyses_(function),
        values_(module, function, analyses_, *impl.module, builder_),
        calls_(impl, original, builder_),
        origins_(impl, original, analyses_),
        variables_(impl, origins_, values_, original, function) {}

  // Exports; the result is the reason of a failure, or empty.
  std::string run() {
    make_blocks();
    enter();
    for (BlockId b : analyses_.get<Order>().reverse_post_order()) block(b);
    for (BlockId b : function_.layout()) {
      if (!analyses_.get<Order>().is_reachable(b)) block(b);
    }
    fill_phis();
    drop_freezes();
    return calls_.problem();
  }

 private:
  void make_blocks() {
    blocks_.resize(function_.num_blocks());
    for (BlockId b : function_.layout()) {
      std::string_view name = function_.name(b);
      blocks_[b.index()] =
          llvm::BasicBlock::Create(context_, llvm::StringRef(name.data(), name.size()), &target_);
    }
  }

  // Slots and parameters, in the entry block.
  void enter() {
    builder_.SetInsertPoint(blocks_[function_.entry().index()]);
    values_.make_slots();
    for (size_t i = 0; i < function_.params.size(); ++i) {
      Reg param = function_.params[i];
      llvm::Value* value;
      if (i < target_.arg_size()) {
        value = resize(builder_, target_.getArg(static_cast<unsigned>(i)),
                       llvm_type(context_, function_.type(param)));
      } else {
        // The memory for a structure that is returned.
        value = result_memory_ = builder_.CreateAlloca(target_.getReturnType());
      }
      values_.write(param, value);
    }
  }

  void block(BlockId b) {
    builder_.SetInsertPoint(blocks_[b.index()]);
    block_ = b;
    for (InstId id : function_.insts(b)) {
      locate(id);
      const Inst& inst = function_.inst(id);
      llvm::BasicBlock* place = builder_.GetInsertBlock();
      llvm::Instruction* before = last_emitted();
      if (inst.is_terminator()) {
        terminator(b, id);
      } else if (inst.is_phi()) {
        phi(b, id);
      } else {
        instruction(id);
      }
      keep_variables(place, before);
    }
  }

  // Nothing may precede a phi, and records need an instruction to precede.
  void keep_variables(llvm::BasicBlock* place, llvm::Instruction* before) {
    if (!origin_) return;
    llvm::Instruction* first = before ? before->getNextNode() : place->empty() ? nullptr : &place->front();
    if (first && !llvm::isa<llvm::PHINode>(first)) variables_.keep(*first, *origin_, block_);
  }

  void locate(InstId id) {
    origin_ = origins_.of(function_, id);
    llvm::DISubprogram* subprogram = target_.getSubprogram();
    if (!subprogram) return;
    llvm::DebugLoc where = origin_ ? origin_->getDebugLoc() : llvm::DebugLoc();
    uint32_t line = origins_.are_known() ? 0 : function_.line(id);
    if (!where) where = llvm::DILocation::get(context_, line, 0, subprogram);
    builder_.SetCurrentDebugLocation(where);
  }

  // --- Phis -----------------------------------------------------------------------------------------
  void phi(BlockId b, InstId id) {
    const Inst& inst = function_.inst(id);
    llvm::PHINode* node = builder_.CreatePHI(llvm_type(context_, inst.type),
                                             static_cast<unsigned>(phi_entries(function_, id).size()));
    phis_.push_back({b, id, node});
    values_.write(inst.results[0], node);
  }

  // After all values are defined. A phi has one entry for each LLVM edge.
  void fill_phis() {
    std::vector<std::vector<Arrival>> arrivals(function_.num_blocks());
    for (const Arrival& arrival : arrivals_) arrivals[arrival.to.index()].push_back(arrival);
    std::vector<Operand> value_from(function_.num_blocks());
    for (const PendingPhi& phi : phis_) {
      for (auto [from, value] : phi_entries(function_, phi.inst)) value_from[from.index()] = value;
      for (const Arrival& arrival : arrivals[phi.block.index()]) {
        // A constant or a value; neither needs an instruction to be read.
        phi.node->addIncoming(values_.read(value_from[arrival.from.index()]), arrival.block);
      }
    }
  }

  // LLVM may know of a value that it is defined, when all phis have theirs.
  void drop_freezes() {
    for (llvm::FreezeInst* freeze : freezes_) {
      if (!llvm::isGuaranteedNotToBeUndefOrPoison(freeze->getOperand(0))) continue;
      freeze->replaceAllUsesWith(freeze->getOperand(0));
      freeze->eraseFromParent();
    }
  }

  // --- Instructions ---------------------------------------------------------------------------------
  void instruction(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.is_psi()) return psi(id);
    llvm::Value* guard = inst.guard ? values_.predicate(inst.guard.as_operand()) : nullptr;
    if (!guard || is_harmless(inst)) {
      emit(id, guard);
      return;
    }
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* then = new_block_after(before);
    llvm::BasicBlock* after = new_block_after(then);
    builder_.CreateCondBr(guard, then, after);
    builder_.SetInsertPoint(then);
    emit(id, nullptr);
    llvm::BasicBlock* end = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
    // Where it was not executed the result is undefined.
    for (Reg result : inst.results) {
      if (!result || values_.has_slot(result)) continue;
      llvm::Value* value = values_.read(result);
      llvm::PHINode* node = builder_.CreatePHI(value->getType(), 2);
      node->addIncoming(value, end);
      node->addIncoming(llvm::PoisonValue::get(value->getType()), before);
      values_.write(result, node);
    }
  }

  static bool is_harmless(const Inst& inst) {
    if (inst.op == Opcode::Slot) return true;
    return inst.is_pure() ||
           (inst.op == Opcode::Load && inst.has_flag(Inst::kDeref) && !inst.has_flag(Inst::kVolatile));
  }

  void psi(InstId id) {
    PsiArguments arguments = psi_arguments(function_, id);
    llvm::Value* value = values_.read(arguments.front().value);
    for (PsiArgument argument : arguments.without_first()) {
      value = builder_.CreateSelect(values_.predicate(argument.guard), values_.read(argument.value), value);
      keep_select(value, id);
    }
    values_.write(function_.inst(id).results[0], value);
  }

  // LLVM's code generator may turn selects into branches. Selects that LLVM had before are left to it, unless
  // psic had made branches of them, which removes their counts; psic made the others because a branch is
  // worse.
  void keep_select(llvm::Value* value, InstId id) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(value);
    if (!select) return;
    if (llvm::MDNode* counts = weights(id)) select->setMetadata(llvm::LLVMContext::MD_prof, counts);
    if (!origins_.are_known()) return;
    bool is_as_before = origin_ && llvm::isa<llvm::SelectInst>(origin_) &&
                        (select->hasMetadata(llvm::LLVMContext::MD_prof) ||
                         !origin_->hasMetadata(llvm::LLVMContext::MD_prof));
    if (is_as_before) return;
    select->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(context_, {}));
  }

  llvm::Instruction* last_emitted() {
    llvm::BasicBlock* block = builder_.GetInsertBlock();
    return block->empty() ? nullptr : &block->back();
  }
  // The last emitted instruction keeps its origin's properties, unless it is older: constants need no
  // instruction.
  void keep_origin(llvm::Instruction* before) {
    llvm::Instruction* last = last_emitted();
    if (origins_.trusted(origin_) && last != before) origins_.keep(*last, *origin_, block_);
  }

  void emit(InstId id, llvm::Value* guard) {
    const Inst& inst = function_.inst(id);
    if (inst.op == Opcode::Cmpp) return cmpp(id, guard);
    operands_.clear();
    for (Operand operand : function_.operands(inst)) operands_.push_back(values_.read(operand));
    llvm::Instruction* before = last_emitted();
    llvm::Value* result = nullptr;
    switch (inst.format()) {
      case Format::Slot:
        result = slot(inst);
        break;
      case Format::Load:
        result = builder_.CreateAlignedLoad(llvm_type(context_, inst.type), operands_[0],
                                            llvm::Align(inst.align()), inst.has_flag(Inst::kVolatile));
        break;
      case Format::Store:
        builder_.CreateAlignedStore(operands_[0], operands_[1], llvm::Align(inst.align()),
                                    inst.has_flag(Inst::kVolatile));
        break;
      case Format::MemCopy:
      case Format::MemSet:
        memory(inst);
        break;
      case Format::VaList:
      case Format::VaCopy:
        va_list(inst);
        break;
      case Format::VaArg:
        result = builder_.CreateVAArg(operands_[0], llvm_type(context_, inst.type));
        break;
      case Format::Call:
        result = call(inst);
        break;
      default:
        result = compute(id);
        break;
    }
    if (inst.op != Opcode::Call) keep_origin(before);
    if (inst.results[0]) values_.write(inst.results[0], result, guard);
  }

  llvm::Value* compute(InstId id) {
    const Inst& inst = function_.inst(id);
    if (origins_.trusted(origin_)) {
      llvm::Value* as_before = origins_.compute(builder_, *origin_, function_, inst, operands_, block_);
      if (as_before) return as_before;
    }
    llvm::Value* result = emit_op(builder_, inst, operands_);
    if (inst.op == Opcode::Select) keep_select(result, id);
    auto* freeze = llvm::dyn_cast_or_null<llvm::FreezeInst>(result);
    if (freeze && inst.op == Opcode::Freeze) freezes_.push_back(freeze);
    return result;
  }

  void cmpp(InstId id, llvm::Value* guard) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = function_.operands(inst);
    CmppView cmpp = as_cmpp(operands);
    llvm::Value *a = values_.read(cmpp.left), *b = values_.read(cmpp.right);
    llvm::Value* input = values_.predicate(cmpp.input);
    std::array<llvm::Value*, 2> olds = {};
    for (int i = 0; i < 2; ++i) {
      if (!inst.results[i] || !is_partial(inst.action(i))) continue;
      olds[i] =
          inst.has_old_values() ? values_.read(old_value(inst, operands, i)) : values_.read(inst.results[i]);
    }
    std::array<llvm::Value*, 2> results = emit_cmpp(builder_, inst, a, b, input, olds);
    for (int i = 0; i < 2; ++i) {
      if (results[i]) values_.write(inst.results[i], results[i], guard);
    }
  }

  llvm::Value* slot(const Inst& inst) {
    llvm::AllocaInst* slot = builder_.CreateAlloca(builder_.getInt8Ty(), operands_[0]);
    if (auto* size = llvm::dyn_cast<llvm::ConstantInt>(operands_[0])) {
      // A constant size makes a part of the frame, if it stands in the entry block.
      slot->eraseFromParent();
      slot = builder_.CreateAlloca(llvm::ArrayType::get(builder_.getInt8Ty(), size->getZExtValue()));
    }
    slot->setAlignment(llvm::Align(inst.align()));
    return slot;
  }

  void memory(const Inst& inst) {
    bool is_volatile = inst.has_flag(Inst::kVolatile);
    llvm::MaybeAlign align(inst.align());
    if (inst.op == Opcode::Memset) {
      builder_.CreateMemSet(operands_[0], operands_[1], operands_[2], align, is_volatile);
    } else if (inst.op == Opcode::Memcpy) {
      builder_.CreateMemCpy(operands_[0], align, operands_[1], align, operands_[2], is_volatile);
    } else {
      builder_.CreateMemMove(operands_[0], align, operands_[1], align, operands_[2], is_volatile);
    }
  }

  void va_list(const Inst& inst) {
    llvm::Intrinsic::ID id = inst.op == Opcode::VaStart ? llvm::Intrinsic::vastart
                             : inst.op == Opcode::VaEnd ? llvm::Intrinsic::vaend
                                                        : llvm::Intrinsic::vacopy;
    builder_.CreateIntrinsic(id, {operands_[0]->getType()}, operands_);
  }

  llvm::Value* call(const Inst& inst) {
    Operand callee = function_.operands(inst)[0];
    std::span<llvm::Value* const> arguments = std::span(operands_).subspan(1);
    constexpr std::string_view kOpaque = "psi.llvm.";
    if (callee.is_symbol() && module_.name(callee.symbol()).starts_with(kOpaque)) {
      std::string_view digits = module_.name(callee.symbol()).substr(kOpaque.size());
      uint32_t number = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
      llvm::Value* result = calls_.opaque(number, arguments);
      return result ? resize(builder_, result, llvm_type(context_, inst.type)) : nullptr;
    }
    return calls_.call(operands_[0], arguments, inst.results[0] ? inst.type : Type::none,
                       origins_.trusted(origin_));
  }

  // --- Terminators ----------------------------------------------------------------------------------
  void terminator(BlockId b, InstId id) {
    const Inst& inst = function_.inst(id);
    if (!inst.guard) {
      leave(b, id);
      return;
    }
    llvm::Value* guard = values_.predicate(inst.guard.as_operand());
    llvm::BasicBlock* then = new_block_after(builder_.GetInsertBlock());
    llvm::BasicBlock* rest = new_block_after(then);
    builder_.CreateCondBr(guard, then, rest);
    builder_.SetInsertPoint(then);
    leave(b, id);
    builder_.SetInsertPoint(rest);
  }

  void leave(BlockId from, InstId id) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = function_.operands(inst);
    for (Operand operand : operands) {
      if (operand.is_block()) arrivals_.push_back({operand.block(), from, builder_.GetInsertBlock()});
    }
    llvm::Instruction* before = last_emitted();
    write_terminator(id, inst, operands);
    keep_origin(before);
  }

  void write_terminator(InstId id, const Inst& inst, std::span<const Operand> operands) {
    auto block = [&](BlockId b) { return blocks_[b.index()]; };
    switch (inst.op) {
      case Opcode::Br:
        if (inst.is_jump()) {
          builder_.CreateBr(block(jump_target(function_, inst)));
        } else {
          BranchView branch = as_branch(operands);
          builder_.CreateCondBr(kept_apart(values_.read(branch.condition)), block(branch.then),
                                block(branch.otherwise), weights(id));
        }
        break;
      case Opcode::Switch: {
        SwitchView choice = as_switch(operands);
        llvm::SwitchInst* node =
            builder_.CreateSwitch(values_.read(choice.value), block(choice.otherwise),
                                  static_cast<unsigned>(choice.cases.size()), weights(id));
        for (auto [literal, target] : choice.cases) {
          node->addCase(llvm::cast<llvm::ConstantInt>(values_.read(literal)), block(target));
        }
        break;
      }
      case Opcode::Ret:
        return_value(operands);
        break;
      default:
        builder_.CreateUnreachable();
        break;
    }
  }

  // psic may have split a branch on two conditions. Where the two leave a loop, LLVM joins them again before
  // its code generator, unless it would have to freeze a condition.
  llvm::Value* kept_apart(llvm::Value* condition) {
    const auto* branch = llvm::dyn_cast_or_null<llvm::BranchInst>(origin_);
    if (!branch || !branch->isConditional() || !llvm::isa<llvm::CmpInst>(condition)) return condition;
    const llvm::Value* was = branch->getCondition();
    if (const auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(was)) was = frozen->getOperand(0);
    using namespace llvm::PatternMatch;
    bool was_joined =
        llvm::isa<llvm::SelectInst>(was) && (match(was, m_LogicalAnd()) || match(was, m_LogicalOr()));
    return was_joined ? builder_.CreateFreeze(condition) : condition;
  }

  void return_value(std::span<const Operand> operands) {
    llvm::Type* type = target_.getReturnType();
    if (result_memory_) {
      builder_.CreateRet(builder_.CreateLoad(type, result_memory_));
    } else if (operands.empty()) {
      builder_.CreateRetVoid();
    } else {
      builder_.CreateRet(resize(builder_, values_.read(operands[0]), type));
    }
  }

  llvm::MDNode* weights(InstId id) {
    std::span<const uint64_t> counts = function_.edge_counts(id);
    uint64_t most = 0;
    for (uint64_t count : counts) most = std::max(most, count);
    if (most == 0) return nullptr;
    uint64_t scale = most / UINT32_MAX + 1;
    std::vector<uint32_t> scaled;
    for (uint64_t count : counts) scaled.push_back(static_cast<uint32_t>(count / scale));
    return llvm::MDBuilder(context_).createBranchWeights(scaled);
  }

  llvm::BasicBlock* new_block_after(llvm::BasicBlock* block) {
    return llvm::BasicBlock::Create(context_, "", &target_, block->getNextNode());
  }

  // An edge of LLVM's graph, and the psic block that it comes from.
  struct Arrival {
    BlockId to;
    BlockId from;
    llvm::BasicBlock* block;
  };
  struct PendingPhi {
    BlockId block;
    InstId inst;
    llvm::PHINode* node;
  };

  const Module& module_;
  const Function& function_;
  llvm::Function& target_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  Analyses analyses_;
  ExportValues values_;
  ExportCalls calls_;
  ExportOrigins origins_;
  ExportVariables variables_;
  // The current instruction's psic block, and its origin if known.
  BlockId block_;
  const llvm::Instruction* origin_ = nullptr;
  llvm::AllocaInst* result_memory_ = nullptr;
  std::vector<llvm::BasicBlock*> blocks_;  // by BlockId
  std::vector<Arrival> arrivals_;
  std::vector<PendingPhi> phis_;
  std::vector<llvm::FreezeInst*> freezes_;
  std::vector<llvm::Value*> operands_;
};

// The replaced body of a function, moved to a separate function: the model for calls, and the source of
// opaque instructions.
class OldBody {
 public:
  OldBody(LlvmModule::Impl& impl, const LlvmModule::Impl::Imported& imported)
      : impl_(impl), target_(*imported.function) {
    own_opaque_ =
        std::span(impl.opaque).subspan(imported.first_opaque, imported.end_opaque - imported.first_opaque);
    opaque_.assign(own_opaque_.begin(), own_opaque_.end());
    impl_.replaced = {&target_, new_function()};
    body().splice(body().begin(), &target_);
  }

  llvm::Function& body() { return *impl_.replaced.old_body; }

  void drop() {
    for (llvm::Instruction*& inst : own_opaque_) {
      if (inst && inst->getFunction() == &body()) inst = nullptr;
    }
    body().eraseFromParent();
    impl_.replaced = {};
  }
  void restore() {
    std::copy(opaque_.begin(), opaque_.end(), own_opaque_.begin());
    restore_body(impl_);
  }

 private:
  llvm::Function* new_function() {
    return llvm::Function::Create(target_.getFunctionType(), llvm::GlobalValue::PrivateLinkage, "",
                                  impl_.module);
  }

  LlvmModule::Impl& impl_;
  llvm::Function& target_;
  std::span<llvm::Instruction*> own_opaque_;
  std::vector<llvm::Instruction*> opaque_;
};

}  // namespace

void restore_body(LlvmModule::Impl& impl) {
  auto [target, old_body] = impl.replaced;
  if (!target) return;
  impl.replaced = {};
  // LLVM's deletion of a body removes the function's metadata, too.
  llvm::Function* refused = llvm::Function::Create(
      target->getFunctionType(), llvm::GlobalValue::PrivateLinkage, "", target->getParent());
  refused->splice(refused->begin(), target);
  target->splice(target->begin(), old_body);
  refused->eraseFromParent();
  old_body->eraseFromParent();
}

std::string export_function(LlvmModule::Impl& impl, const LlvmModule::Impl::Imported& imported,
                            const Module& module, const Function& function) {
  llvm::Function& target = *imported.function;
  if (function.form == Form::Allocated) return "it is in allocated form";
  OldBody old(impl, imported);
  std::string problem = FunctionExport(impl, target, old.body(), module, function).run();
  if (impl.while_replaced) impl.while_replaced();
  std::string broken;
  llvm::raw_string_ostream out(broken);
  if (problem.empty() && llvm::verifyFunction(target, &out)) {
    problem = fmt::format("the new body does not verify: {}", broken);
  }
  problem.empty() ? old.drop() : old.restore();
  return problem;
}

}  // namespace psi::llvm_bridge
