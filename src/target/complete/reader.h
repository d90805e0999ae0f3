// Reads a complete description, section by section, into a TargetDescription. Names may be used before they
// are declared, so lines are first sorted by section and key, then read in the order in which they depend on
// each other. What is wrong is reported, and reading goes on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "psi/target/description.h"
#include "psi/text/text.h"
#include "target/complete/body.h"
#include "target/complete/code_unit.h"
#include "target/complete/cursor.h"
#include "target/complete/lines.h"
#include "target/complete/problems.h"

namespace psi::target {

// Lists of modes are kinds from this index on, until a header has written them out.
inline constexpr uint32_t kFirstModeList = 1u << 24;
inline bool is_mode_list(const OperandKind& kind) {
  return kind.kind == OperandKind::Kind::Mode && kind.index >= kFirstModeList;
}

// A line and the indented ones below it.
struct Entry {
  SourceLine head;
  std::vector<SourceLine> body;
  bool is_own = true;  // of the file itself, not of one that it uses
};

struct RawSection {
  std::string name;
  SourceLine heading;
  std::vector<Entry> entries;
};

// An operand or result of a header.
struct HeaderOperand {
  std::string name;
  Location where;
  std::vector<OperandKind> kinds, guarded;  // alternatives; a list of modes is written out
  bool is_block = false;
  bool is_list_of_modes = false;
};

struct HeaderResult {
  std::string name;
  Location where;
  uint32_t register_class = kNone;
  std::string tied;  // the operand; empty: none
};

// An instruction before its forms are made.
struct Header {
  std::vector<HeaderOperand> operands;
  std::vector<HeaderResult> results;
  bool variable_operands = false, variable_result = false;
  bool has_question = false;
};

class DescriptionReader {
 public:
  explicit DescriptionReader(Problems& problems)
      : description_(std::make_shared<TargetDescription>()), problems_(problems) {}

  // Null if there are errors.
  std::shared_ptr<TargetDescription> run(std::string_view text);

 private:
  // --- Sections (reader.cpp) ---
  void load(std::string_view text, bool is_own, unsigned depth);
  RawSection& section(std::string_view name);
  void replace_used();
  void rename_used();
  void read_top();
  // Calls `read` for the entries of this key in the section, the cursor behind the key. Bodies are refused.
  void each_key(std::string_view section, std::string_view key, const std::function<void(Cursor&)>& read);
  // Likewise, but the key stands once.
  void single_key(std::string_view section, std::string_view key, const std::function<void(Cursor&)>& read);
  void report_unknown_keys(std::string_view section, std::span<const std::string_view> keys);
  void fail(Location where, std::string message) { problems_.error(where, std::move(message)); }

  // --- Names (names.cpp) ---
  bool declare(const Piece& name, OperandKind kind);
  // The kind of this name; a register's is a class of its own. Reported if there is none.
  OperandKind kind_named(const Piece& name);
  uint32_t class_of_register(uint32_t index, std::string_view name);
  uint32_t take_register(Cursor& cursor);
  // Up to the end: registers, ranges of them, and whole classes.
  std::vector<uint32_t> take_registers(Cursor& cursor);
  bool add_registers(const Piece& word, std::vector<uint32_t>& registers);
  uint32_t scheduling_class_named(const Piece& name);
  ClassSet take_classes(Cursor& cursor, std::initializer_list<std::string_view> stops);
  std::vector<Type> take_types(Cursor& cursor);
  bool choose_word(Cursor& cursor, std::string_view yes, std::string_view no);

  // --- Registers (read_registers.cpp) ---
  void read_registers();
  void read_file(Cursor& cursor);
  void read_register(Cursor& cursor);
  void read_pairs(Cursor& cursor);
  void read_name(Cursor& cursor);
  void read_set(Cursor& cursor);
  void read_wired(Cursor& cursor);
  uint32_t add_register(MachineRegister reg, Location where);

  // --- Slots, timing, branches (read_slots.cpp) ---
  void read_slots();
  void read_class(Cursor& cursor);
  bool read_alternative(const Piece& word, SchedulingClass& made);
  void read_timing();
  void read_latency(Cursor& cursor);
  void read_branch();

  // --- Packets and bundles (read_packet.cpp) ---
  void read_packet();
  void read_forward(Cursor& cursor);
  void read_hook(Cursor& cursor, std::string_view section);
  void read_bundles();
  void read_template(Cursor& cursor);

