// Variables that depend linearly on another one.
//
//     %i = phi [@b: 0], [@l: %i1]           %i = phi [@b: 0], [@l: %i1]
//     %j = phi [@b: 0], [@l: %j1]           %k = add.i32 %i, 5
//     %k = phi [@b: 5], [@l: %k1]     ==>   ... i for j ...
//     ...                                   %i1 = add.i32 %i, 1
//     %i1 = add.i32 %i, 1
//     %j1 = add.i32 %j, 1
//     %k1 = add.i32 %k, 1
//
// A variable at a constant distance becomes a sum only if its step has no other reader, so that it goes.
#include <algorithm>
#include <tuple>
#include <utility>

#include "cfg/substitution.h"
#include "optimise/dead_definitions.h"
#include "optimise/loops/induction_steps.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"

namespace psi::optimise {
namespace {

class VariableMerging {
 public:
  explicit VariableMerging(InductionContext& context) : context_(context), substitution_(context.function) {}

  bool run() {
    for (uint32_t l = 0; l < context_.analyses.get<Loops>().num_loops(); ++l)
      merge(context_.variables.of(LoopId(l)));
    if (gone_.empty()) return false;
    context_.apply();
    substitution_.apply(context_.analyses, context_.counters);
    remove_dead_definitions(context_.function, context_.analyses, std::move(gone_));
    if (equal_) context_.counters.add("equal induction variables merged", equal_);
    if (shifted_) context_.counters.add("shifted induction variables merged", shifted_);
    return true;
  }

 private:
  using Variable = InductionVariable;

  void merge(std::span<const Variable> variables) {
    sorted_.clear();
    for (const Variable& v : variables) {
      if (v.kind == Variable::Kind::Basic) sorted_.push_back(&v);
    }
    if (sorted_.size() < 2) return;
    // Grouped by step and start; the variable of the exit test first, so that the test does not change.
    const ExitTest* test = context_.variables.exit_test(sorted_[0]->loop);
    const Variable* tested = test ? &context_.variables.variable(test->form.variable) : nullptr;
    auto group = [](const Variable* v) { return std::pair(v->type, v->step.raw()); };
    std::ranges::sort(sorted_, {}, [&](const Variable* v) {
      bool with_tested = tested && v->start == tested->start;
      return std::tuple(group(v), !with_tested, v->start.raw(), v != tested, v - variables.data());
    });
    const Variable* leader = nullptr;
    const Variable* last = nullptr;
    for (const Variable* v : sorted_) {
      if (!leader || group(leader) != group(v)) {
        leader = last = v;
      } else if (v->start == last->start) {
        merge_equal(*last, *v);
      } else {
        last = v;
        merge_shifted(*leader, *v);
      }
    }
  }

  // Both steps come before the end of the latch, so one comes before the other.
  void merge_equal(const Variable& kept, const Variable& gone) {
    note(gone, "replaced by an equal induction variable");
    substitution_.set(gone.phi, Operand::reg(kept.phi));
    bool first = context_.comes_before(kept.next, gone.next);
    Reg later = first ? gone.next : kept.next, earlier = first ? kept.next : gone.next;
    if (later != earlier) {
      // Of three, the middle one may be replaced already.
      if (!substitution_.replaces(later)) substitution_.set(later, Operand::reg(earlier));
      gone_.push_back(later);
    }
    gone_.push_back(gone.phi);
    ++equal_;
  }

  void merge_shifted(const Variable& kept, const Variable& gone) {
    if (!kept.start.is_literal() || !gone.start.is_literal() || gone.type == Type::ptr) return;
    if (context_.analyses.get<Uses>().uses(gone.next).size() > 1) return;
    note(gone, "computed from another induction variable");
    Function& function = context_.function;
    uint64_t distance = function.literal_bits(gone.start) - function.literal_bits(kept.start);
    BlockId header = context_.analyses.get<Loops>().header(gone.loop);
    Reg sum = context_.insert_at_head(header, Opcode::Add, gone.type,
                                      {Operand::reg(kept.phi), function.literal(gone.type, distance)});
    substitution_.set(gone.phi, Operand::reg(sum));
    gone_.insert(gone_.end(), {gone.phi, gone.next});
    ++shifted_;
  }

  void note(const Variable& gone, const char* message) {
    if (context_.remarks) context_.remarks->done(context_.function, context_.definition(gone.phi), message);
  }

  InductionContext& context_;
  cfg::Substitution substitution_;
  std::vector<const Variable*> sorted_;
  std::vector<Reg> gone_;
  uint64_t equal_ = 0;
  uint64_t shifted_ = 0;
};

}  // namespace

bool merge_variables(InductionContext& context) { return VariableMerging(context).run(); }

}  // namespace psi::optimise
