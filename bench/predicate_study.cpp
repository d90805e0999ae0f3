#include "predicate_study.h"

#include <array>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/regions.h"
#include "psi/predicate/partition_graph.h"
#include "psi/predicate/predicates.h"

namespace psi::bench {
namespace {

using Pair = std::pair<Term, Term>;

// Of this thread: what else the machine does disturbs it least.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Studying {
 public:
  explicit Studying(const Function& function) : function_(function), analyses_(function) {}

  Study run(uint64_t max_pairs) {
    Study study;
    find_terms(study.cost);
    ask(pairs_of_targets(), max_pairs, study.targets);
    ask(pairs_of_siblings(), max_pairs, study.siblings);
    return study;
  }

 private:
  void find_terms(Cost& cost) {
    analyses_.get<Order>();
    double last = cpu_seconds();
    auto end = [&](std::string_view step) {
      double now = cpu_seconds();
      cost.times.add(step, now - last);
      last = now;
    };
    predicates_.emplace(function_, analyses_);
    end("predicates");
    regions_.emplace(analyses_.get<Cfg>(), analyses_.get<Order>());
    end("regions");
    terms_.assign(function_.num_blocks(), Term::never());
    for (uint32_t r = 0; r < regions_->num_regions(); ++r) {
      std::span<const BlockId> blocks = regions_->blocks(r);
      std::vector<Term> terms = block_terms(analyses_, blocks, *predicates_);
      for (size_t i = 0; i < blocks.size(); ++i) terms_[blocks[i].index()] = terms[i];
      cost.largest_region = std::max<uint64_t>(cost.largest_region, blocks.size());
    }
    end("block terms");
    cost.nodes = predicates_->terms().num_nodes();
    PartitionGraph graph(predicates_->terms());
    for (Term term : terms_) graph.symbol(term);
    end("graph");
    cost.functions = 1;
    for (BlockId b : function_.layout()) cost.insts += function_.insts(b).size();
    cost.blocks = analyses_.get<Order>().num_reachable();
    cost.regions = regions_->num_regions();
    cost.symbols = graph.num_symbols();
    cost.partitions = graph.num_partitions();
    std::vector<Term> distinct = terms_;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    cost.predicates =
        static_cast<uint64_t>(std::ranges::count_if(distinct, [](Term term) { return !term.is_constant(); }));
  }

  // Of blocks other than the entry of a region, which is there wherever the others are.
  bool is_inside(BlockId b, uint32_t region) const {
    return regions_->region(b) == region && regions_->entry(region) != b;
  }
  void add_pairs(std::span<const BlockId> blocks, std::vector<Pair>& pairs) const {
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (size_t j = i + 1; j < blocks.size(); ++j) {
        pairs.emplace_back(terms_[blocks[i].index()], terms_[blocks[j].index()]);
      }
    }
  }

  std::vector<Pair> pairs_of_targets() {
    std::vector<Pair> pairs;
    for (BlockId b : analyses_.get<Order>().reverse_post_order()) {
      std::vector<BlockId> blocks;
      for (BlockId to : analyses_.get<Cfg>().successors(b)) {
        if (is_inside(to, regions_->region(b))) blocks.push_back(to);
      }
      std::ranges::sort(blocks);
      blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
      add_pairs(blocks, pairs);
    }
    return pairs;
  }

  std::vector<Pair> pairs_of_siblings() {
    std::vector<Pair> pairs;
    for (BlockId b : analyses_.get<Order>().reverse_post_order()) {
      std::vector<BlockId> blocks;
      for (BlockId child : analyses_.get<Dominators>().children(b)) {
        if (is_inside(child, regions_->region(b))) blocks.push_back(child);
      }
      add_pairs(blocks, pairs);
    }
    return pairs;
  }

  void ask(std::vector<Pair> pairs, uint64_t max_pairs, PairCounts& counts) {
    counts.pairs = pairs.size();
    if (pairs.size() > max_pairs) {
      for (uint64_t i = 0; i < max_pairs; ++i) pairs[i] = pairs[i * pairs.size() / max_pairs];
      pairs.resize(max_pairs);
    }
    if (pairs.empty()) return;
    counts.asked = pairs.size();
    std::vector<std::vector<Answer>> answers(kNumEngines, std::vector<Answer>(pairs.size()));
    for (size_t e = 0; e < kNumEngines; ++e) {
      double start = cpu_seconds();
      if (!engines_[e]) engines_[e] = kEngines[e].make(predicates_->terms());
      for (size_t i = 0; i < pairs.size(); ++i) {
        answers[e][i] = engines_[e]->disjoint(pairs[i].first, pairs[i].second);
      }
      counts.engines[e].seconds = cpu_seconds() - start;
      counts.engines[e].yes = static_cast<uint64_t>(std::ranges::count(answers[e], Answer::Yes));
      counts.engines[e].no = static_cast<uint64_t>(std::ranges::count(answers[e], Answer::No));
    }
    for (const std::vector<Answer>& own : answers) {
      for (size_t i = 0; i < pairs.size(); ++i) counts.wrong += is_contrary(own[i], answers[kExact][i]);
    }
  }
  static bool is_contrary(Answer a, Answer b) {
    return a != b && a != Answer::Unknown && b != Answer::Unknown;
  }

  const Function& function_;
  Analyses analyses_;
  std::optional<Predicates> predicates_;
  std::optional<Regions> regions_;
  std::vector<Term> terms_;  // by BlockId
  std::array<std::unique_ptr<PredicateEngine>, kNumEngines> engines_;
};

}  // namespace

Study study_predicates(const Function& function, uint64_t max_pairs) {
  return Studying(function).run(max_pairs);
}

}  // namespace psi::bench
