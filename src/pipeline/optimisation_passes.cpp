// What -O1 and -O2 mean.
#include <fmt/format.h>

#include <algorithm>

#include "psi/pipeline/pass_table.h"

namespace psi {

Result<PassList> optimisation_passes(const PassTable& table, const Optimisation& optimisation) {
  if (optimisation.level == 0) return PassList();
  std::string pipeline = fmt::format("O{}", optimisation.level);
  const std::vector<PassOption>* options = table.find_options(pipeline);
  std::string target;
  if (!optimisation.target.empty()) target = fmt::format("(target=\"{}\")", optimisation.target);
  bool takes_target = options && std::ranges::count(*options, "target", &PassOption::name) > 0;
  Result<PassList> passes =
      parse_passes(table, fmt::format("construct,{}{}{}", pipeline, takes_target ? target : "",
                                      optimisation.leaves_ssa ? fmt::format(",destruct{}", target) : ""));
  if (!passes) return passes;
  passes->front().only_from = Form::Plain;
  if (optimisation.leaves_ssa) passes->back().only_from = Form::Plain;
  return passes;
}

}  // namespace psi
