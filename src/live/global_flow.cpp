// Expressions flow between blocks (after Gillies et al., "Global predicate analysis and its application to
// register allocation", 1996). In SSA form a predicate is one value wherever its definition dominates, so one
// partition graph serves the whole function; on its way into a block an expression loses what is not the same
// on all edges there (symbol_scopes.h).
//
// Executions that leave a block by an edge satisfy its condition, so sets are restricted along the edge.
//
// The set of a block only grows (must: only shrinks), and an expression of many symbols, or one that changes
// many times, becomes all executions (must: none). So the iteration ends, and the expression of a block and
// an item takes only a few words.

#include <algorithm>
#include <utility>

#include "live/flow_edges.h"
#include "live/flow_engine.h"
#include "live/symbol_scopes.h"
#include "psi/predicate/guard_facts.h"

namespace psi::live {
namespace {

constexpr uint32_t kMaxSymbolsOfExpr = 16;
constexpr uint32_t kMaxVisits = 12;
constexpr size_t kMaxChanged = 512;

class GlobalFlow : public FlowEngine {
 public:
  GlobalFlow(const Function& function, Analyses& analyses, FlowProblem problem)
      : FlowEngine(function, analyses, problem),
        symbols_(function, analyses.get<GuardFacts>()),
        scopes_(analyses, *symbols_.predicates(), symbols_.graph()),
        edges_(cfg_, symbols_),
        phi_reads_(order_.num_reachable()),
        left_(order_.num_reachable()),
        visits_(order_.num_reachable()) {
    make_symbols();
    for (BlockId b : order_.reverse_post_order()) list_phi_reads(b);
    solve();
  }

  void enter(BlockId b, FlowState& state) override {
    if (is_backward(problem_)) {
      join_successors(b, state);
    } else if (is_must(problem_)) {
      meet_predecessors(b, state);
    } else {
      join_predecessors(b, state);
    }
  }

  FlowSymbols& symbols() override { return symbols_; }

 private:
  struct PhiRead {
    BlockId other;  // the block at the other end of the edge
    uint32_t item;
  };

  const PredicateAlgebra& algebra() const { return symbols_.algebra(); }

  // All of them now, so that the graph stays as it is while expressions flow.
  void make_symbols() {
    for (BlockId b : order_.reverse_post_order()) {
      for (InstId id : function_.insts(b)) transfer_.effects(id, symbols_);
      edges_.make_symbols(b);
    }
  }

  void list_phi_reads(BlockId b) {
    if (!transfer_.is_about_reads()) return;
    transfer_.for_each_phi_read(b, [&](BlockId from, uint32_t item) {
      if (!order_.is_reachable(from)) return;
      bool backward = is_backward(problem_);
      phi_reads_[order_.number(backward ? from : b)].push_back({backward ? b : from, item});
    });
  }

  // --- Joins ----------------------------------------------------------------------------------------------

  void add(uint32_t item, const PredicateExpr& where, FlowState& state) const {
    state.set(item, algebra().lub_sum(where, state[item]));
  }

  // Most items hold in all executions. Where there are very many, `change` is not applied to these.
  template <class Change>
  void add_all(std::span<const FlowState::Entry> entries, Change change, FlowState& state) const {
    PredicateExpr always = PredicateAlgebra::true_expr();
    PredicateExpr changed = entries.size() > kMaxChanged ? always : change(always);
    for (const FlowState::Entry& entry : entries) {
      bool is_always = entry.where == always;
      if (state[entry.item] == always) continue;
      if (is_always && changed == always) {
        state.set(entry.item, always);
      } else {
        add(entry.item, is_always ? changed : change(entry.where), state);
      }
    }
  }

  void join_successors(BlockId b, FlowState& state) {
    std::span<const BlockId> targets = cfg_.successors(b);
    for (uint32_t i = 0; i < targets.size(); ++i) {
      add_all(
          left_[order_.number(targets[i])], [&](const PredicateExpr& e) { return edges_.cut(e, {b, i}); },
          state);
    }
    BlockId last;
    PredicateExpr where;
    for (const PhiRead& read : phi_reads_[order_.number(b)]) {
      if (read.other != last) where = edges_.taken(b, read.other);
      last = read.other;
      add(read.item, where, state);
    }
  }

  void join_predecessors(BlockId b, FlowState& state) {
    std::span<const BlockId> sources = cfg_.predecessors(b);
    for (uint32_t i = 0; i < sources.size(); ++i) {
      if (!order_.is_reachable(sources[i])) continue;
      auto change = [&](const PredicateExpr& e) {
        return scopes_.at_most(edges_.cut(e, cfg_.incoming(b, i)), b, algebra());
      };
      add_all(left_[order_.number(sources[i])], change, state);
    }
    for (const PhiRead& read : phi_reads_[order_.number(b)]) {
      add(read.item, scopes_.at_most(edges_.taken(read.other, b), b, algebra()), state);
    }
    if (problem_ != FlowProblem::ReachingDefinitions || b != cfg_.entry()) return;
    for (uint32_t item = 0; item < items_.size(); ++item) {
      if (!items_.all()[item].inst) state.set(item, PredicateAlgebra::true_expr());
    }
  }

