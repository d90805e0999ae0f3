// The oracle that the verifier asks unless it is given another one: what names do not tell, a predicate
// engine may, of functions in SSA forms.
#pragma once

#include <memory>

#include "psi/verify.h"

namespace psi::verifier {

// Of one function, which must be verified up to dominance by the first question that names do not answer.
class EngineOracle : public PredicateOracle {
 public:
  EngineOracle();
  ~EngineOracle() override;

  Answer implies(const Function& function, Guard inner, Guard outer) const override;
  Answer disjoint(const Function& function, Guard a, Guard b) const override;
  Answer within(const Function& function, BlockId where, Guard inner,
                std::span<const Guard> outer) const override;

 private:
  class Knowledge;
  Knowledge& knowledge(const Function& function) const;

  mutable std::unique_ptr<Knowledge> knowledge_;  // made when it is first needed
};

}  // namespace psi::verifier
