#include "psic/c_includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <vector>

#include "psic/output.h"

namespace psic {
namespace {

namespace fs = std::filesystem;

// Those that read nothing but what they name, or nothing at all.
constexpr std::array<std::string_view, 17> kHarmless = {
    "define", "undef", "if",      "ifdef", "ifndef", "elif",  "elifdef", "elifndef", "else",
    "endif",  "error", "warning", "line",  "pragma", "ident", "sccs",    ""};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Scan {
 public:
  explicit Scan(std::string_view text) {
    // Lines that are continued are one line. clang allows spaces behind the backslash.
    uint32_t line = 1;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        size_t end = i + 1;
        while (end < text.size() && is_space(text[end])) ++end;
        if (end < text.size() && text[end] == '\n') {
          i = end;
          ++line;
          continue;
        }
      }
      text_ += text[i];
      lines_.push_back(line);
      line += text[i] == '\n';
    }
    lines_.push_back(line);
  }

  // The names of files that are included with quotes, in order.
  std::vector<std::string> quoted;

  std::optional<ForbiddenRead> run() {
    bool at_start = true;  // of a line: nothing but spaces and comments came before
    while (at_ < text_.size()) {
      if (skip_blank()) continue;
      char c = text_[at_];
      if (c == '\n') {
        ++at_;
        at_start = true;
      } else if (at_start &&
                 (c == '#' || text_.compare(at_, 2, "%:") == 0 || text_.compare(at_, 3, "?\?=") == 0)) {
        at_ += c == '#' ? 1 : c == '%' ? 2 : 3;
        if (auto wrong = directive()) return wrong;
        at_start = false;
      } else {
        at_start = false;
        if (auto wrong = token()) return wrong;
      }
    }
    return std::nullopt;
  }

 private:
  ForbiddenRead wrong(std::string message) const {
    return {{}, lines_[std::min(at_, lines_.size() - 1)], std::move(message)};
  }

  // Spaces, or a comment; false if there is none.
  bool skip_blank() {
    if (is_space(text_[at_])) {
      ++at_;
      return true;
    }
    if (text_.compare(at_, 2, "//") == 0) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (text_.compare(at_, 2, "/*") != 0) return false;
    size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string::npos ? text_.size() : end + 2;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && skip_blank()) continue;
  }
  std::string_view word() {
    size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  std::optional<ForbiddenRead> directive() {
    skip_blanks();
    std::string_view name = word();
    if (name == "include") return include();
    if (std::ranges::find(kHarmless, name) != kHarmless.end()) return std::nullopt;
    return wrong(fmt::format("#{} is refused here", name));
  }

  std::optional<ForbiddenRead> include() {
    skip_blanks();
    char open = at_ < text_.size() ? text_[at_] : '\n';
    if (open != '<' && open != '"') return wrong("#include by a macro is refused here");
    size_t line_end = std::min(text_.find('\n', at_), text_.size());
    size_t end = text_.find(open == '<' ? '>' : '"', at_ + 1);
    if (end >= line_end) return wrong("#include without the end of its name");
    std::string name = text_.substr(at_ + 1, end - at_ - 1);
    bool leaves = name.starts_with('/') || name.find("..") != std::string::npos ||
                  name.find('\\') != std::string::npos || name.find('\0') != std::string::npos;
    if (leaves) return wrong(fmt::format("#include of '{}' is refused: it is outside of the folder", name));
    at_ = end + 1;
    if (open == '"') quoted.push_back(std::move(name));
    return std::nullopt;
  }

  std::optional<ForbiddenRead> token() {
    char c = text_[at_];
    if (c == '"' || c == '\'') {
      // A literal ends with its line at the latest.
      for (++at_; at_ < text_.size() && text_[at_] != c && text_[at_] != '\n'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      }
      if (at_ < text_.size() && text_[at_] == c) ++at_;
    } else if (is_letter(c) || is_digit(c)) {
      std::string_view name = word();
      if (name.starts_with("__has_include") || name == "__has_embed") {
        return wrong(fmt::format("{} is refused here", name));
      }
    } else {
      ++at_;
    }
    return std::nullopt;
  }

  std::string text_;
  std::vector<uint32_t> lines_;  // by position
  size_t at_ = 0;
};

bool is_inside(const fs::path& path, const fs::path& folder) {
  auto [end, other] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

}  // namespace

std::optional<ForbiddenRead> find_forbidden_read(std::string_view text, const std::string& folder) {
  std::error_code code;
  fs::path root = fs::canonical(folder, code);
  std::set<fs::path> seen;
  // Texts yet to be read: the name of the file, and what it holds.
  struct Waiting {
    std::string name, text;
  };
  std::vector<Waiting> waiting{{{}, std::string(text)}};
  while (!waiting.empty()) {
    Waiting now = std::move(waiting.back());
    waiting.pop_back();
    Scan scan(now.text);
    if (auto wrong = scan.run()) {
      wrong->file = now.name;
      return wrong;
    }
    for (const std::string& name : scan.quoted) {
      fs::path beside = fs::path(now.name).parent_path() / name;
      for (const fs::path& candidate : {root / beside, root / name}) {
        fs::path path = fs::canonical(candidate, code);
        if (code) continue;  // a system header, or none
        if (!is_inside(path, root)) {
          return ForbiddenRead{now.name, 0,
                               fmt::format("#include of '{}' is refused: it is outside of the folder", name)};
        }
        if (!fs::is_regular_file(path, code) || !seen.insert(path).second) continue;
        std::optional<std::string> contents = read_file(path);
        if (contents) waiting.push_back({fs::relative(path, root, code), std::move(*contents)});
      }
    }
  }
  return std::nullopt;
}

}  // namespace psic
