// Parses the value after a key of a target description.
#pragma once

#include "target/description.h"
#include "target/description_lines.h"

namespace psi::target {

class ValueReader {
 public:
  // The current line, which begins with the key.
  ValueReader(const DescriptionLines& lines, const Key& key, Target& target, Diagnostics& diagnostics)
      : lines_(lines), key_(key), target_(target), diagnostics_(diagnostics) {}

  void read();

 private:
  bool at_end() const { return at_ == lines_.words().size(); }
  const Word& take() { return lines_.words()[at_++]; }
  // Is the next word the last one, and `text`?
  bool accept_only(std::string_view text);
  void fail(const Word& word, std::string message) { diagnostics_.error(word.where, std::move(message)); }

  void read_name();
  void read_number();
  void read_flag();
  void read_guards();
  void read_redirected();
  void read_actions();
  void read_registers();
  void read_offset();
  void read_scales();
  std::optional<uint32_t> take_number(uint32_t min, uint32_t max, std::string_view or_else);
  std::optional<LiteralRange> take_range();
  void expect_end();

  const DescriptionLines& lines_;
  const Key& key_;
  Target& target_;
  Diagnostics& diagnostics_;
  size_t at_ = 1;
};

}  // namespace psi::target
