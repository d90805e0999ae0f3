// Options of passes, as in `if-convert(mode=all,size=1000)`: what a pass declares and what it reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace psi {

// What a pass declares. For programs that offer values, such as completion: `values` are all that may be
// written behind the `=`, unless the option is a number, which is anything from range.least to range.most.
struct PassOption {
  enum class Kind : uint8_t {
    Flag,    // on or off
    Word,    // one of some words
    Number,  // an integer within a range
    Target,  // the name of a target
  };
  struct Range {
    uint32_t least = 0;
    uint32_t most = 0;
    uint32_t fallback = 0;  // the default

    bool operator==(const Range&) const = default;
  };

  static PassOption flag(std::string name, bool fallback, std::string summary);
  // The first value is the default.
  static PassOption word(std::string name, std::vector<std::string> values, std::string summary);
  static PassOption number(std::string name, Range range, std::string summary);
  // `target`, one of the built-in targets (PassTable::set_targets gives it others).
  static PassOption target(std::string summary = "the target of the code");

  std::string name;
  Kind kind = Kind::Flag;
  std::vector<std::string> values;  // the default first; none: a number
  Range range;
  std::string summary;

  bool is_number() const { return kind == Kind::Number; }
  bool accepts(std::string_view value) const;
  std::string default_value() const;    // as it is written
  std::string describe_values() const;  // `on, off`; `a number from 1 to 64`
};
std::string_view kind_name(PassOption::Kind kind);

// The options of one call of a pass: all of them, with defaults filled in. To ask for an option that the pass
// does not declare, or for another kind of value, is a bug of the pass and ends the program.
class PassArguments {
 public:
  PassArguments() = default;
  // The defaults.
  explicit PassArguments(const std::vector<PassOption>& options);

  // False, and nothing is changed, if the option does not take this value.
  bool set(const PassOption& option, std::string_view value);

  bool flag(std::string_view name) const;
  std::string_view word(std::string_view name) const;
  uint32_t number(std::string_view name) const;
  std::string_view target(std::string_view name = "target") const;
  // Of any kind, as it is written.
  std::string_view text(std::string_view name) const;

 private:
  struct Argument {
    std::string name;
    PassOption::Kind kind;
    std::string text;
    uint32_t number = 0;
  };
  const Argument& find(std::string_view name) const;
  const Argument& find(std::string_view name, PassOption::Kind kind) const;

  std::vector<Argument> arguments_;
};

}  // namespace psi
