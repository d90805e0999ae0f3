#include "predication/if_convert/block_copies.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "psi/analysis/cfg.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::predication {
namespace {

uint64_t part_of(uint64_t count, double fraction) {
  return std::min(count, static_cast<uint64_t>(static_cast<double>(count) * fraction + 0.5));
}

}  // namespace

BlockCopies::BlockCopies(Function& function, Analyses& analyses)
    : function_(function),
      cfg_(analyses.get<Cfg>()),
      uses_(analyses.get<Uses>()),
      frequencies_(analyses.get<Frequencies>()),
      frequency_(function.num_blocks()),
      last_added_(function.num_blocks(), kNone),
      is_divided_(function.num_blocks()),
      first_copy_(function.num_blocks(), kNone) {
  for (BlockId b : function.layout()) frequency_[b.index()] = frequencies_.of(b);
}

Reg BlockCopies::read_elsewhere(BlockId b) const {
  for (InstId id : function_.insts(b)) {
    for (Reg r : function_.inst(id).results) {
      if (r && std::ranges::any_of(uses_.uses(r), [&](Use use) { return !reads_here(use, b); })) return r;
    }
  }
  return Reg();
}

// The phis of its successors are unchanged.
bool BlockCopies::reads_here(Use use, BlockId b) const {
  if (!function_.inst(use.inst).is_phi()) return uses_.block(use.inst) == b;
  return incoming_block(function_, use.inst, use.operand) == b;
}

void BlockCopies::find_incoming(BlockId b, std::vector<IncomingEdge>& incoming) const {
  incoming.clear();
  for (uint32_t i = 0; i < cfg_.predecessors(b).size(); ++i) {
    Edge edge = cfg_.incoming(b, i);
    incoming.push_back({.from = edge.from,
                        .original = edge.from,
                        .frequency = frequency(edge.from) * frequencies_.probability(edge)});
  }
  for (uint32_t e = last_added_[b.index()]; e != kNone; e = added_[e].next) {
    Copy from = added_[e].from;
    incoming.push_back({.from = from.block, .original = from.original, .frequency = added_[e].frequency});
  }
}

// --- One block --------------------------------------------------------------------------------------------

void BlockCopies::copy(BlockId b, std::span<EdgeGroup> groups) {
  add_entries(b);
  is_divided_[b.index()] = 1;
  first_copy_[b.index()] = static_cast<uint32_t>(copies_.size());
  double total = 0;
  for (EdgeGroup& group : groups) {
    total += group.frequency;
    if (group.is_copied) group.copy = add_copy(b, group).block;
  }
  divide_phis(b, groups);
  for (const EdgeGroup& group : groups) {
    if (!group.is_copied) continue;
    Copy copy{b, group.copy};
    fill(copy);
    move_counts(copy, total > 0 ? std::min(group.frequency / total, 1.0) : 0);
    total -= group.frequency;
    add_edges(copy);
  }
}

BlockCopies::Copy BlockCopies::add_copy(BlockId b, const EdgeGroup& group) {
  Copy copy{b, function_.add_block(std::string(function_.name(b)))};
  frequency_.push_back(0);
  copies_.push_back(copy);
  BlockId last;
  for (const IncomingEdge& edge : group.edges) {
    if (edge.from != last) redirections_.push_back({edge.from, b, copy.block});
    last = edge.from;
  }
  return copy;
}

// Every predecessor's entry follows its edge.
void BlockCopies::divide_phis(BlockId b, std::span<const EdgeGroup> groups) {
  for (uint32_t i = 0; function_.inst(function_.insts(b)[i]).is_phi(); ++i) {
    InstId id = function_.insts(b)[i];
    read_entries(id);
    for (const EdgeGroup& group : groups) {
      if (!group.is_copied) continue;
      operands_.clear();
      add_pairs(group);
      append_copy(group.copy, id);
    }
    operands_.clear();
    for (const EdgeGroup& group : groups) {
      if (!group.is_copied) add_pairs(group);
    }
    function_.set_operands(id, operands_);
  }
}

void BlockCopies::add_pairs(const EdgeGroup& group) {
  BlockId last;
  for (const IncomingEdge& edge : group.edges) {
    if (edge.from == last) continue;
    last = edge.from;
    operands_.insert(operands_.end(), {Operand::block(last), entry_[last.index()]});
  }
}

// All but the phis, which are there.
void BlockCopies::fill(Copy copy) {
  for (size_t i = function_.insts(copy.block).size(); i < function_.insts(copy.original).size(); ++i) {
    InstId id = function_.insts(copy.original)[i];
    operands_.clear();
    for (Operand operand : std::as_const(function_).operands(id)) {
      operands_.push_back(translate(operand, copy));
    }
    append_copy(copy.block, id);
    Inst& added = function_.inst(function_.insts(copy.block).back());
    if (added.guard) added.guard = Guard(translate(added.guard.as_operand(), copy));
  }
}

