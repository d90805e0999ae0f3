#include "verify/definitions.h"

#include <fmt/format.h>

#include <algorithm>

namespace psi::verify {
namespace {

constexpr uint8_t kDefined = 1;
constexpr uint8_t kRead = 2;

}  // namespace

Definitions::Definitions(Context& context)
    : context_(context),
      function_(context.function),
      ssa_(is_ssa(function_.form)),
      marks_(function_.num_regs()),
      table_(ssa_ ? function_.num_regs() : 0) {
  for (Reg r : function_.params) {
    marks_[r.index()] = kDefined;
    if (ssa_) table_[r.index()] = {function_.entry(), 0, InstId()};
  }
}

void Definitions::add(BlockId b) {
  for (InstId id : function_.insts(b)) {
    const Inst& inst = function_.inst(id);
    ++position_;
    for_each_read(function_, inst, [&](Operand operand) { marks_[operand.reg().index()] |= kRead; });
    for (Reg r : inst.results) {
      if (!r) continue;
      if (ssa_) {
        if (marks_[r.index()] & kDefined) {
          ok_ = false;
          context_.error(Rule::SingleDefinition, b, id,
                         fmt::format("{} has another definition already", context_.name(r)));
          if (context_.full()) return;
        }
        table_[r.index()] = {b, position_, id};
      }
      marks_[r.index()] |= kDefined;
    }
    if (inst.is_psi()) psis_.push_back(id);
  }
}

void Definitions::check_reads() {
  if (std::find(marks_.begin(), marks_.end(), kRead) == marks_.end()) return;
  ok_ = false;
  for (BlockId b : function_.layout()) {
    for (InstId id : function_.insts(b)) {
      for_each_read(function_, function_.inst(id), [&](Operand operand) {
        uint8_t& mark = marks_[operand.reg().index()];
        if (mark != kRead) return;
        context_.error(Rule::UseDefined, b, id,
                       fmt::format("{} is used but never defined", context_.name(operand.reg())));
        mark |= kDefined;  // once is enough
      });
      if (context_.full()) return;
    }
  }
}

}  // namespace psi::verify
