#include "destruct/live_ranges.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace psi::destruction {

LiveRanges::LiveRanges(const Function& function, Analyses& analyses, const Copies& copies,
                       Conditions& conditions, std::vector<uint8_t> wanted)
    : function_(function),
      analyses_(analyses),
      cfg_(analyses.cfg()),
      order_(analyses.order()),
      dominators_(analyses.dominators()),
      copies_(copies),
      conditions_(conditions),
      wanted_(std::move(wanted)) {
  find_definitions();
  find_outer_psis();
  collect_reads();
  find_ranges();
}

void LiveRanges::find_definitions() {
  uint32_t end = 0;
  for (BlockId b : order_.reverse_post_order()) {
    heads_.push_back(end);
    end += static_cast<uint32_t>(function_.insts(b).size()) + 1;
  }
  heads_.push_back(end);
  definitions_.resize(function_.num_regs());
  values_.resize(function_.num_regs());
  std::iota(values_.begin(), values_.end(), uint64_t{0});
  auto define = [&](Reg r, BlockId b, uint32_t position, Guard guard, bool writes) {
    definitions_[r.index()] = {b, position, guard, writes};
  };
  for (Reg param : function_.params) define(param, function_.entry(), 0, Guard(), true);
  for (BlockId b : dominators_.preorder()) {
    uint32_t head = head_position(b), position = head, shared = head;
    Together last = Together::No;
    for (InstId id : function_.insts(b)) {
      ++position;
      const Inst& inst = function_.inst(id);
      Together together = copies_.together(id);
      if (together == Together::No || together != last) shared = position;
      last = together;
      if (inst.is_phi()) {
        define(inst.results[0], b, head, Guard(), false);
        continue;
      }
      for (Reg r : inst.results) {
        if (r) define(r, b, shared, inst.guard, !inst.is_psi());
      }
      if (inst.op == Opcode::Mov) {
        Operand source = function_.operands(inst)[0];
        if (source.is_reg()) {
          // Where a copy is not written, a copy of it copies something else.
          bool is_whole = values_[source.reg().index()] == source.reg().index() ||
                          conditions_.implies(inst.guard, definitions_[source.reg().index()].guard);
          if (is_whole) values_[inst.results[0].index()] = values_[source.reg().index()];
        } else if (!source.is_undef()) {
          values_[inst.results[0].index()] = value_of(source);
        }
      } else if (inst.is_psi()) {
        if (first_of_psi_.empty()) first_of_psi_.resize(function_.num_regs());
        Operand first = function_.operands(inst)[1];
        Reg inner = first.is_reg() ? first_of_psi_[first.reg().index()] : Reg();
        first_of_psi_[inst.results[0].index()] = inner            ? inner
                                                 : first.is_reg() ? first.reg()
                                                                  : inst.results[0];
      }
    }
  }
}

// Does every path to b's definition pass a's?
bool LiveRanges::comes_before(const Definition& a, const Definition& b) const {
  if (a.block == b.block) return a.position <= b.position;
  return dominators_.strictly_dominates(a.block, b.block);
}

// A guard says something of the time since a definition only if its register is not computed anew in between:
// it was computed before, or no path leads round to it but past the definition.
Guard LiveRanges::lasting(Guard guard, const Definition& definition) const {
  if (guard.is_always()) return guard;
  const Definition& own = definitions_[guard.reg().index()];
  if (!own.block) return Guard();
  if (own.block == definition.block || comes_before(own, definition)) return guard;
  if (!comes_before(definition, own)) return Guard();
  const Loops& loops = analyses_.loops();
  LoopId loop = loops.of(own.block);
  return loop == loops.of(definition.block) && (!loop || loops.is_reducible(loop)) ? guard : Guard();
}

void LiveRanges::read(Operand operand, BlockId b, uint32_t position, Guard guard) {
  if (!operand.reads_reg() || !wanted_[operand.reg().index()]) return;
  Reg r = operand.reg();
  uint32_t condition = Conditions::kAlways;
  if (conditions_.aware()) {
    const Definition& definition = definitions_[r.index()];
    condition = conditions_.when(lasting(guard, definition), conditions_.term(definition.guard));
  }
  reads_.push_back({r, condition, true, b, position});
}

