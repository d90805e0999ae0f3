#include "target/complete/code_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/check_inst.h"
#include "ir/names.h"
#include "psi/ir/evaluate.h"
#include "psi/text/text.h"

namespace psi::target {
namespace {

// The set under construction: what its own code names.
class OwnSet final : public InstructionSets {
 public:
  explicit OwnSet(std::shared_ptr<const InstructionSet> set) : set_(std::move(set)) {}
  std::shared_ptr<const InstructionSet> find(std::string_view name) const override {
    return name == set_->name() ? set_ : nullptr;
  }

 private:
  std::shared_ptr<const InstructionSet> set_;
};

Type half_of(Type type) {
  switch (type) {
    case Type::i16:
      return Type::i8;
    case Type::i32:
    case Type::f32:
      return Type::i16;
    default:
      return Type::i32;
  }
}

// The instruction behind guard and results, and where it begins.
std::pair<std::string_view, size_t> opcode_of(std::string_view line) {
  size_t at = line.find(" = ");
  at = at == std::string_view::npos ? line.find("? ") : at + 1;
  at = at == std::string_view::npos ? 0 : at + 1;
  at = std::min(line.find_first_not_of(" \t", at), line.size());
  return {line.substr(at, line.find_first_of(" \t", at) - at), at};
}

}  // namespace

void for_each_name(std::string_view text, const std::function<void(std::string_view, size_t)>& visit) {
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > at + 1) visit(text.substr(at + 1, end - at - 1), at);
  }
}

bool CodeUnit::mentions(std::string_view name) const {
  for (const SourceLine& line : lines) {
    bool is_found = false;
    for_each_name(line.text(), [&](std::string_view found, size_t) { is_found |= found == name; });
    if (is_found) return true;
  }
  return false;
}

void CodeUnit::add_param(std::string_view name, Type type) {
  if (std::ranges::find(param_names, name) != param_names.end()) return;
  param_names.emplace_back(name);
  param_types.push_back(type);
}

void CodeUnit::add_parts(std::string_view name, Type type, std::vector<NamedPart>& parts_of) const {
  constexpr std::array<std::pair<std::string_view, Half>, 3> kHalves = {
      std::pair("", Half::Whole), std::pair(".lo", Half::Low), std::pair(".hi", Half::High)};
  for (const auto& [suffix, half] : kHalves) {
    std::string full = fmt::format("{}{}", name, suffix);
    if (!mentions(full)) continue;
    parts_of.push_back({full, half, half == Half::Whole ? type : half_of(type)});
  }
}

void CodeUnit::replace(std::string_view name, std::string_view text) {
  for (SourceLine& line : lines) {
    size_t from = 0, found = 0;
    while (found != std::string::npos) {
      found = std::string::npos;
      for_each_name(line.text(), [&](std::string_view one, size_t at) {
        if (one == name && at >= from && found == std::string::npos) found = at;
      });
      if (found == std::string::npos) break;
      line = line.with(found, name.size() + 1, text);
      from = found + text.size();
    }
  }
}

void CodeModule::add(const CodeUnit& given) {
  CodeUnit unit = given;
  std::string head = fmt::format("func $code.{}(", num_units_++);
  for (size_t param = 0; param < unit.param_names.size(); ++param) {
    head += param == 0 ? "" : ", ";
    append_name(head, '%', unit.param_names[param]);
    head += fmt::format(": {}", type_name(unit.param_types[param]));
  }
  text_.add(head + fmt::format(") {} target {} {{", unit.is_ssa ? "ssa" : "plain", set_->name()), unit.where);
  text_.add("@\"the start\":", unit.where);
  std::map<std::string, std::string> literals = unit.literals;
  for (const auto& [name, literal] : literals) unit.replace(name, literal);
  for (size_t i = 0; i < unit.lines.size(); ++i) {
    std::map<std::string, std::string> known;
    if (!given.literals.empty() && fold(unit.lines[i], known)) {
      for (const auto& [name, literal] : known) unit.replace(name, literal);
      continue;
    }
    note_symbols(unit.lines[i]);
    text_.add(with_registers(unit.lines[i], unit.where));
  }
  text_.add("ret", unit.where);
  text_.add("}", unit.where);
}

