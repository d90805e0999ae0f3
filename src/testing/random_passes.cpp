#include "testing/random_passes.h"

#include <algorithm>
#include <bit>

#include "psi/target/target.h"
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

PassCall random_call(const Pass& pass, const TargetTable& targets, unsigned pointer_bits, Random& random) {
  PassCall call;
  call.pass = &pass;
  std::string options;
  for (const PassOption& option : pass.options) {
    std::string value = random_value(option, random);
    const Target* target = option.kind == PassOption::Kind::Target ? targets.find(value) : nullptr;
    if (target && !target->takes_pointers_of(pointer_bits)) value = option.default_value();
    call.arguments.set(option, value);
    if (value == option.default_value()) continue;
    options += (options.empty() ? "" : ",") + option.name + "=" + value;
  }
  call.text = options.empty() ? pass.name : pass.name + "(" + options + ")";
  return call;
}

// The passes that a list can be made of, by what they do to forms.
struct Choice {
  explicit Choice(const PassTable& table) {
    for (const Pass& pass : table.all()) {
      if (pass.needs_instructions) continue;  // for one target only, which the other passes do not have in mind
      bool takes_ssa = pass.accepts(Form::Ssa), takes_plain = pass.accepts(Form::Plain);
      if (takes_plain && pass.makes == Form::Ssa) entering.push_back(&pass);
      if (takes_ssa && pass.makes == Form::Plain) leaving.push_back(&pass);
      if (takes_ssa && pass.makes.value_or(Form::Ssa) == Form::Ssa) staying.push_back(&pass);
      if (takes_ssa && pass.for_tests) scrambling.push_back(&pass);
      if (takes_plain && !takes_ssa && !pass.makes) behind.push_back(&pass);
    }
  }

  std::vector<const Pass*> entering, staying, scrambling, leaving;
  std::vector<const Pass*> behind;  // in plain form
};

}  // namespace

PassList random_passes(const PassTable& table, const TargetTable& targets, unsigned pointer_bits,
                       uint64_t seed) {
  Random random(seed);
  Choice choice(table);
  PassList list;
  auto add_one_of = [&](const std::vector<const Pass*>& passes) {
    if (passes.empty()) return;
    list.push_back(random_call(*random.element(passes), targets, pointer_bits, random));
    if (find_misplaced(list)) list.pop_back();
  };
  add_one_of(choice.entering);
  if (random.percent(50)) add_one_of(choice.scrambling);
  for (int64_t count = random.range(1, kMostPasses); count > 0; --count) add_one_of(choice.staying);
  add_one_of(choice.leaving);
  if (random.percent(30)) add_one_of(choice.behind);
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