// With the operands in operands_.
void BlockCopies::append_copy(BlockId copy, InstId id) {
  Inst inst = function_.inst(id);
  for (Reg& r : inst.results) {
    if (r) r = function_.add_reg(function_.type(r), std::string(function_.name(r)));
  }
  InstId added = function_.add_inst(inst, operands_);
  function_.copy_place(id, added);
  function_.append(copy, added);
}

// A register of the original maps to the one at the same position in the copy.
Operand BlockCopies::translate(Operand operand, Copy copy) const {
  if (!operand.reads_reg()) return operand;
  InstId definition = uses_.definition(operand.reg());
  if (!definition || uses_.block(definition) != copy.original) return operand;
  size_t which = function_.inst(definition).results[0] == operand.reg() ? 0 : 1;
  InstId copied = function_.insts(copy.block)[uses_.position(definition)];
  return Operand::predicate(function_.inst(copied).results[which], operand.is_negated());
}

// Moves this part of the executions of the original, and of its edges, to the copy.
void BlockCopies::move_counts(Copy copy, double fraction) {
  double& all = frequency_[copy.original.index()];
  frequency_[copy.block.index()] = all * fraction;
  all -= all * fraction;
  if (std::optional<uint64_t> count = function_.count(copy.original)) {
    uint64_t moved = part_of(*count, fraction);
    function_.set_count(copy.block, moved);
    function_.set_count(copy.original, *count - moved);
  }
  InstId from = function_.insts(copy.original).back(), to = function_.insts(copy.block).back();
  counts_.assign(function_.edge_counts(from).begin(), function_.edge_counts(from).end());
  if (counts_.empty()) return;
  moved_counts_.clear();
  for (uint64_t& count : counts_) {
    moved_counts_.push_back(part_of(count, fraction));
    count -= moved_counts_.back();
  }
  function_.set_edge_counts(from, counts_);
  function_.set_edge_counts(to, moved_counts_);
}

void BlockCopies::add_edges(Copy copy) {
  std::span<const BlockId> successors = cfg_.successors(copy.original);
  for (uint32_t i = 0; i < successors.size(); ++i) {
    uint32_t& last = last_added_[successors[i].index()];
    added_.push_back({copy, frequency(copy.block) * frequencies_.probability({copy.original, i}), last});
    last = static_cast<uint32_t>(added_.size() - 1);
  }
}

// --- What follows -----------------------------------------------------------------------------------------

void BlockCopies::read_entries(InstId phi) {
  entry_.resize(function_.num_blocks());
  for (auto [from, value] : phi_entries(function_, phi)) entry_[from.index()] = value;
}

// Phis get entries for copies like those for the originals.
void BlockCopies::add_entries(BlockId b) {
  if (last_added_[b.index()] == kNone) return;
  for (InstId id : function_.insts(b)) {
    if (!function_.inst(id).is_phi()) break;
    read_entries(id);
    operands_.assign(function_.operands(id).begin(), function_.operands(id).end());
    BlockId last;
    for (uint32_t e = last_added_[b.index()]; e != kNone; e = added_[e].next) {
      Copy from = added_[e].from;
      if (from.block == last) continue;
      last = from.block;
      Operand value = translate(entry_[from.original.index()], from);
      operands_.insert(operands_.end(), {Operand::block(from.block), value});
    }
    function_.set_operands(id, operands_);
  }
}

void BlockCopies::finish() {
  for (uint32_t b = 0; b < is_divided_.size(); ++b) {
    if (!is_divided_[b]) add_entries(BlockId(b));
  }
  redirect();
  place();
}

void BlockCopies::redirect() {
  std::vector<BlockId> target(function_.num_blocks());
  std::ranges::sort(redirections_, {}, [](const Redirection& r) { return r.from.index(); });
  for (size_t first = 0, last = 0; first < redirections_.size(); first = last) {
    BlockId from = redirections_[first].from;
    for (; last < redirections_.size() && redirections_[last].from == from; ++last) {
      target[redirections_[last].old_target.index()] = redirections_[last].new_target;
    }
    for (InstId id : function_.terminators(from)) {
      for (Operand& operand : function_.operands(id)) {
        if (operand.is_block() && target[operand.block().index()]) {
          operand = Operand::block(target[operand.block().index()]);
        }
      }
    }
    for (; first < last; ++first) target[redirections_[first].old_target.index()] = BlockId();
  }
}

// Copies were added at the end.
void BlockCopies::place() {
  std::vector<BlockId> layout;
  layout.reserve(function_.layout().size());
  for (BlockId b : function_.layout().first(function_.layout().size() - copies_.size())) {
    layout.push_back(b);
    for (size_t i = first_copy_[b.index()]; i < copies_.size() && copies_[i].original == b; ++i) {
      layout.push_back(copies_[i].block);
    }
  }
  function_.set_layout(std::move(layout));
}

}  // namespace psi::predication
