// split-conditions: a branch on two conditions becomes two, where a processor predicts both.
//
//     @a: %p = cmp.lt.i32 %i, %n                  @a: %p = cmp.lt.i32 %i, %n
//         %q = cmp.lt.i32 %j, %m                      br %p, @l, @b
//         %r = select.i1 %p, 1, %q        ==>     @b: %q = cmp.lt.i32 %j, %m
//         br %r, @l, @x                               br %q, @l, @x
//
// Joining two conditions saves a branch; it costs the instructions that compute the second condition where
// the first decides, and those that join the two. Within loops, where the misprediction rates of the select
// and the branch were measured, these instructions are weighed against the issue slots that the
// mispredictions of two branches lose on the target. A predictor of the first condition and of both predicts
// the second, so the rate of the second is at most their sum.
//
// Requires SSA form; ensures it. Linear.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "predication/if_convert/sinking.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/predication/if_convert.h"

namespace psi {
namespace {

using namespace predication;

constexpr size_t kMaxSecond = 16;  // instructions that are looked at for the second condition

// Two branches for one, with the probability of the first side and the misprediction rate of each.
struct SplitCondition {
  InstId branch, select;
  bool is_or;  // the first decides if it is true; or else if it is false
  Operand first, second;
  double first_true, second_true;
  double first_rate, second_rate;
  double open;  // how often the second is looked at
  double saved = 0, slots = 0;
};

class ConditionSplitting {
 public:
  explicit ConditionSplitting(PassContext& context)
      : context_(context),
        function_(context.function),
        target_(context.target()),
        loops_(context.analyses.get<Loops>()),
        uses_(context.analyses.get<Uses>()) {}

  void run() {
    std::vector<SplitCondition> found;
    for (BlockId b : function_.layout()) {
      if (!loops_.of(b)) continue;
      std::optional<SplitCondition> condition = joined(b);
      if (condition && pays(*condition)) found.push_back(*condition);
    }
    if (found.empty()) return;
    std::vector<BlockId> rest;  // by found: the new block
    for (const SplitCondition& condition : found) rest.push_back(split(condition));
    place(found, rest);
    std::vector<BlockId> heads;
    for (const SplitCondition& condition : found) heads.push_back(uses_.block(condition.branch));
    context_.analyses.drop(Keeps::Nothing);
    Sinking sinking(function_, context_.analyses.get<Uses>());
    for (size_t i = 0; i < found.size(); ++i) {
      // Code that only the second condition needs is sunk behind the first branch.
      sinking.sink({found[i].second}, heads[i], rest[i]);
    }
    context_.counters.add("conditions split", found.size());
  }

 private:
  std::span<const Operand> operands(InstId id) const { return std::as_const(function_).operands(id); }

  std::optional<SplitCondition> joined(BlockId b) const {
    std::span<const InstId> terminators = function_.terminators(b);
    InstId branch = terminators.back();
    const Inst& inst = function_.inst(branch);
    if (terminators.size() != 1 || !inst.is_branch()) return {};
    std::span<const Operand> targets = operands(branch).subspan(1);
    // A loop that is one block is best as it is.
    if (targets[0] == targets[1] || targets[0].block() == b || targets[1].block() == b) return {};
    SplitCondition found;
    found.branch = branch;
    found.select = only_definition(operands(branch)[0], b);
    if (found.select && function_.inst(found.select).op == Opcode::Freeze) {
      found.select = only_definition(operands(found.select)[0], b);
    }
    if (!found.select || function_.inst(found.select).op != Opcode::Select) return {};
    std::span<const Operand> values = operands(found.select);
    found.first = values[0];
    if (!found.first.is_reg() || function_.inst(found.select).guard) return {};
    found.is_or = values[1].is_literal() && function_.literal_bits(values[1]) != 0;
    bool is_and = values[2].is_literal() && function_.literal_bits(values[2]) == 0;
    if (!found.is_or && !is_and) return {};
    found.second = found.is_or ? values[2] : values[1];
    return found.second.is_reg() && measure(found) ? std::optional(found) : std::nullopt;
  }

