// The domain of a register: the executions in which it is defined, as far as guards by name tell.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"
#include "verify/context.h"
#include "verify/definitions.h"

namespace psi::verify {

// A union of a few guards. A guard that is always true replaces all others.
class GuardUnion {
 public:
  static constexpr uint32_t kMax = 4;

  GuardUnion() = default;
  explicit GuardUnion(Guard guard) { add(guard); }

  // False if there was no room; the union is then unchanged.
  bool add(Guard guard);
  bool is_always() const { return count_ == 1 && guards_[0].is_always(); }
  std::span<const Guard> guards() const { return {guards_.data(), count_}; }

 private:
  std::array<Guard, kMax> guards_;
  uint32_t count_ = 0;
};

// A domain lies between the two: `lower` is part of it, and it is part of `upper`.
struct Domain {
  GuardUnion lower;
  GuardUnion upper;
};

class Domains {
 public:
  // In SSA form, verified up to dominance.
  Domains(const Context& context, const Dominators& dominators, const Definitions& definitions);

  // Literals and other constants are always defined; undef may be defined or not.
  Domain of(Operand value) const;
  // Is `guard`, in executions that reach a block, true only where a value of this domain is defined?
  Answer contains(const Domain& domain, BlockId where, Guard guard) const;

 private:
  Domain of_psi(PsiArguments arguments) const;

  const Context& context_;
  const Function& function_;
  const Definitions& definitions_;
  std::vector<uint32_t> psi_domain_;  // by Reg: index into psi_domains_ if a reachable psi defines it
  std::vector<Domain> psi_domains_;
};

}  // namespace psi::verify
