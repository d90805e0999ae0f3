// A complete machine: registers, slots, packets, instructions, convention, frame and text, as one file says
// them (docs/targets.md). Flat data: parts refer to each other by index. The parser resolves all names and
// checks what it says, so that users of a description need not.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/instruction_set.h"
#include "psi/ir/module.h"
#include "psi/support/diagnostic.h"
#include "psi/support/result.h"
#include "psi/target/derived.h"

namespace psi {

// No index: there is no such thing.
inline constexpr uint32_t kNone = UINT32_MAX;

// --- Registers ----------------------------------------------------------------------------------------

struct MachineRegister {
  std::string name;               // canonical: `r7`
  std::string spelling;           // in assembly
  uint32_t first_unit = 0;        // registers that share a unit overlap
  uint32_t num_units = 1;         // 2: a pair; the first unit is its low half
  std::vector<Type> types;        // that it holds
  bool reserved = false;          // never given to a value
  bool rotating = false;          // renamed by an instruction that rotates
  std::optional<uint64_t> wired;  // reads as these bits
};

// What a register operand may be: a file, pairs, a set, or one register.
struct MachineRegisterClass {
  enum class Kind : uint8_t { File, Pairs, Set, Single };
  std::string name;
  Kind kind = Kind::File;
  std::vector<Type> types;
  std::vector<uint32_t> registers;  // in the order of the description
  uint32_t halves = kNone;          // of pairs: the class of both halves
  unsigned bits = 0;                // of the widest type
  bool holds(Type type) const;
};

// --- Slots and timing ---------------------------------------------------------------------------------

struct Resource {
  std::string name;
  uint32_t count = 1;  // in a cycle
};

struct SchedulingClass {
  std::string name;
  // Each alternative is a set of slots that are taken at once, by their numbers as bits; none: no slot.
  std::vector<uint64_t> alternatives;
  std::vector<uint32_t> also;  // resources beside the slots
  uint32_t latency = 1;        // cycles until its results can be read
  uint32_t busy = 1;           // cycles that it keeps its slots
  uint32_t words = 1;
};

// What of an instruction reads a register.
enum class ReadRole : uint8_t {
  Any,
  Address,  // a register of an addressing mode
  Value,    // what a store stores
  Guard,
};

// From an instruction of the class `from` to a reader: the most specific rule counts, which is an operand of
// a class, then a role, then a class.
struct LatencyRule {
  Location where;
  uint32_t from = kNone;
  uint32_t to = kNone;  // class of the reader; kNone: any
  ReadRole role = ReadRole::Any;
  std::string operand;  // of the reader; empty: any
  uint32_t cycles = 1;
};

// --- Packets ------------------------------------------------------------------------------------------

using ClassSet = std::vector<uint32_t>;  // scheduling classes, ascending

struct PacketRule {
  enum class Kind : uint8_t {
    Limit,    // at most `limit` of `classes`
    Exclude,  // none of `classes` with one of `others`
    Alone,    // nothing else beside one of `classes`
  };
  Kind kind = Kind::Limit;
  ClassSet classes, others;
  uint32_t limit = 0;
};

// A result that is read in the packet that writes it.
struct ForwardRule {
  Location where;
  bool guard = false;  // the reader's guard; otherwise the operand `operand`
  std::string operand;
  ClassSet from, to;          // `to` empty: any
  uint32_t as_class = kNone;  // the reader is then of this class
  bool same_guard = false;    // a guarded producer needs a reader under its guard
  std::string text;           // `{}.new`
};

// Several instructions of a packet may write one register, which gets the conjunction or disjunction.
struct WritersRule {
  bool conjunction = true;
  ClassSet classes;
};

// A predicate over a packet that is written in C++, for what no line can say.
struct Hook {
  std::string name;
  std::string reason;
};

struct PacketRules {
  uint32_t words = 0;  // room, long literals included; 0: as many as slots
  std::vector<PacketRule> rules;
  std::vector<ForwardRule> forwards;
  std::vector<WritersRule> writers;
  bool memory_ordered = false;  // accesses that may overlap execute in the order written; otherwise apart
  std::vector<Hook> hooks;
};

struct BundleTemplate {
  struct Place {
    std::string letters;  // `I`, or `I+I` of one instruction in two places
    bool stop_after = false;
  };
  std::string name;
  std::vector<Place> places;
};

struct Bundles {
  uint32_t size = 0;  // 0: the machine has none
  uint32_t per_cycle = 1;
  std::string nop;
  std::vector<BundleTemplate> templates;
};

// --- Guards and operands ------------------------------------------------------------------------------

struct GuardRules {
  uint32_t register_class = kNone;         // kNone: there are no guards
  bool has_true = true, has_false = true;  // senses
  bool all = false;                        // every instruction takes a guard
  std::string true_text, false_text;       // `if ({}) `
};

// One piece of an immediate: the first that holds the value is used.
struct ImmediatePiece {
  enum class Kind : uint8_t { Literal, Symbol, Block, Used };
  Kind kind = Kind::Literal;
  int64_t min = 0, max = 0;  // of the value, not of the quotient; of a block, in bytes
  uint64_t multiple = 1;
  bool by_size = false;     // multiples of the access size; min, max and multiple are for one byte
  bool is_bounded = true;   // of blocks: is there a range?
  uint32_t used = kNone;    // register class
  uint32_t words = 0;       // beyond the instruction's
  std::string text = "{}";  // `{}` the value, `{q}` the quotient
};

struct Immediate {
  std::string name;
  Location where;
  std::vector<ImmediatePiece> pieces;
};

// What a name behind a colon stands for.
struct OperandKind {
  enum class Kind : uint8_t { None, Class, Immediate, Mode };
  Kind kind = Kind::None;
  uint32_t index = kNone;
  bool forwarded = false;  // `.new`: the value comes from the same packet
  bool operator==(const OperandKind&) const = default;
};

struct AddressingMode {
  std::string name;
  Location where;
  struct Part {
    std::string name;
    OperandKind kind;
    OperandKind guarded;  // under a guard
  };
  std::vector<Part> parts;
  std::string result;  // tied to the part `tied`; empty: none
  uint32_t tied = kNone;
  bool unguarded = false;
  std::string text, tail;
  Meaning meaning;  // operands: the parts; results: the address, and the result
};

struct ModeList {
  std::string name;
  std::vector<uint32_t> modes;
};

// --- Instructions -------------------------------------------------------------------------------------

// An instruction as the file writes it. It makes one form for each combination of the alternatives and modes
// of its operands.
struct InstructionEntry {
  std::string name;
  Location where;
  std::string header;             // as written, for reference pages
  std::vector<std::string> body;  // lines of the meaning, likewise
  uint32_t first_form = 0, num_forms = 0;
  uint32_t scheduling_class = 0;
  bool takes_guard = false;
  bool by_name = false, unguarded = false, dismissible = false, suffix = false, opaque = false;
  std::string rotates;  // the name that enters the first predicate; empty: it does not rotate
  uint32_t words = 1;
  uint32_t cost = 0;                  // 0: as its words
  std::string text, guarded_text;     // the second is the same if only one is written
  std::vector<std::string> operands;  // names in the header, in order
  std::vector<std::string> results;
};

// Beside the MachineForm of the same index.
struct FormDetail {
  uint32_t entry = kNone;
  // By operand of the form: its kind, also under a guard. For a literal or symbol the immediate tells its
  // text.
  std::vector<OperandKind> kinds, guarded_kinds;
  // By operand of the entry: its mode, and the form's first operand of it.
  struct Place {
    uint32_t mode = kNone;
    uint32_t used = kNone;  // an immediate that counts registers: no operand of the form
    uint32_t first = 0, count = 1;
  };
  std::vector<Place> places;
};

// --- Expansions and sequences -------------------------------------------------------------------------

enum class Half : uint8_t { Whole, Low, High };

// What stands for an operation that the machine lacks. Values that no class holds are named by halves.
struct Expansion {
  Location where;  // line 0: in another file
  Inst pattern;    // opcode, type, condition, conversion, actions; not its operands
  struct Operand {
    std::string name;  // empty: a literal
    Type type = Type::none;
    uint32_t immediate = kNone;       // only a literal of this kind
    std::optional<uint64_t> literal;  // only this one
  };
  std::vector<Operand> operands;  // by operand of the instruction
  std::vector<std::string> results;
  std::string header;
  // In `code`: one block, which ends in `ret`. Its parameters are `params`, in order; the results are in the
  // registers of `values`.
  SymbolId function;
  struct Part {
    uint32_t index = 0;  // operand or result
    Half half = Half::Whole;
    Reg reg;
  };
  std::vector<Part> params, values;
};

// Code that is made by name: copies, constants, spills, the frame. Where the file has none for a class, it is
// a form that means just that.
struct Sequence {
  enum class Kind : uint8_t { Copy, Swap, Constant, Address, Spill, Reload, Nop, Enter, Leave, Return };
  Kind kind = Kind::Copy;
  Location where;
  std::string header;               // empty: derived
  uint32_t form = kNone;            // derived: of the instruction set
  uint32_t register_class = kNone;  // of the value that is copied, made, spilled, reloaded
  uint32_t source_class = kNone;    // of a copy
  std::optional<uint64_t> literal;  // `constant %d:p = true`; otherwise any that the operands take
  // Of a written one, without the result; a mode is its parts, as `%a.b`.
  struct Operand {
    enum class Place : uint8_t { Register, Literal, Symbol };
    std::string name;
    Place place = Place::Register;
    OperandKind kind;  // none: any literal of the type, any symbol
    Type type = Type::none;
    Half half = Half::Whole;  // of a constant that is made of halves
  };
  std::vector<Operand> operands;
  std::vector<std::string> results;  // the copy, the constant, ...; of a swap both
  std::vector<std::string> body;
  // Registers that the body names, as `%sp`: they stand for themselves, read and written.
  std::vector<std::pair<std::string, uint32_t>> fixed;
};

std::string_view sequence_name(Sequence::Kind kind);

// --- Convention, frame, loops, assembly ---------------------------------------------------------------

struct ArgumentRule {
  std::vector<Type> types;
  std::vector<uint32_t> registers;
};

struct Routine {
  std::string name;
  Signature signature;
  std::vector<uint32_t> clobbers;
  bool has_clobbers = false;  // otherwise those of every call
};

struct Convention {
  std::vector<ArgumentRule> arguments, results;
  bool in_order = true;          // a register that was passed over is not used later
  std::vector<uint32_t> callee;  // where the callee finds arguments, if elsewhere
  uint32_t structure = kNone;    // register: address of a structure that is returned
  uint32_t stack_bytes = 0;      // smallest argument on the stack
  int64_t stack_offset = 0;      // where the first lies
  bool variadic_on_stack = true;
  std::vector<uint32_t> variadic_registers;
  std::vector<uint32_t> preserved;
  Location preserved_place;
  // Structures by value: their bytes on the stack (`byval stack`), or the address of a copy that the caller
  // made (`byval pointer`).
  enum class ByValue : uint8_t { Pointer, Stack };
  ByValue by_value = ByValue::Pointer;
  std::vector<Routine> routines;
};

struct Frame {
  uint32_t stack = kNone;  // register
  bool down = true;
  uint32_t align = 8;
  uint32_t frame = kNone;
  uint32_t link = kNone;
  uint32_t enter = kNone, leave = kNone, leave_and_return = kNone;  // sequences
};

struct HardwareLoop {
  std::vector<uint32_t> setup;  // entries
  uint32_t end = kNone;
  bool stages = false;         // drives stage predicates
  uint32_t predicate = kNone;  // register
};

struct AssemblyText {
  std::string before, between, after;  // of a packet
  std::string label = "{}";
  std::string comment = "# {}";
  std::string start;
  std::string assembler;
};

// --- All of it ----------------------------------------------------------------------------------------

struct TargetDescription {
  std::string name;
  Location place;  // of the name, for what is wrong with the whole
  std::string summary;
  unsigned pointer_bits = 64;
  std::string clang_triple;  // whose data layout C input has; empty: by the pointer's width

