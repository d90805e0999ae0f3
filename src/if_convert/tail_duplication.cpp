#include "if_convert/tail_duplication.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "if_convert/legality.h"
#include "psi/text.h"

namespace psi::if_conversion {
namespace {

// Walks the blocks as hyperblocks() does, and copies a block when it comes to it, after its predecessors and
// their copies. Phis get all their entries before their block is copied; terminators are sent to the copies
// at the end, so that the targets of a wide switch are looked at once.
class TailDuplication {
 public:
  TailDuplication(Function& function, Analyses& analyses, const Target& target,
                  const TailDuplicationLimits& limits, Remarks* remarks)
      : function_(function),
        cfg_(analyses.cfg()),
        order_(analyses.order()),
        uses_(analyses.uses()),
        frequencies_(analyses.frequencies()),
        legality_(function, analyses, target),
        limits_(limits),
        remarks_(remarks),
        region_(function.num_blocks(), kNone),
        frequency_(function.num_blocks()),
        last_added_(function.num_blocks(), kNone),
        first_copy_(function.num_blocks(), kNone) {
    for (BlockId b : function.layout()) frequency_[b.index()] = frequencies_.of(b);
  }

  bool run(Counters& counters) {
    std::vector<BlockId> entered_backwards;
    for (BlockId b : order_.reverse_post_order()) {
      if (is_entered_backwards(b)) {
        entered_backwards.push_back(b);
        begin_region(b);
      } else {
        visit(b);
      }
    }
    if (copies_.empty()) return false;
    for (BlockId b : entered_backwards) add_entries(b);
    redirect();
    place();
    counters.add("blocks duplicated", copies_.size());
    counters.add("instructions duplicated", num_insts_);
    return true;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct GrowingRegion {
    double frequency = 0;  // of its entry
    uint32_t copied = 0;   // instructions
    bool has_branch = false;
  };
  struct Incoming {
    BlockId from;
    uint32_t region;  // kNone: the block at the other end keeps its branches
    double frequency;
  };
  // The edges that come from one region.
  struct Group {
    uint32_t region;
    uint32_t first, last;  // in incoming_
    double frequency;
    BlockId copy;  // for them; none: they keep the original
  };
  struct Copy {
    BlockId original, block;
  };
  struct AddedEdge {
    Copy from;
    double frequency;
    uint32_t next;  // to the same block
  };
  struct Redirection {
    BlockId from, old_target, new_target;
  };

  // --- Regions --------------------------------------------------------------------------------------------

  bool is_entered_backwards(BlockId b) const {
    auto is_behind = [&](BlockId p) { return order_.number(p) >= order_.number(b); };
    return b == function_.entry() || std::ranges::any_of(cfg_.predecessors(b), is_behind);
  }

  void begin_region(BlockId b) {
    regions_.push_back({.frequency = frequency_[b.index()]});
    join(b, static_cast<uint32_t>(regions_.size() - 1), b);
  }

  void join(BlockId b, uint32_t region, BlockId original) {
    region_[b.index()] = region;
    if (cfg_.successors(original).size() > 1) regions_[region].has_branch = true;
  }

  void visit(BlockId b) {
    find_groups(b);
    add_entries(b);
    bool may_join = !legality_.obstacle(b);
    if (may_join && groups_.size() > 1) copy_for_groups(b);
    const Group& first = groups_.front();
    if (may_join && groups_.size() == 1 && first.region != kNone && is_frequent(first)) {
      join(b, first.region, b);
    } else {
      begin_region(b);
    }
  }

  void find_groups(BlockId b) {
    incoming_.clear();
    auto add = [&](BlockId p, BlockId original, double frequency) {
      incoming_.push_back({p, legality_.ends_well(original) ? region_[p.index()] : kNone, frequency});
    };
    for (uint32_t i = 0; i < cfg_.predecessors(b).size(); ++i) {
      Edge edge = cfg_.incoming(b, i);
      add(edge.from, edge.from, frequency_[edge.from.index()] * frequencies_.probability(edge));
    }
    for (uint32_t e = last_added_[b.index()]; e != kNone; e = added_[e].next) {
      add(added_[e].from.block, added_[e].from.original, added_[e].frequency);
    }
    std::ranges::sort(incoming_, {},
                      [](const Incoming& edge) { return std::pair(edge.region, edge.from.index()); });
    groups_.clear();
    for (uint32_t i = 0; i < incoming_.size(); ++i) {
      if (groups_.empty() || groups_.back().region != incoming_[i].region) {
        groups_.push_back({incoming_[i].region, i, i, 0, BlockId()});
      }
      groups_.back().last = i + 1;
      groups_.back().frequency += incoming_[i].frequency;
    }
  }

  bool is_frequent(const Group& group) const {
    return group.frequency >= limits_.min_share * std::max(regions_[group.region].frequency, 1e-300);
  }

  // --- Copies ---------------------------------------------------------------------------------------------

  // Those regions come first that enter the block most often; the last one left has the original to itself.
  void copy_for_groups(BlockId b) {
    auto gains = [&](const Group& group) {
      return group.region != kNone && regions_[group.region].has_branch && is_frequent(group);
    };
    if (std::ranges::none_of(groups_, gains)) return;
    if (Reg r = read_elsewhere(b)) {
      if (remarks_) refuse(b, fmt::format("{} is read elsewhere", text(r)));
      return;
    }
    std::ranges::sort(groups_, {},
                      [](const Group& group) { return std::pair(-group.frequency, group.region); });
    uint32_t size = num_insts(b);
    size_t left = groups_.size();
    bool is_too_long = false;
    for (Group& group : groups_) {
      if (left == 1) break;
      if (!gains(group)) continue;
      GrowingRegion& region = regions_[group.region];
      if (size > limits_.insts - region.copied) {
        is_too_long = true;
        continue;
      }
      region.copied += size;
      num_insts_ += size;
      group.copy = add_copy(b, group);
      --left;
    }
    if (is_too_long && remarks_) refuse(b, fmt::format("{} more instructions are too many to copy", size));
    if (left == groups_.size()) return;
    split_phis(b);
    double total = 0;
    for (const Group& group : groups_) total += group.frequency;
    for (const Group& group : groups_) {
      if (!group.copy) continue;
      fill(b, group.copy);
      move_counts({b, group.copy}, total > 0 ? std::min(group.frequency / total, 1.0) : 0);
      total -= group.frequency;
      add_edges({b, group.copy});
    }
    std::erase_if(groups_, [](const Group& group) { return bool(group.copy); });
  }

  // A register of the block that is read neither in it nor by a phi for an edge from it.
  Reg read_elsewhere(BlockId b) const {
    for (InstId id : function_.insts(b)) {
      for (Reg r : function_.inst(id).results) {
        if (r && std::ranges::any_of(uses_.uses(r), [&](Use use) { return !reads_here(use, b); })) return r;
      }
    }
    return Reg();
  }

  bool reads_here(Use use, BlockId b) const {
    if (!function_.inst(use.inst).is_phi()) return uses_.block(use.inst) == b;
    return std::as_const(function_).operands(use.inst)[use.operand - 1].block() == b;
  }

  uint32_t num_insts(BlockId b) const {
    return static_cast<uint32_t>(
        std::ranges::count_if(function_.insts(b), [&](InstId id) { return !function_.inst(id).is_phi(); }));
  }

  BlockId add_copy(BlockId b, const Group& group) {
    BlockId copy = function_.add_block(std::string(function_.name(b)));
    region_.push_back(kNone);
    frequency_.push_back(0);
    join(copy, group.region, b);
    if (first_copy_[b.index()] == kNone) first_copy_[b.index()] = static_cast<uint32_t>(copies_.size());
    copies_.push_back({b, copy});
    BlockId last;
    for (const Incoming& edge : edges(group)) {
      if (edge.from != last) redirections_.push_back({edge.from, b, copy});
      last = edge.from;
    }
    return copy;
  }

  std::span<const Incoming> edges(const Group& group) const {
    return std::span(incoming_).subspan(group.first, group.last - group.first);
  }

  // Every predecessor's entry goes where its edge goes.
  void split_phis(BlockId b) {
    for (InstId id : std::vector(function_.insts(b).begin(), function_.insts(b).end())) {
      if (!function_.inst(id).is_phi()) break;
      read_entries(id);
      for (const Group& group : groups_) {
        if (!group.copy) continue;
        pairs_.clear();
        add_pairs(group);
        append_copy(group.copy, id);
      }
      pairs_.clear();
      for (const Group& group : groups_) {
        if (!group.copy) add_pairs(group);
      }
      function_.set_operands(id, pairs_);
    }
  }

  void read_entries(InstId phi) {
    entry_.resize(function_.num_blocks());
    std::span<const Operand> pairs = std::as_const(function_).operands(phi);
    for (size_t i = 0; i < pairs.size(); i += 2) entry_[pairs[i].block().index()] = pairs[i + 1];
  }

  void add_pairs(const Group& group) {
    BlockId last;
    for (const Incoming& edge : edges(group)) {
      if (edge.from == last) continue;
      last = edge.from;
      pairs_.insert(pairs_.end(), {Operand::block(last), entry_[last.index()]});
    }
  }

  // With the operands in pairs_.
  void append_copy(BlockId copy, InstId id) {
    Inst inst = function_.inst(id);
    for (Reg& r : inst.results) {
      if (r) r = function_.add_reg(function_.type(r), std::string(function_.name(r)));
    }
    InstId added = function_.add_inst(inst, pairs_);
    if (function_.line(id) != 0) function_.set_line(added, function_.line(id));
    function_.append(copy, added);
  }

  // All but the phis.
  void fill(BlockId b, BlockId copy) {
    for (uint32_t i = static_cast<uint32_t>(function_.insts(copy).size()); i < function_.insts(b).size();
         ++i) {
      InstId id = function_.insts(b)[i];
      pairs_.clear();
      for (Operand operand : std::as_const(function_).operands(id)) {
        pairs_.push_back(translate(operand, {b, copy}));
      }
      append_copy(copy, id);
      Inst& added = function_.inst(function_.insts(copy).back());
      if (added.guard) added.guard = Guard(translate(added.guard.as_operand(), {b, copy}));
    }
    if (remarks_) {
      remarks_->done(function_, function_.insts(copy).back(),
                     fmt::format("{} copied, {} instructions", text(b), num_insts(b)));
    }
  }

  // A register of the original is read as the one at the same place in the copy.
  Operand translate(Operand operand, Copy at) const {
    if (!operand.reads_reg()) return operand;
    InstId definition = uses_.definition(operand.reg());
    if (!definition || uses_.block(definition) != at.original) return operand;
    size_t which = function_.inst(definition).results[0] == operand.reg() ? 0 : 1;
    InstId copied = function_.insts(at.block)[uses_.position(definition)];
    return Operand::predicate(function_.inst(copied).results[which], operand.is_negated());
  }

  // This share of the executions of the original, and of its terminator's edges.
  void move_counts(Copy copy, double share) {
    double& all = frequency_[copy.original.index()];
    frequency_[copy.block.index()] = all * share;
    all -= all * share;
    if (std::optional<uint64_t> count = function_.count(copy.original)) {
      uint64_t moved = part(*count, share);
      function_.set_count(copy.block, moved);
      function_.set_count(copy.original, *count - moved);
    }
    InstId from = function_.insts(copy.original).back(), to = function_.insts(copy.block).back();
    counts_.assign(function_.edge_counts(from).begin(), function_.edge_counts(from).end());
    if (counts_.empty()) return;
    moved_counts_.clear();
    for (uint64_t& count : counts_) {
      moved_counts_.push_back(part(count, share));
      count -= moved_counts_.back();
    }
    function_.set_edge_counts(from, counts_);
    function_.set_edge_counts(to, moved_counts_);
  }

  static uint64_t part(uint64_t count, double share) {
    return std::min(count, static_cast<uint64_t>(static_cast<double>(count) * share + 0.5));
  }

  // --- Edges ----------------------------------------------------------------------------------------------

  void add_edges(Copy copy) {
    std::span<const BlockId> successors = cfg_.successors(copy.original);
    for (uint32_t i = 0; i < successors.size(); ++i) {
      double frequency = frequency_[copy.block.index()] * frequencies_.probability({copy.original, i});
      uint32_t& last = last_added_[successors[i].index()];
      added_.push_back({copy, frequency, last});
      last = static_cast<uint32_t>(added_.size() - 1);
    }
  }

  // Phis read of a copy what they read of its original.
  void add_entries(BlockId b) {
    if (last_added_[b.index()] == kNone) return;
    for (InstId id : function_.insts(b)) {
      if (!function_.inst(id).is_phi()) break;
      read_entries(id);
      pairs_.assign(function_.operands(id).begin(), function_.operands(id).end());
      BlockId last;
      for (uint32_t e = last_added_[b.index()]; e != kNone; e = added_[e].next) {
        Copy from = added_[e].from;
        if (from.block == last) continue;
        last = from.block;
        Operand value = translate(entry_[from.original.index()], from);
        pairs_.insert(pairs_.end(), {Operand::block(from.block), value});
      }
      function_.set_operands(id, pairs_);
    }
  }

  // Each block's terminators are looked at once.
  void redirect() {
    std::vector<BlockId> target(function_.num_blocks());
    std::ranges::sort(redirections_, {}, [](const Redirection& r) { return r.from.index(); });
    for (size_t first = 0, last = 0; first < redirections_.size(); first = last) {
      BlockId from = redirections_[first].from;
      for (; last < redirections_.size() && redirections_[last].from == from; ++last) {
        target[redirections_[last].old_target.index()] = redirections_[last].new_target;
      }
      for (Operand& operand : function_.operands(function_.terminators(from).back())) {
        if (operand.is_block() && target[operand.block().index()]) {
          operand = Operand::block(target[operand.block().index()]);
        }
      }
      for (; first < last; ++first) target[redirections_[first].old_target.index()] = BlockId();
    }
  }

  // Copies stand behind their originals.
  void place() {
    std::vector<BlockId> layout;
    layout.reserve(function_.layout().size() + copies_.size());
    for (BlockId b : function_.layout()) {
      layout.push_back(b);
      for (size_t i = first_copy_[b.index()]; i < copies_.size() && copies_[i].original == b; ++i) {
        layout.push_back(copies_[i].block);
      }
    }
    function_.set_layout(std::move(layout));
  }

  // --- Words ----------------------------------------------------------------------------------------------

  template <class Id>
  std::string text(Id id) const {
    std::string out;
    DisplayNames::as_stored(function_).append(out, id);
    return out;
  }

  void refuse(BlockId b, std::string_view why) {
    remarks_->refused(function_, function_.insts(b).back(), fmt::format("{} kept: {}", text(b), why));
  }

  Function& function_;
  const Cfg& cfg_;
  const Order& order_;
  const Uses& uses_;
  const Frequencies& frequencies_;
  Legality legality_;
  TailDuplicationLimits limits_;
  Remarks* remarks_;
  std::vector<GrowingRegion> regions_;
  std::vector<uint32_t> region_;      // by BlockId, copies included
  std::vector<double> frequency_;     // likewise
  std::vector<AddedEdge> added_;      // those that leave copies
  std::vector<uint32_t> last_added_;  // by BlockId: of those to it, in added_
  std::vector<Copy> copies_;
  std::vector<uint32_t> first_copy_;  // by BlockId, in copies_; the others follow
  std::vector<Redirection> redirections_;
  uint64_t num_insts_ = 0;
  // Of the block being looked at.
  std::vector<Incoming> incoming_;
  std::vector<Group> groups_;
  std::vector<Operand> entry_;  // by BlockId: of the phi being looked at
  std::vector<Operand> pairs_;
  std::vector<uint64_t> counts_, moved_counts_;
};

}  // namespace

void duplicate_tails(Function& function, Analyses& analyses, const Target& target,
                     const TailDuplicationLimits& limits, Counters& counters, Remarks* remarks) {
  bool has_changed = TailDuplication(function, analyses, target, limits, remarks).run(counters);
  if (has_changed) analyses.drop(Keeps::Nothing);
}

}  // namespace psi::if_conversion
