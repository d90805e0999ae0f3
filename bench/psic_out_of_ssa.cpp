#include "psic_out_of_ssa.h"

#include "cpu_time.h"
#include "heap_meter.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/pass/analyses.h"

namespace psi::bench {
namespace {

// Calls visit(instruction, frequency of its block) for those that can be reached.
template <class Visit>
void for_each_inst(const Function& function, Visit visit) {
  Analyses analyses(function);
  for (BlockId b : analyses.get<Dominators>().preorder()) {
    double frequency = analyses.get<Frequencies>().of(b);
    for (InstId id : function.insts(b)) visit(function.inst(id), frequency);
  }
}

class Subject {
 public:
  Subject(const Module& module, PhiMethod method) : module_(module) { options_.method = method; }

  // All figures but those of time.
  std::optional<OutOfSsa> count() {
    for_each_copy([&](Function& function) { count(function); });
    statistics_.inserted = counters_["copies by phi-web"];
    statistics_.temporaries = counters_["temporaries"];
    uint64_t counted = counters_["copies left"] + counters_["slot addresses left"];
    if (phis_left_ > 0 || statistics_.left != counted) return std::nullopt;
    statistics_.left = counters_["copies left"];
    return statistics_;
  }

  // A function's copy is still in the caches, as it would be after another pass.
  double time(StepTimes& steps) {
    double seconds = 0;
    for_each_copy([&](Function& function) {
      Counters counters;
      double start = cpu_seconds();
      leave_ssa(function, counters, steps);
      seconds += cpu_seconds() - start;
    });
    return seconds;
  }

 private:
  template <class Visit>
  void for_each_copy(Visit visit) {
    for (SymbolId symbol : module_.declarations()) {
      if (module_.kind(symbol) != SymbolKind::Function) continue;
      Function function = module_.function(symbol);
      if (!function.is_declaration()) visit(function);
    }
  }

  void leave_ssa(Function& function, Counters& counters, StepTimes& steps) {
    Analyses analyses(function);
    destruct_ssa(function, analyses, options_, counters, steps);
  }

  void count(Function& function) {
    uint64_t phis = 0;
    double phi_frequency = 0, copy_frequency = 0;
    for_each_inst(function, [&](const Inst& inst, double frequency) {
      if (!inst.is_phi()) return;
      ++phis;
      phi_frequency += frequency;
    });
    StepTimes steps;
    {
      HeapMeter heap;
      leave_ssa(function, counters_, steps);
      statistics_.took(heap.peak());
    }
    for_each_inst(function, [&](const Inst& inst, double frequency) {
      phis_left_ += inst.is_phi();
      if (inst.op != Opcode::Mov) return;
      Operand source = inst.inline_operands[0];
      if (source.is_reg()) {
        ++statistics_.left;
        copy_frequency += frequency;
      } else if (!source.is_undef()) {
        ++statistics_.constants;
      }
    });
    statistics_.phis += phis;
    statistics_.weigh(phis, phi_frequency, copy_frequency);
  }

  const Module& module_;
  DestructOptions options_;
  Counters counters_;
  OutOfSsa statistics_;
  uint64_t phis_left_ = 0;
};

}  // namespace

std::optional<OutOfSsa> psic_out_of_ssa(const Module& module, PhiMethod method, int repeat) {
  Subject subject(module, method);
  std::optional<OutOfSsa> statistics = subject.count();
  if (!statistics) return std::nullopt;
  for (int i = 0; i < repeat; ++i) {
    StepTimes steps;
    double seconds = subject.time(steps);
    if (i > 0 && seconds >= statistics->seconds) continue;
    statistics->seconds = seconds;
    statistics->steps = steps;
  }
  return statistics;
}

}  // namespace psi::bench
