// Is this a well-formed function of its form? The rules are listed at the head of src/verify/verify.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "psi/answer.h"
#include "psi/diagnostic.h"
#include "psi/module.h"
#include "psi/text.h"

namespace psi {

// What the verifier asks about predicates. This implementation answers by name and polarity, so it knows
// nothing of two different registers. By default the verifier also asks a predicate engine. It reports only
// what is shown to be wrong: Unknown is never an error.
class PredicateOracle {
 public:
  virtual ~PredicateOracle() = default;
  // Is `inner` true only in executions in which `outer` is? No: there are predicate values that make
  // `inner` true and `outer` false. By name, `always` implies no guard.
  virtual Answer implies(const Function& function, Guard inner, Guard outer) const;
  // Are the two never true together? No: there are predicate values that make both true.
  virtual Answer disjoint(const Function& function, Guard a, Guard b) const;
  // Is `inner`, in executions that reach a block, true only where some of `outer` are? In SSA forms.
  virtual Answer within(const Function& function, BlockId where, Guard inner,
                        std::span<const Guard> outer) const;
};

struct VerifyOptions {
  const PredicateOracle* oracle = nullptr;  // null: names, then the engines of psi/predicate_engine.h
  const SourceMap* map = nullptr;           // to place errors in the text they came from
};

// A rule of the verifier. Every error message ends in the name of the rule it breaks, in brackets.
struct VerifyRule {
  std::string_view name;
  std::string_view text;
};
std::span<const VerifyRule> verify_rules();

// True if no rule is broken; otherwise `diagnostics` names what and where, several at once.
// Any module may be given, however wild its ids. Rules that would make no sense of a broken function (its
// dominance, say, if a block has no terminator) are checked only once those they build on hold.
bool verify(const Module& module, Diagnostics& diagnostics, const VerifyOptions& options = {});
bool verify(const Module& module, const Function& function, Diagnostics& diagnostics,
            const VerifyOptions& options = {});

}  // namespace psi
