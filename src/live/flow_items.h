// The items of a problem, and their relation to instructions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/uses.h"
#include "psi/live/predicate_flow.h"
#include "psi/pass/analyses.h"

namespace psi::live {

class FlowItems {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  FlowItems(const Function& function, Analyses& analyses, FlowProblem problem);

  std::span<const FlowItem> all() const { return items_; }
  uint32_t size() const { return static_cast<uint32_t>(items_.size()); }

  // The items that are about a register: a definition of it ends them.
  std::span<const uint32_t> about(Reg r) const {
    return std::span(about_).subspan(about_start_[r.index()],
                                     about_start_[r.index() + 1] - about_start_[r.index()]);
  }
  bool is_about(uint32_t item, Reg r) const;

  // Which item it is, in a problem of that kind.
  uint32_t of_read(InstId id, uint32_t operand, Reg r) const;
  uint32_t of_definition(InstId id, uint32_t target) const { return by_inst_[2 * id.index() + target]; }
  // kNone if the instruction computes no expression.
  uint32_t of_expression(InstId id) const { return by_inst_[id.index()]; }

 private:
  void add_definitions(const Uses& uses);
  void add_uses(const Uses& uses);
  void add_expressions();
  void list_by_register();

  const Function& function_;
  FlowProblem problem_;
  std::vector<FlowItem> items_;
  std::vector<uint32_t> by_inst_;      // definitions: two for each; uses: where by_operand_ starts
  std::vector<uint32_t> by_operand_;   // the guard first
  std::vector<uint32_t> about_start_;  // by Reg, and one more
  std::vector<uint32_t> about_;
};

}  // namespace psi::live
