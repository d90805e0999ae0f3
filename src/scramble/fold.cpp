// Replaces copies by their sources, also under guards: where the copy is undefined, any value may be read.
//
//     p ? y = mov x        p ? y = mov x
//     z = psi a, p?y       z = psi a, p?x
//     w = add y, 1         w = add x, 1
//
// A phi or psi of one value is a copy, too.
#include <optional>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "scramble/reads.h"

namespace psi::scramble {
namespace {

class Folding {
 public:
  explicit Folding(ScrambleContext& context)
      : context_(context), function_(context.function), facts_(context), reads_(context, facts_) {}

  void run() {
    for (BlockId b : context_.blocks()) {
      for (InstId id : function_.insts(b)) {
        reads_.for_each(id, [&](Use use) {
          if (context_.dice.percent(70)) fold(use);
        });
      }
    }
  }

 private:
  // Follows a chain of copies to its end.
  void fold(Use use) {
    while (std::optional<Operand> source = copied(reads_.value(use))) {
      if (!source->is_reg() && !takes_literals(use)) return;
      if (!reads_.may_be(use, *source)) return;
      reads_.set(use, *source);
      context_.counters.add("copies folded", 1);
    }
  }

  // Preserves complements. A self-copy does not count.
  std::optional<Operand> copied(Operand value) const {
    if (!value.reads_reg()) return std::nullopt;
    InstId id = facts_.definition(value.reg());
    if (!id) return std::nullopt;
    const Inst& inst = function_.inst(id);
    std::optional<Operand> source;
    if (inst.is_copy()) {
      source = psi::copied(function_, inst);
    } else if (inst.is_phi() || inst.is_psi()) {
      source = only_value(merge_arguments(function_, inst), Operand::reg(value.reg()));
    }
    if (!source || source->is_undef()) return std::nullopt;
    if (!value.is_negated()) return source;
    return source->is_reg() ? std::optional(Operand::not_reg(source->reg())) : std::nullopt;
  }

  static std::optional<Operand> only_value(MergeArguments arguments, Operand self) {
    std::optional<Operand> only;
    for (MergeArgument argument : arguments) {
      if (argument.value == self) continue;
      if (only && *only != argument.value) return std::nullopt;
      only = argument.value;
    }
    return only;
  }

  bool takes_literals(Use use) const {
    const Inst& inst = function_.inst(use.inst);
    return !use.is_guard() && (inst.is_phi() || inst.is_psi()) && !is_psi_guard(inst, use.operand);
  }

  ScrambleContext& context_;
  Function& function_;
  FunctionFacts facts_;
  Reads reads_;
};

}  // namespace

void fold(ScrambleContext& context) { Folding(context).run(); }

}  // namespace psi::scramble