  std::vector<MachineRegister> registers;
  std::vector<MachineRegisterClass> classes;
  uint32_t num_units = 0;
  std::vector<std::pair<std::string, uint32_t>> register_names;  // second names

  std::vector<std::string> slots;
  uint32_t width = 1;
  std::vector<Resource> resources;
  std::vector<SchedulingClass> scheduling_classes;
  bool interlocked = true;  // an early reader waits; otherwise it reads the old contents
  bool out_of_order = false;
  uint32_t branch_delay = 0;
  std::vector<LatencyRule> latencies;
  uint32_t taken_cost = 1;
  uint32_t misprediction = 0;

  PacketRules packet;
  Bundles bundles;
  GuardRules guards;

  std::vector<Immediate> immediates;
  std::vector<AddressingMode> modes;
  std::vector<ModeList> mode_lists;

  std::vector<InstructionEntry> entries;
  std::vector<FormDetail> forms;  // by form; those of boundaries have none
  std::shared_ptr<const InstructionSet> instructions;

  // Bodies of expansions, and declarations of the runtime routines that they call.
  std::shared_ptr<const Module> code;
  std::vector<Expansion> expansions;  // in the order in which they are tried
  std::vector<Sequence> sequences;
  Convention convention;
  Frame frame;
  std::vector<HardwareLoop> loops;
  // A switch may become a jump through a table: the entry that jumps to an address. kNone: it may not.
  uint32_t table_jump = kNone;
  AssemblyText assembly;

