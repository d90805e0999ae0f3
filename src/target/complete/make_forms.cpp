// Forms: one for each combination of the alternatives and modes of an instruction's operands.
#include <fmt/format.h>

#include <algorithm>

#include "target/complete/reader.h"

namespace psi::target {
namespace {

// Bytes that the meaning accesses first: what `*size` multiplies by.
uint64_t access_size(const Body& body, unsigned pointer_bits) {
  const Function& function = body.function;
  for (InstId id : function.insts(function.entry())) {
    const Inst& inst = function.inst(id);
    if (inst.op != Opcode::Load && inst.op != Opcode::Store) continue;
    return inst.type == Type::ptr ? pointer_bits / 8 : byte_size(inst.type);
  }
  return 1;
}

Effect effect_of(const Function& meaning) {
  Effect effect = Effect::Pure;
  for (InstId id : meaning.insts(meaning.entry())) effect = std::max(effect, meaning.inst(id).effect());
  return effect;
}

}  // namespace

void DescriptionReader::make_forms(const InstructionEntry& entry, uint32_t index, const Header& header,
                                   const Body& body) {
  std::vector<uint32_t> choice(header.operands.size());
  while (make_form(entry, index, header, body, choice)) {
    // The next combination; the last operand changes fastest.
    size_t i = choice.size();
    while (i > 0 && ++choice[i - 1] == header.operands[i - 1].kinds.size()) choice[--i] = 0;
    if (i == 0) return;
  }
}

bool DescriptionReader::is_used(const OperandKind& kind) const {
  return kind.kind == OperandKind::Kind::Immediate &&
         description_->immediates[kind.index].pieces.front().kind == ImmediatePiece::Kind::Used;
}

std::vector<LiteralAlternative> DescriptionReader::literals_of(const OperandKind& kind, uint64_t size) const {
  std::vector<LiteralAlternative> literals;
  if (kind.kind != OperandKind::Kind::Immediate) return literals;
  for (const ImmediatePiece& piece : description_->immediates[kind.index].pieces) {
    if (piece.kind != ImmediatePiece::Kind::Literal) continue;
    int64_t scale = piece.by_size ? static_cast<int64_t>(size) : 1;
    literals.push_back({.min = piece.min * scale,
                        .max = piece.max * scale,
                        .multiple = piece.by_size ? size : piece.multiple,
                        .extra_words = piece.words});
  }
  return literals;
}

MachineOperand DescriptionReader::make_operand(std::string name, Type type, const OperandKind& kind,
                                               const OperandKind& guarded, uint64_t size) const {
  MachineOperand operand;
  operand.name = std::move(name);
  operand.type = type;
  if (kind.kind == OperandKind::Kind::Class) {
    operand.register_class = static_cast<uint16_t>(kind.index);
    for (uint32_t index : description_->classes[kind.index].registers) {
      const MachineRegister& reg = description_->registers[index];
      if (!reg.wired) continue;
      int64_t value = sign_extend(*reg.wired, as_bits(reg.types.front(), description_->pointer_bits));
      operand.literals.push_back({.min = value, .max = value});
    }
    operand.guarded_literals = operand.literals;
    return operand;
  }
  const std::vector<ImmediatePiece>& pieces = description_->immediates[kind.index].pieces;
  bool is_symbol = std::ranges::any_of(
      pieces, [](const ImmediatePiece& piece) { return piece.kind == ImmediatePiece::Kind::Symbol; });
  operand.kind = is_symbol ? MachineOperand::Kind::Symbol : MachineOperand::Kind::Literal;
  operand.literals = literals_of(kind, size);
  operand.guarded_literals = literals_of(guarded, size);
  return operand;
}

// False if there is no room for more forms.
bool DescriptionReader::make_form(const InstructionEntry& entry, uint32_t index, const Header& header,
                                  const Body& body, std::span<const uint32_t> choice) {
  MachineForm form;
  FormDetail detail;
  form.name = entry.name;
  form.entry = detail.entry = index;
  form.takes_guard = entry.takes_guard;
  form.by_name = entry.by_name;
  form.is_opaque = entry.opaque;
  form.words = entry.words;
  form.scheduling_class = entry.scheduling_class;
  form.variable_operands = header.variable_operands;
  form.variable_result = header.variable_result;

  Function& meaning = form.meaning.body;
  meaning.form = Form::Ssa;
  BlockId start = meaning.add_block();
  std::vector<Reg> map(body.function.num_regs());
  std::vector<BlockId> blocks(body.function.num_blocks());
  std::vector<MachineResult> mode_results;
  std::vector<Reg> mode_values;
  std::vector<uint32_t> first_operand;  // by operand of the header
  uint64_t size = access_size(body, description_->pointer_bits);

  auto add_value = [&](MachineOperand operand, const OperandKind& kind, const OperandKind& guarded) {
    Reg r = meaning.add_reg(operand.type, operand.name);
    meaning.params.push_back(r);
    meaning.signature.params.push_back(operand.type);
    form.meaning.operands.push_back(r);
    form.meaning.targets.emplace_back();
    form.operands.push_back(std::move(operand));
    detail.kinds.push_back(kind);
    detail.guarded_kinds.push_back(guarded);
    return r;
  };
  struct Access {
    const AddressingMode* mode;
    size_t operand;
    std::vector<Reg> parts;
  };
  std::vector<Access> accesses;
  for (size_t i = 0; i < header.operands.size(); ++i) {
    const HeaderOperand& operand = header.operands[i];
    const OperandKind& kind = operand.kinds[choice[i]];
    const OperandKind& guarded = operand.guarded[choice[i]];
    FormDetail::Place place{.first = static_cast<uint32_t>(form.operands.size())};
    first_operand.push_back(place.first);
    if (operand.is_block) {
      MachineOperand target;
      target.kind = MachineOperand::Kind::Block;
      target.name = operand.name;
      form.operands.push_back(std::move(target));
      detail.kinds.push_back(kind);
      detail.guarded_kinds.push_back(guarded);
      form.meaning.operands.emplace_back();
      form.meaning.targets.push_back(meaning.add_block(operand.name));
      blocks[body.targets[i].index()] = form.meaning.targets.back();
    } else if (kind.kind == OperandKind::Kind::Mode) {
      const AddressingMode& mode = description_->modes[kind.index];
      Access access{&mode, i, {}};
      for (size_t part = 0; part < mode.parts.size(); ++part) {
        const AddressingMode::Part& of = mode.parts[part];
        Type type = mode.meaning.body.type(mode.meaning.operands[part]);
        access.parts.push_back(add_value(
            make_operand(fmt::format("{}.{}", operand.name, of.name), type, of.kind, of.guarded, size),
            of.kind, of.guarded));
        form.takes_guard &= of.guarded.kind != OperandKind::Kind::None;
      }
      form.takes_guard &= !mode.unguarded;
      if (operand.is_list_of_modes && choice[i] > 0) form.name += fmt::format(".{}", mode.name);
      place.mode = kind.index;
      place.count = static_cast<uint32_t>(mode.parts.size());
      accesses.push_back(std::move(access));
    } else if (is_used(kind)) {
      place.used = kind.index;
      place.count = 0;
    } else {
      form.takes_guard &= guarded.kind != OperandKind::Kind::None;
      map[body.operands[i].index()] =
          add_value(make_operand(operand.name, body.function.type(body.operands[i]), kind, guarded, size),
                    kind, guarded);
    }
    detail.places.push_back(place);
  }
  for (const Access& access : accesses) {
    const AddressingMode& mode = *access.mode;
    const HeaderOperand& operand = header.operands[access.operand];
    Body part;
    part.function = mode.meaning.body;
    std::vector<Reg> inner(part.function.num_regs());
    for (size_t i = 0; i < access.parts.size(); ++i)
      inner[mode.meaning.operands[i].index()] = access.parts[i];
    append_body(part, meaning, start, inner, {});
    map[body.operands[access.operand].index()] = inner[mode.meaning.results[0].index()];
    if (mode.result.empty()) continue;
    uint32_t tied = first_operand[access.operand] + mode.tied;
    mode_values.push_back(inner[mode.meaning.results[1].index()]);
    mode_results.push_back({.type = meaning.type(mode_values.back()),
                            .name = fmt::format("{}.{}", operand.name, mode.result),
                            .register_class = form.operands[tied].register_class,
                            .tied_operand = static_cast<int8_t>(tied)});
  }
  form.meaning.variable = append_body(body, meaning, start, map, blocks);

  for (const HeaderResult& result : header.results) {
    Reg inner = body.find(result.name);
    MachineResult made{.type = inner ? body.function.type(inner) : pointer_type(),
                       .name = result.name,
                       .register_class = static_cast<uint16_t>(result.register_class),
                       .tied_operand = -1};
    for (size_t i = 0; i < header.operands.size(); ++i) {
      if (header.operands[i].name == result.tied) made.tied_operand = static_cast<int8_t>(first_operand[i]);
    }
    Reg value = inner ? map[inner.index()] : Reg();
    form.meaning.results[form.results.size()] = value;
    form.results.push_back(std::move(made));
  }
  for (size_t i = 0; i < mode_results.size(); ++i) {
    form.meaning.results[form.results.size()] = mode_values[i];
    form.results.push_back(std::move(mode_results[i]));
  }
  for (size_t i = 0; i < form.results.size(); ++i) {
    if (form.results[i].tied_operand < 0) continue;
    form.operands[static_cast<size_t>(form.results[i].tied_operand)].tied_result = static_cast<int8_t>(i);
  }
  form.takes_negated_guard = form.takes_guard && description_->guards.has_false;
  form.effect = entry.opaque ? Effect::Write : effect_of(meaning);
  std::span<const InstId> insts = meaning.insts(start);
  for (InstId id : insts) {
    form.is_call |= meaning.inst(id).op == Opcode::Call;
    form.is_return |= meaning.inst(id).op == Opcode::Ret;
    form.falls_through = meaning.inst(id).is_terminator() && meaning.inst(id).guard;
  }
  form.is_copy = insts.size() == 1 && meaning.inst(insts[0]).is_copy() && form.operands.size() == 1 &&
                 form.operands[0].kind == MachineOperand::Kind::Register;
  if (set_->num_forms() >= InstructionSet::kMaxForms) {
    fail(entry.where, fmt::format("the machine has more than {} forms", InstructionSet::kMaxForms));
    return false;
  }
  set_->add(std::move(form));
  description_->forms.push_back(std::move(detail));
  return true;
}

}  // namespace psi::target
