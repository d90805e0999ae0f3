// Lengthens live ranges: carries values around loops and through joins in new phis, and duplicates phis and
// instructions. Later steps make the program read these.
//
//     entry: v = ..              entry: v = ..
//     loop:  store v      ==>    loop:  u = phi [entry: v], [loop: w]
//            br c, loop, exit           w = phi [entry: v], [loop: u]
//                                       store v
//                                       br c, loop, exit
//
// A predecessor that the block dominates is reached from it without passing the definition of v, so u, w and
// v are the same there.
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/edits.h"
#include "scramble/equal.h"

namespace psi::scramble {
namespace {

constexpr uint32_t kMaxTurns = 3;

class Extension {
 public:
  explicit Extension(ScrambleContext& context)
      : context_(context),
        function_(context.function),
        dominators_(context.analyses.get<Dominators>()),
        facts_(context),
        values_(context, facts_) {}

  void run() {
    for (BlockId b : context_.blocks()) {
      if (b != function_.entry()) {
        add_phis(b);
        double_phis(b);
      }
      clone_insts(b);
      edits_.apply(function_, b);
    }
  }

 private:
  // For values that the block reads and that are available at its start.
  void add_phis(BlockId b) {
    uint32_t chance = context_.analyses.get<Cfg>().num_distinct_predecessors(b) > 1 ? 15 : 3;
    std::vector<Reg> chosen;
    for (InstId id : function_.insts(b)) {
      if (function_.inst(id).is_phi()) continue;
      for (Operand operand : std::as_const(function_).operands(id)) {
        if (!operand.is_reg() || !context_.dice.percent(chance) || !is_from_above(operand.reg(), b)) continue;
        if (values_.holds(operand.reg()) == Term::always()) chosen.push_back(operand.reg());
      }
    }
    for (Reg value : chosen) add_phis(b, value);
  }

  bool is_from_above(Reg r, BlockId b) const {
    InstId id = facts_.definition(r);
    return !id || (facts_.block(id) != b && dominators_.dominates(facts_.block(id), b));
  }

  void add_phis(BlockId b, Reg value) {
    std::vector<Reg> turns(1 + context_.dice.below(kMaxTurns));
    for (Reg& turn : turns) turn = new_twin(value);
    for (size_t i = 0; i < turns.size(); ++i) {
      std::vector<Operand> pairs;
      context_.analyses.get<Cfg>().for_each_distinct_predecessor(b, [&](BlockId from) {
        bool is_inside = dominators_.is_reachable(from) && dominators_.dominates(b, from);
        Reg argument = is_inside && context_.dice.percent(80) ? turns[(i + 1) % turns.size()] : value;
        pairs.insert(pairs.end(), {Operand::block(from), Operand::reg(argument)});
      });
      add(phi(function_.type(value), turns[i]), pairs);
      context_.counters.add("phis added", 1);
    }
  }

  static Inst phi(Type type, Reg result) {
    Inst inst;
    inst.op = Opcode::Phi;
    inst.type = type;
    inst.results[0] = result;
    return inst;
  }

  void double_phis(BlockId b) {
    std::vector<InstId> phis;
    for (InstId id : function_.insts(b)) {
      if (function_.inst(id).is_phi() && context_.dice.percent(20)) phis.push_back(id);
    }
    for (InstId id : phis) {
      Inst inst = function_.inst(id);
      std::vector<Operand> pairs(function_.operands(id).begin(), function_.operands(id).end());
      inst.results[0] = new_twin(inst.results[0]);
      add(inst, pairs);
      context_.counters.add("phis doubled", 1);
    }
  }

  // Directly above a reader of the result: its operands are still available there.
  void clone_insts(BlockId b) {
    for (InstId id : std::vector(function_.insts(b).begin(), function_.insts(b).end())) {
      if (function_.inst(id).is_phi()) continue;
      for (Operand operand : std::vector(function_.operands(id).begin(), function_.operands(id).end())) {
        if (!operand.is_reg() || !context_.dice.percent(5)) continue;
        InstId definition = facts_.definition(operand.reg());
        if (!definition || !can_be_cloned(definition)) continue;
        Inst inst = function_.inst(definition);
        for (Reg& result : inst.results) {
          if (result) result = function_.add_reg(function_.type(result));
        }
        std::vector<Operand> operands(function_.operands(definition).begin(),
                                      function_.operands(definition).end());
        uint32_t position = std::min(facts_.position(id), num_before_terminators(b));
        edits_.insert_before(position, function_.add_inst(inst, operands));
        context_.counters.add("instructions cloned", 1);
      }
    }
  }

  // Guards were defined the first time. A second freeze might choose another value.
  bool can_be_cloned(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.is_psi()) return facts_.is_consistent(arguments_of(function_, id));
    return inst.is_pure() && !inst.is_phi() && inst.op != Opcode::Freeze;
  }

  uint32_t num_before_terminators(BlockId b) const {
    return static_cast<uint32_t>(function_.insts(b).size() - function_.terminators(b).size());
  }

  Reg new_twin(Reg value) {
    Reg twin = function_.add_reg(function_.type(value));
    context_.twins.resize(function_.num_regs());
    context_.twins[twin.index()] = value;
    return twin;
  }

  void add(const Inst& phi, std::span<const Operand> pairs) {
    edits_.insert_before(0, function_.add_inst(phi, pairs));
  }

  ScrambleContext& context_;
  Function& function_;
  const Dominators& dominators_;
  FunctionFacts facts_;
  EqualValues values_;
  BlockEdits edits_;
};

}  // namespace

void extend(ScrambleContext& context) { Extension(context).run(); }

}  // namespace psi::scramble
