// Psi consistency: for every argument but the first, the guard lies within the domain of the value. The
// first is free: where its value is not defined the psi is not either.

#include <fmt/format.h>

#include "verify/checks.h"

namespace psi::verifier {
namespace {

std::string domain_text(const Context& context, const Domain& domain) {
  std::string text;
  for (Guard guard : domain.upper.guards()) {
    text += text.empty() ? "only under " : " or ";
    text += context.name(guard);
  }
  return text.empty() ? "nowhere" : text;
}

}  // namespace

void check_psi_domains(Context& context, const Dominators& dominators, const Definitions& definitions,
                       const Domains& domains) {
  const Function& f = context.function;
  for (InstId id : definitions.psis()) {
    BlockId b = definitions[f.inst(id).results[0]].block;
    if (!dominators.is_reachable(b)) continue;
    std::span<const Operand> operands = f.operands(id);
    for (size_t i = 2; i < operands.size(); i += 2) {
      Guard guard(operands[i]);
      Domain domain = domains.of(operands[i + 1]);
      if (domains.contains(domain, b, guard) != Answer::No) continue;
      context.error(
          Rule::PsiDomain, b, id,
          fmt::format("argument {} of psi takes {} under {}, which is defined {}", i / 2 + 1,
                      context.name(operands[i + 1]), context.name(guard), domain_text(context, domain)));
      if (context.full()) return;
    }
  }
}

}  // namespace psi::verifier
