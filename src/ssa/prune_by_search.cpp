// Keeps the phis whose value is read, directly or through other phis.
//
// Equivalent to the usual liveness analysis, without a set of variables for each block. A block that reads a
// variable first gets it from its source: the nearest block above it in the dominator tree that defines the
// variable or has a phi for it. If that is a phi it is live, and so are the phis that its arguments come
// from, found likewise at the ends of the predecessors. Only the arguments of live phis are visited, so a
// block with many predecessors and many dead joins costs nothing.
//
// A block dominates an interval of preorder numbers, so the source of a block is the last one, in preorder,
// that begins before it and ends after it. It is searched among the sources of a variable, or, if these are a
// large part of all blocks, tabulated for every block. Near-linear in definitions, joins, reads and the
// arguments of live phis.

#include <algorithm>
#include <bit>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "ssa/phi_sites.h"

namespace psi::ssa {
namespace {

constexpr uint32_t kNoNode = UINT32_MAX;

// A block that gives a variable a value.
struct Source {
  uint32_t begin;  // what it dominates, in preorder
  uint32_t end;
  bool has_phi = false;
  bool defines = false;
  bool is_live = false;
};

// Finds the last source before a limit that ends after a point: linearly at first, then in a tree of maxima.
class LastEnd {
 public:
  void build(std::span<const Source> sources) {
    sources_ = sources;
    if (sources.size() <= kNearby) return;
    size_ = std::bit_ceil(static_cast<uint32_t>(sources.size()));
    maxima_.assign(2 * size_, 0);
    for (size_t i = 0; i < sources.size(); ++i) maxima_[size_ + i] = sources[i].end;
    for (uint32_t i = size_; i-- > 1;) maxima_[i] = std::max(maxima_[2 * i], maxima_[2 * i + 1]);
  }

  uint32_t find(uint32_t limit, uint32_t point) const {
    for (uint32_t tries = 0; tries < kNearby; ++tries) {
      if (limit == 0) return kNoNode;
      if (sources_[--limit].end > point) return limit;
    }
    if (limit == 0) return kNoNode;
    // Up while the part to the left has none, then down to its last one.
    uint32_t node = size_ + limit;
    while (!(node & 1 && maxima_[node - 1] > point)) {
      node /= 2;
      if (node <= 1) return kNoNode;
    }
    for (--node; node < size_;) node = 2 * node + (maxima_[2 * node + 1] > point);
    return node - size_;
  }

 private:
  static constexpr uint32_t kNearby = 8;
  std::span<const Source> sources_;
  uint32_t size_ = 0;
  std::vector<uint32_t> maxima_;  // a binary tree; the leaves are the ends
};

class SearchPruning {
 public:
  SearchPruning(const Variables& variables, const Cfg& cfg, const Dominators& dominators)
      : variables_(variables),
        cfg_(cfg),
        dominators_(dominators),
        num_blocks_(static_cast<uint32_t>(dominators.preorder().size())) {}

  // All sites of one variable; the live ones are moved to the front. Returns how many.
  size_t run(std::span<PhiSite> sites) {
    Reg variable = sites[0].variable;
    std::span<const BlockId> definitions = variables_.definitions(variable);
    is_dense_ = (sites.size() + definitions.size()) * kSparse >= num_blocks_;
    is_dense_ ? collect_dense(sites, definitions) : collect_sparse(sites, definitions);
    for (BlockId b : variables_.exposures(variable)) make_live(at_begin(number(b)));
    while (!work_.empty()) {
      BlockId b = work_.back();
      work_.pop_back();
      cfg_.for_each_distinct_predecessor(b, [&](BlockId from) {
        if (dominators_.is_reachable(from)) make_live(at_end(number(from)));
      });
    }
    size_t kept = 0;
    for (PhiSite site : sites) {
      if (sources_[exactly_at(number(site.block))].is_live) sites[kept++] = site;
    }
    return kept;
  }

 private:
  // A variable is dense if at least one in this many blocks is a source.
  static constexpr size_t kSparse = 16;

  uint32_t number(BlockId b) const { return dominators_.pre_number(b); }
  Source source(uint32_t n, bool has_phi, bool defines) const {
    return {n, n + dominators_.subtree_size(dominators_.preorder()[n]), has_phi, defines, false};
  }

