// A function: registers, blocks, and instructions in flat vectors, referred to by id.
//
// Content and order are separate. An instruction is a record at a fixed id; a block owns a list of ids. To
// edit a block's list use BlockEdits (edits.h); to append, the Builder (builder.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/constant_pool.h"
#include "psi/ir/inst.h"
#include "psi/ir/name_table.h"
#include "psi/support/diagnostic.h"
#include "psi/support/id.h"

namespace psi {

enum class Form : uint8_t {
  Plain,         // a register may have many definitions
  Ssa,           // one definition each; phi and psi
  Conventional,  // SSA in which every web of phis and psis may be renamed to one register
  Allocated,     // machine registers and packets
};

std::string_view form_name(Form form);
std::optional<Form> form_from_name(std::string_view name);
constexpr bool is_ssa(Form form) { return form == Form::Ssa || form == Form::Conventional; }

struct Signature {
  Type result = Type::none;
  std::vector<Type> params;
  bool variadic = false;
  bool operator==(const Signature&) const = default;
};

// Promises of a function to its callers.
struct FunctionAttributes {
  bool readnone = false;  // neither reads nor writes memory, has no other effect, and returns
  bool readonly = false;  // does not write memory, has no other effect, and returns
  bool noreturn = false;
  bool nounwind = false;
  bool operator==(const FunctionAttributes&) const = default;
};

class InstructionSet;

class Function {
 public:
  // --- Identity -------------------------------------------------------------------------------------
  SymbolId symbol;
  Form form = Form::Plain;
  Signature signature;
  FunctionAttributes attributes;
  std::vector<Reg> params;
  // That of the function's machine instructions; null: it has none.
  std::shared_ptr<const InstructionSet> instruction_set;
  // 64 or 32: the module's, which sets it where it adds the function.
  uint8_t pointer_bits = 64;

  // --- What depends on the width of pointers --------------------------------------------------------
  // The integer type of a pointer's width: of offsets, indices and sizes.
  Type address_type() const { return psi::address_type(pointer_bits); }
  // The type, or for a pointer the integer type that has its bits.
  Type as_bits(Type type) const { return psi::as_bits(type, pointer_bits); }
  unsigned bit_width(Type type) const { return psi::bit_width(as_bits(type)); }
  unsigned byte_size(Type type) const { return psi::byte_size(as_bits(type)); }
  uint64_t value_mask(Type type) const { return psi::value_mask(as_bits(type)); }
  int64_t sign_extend(uint64_t bits, Type type) const { return psi::sign_extend(bits, as_bits(type)); }

  // --- Registers ------------------------------------------------------------------------------------
  Reg add_reg(Type type, std::string_view name = {});
  uint32_t num_regs() const { return static_cast<uint32_t>(reg_types_.size()); }
  Type type(Reg r) const { return reg_types_[r.index()]; }
  void set_type(Reg r, Type type) { reg_types_[r.index()] = type; }
  // Empty where the register has no name; the text writes its number then.
  std::string_view name(Reg r) const { return reg_names_.name(r.index()); }
  void set_name(Reg r, std::string_view name) { reg_names_.set(r.index(), name); }

  // --- Operands -------------------------------------------------------------------------------------
  std::span<const Operand> operands(const Inst& inst) const {
    if (inst.count <= Inst::kMaxInline) return {inst.inline_operands.data(), inst.count};
    return {pool_.data() + pool_offset(inst), inst.count};
  }
  std::span<const Operand> operands(InstId id) const { return operands(inst(id)); }
  std::span<Operand> operands(InstId id) {
    Inst& i = inst(id);
    if (i.count <= Inst::kMaxInline) return {i.inline_operands.data(), i.count};
    return {pool_.data() + pool_offset(i), i.count};
  }
  // Replaces the whole list. `operands` may be part of this function's own pool.
  void set_operands(InstId id, std::span<const Operand> operands);
  // A literal of the low bits of `bits`, in the type's width. Of a floating-point type, too: the builder
  // takes numbers.
  template <std::integral Bits>
  Operand literal(Type type, Bits bits) {
    return literal_of(type, static_cast<uint64_t>(bits));
  }
  // The bits of a literal, zero above the type's width.
  uint64_t literal_bits(Operand literal) const;
  int64_t literal_signed(Operand literal) const;
  // The type of a register, literal, undef or symbol.
  Type type(Operand operand) const;
  // Are a record's operands, and a literal, within this function's pools? Only a record edited by hand, or
  // taken from another function, can fail; the verifier asks before it reads.
  bool owns_operands(const Inst& inst) const {
    if (inst.count <= Inst::kMaxInline) return true;
    uint32_t offset = pool_offset(inst);
    return offset <= pool_.size() && inst.count <= pool_.size() - offset;
  }
  bool owns_literal(Operand operand) const {
    return operand.kind() != Operand::Kind::Pooled || operand.pool_index() < constants_.size();
  }

  // --- Instructions ---------------------------------------------------------------------------------
  // Adds a record that no block lists yet.
  InstId add_inst(const Inst& inst, std::span<const Operand> operands);
  uint32_t num_insts() const { return static_cast<uint32_t>(insts_.size()); }
  const Inst& inst(InstId id) const { return insts_[id.index()]; }
  Inst& inst(InstId id) { return insts_[id.index()]; }
  // Source line, 0 if unknown.
  uint32_t line(InstId id) const { return id.index() < lines_.size() ? lines_[id.index()] : 0; }
  void set_line(InstId id, uint32_t line);
  // Where the instruction stood in what was imported, by the importer's own count; 0 if unknown.
  uint32_t origin(InstId id) const { return id.index() < origins_.size() ? origins_[id.index()] : 0; }
  void set_origin(InstId id, uint32_t origin);
  // Gives `to` the line and the origin of `from`.
  void copy_place(InstId from, InstId to) {
    set_line(to, line(from));
    set_origin(to, origin(from));
  }

