#include "llvm/profile/predictability.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/ProfileData/InstrProf.h>
#include <llvm/Support/MD5.h>

#include <algorithm>
#include <string>
#include <vector>

#include "llvm/passes/prevent_peeling.h"
#include "llvm/profile/branch_predictor.h"

namespace psi::llvm_bridge {
namespace {

constexpr const char* kRecord = "psi.predict.";  // before the name that clang's profile has for the function
constexpr const char* kMeasured = "psi-predictability";
constexpr unsigned kCounters = 2;    // of each branch: executions and mispredictions
constexpr unsigned kMaxCases = 8;    // of a switch, each of which is measured as a branch
constexpr uint32_t kWhole = 10'000;  // fractions in metadata are integers, of this

// The condition of a branch, of a select that a code generator may turn into a branch, or of a small switch;
// null for others.
llvm::Value* condition(const llvm::Instruction& inst) {
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&inst)) {
    return branch->isConditional() ? inst.getOperand(0) : nullptr;
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst)) {
    return select->getCondition()->getType()->isIntegerTy(1) ? inst.getOperand(0) : nullptr;
  }
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&inst);
  return choice && choice->getNumCases() <= kMaxCases ? inst.getOperand(0) : nullptr;
}

// The measured instructions, in the order of the function.
std::vector<llvm::Instruction*> decisions(llvm::Function& function) {
  std::vector<llvm::Instruction*> found;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (condition(inst)) found.push_back(&inst);
  }
  return found;
}

// The number of branches that it takes.
uint32_t num_branches(const llvm::Instruction& decision) {
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&decision);
  return choice ? choice->getNumCases() : 1;
}

// Identifies the measured function.
uint64_t shape_of(const std::vector<llvm::Instruction*>& decisions) {
  uint64_t hash = 0;
  for (const llvm::Instruction* decision : decisions) {
    uint64_t word = decision->getOpcode() << 8 | num_branches(*decision);
    if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(condition(*decision))) {
      word = word << 8 | compare->getPredicate();
    }
    hash = (hash ^ word) * 0xd6e8feb86659fd93;
    hash ^= hash >> 32;
  }
  // The top bits would make it a record of another kind.
  return hash & 0x0fff'ffff'ffff'ffff;
}

bool is_measured(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() && !function.hasOptNone() &&
         !function.hasFnAttribute(llvm::Attribute::NoProfile) &&
         !function.hasFnAttribute(llvm::Attribute::SkipProfile);
}

std::string record_of(const llvm::Function& function) { return kRecord + llvm::getIRPGOFuncName(function); }

// LLVM attaches a function's value profiles to the record of its first counter. So an increment of that
// record, by zero, precedes ours.
void keep_first(llvm::Function& function) {
  llvm::InstrProfIncrementInst* first = nullptr;
  bool has_values = false;
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    if (!first) first = llvm::dyn_cast<llvm::InstrProfIncrementInst>(&inst);
    has_values |= llvm::isa<llvm::InstrProfValueProfileInst>(inst);
  }
  if (!first || !has_values) return;
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder.CreateIntrinsic(llvm::Intrinsic::instrprof_increment_step, {},
                          {first->getArgOperand(0), first->getHash(), first->getNumCounters(),
                           first->getIndex(), builder.getInt64(0)});
}

// Adds the predictor to the decisions of a function.
class Measurement {
 public:
  Measurement(llvm::Function& function, const std::vector<llvm::Instruction*>& decisions)
      : module_(*function.getParent()), decisions_(decisions), builder_(function.getContext()) {
    std::string record = record_of(function);
    number_ = static_cast<uint32_t>(llvm::MD5Hash(record));
    shape_ = shape_of(decisions);
    name_ = llvm::createPGOFuncNameVar(function, record);
    uint32_t branches = 0;
    for (const llvm::Instruction* decision : decisions) branches += num_branches(*decision);
    states_ = llvm::ArrayType::get(builder_.getInt16Ty(), kStateWords * branches);
    memory_ = new llvm::GlobalVariable(module_, states_, false, llvm::GlobalValue::InternalLinkage,
                                       llvm::Constant::getNullValue(states_), "__psi_branches");
  }

  void run() {
    for (uint32_t i = 0; i < decisions_.size(); ++i) {
      llvm::Instruction* decision = decisions_[i];
      builder_.SetInsertPoint(decision);
      llvm::Value* mispredicted = nullptr;
      if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(decision)) {
        mispredicted = builder_.getInt64(0);
        for (const auto& option : choice->cases()) {
          llvm::Value* is_it = builder_.CreateICmpEQ(choice->getCondition(), option.getCaseValue());
          mispredicted = builder_.CreateOr(mispredicted, predict(is_it, true));
        }
      } else {
        mispredicted = predict(condition(*decision), llvm::isa<llvm::BranchInst>(decision));
      }
      count(kCounters * i, builder_.getInt64(1));
      count(kCounters * i + 1, mispredicted);
    }
  }

 private:
  llvm::Value* predict(llvm::Value* outcome, bool is_branch) {
    constexpr uint32_t kApart = 0x9e3779b1;
    llvm::Value* state = builder_.CreateConstInBoundsGEP2_32(states_, memory_, 0, kStateWords * branch_);
    uint32_t number = (number_ + branch_++) * kApart >> 12;
    return builder_.CreateCall(branch_predictor(module_),
                               {state, builder_.getInt32(number), outcome, builder_.getInt1(is_branch)});
  }

  void count(uint32_t counter, llvm::Value* step) {
    auto counters = static_cast<uint32_t>(kCounters * decisions_.size());
    builder_.CreateIntrinsic(
        llvm::Intrinsic::instrprof_increment_step, {},
        {name_, builder_.getInt64(shape_), builder_.getInt32(counters), builder_.getInt32(counter), step});
  }

  llvm::Module& module_;
  const std::vector<llvm::Instruction*>& decisions_;
  llvm::IRBuilder<> builder_;
  llvm::GlobalVariable* name_ = nullptr;
  llvm::Type* states_ = nullptr;
  llvm::GlobalVariable* memory_ = nullptr;  // of the predictor, for each branch
  uint64_t shape_ = 0;
  uint32_t number_ = 0;  // tells the function's branches from those of others
  uint32_t branch_ = 0;  // the next
};