  void collect_sparse(std::span<const PhiSite> sites, std::span<const BlockId> definitions) {
    joins_.clear();
    for (PhiSite site : sites) joins_.push_back(number(site.block));
    std::sort(joins_.begin(), joins_.end());
    sources_.clear();
    // Both lists are in preorder; a block may be in both.
    size_t j = 0, d = 0;
    while (j < joins_.size() || d < definitions.size()) {
      uint32_t join = j < joins_.size() ? joins_[j] : kNoNode;
      uint32_t definition = d < definitions.size() ? number(definitions[d]) : kNoNode;
      uint32_t n = std::min(join, definition);
      sources_.push_back(source(n, n == join, n == definition));
      j += n == join;
      d += n == definition;
    }
    last_end_.build(sources_);
  }

  void collect_dense(std::span<const PhiSite> sites, std::span<const BlockId> definitions) {
    constexpr uint8_t kPhi = 1, kDefinition = 2;
    kind_.assign(num_blocks_, 0);
    for (PhiSite site : sites) kind_[number(site.block)] |= kPhi;
    for (BlockId b : definitions) kind_[number(b)] |= kDefinition;
    sources_.clear();
    above_.resize(num_blocks_);
    open_.clear();
    for (uint32_t n = 0; n < num_blocks_; ++n) {
      while (!open_.empty() && sources_[open_.back()].end <= n) open_.pop_back();
      above_[n] = open_.empty() ? kNoNode : open_.back();
      if (kind_[n] == 0) continue;
      open_.push_back(static_cast<uint32_t>(sources_.size()));
      sources_.push_back(source(n, kind_[n] & kPhi, kind_[n] & kDefinition));
    }
    // Where n is a source itself.
    own_.assign(num_blocks_, kNoNode);
    for (uint32_t i = 0; i < sources_.size(); ++i) own_[sources_[i].begin] = i;
  }

  // The first source that begins at this number or after it.
  uint32_t first_from(uint32_t n) const {
    auto found = std::lower_bound(sources_.begin(), sources_.end(), n,
                                  [](const Source& source, uint32_t begin) { return source.begin < begin; });
    return static_cast<uint32_t>(found - sources_.begin());
  }
  uint32_t exactly_at(uint32_t n) const { return is_dense_ ? own_[n] : first_from(n); }

  // The phi whose value a block has at its start, after its own phis and before its own definitions; none if
  // the value is not a phi's.
  uint32_t at_begin(uint32_t n) const {
    uint32_t own = exactly_at(n);
    bool is_source = is_dense_ ? own != kNoNode : own < sources_.size() && sources_[own].begin == n;
    if (is_source && sources_[own].has_phi) return own;
    return unless_defined(is_dense_ ? above_[n] : last_end_.find(own, n));
  }
  // The same at its end.
  uint32_t at_end(uint32_t n) const {
    if (!is_dense_) return unless_defined(last_end_.find(first_from(n + 1), n));
    return unless_defined(own_[n] != kNoNode ? own_[n] : above_[n]);
  }
  uint32_t unless_defined(uint32_t source) const {
    return source != kNoNode && sources_[source].defines ? kNoNode : source;
  }

  void make_live(uint32_t source) {
    if (source == kNoNode || sources_[source].is_live) return;
    sources_[source].is_live = true;
    work_.push_back(dominators_.preorder()[sources_[source].begin]);
  }

  const Variables& variables_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const uint32_t num_blocks_;    // reachable ones
  std::vector<Source> sources_;  // of one variable, in preorder
  std::vector<BlockId> work_;
  bool is_dense_ = false;
  // Sparse variables.
  std::vector<uint32_t> joins_;
  LastEnd last_end_;
  // Dense variables, by preorder number.
  std::vector<uint8_t> kind_;
  std::vector<uint32_t> own_;
  std::vector<uint32_t> above_;  // the nearest source above, without itself
  std::vector<uint32_t> open_;
};

}  // namespace

void prune_by_search(SiteList& sites, const Variables& variables, const Cfg& cfg,
                     const Dominators& dominators) {
  SearchPruning pruning(variables, cfg, dominators);
  size_t kept = 0;
  for (size_t first = 0, last = 0; first < sites.size(); first = last) {
    while (last < sites.size() && sites[last].variable == sites[first].variable) ++last;
    size_t live = pruning.run(std::span(sites).subspan(first, last - first));
    std::copy_n(sites.begin() + static_cast<ptrdiff_t>(first), live,
                sites.begin() + static_cast<ptrdiff_t>(kept));
    kept += live;
  }
  sites.resize(kept);
}

}  // namespace psi::ssa
