// Section `instructions`: headers, meanings, and the forms that they make.
#include <fmt/format.h>

#include <algorithm>

#include "psi/support/suggestion.h"
#include "target/complete/reader.h"

namespace psi::target {
namespace {

bool is_text_line(const SourceLine& line) {
  size_t begin = line.text().find_first_not_of(" \t");
  return begin != std::string::npos && line.text()[begin] == '"';
}

bool reads(const Body& body, Reg r) {
  const Function& function = body.function;
  for (InstId id : function.insts(function.entry())) {
    if (function.inst(id).guard && function.inst(id).guard.reg() == r) return true;
    for (Operand operand : function.operands(id)) {
      if (operand.reads_reg() && operand.reg() == r) return true;
    }
  }
  return false;
}

}  // namespace

void DescriptionReader::read_instructions() {
  set_ = std::make_shared<InstructionSet>(description_->name, description_->pointer_bits);
  description_->instructions = set_;
  for (const Entry& entry : section("instructions").entries) {
    InstructionEntry made;
    if (!read_instruction(entry, made)) missing_.push_back(made.name);
  }
  if (description_->entries.empty() && problems_.num_errors() == 0) {
    fail(section("instructions").heading.where(), "the machine has no instructions");
  }
  add_boundary_forms(*set_);
  FormDetail none;
  description_->forms.resize(set_->num_forms(), none);
  single_key("branch", "table", [&](Cursor& cursor) {
    Piece name = cursor.take_name("an instruction that jumps to an address");
    description_->table_jump = description_->find_entry(name.text);
    if (description_->table_jump != kNone || name.text.empty()) return;
    std::vector<std::string_view> known;
    for (const InstructionEntry& entry : description_->entries) known.push_back(entry.name);
    fail(name.where, fmt::format("there is no instruction '{}'{}", name.text, suggestion(name.text, known)));
  });
}

// False, with errors, if there are no forms of it.
bool DescriptionReader::read_instruction(const Entry& entry, InstructionEntry& made) {
  Cursor cursor(entry.head, problems_);
  Header header;
  size_t errors = problems_.num_errors();
  if (!read_header(cursor, made, header)) return false;
  std::vector<SourceLine> lines;
  const SourceLine* text_line = made.text.empty() ? nullptr : &entry.head;
  for (const SourceLine& line : entry.body) {
    if (!is_text_line(line)) {
      lines.push_back(line);
      made.body.push_back(line.text().substr(line.text().find_first_not_of(" \t")));
      continue;
    }
    Cursor text(line, problems_);
    if (text_line) text.fail(line.where(), fmt::format("'{}' has its text already", made.name));
    text_line = &line;
    read_attributes(text, made);
  }
  if (made.words == 0) made.words = 1;
  if (text_line) {
    check_text(*text_line, made, header, made.text);
    if (made.guarded_text != made.text) check_text(*text_line, made, header, made.guarded_text);
  }
  bool has_guards = description_->guards.register_class != kNone;
  if (header.has_question && !has_guards) {
    fail(entry.head.where(0, 1), fmt::format("'{}' cannot be guarded: the machine has no guards", made.name));
  }
  made.takes_guard = has_guards && !made.unguarded && (header.has_question || description_->guards.all);

  std::vector<BodyOperand> operands;
  for (const HeaderOperand& operand : header.operands) {
    size_t modes =
        static_cast<size_t>(std::ranges::count(operand.kinds, OperandKind::Kind::Mode, &OperandKind::kind));
    if (modes != 0 && modes != operand.kinds.size()) {
      fail(operand.where, fmt::format("%{} is a mode in some alternatives only", operand.name));
    }
    operands.push_back({operand.name, default_type(operand.kinds.front()), operand.is_block});
  }
  Body body;
  if (lines.empty()) {
    bool means_nothing = header.results.empty() && header.operands.empty() && !header.variable_operands;
    if (!made.opaque && !means_nothing) {
      fail(made.where,
           fmt::format("'{}' has no meaning; `opaque` if it has none that psic can say", made.name));
      return false;
    }
    if (made.opaque) made.by_name = true;
    for (const BodyOperand& operand : operands) {
      body.operands.push_back(operand.is_block ? Reg() : body.function.add_reg(operand.type, operand.name));
      body.targets.emplace_back();
    }
    for (const HeaderResult& result : header.results) {
      body.function.add_reg(result.register_class == kNone
                                ? Type::i32
                                : description_->classes[result.register_class].types.front(),
                            result.name);
    }
    body.function.add_block();
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].is_block) body.targets[i] = body.function.add_block(operands[i].name);
    }
  } else if (made.opaque) {
    fail(lines.front().where(), fmt::format("'{}' is opaque and has a meaning", made.name));
    return false;
  } else {
    std::optional<Body> read = read_meaning(lines, made.name, made.where, operands);
    if (!read) return false;
    body = std::move(*read);
  }
  check_header(made, header, body);
  if (problems_.num_errors() != errors || !are_modes_known(header)) return false;
  uint32_t index = static_cast<uint32_t>(description_->entries.size());
  made.first_form = set_->num_forms();
  make_forms(made, index, header, body);
  made.num_forms = set_->num_forms() - made.first_form;
  description_->entries.push_back(std::move(made));
  return true;
}

