#include "target/complete/body.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/check_inst.h"
#include "ir/names.h"
#include "psi/ir/views.h"

namespace psi::target {
namespace {

constexpr std::string_view kHead = "func $meaning(";
// No target has a name with a blank.
constexpr std::string_view kStart = "@\"the start\":";

// `...` is no IR: a call or ret stands for it, and the place keeps its width.
SourceLine without_dots(const SourceLine& line, bool& found) {
  size_t dots = line.text().find("...");
  if (dots == std::string::npos) return line;
  found = true;
  return line.blanked(dots, 3);
}

std::string param_list(std::span<const BodyOperand> operands) {
  std::string text;
  for (const BodyOperand& operand : operands) {
    if (operand.is_block) continue;
    if (!text.empty()) text += ", ";
    append_name(text, '%', operand.name);
    text += fmt::format(": {}", type_name(operand.type));
  }
  return text;
}

// The registers of operands get the type of their first use.
void infer_operand_types(Function& function, std::span<const Reg> operands) {
  std::vector<bool> is_open(function.num_regs());
  for (Reg r : operands) {
    if (r) is_open[r.index()] = true;
  }
  auto use = [&](Reg r, Type type) {
    if (!is_open[r.index()] || type == Type::none) return;
    is_open[r.index()] = false;
    function.set_type(r, type);
  };
  for (InstId id : function.insts(function.entry())) {
    const Inst& inst = function.inst(id);
    if (inst.guard) use(inst.guard.reg(), Type::i1);
    std::span<const Operand> values = std::as_const(function).operands(id);
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].reads_reg()) use(values[i].reg(), wanted_type(function, inst, i));
    }
  }
}

// Each register is defined once, before it is read; operands are not defined again.
void check_definitions(const Function& function, std::span<const InstId> insts, const Body& body,
                       Problems& problems) {
  std::vector<bool> is_defined(function.num_regs());
  for (Reg r : function.params) is_defined[r.index()] = true;
  for (InstId id : insts) {
    const Inst& inst = function.inst(id);
    Location place = body.places[id.index()];
    auto read = [&](Reg r) {
      if (is_defined[r.index()]) return;
      is_defined[r.index()] = true;  // reported once
      problems.error(place, fmt::format("{} is read before it is defined", shown(function, r)));
    };
    if (inst.guard) read(inst.guard.reg());
    for (Operand operand : function.operands(id)) {
      if (operand.reads_reg()) read(operand.reg());
    }
    for (Reg r : inst.results) {
      if (!r) continue;
      if (is_defined[r.index()])
        problems.error(place, fmt::format("{} is defined twice", shown(function, r)));
      is_defined[r.index()] = true;
    }
  }
}

}  // namespace

Type wanted_type(const Function& function, const Inst& inst, size_t operand) {
  switch (inst.format()) {
    case Format::ComparePredicate:
      return operand < 2 ? inst.type : Type::i1;
    case Format::Convert:
      return inst.from();
    case Format::Select:
      return operand == 0 ? Type::i1 : inst.type;
    case Format::Slot:
      return function.address_type();
    case Format::PtrAdd:
    case Format::PtrIndex:
      return operand == 0 ? Type::ptr : function.address_type();
    case Format::Load:
    case Format::VaList:
    case Format::VaArg:
    case Format::VaCopy:
      return Type::ptr;
    case Format::Store:
      return operand == 0 ? inst.type : Type::ptr;
    case Format::MemCopy:
      return operand < 2 ? Type::ptr : function.address_type();
    case Format::MemSet:
      return operand == 0 ? Type::ptr : operand == 1 ? Type::i8 : function.address_type();
    case Format::Call:
      return operand == 0 ? Type::ptr : Type::none;
    case Format::Branch:
      return operand == 0 ? Type::i1 : Type::none;
    case Format::Psi:
      return pair_operand(operand).is_second ? inst.type : Type::i1;
    case Format::Phi:
      return pair_operand(operand).is_second ? inst.type : Type::none;
    case Format::Switch:
    case Format::Unary:
    case Format::Binary:
    case Format::Ternary:
    case Format::Overflow:
    case Format::Compare:
    case Format::Move:
      return inst.type;
    default:
      return Type::none;
  }
}

void CodeText::add(std::string_view line, Location where) {
  text_ += line;
  text_ += '\n';
  origins_.push_back({{}, false, where});
}

void CodeText::add(const SourceLine& line) {
  text_ += line.text();
  text_ += '\n';
  origins_.push_back({line, true, {}});
}

Location CodeText::place(Location in_text) const {
  if (in_text.line == 0 || in_text.line > origins_.size()) return {};
  const Origin& origin = origins_[in_text.line - 1];
  if (!origin.is_source) return origin.where;
  size_t size = origin.line.text().size();
  if (in_text.column <= size) return origin.line.where(in_text.column - 1, in_text.length);
  Location where = origin.line.where(size - 1, 1);  // behind the end of the line
  if (where.line != 0) ++where.column;
  return where;
}

