// Sections `expand`, `sequences`, and the sequences of `frame`: code in IR and machine instructions. All of
// it becomes one module, read at once; its functions are named by their place.
#include <fmt/format.h>

#include <algorithm>

#include "ir/names.h"
#include "target/complete/reader.h"

namespace psi::target {

void DescriptionReader::read_code() {
  std::vector<CodeUnit> units;
  for (const Entry& entry : section("expand").entries) read_expansion(entry, units);
  if (std::shared_ptr<Module> module = parse_units(units)) {
    for (size_t i = 0; i < units.size(); ++i) {
      finish_expansion(units[i], *module->find_function(fmt::format("code.{}", i)),
                       description_->expansions[i]);
    }
    description_->code = std::move(module);
  }
  std::vector<CodeUnit> sequences;
  read_sequences(sequences);
  CodeModule code(set_);
  for (const CodeUnit& unit : sequences) code.add(unit);
  if (std::optional<Module> module = code.parse(problems_)) {
    for (size_t i = 0; i < sequences.size(); ++i) {
      check_sequence(sequences[i], *module->find_function(fmt::format("code.{}", i)),
                     description_->sequences[i]);
    }
  }
  if (problems_.num_errors() == 0) derive_sequences();
}

// `%d = urem.i32 %a, %b:s10`: an instruction whose operands may have a kind.
void DescriptionReader::read_expansion(const Entry& entry, std::vector<CodeUnit>& units) {
  if (names_missing(entry)) return;
  SourceLine head = entry.head;
  Expansion made;
  made.where = head.where();
  made.header = head.text();
  std::vector<std::pair<std::string, OperandKind>> kinds;
  std::vector<std::string> names;
  size_t equal = std::min(head.text().find(" = "), head.text().size());
  if (equal == head.text().size()) equal = 0;
  std::string text = head.text();
  for_each_name(text, [&](std::string_view name, size_t at) {
    std::vector<std::string>& list = at < equal ? made.results : names;
    if (std::ranges::find(list, name) == list.end()) list.emplace_back(name);
    size_t colon = at + 1 + name.size();
    if (colon >= text.size() || text[colon] != ':') return;
    size_t end = colon + 1;
    while (end < text.size() && is_name_char(text[end])) ++end;
    OperandKind kind = kind_named(
        {std::string_view(text).substr(colon + 1, end - colon - 1), head.where(colon + 1, end - colon - 1)});
    kinds.emplace_back(name, kind);
    head = head.blanked(colon, end - colon);
  });
  std::vector<BodyOperand> operands;
  for (const std::string& name : names) operands.push_back({name, pointer_type(), false});
  std::optional<Body> pattern =
      read_body(std::span(&head, 1), made.where, operands, description_->pointer_bits, problems_);
  if (!pattern) return;
  const Function& function = pattern->function;
  std::span<const InstId> insts = function.insts(function.entry());
  if (insts.size() != 1 || function.inst(insts[0]).is_terminator() ||
      function.inst(insts[0]).op == Opcode::Call) {
    return fail(made.where, "an expansion stands for one instruction, which is neither a call nor a branch");
  }
  made.pattern = function.inst(insts[0]);
  if (entry.body.empty()) return fail(made.where, "the expansion has no body");

  CodeUnit unit;
  unit.where = made.where;
  unit.lines = entry.body;
  unit.is_ssa = true;
  for (Operand operand : function.operands(insts[0])) {
    Expansion::Operand one;
    one.type = function.type(operand);
    if (operand.reads_reg()) {
      one.name = function.name(operand.reg());
      for (const auto& [name, kind] : kinds) {
        if (name == one.name && kind.kind == OperandKind::Kind::Immediate) one.immediate = kind.index;
      }
      std::vector<NamedPart> parts;
      unit.add_parts(one.name, one.type, parts);
      for (const NamedPart& part : parts) {
        unit.add_param(part.name, part.type);
        unit.parts.push_back({static_cast<uint32_t>(made.operands.size()), part});
      }
    } else if (operand.is_literal()) {
      one.literal = function.literal_bits(operand);
    }
    made.operands.push_back(std::move(one));
  }
  for (uint32_t i = 0; i < made.results.size(); ++i) {
    std::vector<NamedPart> parts;
    unit.add_parts(made.results[i], made.pattern.result_type(), parts);
    if (parts.empty()) {
      fail(made.where, fmt::format("the expansion does not define its result %{}", made.results[i]));
    }
    for (const NamedPart& part : parts) unit.results.push_back({i, part});
  }
  made.pattern.results = {};
  made.pattern.count = 0;
  made.pattern.inline_operands = {};
  description_->expansions.push_back(std::move(made));
  units.push_back(std::move(unit));
}

// Null if there are errors.
std::shared_ptr<Module> DescriptionReader::parse_units(std::span<const CodeUnit> units) {
  CodeModule code(set_);
  for (const CodeUnit& unit : units) code.add(unit);
  std::optional<Module> parsed = code.parse(problems_);
  if (!parsed) return nullptr;
  auto module = std::make_shared<Module>(std::move(*parsed));
  for (size_t i = 0; i < units.size(); ++i) {
    const Function& function = *module->find_function(fmt::format("code.{}", i));
    for (InstId id : function.insts(function.entry())) {
      std::span<const Operand> operands = function.operands(id);
      if (function.inst(id).op == Opcode::Call && operands[0].is_symbol()) {
        learn_signature(*module, operands[0].symbol(), function, operands.subspan(1));
      }
    }
  }
  return module;
}

void DescriptionReader::learn_signature(Module& module, SymbolId routine, const Function& caller,
                                        std::span<const Operand> arguments) {
  Signature& signature = module.function(routine).signature;
  std::string_view name = module.name(routine);
  if (signature.variadic) {
    signature.variadic = false;
    for (Operand argument : arguments) signature.params.push_back(caller.type(argument));
    std::vector<Routine>& known = description_->convention.routines;
    auto found = std::ranges::find(known, name, &Routine::name);
    if (found == known.end()) found = known.insert(known.end(), Routine{std::string(name), {}, {}, false});
    found->signature = signature;
  }
}

void DescriptionReader::finish_expansion(const CodeUnit& unit, const Function& function, Expansion& made) {
  made.function = function.symbol;
  for (const auto& [index, part] : unit.parts) {
    made.params.push_back({index, part.half, find_reg(function, part.name)});
  }
  for (const auto& [index, part] : unit.results) {
    Reg value = find_reg(function, part.name);
    if (value && function.type(value) != part.type && width(function.type(value)) != width(part.type)) {
      fail(made.where, fmt::format("the expansion defines %{} as {}, but it is {}", part.name,
                                   type_name(function.type(value)), type_name(part.type)));
    }
    made.values.push_back({index, part.half, value});
  }
}

}  // namespace psi::target
