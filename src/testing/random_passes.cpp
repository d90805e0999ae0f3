#include "testing/random_passes.h"

#include <algorithm>
#include <bit>

#include "testing/random.h"

namespace psi::testing {
namespace {

constexpr int64_t kMostPasses = 12;

std::string random_value(const PassOption& option, Random& random) {
  if (random.percent(60)) return option.default_value();
  if (!option.is_number()) return random.element(option.values);
  // The ends of the range, and as often small numbers as large ones.
  auto [least, most, fallback] = option.range;
  if (random.percent(30)) return std::to_string(random.coin() ? least : most);
  int64_t bound = int64_t{1} << random.range(0, std::bit_width(most - least));
  return std::to_string(random.range(least, std::min<int64_t>(least + bound, most)));
}

PassCall random_call(const Pass& pass, Random& random) {
  PassCall call;
  call.pass = &pass;
  std::string options;
  for (const PassOption& option : pass.options) {
    std::string value = random_value(option, random);
    call.arguments.set(option, value);
    if (value == option.default_value()) continue;
    options += (options.empty() ? "" : ",") + option.name + "=" + value;
  }
  call.text = options.empty() ? pass.name : pass.name + "(" + options + ")";
  return call;
}

// Must a pass already in the list come after it?
bool comes_too_late(const Pass& pass, const PassList& list) {
  return std::ranges::any_of(list, [&](const PassCall& earlier) {
    return std::ranges::any_of(earlier.pass->after,
                               [&](const PassOrdering& ordering) { return ordering.earlier == pass.name; });
  });
}

}  // namespace

PassList random_passes(const PassTable& table, uint64_t seed) {
  Random random(seed);
  std::vector<const Pass*> staying;
  for (const Pass& pass : table.all()) {
    if (pass.accepts(Form::Ssa) && (!pass.makes || pass.makes == Form::Ssa)) staying.push_back(&pass);
  }
  PassList list = {random_call(*table.find("construct"), random)};
  if (random.percent(50)) list.push_back(random_call(*table.find("scramble"), random));
  for (int64_t count = random.range(1, kMostPasses); count > 0; --count) {
    const Pass& pass = *random.element(staying);
    if (!comes_too_late(pass, list)) list.push_back(random_call(pass, random));
  }
  list.push_back(random_call(*table.find("destruct"), random));
  if (random.percent(30)) list.push_back(random_call(*table.find("reverse-if-convert"), random));
  return list;
}

std::string text_of(const PassList& passes) {
  std::string text;
  for (const PassCall& call : passes) {
    if (!text.empty()) text += ',';
    if (call.opens) text += "fixpoint(";
    text += call.text;
    if (call.closes) text += ')';
  }
  return text;
}

}  // namespace psi::testing