void CodeText::report(const Diagnostics& diagnostics, Problems& problems) const {
  for (const Diagnostic& found : diagnostics.all()) {
    if (found.severity == Diagnostic::Severity::Note) {
      problems.note(place(found.where), found.message);
    } else {
      problems.error(place(found.where), found.message);
    }
  }
}

std::optional<Body> read_body(std::span<const SourceLine> lines, Location where,
                              std::span<const BodyOperand> operands, unsigned pointer_bits,
                              Problems& problems) {
  CodeText code;
  if (pointer_bits == 32) code.add("pointer 32", where);
  code.add(fmt::format("{}{}) ssa {{", kHead, param_list(operands)), where);
  code.add(kStart, where);
  bool has_dots = false;
  for (const SourceLine& line : lines) code.add(without_dots(line, has_dots));
  code.add("unreachable", where);
  for (const BodyOperand& operand : operands) {
    if (!operand.is_block) continue;
    std::string label;
    append_name(label, '@', operand.name);
    code.add(label + ":", where);
    code.add("unreachable", where);
  }
  code.add("}", where);

  SourceMap map;
  Result<Module> module = parse(code.text(), &map);
  if (!module) {
    code.report(module.diagnostics(), problems);
    return std::nullopt;
  }
  Body body;
  const SymbolId symbol = module->find_symbol("meaning").value_or(SymbolId());
  Function& function = module->function(symbol);
  size_t value = 0;
  for (const BodyOperand& operand : operands) {
    body.operands.push_back(operand.is_block ? Reg() : function.params[value++]);
    body.targets.push_back(operand.is_block ? find_block(function, operand.name) : BlockId());
  }
  infer_operand_types(function, body.operands);
  // Where control goes on, the block ends.
  std::vector<InstId> insts(function.insts(function.entry()).begin(), function.insts(function.entry()).end());
  insts.pop_back();
  function.set_insts(function.entry(), insts);
  for (BlockId target : body.targets) {
    if (target) function.set_insts(target, {});
  }
  size_t errors = problems.num_errors();
  body.places.resize(function.num_insts());
  for (size_t i = 0; i < insts.size(); ++i) {
    const Inst& inst = function.inst(insts[i]);
    Location place = code.place(map.find(symbol, insts[i]));
    body.places[insts[i].index()] = place;
    std::string mistake = mistake_in(function, inst, std::as_const(function).operands(insts[i]), nullptr);
    if (!mistake.empty()) problems.error(place, std::move(mistake));
    bool is_jump = inst.op == Opcode::Br || inst.op == Opcode::Ret;
    if (inst.is_phi() || inst.is_psi() || inst.op == Opcode::Slot || inst.op == Opcode::Switch ||
        inst.is_branch()) {
      problems.error(place, fmt::format("a meaning has no {}: it is straight-line code", info(inst.op).name));
    } else if (is_jump && i + 1 < insts.size()) {
      problems.error(place, "a branch or return ends the meaning");
    }
    if (inst.guard && inst.num_results() > 0) {
      problems.error(place, "a result is defined without a guard; stores and branches may have one");
    }
    if (has_dots && (inst.op == Opcode::Call || inst.op == Opcode::Ret)) body.variable = insts[i];
  }
  check_definitions(function, insts, body, problems);
  if (problems.num_errors() != errors) return std::nullopt;
  body.function = std::move(function);
  return body;
}

InstId append_body(const Body& body, Function& to, BlockId block, std::vector<Reg>& map,
                   std::span<const BlockId> blocks) {
  const Function& from = body.function;
  map.resize(from.num_regs());
  auto mapped = [&](Reg r) {
    if (!map[r.index()]) map[r.index()] = to.add_reg(from.type(r), from.name(r));
    return map[r.index()];
  };
  InstId variable;
  std::vector<Operand> operands;
  for (InstId id : from.insts(from.entry())) {
    Inst inst = from.inst(id);
    operands.clear();
    for (Operand operand : from.operands(id)) {
      if (operand.reads_reg()) {
        operand = Operand::predicate(mapped(operand.reg()), operand.is_negated());
      } else if (operand.kind() == Operand::Kind::Pooled) {
        operand = to.literal(operand.literal_type(), from.literal_bits(operand));
      } else if (operand.is_block()) {
        operand = Operand::block(blocks[operand.block().index()]);
      }
      operands.push_back(operand);
    }
    if (inst.guard) inst.guard = Guard(mapped(inst.guard.reg()), inst.guard.is_negated());
    for (Reg& result : inst.results) {
      if (result) result = mapped(result);
    }
    InstId made = to.add_inst(inst, operands);
    to.append(block, made);
    if (id == body.variable) variable = made;
  }
  return variable;
}

}  // namespace psi::target
