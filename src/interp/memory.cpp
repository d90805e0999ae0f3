#include "interp/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

namespace psi::interp {
namespace {

constexpr uint32_t kInitialCapacity = 64;
constexpr uint32_t kRegionSize = 0x4000'0000;
constexpr uint64_t kChunkSize = 1 << 16;

}  // namespace

void FreeDeleter::operator()(uint8_t* bytes) const { std::free(bytes); }

Bytes zeroed_bytes(uint64_t size) {
  auto* bytes = static_cast<uint8_t*>(std::calloc(std::max<uint64_t>(size, 1), 1));
  if (!bytes) throw std::bad_alloc();
  return Bytes(bytes);
}

// --- ObjectTable ------------------------------------------------------------------------------------

ObjectTable::ObjectTable() : objects_(1) {}

void ObjectTable::set_range(uint32_t first, uint32_t last) {
  first_ = next_ = first;
  last_ = last;
}

std::vector<const Object*> ObjectTable::live() const {
  std::vector<const Object*> found;
  for (const Object& object : objects_) {
    if (object.id != Object::kNoId) found.push_back(&object);
  }
  std::sort(found.begin(), found.end(), [](const Object* a, const Object* b) { return a->id < b->id; });
  return found;
}

Object& ObjectTable::insert() {
  if (2 * (live_ + 1) > objects_.size()) grow();
  for (;;) {
    uint32_t id = next_;
    wrapped_ |= next_ == last_;
    next_ = next_ == last_ ? first_ : next_ + 1;
    Object& object = objects_[id & mask_];
    if (object.id != Object::kNoId) continue;
    object.id = id;
    ++live_;
    return object;
  }
}

Object& ObjectTable::insert_at(uint32_t id) {
  while (id >= objects_.size()) grow();
  Object& object = objects_[id & mask_];
  object.id = id;
  ++live_;
  return object;
}

void ObjectTable::erase(uint32_t id) {
  objects_[id & mask_] = Object();
  --live_;
}

bool ObjectTable::was_issued(uint32_t id) const {
  return id >= first_ && id <= last_ && (wrapped_ || id < next_);
}

void ObjectTable::grow() {
  std::vector<Object> old = std::move(objects_);
  objects_ = std::vector<Object>(std::max<size_t>(old.size() * 2, kInitialCapacity));
  mask_ = static_cast<uint32_t>(objects_.size() - 1);
  for (Object& object : old) {
    // Ids that differ modulo the old capacity also differ modulo the new one.
    if (object.id != Object::kNoId) objects_[object.id & mask_] = std::move(object);
  }
}

// --- Globals ----------------------------------------------------------------------------------------

Memory::Memory(const Module& module, uint64_t max_memory, bool zeroed)
    : module_(module), max_memory_(max_memory), zeroed_(zeroed) {
  if (module.pointer_bits() == 32) flat_ = std::make_unique<FlatSpace>();
  tables_[1].set_range(kHeapBase, kHeapBase + kRegionSize - 1);
  tables_[2].set_range(kSlotBase, 0x8000'0000 + kRegionSize - 1);
  // The last region holds nothing, not even under the id that marks a free place.
  tables_[3].insert_at(0);
}

bool Memory::place_globals() {
  uint64_t total = 0;
  for (SymbolId symbol : module_.declarations()) {
    if (module_.kind(symbol) != SymbolKind::Global) continue;
    uint64_t size = module_.global(symbol).size;
    if (size > kMaxObjectSize || (total += size) > kMaxObjectSize) return false;
  }
  for (SymbolId symbol : module_.declarations()) {
    Object& object = tables_[0].insert_at(symbol.index() + 1);
    bool is_global = module_.kind(symbol) == SymbolKind::Global;
    object.kind = ObjectKind::Function;
    if (is_global) object.size = static_cast<uint32_t>(module_.global(symbol).size);
    uint64_t align = is_global ? module_.global(symbol).align : 1;
    if (!place_in_flat_space(object, FlatSpace::Range::Symbols, align)) return false;
  }
  // Globals contain addresses of others.
  for (SymbolId symbol : module_.declarations()) {
    if (module_.kind(symbol) == SymbolKind::Global) place_global(module_.global(symbol));
  }
  return true;
}

// True without a flat space, where no object is in another one's way.
bool Memory::place_in_flat_space(Object& object, FlatSpace::Range range, uint64_t align) {
  if (!flat_) return true;
  auto is_alive = [&](uint32_t id) { return tables_[id >> 30].find(id) != nullptr; };
  object.start = flat_->place(range, object.size, align, object.id, is_alive);
  return object.start != 0;
}

void Memory::place_global(const Global& global) {
  Object& object = *tables_[0].find(global.symbol.index() + 1);
  object.kind = global.constant ? ObjectKind::Constant : ObjectKind::Global;
  object.writable = !global.constant;
  object.owned_data = zeroed_bytes(global.size);
  object.data = object.owned_data.get();
  uint64_t offset = 0;
  auto put = [&](const void* bytes, uint64_t size) {
    uint64_t room = global.size - std::min(global.size, offset);
    if (size > 0 && room > 0) std::memcpy(object.data + offset, bytes, std::min(size, room));
  };
  for (const Initialiser& piece : global.contents) {
    switch (piece.kind) {
      case Initialiser::Kind::Value:
        put(&piece.bits, piece.size(module_.pointer_bits()));
        break;
      case Initialiser::Kind::Address: {
        uint64_t address = symbol_address(piece.symbol) + static_cast<uint64_t>(piece.addend);
        put(&address, piece.size(module_.pointer_bits()));
        break;
      }
      case Initialiser::Kind::Zero:
        break;
      case Initialiser::Kind::Bytes:
        put(piece.bytes.data(), piece.bytes.size());
        break;
    }
    offset += piece.size(module_.pointer_bits());
  }
}

SymbolId Memory::function_at(uint64_t address) const {
  auto [id, offset] = place_of(address);
  if (offset != 0 || id == 0 || id > module_.num_symbols()) return SymbolId();
  SymbolId symbol(id - 1);
  return module_.kind(symbol) == SymbolKind::Function ? symbol : SymbolId();
}

std::vector<Value> Memory::contents(const Object& object) const {
  std::vector<Value> bytes(object.size);
  for (uint32_t i = 0; i < object.size; ++i) bytes[i] = byte_at(object, i);
  for (uint32_t i = 0; !flat_ && i + 8 <= object.size; i += 8) {
    uint64_t word;
    std::memcpy(&word, object.data + i, 8);
    uint64_t canonical = canonical_slot_address(word);
    if (canonical == word) continue;
    for (uint32_t k = 0; k < 8; ++k) bytes[i + k].bits = canonical >> (8 * k) & 0xff;
  }
  return bytes;
}

// In 32 bits many a number looks like the address of a slot, in this run or in another one with more slots:
// the bytes stay what they are, and their readings as addresses stand beside them.
void Memory::note_slot_addresses(const Object& object, Outcome& outcome) const {
  if (!flat_) return;
  for (uint32_t i = 0; i + 4 <= object.size; i += 4) {
    uint32_t word;
    std::memcpy(&word, object.data + i, 4);
    auto [id, offset] = place_of(word);
    if (!tables_[2].was_issued(id)) continue;
    outcome.slot_addresses.push_back({outcome.memory.size(), i, static_cast<int32_t>(offset)});
  }
}

void Memory::snapshot(Outcome& outcome) {
  auto add = [&](SymbolId symbol, const Object& object) {
    note_slot_addresses(object, outcome);
    outcome.memory.emplace_back(symbol, contents(object));
  };
  for (SymbolId symbol : module_.declarations()) {
    if (module_.kind(symbol) != SymbolKind::Global || module_.global(symbol).constant) continue;
    add(symbol, *tables_[0].find(symbol.index() + 1));
  }
  for (const Object* block : tables_[1].live()) add(SymbolId(), *block);
}

// --- Access -----------------------------------------------------------------------------------------

void Memory::add_flags(Object& object) {
  object.owned_defined = zeroed_bytes(object.size);
  object.defined = object.owned_defined.get();
  std::memset(object.defined, 1, object.size);
}

Value Memory::byte_at(const Object& object, uint64_t offset) const {
  if (object.defined && !object.defined[offset]) return {0, true};
  return {object.data[offset], false};
}

bool Memory::load_sized(uint64_t address, uint64_t size, uint64_t& bits, uint8_t& undef) {
  switch (size) {
    case 1:
      return flat_ ? load<uint8_t, true>(address, 0, bits, undef)
                   : load<uint8_t, false>(address, 0, bits, undef);
    case 2:
      return flat_ ? load<uint16_t, true>(address, 0, bits, undef)
                   : load<uint16_t, false>(address, 0, bits, undef);
    case 4:
      return flat_ ? load<uint32_t, true>(address, 0, bits, undef)
                   : load<uint32_t, false>(address, 0, bits, undef);
    default:
      return flat_ ? load<uint64_t, true>(address, 0, bits, undef)
                   : load<uint64_t, false>(address, 0, bits, undef);
  }
}

bool Memory::store_sized(uint64_t address, uint64_t size, uint64_t bits, bool undef) {
  if (size == 4) {
    return flat_ ? store<uint32_t, true>(address, 0, bits, undef)
                 : store<uint32_t, false>(address, 0, bits, undef);
  }
  return flat_ ? store<uint64_t, true>(address, 0, bits, undef)
               : store<uint64_t, false>(address, 0, bits, undef);
}

void Memory::copy(uint64_t to, uint64_t from, uint64_t size) {
  auto [target_object, to_offset] = readable(to, size, 0);
  auto [source_object, from_offset] = readable(from, size, 0);
  Object& target = *target_object;
  const Object& source = *source_object;
  std::memmove(target.data + to_offset, source.data + from_offset, size);
  bool any_undef = source.defined && std::memchr(source.defined + from_offset, 0, size);
  if (any_undef) {
    if (!target.defined) add_flags(target);
    std::memmove(target.defined + to_offset, source.defined + from_offset, size);
  } else if (target.defined) {
    std::memset(target.defined + to_offset, 1, size);
  }
}

void Memory::fill(uint64_t to, Value byte, uint64_t size) {
  auto [object, offset] = readable(to, size, 0);
  Object& target = *object;
  byte.undef = byte.undef && !zeroed_;
  if (byte.undef && !target.defined) add_flags(target);
  std::memset(target.data + offset, byte.undef ? 0 : static_cast<int>(byte.bits), size);
  if (target.defined) std::memset(target.defined + offset, byte.undef ? 0 : 1, size);
}

std::string Memory::describe(uint64_t address) {
  if (is_near_null(address)) return "null";
  uint32_t id = place_of(address).id;
  const Object* object = tables_[id >> 30].find(id);
  if (!object) {
    if (tables_[1].was_issued(id)) return "a heap block that was freed";
    if (tables_[2].was_issued(id)) return "a slot that has ended";
    return "no object";
  }
  switch (object->kind) {
    case ObjectKind::Heap:
      return "a heap block";
    case ObjectKind::Slot:
      return "a slot";
    case ObjectKind::Variadic:
      return "the variadic arguments";
    default:
      return fmt::format("${}", module_.name(SymbolId(id - 1)));
  }
}

std::string Memory::explain(std::string_view verb, uint64_t address, uint64_t size, uint64_t align_mask,
                            bool writing) {
  auto [id, unsigned_offset] = place_of(address);
  auto offset = static_cast<int32_t>(unsigned_offset);
  std::string what = fmt::format("{} of {} byte{}", verb, size, size == 1 ? "" : "s");
  if (is_near_null(address)) return fmt::format("{} through a null pointer (address {:#x})", what, address);
  const Object* object = tables_[id >> 30].find(id);
  if (!object) return fmt::format("{} at address {:#x}, in {}", what, address, describe(address));
  std::string name = describe(address);
  if (object->kind == ObjectKind::Function) return fmt::format("{} at {}, a function", what, name);
  std::string place = fmt::format("{} at offset {} of {}", what, offset, name);
  if (offset < 0 || static_cast<uint64_t>(offset) + size > object->size) {
    return fmt::format("{}, which has {} bytes", place, object->size);
  }
  if (static_cast<uint32_t>(offset) & align_mask) {
    return fmt::format("{}, which is not aligned to {}", place, align_mask + 1);
  }
  if (writing && !object->writable) return fmt::format("{}, which is constant", place);
  return place;
}

// --- Slots ------------------------------------------------------------------------------------------

bool Memory::push_slot(uint64_t size, uint64_t align, ObjectKind kind, uint64_t& address) {
  uint64_t cost = size + kObjectOverhead;
  if (size > kMaxObjectSize || heap_bytes_ + slot_bytes_ + cost > max_memory_) return false;
  SlotRecord record = {0, chunk_, used_, cost};
  uint64_t rounded = std::max<uint64_t>((size + 15) & ~uint64_t{15}, 16);
  if (chunks_.empty() || used_ + rounded > chunks_[chunk_].size) {
    // A chunk that is too small for this slot and empty above it may be replaced by a larger one.
    if (!chunks_.empty()) ++chunk_;
    used_ = 0;
    if (chunk_ == chunks_.size()) chunks_.emplace_back();
    Chunk& chunk = chunks_[chunk_];
    if (chunk.size < rounded) {
      chunk.size = std::max(rounded, kChunkSize << std::min<uint32_t>(chunk_, 8));
      chunk.data = zeroed_bytes(chunk.size);
      chunk.defined = zeroed_bytes(chunk.size);
    }
  }
  Object& object = tables_[2].insert();
  object.size = static_cast<uint32_t>(size);
  if (!place_in_flat_space(object, FlatSpace::Range::Slots, align)) {
    tables_[2].erase(object.id);
    chunk_ = record.chunk, used_ = record.used;
    return false;
  }
  object.kind = kind;
  object.writable = true;
  object.data = chunks_[chunk_].data.get() + used_;
  if (zeroed_) {
    std::memset(object.data, 0, size);
  } else {
    object.defined = chunks_[chunk_].defined.get() + used_;
    std::memset(object.defined, 0, size);
  }
  used_ += rounded;
  slot_bytes_ += cost;
  record.id = object.id;
  slots_.push_back(record);
  address = flat_ ? object.start : uint64_t{object.id} << 32;
  return true;
}

void Memory::release_slots(size_t keep) {
  chunk_ = slots_[keep].chunk;
  used_ = slots_[keep].used;
  for (size_t i = keep; i < slots_.size(); ++i) {
    tables_[2].erase(slots_[i].id);
    slot_bytes_ -= slots_[i].cost;
  }
  slots_.resize(keep);
}

bool Memory::release_to(uint64_t mark) {
  size_t keep = mark - first_mark();
  if (keep > slots_.size()) return false;
  // Variadic arguments live as long as the function.
  for (size_t i = slots_.size(); i > keep; --i) {
    if (tables_[2].find(slots_[i - 1].id)->kind == ObjectKind::Variadic) keep = i;
  }
  pop_slots(keep);
  return true;
}

uint64_t Memory::canonical_slot_address(uint64_t bits) const {
  auto [id, offset] = place_of(bits);
  if (!tables_[2].was_issued(id)) return bits;
  if (flat_) return FlatSpace::kSlotBase + uint64_t{offset};
  return (uint64_t{kSlotBase} << 32) + static_cast<uint64_t>(static_cast<int32_t>(offset));
}

// --- Heap -------------------------------------------------------------------------------------------

uint64_t Memory::allocate(uint64_t size, bool zeroed) {
  // Slots do not count here: malloc's success must not depend on how many were optimised away.
  if (size > kMaxObjectSize || heap_bytes_ + size + kObjectOverhead > max_memory_) return 0;
  Bytes data = zeroed_bytes(size);
  Bytes defined = zeroed || zeroed_ ? nullptr : zeroed_bytes(size);
  Object& object = tables_[1].insert();
  object.size = static_cast<uint32_t>(size);
  if (!place_in_flat_space(object, FlatSpace::Range::Heap, 1)) {
    tables_[1].erase(object.id);
    return 0;
  }
  object.kind = ObjectKind::Heap;
  object.writable = true;
  object.data = data.get();
  object.defined = defined.get();
  object.owned_data = std::move(data);
  object.owned_defined = std::move(defined);
  heap_bytes_ += size + kObjectOverhead;
  return flat_ ? object.start : uint64_t{object.id} << 32;
}

Object* Memory::heap_block(uint64_t address) {
  auto [id, offset] = place_of(address);
  if (offset != 0 || id >> 30 != 1) return nullptr;
  return tables_[1].find(id);
}

void Memory::free(Object& block) {
  heap_bytes_ -= block.size + kObjectOverhead;
  tables_[1].erase(block.id);
}

}  // namespace psi::interp
