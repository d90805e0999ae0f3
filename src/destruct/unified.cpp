// All copies at once: copies isolate psis, phis and partial compares, which makes every merge correct by
// itself, and then as many copies as possible are coalesced, the most frequent first.
//
//     a = op1                          a = op1                      x = op1
//     p ? b = op2            ==>       c1 = a                 ==>   p ? x = op2
//     x = psi a, p ? b                 p ? b = op2
//                                      p ? c2 = b
//                                      x = psi c1, p ? c2
//
// Normalization is not needed: where guards or the order of definitions keep an argument out of the psi's
// register, it interferes with the copies of the other arguments. After a first plan, remaining copies are
// reconsidered together with the webs around them (recoalesce.h), definitions are sunk (sink.h), and copies
// are shared (share_copies.h).
//
// No interference graph and no sets of live registers; near-linear.
#include <algorithm>
#include <optional>
#include <span>

#include "destruct/coalesce.h"
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/methods.h"
#include "destruct/recoalesce.h"
#include "destruct/share_copies.h"
#include "destruct/sink.h"
#include "psi/analysis/dominators.h"

namespace psi::destruct {

using namespace live;
namespace {

constexpr double kConstant = 1e-3;
constexpr uint32_t kMaxWeb = 1000;
constexpr int kMaxIterations = 3;
constexpr int kMaxTries = 8;
constexpr uint32_t kLarge = 200;

class Unified {
 public:
  explicit Unified(Translation& t) : t_(t), clock_(t.times) {}

  void run() {
    if (t_.has_psis) isolate_psis(t_.function, t_.analyses, t_.options.predicates);
    isolate_phis(t_.function, t_.analyses, PhiCopies::ArgumentsAndResults, t_.copies,
                 t_.options.values ? &literals_ : nullptr);
    t_.copies.apply();
    t_.analyses.drop(Keeps::ControlFlow);
    unite_ties(t_.function, t_.analyses.get<Dominators>(), ties_);
    find_affinities();
    clock_.end("isolation");

    t_.webs = plan();
    plan_with_literals();
    if (t_.options.sink && left() > 0) {
      move_definitions();
      plan_with_literals();
    }
    restore_literals(Relied::Keep);
    if (t_.options.share && left() > 0) {
      WebInterference interference(*segments_, t_.webs);
      share_copies(t_.function, t_.analyses, interference, t_.webs, t_.copies);
      clock_.end("sharing");
    }
    t_.counters.add("liveness and interference bytes", bytes_);
  }

 private:
  double left() const { return cost(t_.webs, affinities_); }

  void find_affinities() {
    affinities_ = collect_affinities(t_.function, t_.analyses);
    discount_constants();
    put_single_sources_first();
  }

  // Separating these costs a literal or a slot address, not a copy.
  void discount_constants() {
    std::vector<uint8_t> is_literal(t_.function.num_regs()), is_slot(t_.function.num_regs());
    for (const LiteralCopy& literal : literals_) is_literal[t_.copies.result(literal.copy).index()] = 1;
    for (InstId id : t_.function.insts(t_.function.entry())) {
      const Inst& inst = t_.function.inst(id);
      if (inst.op == Opcode::Slot && t_.function.operands(inst)[0].is_literal()) {
        is_slot[inst.results[0].index()] = 1;
      }
    }
    for (Affinity& affinity : affinities_) {
      if (is_literal[affinity.target.index()] || is_slot[affinity.source.index()])
        affinity.weight *= kConstant;
    }
  }

  // Turns a remaining copy into one of the literal, unless other members of the web depend on the copy's
  // value. With Restore also then, so that a new plan is needed. True if something changed.
  enum class Relied : uint8_t { Keep, Restore };
  bool restore_literals(Relied what) {
    bool changed = false;
    for (const LiteralCopy& literal : literals_) {
      Reg target = t_.copies.result(literal.copy);
      Operand& source = t_.function.operands(literal.copy)[0];
      if (!source.is_reg() || t_.webs.same(target, source.reg())) continue;
      uint64_t value = ranges_->value(target);
      ranges_->set_value(target, LiveRanges::value_of(literal.literal));
      bool interferes = t_.webs.size(target) > kMaxWeb;
      if (!interferes) {
        t_.webs.for_each_member(target, [&](Reg member) {
          if (member != target && ranges_->value(member) == value) interferes |= interfere(member, target);
        });
      }
      if (interferes && what == Relied::Keep) {
        ranges_->set_value(target, value);
        continue;
      }
      changed = true;
      source = literal.literal;
    }
    return changed;
  }

  void plan_with_literals() {
    for (int iteration = 0; iteration < kMaxIterations && restore_literals(Relied::Restore) && left() > 0;
         ++iteration) {
      find_affinities();
      t_.webs = plan();
    }
  }

