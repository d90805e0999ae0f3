// One function: parameters, blocks, and what moves along edges.
//
// In SSA form a phi stays a phi. In plain form
//
//     @b: br @d                          @b: %x.in = mov 1
//     @c: br @d                              br @d
//     @d: %x = phi [@b: 1], [@c: %y]  ==>  @c: %x.in = mov %y
//                                            br @d
//                                        @d: %x = mov %x.in
//
// which is correct for phis that read each other, and for blocks with several successors, because %x.in is
// written again before every read. Stack slots that are only loaded and stored are registers there: a load is
// a copy from, a store a copy to the register.
//
// Linear in the size of the function.

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "llvm/bridge/import.h"

namespace psi::llvm_bridge {
namespace {

std::string_view name_of(const llvm::Value& value) {
  llvm::StringRef name = value.getName();
  return {name.data(), name.size()};
}

}  // namespace

FunctionImport::FunctionImport(ModuleImport& context) : context_(context), layout_(context.layout) {}

std::string FunctionImport::run(const llvm::Function& source, Function& target) {
  Function body;
  body.symbol = target.symbol;
  body.signature = target.signature;
  body.attributes = target.attributes;
  body.pointer_bits = target.pointer_bits;
  body.form = is_plain() ? Form::Plain : Form::Ssa;
  Builder builder(body);
  target_ = &body;
  builder_ = &builder;
  reset(source);

  if (source.hasFnAttribute(llvm::Attribute::Naked)) fail("is naked");
  import_params();
  if (is_plain()) find_promotable();
  find_edge_copies();
  for (const llvm::BasicBlock& block : source) {
    if (failed()) return std::move(reason_);
    import_block(block);
  }
  for (const llvm::BasicBlock& block : source) {
    if (block.hasAddressTaken()) fail("has a block whose address is taken");
  }
  if (failed()) return std::move(reason_);
  finish_entry();
  body.shrink();
  target = std::move(body);
  if (context_.impl.keeps_origins && source.getSubprogram()) std::swap(context_.impl.regs, regs_);
  return {};
}

void FunctionImport::reset(const llvm::Function& source) {
  source_ = &source;
  reason_.clear();
  result_memory_ = Reg();
  regs_.clear();
  blocks_.clear();
  wide_regs_.clear();
  overflow_bits_.clear();
  promoted_.clear();
  expanded_.clear();
  entry_insts_.clear();
  edge_copies_.clear();
  phi_inputs_.clear();
  entry_regs_.clear();
  phi_ = 0;
  context_.impl.origins.clear();
  context_.impl.dropped_scopes = false;
  context_.impl.regs.clear();

  target_->reserve(source.getInstructionCount() + source.getInstructionCount() / 16);
  for (const llvm::BasicBlock& block : source) blocks_[&block] = target_->add_block(name_of(block));
  if (auto count = source.getEntryCount()) target_->set_count(target_->entry(), count->getCount());
  first_copy_.assign(target_->num_blocks(), kNone);
  last_copy_.assign(target_->num_blocks(), kNone);
  seen_by_.assign(target_->num_blocks(), 0);
}

void FunctionImport::import_params() {
  for (const llvm::Argument& argument : source_->args()) {
    if (is_aggregate(*argument.getType())) fail("takes a struct as a parameter");
    if (argument.hasInAllocaAttr() || argument.hasPreallocatedAttr() || argument.hasSwiftErrorAttr()) {
      fail("takes a parameter in a way that psic IR cannot express");
    }
    target_->params.push_back(argument.hasByValAttr() ? import_copied_param(argument) : reg_of(argument));
  }
  if (!is_aggregate(*source_->getReturnType())) return;
  if (source_->isVarArg()) return fail("returns a struct from a variadic function");
  result_memory_ = target_->add_reg(Type::ptr);
  target_->params.push_back(result_memory_);
}

// A structure that is passed in memory is the callee's own, but psic IR passes the address of the caller's:
// so the function begins with a copy.
Reg FunctionImport::import_copied_param(const llvm::Argument& argument) {
  const llvm::Type& type = *argument.getParamByValType();
  Reg copy = make_entry_slot(argument, type, argument.getParamAlign().valueOrOne().value());
  Reg given = target_->add_reg(Type::ptr);
  Inst record;
  record.op = Opcode::Memcpy;  // aligned to 1: what the caller's is aligned to is not known
  Operand operands[] = {Operand::reg(copy), Operand::reg(given),
                        literal(target_->address_type(), size_of(type))};
  entry_insts_.push_back(target_->add_inst(record, operands));
  return given;
}

// The same slots that LLVM's own promotion takes, as long as a register can hold what is in them.
void FunctionImport::find_promotable() {
  for (const llvm::Instruction& inst : source_->getEntryBlock()) {
    const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&inst);
    if (!slot || carrier(*slot->getAllocatedType()) == Type::none || !llvm::isAllocaPromotable(slot))
      continue;
    Reg reg = target_->add_reg(carrier(*slot->getAllocatedType()), name_of(*slot));
    regs_[slot] = reg;
    promoted_.insert(slot);
    bool written = false;
    for (const llvm::User* user : slot->users()) written = written || llvm::isa<llvm::StoreInst>(user);
    if (written) continue;
    // A register that is read must be defined somewhere.
    Inst undef;
    undef.op = Opcode::Mov;
    undef.type = target_->type(reg);
    undef.results[0] = reg;
    Operand operand = Operand::undef(undef.type);
    entry_insts_.push_back(target_->add_inst(undef, {&operand, 1}));
  }
}

