// Do passes come in the order that the table says?
#include "pipeline/orderings.h"

#include <fmt/format.h>

#include <algorithm>

namespace psi {
namespace {

const PassOrdering* find_ordering(const Pass& later, const Pass& earlier) {
  auto found = std::ranges::find(later.after, earlier.name, &PassOrdering::earlier);
  return found == later.after.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Misplaced> find_misplaced(const PassList& passes) {
  size_t start = 0;  // behind the last pass that gave others work again
  bool in_group = false;
  for (size_t late = 0; late < passes.size(); ++late) {
    const Pass& pass = *passes[late].pass;
    in_group = in_group || passes[late].opens;
    for (size_t i = start; i < late && !in_group; ++i) {
      const PassOrdering* ordering = find_ordering(*passes[i].pass, pass);
      if (ordering && ordering->is_required()) return Misplaced{late, i, ordering};
    }
    if (pass.makes || pass.adds_guards) start = late + 1;
    if (passes[late].closes) in_group = false;
  }
  return std::nullopt;
}

void check_order(const std::string& pipeline, const PassList& passes, Diagnostics& wrong) {
  auto last = [&](std::string_view name) {
    size_t at = passes.size();
    while (at > 0 && passes[at - 1].pass->name != name) --at;
    return at;
  };
  for (size_t i = 0; i < passes.size(); ++i) {
    const Pass& later = *passes[i].pass;
    if (last(later.name) != i + 1) continue;
    for (const PassOrdering& ordering : later.after) {
      if (last(ordering.earlier) <= i) continue;
      wrong.error({}, fmt::format("pipeline '{}' has '{}' behind '{}': {}", pipeline, ordering.earlier,
                                  later.name, ordering.reason));
    }
  }
}

void check_for_cycles(const std::vector<Pass>& passes, Diagnostics& wrong) {
  // Takes passes away that come after none of those left.
  std::vector<const Pass*> left;
  for (const Pass& pass : passes) left.push_back(&pass);
  auto waits = [&](const Pass* pass) {
    return std::ranges::any_of(pass->after, [&](const PassOrdering& ordering) {
      return std::ranges::any_of(left, [&](const Pass* other) { return other->name == ordering.earlier; });
    });
  };
  for (bool goes_on = true; goes_on;) {
    std::vector<const Pass*> waiting;
    std::ranges::copy_if(left, std::back_inserter(waiting), waits);
    goes_on = waiting.size() < left.size();
    left = std::move(waiting);
  }
  if (left.empty()) return;
  std::vector<std::string_view> names;
  for (const Pass* pass : left) names.push_back(pass->name);
  wrong.error({}, fmt::format("the orderings of these have a cycle: {}", fmt::join(names, ", ")));
}

}  // namespace psi
