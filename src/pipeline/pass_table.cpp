#include "psi/pipeline/pass_table.h"

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

void PassTable::set_targets(const TargetTable& targets, std::string_view fallback) {
  for (Pass& pass : passes_) {
    for (PassOption& option : pass.options) {
      if (option.kind != PassOption::Kind::Target) continue;
      option.values = targets.words();
      auto first = std::ranges::find(option.values, fallback);
      if (first != option.values.end()) std::rotate(option.values.begin(), first, first + 1);
    }
  }
}

namespace {

// What is wrong with the options of `whose`.
void check_options(const std::string& whose, const std::vector<PassOption>& options, Diagnostics& wrong) {
  std::set<std::string_view> names;
  for (const PassOption& option : options) {
    auto error = [&](std::string_view what) {
      wrong.error({}, fmt::format("option '{}' of {} {}", option.name, whose, what));
    };
    if (!names.insert(option.name).second) error("is listed twice");
    if (option.is_number()) {
      auto [least, most, fallback] = option.range;
      if (least > most) error("has an empty range");
      if (fallback < least || fallback > most) error("has a default outside its range");
      continue;
    }
    if (option.values.empty()) error("has no values");
    if (std::set(option.values.begin(), option.values.end()).size() < option.values.size()) {
      error("has a value twice");
    }
  }
}

}  // namespace

Result<void> PassTable::check() const {
  Diagnostics wrong;
  auto error = [&](std::string message) { wrong.error({}, std::move(message)); };
  std::set<std::string_view> names;
  for (const Pass& pass : passes_) {
    if (!names.insert(pass.name).second) error(fmt::format("pass '{}' is listed twice", pass.name));
    if (!pass.run) error(fmt::format("pass '{}' has nothing to run", pass.name));
    if (pass.needs.empty()) error(fmt::format("pass '{}' accepts no form", pass.name));
    check_options(fmt::format("pass '{}'", pass.name), pass.options, wrong);
    for (const PassOrdering& ordering : pass.after) {
      const Pass* earlier = find(ordering.earlier);
      if (!earlier) {
        error(fmt::format("pass '{}' must come after '{}', which is no pass", pass.name, ordering.earlier));
        continue;
      }
      if (ordering.reason.empty()) {
        error(fmt::format("no reason why pass '{}' comes after '{}'", pass.name, ordering.earlier));
      }
      for (const PassOrdering& other : earlier->after) {
        if (other.earlier != pass.name) continue;
        error(fmt::format("passes '{}' and '{}' must each come after the other", pass.name, earlier->name));
      }
    }
  }
  for (size_t i = 0; i < pipelines_.size(); ++i) {
    const Pipeline& pipeline = pipelines_[i];
    if (!names.insert(pipeline.name).second) {
      error(fmt::format("pipeline '{}' has the name of another", pipeline.name));
    }
    // It may use only those before it, so that it does not use itself.
    PassTable before = *this;
    before.pipelines_.resize(i);
    if (Result<PassList> passes = parse_passes(before, pipeline.passes); !passes) {
      error(fmt::format("pipeline '{}': {}", pipeline.name, passes.diagnostics().first_error()));
    }
  }
  return wrong;
}

}  // namespace psi
