// The default oracle of the verifier: by names first, then, for functions in SSA forms, by a predicate
// engine.
#pragma once

#include <memory>

#include "psi/verify/verify.h"

namespace psi::verify {

// For one function, which must be verified up to dominance before the first query that names do not answer.
class EngineOracle : public PredicateOracle {
 public:
  EngineOracle();
  ~EngineOracle() override;

  Answer implies(const Function& function, Guard inner, Guard outer) const override;
  Answer disjoint(const Function& function, Guard a, Guard b) const override;
  Answer within(const Function& function, BlockId where, Guard inner,
                std::span<const Guard> outer) const override;

 private:
  class Facts;
  Facts& facts(const Function& function) const;

  mutable std::unique_ptr<Facts> facts_;  // made on first use
};

}  // namespace psi::verify
