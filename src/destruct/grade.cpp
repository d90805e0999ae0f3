#include "psi/destruct/grade.h"

#include <algorithm>
#include <cmath>

#include "psi/pass/analyses.h"

namespace psi {
namespace {

std::optional<uint64_t> coalescing_optimum(const Function& ssa, const DestructOptions& options,
                                           const LeastCopies& least) {
  std::optional<uint64_t> best;
  for (PsiCopies psis : {PsiCopies::AtOnce, PsiCopies::InSteps}) {
    std::optional<double> weight = least(copy_model(ssa, options, psis));
    if (!weight) return std::nullopt;
    auto hundredths = static_cast<uint64_t>(std::llround(*weight * 100));
    best = std::min(best.value_or(hundredths), hundredths);
  }
  return best;
}

CopyStatistics statistics_of(Function function, const DestructOptions& options) {
  Analyses analyses(function);
  Counters counters;
  StepTimes times;
  CopiesLeft left = destruct_ssa(function, analyses, options, counters, times);
  CopyStatistics statistics;
  statistics.copies = left.copies;
  statistics.constants = left.constants + left.slots;
  statistics.temporaries = left.temporaries;
  statistics.weight = left.weight;
  return statistics;
}

}  // namespace

std::vector<GradedMethod> graded_methods() {
  std::vector<GradedMethod> all;
  auto add = [&](PhiMethod method) {
    all.push_back({std::string(phi_method_name(method)), {.method = method}});
  };
  add(PhiMethod::Unified);
  all.push_back({"unified, coalescing only", {.sink = false, .share = false}});
  for (PhiMethod method : {PhiMethod::Boissinot, PhiMethod::Briggs, PhiMethod::Sreedhar3,
                           PhiMethod::Sreedhar2, PhiMethod::Naive}) {
    add(method);
  }
  return all;
}

void CopyStatistics::add(const CopyStatistics& other) {
  copies += other.copies;
  constants += other.constants;
  temporaries += other.temporaries;
  weight += other.weight;
  weight_where_known += other.weight_where_known;
  num_better += other.num_better;
}

Grade grade(const Function& ssa, std::span<const GradedMethod> methods, const LeastCopies& least) {
  Grade grade;
  for (const GradedMethod& method : methods) {
    CopyStatistics statistics = statistics_of(ssa, method.options);
    if (!grade.methods.empty()) statistics.num_better = statistics.weight < grade.methods[0].weight;
    grade.methods.push_back(statistics);
  }
  if (!least || methods.empty()) return grade;
  grade.optimum = coalescing_optimum(ssa, methods[0].options, least);
  grade.is_optimum_beaten =
      grade.optimum &&
      std::ranges::any_of(grade.methods.begin() + 1, grade.methods.end(),
                          [&](const CopyStatistics& f) { return f.weight < *grade.optimum; });
  if (grade.is_optimum_beaten) grade.optimum.reset();
  for (CopyStatistics& statistics : grade.methods) {
    if (grade.optimum) statistics.weight_where_known = statistics.weight;
  }
  return grade;
}

Grade sum_of(std::span<const Grade> grades, size_t num_methods) {
  Grade sum{std::vector<CopyStatistics>(num_methods), std::nullopt};
  for (const Grade& grade : grades) {
    for (size_t i = 0; i < num_methods; ++i) sum.methods[i].add(grade.methods[i]);
    if (grade.optimum) sum.optimum = sum.optimum.value_or(0) + *grade.optimum;
  }
  return sum;
}

}  // namespace psi