  bool interfere(Reg a, Reg b) {
    for (const LiveRange& x : ranges_->of(a)) {
      for (const LiveRange& y : ranges_->of(b)) {
        for (uint32_t p = x.first_segment; p < x.first_segment + x.num_segments; ++p) {
          for (uint32_t q = y.first_segment; q < y.first_segment + y.num_segments; ++q) {
            bool same_chunk = ranges_->all_segments()[p].chunk() == ranges_->all_segments()[q].chunk();
            if (same_chunk && segments_->interfere(p, q)) return true;
          }
        }
      }
    }
    return false;
  }

  // Registers that no phi or psi reads can join only one web.
  void put_single_sources_first() {
    std::vector<Affinity> single, merged;
    for (const Affinity& affinity : affinities_) {
      (ties_.size(affinity.source) > 1 ? merged : single).push_back(affinity);
    }
    affinities_ = std::move(single);
    affinities_.insert(affinities_.end(), merged.begin(), merged.end());
  }

  // Live ranges, as the function stands.
  void find_ranges() {
    segments_.reset();
    ranges_.reset();
    conditions_.emplace(t_.function, t_.analyses, t_.options.predicates);
    ranges_.emplace(t_.function, t_.analyses, t_.copies.parallel(), *conditions_,
                    registers_in_webs(t_.function, ties_, affinities_));
    segments_.emplace(*ranges_, *conditions_, t_.options.values);
    is_current_ = true;
    clock_.end("live ranges");
  }

  // Computes the webs.
  Webs plan() {
    find_ranges();
    Webs webs = ties_;
    WebInterference interference(*segments_, webs);
    for (const Affinity& affinity : affinities_) {
      if (webs.same(affinity.target, affinity.source)) continue;
      if (!interference.interfere(affinity.target, affinity.source)) {
        interference.unite(affinity.target, affinity.source);
      }
    }
    size_t bytes = ranges_->memory() + segments_->memory() + interference.memory();
    bytes_ = std::max({bytes_, ranges_->peak_memory(), bytes});
    clock_.end("coalescing");
    recoalesce(*segments_, ties_, affinities_, webs);
    clock_.end("recoalescing");
    return webs;
  }

  // The registers copied to or from a web with remaining copies.
  std::vector<Reg> sources_around_copies() const {
    std::vector<uint8_t> has_copies(t_.webs.num_regs());
    for (const Affinity& affinity : affinities_) {
      Reg target = t_.webs.find(affinity.target), source = t_.webs.find(affinity.source);
      if (target != source) has_copies[target.index()] = has_copies[source.index()] = 1;
    }
    std::vector<Reg> sources;
    for (const Affinity& affinity : affinities_) {
      if (has_copies[t_.webs.find(affinity.target).index()] ||
          has_copies[t_.webs.find(affinity.source).index()]) {
        sources.push_back(affinity.source);
      }
    }
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    return sources;
  }

  // Sinks definitions and makes a new plan, which is kept if it is better.
  bool move(Sinking& sinking, std::span<const Reg> sources) {
    uint32_t moved = sinking.sink(sources);
    if (moved == 0) return false;
    t_.analyses.drop(Keeps::ControlFlow);
    clock_.end("sinking");
    Webs webs = plan();
    bool is_better = cost(webs, affinities_) < left();
    if (is_better) {
      sinking.keep();
      t_.webs = std::move(webs);
      t_.counters.add("definitions moved", moved);
    } else {
      sinking.undo();
      t_.analyses.drop(Keeps::ControlFlow);
      is_current_ = false;
    }
    return is_better;
  }

  // First all candidates together, as long as that helps; then a few one by one.
  void move_definitions() {
    Sinking sinking(t_.function, t_.analyses, t_.copies);
    bool is_better = true;
    for (int iteration = 0; iteration < kMaxIterations && is_better; ++iteration) {
      is_better = move(sinking, sources_around_copies());
    }
    // In a large function each would take too long.
    int tries = is_better || t_.function.num_regs() > kLarge ? kMaxTries : 0;
    for (Reg source : sources_around_copies()) {
      if (tries == kMaxTries) break;
      if (!sinking.can_sink(source)) continue;
      ++tries;
      move(sinking, {&source, 1});
    }
    if (!is_current_) find_ranges();
  }

  Translation& t_;
  StepClock clock_;
  Webs ties_;
  std::vector<Affinity> affinities_;
  std::vector<LiteralCopy> literals_;
  std::optional<RangeConditions> conditions_;
  std::optional<LiveRanges> ranges_;
  std::optional<SegmentInterference> segments_;
  size_t bytes_ = 0;
  bool is_current_ = false;  // do the live ranges match the current function?
};

}  // namespace

void translate_unified(Translation& translation) { Unified(translation).run(); }

}  // namespace psi::destruct
