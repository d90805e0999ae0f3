// Is this a well-formed function of its form? The rules are listed at the head of src/verify/verify.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "psi/ir/module.h"
#include "psi/predicate/answer.h"
#include "psi/support/result.h"
#include "psi/text/text.h"

namespace psi {

// What the verifier asks about predicates. This implementation answers by name and polarity, so it cannot
// relate two different registers. By default the verifier also asks a predicate engine. It reports only what
// is proved wrong: Unknown is never an error.
class PredicateOracle {
 public:
  virtual ~PredicateOracle() = default;
  // Is `inner` contained in `outer`? No: there are predicate values that make `inner` true and `outer` false.
  // By name, `always` implies no guard.
  virtual Answer implies(const Function& function, Guard inner, Guard outer) const;
  // Are the two disjoint? No: there are predicate values that make both true.
  virtual Answer disjoint(const Function& function, Guard a, Guard b) const;
  // Is `inner`, in executions that reach a block, true only where some of `outer` are? In SSA forms.
  virtual Answer within(const Function& function, BlockId where, Guard inner,
                        std::span<const Guard> outer) const;
};

struct VerifyOptions {
  const PredicateOracle* oracle = nullptr;  // null: names, then the engines of psi/predicate/engine.h
  const SourceMap* map = nullptr;           // to place errors in the text they came from
};

// A rule of the verifier. Every error message ends in the name of the rule it breaks, in brackets.
struct VerifyRule {
  std::string_view name;
  std::string_view text;
};
std::span<const VerifyRule> verify_rules();

// Is no rule broken? If some are, the result says which and where, several at once.
// Any module may be given, however invalid its ids. Rules that would make no sense of a broken function (its
// dominance, say, if a block has no terminator) are checked only once those they build on hold.
Result<void> verifies(const Module& module, const VerifyOptions& options = {});
Result<void> verifies(const Module& module, const Function& function, const VerifyOptions& options = {});

}  // namespace psi
