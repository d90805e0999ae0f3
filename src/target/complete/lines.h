// The lines of a description: comments removed, continued lines joined, `each` written out. Every byte knows
// its place in the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/complete/problems.h"

namespace psi::target {

class SourceLine {
 public:
  const std::string& text() const { return text_; }
  bool is_indented() const { return !text_.empty() && (text_[0] == ' ' || text_[0] == '\t'); }
  // Where the bytes from `begin` stand in the file.
  Location where(size_t begin, size_t length) const;
  // Of the line without its indentation.
  Location where() const;

  void append(std::string_view text, Location begin) { append(text, begin, false); }
  // Text in the place of a name in angle brackets: all of it stands where the name stands.
  void append_replaced(std::string_view text, Location placeholder) { append(text, placeholder, true); }
  // The same line with `<NAME>` replaced.
  SourceLine replaced(std::span<const std::string_view> names,
                      std::span<const std::string_view> values) const;
  // The same line with blanks in the place of these bytes.
  SourceLine blanked(size_t begin, size_t length) const;
  // The same line with other text in the place of these bytes, which stands where they stood.
  SourceLine with(size_t begin, size_t length, std::string_view text) const;

 private:
  struct Segment {
    size_t begin;  // in text_
    Location where;
    bool is_replaced;
  };
  void append(std::string_view text, Location where, bool is_replaced);
  void append_part(const SourceLine& line, size_t begin, size_t end);

  std::string text_;
  std::vector<Segment> segments_;
};

// The lines that have text. `has_places`: otherwise all are at line 0, since they stand in another file.
std::vector<SourceLine> read_lines(std::string_view text, bool has_places, Problems& problems);

}  // namespace psi::target
