// Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013): no dominators,
// no placement; phis are made where a read finds no value in its block.
//
// Blocks are translated in reverse post-order. A read walks up to the predecessors; at a join it makes a phi,
// whose arguments are read likewise. A block is sealed once all its predecessors are translated; before that,
// a read makes a phi whose arguments are added at sealing. A phi with one value is replaced by it
// (phi_graph.h). The result is pruned and, with redundant sets of phis removed, minimal. Temporary phis hold
// pending reads, so nothing recurses.
//
// Work and memory grow with the joins that values pass through between definitions and reads: a variable
// written at the top of a long function and read at its end makes a phi at every join between, though none is
// needed. Hence the limit.

#include <algorithm>
#include <utility>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"
#include "ssa/phi_graph.h"
#include "ssa/rename.h"
#include "ssa/translate.h"
#include "ssa/version_table.h"
#include "support/scratch.h"

namespace psi::ssa {
namespace {

// The current values, for the translator.
class OnTheFlyVersions {
 public:
  OnTheFlyVersions(const Function& function, const Cfg& cfg, const Order& order, PhiGraph& phis)
      : function_(function),
        cfg_(cfg),
        order_(order),
        phis_(phis),
        unfilled_(cfg.num_blocks()),
        incomplete_(cfg.num_blocks()) {
    for (BlockId b : order.reverse_post_order())
      for_each_predecessor(b, [&](BlockId) { ++unfilled_[b.index()]; });
  }

  void enter_block(BlockId b) { block_ = b; }
  Operand read(Reg variable) {
    if (has_given_up()) return Operand::undef(function_.type(variable));
    Operand value = read_in(block_, variable);
    complete_pending();
    return phis_.resolve(value);
  }
  void write(Reg variable, Operand value) { versions_.set(block_, variable, value); }
  // Which phis are read is known only when all are complete.
  void use(Operand) {}

  // Too many phis: results no longer matter.
  bool has_given_up() const { return phis_.size() > limit_; }

  // The block is translated: it may have been the last predecessor that a successor waited for.
  void leave_block() {
    std::span<const BlockId> successors = cfg_.successors(block_);
    distinct_.assign(successors.begin(), successors.end());
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
    for (BlockId to : distinct_) --unfilled_[to.index()];
    for (BlockId to : distinct_) {
      if (is_sealed(to)) seal(to);
    }
  }

 private:
  bool is_sealed(BlockId b) const { return unfilled_[b.index()] == 0; }

  template <class Visit>
  void for_each_predecessor(BlockId b, Visit visit) const {
    cfg_.for_each_distinct_predecessor(b, [&](BlockId from) {
      if (order_.is_reachable(from)) visit(from);
    });
  }

  // The value of the variable at the end of the block, or so far.
  Operand read_in(BlockId b, Reg variable) {
    Operand value;
    passed_.clear();
    while (true) {
      value = versions_.find(b, variable);
      if (!value.is_none()) break;
      passed_.push_back(b);
      if (!is_sealed(b)) {
        value = new_phi(b, variable, incomplete_[b.index()]);
        break;
      }
      BlockId from;
      uint32_t count = 0;
      if (order_.is_reachable(b)) {
        for_each_predecessor(b, [&](BlockId p) {
          from = p;
          ++count;
        });
      }
      if (count == 0) {
        value = Operand::undef(function_.type(variable));
        break;
      }
      if (count > 1) {
        value = new_phi(b, variable, pending_);
        break;
      }
      b = from;
    }
    value = phis_.resolve(value);
    for (BlockId passed : passed_) versions_.set(passed, variable, value);
    return value;
  }

  Operand new_phi(BlockId b, Reg variable, std::vector<uint32_t>& waiting) {
    uint32_t phi = phis_.add(b, variable);
    waiting.push_back(phi);
    return PhiGraph::value(phi);
  }

  void seal(BlockId b) {
    std::vector<uint32_t>& phis = incomplete_[b.index()];
    pending_.insert(pending_.end(), phis.rbegin(), phis.rend());
    phis = {};
    complete_pending();
  }

  void complete_pending() {
    while (!pending_.empty() && !has_given_up()) {
      uint32_t phi = pending_.back();
      pending_.pop_back();
      Reg variable = phis_[phi].variable;
      arguments_.clear();
      for_each_predecessor(phis_[phi].block,
                           [&](BlockId from) { arguments_.push_back(read_in(from, variable)); });
      phis_.complete(phi, arguments_, Operand::undef(function_.type(variable)));
    }
  }

  static constexpr uint64_t kPhisAtLeast = 100'000;
  static constexpr uint64_t kPhisPerInst = 16;

  const Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  PhiGraph& phis_;
  const uint64_t limit_ = kPhisAtLeast + kPhisPerInst * uint64_t{function_.num_insts()};
  BlockId block_;
  VersionTable versions_;
  std::vector<uint32_t> unfilled_;                 // by BlockId: predecessors still to be translated
  std::vector<std::vector<uint32_t>> incomplete_;  // by BlockId: phis that wait for its sealing
  std::vector<uint32_t> pending_;                  // phis that can have their arguments
  std::vector<BlockId> passed_;
  std::vector<BlockId> distinct_;  // successors
  std::vector<Operand> arguments_;
};

class OnTheFly {
 public:
  OnTheFly(Function& function, Analyses& analyses, const ConstructOptions& options)
      : function_(function),
        cfg_(analyses.get<Cfg>()),
        order_(analyses.get<Order>()),
        names_(function, scratch_),
        versions_(function, cfg_, order_, phis_),
        translator_(function, options, names_, versions_) {}

