// Replaces copies by what they copy, also under guards: where the copy is undefined, anything may be read.
//
//     p ? y = mov x        p ? y = mov x
//     z = psi a, p?y       z = psi a, p?x
//     w = add y, 1         w = add x, 1
//
// A phi or psi of one value is a copy, too.
#include <optional>

#include "scramble/reads.h"

namespace psi::scrambling {
namespace {

class Folding {
 public:
  explicit Folding(Scene& scene)
      : scene_(scene), function_(scene.function), knowledge_(scene), reads_(scene, knowledge_) {}

  void run() {
    for (BlockId b : scene_.blocks()) {
      for (InstId id : function_.insts(b)) {
        reads_.for_each(id, [&](Use use) {
          if (scene_.dice.percent(70)) fold(use);
        });
      }
    }
  }

 private:
  // Along a row of copies, as far as it goes.
  void fold(Use use) {
    while (std::optional<Operand> source = copied(reads_.value(use))) {
      if (!source->is_reg() && !takes_literals(use)) return;
      if (!reads_.may_be(use, *source)) return;
      reads_.set(use, *source);
      scene_.counters.add("copies folded", 1);
    }
  }

  // A complement stays one. The copy of itself is none.
  std::optional<Operand> copied(Operand value) const {
    if (!value.reads_reg()) return std::nullopt;
    InstId id = knowledge_.definition(value.reg());
    if (!id) return std::nullopt;
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    std::optional<Operand> source;
    if (inst.op == Opcode::Mov) {
      source = operands[0];
    } else if (inst.is_phi() || inst.is_psi()) {
      source = only_value(operands, Operand::reg(value.reg()));
    }
    if (!source || source->is_undef()) return std::nullopt;
    if (!value.is_negated()) return source;
    return source->is_reg() ? std::optional(Operand::not_reg(source->reg())) : std::nullopt;
  }

  static std::optional<Operand> only_value(std::span<const Operand> pairs, Operand self) {
    std::optional<Operand> only;
    for (size_t i = 1; i < pairs.size(); i += 2) {
      if (pairs[i] == self) continue;
      if (only && *only != pairs[i]) return std::nullopt;
      only = pairs[i];
    }
    return only;
  }

  bool takes_literals(Use use) const {
    const Inst& inst = function_.inst(use.inst);
    return !use.is_guard() && (inst.is_phi() || (inst.is_psi() && use.operand % 2 == 1));
  }

  Scene& scene_;
  Function& function_;
  Knowledge knowledge_;
  Reads reads_;
};

}  // namespace

void fold(Scene& scene) { Folding(scene).run(); }

}  // namespace psi::scrambling
