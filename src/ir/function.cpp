#include "psi/ir/function.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "support/scratch.h"

namespace psi {
namespace {

constexpr uint64_t kNoCount = UINT64_MAX;
constexpr std::array<std::string_view, 4> kFormNames = {"plain", "ssa", "conventional", "allocated"};

template <class T>
size_t bytes(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

template <class Vector, class T>
void set_at(Vector& v, uint32_t index, T value, T missing) {
  if (index >= v.size()) {
    if (value == missing) return;
    v.resize(index + 1, missing);
  }
  v[index] = value;
}

}  // namespace

std::string_view form_name(Form form) { return kFormNames[static_cast<size_t>(form)]; }

std::optional<Form> form_from_name(std::string_view name) {
  for (size_t i = 0; i < kFormNames.size(); ++i) {
    if (kFormNames[i] == name) return static_cast<Form>(i);
  }
  return std::nullopt;
}

Reg Function::add_reg(Type type, std::string_view name) {
  Reg r(num_regs());
  reg_types_.push_back(type);
  if (!name.empty()) reg_names_.set(r.index(), name);
  return r;
}

// --- Operands ---------------------------------------------------------------------------------------

// A pool offset takes the place of the first inline operand, which has 32 bits of its own.
uint32_t Function::pool_offset(const Inst& inst) { return inst.inline_operands[0].raw(); }

void Function::store_operands(Inst& inst, std::span<const Operand> operands) {
  assert(operands.size() <= Inst::kMaxOperands);
  inst.count = static_cast<uint32_t>(operands.size()) & Inst::kMaxOperands;
  if (operands.size() <= Inst::kMaxInline) {
    std::array<Operand, Inst::kMaxInline> list{};
    std::copy(operands.begin(), operands.end(), list.begin());
    inst.inline_operands = list;
    return;
  }
  inst.inline_operands = {Operand::from_raw(static_cast<uint32_t>(pool_.size())), {}, {}};
  pool_.insert(pool_.end(), operands.begin(), operands.end());
}

void Function::set_operands(InstId id, std::span<const Operand> operands) {
  Inst& target = inst(id);
  if (operands.size() > Inst::kMaxInline && operands.size() <= target.count) {
    // The old place has room.
    std::copy(operands.begin(), operands.end(), pool_.begin() + pool_offset(target));
    target.count = static_cast<uint32_t>(operands.size()) & Inst::kMaxOperands;
    return;
  }
  // Growing the pool may move it under `operands`.
  std::vector<Operand> copy(operands.begin(), operands.end());
  store_operands(target, copy);
}

Operand Function::literal_of(Type type, uint64_t bits) {
  int64_t value = sign_extend(bits, type);
  if (Operand::fits_small(value)) return Operand::small(type, static_cast<int32_t>(value));
  return Operand::pooled(type, constants_.intern(static_cast<uint64_t>(value)));
}

int64_t Function::literal_signed(Operand literal) const {
  if (literal.kind() == Operand::Kind::Small) return literal.small_value();
  return static_cast<int64_t>(constants_[literal.pool_index()]);
}

uint64_t Function::literal_bits(Operand literal) const {
  return static_cast<uint64_t>(literal_signed(literal)) & value_mask(literal.literal_type());
}

Type Function::type(Operand operand) const {
  switch (operand.kind()) {
    case Operand::Kind::Reg:
    case Operand::Kind::NotReg:
      return type(operand.reg());
    case Operand::Kind::Small:
    case Operand::Kind::Pooled:
    case Operand::Kind::Undef:
      return operand.literal_type();
    case Operand::Kind::Symbol:
      return Type::ptr;
    default:
      return Type::none;
  }
}

// --- Instructions -----------------------------------------------------------------------------------

InstId Function::add_inst(const Inst& inst, std::span<const Operand> operands) {
  InstId id(num_insts());
  insts_.push_back(inst);
  store_operands(insts_.back(), operands);
  return id;
}

void Function::set_line(InstId id, uint32_t line) { set_at(lines_, id.index(), line, 0u); }
void Function::set_origin(InstId id, uint32_t origin) { set_at(origins_, id.index(), origin, 0u); }

void Function::set_identity(InstId id, uint32_t number) { set_at(inst_identities_, id.index(), number, 0u); }
void Function::set_identity(Reg r, uint32_t number) { set_at(reg_identities_, r.index(), number, 0u); }

// --- Blocks -----------------------------------------------------------------------------------------

BlockId Function::add_block(std::string_view name) {
  BlockId b(num_blocks());
  blocks_.push_back({});
  layout_.push_back(b);
  if (!name.empty()) block_names_.set(b.index(), name);
  return b;
}

void Function::append(BlockId b, InstId id) {
  BlockList& list = blocks_[b.index()];
  if (list.count == list.room) {
    if (list.first + list.count != order_.size()) {
      // Not at the end: move there, with spare capacity so that interleaved appends stay linear.
      uint32_t room = list.room * 2 + 4;
      uint32_t first = static_cast<uint32_t>(order_.size());
      order_.resize(first + room);
      std::copy_n(order_.begin() + list.first, list.count, order_.begin() + first);
      list.first = first;
      list.room = room;
    } else {
      order_.emplace_back();
      ++list.room;
    }
  }
  order_[list.first + list.count++] = id;
}

void Function::set_insts(BlockId b, std::span<const InstId> ids) {
  BlockList& list = blocks_[b.index()];
  uint32_t count = static_cast<uint32_t>(ids.size());
  if (count > list.room) {
    std::vector<InstId> copy(ids.begin(), ids.end());
    list.first = static_cast<uint32_t>(order_.size());
    list.room = count;
    order_.insert(order_.end(), copy.begin(), copy.end());
  } else {
    std::copy(ids.begin(), ids.end(), order_.begin() + list.first);
  }
  list.count = count;
}

// --- Profile ----------------------------------------------------------------------------------------

std::optional<uint64_t> Function::count(BlockId b) const {
  if (b.index() >= block_counts_.size() || block_counts_[b.index()] == kNoCount) return std::nullopt;
  return block_counts_[b.index()];
}

void Function::set_count(BlockId b, std::optional<uint64_t> count) {
  set_at(block_counts_, b.index(), count.value_or(kNoCount), kNoCount);
}

std::span<const uint64_t> Function::edge_counts(InstId terminator) const {
  if (terminator.index() >= edge_count_start_.size()) return {};
  uint32_t start = edge_count_start_[terminator.index()];
  // A record that was a select may have become something else.
  if (start == 0 || !(inst(terminator).is_terminator() || inst(terminator).op == Opcode::Select)) return {};
  // The length comes first.
  return {edge_counts_.data() + start, static_cast<size_t>(edge_counts_[start - 1])};
}

void Function::set_edge_counts(InstId terminator, std::span<const uint64_t> counts) {
  if (counts.empty()) {
    set_misprediction_rate(terminator, std::nullopt);
    return set_at(edge_count_start_, terminator.index(), 0u, 0u);
  }
  std::span<const uint64_t> old = edge_counts(terminator);
  if (old.size() == counts.size()) {
    std::copy(counts.begin(), counts.end(), edge_counts_.begin() + edge_count_start_[terminator.index()]);
    return;
  }
  edge_counts_.push_back(counts.size());
  set_at(edge_count_start_, terminator.index(), static_cast<uint32_t>(edge_counts_.size()), 0u);
  edge_counts_.insert(edge_counts_.end(), counts.begin(), counts.end());
}

namespace {

bool has_misprediction_rate(Opcode op) {
  return op == Opcode::Br || op == Opcode::Switch || op == Opcode::Select;
}

}  // namespace

std::optional<uint32_t> Function::misprediction_rate(InstId terminator) const {
  const Inst& inst = this->inst(terminator);
  if (!has_misprediction_rate(inst.op) || inst.extra == 0) return std::nullopt;
  return inst.extra - 1;
}

void Function::set_misprediction_rate(InstId terminator, std::optional<uint32_t> percent) {
  Inst& inst = this->inst(terminator);
  if (!has_misprediction_rate(inst.op)) return;
  inst.extra = percent ? static_cast<uint8_t>(*percent + 1) : 0;
}

// --- Whole function ---------------------------------------------------------------------------------

void Function::strip_names() {
  reg_names_.clear();
  block_names_.clear();
}

namespace {

bool is_identity(std::span<const uint32_t> map) {
  for (uint32_t i = 0; i < map.size(); ++i) {
    if (map[i] != i) return false;
  }
  return true;
}

// Moves each element to its new index; elements that nothing moves to are `missing`.
template <class T>
void permute(std::vector<T>& v, std::span<const uint32_t> map, T missing) {
  uint32_t size = 0;
  for (uint32_t i = 0; i < v.size(); ++i) size = std::max(size, map[i] + 1);
  std::vector<T> moved(size, missing);
  for (uint32_t i = 0; i < v.size(); ++i) moved[map[i]] = std::move(v[i]);
  v = std::move(moved);
}

void permute_names(NameTable& names, std::span<const uint32_t> map) {
  if (names.empty()) return;
  NameTable moved;
  for (uint32_t i = 0; i < map.size(); ++i) moved.set(map[i], names.name(i));
  names = std::move(moved);
}

}  // namespace

void Function::renumber(std::span<const uint32_t> regs, std::span<const uint32_t> blocks) {
  if (is_identity(regs) && is_identity(blocks)) return;
  auto map_reg = [&](Reg r) { return r ? Reg(regs[r.index()]) : r; };
  auto map_operand = [&](Operand operand) {
    if (operand.reads_reg()) return Operand::predicate(map_reg(operand.reg()), operand.is_negated());
    if (operand.is_block()) return Operand::block(BlockId(blocks[operand.block().index()]));
    return operand;
  };
  for (uint32_t i = 0; i < num_insts(); ++i) {
    Inst& target = insts_[i];
    for (Reg& result : target.results) result = map_reg(result);
    if (target.guard) target.guard = Guard(map_operand(target.guard.as_operand()));
    for (Operand& operand : operands(InstId(i))) operand = map_operand(operand);
  }
  for (Reg& param : params) param = map_reg(param);
  for (BlockId& b : layout_) b = BlockId(blocks[b.index()]);
  permute(reg_types_, regs, Type::none);
  permute(blocks_, blocks, BlockList{});
  if (!reg_identities_.empty()) {
    reg_identities_.resize(regs.size());
    permute(reg_identities_, regs, 0u);
  }
  if (!block_counts_.empty()) permute(block_counts_, blocks, kNoCount);
  permute_names(reg_names_, regs);
  permute_names(block_names_, blocks);
}

void Function::reserve(uint32_t insts) {
  insts_.reserve(insts);
  order_.reserve(insts);
  reg_types_.reserve(insts);
}

// Moving pays only where much is spare.
template <class T>
static void trim(std::vector<T>& v) {
  if (v.capacity() > v.size() + v.size() / 8) v.shrink_to_fit();
}

void Function::shrink() {
  trim(insts_);
  trim(pool_);
  constants_.shrink();
  trim(reg_types_);
  reg_names_.shrink();
  trim(blocks_);
  trim(layout_);
  trim(order_);
  block_names_.shrink();
  trim(lines_);
  trim(origins_);
  trim(inst_identities_);
  trim(reg_identities_);
  trim(block_counts_);
  trim(edge_count_start_);
  trim(edge_counts_);
}

void Function::compact(Spare spare) {
  // Live data is gathered elsewhere and copied back into the existing memory.
  Scratch scratch;
  std::pmr::vector<Inst> insts(&scratch);
  std::pmr::vector<Operand> pool(&scratch);
  std::pmr::vector<uint32_t> lines(&scratch), origins(&scratch), identities(&scratch),
      edge_count_start(&scratch);
  std::pmr::vector<uint64_t> edge_counts(&scratch);
  size_t listed = 0;
  for (BlockId b : layout_) listed += this->insts(b).size();
  insts.reserve(listed);
  pool.reserve(pool_.size());
  bool has_lines = !lines_.empty(), has_origins = !origins_.empty();
  bool has_identities = !inst_identities_.empty();

  std::pmr::vector<BlockList> blocks(blocks_.size(), &scratch);
  for (BlockId b : layout_) {
    BlockList& list = blocks[b.index()];
    list.first = static_cast<uint32_t>(insts.size());
    for (InstId old : this->insts(b)) {
      uint32_t id = static_cast<uint32_t>(insts.size());
      const Inst& kept = insts.emplace_back(inst(old));
      if (kept.count > Inst::kMaxInline) {
        std::span<const Operand> operands = std::as_const(*this).operands(old);
        insts.back().inline_operands[0] = Operand::from_raw(static_cast<uint32_t>(pool.size()));
        pool.insert(pool.end(), operands.begin(), operands.end());
      }
      if (has_lines) set_at(lines, id, line(old), 0u);
      if (has_origins) set_at(origins, id, origin(old), 0u);
      if (has_identities) set_at(identities, id, identity(old), 0u);
      if (std::span<const uint64_t> counts = this->edge_counts(old); !counts.empty()) {
        edge_counts.push_back(counts.size());
        set_at(edge_count_start, id, static_cast<uint32_t>(edge_counts.size()), 0u);
        edge_counts.insert(edge_counts.end(), counts.begin(), counts.end());
      }
    }
    list.count = list.room = static_cast<uint32_t>(insts.size()) - list.first;
  }

  insts_.assign(insts.begin(), insts.end());
  pool_.assign(pool.begin(), pool.end());
  blocks_.assign(blocks.begin(), blocks.end());
  lines_.assign(lines.begin(), lines.end());
  origins_.assign(origins.begin(), origins.end());
  inst_identities_.assign(identities.begin(), identities.end());
  edge_count_start_.assign(edge_count_start.begin(), edge_count_start.end());
  edge_counts_.assign(edge_counts.begin(), edge_counts.end());
  order_.resize(listed);
  for (uint32_t i = 0; i < listed; ++i) order_[i] = InstId(i);
  if (spare == Spare::Free) shrink();
}

size_t Function::memory() const {
  return sizeof(*this) + bytes(params) + bytes(signature.params) + bytes(insts_) + bytes(pool_) +
         constants_.memory() + bytes(reg_types_) + reg_names_.memory() + bytes(blocks_) + bytes(layout_) +
         bytes(order_) + block_names_.memory() + bytes(lines_) + bytes(origins_) + bytes(inst_identities_) +
         bytes(reg_identities_) + bytes(block_counts_) + bytes(edge_count_start_) + bytes(edge_counts_);
}

}  // namespace psi