llvm::Metadata* as_metadata(llvm::LLVMContext& context, double rate) {
  auto part = static_cast<uint32_t>(rate * kWhole + 0.5);
  return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), part));
}

double as_fraction(const llvm::MDOperand& operand) {
  const auto* part = llvm::mdconst::dyn_extract<llvm::ConstantInt>(operand);
  return part ? static_cast<double>(part->getZExtValue()) / kWhole : 0;
}

void mark(llvm::Instruction& decision, uint64_t executed, uint64_t mispredicted) {
  std::optional<double> rarer = rarer_probability(decision);
  // The source's annotation wins.
  if (!rarer || executed == 0 || decision.hasMetadata(llvm::LLVMContext::MD_unpredictable)) return;
  // A static predictor does no worse than that.
  double rate = std::min(*rarer, static_cast<double>(mispredicted) / static_cast<double>(executed));
  llvm::LLVMContext& context = decision.getContext();
  decision.setMetadata(
      kMispredicted, llvm::MDNode::get(context, {as_metadata(context, rate), as_metadata(context, *rarer)}));
  // LLVM ignores the other mark. Its own can hold the figures, and passes keep it where they turn a branch
  // into a select.
  if (is_unpredictable(rate))
    decision.setMetadata(llvm::LLVMContext::MD_unpredictable, decision.getMetadata(kMispredicted));
}

}  // namespace

std::optional<double> rarer_probability(const llvm::Instruction& inst) {
  llvm::SmallVector<uint32_t, 8> weights;
  if (!llvm::extractBranchWeights(inst, weights)) return {};
  uint64_t all = 0, most = 0;
  for (uint64_t weight : weights) {
    all += weight;
    most = std::max(most, weight);
  }
  if (all == 0) return {};
  return 1 - static_cast<double>(most) / static_cast<double>(all);
}

bool measure_predictability(llvm::Module& module) {
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module) {
    if (is_measured(function)) functions.push_back(&function);
  }
  bool is_changed = false;
  for (llvm::Function* function : functions) {
    std::vector<llvm::Instruction*> found = decisions(*function);
    if (found.empty()) continue;
    keep_first(*function);
    Measurement(*function, found).run();
    is_changed = true;
  }
  return is_changed;
}

bool mark_predictability(llvm::Module& module, llvm::IndexedInstrProfReader& profile) {
  bool is_changed = false;
  for (llvm::Function& function : module) {
    if (!is_measured(function)) continue;
    std::vector<llvm::Instruction*> found = decisions(function);
    if (found.empty()) continue;
    auto record = profile.getInstrProfRecord(record_of(function), shape_of(found));
    if (!record) {
      llvm::consumeError(record.takeError());
      continue;
    }
    if (record->Counts.size() != kCounters * found.size()) continue;
    for (size_t i = 0; i < found.size(); ++i) {
      mark(*found[i], record->Counts[kCounters * i], record->Counts[kCounters * i + 1]);
    }
    function.addFnAttr(kMeasured);
    prevent_peeling(function);
    is_changed = true;
  }
  return is_changed;
}

bool has_predictability(const llvm::Function& function) { return function.hasFnAttribute(kMeasured); }

std::optional<double> misprediction_rate(const llvm::Instruction& inst) {
  const llvm::MDNode* node = inst.getMetadata(kMispredicted);
  if (!node) node = inst.getMetadata(llvm::LLVMContext::MD_unpredictable);
  if (!node || node->getNumOperands() != 2) return {};
  double mispredicted = as_fraction(node->getOperand(0)), then = as_fraction(node->getOperand(1));
  double now = rarer_probability(inst).value_or(then);
  return std::min(now, mispredicted + std::max(now - then, 0.0));
}

std::optional<double> unmarked_rate(const llvm::SelectInst& select) {
  constexpr double kUnmarked = 0.02;
  std::optional<double> rarer = rarer_probability(select);
  bool is_unknown = !rarer || !has_predictability(*select.getFunction()) ||
                    select.hasMetadata(llvm::LLVMContext::MD_unpredictable) ||
                    select.getType()->isIntegerTy(1);
  return is_unknown ? std::nullopt : std::optional(std::min(*rarer, kUnmarked));
}

bool is_unpredictable(double mispredicted) {
  // A misprediction costs more than ten selects.
  constexpr double kUnpredictableRate = 0.15;
  return mispredicted >= kUnpredictableRate;
}

}  // namespace psi::llvm_bridge