// Where the first of the definitions is that a value is made of.
const Definition* LiveRanges::first_definition(Operand value) const {
  if (!value.is_reg()) return nullptr;
  Reg first = first_of_psi_[value.reg().index()];
  return &definitions_[first ? first.index() : value.reg().index()];
}

// The registers of a psi that is itself an argument also carry what stands to its left there.
void LiveRanges::find_outer_psis() {
  if (first_of_psi_.empty()) return;
  left_of_psi_.resize(function_.num_regs(), Term::never());
  std::span<const BlockId> blocks = dominators_.preorder();
  for (size_t k = blocks.size(); k-- > 0;) {
    std::span<const InstId> insts = function_.insts(blocks[k]);
    for (size_t n = insts.size(); n-- > 0;) {
      const Inst& psi = function_.inst(insts[n]);
      if (!psi.is_psi()) continue;
      Term left = left_of_psi_[psi.results[0].index()];
      std::span<const Operand> pairs = function_.operands(psi);
      for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
        Operand value = pairs[i + 1];
        if (value.is_reg() && first_of_psi_[value.reg().index()] && left != Term::never()) {
          Term& known = left_of_psi_[value.reg().index()];
          known = conditions_.either(known, left);
        }
        left = conditions_.either(left, conditions_.term(Guard(pairs[i])));
      }
    }
  }
}

void LiveRanges::collect_psi_reads(BlockId b, uint32_t position, const Inst& psi) {
  std::span<const Operand> pairs = function_.operands(psi);
  Term domain = left_of_psi_[psi.results[0].index()];
  bool is_first = domain == Term::never();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    Guard guard(pairs[i]);
    Operand value = pairs[i + 1];
    domain = conditions_.either(domain, conditions_.term(guard));
    if (!value.is_reg()) continue;
    // Undefined arguments are not there.
    size_t next = i + 2;
    while (next + 1 < pairs.size() && !pairs[next + 1].is_reg()) next += 2;
    bool own_value = is_first;
    is_first = false;
    if (!wanted_[value.reg().index()]) continue;
    const Definition& definition = definitions_[value.reg().index()];
    // An argument that is always defined carries nothing else.
    bool is_always = definition.guard.is_always() && !first_of_psi_[value.reg().index()];
    own_value = own_value || is_always;
    Term carried = is_always ? Term::always() : domain;
    if (next + 1 < pairs.size()) {
      const Definition& at = *first_definition(pairs[next + 1]);
      Guard not_next = lasting(complement(Guard(pairs[next])), definition);
      reads_.push_back({value.reg(), conditions_.when(not_next, carried), own_value, at.block, at.position});
    } else {
      reads_.push_back({value.reg(), conditions_.when(Guard(), carried), own_value, b, position});
    }
  }
}

void LiveRanges::collect_reads() {
  reads_.reserve(function_.num_insts());
  for (BlockId b : dominators_.preorder()) {
    uint32_t position = head_position(b), shared = position;
    Together last = Together::No;
    for (InstId id : function_.insts(b)) {
      ++position;
      const Inst& inst = function_.inst(id);
      Together together = copies_.together(id);
      if (together == Together::No || together != last) shared = position;
      last = together;
      if (inst.guard) read(inst.guard.as_operand(), b, shared, Guard());
      std::span<const Operand> operands = function_.operands(inst);
      if (inst.is_phi()) {
        for (size_t i = 1; i < operands.size(); i += 2) {
          BlockId pred = operands[i - 1].block();
          if (dominators_.is_reachable(pred))
            read(operands[i], pred, heads_[order_.number(pred) + 1], Guard());
        }
      } else if (inst.is_psi()) {
        collect_psi_reads(b, shared, inst);
      } else {
        for (Operand operand : operands) read(operand, b, shared, inst.guard);
      }
    }
  }
}

