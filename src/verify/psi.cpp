// Psi consistency: for every argument but the first, the domain of the value contains the guard. The first is
// free: where its value is undefined, so is the psi.

#include <fmt/format.h>

#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"
#include "verify/checks.h"

namespace psi::verify {
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
    PsiArguments arguments = psi_arguments(f, id);
    for (size_t i = 1; i < arguments.size(); ++i) {
      Guard guard(arguments[i].guard);
      Operand value = arguments[i].value;
      Domain domain = domains.of(value);
      if (domains.contains(domain, b, guard) != Answer::No) continue;
      context.error(Rule::PsiDomain, b, id,
                    fmt::format("argument {} of psi takes {} under {}, which is defined {}", i + 1,
                                context.name(value), context.name(guard), domain_text(context, domain)));
      if (context.full()) return;
    }
  }
}

}  // namespace psi::verify
