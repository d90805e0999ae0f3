#include "psi/live/interference.h"

#include <algorithm>
#include <array>

#include "live/interfering_pairs.h"

namespace psi {
namespace {

constexpr std::array<std::string_view, 2> kMethods = {"ranges", "flow"};

}  // namespace

std::string_view interference_method_name(InterferenceMethod method) {
  return kMethods[static_cast<size_t>(method)];
}

std::optional<InterferenceMethod> interference_method_from_name(std::string_view name) {
  auto at = std::ranges::find(kMethods, name);
  if (at == kMethods.end()) return std::nullopt;
  return static_cast<InterferenceMethod>(at - kMethods.begin());
}

Interference::Interference(const Function& function, Analyses& analyses, const InterferenceOptions& options)
    : Interference(options.method == InterferenceMethod::Ranges
                       ? live::pairs_by_ranges(function, analyses, options.scope != FlowScope::Blind)
                       : live::pairs_by_flow(function, analyses, options.scope, {})) {}

Interference::Interference(std::vector<std::vector<Reg>> higher) : start_(higher.size() + 1) {
  for (uint32_t i = 0; i < higher.size(); ++i) {
    start_[i + 1] += higher[i].size();
    for (Reg other : higher[i]) ++start_[other.index() + 1];
  }
  for (uint32_t i = 0; i < higher.size(); ++i) start_[i + 1] += start_[i];
  neighbours_.resize(start_.back());
  // Lower neighbours come first, as registers are visited in order.
  std::vector<uint64_t> next(start_.begin(), start_.end() - 1);
  for (uint32_t i = 0; i < higher.size(); ++i) {
    std::ranges::copy(higher[i], neighbours_.begin() + static_cast<ptrdiff_t>(next[i]));
    for (Reg other : higher[i]) neighbours_[next[other.index()]++] = Reg(i);
    std::vector<Reg>().swap(higher[i]);
  }
}

bool Interference::interferes(Reg a, Reg b) const {
  if (neighbours(b).size() < neighbours(a).size()) std::swap(a, b);
  return std::ranges::binary_search(neighbours(a), b);
}

}  // namespace psi
