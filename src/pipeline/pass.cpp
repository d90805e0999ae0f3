#include "psi/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace psi {

bool Pass::accepts(Form form) const { return std::find(needs.begin(), needs.end(), form) != needs.end(); }

const Pass* PassTable::find(std::string_view name) const {
  for (const Pass& pass : passes_) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

const Pipeline* PassTable::find_pipeline(std::string_view name) const {
  for (const Pipeline& pipeline : pipelines_) {
    if (pipeline.name == name) return &pipeline;
  }
  return nullptr;
}

void PassTable::set_targets(const TargetTable& targets) {
  for (Pass& pass : passes_) {
    for (PassOption& option : pass.options) {
      if (option.name != "target") continue;
      option.values.clear();
      for (const Target& target : targets.all()) option.values.push_back(target.name);
    }
  }
}

std::vector<std::string> PassTable::check() const {
  std::vector<std::string> errors;
  std::set<std::string_view> names;
  for (const Pass& pass : passes_) {
    if (!names.insert(pass.name).second)
      errors.push_back(fmt::format("pass '{}' is listed twice", pass.name));
    if (!pass.run) errors.push_back(fmt::format("pass '{}' has nothing to run", pass.name));
    if (pass.needs.empty()) errors.push_back(fmt::format("pass '{}' accepts no form", pass.name));
    for (const PassOption& option : pass.options) {
      if (option.values.empty()) {
        errors.push_back(fmt::format("option '{}' of pass '{}' has no values", option.name, pass.name));
      }
    }
    for (const PassOrdering& ordering : pass.after) {
      const Pass* earlier = find(ordering.earlier);
      if (!earlier) {
        errors.push_back(
            fmt::format("pass '{}' must come after '{}', which is no pass", pass.name, ordering.earlier));
        continue;
      }
      if (ordering.reason.empty()) {
        errors.push_back(
            fmt::format("no reason why pass '{}' comes after '{}'", pass.name, ordering.earlier));
      }
      for (const PassOrdering& other : earlier->after) {
        if (other.earlier != pass.name) continue;
        errors.push_back(
            fmt::format("passes '{}' and '{}' must each come after the other", pass.name, earlier->name));
      }
    }
  }
  for (size_t i = 0; i < pipelines_.size(); ++i) {
    const Pipeline& pipeline = pipelines_[i];
    if (!names.insert(pipeline.name).second) {
      errors.push_back(fmt::format("pipeline '{}' has the name of another", pipeline.name));
    }
    // It may use those before it alone, so that it does not use itself.
    PassTable before = *this;
    before.pipelines_.resize(i);
    PassListError error;
    if (!parse_passes(before, pipeline.passes, error)) {
      errors.push_back(fmt::format("pipeline '{}': {}", pipeline.name, error.message));
    }
  }
  return errors;
}

}  // namespace psi