void FunctionImport::find_edge_copies() {
  for (const llvm::BasicBlock& block : *source_) {
    for (const llvm::PHINode& phi : block.phis()) {
      if (phi.getNumIncomingValues() == 0) continue;
      Reg input;
      if (is_plain()) {
        std::string name(name_of(phi));
        if (!name.empty()) name += ".in";
        if (is_aggregate(*phi.getType())) fail("merges structs with a phi");
        input = target_->add_reg(type_of(*phi.getType()), name);
        phi_inputs_[&phi] = input;
      }
      ++phi_;
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        BlockId from = block_of(*phi.getIncomingBlock(i));
        if (seen_by_[from.index()] == phi_) continue;
        seen_by_[from.index()] = phi_;
        if (!is_plain()) {
          if (!llvm::isa<llvm::ConstantExpr>(phi.getIncomingValue(i))) continue;
          input = target_->add_reg(type_of(*phi.getType()));
          entry_regs_[{&phi, i}] = input;
        }
        uint32_t copy = static_cast<uint32_t>(edge_copies_.size());
        edge_copies_.push_back({input, phi.getIncomingValue(i), kNone});
        uint32_t last = last_copy_[from.index()];
        (last == kNone ? first_copy_[from.index()] : edge_copies_[last].next) = copy;
        last_copy_[from.index()] = copy;
      }
    }
  }
}

void FunctionImport::import_block(const llvm::BasicBlock& source) {
  BlockId block = block_of(source);
  builder_->at(block);
  builder_->line(0);
  builder_->origin(0);
  for (const llvm::Instruction& inst : source) {
    builder_->line(line_of(inst));
    builder_->origin(origin_of(inst));
    if (inst.isTerminator()) import_edge_copies(block);
    import_inst(inst);
    if (failed()) return;
  }
}

uint32_t FunctionImport::origin_of(const llvm::Instruction& inst) {
  LlvmModule::Impl& impl = context_.impl;
  if (!impl.keeps_origins) return 0;
  impl.origins.push_back(&inst);
  return static_cast<uint32_t>(impl.origins.size());
}

uint32_t FunctionImport::line_of(const llvm::Instruction& inst) {
  const llvm::DebugLoc& where = inst.getDebugLoc();
  return where ? where.getLine() : 0;
}

void FunctionImport::import_edge_copies(BlockId block) {
  for (uint32_t i = first_copy_[block.index()]; i != kNone; i = edge_copies_[i].next) {
    const EdgeCopy& copy = edge_copies_[i];
    Operand value = operand(*copy.value);
    builder_->into(copy.to);
    builder_->op(Opcode::Mov, target_->type(copy.to), {value});
  }
}

void FunctionImport::import_phi(const llvm::PHINode& phi) {
  if (is_aggregate(*phi.getType())) return fail("merges structs with a phi");
  if (phi.getNumIncomingValues() == 0) return define_as(phi, Operand::undef(type_of(*phi.getType())));
  if (is_plain()) return define_as(phi, Operand::reg(phi_inputs_.lookup(&phi)));
  Operands pairs;
  ++phi_;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    BlockId from = block_of(*phi.getIncomingBlock(i));
    if (seen_by_[from.index()] == phi_) continue;
    seen_by_[from.index()] = phi_;
    const llvm::Value& value = *phi.getIncomingValue(i);
    pairs.push_back(Operand::block(from));
    bool computed = llvm::isa<llvm::ConstantExpr>(value);
    pairs.push_back(computed ? Operand::reg(entry_regs_.lookup({&phi, i})) : operand(value));
  }
  Type type = type_of(*phi.getType());
  if (failed()) return;
  define(phi).phi(type, {pairs.data(), pairs.size()});
  mark_fast(phi);
}

// Slots and definitions that the import added come first.
void FunctionImport::finish_entry() {
  if (entry_insts_.empty()) return;
  std::span<const InstId> rest = target_->insts(target_->entry());
  entry_insts_.insert(entry_insts_.end(), rest.begin(), rest.end());
  target_->set_insts(target_->entry(), entry_insts_);
}

// --- Registers ------------------------------------------------------------------------------------------

Reg FunctionImport::reg_of(const llvm::Value& value) {
  auto [at, added] = regs_.try_emplace(&value);
  if (added) at->second = target_->add_reg(type_of(*value.getType()), name_of(value));
  return at->second;
}

Type FunctionImport::type_of(const llvm::Type& type) {
  Type carried = carrier(type);
  if (carried != Type::none) return carried;
  fail(unsupported_type(type));
  return Type::i64;
}

void FunctionImport::define_as(const llvm::Instruction& inst, Operand value) {
  define(inst).op(Opcode::Mov, target_->type(reg_of(inst)), {value});
}

void FunctionImport::mark_fast(const llvm::Instruction& inst) {
  if (!llvm::isa<llvm::FPMathOperator>(inst) || !inst.isFast()) return;
  if (is_float(last().type)) last().flags |= Inst::kFast;
}

void FunctionImport::fail(std::string reason) {
  if (reason_.empty()) reason_ = std::move(reason);
}

}  // namespace psi::llvm_bridge