  // --- Identity across passes -----------------------------------------------------------------------
  // Numbers for whoever follows instructions and registers through passes; 0 where none was given. They stay
  // with their instruction or register when ids change; copies have none.
  uint32_t identity(InstId id) const {
    return id.index() < inst_identities_.size() ? inst_identities_[id.index()] : 0;
  }
  uint32_t identity(Reg r) const {
    return r.index() < reg_identities_.size() ? reg_identities_[r.index()] : 0;
  }
  void set_identity(InstId id, uint32_t number);
  void set_identity(Reg r, uint32_t number);

  // --- Blocks ---------------------------------------------------------------------------------------
  BlockId add_block(std::string_view name = {});
  // Ids run below this; those of removed blocks are not reused.
  uint32_t num_blocks() const { return static_cast<uint32_t>(blocks_.size()); }
  // The blocks in the order of the text. The first is the entry.
  std::span<const BlockId> layout() const { return layout_; }
  // Reorders or drops blocks; a dropped block's instructions are dropped with it.
  void set_layout(std::vector<BlockId> layout) { layout_ = std::move(layout); }
  BlockId entry() const { return layout_.front(); }
  std::string_view name(BlockId b) const { return block_names_.name(b.index()); }
  void set_name(BlockId b, std::string_view name) { block_names_.set(b.index(), name); }

  std::span<const InstId> insts(BlockId b) const {
    const BlockList& list = blocks_[b.index()];
    return {order_.data() + list.first, list.count};
  }
  void append(BlockId b, InstId id);
  void set_insts(BlockId b, std::span<const InstId> ids);
  // The terminators at the block's end: guarded ones, then an unguarded one. A verified block has at
  // least one.
  std::span<const InstId> terminators(BlockId b) const {
    std::span<const InstId> ids = insts(b);
    size_t first = ids.size();
    while (first > 0 && inst(ids[first - 1]).is_terminator()) --first;
    return ids.subspan(first);
  }
  // Calls visit(BlockId) for every target of every terminator, in order, repeats included.
  template <class Visit>
  void for_each_successor(BlockId b, Visit visit) const {
    for (InstId id : terminators(b)) for_each_target(inst(id), visit);
  }
  template <class Visit>
  void for_each_target(const Inst& terminator, Visit visit) const {
    for (Operand operand : operands(terminator)) {
      if (operand.is_block()) visit(operand.block());
    }
  }

  // --- Profile --------------------------------------------------------------------------------------
  // The executions of the block; nothing if never measured.
  std::optional<uint64_t> count(BlockId b) const;
  void set_count(BlockId b, std::optional<uint64_t> count);
  // How often each target of this terminator, or value of this select, was taken; empty if never measured.
  std::span<const uint64_t> edge_counts(InstId terminator) const;
  void set_edge_counts(InstId terminator, std::span<const uint64_t> counts);
  // The misprediction rate of this br or switch, or of a br in the place of this select, in percent; nothing
  // if never measured. Removing the counts removes it, too.
  std::optional<uint32_t> misprediction_rate(InstId terminator) const;
  void set_misprediction_rate(InstId terminator, std::optional<uint32_t> percent);

  // --- Misuse ---------------------------------------------------------------------------------------
  // Calls that made no sense, each with its place: the builder keeps them here, and the verifier rejects a
  // function that has any, so that none goes unseen.
  const Diagnostics& misuses() const { return misuses_; }
  void misuse(std::string message, std::string context) {
    misuses_.error({}, std::move(message), std::move(context));
  }

  // --- Whole function -------------------------------------------------------------------------------
  bool is_declaration() const { return layout_.empty(); }
  void strip_names();
  // Gives every register r the number regs[r], every block b the number blocks[b]. Distinct numbers stay
  // distinct; a number not assigned is an unused register or an unlisted block.
  void renumber(std::span<const uint32_t> regs, std::span<const uint32_t> blocks);
  // Reserves capacity for about this many instructions.
  void reserve(uint32_t insts);
  // Reserves capacity for their records alone.
  void reserve_insts(uint32_t insts) { insts_.reserve(insts); }
  // Frees spare memory.
  void shrink();
  // Drops unlisted instructions and dead pool space, and frees spare memory, or keeps it. Renumbers InstIds.
  enum class Spare : uint8_t { Free, Keep };
  void compact(Spare spare = Spare::Free);
  // Bytes held, spare capacity included.
  size_t memory() const;

 private:
  struct BlockList {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t room = 0;
  };

  Operand literal_of(Type type, uint64_t bits);
  static uint32_t pool_offset(const Inst& inst);
  void store_operands(Inst& inst, std::span<const Operand> operands);

  std::vector<Inst> insts_;
  std::vector<Operand> pool_;
  ConstantPool constants_;
  std::vector<Type> reg_types_;
  NameTable reg_names_;
  std::vector<BlockList> blocks_;
  std::vector<BlockId> layout_;
  std::vector<InstId> order_;
  NameTable block_names_;
  std::vector<uint32_t> lines_;             // by InstId, shorter than insts_ where the rest have none
  std::vector<uint32_t> origins_;           // likewise
  std::vector<uint32_t> inst_identities_;   // likewise
  std::vector<uint32_t> reg_identities_;    // by Reg, likewise
  std::vector<uint64_t> block_counts_;      // by BlockId, likewise; kNoCount: none
  std::vector<uint32_t> edge_count_start_;  // by InstId, likewise; offset + 1 into edge_counts_, 0: none
  std::vector<uint64_t> edge_counts_;
  Diagnostics misuses_;
};

}  // namespace psi
