#include "llvm/profile/branch_predictor.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/TargetParser/Triple.h>

namespace psi::llvm_bridge {
namespace {

constexpr const char* kName = "__psi_predict";
constexpr const char* kMemory = "__psi_predictor";
// The last table is no larger than those of processors; a larger one would predict what they cannot.
constexpr uint32_t kTableSize = 1 << 18, kLongTableSize = 1 << 14;
constexpr uint32_t kOwnPast = (1 << 10) - 1, kPast = (1 << 16) - 1;

// Three predictors, of which each branch uses the one that was right more often: indexed by the last ten
// outcomes of the branch, by the last sixteen of all branches, and by the last 64. Saturating counters
// predict taken from 0 on. All files of a program share them. Addresses are not used, so that the same run
// gives the same profile.
class Predictor {
 public:
  explicit Predictor(llvm::Module& module)
      : module_(module), context_(module.getContext()), builder_(context_) {}

  llvm::Function* make() {
    memory_ = make_memory();
    llvm::Type* bit = builder_.getInt1Ty();
    auto* type = llvm::FunctionType::get(builder_.getInt64Ty(),
                                         {builder_.getPtrTy(), builder_.getInt32Ty(), bit, bit}, false);
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::LinkOnceODRLinkage, kName, module_);
    share(*function);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", function));
    state_ = function->getArg(0);
    number_ = function->getArg(1);
    outcome_ = function->getArg(2);
    builder_.CreateRet(builder_.CreateZExt(mispredicted(function->getArg(3)), builder_.getInt64Ty()));
    return function;
  }

 private:
  llvm::GlobalVariable* make_memory() {
    llvm::Type* table = llvm::ArrayType::get(builder_.getInt8Ty(), kTableSize);
    llvm::Type* long_table = llvm::ArrayType::get(builder_.getInt8Ty(), kLongTableSize);
    parts_ = llvm::StructType::get(context_, {table, table, long_table, builder_.getInt64Ty()});
    auto* memory = new llvm::GlobalVariable(module_, parts_, false, llvm::GlobalValue::LinkOnceODRLinkage,
                                            llvm::Constant::getNullValue(parts_), kMemory);
    share(*memory);
    return memory;
  }

  void share(llvm::GlobalObject& object) {
    object.setVisibility(llvm::GlobalValue::HiddenVisibility);
    if (llvm::Triple(module_.getTargetTriple()).supportsCOMDAT()) {
      object.setComdat(module_.getOrInsertComdat(object.getName()));
    }
  }

  llvm::Value* mispredicted(llvm::Value* is_branch) {
    llvm::Value* own_past = builder_.CreateLoad(builder_.getInt16Ty(), state_);
    builder_.CreateStore(builder_.CreateAnd(with_outcome(own_past), kOwnPast), state_);
    llvm::Value* past_at = builder_.CreateStructGEP(parts_, memory_, 3);
    llvm::Value* past = builder_.CreateLoad(builder_.getInt64Ty(), past_at);
    builder_.CreateStore(builder_.CreateSelect(is_branch, with_outcome(past), past), past_at);

    llvm::Value* last = builder_.CreateAnd(past, kPast);
    // Each bit of the index depends on the whole history.
    constexpr uint64_t kMix = 0x9e3779b97f4a7c15;
    constexpr unsigned kShift = 64 - 14;
    static_assert(kLongTableSize == 1 << (64 - kShift));
    llvm::Value* mixed = builder_.CreateLShr(builder_.CreateMul(past, builder_.getInt64(kMix)), kShift);
    llvm::Value* wrong = better(1, ask(0, own_past, kTableSize), ask(1, last, kTableSize));
    return better(2, wrong, ask(2, mixed, kLongTableSize));
  }

  // Of two predictions, that of the predictor that was right more often, by a counter in the state.
  llvm::Value* better(uint32_t word, llvm::Value* one_wrong, llvm::Value* other_wrong) {
    llvm::Type* type = builder_.getInt16Ty();
    llvm::Value* at = builder_.CreateConstInBoundsGEP1_32(type, state_, word);
    llvm::Value* value = builder_.CreateLoad(type, at);
    llvm::Value* step =
        builder_.CreateSub(builder_.CreateZExt(other_wrong, type), builder_.CreateZExt(one_wrong, type));
    constexpr int kLeast = -8, kMost = 7;
    count(at, value, step, kLeast, kMost);
    return builder_.CreateSelect(is_yes(value), one_wrong, other_wrong);
  }

  // Was a table's prediction for this history wrong? Trains the table.
  llvm::Value* ask(uint32_t table, llvm::Value* past, uint32_t size) {
    llvm::Value* mixed = builder_.CreateXor(builder_.CreateZExtOrTrunc(past, builder_.getInt32Ty()), number_);
    llvm::Value* index = builder_.CreateAnd(mixed, size - 1);
    llvm::Value* counter =
        builder_.CreateInBoundsGEP(parts_, memory_, {builder_.getInt32(0), builder_.getInt32(table), index});
    llvm::Value* value = builder_.CreateLoad(builder_.getInt8Ty(), counter);
    constexpr int kLeast = -2, kMost = 1;
    llvm::Value* step = builder_.CreateSelect(outcome_, builder_.getInt8(1), builder_.getInt8(0xff));
    count(counter, value, step, kLeast, kMost);
    return builder_.CreateXor(is_yes(value), outcome_);
  }

  llvm::Value* is_yes(llvm::Value* counter) {
    return builder_.CreateICmpSGE(counter, llvm::ConstantInt::get(counter->getType(), 0));
  }

  void count(llvm::Value* at, llvm::Value* value, llvm::Value* step, int least, int most) {
    auto limit = [&](int number) { return llvm::ConstantInt::getSigned(value->getType(), number); };
    llvm::Value* next = builder_.CreateAdd(value, step);
    next = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, next, limit(most));
    next = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, next, limit(least));
    builder_.CreateStore(next, at);
  }

  llvm::Value* with_outcome(llvm::Value* past) {
    return builder_.CreateOr(builder_.CreateShl(past, 1), builder_.CreateZExt(outcome_, past->getType()));
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::StructType* parts_ = nullptr;  // of the memory: the tables, and the past of all branches
  llvm::Value* memory_ = nullptr;
  llvm::Value* state_ = nullptr;  // of the branch: its past, and which tables to believe
  llvm::Value* number_ = nullptr;
  llvm::Value* outcome_ = nullptr;
};

}  // namespace

llvm::Function* branch_predictor(llvm::Module& module) {
  llvm::Function* there = module.getFunction(kName);
  return there ? there : Predictor(module).make();
}

}  // namespace psi::llvm_bridge
