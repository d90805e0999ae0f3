#include "psi/support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/byte_order_mark.h"

namespace psi {
namespace {

constexpr std::string_view kBold = "\033[1m", kReset = "\033[0m";

struct SeverityStyle {
  std::string_view word, colour;
};

SeverityStyle style_of(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::Error:
      return {"error", "\033[1;31m"};
    case Diagnostic::Severity::Warning:
      return {"warning", "\033[1;35m"};
    case Diagnostic::Severity::Note:
      return {"note", "\033[1;36m"};
  }
  return {};
}

// Start offsets of the lines, so that many diagnostics in a large file stay cheap.
std::vector<size_t> line_starts(std::string_view text) {
  std::vector<size_t> starts = {text.size() - without_mark(text).size()};
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    starts.push_back(at + 1);
  }
  return starts;
}

// The bytes of the character at the start of `text`; 0 if it is not printable.
size_t printable_length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return text[0] == '\t' || (byte(0) >= 0x20 && byte(0) != 0x7f) ? 1 : 0;
  size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // C1 controls.
  return byte(0) == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

// With a `?` for what a terminal would take as a command.
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = printable_length(text);
    out += length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

// The source line with a `?` for each unprintable byte, and the caret line under it. A very long line is cut
// to a window around the caret.
void append_excerpt(std::string& out, std::string_view line, const Location& where) {
  constexpr size_t kMaxWidth = 160, kBefore = 60;
  size_t column = std::min<size_t>(where.column ? where.column - 1 : 0, line.size());
  size_t begin = line.size() > kMaxWidth && column > kBefore ? column - kBefore : 0;
  std::string_view shown = line.substr(begin, kMaxWidth);
  column -= begin;
  size_t end = std::min<size_t>(column + std::max<uint32_t>(where.length, 1), shown.size());
  std::string marks;
  out += "  ";
  for (size_t i = 0; i < shown.size();) {
    size_t length = printable_length(shown.substr(i));
    out += length == 0 ? "?" : shown.substr(i, length);
    // One mark for each character, under its first byte.
    if (i < column) {
      marks += shown[i] == '\t' ? '\t' : ' ';
    } else if (i > column && i < end) {
      marks += '~';
    } else if (i == column) {
      marks += '^';
    }
    i += std::max<size_t>(length, 1);
  }
  if (column >= shown.size()) marks += '^';
  out += "\n  " + marks + '\n';
}

}  // namespace

void Diagnostics::error(Location where, std::string message, std::string context) {
  last_kept_ = errors_ < kMaxErrors;
  ++errors_;
  if (last_kept_)
    all_.push_back({Diagnostic::Severity::Error, where, std::move(message), std::move(context)});
}

void Diagnostics::note(Location where, std::string message) {
  if (last_kept_) all_.push_back({Diagnostic::Severity::Note, where, std::move(message), {}});
}

void Diagnostics::warning(Location where, std::string message) {
  last_kept_ = true;
  all_.push_back({Diagnostic::Severity::Warning, where, std::move(message), {}});
}

void Diagnostics::add(const Diagnostics& other) {
  for (const Diagnostic& diagnostic : other.all_) {
    if (diagnostic.severity == Diagnostic::Severity::Error) {
      error(diagnostic.where, diagnostic.message, diagnostic.context);
    } else if (diagnostic.severity == Diagnostic::Severity::Note) {
      note(diagnostic.where, diagnostic.message);
    } else {
      warning(diagnostic.where, diagnostic.message);
    }
  }
  size_t kept = 0;
  for (const Diagnostic& diagnostic : other.all_) kept += diagnostic.severity == Diagnostic::Severity::Error;
  errors_ += other.errors_ - kept;
}

std::string Diagnostics::first_error() const {
  for (const Diagnostic& diagnostic : all_) {
    if (diagnostic.severity == Diagnostic::Severity::Error) return diagnostic.message;
  }
  return {};
}

std::string Diagnostics::text() const {
  std::string out;
  for (const Diagnostic& diagnostic : all_) {
    if (diagnostic.severity != Diagnostic::Severity::Error) continue;
    if (!out.empty()) out += '\n';
    if (diagnostic.where.line != 0)
      out += fmt::format("{}:{}: ", diagnostic.where.line, diagnostic.where.column);
    out += diagnostic.message;
    if (!diagnostic.context.empty()) out += fmt::format(" (in {})", diagnostic.context);
  }
  if (errors_ > kMaxErrors) out += fmt::format("\n{} more errors not shown", errors_ - kMaxErrors);
  return out;
}

std::string render(const Diagnostics& diagnostics, std::string_view file, std::string_view text,
                   bool colour) {
  std::string out;
  std::vector<size_t> starts = line_starts(text);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    SeverityStyle style = style_of(diagnostic.severity);
    std::string message = printable(diagnostic.message);
    std::string place(file);
    if (diagnostic.where.line != 0) {
      place += fmt::format(":{}:{}", diagnostic.where.line, diagnostic.where.column);
    }
    if (colour) {
      out += fmt::format("{}{}: {}{}: {}{}{}{}\n", kBold, place, style.colour, style.word, kReset, kBold,
                         message, kReset);
    } else {
      out += fmt::format("{}: {}: {}\n", place, style.word, message);
    }
    if (diagnostic.where.line != 0 && diagnostic.where.line <= starts.size()) {
      size_t begin = starts[diagnostic.where.line - 1];
      size_t end = std::min(text.find('\n', begin), text.size());
      if (end > begin && text[end - 1] == '\r') --end;
      append_excerpt(out, text.substr(begin, end - begin), diagnostic.where);
    } else if (!diagnostic.context.empty()) {
      out += fmt::format("  in {}\n", diagnostic.context);
    }
  }
  if (diagnostics.num_errors() > Diagnostics::kMaxErrors) {
    size_t rest = diagnostics.num_errors() - Diagnostics::kMaxErrors;
    out += fmt::format("{}: and {}{} more error{}\n", file, diagnostics.is_full() ? "at least " : "", rest,
                       rest == 1 ? "" : "s");
  }
  return out;
}

}  // namespace psi
