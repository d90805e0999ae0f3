// Errors about a program, each with the place it is about. Collected, never thrown; the tool prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace psi {

// A place in a text: 1-based line and column (in bytes); line 0 means no place. `length` is how many
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
  // Context for an error without a place in a text (the function and instruction it is about).
  std::string context;
};

class Diagnostics {
 public:
  // Errors beyond this many are counted but not kept.
  static constexpr size_t kMaxErrors = 20;

  void error(Location where, std::string message, std::string context = {});
  // Adds to the last error, for the other place that it is about.
  void note(Location where, std::string message);
  void warning(Location where, std::string message);

  bool has_errors() const { return errors_ > 0; }
  size_t num_errors() const { return errors_; }
  bool is_full() const { return errors_ >= kMaxErrors; }
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
  size_t errors_ = 0;
  bool last_kept_ = true;
};

// `FILE:LINE:COL: error: MESSAGE`, the source line and a caret, for each; then how many were left out.
// `text` is the file's contents, empty if there is none.
std::string render(const Diagnostics& diagnostics, std::string_view file, std::string_view text,
                   bool colour = false);

}  // namespace psi
