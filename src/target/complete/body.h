// Bodies of a description: indented lines of psic IR, read by its own parser.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/instruction_set.h"
#include "psi/ir/module.h"
#include "psi/text/text.h"
#include "target/complete/lines.h"

namespace psi::target {

struct BodyOperand {
  std::string name;
  Type type = Type::none;  // until a use tells it
  bool is_block = false;
};

// A straight-line piece of code with named operands.
struct Body {
  Function function;
  std::vector<Reg> operands;     // by operand; none for blocks
  std::vector<BlockId> targets;  // by operand; none for values
  InstId variable;               // the call or ret that has `...`
  std::vector<Location> places;  // by instruction
  // The register of this name; none if there is none.
  Reg find(std::string_view name) const { return find_reg(function, name); }
};

// The type that an instruction wants of this operand; none: of any type.
Type wanted_type(const Function& function, const Inst& inst, size_t operand);

// A text of functions for the parser, whose lines know where they come from.
class CodeText {
 public:
  void add(std::string_view line, Location where);
  void add(const SourceLine& line);
  const std::string& text() const { return text_; }
  Location place(Location in_text) const;
  // Reports what the parser or another check found in the text.
  void report(const Diagnostics& diagnostics, Problems& problems) const;

 private:
  struct Origin {
    SourceLine line;
    bool is_source;
    Location where;
  };
  std::string text_;
  std::vector<Origin> origins_;  // by line of the text
};

// Reads a meaning, which may not have machine instructions. The types of operands are those of their first
// use.
std::optional<Body> read_body(std::span<const SourceLine> lines, Location where,
                              std::span<const BodyOperand> operands, unsigned pointer_bits,
                              Problems& problems);

// Appends the body's instructions to the first block of `to`. `map` has the register of `to` for registers of
// the body that have one, and gets the others. Gives the instruction that `variable` became.
InstId append_body(const Body& body, Function& to, BlockId block, std::vector<Reg>& map,
                   std::span<const BlockId> blocks);

}  // namespace psi::target
