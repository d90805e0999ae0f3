// The section `expand` of a description, and of those that it uses.
#pragma once

#include "psi/target/description.h"
#include "select/legalise/operations.h"

namespace psi::select {

class DescribedExpansions : public ExpansionSource {
 public:
  explicit DescribedExpansions(const TargetDescription& description) : description_(description) {}
  bool expand(const Module& module, const Function& function, InstId id, Emitter& emitter,
              Operand& result) const override;

 private:
  bool matches(const Expansion& expansion, const Function& function, const Inst& inst,
               std::span<const Operand> operands) const;
  bool holds(const Immediate& immediate, uint64_t bits, Type type) const;
  Operand merge(Emitter& emitter, Type type, std::span<const Operand> arguments) const;
  bool insert(const Expansion& expansion, const Module& module, std::span<const Operand> operands,
              Guard guard, Emitter& emitter, Operand& result) const;

  const TargetDescription& description_;
};

}  // namespace psi::select
