// What psicc does to a function: one list, with the reason why each pass stands where it does.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "psi/pipeline/pipeline.h"

namespace psi {
namespace {

using When = CompilerStep::When;

constexpr std::array<CompilerStep, 9> kCompilerSteps = {{
    {"branch-selects", "target", When::Last, true,
     "before if-convert, which makes selects again of branches that are better so"},
    {"split-conditions", "target", When::Last, true,
     "behind branch-selects, whose branches end loops that two conditions may end"},
    {"if-convert", "target,mode,unmeasured,size=1000,count=1000", When::Always, true,
     "what a code generator takes for blocks and conditional moves grows with their square"},
    {"join-exclusive", "", When::Always, false, "before guards go, which tell what excludes each other"},
    {"psi-promote", "", When::Always, false, "fewer guards are left for selects to choose by"},
    {"psi-lower", "shape=decisions", When::Always, false, "the target has selects in the place of psis"},
    {"redirect", "", When::Always, false, "last of those that look at guards: none is left behind it"},
    {"widen-phis", "", When::Last, false,
     "behind the passes that look for phis of the width that was loaded"},
    {"copy-headers", "target", When::Last, true,
     "behind if-convert: of what became selects there is no copy"},
}};

std::string option(std::string_view name, const CompilerPipeline& pipeline) {
  if (name == "target") return fmt::format("target={}", pipeline.target);
  if (name == "mode") return fmt::format("mode={}", pipeline.wherever_right ? "all" : "cost");
  if (name == "unmeasured") return pipeline.unpredictable ? "unmeasured=unpredictable" : "unmeasured=guessed";
  return std::string(name);
}

}  // namespace

std::span<const CompilerStep> compiler_steps() { return kCompilerSteps; }

std::string compiler_passes(const CompilerPipeline& pipeline) {
  std::string list;
  for (const CompilerStep& step : kCompilerSteps) {
    if (step.when == When::Last && !pipeline.is_last) continue;
    std::string options;
    for (std::string_view rest = step.options; !rest.empty();) {
      size_t end = std::min(rest.find(','), rest.size());
      options += (options.empty() ? "" : ",") + option(rest.substr(0, end), pipeline);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!list.empty()) list += ',';
    list += step.pass;
    if (!options.empty()) list += '(' + options + ')';
  }
  return list;
}

}  // namespace psi
