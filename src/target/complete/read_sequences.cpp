// Sequences: what the file writes, and what follows from forms where it writes nothing.
#include <fmt/format.h>

#include <algorithm>

#include "psi/support/suggestion.h"
#include "target/complete/reader.h"

namespace psi {

std::string_view sequence_name(Sequence::Kind kind) {
  constexpr std::array<std::string_view, 10> kNames = {"copy",   "swap", "constant", "address", "spill",
                                                       "reload", "nop",  "enter",    "leave",   "return"};
  return kNames[static_cast<size_t>(kind)];
}

Result<SequenceCode> instantiate(const TargetDescription& description, const Sequence& sequence,
                                 std::span<const SequenceArgument> arguments) {
  target::CodeUnit unit;
  for (const std::string& line : sequence.body) {
    unit.lines.emplace_back();
    unit.lines.back().append(line, Location{});
    unit.is_ssa |= line.find(" psi") != std::string::npos;
  }
  for (size_t i = 0; i < sequence.operands.size(); ++i) {
    const Sequence::Operand& operand = sequence.operands[i];
    switch (operand.place) {
      case Sequence::Operand::Place::Register:
        unit.add_param(operand.name, operand.type);
        break;
      case Sequence::Operand::Place::Literal:
        unit.literals[operand.name] =
            print_literal(operand.type, arguments[i].literal & value_mask(operand.type));
        break;
      case Sequence::Operand::Place::Symbol:
        unit.literals[operand.name] = "$" + arguments[i].symbol;
        break;
    }
  }
  for (const auto& [name, index] : sequence.fixed)
    unit.add_param(name, description.registers[index].types.front());
  target::CodeModule code(description.instructions);
  code.add(unit);
  target::Problems problems;
  std::optional<Module> module = code.parse(problems);
  if (!module) {
    Diagnostics diagnostics;
    problems.report(diagnostics);
    return diagnostics;
  }
  SequenceCode made;
  const Function& function = *module->find_function("code.0");
  made.function = function.symbol;
  for (const Sequence::Operand& operand : sequence.operands) {
    bool is_register = operand.place == Sequence::Operand::Place::Register;
    made.operands.push_back(is_register ? find_reg(function, operand.name) : Reg());
  }
  for (const std::string& name : sequence.results) made.results.push_back(find_reg(function, name));
  for (const auto& [name, index] : sequence.fixed) made.fixed.emplace_back(find_reg(function, name), index);
  made.module = std::move(*module);
  return made;
}

}  // namespace psi

