// Finds a rule that applies to an instruction, and applies it.
#pragma once

#include <array>
#include <optional>

#include "optimise/algebra/known_bits.h"
#include "optimise/algebra/rules.h"
#include "optimise/algebra/simplify_graph.h"

namespace psi::optimise {

class RuleMatcher {
 public:
  RuleMatcher(SimplifyGraph& graph, const KnownBits& known)
      : graph_(graph), function_(graph.function()), known_(known), rules_(Rules::all()) {}

  // The rule that was applied; null if none does.
  const Rule* simplify(InstId id);
  bool apply(const Rule& rule, InstId id);

 private:
  static constexpr uint8_t kMaxPlanned = 6;

  struct Planned {
    Inst inst;
    std::array<Operand, 4> operands;
    uint8_t count = 0;
  };

  uint8_t seen(Operand operand);
  bool match_inst(const RuleNode& node, InstId id, bool dies);
  bool match_operand(const RuleNode& node, Operand operand, bool parent_dies);
  bool match_cond(const RuleNode& node, Cond cond);
  bool bind(uint8_t variable, Operand operand);

  uint64_t compute(const std::vector<RuleStep>& steps);
  uint64_t compute_of_variable(RuleStep step);

  // The operand that stands for a replacement; none if its types do not fit.
  Operand plan(const RuleNode& node, Type expected);
  Operand plan_inst(const RuleNode& node, Type expected);
  Operand plan_resize(const RuleNode& node, Type expected);
  Operand add_planned(Opcode op, Type type, std::span<const Operand> operands, uint8_t kind = 0);
  Type type_of(const RuleNode& node) const;
  bool keeps_predicate() const;
  void commit(Operand result);

  SimplifyGraph& graph_;
  Function& function_;
  const KnownBits& known_;
  const Rules& rules_;

  const Rule* rule_ = nullptr;
  InstId root_;
  std::array<Operand, Rule::kMaxVariables> bound_;
  std::optional<Cond> cond_;
  uint32_t num_dying_ = 0;  // inner instructions that only the root needs
  std::array<Planned, kMaxPlanned> planned_;
  uint8_t num_planned_ = 0;
};

}  // namespace psi::optimise