  // In the block, and read here alone.
  InstId only_definition(Operand value, BlockId b) const {
    if (!value.is_reg() || uses_.uses(value.reg()).size() != 1) return InstId();
    InstId id = uses_.definition(value.reg());
    return id && uses_.block(id) == b && !function_.inst(id).guard ? id : InstId();
  }

  std::optional<double> first_probability(InstId decision) const {
    std::span<const uint64_t> counts = std::as_const(function_).edge_counts(decision);
    if (counts.size() != 2) return {};
    double all = static_cast<double>(counts[0]) + static_cast<double>(counts[1]);
    return all > 0 ? std::optional(static_cast<double>(counts[0]) / all) : std::nullopt;
  }

  bool measure(SplitCondition& found) const {
    std::optional<double> first_true = first_probability(found.select),
                          both_true = first_probability(found.branch);
    std::optional<uint32_t> rate = function_.misprediction_rate(found.branch);
    if (!first_true || !both_true || !rate) return false;
    found.first_true = *first_true;
    found.open = found.is_or ? 1 - *first_true : *first_true;
    double second = found.is_or ? *both_true - *first_true : *both_true;
    found.second_true = found.open > 0 ? std::clamp(second / found.open, 0.0, 1.0) : 0.5;
    double both_rate = *rate / 100.0;
    found.first_rate = function_.misprediction_rate(found.select).value_or(*rate) / 100.0;
    found.first_rate = std::min({found.first_rate, *first_true, 1 - *first_true});
    found.second_rate = found.open > 0 ? (both_rate + found.first_rate) / found.open : 0;
    found.second_rate = std::min({found.second_rate, found.second_true, 1 - found.second_true});
    return true;
  }

  bool pays(SplitCondition& found) const {
    double rate = found.first_rate + found.open * found.second_rate;
    found.slots = target_.issue_width * target_.misprediction * rate;
    found.saved = join_size() + (1 - found.open) * needed_for_second(found);
    bool pays = found.slots < found.saved;
    if (!context_.remarks) return pays;
    std::string figures = fmt::format(
        "mispredicted {:.1f} % of the time as two branches, which costs {:.2f} issue slots and saves {:.2f} "
        "instructions",
        100 * rate, found.slots, found.saved);
    if (pays) {
      context_.remarks->done(function_, found.branch, "two conditions split: " + figures);
    } else {
      context_.remarks->refused(function_, found.branch, "two conditions not split: " + figures);
    }
    return pays;
  }

  // Instructions that join two conditions. Without predicate registers each must be brought into a general
  // one.
  double join_size() const { return target_.register_class(RegisterKind::Predicate).count > 0 ? 1 : 3; }

  // Instructions that are executed for the second condition alone.
  double needed_for_second(const SplitCondition& found) const {
    BlockId b = uses_.block(found.branch);
    std::vector<Operand> work = {found.second};
    double needed = 0;
    for (size_t i = 0; i < work.size() && i < kMaxSecond; ++i) {
      InstId id = work[i].reads_reg() ? only_definition(work[i], b) : InstId();
      if (!id || !can_sink(function_.inst(id))) continue;
      ++needed;
      work.insert(work.end(), operands(id).begin(), operands(id).end());
    }
    return needed;
  }

