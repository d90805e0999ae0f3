#include <fmt/format.h>

#include "legal/rules.h"
#include "psi/legal/legal.h"
#include "psi/text/text.h"

namespace psi {
namespace {

class LegalityCheck {
 public:
  LegalityCheck(const Module& module, const Function& function, const Target& target)
      : module_(module), function_(function), target_(target), addresses_(function, target) {}

  std::vector<IllegalInst> run() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) look_at(id);
    }
    return std::move(found_);
  }

 private:
  void look_at(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.is_phi() || inst.is_psi()) return;
    std::string_view op = info(inst.op).name;
    if (legal::has_bad_guard(inst, target_)) {
      add(id, fmt::format("{} has no guard on {}", target_.name, op));
    } else if (legal::reads_bad_complement(function_, inst, target_)) {
      add(id, fmt::format("{} reads no predicate complemented without a register for it", target_.name));
    }
    if (inst.op == Opcode::Cmpp && !target_.has_cmpp()) {
      add(id, fmt::format("{} has no cmpp", target_.name));
    } else if (std::optional<Action> action = legal::bad_action(inst, target_)) {
      add(id, fmt::format("{} has no cmpp.{}", target_.name, action_name(*action)));
    }
    if (inst.op == Opcode::Select && !target_.has_select) {
      add(id, fmt::format("{} has no select", target_.name));
    }
    if (int i = legal::bad_literal(function_, inst, target_); i != legal::kNoOperand) {
      Operand literal = function_.operands(inst)[static_cast<size_t>(i)];
      add(id, fmt::format("{} takes no literal {} as operand {} of {}", target_.name,
                          print(module_, function_, literal), i + 1, op));
    }
    if (addresses_.is_bad(id)) add(id, fmt::format("{} has no such address", target_.name));
  }
  void add(InstId id, std::string reason) { found_.push_back({id, std::move(reason)}); }

  const Module& module_;
  const Function& function_;
  const Target& target_;
  legal::AddressRules addresses_;
  std::vector<IllegalInst> found_;
};

}  // namespace

std::vector<IllegalInst> illegal_insts(const Module& module, const Function& function, const Target& target) {
  return LegalityCheck(module, function, target).run();
}

}  // namespace psi
