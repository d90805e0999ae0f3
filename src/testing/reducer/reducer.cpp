#include "testing/reducer/reducer.h"

#include <algorithm>
#include <array>

#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi::testing {

Reducer::Reducer(Module module, const ReduceTest& test, const ReduceOptions& options)
    : current_(std::move(module)),
      test_(test),
      options_(options),
      size_(count_instructions(current_)),
      current_hash_(std::hash<std::string>()(print(current_))),
      start_(std::chrono::steady_clock::now()) {}

bool Reducer::run() {
  // Steps that remove most come first. Every step makes the program smaller or simpler, so the search ends.
  using Step = bool (Reducer::*)();
  static constexpr std::array<Step, 19> kSteps = {&Reducer::remove_functions,
                                                  &Reducer::stub_bodies,
                                                  &Reducer::remove_blocks,
                                                  &Reducer::remove_insts,
                                                  &Reducer::simplify_terminators,
                                                  &Reducer::drop_cases,
                                                  &Reducer::merge_blocks,
                                                  &Reducer::move_entry,
                                                  &Reducer::remove_globals,
                                                  &Reducer::forward,
                                                  &Reducer::drop_guards,
                                                  &Reducer::simplify_cmpp,
                                                  &Reducer::drop_psi_arguments,
                                                  &Reducer::drop_call_arguments,
                                                  &Reducer::simplify_operands,
                                                  &Reducer::share_registers,
                                                  &Reducer::simplify_signatures,
                                                  &Reducer::simplify_globals,
                                                  &Reducer::strip};
  for (bool progress = true; progress;) {
    progress = false;
    for (Step step : kSteps) progress = (this->*step)() || progress;
    if (out_of_time()) return false;
  }
  return true;
}

bool Reducer::out_of_time() {
  if (options_.stop && options_.stop()) return true;
  if (options_.max_tests > 0 && tests_ >= options_.max_tests) return true;
  if (options_.max_seconds <= 0) return false;
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return spent.count() > options_.max_seconds;
}

bool Reducer::accept(Module candidate) {
  repair(candidate);
  if (options_.verify && !verifies(candidate)) return false;
  uint64_t hash = std::hash<std::string>()(print(candidate));
  if (hash == current_hash_ || rejected_.contains(hash)) return false;
  ++tests_;
  bool interesting = test_(candidate);
  if (interesting) {
    current_ = std::move(candidate);
    size_ = count_instructions(current_);
    current_hash_ = hash;
  } else {
    rejected_.insert(hash);
  }
  if (options_.progress) options_.progress({step_, tests_, size_});
  return interesting;
}

// --- What is left -------------------------------------------------------------------------------------

bool Reducer::strip() {
  enum Edit : uint32_t { Names, Lines, Counts, Flags, Attributes, Numbers };
  auto apply = [](Module& module, Edit edit) {
    for (SymbolId symbol : module.declarations()) {
      if (module.kind(symbol) != SymbolKind::Function) continue;
      Function& function = module.function(symbol);
      if (edit == Names) function.strip_names();
      if (edit == Attributes) function.attributes = {};
      if (edit == Numbers) number_in_order(function);
      for (BlockId b : function.layout()) {
        if (edit == Counts) function.set_count(b, std::nullopt);
        for (InstId id : function.insts(b)) {
          Inst& inst = function.inst(id);
          if (edit == Lines) function.set_line(id, 0);
          if (edit == Counts) function.set_edge_counts(id, {});
          if (edit == Flags) inst.flags &= Inst::kStop;
        }
      }
    }
  };
  step_ = "stripping";
  bool progress = false;
  std::string before = print(current_);
  for (Edit edit : {Names, Lines, Counts, Flags, Attributes, Numbers}) {
    if (out_of_time()) break;
    Module candidate = current_;
    apply(candidate, edit);
    std::string after = print(candidate);
    if (after == before || !accept(std::move(candidate))) continue;
    before = print(current_);
    progress = true;
  }
  return progress;
}

}  // namespace psi::testing