// Does code name an instruction that has errors? It is not looked at then.
bool DescriptionReader::names_missing(const Entry& entry) const {
  auto is_named = [&](const SourceLine& line, const std::string& name) {
    size_t at = line.text().find(fmt::format("{}.{}", description_->name, name));
    return !name.empty() && at != std::string::npos;
  };
  return std::ranges::any_of(entry.body, [&](const SourceLine& line) {
    return std::ranges::any_of(missing_, [&](const std::string& name) { return is_named(line, name); });
  });
}

// Of a mode with errors there is no meaning to take.
bool DescriptionReader::are_modes_known(const Header& header) const {
  for (const HeaderOperand& operand : header.operands) {
    for (const OperandKind& kind : operand.kinds) {
      if (kind.kind != OperandKind::Kind::Mode) continue;
      const AddressingMode& mode = description_->modes[kind.index];
      if (!mode.meaning.results[0] || (!mode.result.empty() && !mode.meaning.results[1])) return false;
    }
  }
  return true;
}

// Header and meaning fit: what is defined, read, tied, and of which type.
void DescriptionReader::check_header(const InstructionEntry& made, Header& header, const Body& body) {
  std::string_view name = made.name;
  size_t num_results = header.results.size();
  for (const HeaderOperand& operand : header.operands) {
    num_results += std::ranges::any_of(operand.kinds, [&](const OperandKind& kind) {
      return kind.kind == OperandKind::Kind::Mode && !description_->modes[kind.index].result.empty();
    });
  }
  if (num_results > 2) {
    fail(made.where, fmt::format("'{}' has {} results: at most 2 fit", name, num_results));
  }
  for (HeaderResult& result : header.results) {
    auto is_result = [&](const HeaderOperand& operand) { return operand.name == result.tied; };
    if (!result.tied.empty()) {
      auto tied = std::ranges::find_if(header.operands, is_result);
      if (tied == header.operands.end()) {
        fail(result.where,
             fmt::format("%{} of '{}' is tied to %{}, which is no operand", result.name, name, result.tied));
        continue;
      }
      if (tied->kinds.size() != 1 || tied->kinds[0].kind != OperandKind::Kind::Class) {
        fail(result.where, fmt::format("%{} of '{}' is tied to %{}, which is not always a register",
                                       result.name, name, result.tied));
        continue;
      }
      result.register_class = tied->kinds[0].index;
    }
    if (result.register_class == kNone) continue;  // an error is known
    Reg r = body.find(result.name);
    bool is_operand = std::ranges::any_of(header.operands,
                                          [&](const auto& operand) { return operand.name == result.name; });
    bool is_link = !made.opaque && body.variable && !r &&
                   description_->classes[result.register_class].kind == MachineRegisterClass::Kind::Single;
    if (is_operand) {
      fail(result.where,
           fmt::format("%{} of '{}' is an operand, too; a result tied to it has a name of its own, as in "
                       "'%d:%{}'",
                       result.name, name, result.name));
    } else if (!r && !is_link) {
      fail(result.where, fmt::format("result %{} of '{}' is not defined by its meaning", result.name, name));
    } else if (r) {
      check_types(name, result.name, result.where, body.function.type(r),
                  {OperandKind::Kind::Class, result.register_class});
    }
  }
  for (size_t i = 0; i < header.operands.size(); ++i) {
    const HeaderOperand& operand = header.operands[i];
    if (operand.is_block || made.opaque) continue;
    bool may_be_unread = false;
    Type type = body.function.type(body.operands[i]);
    for (const OperandKind& kind : operand.kinds) {
      may_be_unread |= kind.kind == OperandKind::Kind::Class && kind.index != kNone &&
                       description_->classes[kind.index].kind == MachineRegisterClass::Kind::Single;
      may_be_unread |= is_used(kind);
      check_types(name, operand.name, operand.where, type, kind);
    }
    if (!may_be_unread && !reads(body, body.operands[i])) {
      fail(operand.where, fmt::format("operand %{} of '{}' is never read", operand.name, name));
    }
  }
  const Function& function = body.function;
  for (InstId id : function.insts(function.entry())) {
    for (Reg r : function.inst(id).results) {
      if (!r || reads(body, r)) continue;
      auto is_it = [&](const HeaderResult& result) { return result.name == function.name(r); };
      if (std::ranges::any_of(header.results, is_it) || made.rotates == function.name(r)) continue;
      fail(body.places[id.index()], fmt::format("%{} of '{}' is never read", function.name(r), name));
    }
  }
  bool has_dots = header.variable_operands || header.variable_result;
  if (has_dots && !body.variable && !made.opaque) {
    fail(made.where,
         fmt::format("'{}' has '...', but its meaning neither calls nor returns with them", name));
  }
  if (!made.rotates.empty() && !body.find(made.rotates)) {
    fail(made.where,
         fmt::format("%{}, which enters the first predicate, is not defined by the meaning of '{}'",
                     made.rotates, name));
  }
}