  // --- Guards, immediates, modes (read_operands.cpp) ---
  void read_guards();
  void read_operands();
  void read_immediate(Cursor& cursor);
  bool read_range(const Piece& word, ImmediatePiece& piece);
  void declare_mode(const Entry& entry);
  void read_mode(const Entry& entry, uint32_t index);
  void read_mode_list(Cursor& cursor);

  // --- Instructions (read_instructions.cpp, read_header.cpp) ---
  void read_instructions();
  bool read_instruction(const Entry& entry, InstructionEntry& made);
  bool are_modes_known(const Header& header) const;
  bool names_missing(const Entry& entry) const;
  bool read_header(Cursor& cursor, InstructionEntry& made, Header& header);
  bool read_results(Cursor& cursor, Header& header);
  bool read_header_operands(Cursor& cursor, Header& header);
  bool read_kinds(Cursor& cursor, HeaderOperand& operand);
  void read_attributes(Cursor& cursor, InstructionEntry& made);
  void check_header(const InstructionEntry& made, Header& header, const Body& body);
  void check_text(const SourceLine& line, const InstructionEntry& made, const Header& header,
                  std::string_view text);

  // --- Meanings and forms (meanings.cpp, make_forms.cpp) ---
  // The body of an instruction or mode, with the types of its operands; nothing if there are errors.
  std::optional<Body> read_meaning(std::span<const SourceLine> lines, std::string_view owner, Location where,
                                   std::span<const BodyOperand> operands);
  void check_types(std::string_view owner, std::string_view name, Location where, Type type,
                   const OperandKind& kind);
  // Of an operand that no instruction gives a type.
  Type default_type(const OperandKind& kind) const;
  unsigned width(Type type) const { return type == Type::ptr ? description_->pointer_bits : bit_width(type); }
  Type pointer_type() const { return description_->pointer_bits == 32 ? Type::i32 : Type::i64; }
  // How many registers of a file the function uses: printed, but no operand in IR.
  bool is_used(const OperandKind& kind) const;
  std::vector<LiteralAlternative> literals_of(const OperandKind& kind, uint64_t size) const;
  MachineOperand make_operand(std::string name, Type type, const OperandKind& kind,
                              const OperandKind& guarded, uint64_t size) const;
  void make_forms(const InstructionEntry& entry, uint32_t index, const Header& header, const Body& body);
  bool make_form(const InstructionEntry& entry, uint32_t index, const Header& header, const Body& body,
                 std::span<const uint32_t> choice);

  // --- Expansions, sequences (read_code.cpp, read_sequences.cpp) ---
  void read_code();
  void read_expansion(const Entry& entry, std::vector<CodeUnit>& units);
  void finish_expansion(const CodeUnit& unit, const Function& function, Expansion& made);
  std::shared_ptr<Module> parse_units(std::span<const CodeUnit> units);
  void learn_signature(Module& module, SymbolId routine, const Function& caller,
                       std::span<const Operand> arguments);
  void read_sequences(std::vector<CodeUnit>& units);
  void read_sequence(const Entry& entry, Sequence::Kind kind, std::vector<CodeUnit>& units);
  void add_sequence_operand(std::string_view name, const OperandKind& kind, Type literal_type, Sequence& made,
                            CodeUnit& unit);
  void add_fixed_registers(Sequence& made, CodeUnit& unit);
  void check_sequence(const CodeUnit& unit, const Function& function, const Sequence& made);
  void derive_sequences();
  unsigned accessed_bits(const MachineForm& form) const;
  uint32_t stored_class(const MachineForm& form) const;
  bool means(Sequence::Kind kind, const MachineForm& form, uint32_t index) const;

  // --- Convention, frame, loops, assembly (read_convention.cpp) ---
  void read_convention();
  void read_routine(Cursor& cursor);
  void read_frame();
  void read_loops();
  void read_assembly();

  std::shared_ptr<TargetDescription> description_;
  Problems& problems_;
  std::vector<RawSection> sections_;
  std::vector<std::string> missing_;  // instructions with errors
  std::vector<std::string> used_;     // descriptions that are used
  std::unordered_map<std::string, OperandKind> kinds_;
  std::unordered_map<std::string, Location> places_;  // of names, for notes
  std::unordered_map<std::string, uint32_t> registers_;
  std::unordered_map<std::string, uint32_t> scheduling_classes_;
  std::shared_ptr<InstructionSet> set_;
  Location machine_place_;
};

}  // namespace psi::target