  Derived derived;  // what rooms above have worked out of this description

  const MachineRegister& reg(uint32_t index) const { return registers[index]; }
  // By name, canonical or second; kNone: there is none.
  uint32_t find_register(std::string_view name) const;
  uint32_t find_class(std::string_view name) const;
  uint32_t find_entry(std::string_view name) const;
  uint32_t find_scheduling_class(std::string_view name) const;
  // The class that holds values of the type: the file that names it first; kNone: there is none.
  uint32_t class_for(Type type) const;
  // Cycles from the issue of a form to a reader of its result.
  uint32_t latency(uint32_t from_class, uint32_t reader_class, ReadRole role, std::string_view operand) const;
  // The sequence for values of this class; null: there is none.
  const Sequence* sequence(Sequence::Kind kind, uint32_t register_class) const;
};

// What stands for an operand of a sequence: a literal, whose forms depend on it, or a symbol; for a register
// neither.
struct SequenceArgument {
  uint64_t literal = 0;
  std::string symbol = {};
};

// A written sequence as code: one function of one block, which ends in `ret`. Its parameters are the
// registers of `operands` and `fixed`. What depends on literals alone is computed.
struct SequenceCode {
  Module module;
  SymbolId function;
  std::vector<Reg> operands;                    // by operand; none for literals and symbols
  std::vector<Reg> results;                     // by result
  std::vector<std::pair<Reg, uint32_t>> fixed;  // and the machine's register
};

Result<SequenceCode> instantiate(const TargetDescription& description, const Sequence& sequence,
                                 std::span<const SequenceArgument> arguments);

// The reference of the machine, for readers: registers, slots, packets, every instruction with its meaning
// and timing, and the convention.
std::string print_reference(const TargetDescription& description);

}  // namespace psi