// `%m = sub.i32 0, 16` is -16.
bool CodeModule::fold(const SourceLine& line, std::map<std::string, std::string>& literals) {
  std::string_view text = line.text();
  size_t names = 0;
  std::string result;
  for_each_name(text, [&](std::string_view name, size_t) { ++names, result = name; });
  if (names != 1 || text.find_first_of("$@?(") != std::string_view::npos) return false;
  if (text.find(" = ") == std::string_view::npos || opcode_of(text).first.starts_with(set_->name() + "."))
    return false;
  Result<Module> parsed = psi::parse(fmt::format("func $f() ssa {{\n@0:\n{}\nret\n}}\n", text));
  if (!parsed) return false;
  const Function& function = *parsed->find_function("f");
  InstId first = function.insts(function.entry()).front();
  const Inst& inst = function.inst(first);
  if (inst.num_results() != 1 || !inst.computes()) return false;
  std::vector<Value> values;
  for (Operand operand : function.operands(first)) {
    if (!operand.is_literal()) return false;
    values.push_back({.bits = function.literal_bits(operand)});
  }
  std::optional<Value> value = evaluate(inst, values);
  if (!value || value->undef) return false;
  literals[result] = print_literal(inst.result_type(), value->bits);
  return true;
}

// A literal that no form of the instruction takes is moved to a register first.
SourceLine CodeModule::with_registers(const SourceLine& given, Location where) {
  SourceLine line = given;
  auto [word, begin] = opcode_of(line.text());
  if (!word.starts_with(set_->name() + ".")) return line;
  std::span<const uint32_t> forms = set_->find(word.substr(set_->name().size() + 1));
  size_t at = begin + word.size();
  for (size_t operand = 0; at < line.text().size(); ++operand) {
    at = line.text().find_first_not_of(" \t", at);
    if (at == std::string::npos) break;
    size_t end = std::min(line.text().find(',', at), line.text().size());
    std::string value = line.text().substr(at, end - at);
    value.erase(value.find_last_not_of(" \t") + 1);
    bool is_literal =
        !value.empty() && (is_digit(value[0]) || value[0] == '-' || value == "true" || value == "false");
    bool is_taken = !is_literal, is_register = false;
    Type type = Type::none;
    for (uint32_t index : forms) {
      const MachineForm& form = set_->form(index);
      if (operand >= form.operands.size()) continue;
      const MachineOperand& one = form.operands[operand];
      if (one.kind == MachineOperand::Kind::Register && type == Type::none)
        type = one.type, is_register = true;
      std::optional<uint64_t> bits = is_literal ? parse_literal(value, one.type) : std::nullopt;
      if (!bits) continue;
      is_taken |= std::ranges::any_of(one.literals, [&](const LiteralAlternative& range) {
        return range.holds(*bits, as_bits(one.type, set_->pointer_bits()));
      });
    }
    if (!is_taken && is_register) {
      std::string name = fmt::format("%literal.{}", num_moved_++);
      text_.add(fmt::format("{} = mov.{} {}", name, type_name(type), value), where);
      line = line.with(at, value.size(), name);
      end = at + name.size();
    }
    at = end + 1;
  }
  return line;
}

// A declaration for each routine and symbol, once: the first call tells a routine's result.
void CodeModule::note_symbols(const SourceLine& line) {
  std::string_view text = line.text();
  size_t dollar = text.find('$');
  if (dollar == std::string_view::npos) return;
  size_t call = text.substr(0, dollar).rfind("call");
  size_t end = dollar + 1;
  while (end < text.size() && is_name_char(text[end])) ++end;
  std::string declaration;
  if (call == std::string_view::npos) {
    declaration = fmt::format("extern global {}", text.substr(dollar, end - dollar));
  } else {
    declaration = fmt::format("extern func {}(...)", text.substr(dollar, end - dollar));
    std::string_view word = text.substr(call, text.find_first_of(" \t", call) - call);
    if (word.starts_with("call.")) declaration += fmt::format(" -> {}", word.substr(5));
  }
  std::string prefix = declaration.substr(0, declaration.find('('));
  if (std::ranges::none_of(declarations_, [&](const std::string& known) {
        return known.substr(0, known.find('(')) == prefix;
      })) {
    declarations_.push_back(std::move(declaration));
  }
}

std::optional<Module> CodeModule::parse(Problems& problems) {
  for (const std::string& declaration : declarations_) text_.add(declaration, {});
  SourceMap map;
  OwnSet sets(set_);
  Result<Module> parsed = psi::parse(text_.text(), &map, &sets);
  if (!parsed) {
    text_.report(parsed.diagnostics(), problems);
    return std::nullopt;
  }
  size_t errors = problems.num_errors();
  for (uint32_t i = 0; i < num_units_; ++i) {
    const Function& function = *parsed->find_function(fmt::format("code.{}", i));
    for (InstId id : function.insts(function.entry())) {
      std::string mistake = mistake_in(function, function.inst(id), function.operands(id), nullptr);
      if (!mistake.empty()) problems.error(text_.place(map.find(function.symbol, id)), std::move(mistake));
    }
  }
  if (problems.num_errors() != errors) return std::nullopt;
  return std::move(*parsed);
}

}  // namespace psi::target
