// The methods of SSA destruction side by side: the copies that each leaves, and the optimum of coalescing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "psi/destruct/copy_model.h"
#include "psi/destruct/destruct.h"

namespace psi {

struct GradedMethod {
  std::string name;
  DestructOptions options;
};
// The methods of `destruct`. The first is the reference, the second the same with coalescing alone.
std::vector<GradedMethod> graded_methods();

// What a method leaves. Weights are in hundredths of an execution of the function.
struct CopyStatistics {
  uint64_t copies = 0, constants = 0, temporaries = 0;
  uint64_t weight = 0;
  uint64_t weight_where_known = 0;  // in functions whose optimum is known
  uint64_t num_better = 0;          // functions in which it left less than the first method

  void add(const CopyStatistics& other);
};

// The least weight of the copies that an assignment of registers leaves; nothing if that takes too long to
// find.
using LeastCopies = std::function<std::optional<double>(const CopyModel&)>;

struct Grade {
  std::vector<CopyStatistics> methods;
  // The optimum of coalescing, in hundredths: the least that is left of the copies that `copy_model` starts
  // from. Methods do more than coalesce, so it is no bound on them.
  std::optional<uint64_t> optimum;
  // Coalescing itself left less: it started from fewer copies than the model has (simpler psis, constants),
  // so the model's optimum measures nothing here, and is left out.
  bool is_optimum_beaten = false;
};

// A function in SSA form. Without `least` there is no optimum.
Grade grade(const Function& ssa, std::span<const GradedMethod> methods, const LeastCopies& least);
Grade sum_of(std::span<const Grade> grades, size_t num_methods);

}  // namespace psi