void LiveRanges::find_ranges() {
  // By register, then by condition.
  std::vector<uint32_t> first(function_.num_regs() + 1);
  for (const Read& read : reads_) ++first[read.reg.index() + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Read> sorted(reads_.size());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (const Read& read : reads_) sorted[next[read.reg.index()]++] = read;
  reads_.clear();
  reads_.shrink_to_fit();

  start_.resize(function_.num_regs() + 1);
  last_read_.resize(heads_.size());
  auto key = [](const Read& read) { return std::pair(read.condition, read.is_own_value); };
  for (uint32_t r = 0; r < function_.num_regs(); ++r) {
    start_[r] = static_cast<uint32_t>(ranges_.size());
    if (!wanted_[r] || !definitions_[r].block) continue;
    std::span<Read> reads = std::span(sorted).subspan(first[r], first[r + 1] - first[r]);
    if (conditions_.any_guards()) {
      std::sort(reads.begin(), reads.end(), [&](const Read& a, const Read& b) { return key(a) < key(b); });
    }
    size_t i = 0;
    do {
      size_t end = i;
      while (end < reads.size() && key(reads[end]) == key(reads[i])) ++end;
      LiveRange range{.reg = Reg(r), .first_place = static_cast<uint32_t>(places_.size())};
      if (!reads.empty()) {
        range.condition = reads[i].condition;
        range.is_own_value = reads[i].is_own_value;
      }
      explore(definitions_[r], reads.subspan(i, end - i), places_);
      range.num_places = static_cast<uint32_t>(places_.size()) - range.first_place;
      ranges_.push_back(range);
      i = end;
    } while (i < reads.size());
  }
  start_.back() = static_cast<uint32_t>(ranges_.size());
}

// Walks back from the reads to the definition.
bool LiveRanges::explore(const Definition& definition, std::span<const Read> reads,
                         std::vector<Place>& places, size_t max_blocks) const {
  uint32_t first = order_.number(definition.block);
  last_read_[first] = definition.position + 1;
  seen_.assign(1, first);
  auto enter = [&](uint32_t block, uint32_t position) {
    if (last_read_[block] == 0) seen_.push_back(block);
    last_read_[block] = std::max(last_read_[block], position + 1);
  };
  for (const Read& read : reads) enter(order_.number(read.block), read.position);
  for (size_t i = 1; i < seen_.size() && seen_.size() <= max_blocks; ++i) {
    for (BlockId p : cfg_.predecessors(blocks()[seen_[i]])) {
      uint32_t block = order_.number(p);
      enter(block, heads_[block + 1]);
    }
  }
  bool is_complete = seen_.size() <= max_blocks;
  if (is_complete) {
    std::sort(seen_.begin(), seen_.end());
    uint32_t start = definition.position, end = last_read_[first] - 1;
    for (uint32_t block : std::span(seen_).subspan(1)) {
      if (heads_[block] != end) {
        add_places(start, end, places);
        start = heads_[block];
      }
      end = last_read_[block] - 1;
    }
    add_places(start, end, places);
  }
  for (uint32_t block : seen_) last_read_[block] = 0;
  return is_complete;
}

void LiveRanges::add_places(uint32_t start, uint32_t end, std::vector<Place>& places) const {
  for (;;) {
    uint32_t next = (tile_of(start) + 1) * kTileSize;
    if (end <= next) break;
    places.push_back({start, next});
    start = next;
  }
  places.push_back({start, end});
}

bool LiveRanges::find_places(BlockId from, uint32_t position, BlockId to, uint32_t read_position,
                             size_t max_blocks, std::vector<Place>& places) const {
  places.clear();
  Read read{Reg(), Conditions::kAlways, true, to, read_position};
  return explore({from, position, Guard(), true}, {&read, 1}, places, max_blocks);
}

uint32_t LiveRanges::end_position(BlockId b) const {
  auto body = static_cast<uint32_t>(function_.insts(b).size() - function_.terminators(b).size());
  if (body == 0) return head_position(b);
  InstId last = function_.insts(b)[body - 1];
  bool is_group = copies_.together(last) == Together::AtEnd;
  return is_group ? definitions_[function_.inst(last).results[0].index()].position : head_position(b) + body;
}

size_t LiveRanges::memory() const {
  return (heads_.capacity() + last_read_.capacity()) * sizeof(uint32_t) +
         definitions_.capacity() * sizeof(Definition) + values_.capacity() * sizeof(uint64_t) +
         start_.capacity() * sizeof(uint32_t) + ranges_.capacity() * sizeof(LiveRange) +
         places_.capacity() * sizeof(Place);
}

}  // namespace psi::destruction