  bool run(Counters& counters) {
    for (BlockId b : order_.reverse_post_order()) {
      translate(b);
      if (versions_.has_given_up()) return false;
    }
    for (BlockId b : function_.layout()) {
      if (!order_.is_reachable(b)) translate(b);
    }
    phis_.remove_redundant(function_);
    uint64_t made = phis_.size();
    find_live();
    insert_phis();
    rewrite();
    translator_.finish();
    counters.add("phis made", made);
    counters.add("phis", live_phis_.size());
    translator_.count(counters);
    names_.write();
    counters.add("names", names_.made());
    return true;
  }

 private:
  void translate(BlockId b) {
    versions_.enter_block(b);
    if (b == function_.entry()) {
      for (Reg param : function_.params) versions_.write(param, Operand::reg(names_.make(param)));
    }
    list_.clear();
    translator_.block(b, list_);
    function_.set_insts(b, list_);
    if (order_.is_reachable(b)) versions_.leave_block();
  }

  // The phis that an instruction reads, directly or through other phis.
  void find_live() {
    is_live_.resize(phis_.size());
    std::vector<uint32_t> work;
    auto read = [&](Operand value) {
      value = phis_.resolve(value);
      if (!PhiGraph::is_phi(value) || is_live_[PhiGraph::phi(value)]) return;
      is_live_[PhiGraph::phi(value)] = true;
      work.push_back(PhiGraph::phi(value));
    };
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        read(function_.inst(id).guard.as_operand());
        for (Operand operand : std::as_const(function_).operands(id))
          read(operand.is_negated() ? Operand::reg(operand.reg()) : operand);
      }
    }
    while (!work.empty()) {
      uint32_t phi = work.back();
      work.pop_back();
      for (Operand argument : phis_.arguments(phi)) read(argument);
    }
    for (uint32_t phi = 0; phi < phis_.size(); ++phi) {
      if (is_live_[phi]) live_phis_.push_back(phi);
    }
  }

  // By block, in the order of variables, as in the other constructions.
  void insert_phis() {
    std::sort(live_phis_.begin(), live_phis_.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(order_.number(phis_[a].block), phis_[a].variable) <
             std::pair(order_.number(phis_[b].block), phis_[b].variable);
    });
    phi_name_.resize(phis_.size());
    for (uint32_t phi : live_phis_) phi_name_[phi] = names_.make(phis_[phi].variable);
    std::vector<Operand> pairs;
    for (size_t i = 0; i < live_phis_.size();) {
      BlockId b = phis_[live_phis_[i]].block;
      list_.clear();
      for (; i < live_phis_.size() && phis_[live_phis_[i]].block == b; ++i)
        list_.push_back(make_phi(live_phis_[i], pairs));
      list_.insert(list_.end(), function_.insts(b).begin(), function_.insts(b).end());
      function_.set_insts(b, list_);
    }
  }

  InstId make_phi(uint32_t phi, std::vector<Operand>& pairs) {
    Inst inst;
    inst.op = Opcode::Phi;
    inst.type = function_.type(phis_[phi].variable);
    inst.results[0] = phi_name_[phi];
    pairs.clear();
    std::span<const Operand> arguments = phis_.arguments(phi);
    size_t next = 0;
    cfg_.for_each_distinct_predecessor(phis_[phi].block, [&](BlockId from) {
      pairs.push_back(Operand::block(from));
      pairs.push_back(order_.is_reachable(from) ? arguments[next++] : Operand::undef(inst.type));
    });
    return function_.add_inst(inst, pairs);
  }

  // Replaces phis in operands by their names, or by their replacements.
  void rewrite() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        Inst& inst = function_.inst(id);
        if (inst.guard) inst.guard = Guard(final_predicate(inst.guard.as_operand()));
        uint32_t position = 0;
        for (Operand& operand : function_.operands(id)) {
          bool is_predicate = operand.is_negated() || (inst.op == Opcode::Cmpp && position == kCmppInput) ||
                              (inst.op == Opcode::Psi && position % 2 == 0);
          operand = is_predicate ? final_predicate(operand) : final_value(operand);
          ++position;
        }
        if (inst.is_psi()) drop_undef_argument(id);
      }
    }
  }

  Operand final_value(Operand value) {
    value = phis_.resolve(value);
    return PhiGraph::is_phi(value) ? Operand::reg(phi_name_[PhiGraph::phi(value)]) : value;
  }

  Operand final_predicate(Operand predicate) {
    if (!predicate.reads_reg()) return predicate;
    Operand value = final_value(Operand::reg(predicate.reg()));
    Reg reg = value.is_reg() ? value.reg() : translator_.undef_predicate();
    return Operand::predicate(reg, predicate.is_negated());
  }

  // A psi has no argument for a missing earlier value.
  void drop_undef_argument(InstId id) {
    PsiArguments arguments = psi_arguments(function_, id);
    auto [guard, value] = arguments.front();
    if (arguments.size() == 1 || guard != Operand::always() || !value.is_undef()) return;
    std::span<const Operand> rest = arguments.without_first().operands();
    function_.set_operands(id, std::vector<Operand>(rest.begin(), rest.end()));
  }

  Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  Scratch scratch_;
  Names names_;
  PhiGraph phis_;
  OnTheFlyVersions versions_;
  Translator<OnTheFlyVersions> translator_;
  std::vector<bool> is_live_;  // by phi
  std::vector<uint32_t> live_phis_;
  std::vector<Reg> phi_name_;  // by phi
  std::pmr::vector<InstId> list_;
};

}  // namespace

bool construct_on_the_fly(Function& function, Analyses& analyses, const ConstructOptions& options,
                          Counters& counters) {
  Function before = function;
  if (OnTheFly(function, analyses, options).run(counters)) return true;
  function = std::move(before);
  return false;
}

}  // namespace psi::ssa