  // Of the predecessors that were visited; the others may turn out to have everything.
  void meet_predecessors(BlockId b, FlowState& state) {
    bool is_first = true;
    for (BlockId p : cfg_.predecessors(b)) {
      if (!order_.is_reachable(p) || visits_[order_.number(p)] == 0) continue;
      const std::vector<FlowState::Entry>& left = left_[order_.number(p)];
      if (is_first) {
        for (const FlowState::Entry& entry : left) {
          state.set(entry.item, scopes_.at_least(entry.where, b, algebra()));
        }
      } else {
        std::vector<FlowState::Entry> held(state.entries().begin(), state.entries().end());
        for (const FlowState::Entry& entry : held) {
          auto other = std::ranges::lower_bound(left, entry.item, {}, &FlowState::Entry::item);
          bool found = other != left.end() && other->item == entry.item;
          PredicateExpr where = found ? scopes_.at_least(other->where, b, algebra()) : PredicateExpr();
          state.set(entry.item, common(entry.where, where));
        }
      }
      is_first = false;
    }
  }

  // At least what is in both.
  PredicateExpr common(const PredicateExpr& e, const PredicateExpr& f) const {
    PredicateExpr result;
    e.for_each([&](Symbol s) {
      if (algebra().is_subset(s, f)) result = algebra().lub_sum(s, result);
    });
    f.for_each([&](Symbol s) {
      if (algebra().is_subset(s, e)) result = algebra().lub_sum(s, result);
    });
    return result;
  }

  // --- The solver -----------------------------------------------------------------------------------------

  void solve() {
    FlowState state(items_.size());
    iterate([&](BlockId b) {
      state.clear();
      enter(b, state);
      for_each_inst(b, [&](InstId id) { apply(id, state); });
      return leave(b, state);
    });
  }

  // Merges the set at the block's far end into the known one. Has it changed?
  bool leave(BlockId b, const FlowState& state) {
    uint32_t row = order_.number(b);
    bool is_first = visits_[row]++ == 0;
    std::vector<FlowState::Entry> old = std::move(left_[row]);
    std::vector<FlowState::Entry>& now = left_[row];
    now = in_order(state);
    for (FlowState::Entry& entry : now) {
      if (is_backward(problem_)) entry.where = scopes_.at_most(entry.where, b, algebra());
      if (entry.where.size() > kMaxSymbolsOfExpr) entry.where = extreme();
    }
    if (!is_first) now = is_must(problem_) ? shrunk(old, now, row) : grown(old, now, row);
    std::erase_if(now, [](const FlowState::Entry& entry) { return entry.where.empty(); });
    auto equal = [](const FlowState::Entry& x, const FlowState::Entry& y) {
      return x.item == y.item && x.where == y.where;
    };
    return is_first || !std::ranges::equal(old, now, equal);
  }

  // The entries by item; where there are many it is quicker to look for each.
  std::vector<FlowState::Entry> in_order(const FlowState& state) const {
    std::vector<FlowState::Entry> result;
    result.reserve(state.entries().size());
    if (state.entries().size() > items_.size() / 8) {
      for (uint32_t item = 0; item < items_.size(); ++item) {
        if (state.contains(item)) result.push_back({item, state[item]});
      }
    } else {
      result.assign(state.entries().begin(), state.entries().end());
      std::ranges::sort(result, {}, &FlowState::Entry::item);
    }
    return result;
  }

  // The approximation of expensive expressions.
  PredicateExpr extreme() const {
    return is_must(problem_) ? PredicateAlgebra::false_expr() : PredicateAlgebra::true_expr();
  }

  PredicateExpr settled(const PredicateExpr& old, PredicateExpr now, uint32_t row) const {
    bool is_unstable = visits_[row] > kMaxVisits && now != old;
    return is_unstable || now.size() > kMaxSymbolsOfExpr ? extreme() : now;
  }

  std::vector<FlowState::Entry> grown(std::span<const FlowState::Entry> old,
                                      std::span<const FlowState::Entry> now, uint32_t row) const {
    std::vector<FlowState::Entry> result;
    auto next = now.begin();
    for (const FlowState::Entry& entry : old) {
      for (; next != now.end() && next->item < entry.item; ++next) result.push_back(*next);
      result.push_back(entry);
      if (next == now.end() || next->item != entry.item) continue;
      PredicateExpr sum = algebra().lub_sum(entry.where, next++->where);
      result.back().where = settled(entry.where, std::move(sum), row);
    }
    result.insert(result.end(), next, now.end());
    return result;
  }

  std::vector<FlowState::Entry> shrunk(std::span<const FlowState::Entry> old,
                                       std::span<const FlowState::Entry> now, uint32_t row) const {
    std::vector<FlowState::Entry> result;
    auto next = now.begin();
    for (const FlowState::Entry& entry : old) {
      while (next != now.end() && next->item < entry.item) ++next;
      if (next == now.end() || next->item != entry.item) continue;
      result.push_back({entry.item, settled(entry.where, common(entry.where, next->where), row)});
    }
    return result;
  }

  FlowSymbols symbols_;
  SymbolScopes scopes_;
  FlowEdges edges_;
  std::vector<std::vector<PhiRead>> phi_reads_;      // by number of the block that they matter to
  std::vector<std::vector<FlowState::Entry>> left_;  // likewise: what holds where it is left, by item
  std::vector<uint32_t> visits_;                     // likewise
};

}  // namespace

std::unique_ptr<FlowEngine> make_global_flow(const Function& function, Analyses& analyses,
                                             FlowProblem problem) {
  return std::make_unique<GlobalFlow>(function, analyses, problem);
}

}  // namespace psi::live