  // --- The edit -------------------------------------------------------------------------------------
  BlockId split(const SplitCondition& found) {
    BlockId head = uses_.block(found.branch), rest = function_.add_block();
    std::array targets = {operands(found.branch)[1].block(), operands(found.branch)[2].block()};
    size_t decided = found.is_or ? 0 : 1;
    InstId frozen = uses_.definition(operands(found.branch)[0].reg());
    bool was_frozen = frozen != found.select;
    std::array<uint64_t, 2> counts = {std::as_const(function_).edge_counts(found.branch)[0],
                                      std::as_const(function_).edge_counts(found.branch)[1]};
    uint64_t all = counts[0] + counts[1];

    std::vector<InstId> insts(function_.insts(head).begin(), function_.insts(head).end());
    std::erase_if(insts, [&](InstId id) {
      return id == found.branch || id == found.select || (was_frozen && id == frozen);
    });
    Operand first = found.first, second = found.second;
    if (was_frozen) first = freeze(first, found.branch, insts);
    insts.push_back(found.branch);
    std::vector<InstId> last;
    if (was_frozen) second = freeze(second, found.branch, last);

    std::array<Operand, 3> both = {first, Operand::block(targets[0]), Operand::block(targets[1])};
    both[2 - decided] = Operand::block(rest);
    Inst branch;
    branch.op = Opcode::Br;
    std::array then = {second, Operand::block(targets[0]), Operand::block(targets[1])};
    last.push_back(function_.add_inst(branch, then));
    function_.copy_place(found.branch, last.back());
    function_.set_operands(found.branch, both);
    function_.set_insts(head, insts);
    function_.set_insts(rest, last);

    uint64_t looked_at = set_counts(found.branch, all, found.first_true, found.first_rate)[1 - decided];
    set_counts(last.back(), looked_at, found.second_true, found.second_rate);
    if (function_.count(head)) {
      function_.set_count(rest, static_cast<uint64_t>(
                                    std::llround(static_cast<double>(*function_.count(head)) * found.open)));
    }
    enter(targets[decided], head, rest, true);
    enter(targets[1 - decided], head, rest, false);
    return rest;
  }

  Operand freeze(Operand value, InstId branch, std::vector<InstId>& insts) {
    Inst inst;
    inst.op = Opcode::Freeze;
    inst.type = Type::i1;
    inst.results[0] = function_.add_reg(Type::i1);
    insts.push_back(function_.add_inst(inst, std::array{value}));
    function_.copy_place(branch, insts.back());
    return Operand::reg(inst.results[0]);
  }

  std::array<uint64_t, 2> set_counts(InstId branch, uint64_t all, double first, double rate) {
    auto taken = static_cast<uint64_t>(std::llround(static_cast<double>(all) * first));
    std::array counts = {std::min(taken, all), all - std::min(taken, all)};
    function_.set_edge_counts(branch, counts);
    function_.set_misprediction_rate(branch, static_cast<uint32_t>(std::lround(100 * rate)));
    return counts;
  }

  // The phis of a target, which control comes to from the new block, too, or instead.
  void enter(BlockId target, BlockId head, BlockId rest, bool from_both) {
    std::vector<Operand> pairs;
    for (InstId id : function_.insts(target)) {
      if (!function_.inst(id).is_phi()) break;
      pairs.clear();
      for (auto [from, value] : phi_entries(function_, id)) {
        if (from != head || from_both) add_phi_entry(pairs, from, value);
        if (from == head) add_phi_entry(pairs, rest, value);
      }
      function_.set_operands(id, pairs);
    }
  }

  // Behind their heads.
  void place(const std::vector<SplitCondition>& found, const std::vector<BlockId>& rest) {
    std::vector<BlockId> behind(function_.num_blocks()), layout;
    for (size_t i = 0; i < found.size(); ++i) behind[uses_.block(found[i].branch).index()] = rest[i];
    for (BlockId b : function_.layout().first(function_.layout().size() - rest.size())) {
      layout.push_back(b);
      if (behind[b.index()]) layout.push_back(behind[b.index()]);
    }
    function_.set_layout(std::move(layout));
  }

  PassContext& context_;
  Function& function_;
  const Target& target_;
  const Loops& loops_;
  const Uses& uses_;
};

}  // namespace

void split_conditions(PassContext& context) { ConditionSplitting(context).run(); }

}  // namespace psi
