// The steps of a proof as text.
#include <fmt/format.h>

#include "psi/predicate/engine.h"
#include "psi/predicate/text.h"

namespace psi {
namespace {

std::string statement(const PredicateText& text, const PredicateQuestion& question) {
  bool is_subset = question.kind == PredicateQuestion::Kind::Subset;
  return fmt::format("{}({}, {})", is_subset ? "subset" : "disjoint", text.term(question.first),
                     text.term(question.second));
}

std::string list(const PredicateText& text, const std::vector<Term>& terms, std::string_view between) {
  std::string out;
  for (Term term : terms) {
    if (!out.empty()) out += between;
    out += text.term(term);
  }
  return out;
}

// `%q = %r | %s`.
std::string partition(const PredicateText& text, const ProofStep& step) {
  return text.term(step.whole) + " = " + list(text, step.parts, " | ");
}

std::string reason(const PredicateText& text, const ProofStep& step) {
  using Rule = ProofStep::Rule;
  switch (step.rule) {
    case Rule::Never:
      return "one is never true";
    case Rule::Always:
      return "the second is always true";
    case Rule::Same:
      return "they are the same";
    case Rule::Part:
    case Rule::LastPart:
    case Rule::Separate:
    case Rule::Parts:
    case Rule::Summand:
      return partition(text, step);
    case Rule::Through:
      return {};
    case Rule::Rest:
      return "disjoint from the rest";
    case Rule::Exclude:
      return "never together: " + list(text, step.parts, ", ");
    case Rule::Conflict:
      return "never all true: " + list(text, step.parts, ", ");
  }
  return {};
}

}  // namespace

std::vector<ProofLine> proof_lines(const PredicateText& text, const PredicateExplanation& explanation) {
  std::vector<ProofLine> lines;
  for (const ProofStep& step : explanation.proof) {
    lines.push_back({statement(text, step.shows), reason(text, step), step.from});
  }
  return lines;
}

}  // namespace psi
