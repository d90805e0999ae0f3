// Answers about predicates, with their reasons.

#include <fmt/format.h>

#include "psi/predicate/engine.h"
#include "psi/predicate/text.h"
#include "view/page.h"

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

std::string print_explanation(const PredicateText& text, const PredicateExplanation& explanation) {
  if (explanation.answer == Answer::Unknown) return "\n";
  std::string out = fmt::format(", by {}\n", predicate_engine_name(explanation.engine));
  if (explanation.answer == Answer::No) return out + "  if " + text.witness(explanation.witness) + '\n';
  view::Table table;
  for (size_t i = 0; i < explanation.proof.size(); ++i) {
    const ProofStep& step = explanation.proof[i];
    std::string why = reason(text, step);
    for (uint32_t from : step.from) why += fmt::format("{}({})", why.empty() ? "by " : ", ", from + 1);
    table.add({fmt::format("  ({})", i + 1), statement(text, step.shows), why});
  }
  table.append_to(out);
  return out;
}

}  // namespace psi
