// Errors in a program, each with its place. Collected, never thrown; the tool prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace psi {

// A place in a text: 1-based line and column (in bytes); line 0 means no place. `length` is the number of
// bytes to underline.
struct Location {
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 1;
  bool operator==(const Location&) const = default;
};

struct Diagnostic {
  enum class Severity : uint8_t { Error, Warning, Note };
  Severity severity = Severity::Error;
  Location where;
  std::string message;
  // Context of an error without a place in a text: its function and instruction.
  std::string context;
};

class Diagnostics {
 public:
  // Errors beyond this many are counted but not kept,
  static constexpr size_t kMaxErrors = 20;
  // and beyond this many not looked for.
  static constexpr size_t kMaxCounted = 100'000;

  void error(Location where, std::string message, std::string context = {});
  // Adds a note to the last error, for another place.
  void note(Location where, std::string message);
  void warning(Location where, std::string message);
  // Takes over what `other` holds.
  void add(const Diagnostics& other);

  bool has_errors() const { return errors_ > 0; }
  size_t num_errors() const { return errors_; }
  bool is_full() const { return errors_ >= kMaxCounted; }
  const std::vector<Diagnostic>& all() const { return all_; }
  // The message of the first error; empty if there is none.
  std::string first_error() const;
  // The errors, one in a line, each with its place: for a message where no text is at hand. `render` says
  // more.
  std::string text() const;

 private:
  std::vector<Diagnostic> all_;
  size_t errors_ = 0;
  bool last_kept_ = true;
};

// `FILE:LINE:COL: error: MESSAGE`, the source line and a caret, for each; then the number of errors left out.
// `text` is the file's contents, empty if there is none.
std::string render(const Diagnostics& diagnostics, std::string_view file, std::string_view text,
                   bool colour = false);

}  // namespace psi
