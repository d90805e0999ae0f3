// The code of an expansion or a sequence: lines of IR and machine instructions, before the parser has read
// them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "psi/target/description.h"
#include "target/complete/body.h"

namespace psi::target {

// A name of a body, `%a` or a half of it, `%a.lo`.
struct NamedPart {
  std::string name;
  Half half = Half::Whole;
  Type type = Type::none;
};

struct CodeUnit {
  Location where;
  std::vector<SourceLine> lines;
  bool is_ssa = false;
  std::vector<std::string> param_names;
  std::vector<Type> param_types;
  // Names that stand for literals or symbols, as text.
  std::map<std::string, std::string> literals;
  std::vector<std::pair<uint32_t, NamedPart>> parts,
      results;  // of an expansion: operand or result, and its name

  bool mentions(std::string_view name) const;
  void add_param(std::string_view name, Type type);
  // The whole and the halves, as far as the code names them.
  void add_parts(std::string_view name, Type type, std::vector<NamedPart>& parts) const;
  // `%name` becomes another text.
  void replace(std::string_view name, std::string_view text);
};

// Calls visit(name, offset of '%') for each name with a '%'.
void for_each_name(std::string_view text, const std::function<void(std::string_view, size_t)>& visit);

// Functions of units, for the parser. What depends on literals alone is computed. A literal where an
// instruction wants a register is moved to one.
class CodeModule {
 public:
  explicit CodeModule(std::shared_ptr<const InstructionSet> set) : set_(std::move(set)) {
    if (set_->pointer_bits() == 32) text_.add("pointer 32", {});
  }

  // The function is called `code.N`.
  void add(const CodeUnit& unit);
  // Nothing if there are errors, which are reported.
  std::optional<Module> parse(Problems& problems);

 private:
  bool fold(const SourceLine& line, std::map<std::string, std::string>& literals);
  SourceLine with_registers(const SourceLine& line, Location where);
  void note_symbols(const SourceLine& line);

  std::shared_ptr<const InstructionSet> set_;
  CodeText text_;
  uint32_t num_units_ = 0;
  uint32_t num_moved_ = 0;
  std::vector<std::string> declarations_;
};

}  // namespace psi::target
