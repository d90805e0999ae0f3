// Answers about predicates, with their reasons.

#include <fmt/format.h>

#include "psi/predicate/engine.h"
#include "psi/predicate/text.h"
#include "view/page.h"

namespace psi {

std::string print_explanation(const PredicateText& text, const PredicateExplanation& explanation) {
  if (explanation.answer == Answer::Unknown) return "\n";
  std::string out = fmt::format(", by {}\n", predicate_engine_name(explanation.engine));
  if (explanation.answer == Answer::No) return out + "  if " + text.witness(explanation.witness) + '\n';
  std::vector<ProofLine> lines = proof_lines(text, explanation);
  view::Table table;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string why = lines[i].reason;
    for (uint32_t from : lines[i].from) why += fmt::format("{}({})", why.empty() ? "by " : ", ", from + 1);
    table.add({fmt::format("  ({})", i + 1), lines[i].statement, why});
  }
  table.append_to(out);
  return out;
}

}  // namespace psi