// Names in braces are operands or results, parts of a mode, or `{taken:A|B}` and `{new:A|B}`.
void DescriptionReader::check_text(const SourceLine& line, const InstructionEntry& made, const Header& header,
                                   std::string_view text) {
  std::string printed = " ";
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '}') {
      if (at + 1 < text.size() && text[at + 1] == '}') ++at;
      continue;
    }
    if (text[at] != '{') continue;
    if (at + 1 < text.size() && text[at + 1] == '{') {
      ++at;
      continue;
    }
    size_t end = std::min(text.find('}', at), text.size());
    std::string_view name = text.substr(at + 1, end - at - 1);
    at = end;
    if (name.starts_with("taken:") || name.starts_with("new:")) continue;
    std::string_view whole = name.substr(0, name.find('.'));
    printed += fmt::format("{} ", whole);
    auto is_named = [&](const auto& one) { return one.name == whole; };
    if (std::ranges::any_of(header.operands, is_named) || std::ranges::any_of(header.results, is_named))
      continue;
    size_t place = line.text().find(fmt::format("{{{}}}", name));
    fail(place == std::string::npos ? line.where() : line.where(place, name.size() + 2),
         fmt::format("{{{}}} in the assembly of '{}' is no operand", name, made.name));
  }
  for (const HeaderOperand& operand : header.operands) {
    bool is_fixed = operand.kinds.size() == 1 && operand.kinds[0].kind == OperandKind::Kind::Class &&
                    description_->classes[operand.kinds[0].index].kind == MachineRegisterClass::Kind::Single;
    bool is_tied =
        std::ranges::any_of(header.results, [&](const auto& result) { return result.tied == operand.name; });
    if (is_fixed || is_tied || made.suffix ||
        printed.find(fmt::format(" {} ", operand.name)) != std::string::npos)
      continue;
    problems_.warning(operand.where,
                      fmt::format("operand %{} of '{}' is not printed", operand.name, made.name));
  }
}

}  // namespace psi::target
