// The program's memory. Every global, function, heap block and stack slot is a separate object. With pointers
// of 64 bits an address is (object id << 32) + offset, so arithmetic may leave an object's bounds and return,
// and only an access is checked. With pointers of 32 bits the objects lie in one flat space (flat_space.h),
// and an address is looked up there.
//
// Ids come from separate ranges, so that removing a slot renumbers neither the heap nor the globals:
//   0             null
//   symbol + 1    globals and functions
//   kHeapBase ..  heap blocks
//   kSlotBase ..  slots
// The id of a dead object is not reused before its range is exhausted, so an access after free or after
// return is caught.
//
// Bytes carry a flag that says whether they are defined. An object without flags is all defined.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/flat_space.h"
#include "psi/interp/interpret.h"
#include "psi/ir/module.h"

namespace psi::interp {

struct FreeDeleter {
  void operator()(uint8_t* bytes) const;
};
// Zeroed memory from calloc, so that large objects cost nothing until touched.
using Bytes = std::unique_ptr<uint8_t[], FreeDeleter>;
Bytes zeroed_bytes(uint64_t size);  // throws std::bad_alloc

enum class ObjectKind : uint8_t { Constant, Global, Function, Heap, Slot, Variadic };

struct Object {
  static constexpr uint32_t kNoId = UINT32_MAX;

  uint32_t id = kNoId;
  uint32_t size = 0;
  uint32_t start = 0;  // its address, in the flat space
  uint8_t* data = nullptr;
  uint8_t* defined = nullptr;  // 1 or 0 for each byte; null: all are
  Bytes owned_data;            // heap and globals
  Bytes owned_defined;
  ObjectKind kind = ObjectKind::Slot;
  bool writable = false;
};

// Objects by id, found at id modulo the capacity. Allocation skips ids whose slot is taken, so a lookup is
// one probe.
class ObjectTable {
 public:
  ObjectTable();
  // Makes ids first .. last the range.
  void set_range(uint32_t first, uint32_t last);
  Object* find(uint32_t id) {
    Object& object = objects_[id & mask_];
    return object.id == id ? &object : nullptr;
  }
  const Object* find(uint32_t id) const { return const_cast<ObjectTable*>(this)->find(id); }
  Object& insert();                // under the next free id
  Object& insert_at(uint32_t id);  // no two ids modulo a power of two may collide: dense ids only
  void erase(uint32_t id);
  // By ascending id: heap blocks in the order of their allocation.
  std::vector<const Object*> live() const;
  // Was the id allocated, whether or not the object is alive?
  bool was_issued(uint32_t id) const;

 private:
  void grow();

  std::vector<Object> objects_;
  uint32_t mask_ = 0;
  uint32_t first_ = 0;
  uint32_t last_ = 0;
  uint32_t next_ = 0;
  uint32_t live_ = 0;
  bool wrapped_ = false;
};

class Memory {
 public:
  static constexpr uint32_t kHeapBase = 0x4000'0000;
  // Far from common numbers of programs, whose bits in memory must not look like slot addresses (see
  // canonical_slot_address).
  static constexpr uint32_t kSlotBase = 0x9b5e'0000;
  static constexpr uint64_t kMaxObjectSize = INT32_MAX;
  static constexpr uint64_t kStackMarks = 0xf000'0000'0000'0000;
  // The cost of an object beyond its bytes.
  static constexpr uint64_t kObjectOverhead = 64;

  // `zeroed`: fresh objects hold zeros instead of undef, and a stored undef keeps its bits.
  Memory(const Module& module, uint64_t max_memory, bool zeroed);

  // Do pointers have 32 bits?
  bool is_flat() const { return flat_ != nullptr; }

  // Lays out the globals. False if they are too large.
  bool place_globals();

  // Of a declared symbol.
  uint64_t symbol_address(SymbolId symbol) const {
    uint32_t id = symbol.index() + 1;
    return flat_ ? tables_[0].find(id)->start : uint64_t{id} << 32;
  }
  // The function with this address; none if it is not a function's.
  SymbolId function_at(uint64_t address) const;

  // The object that an address belongs to, dead or alive, and where in it.
  struct Place {
    uint32_t id;
    uint32_t offset;
  };
  Place place_of(uint64_t address) const {
    return flat_ ? place_in<true>(address) : place_in<false>(address);
  }

  // --- Access: null or false where it would be undefined behaviour; `explain` says why --------------
  // `align_mask` is the alignment less one.
  struct Access {
    Object* object = nullptr;
    uint32_t offset = 0;
    explicit operator bool() const { return object; }
  };
  Access readable(uint64_t address, uint64_t size, uint64_t align_mask) {
    return flat_ ? find<true>(address, size, align_mask) : find<false>(address, size, align_mask);
  }
  Access writable(uint64_t address, uint64_t size, uint64_t align_mask) {
    Access access = readable(address, size, align_mask);
    return access && access.object->writable ? access : Access();
  }