namespace psi::target {
namespace {

constexpr std::array<std::string_view, 7> kWords = {"copy",  "swap",   "constant", "address",
                                                    "spill", "reload", "nop"};
constexpr std::array<std::string_view, 3> kFrameWords = {"enter", "leave", "return"};

bool has_result(Sequence::Kind kind) {
  return kind == Sequence::Kind::Copy || kind == Sequence::Kind::Constant ||
         kind == Sequence::Kind::Address || kind == Sequence::Kind::Reload;
}

}  // namespace

void DescriptionReader::read_sequences(std::vector<CodeUnit>& units) {
  auto read = [&](std::string_view name, std::span<const std::string_view> words, size_t first_kind) {
    for (const Entry& entry : section(name).entries) {
      const std::string& text = entry.head.text();
      std::string_view word =
          std::string_view(text).substr(0, std::min(text.find_first_of(" \t"), text.size()));
      auto found = std::ranges::find(words, word);
      if (found != words.end()) {
        read_sequence(entry,
                      static_cast<Sequence::Kind>(first_kind + static_cast<size_t>(found - words.begin())),
                      units);
      } else if (name == "sequences") {
        fail(entry.head.where(0, word.size()),
             fmt::format("there is no sequence '{}'{}", word, suggestion(word, words)));
      }
    }
  };
  read("sequences", kWords, 0);
  read("frame", kFrameWords, static_cast<size_t>(Sequence::Kind::Enter));
}

void DescriptionReader::read_sequence(const Entry& entry, Sequence::Kind kind, std::vector<CodeUnit>& units) {
  if (names_missing(entry)) return;
  Cursor cursor(entry.head, problems_);
  cursor.move_to(sequence_name(kind).size());
  Sequence made;
  made.kind = kind;
  made.where = entry.head.where();
  made.header = entry.head.text();
  CodeUnit unit;
  unit.where = made.where;
  unit.lines = entry.body;
  Type literal_type = Type::none;
  auto take_kind = [&](Piece& name, OperandKind& of) {
    std::optional<Piece> reg = cursor.take_reg();
    if (!reg) return false;
    name = *reg;
    if (!cursor.accept(':')) {
      cursor.fail(fmt::format("expected ':' and the kind of %{}", name.text));
      return false;
    }
    Piece word = cursor.take_until(",=");
    bool is_any = word.text == "symbol" || (kind == Sequence::Kind::Constant && type_from_name(word.text));
    if (is_any) {
      of = {};
      literal_type = type_from_name(word.text).value_or(Type::ptr);
      return true;
    }
    of = kind_named(word);
    return of.kind != OperandKind::Kind::None;
  };
  Piece name;
  OperandKind of;
  if (has_result(kind)) {
    if (!take_kind(name, of)) return;
    if (of.kind != OperandKind::Kind::Class)
      return fail(name.where, fmt::format("%{} is in a register", name.text));
    made.register_class = of.index;
    made.results.emplace_back(name.text);
    if (!cursor.accept('=')) return cursor.fail("expected '='");
  }
  while (!cursor.at_end()) {
    if (kind == Sequence::Kind::Constant && cursor.peek() != '%') {
      Piece literal = cursor.take_word();
      Type type = description_->classes[made.register_class].types.front();
      made.literal = parse_literal(literal.text, type);
      if (!made.literal) {
        return fail(literal.where,
                    fmt::format("'{}' is no literal of type {}", literal.text, type_name(type)));
      }
      break;
    }
    literal_type = Type::none;
    if (!take_kind(name, of)) return;
    add_sequence_operand(name.text, of, literal_type, made, unit);
    if (!cursor.accept(',')) break;
  }
  cursor.expect_end();
  if (!made.operands.empty() && made.operands[0].kind.kind == OperandKind::Kind::Class) {
    uint32_t index = made.operands[0].kind.index;
    if (kind == Sequence::Kind::Spill || kind == Sequence::Kind::Swap) made.register_class = index;
    if (kind == Sequence::Kind::Copy) made.source_class = index;
  }
  if (kind == Sequence::Kind::Swap) {
    for (const Sequence::Operand& operand : made.operands) made.results.push_back(operand.name);
  }
  if (entry.body.empty()) return fail(made.where, fmt::format("'{}' has no body", sequence_name(kind)));
  add_fixed_registers(made, unit);
  description_->sequences.push_back(std::move(made));
  units.push_back(std::move(unit));
}

void DescriptionReader::add_sequence_operand(std::string_view name, const OperandKind& kind,
                                             Type literal_type, Sequence& made, CodeUnit& unit) {
  using Place = Sequence::Operand::Place;
  auto add = [&](const std::string& part, const OperandKind& of, Type type, Half half) {
    Place place = of.kind == OperandKind::Kind::Class ? Place::Register : Place::Literal;
    uint64_t sample = 0;
    if (of.kind == OperandKind::Kind::Immediate) {
      const ImmediatePiece& piece = description_->immediates[of.index].pieces.front();
      if (piece.kind == ImmediatePiece::Kind::Symbol) place = Place::Symbol;
      if (piece.min > 0 || piece.max < 0) sample = static_cast<uint64_t>(piece.min);
    } else if (place == Place::Literal && type == Type::ptr) {
      place = Place::Symbol;
    }
    if (place == Place::Register) unit.add_param(part, type);
    if (place == Place::Literal)
      unit.literals[part] =
          print_literal(type, sample & value_mask(as_bits(type, description_->pointer_bits)));
    if (place == Place::Symbol) unit.literals[part] = "$symbol";
    made.operands.push_back({part, place, of, type, half});
  };
  if (kind.kind == OperandKind::Kind::Mode) {
    // A list of modes stands for its first: base and offset.
    uint32_t index =
        is_mode_list(kind) ? description_->mode_lists[kind.index - kFirstModeList].modes.front() : kind.index;
    const AddressingMode& mode = description_->modes[index];
    if (mode.meaning.body.num_regs() == 0) return;  // an error is known
    std::string parts;
    for (size_t i = 0; i < mode.parts.size(); ++i) {
      std::string part = fmt::format("{}.{}", name, mode.parts[i].name);
      parts += fmt::format("{}%{}", i == 0 ? "" : ", ", part);
      add(part, mode.parts[i].kind, mode.meaning.body.type(mode.meaning.operands[i]), Half::Whole);
    }
    unit.replace(name, parts);
    return;
  }
  Type type = literal_type != Type::none ? literal_type : default_type(kind);
  std::vector<NamedPart> parts;
  unit.add_parts(name, type, parts);
  if (parts.empty()) parts.push_back({std::string(name), Half::Whole, type});
  for (const NamedPart& part : parts) add(part.name, kind, part.type, part.half);
}

// Names of registers stand for them.
void DescriptionReader::add_fixed_registers(Sequence& made, CodeUnit& unit) {
  std::vector<std::string> names;
  for (const SourceLine& line : unit.lines) {
    for_each_name(line.text(), [&](std::string_view name, size_t) { names.emplace_back(name); });
    unit.is_ssa |= line.text().find(" psi") != std::string::npos;
  }
  for (const std::string& name : names) {
    auto found = registers_.find(name);
    if (found == registers_.end() || std::ranges::find(unit.param_names, name) != unit.param_names.end())
      continue;
    unit.add_param(name, description_->registers[found->second].types.front());
    made.fixed.emplace_back(name, found->second);
  }
  for (const SourceLine& line : unit.lines) {
    made.body.push_back(line.text().substr(line.text().find_first_not_of(" \t")));
  }
}

void DescriptionReader::check_sequence(const CodeUnit&, const Function& function, const Sequence& made) {
  for (const std::string& name : made.results) {
    if (find_reg(function, name)) continue;
    fail(made.where, fmt::format("'{}' does not define its result %{}", sequence_name(made.kind), name));
  }
}

// A form means just a copy, a constant, an address, a spill or a reload.
void DescriptionReader::derive_sequences() {
  using Kind = Sequence::Kind;
  const TargetDescription& d = *description_;
  auto contains = [&](uint32_t outer, uint32_t inner) {
    if (outer == inner) return true;
    const auto& members = d.classes[outer].registers;
    return std::ranges::all_of(d.classes[inner].registers,
                               [&](uint32_t r) { return std::ranges::find(members, r) != members.end(); });
  };
  uint32_t num_classes = static_cast<uint32_t>(d.classes.size());
  for (uint32_t c = 0; c < num_classes; ++c) {
    if (d.classes[c].kind == MachineRegisterClass::Kind::Single) continue;
    for (Kind kind : {Kind::Copy, Kind::Constant, Kind::Address, Kind::Spill, Kind::Reload}) {
      bool is_written = std::ranges::any_of(d.sequences, [&](const Sequence& one) {
        return one.kind == kind && !one.header.empty() && one.register_class != kNone &&
               contains(one.register_class, c) && !one.literal;
      });
      if (is_written) continue;
      for (uint32_t i = 0; i < set_->num_forms(); ++i) {
        const MachineForm& form = set_->form(i);
        if (form.is_boundary || form.by_name || form.entry == kNone || !means(kind, form, i)) continue;
        uint32_t value = kind == Kind::Spill ? stored_class(form) : form.results[0].register_class;
        if (value == kNone || !contains(value, c)) continue;
        if (kind == Kind::Copy && !contains(form.operands[0].register_class, c)) continue;
        bool is_access = kind == Kind::Spill || kind == Kind::Reload;
        if (is_access && accessed_bits(form) != d.classes[c].bits) continue;
        Sequence made;
        made.kind = kind;
        made.form = i;
        made.register_class = c;
        if (kind == Kind::Copy) made.source_class = c;
        description_->sequences.push_back(std::move(made));
        break;
      }
    }
  }
}

unsigned DescriptionReader::accessed_bits(const MachineForm& form) const {
  const Function& body = form.meaning.body;
  for (InstId id : body.insts(body.entry())) {
    const Inst& inst = body.inst(id);
    if (inst.op == Opcode::Load || inst.op == Opcode::Store) return width(inst.type);
  }
  return 0;
}

// The class of the register that the form stores as it is.
uint32_t DescriptionReader::stored_class(const MachineForm& form) const {
  const Function& body = form.meaning.body;
  for (InstId id : body.insts(body.entry())) {
    if (body.inst(id).op != Opcode::Store) continue;
    Operand value = body.operands(id)[0];
    for (size_t i = 0; i < form.operands.size(); ++i) {
      if (value.is_reg() && form.meaning.operands[i] == value.reg() &&
          form.operands[i].kind == MachineOperand::Kind::Register) {
        return form.operands[i].register_class;
      }
    }
  }
  return kNone;
}

bool DescriptionReader::means(Sequence::Kind kind, const MachineForm& form, uint32_t index) const {
  const Function& body = form.meaning.body;
  std::span<const InstId> insts = body.insts(body.entry());
  if (insts.empty() || form.variable_operands) return false;
  auto first_is = [&](Opcode op) { return insts.size() == 1 && body.inst(insts[0]).op == op; };
  bool is_one_operand = form.operands.size() == 1 && form.results.size() == 1;
  // A base, and an offset that is a literal.
  auto is_access = [&](size_t num_results) {
    if (form.results.size() != num_results) return false;
    for (const FormDetail::Place& place : description_->forms[index].places) {
      if (place.mode == kNone) continue;
      bool has_base = false, has_offset = false;
      for (uint32_t i = place.first; i < place.first + place.count; ++i) {
        has_base |= form.operands[i].kind == MachineOperand::Kind::Register;
        has_offset |= form.operands[i].kind == MachineOperand::Kind::Literal;
      }
      return has_base && (has_offset || place.count == 1) && description_->modes[place.mode].result.empty();
    }
    return false;
  };
  switch (kind) {
    case Sequence::Kind::Copy:
      return form.is_copy && form.results.size() == 1;
    case Sequence::Kind::Constant:
      return is_one_operand && first_is(Opcode::Mov) &&
             form.operands[0].kind == MachineOperand::Kind::Literal;
    case Sequence::Kind::Address:
      return is_one_operand && (first_is(Opcode::Mov) || first_is(Opcode::Ptrtoint)) &&
             form.operands[0].kind == MachineOperand::Kind::Symbol;
    case Sequence::Kind::Spill:
      return form.effect == Effect::Write && !form.is_call && is_access(0);
    case Sequence::Kind::Reload:
      return form.effect == Effect::Read && is_access(1) && body.inst(insts.back()).op == Opcode::Load &&
             body.inst(insts.back()).results[0] == form.meaning.results[0];
    default:
      return false;
  }
}

}  // namespace psi::target
