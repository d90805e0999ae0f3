// Questions about the predicates of a function as it is at a step.
#include <fmt/format.h>

#include <optional>

#include "explore/json.h"
#include "psi/analysis/regions.h"
#include "psi/explore/explore.h"
#include "psi/predicate/engine.h"
#include "psi/predicate/query.h"
#include "psi/text/text.h"

namespace psi {
namespace {

Diagnostics wrong(std::string message) {
  Diagnostics diagnostics;
  diagnostics.error({}, std::move(message));
  return diagnostics;
}

// The function as the first `step` runs of passes left it.
Result<Function> function_at(Module& module, Function& function, const PassList& passes, uint32_t step,
                             const ExploreOptions& options) {
  std::optional<Function> found;
  if (step == 0) found = function;
  uint32_t runs = 0;
  PipelineOptions pipeline;
  pipeline.targets = options.targets;
  pipeline.follow = [&](Function& followed, const PassRun&) {
    if (++runs == step) found = followed;
  };
  PipelineResult result = run_passes(module, function, passes, pipeline);
  if (found) return std::move(*found);
  if (!result) return wrong(result.diagnostics().first_error());
  return wrong(fmt::format("there are {} steps, and the question is about step {}", runs, step));
}

Result<std::string> answer(const PredicateText& text, Predicates& predicates, std::string_view question) {
  Result<PredicateQuestion> parsed = parse_query(question, text, predicates.terms());
  if (!parsed) return Diagnostics(parsed.diagnostics());
  std::unique_ptr<PredicateEngine> engine =
      make_predicate_engine(PredicateEngineKind::Auto, predicates.terms());
  PredicateExplanation explanation = engine->explain(*parsed);
  explore::Json json;
  json.open('{').key("answer");
  json.text(explanation.answer == Answer::Yes  ? "yes"
            : explanation.answer == Answer::No ? "no"
                                               : "not known");
  if (explanation.answer != Answer::Unknown)
    json.key("engine").text(predicate_engine_name(explanation.engine));
  json.key("steps").open('[');
  for (const ProofLine& line : proof_lines(text, explanation)) {
    json.open('{')
        .key("statement")
        .text(line.statement)
        .key("reason")
        .text(line.reason)
        .key("from")
        .open('[');
    for (uint32_t from : line.from) json.number(from);
    json.close(']').close('}');
  }
  json.close(']');
  if (explanation.answer == Answer::No) json.key("witness").text(text.witness(explanation.witness));
  return json.close('}').take() + "\n";
}

}  // namespace

Result<std::string> explore_answer(Module& module, const PassList& passes, const ExploreOptions& options,
                                   const ExploreQuestion& question) {
  Function* function = module.find_function(question.function);
  if (!function || function->is_declaration()) {
    return wrong(fmt::format("there is no function ${} with a body", question.function));
  }
  Result<Function> found = function_at(module, *function, passes, question.step, options);
  if (!found) return Diagnostics(found.diagnostics());
  std::string_view name = question.block;
  if (name.starts_with('@')) name.remove_prefix(1);
  BlockId block = name.empty() ? found->entry() : find_block(*found, name);
  if (!block)
    return wrong(fmt::format("${} has no block @{} at step {}", question.function, name, question.step));
  if (!is_ssa(found->form)) {
    Predicates predicates(*found, block);
    return answer(PredicateText(module, *found, predicates, block), predicates, question.text);
  }
  Analyses analyses(*found);
  Predicates predicates(*found, analyses);
  PredicateText text(module, *found, predicates);
  Regions regions(analyses.get<Cfg>(), analyses.get<Order>());
  if (regions.region(block) != Regions::kNone) {
    std::span<const BlockId> blocks = regions.blocks(regions.region(block));
    std::vector<Term> terms = block_terms(analyses, blocks, predicates);
    for (size_t i = 0; i < blocks.size(); ++i) {
      text.add(print(module, *found, Operand::block(blocks[i])), terms[i]);
    }
  }
  return answer(text, predicates, question.text);
}

}  // namespace psi