  // In the flat space or not, known to the caller.
  template <class Int, bool kFlat>
  [[gnu::always_inline]] bool load(uint64_t address, uint64_t align_mask, uint64_t& bits, uint8_t& undef) {
    auto [object, offset] = find<kFlat>(address, sizeof(Int), align_mask);
    if (!object) return false;
    Int value;
    std::memcpy(&value, object->data + offset, sizeof(Int));
    bits = value;
    undef = 0;
    if (object->defined) {
      Int flags;
      std::memcpy(&flags, object->defined + offset, sizeof(Int));
      undef = flags != static_cast<Int>(0x0101'0101'0101'0101);
    }
    return true;
  }

  template <class Int, bool kFlat>
  [[gnu::always_inline]] bool store(uint64_t address, uint64_t align_mask, uint64_t bits, bool undef) {
    auto [object, offset] = find<kFlat>(address, sizeof(Int), align_mask);
    if (!object || !object->writable) return false;
    if (undef) {
      undef = !zeroed_;
      if (undef && !object->defined) add_flags(*object);
    }
    Int value = static_cast<Int>(undef ? 0 : bits);
    std::memcpy(object->data + offset, &value, sizeof(Int));
    if (object->defined) {
      Int flags = undef ? Int{0} : static_cast<Int>(0x0101'0101'0101'0101);
      std::memcpy(object->defined + offset, &flags, sizeof(Int));
    }
    return true;
  }

  // `size` bytes, 1, 2, 4 or 8, of any alignment.
  bool load_sized(uint64_t address, uint64_t size, uint64_t& bits, uint8_t& undef);
  // 4 or 8 bytes.
  bool store_sized(uint64_t address, uint64_t size, uint64_t bits, bool undef);

  // Both ranges must have been found accessible.
  void copy(uint64_t to, uint64_t from, uint64_t size);
  void fill(uint64_t to, Value byte, uint64_t size);
  Value byte_at(const Object& object, uint64_t offset) const;

  // Why an access is undefined behaviour: "load of 4 bytes at offset 12 of $tab, which has 12 bytes".
  std::string explain(std::string_view verb, uint64_t address, uint64_t size, uint64_t align_mask,
                      bool writing);
  // "$tab", "a heap block", ...
  std::string describe(uint64_t address);

  // --- Slots ----------------------------------------------------------------------------------------
  // False if there is no room. The address of a fresh, undefined object.
  bool push_slot(uint64_t size, uint64_t align, ObjectKind kind, uint64_t& address);
  size_t num_slots() const { return slots_.size(); }
  void pop_slots(size_t keep) {
    if (slots_.size() > keep) release_slots(keep);
  }
  // A mark, which is no object's address; releasing the stack to it ends the slots made since. False if it is
  // not a mark, or if the stack has been released further.
  uint64_t stack_mark() const { return first_mark() + slots_.size(); }
  bool release_to(uint64_t mark);
  // Optimisation adds and removes slots, so observables must not depend on which slot it is: an address
  // within a live or dead slot becomes that of an imaginary one, with the same offset.
  uint64_t canonical_slot_address(uint64_t bits) const;

  // --- Heap -----------------------------------------------------------------------------------------
  // 0 if there is no room.
  uint64_t allocate(uint64_t size, bool zeroed);
  // Is this the start of a live heap block? Null if not.
  Object* heap_block(uint64_t address);
  void free(Object& block);

  // --- At exit --------------------------------------------------------------------------------------
  // Writable globals, then the heap blocks that were not freed, under no symbol.
  // In the flat space, also what may be addresses of slots among their words.
  void snapshot(Outcome& outcome);

 private:
  struct SlotRecord {
    uint32_t id;
    uint32_t chunk;  // the top of the storage before this slot
    uint64_t used;
    uint64_t cost;
  };
  struct Chunk {
    Bytes data;
    Bytes defined;
    uint64_t size = 0;
  };

  // Inlined wherever an access is executed, in both kinds of memory.
  template <bool kFlat>
  [[gnu::always_inline]] Place place_in(uint64_t address) const {
    auto low = static_cast<uint32_t>(address);
    if constexpr (kFlat) {
      auto [id, start] = flat_->owner_of(low);
      return {id, low - start};
    } else {
      // The low half counts as signed, so an address just before an object still belongs to it.
      return {static_cast<uint32_t>((address + 0x8000'0000) >> 32), low};
    }
  }
  bool is_near_null(uint64_t address) const {
    return flat_ ? FlatSpace::is_near_null(static_cast<uint32_t>(address)) : place_of(address).id == 0;
  }

  template <bool kFlat>
  [[gnu::always_inline]] Access find(uint64_t address, uint64_t size, uint64_t align_mask) {
    auto [id, offset] = place_in<kFlat>(address);
    Object* object = tables_[id >> 30].find(id);
    if (!object || size > object->size || offset > object->size - size || (offset & align_mask)) return {};
    return {object, offset};
  }

  bool place_in_flat_space(Object& object, FlatSpace::Range range, uint64_t align);
  uint64_t first_mark() const { return flat_ ? FlatSpace::kStackMarks : kStackMarks; }
  void place_global(const Global& global);
  std::vector<Value> contents(const Object& object) const;
  void note_slot_addresses(const Object& object, Outcome& outcome) const;
  void add_flags(Object& object);
  void release_slots(size_t keep);

  const Module& module_;
  uint64_t max_memory_;
  bool zeroed_;
  std::unique_ptr<FlatSpace> flat_;  // null: pointers of 64 bits
  ObjectTable tables_[4];            // by the top two bits of the id: symbols, heap, slots, none
  uint64_t heap_bytes_ = 0;
  uint64_t slot_bytes_ = 0;
  std::vector<SlotRecord> slots_;
  std::vector<Chunk> chunks_;  // storage of the slots, used as a stack and kept for reuse
  uint32_t chunk_ = 0;
  uint64_t used_ = 0;
};

}  // namespace psi::interp
