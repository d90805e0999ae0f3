#include "target/complete/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "support/byte_order_mark.h"

namespace psi::target {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
// Of lines that `each` writes: beyond them a file is a mistake.
constexpr size_t kMaxLines = 100'000;

// The end of the text before a comment. A `#` within quotes is none.
size_t end_of_content(std::string_view line) {
  bool is_quoted = false;
  size_t end = 0;
  for (; end < line.size() && (is_quoted || line[end] != '#'); ++end) {
    if (line[end] == '\\' && is_quoted) {
      ++end;
    } else if (line[end] == '"') {
      is_quoted = !is_quoted;
    }
  }
  end = std::min(end, line.size());
  return line.substr(0, end).find_last_not_of(kBlanks) + 1;
}

std::vector<SourceLine> split(std::string_view text, bool has_places) {
  std::vector<SourceLine> lines;
  text = without_mark(text);
  bool continues = false;
  for (uint32_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view content = text.substr(0, end_of_content(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty()) continue;
    size_t begin = continues ? content.find_first_not_of(kBlanks) : 0;
    if (!continues) lines.emplace_back();
    Location where{has_places ? number : 0, static_cast<uint32_t>(begin) + 1, 1};
    if (continues) lines.back().append(" ", where);
    lines.back().append(content.substr(begin), where);
    continues = content.back() == ',';
  }
  return lines;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  size_t begin = text.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) break;
    begin = end + 1;
    if (separators != ",") begin = text.find_first_not_of(separators, begin);
  }
  return parts;
}

std::string_view first_word(std::string_view line) {
  size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
  return line.substr(begin, end - begin);
}

// Writes out `each`, the innermost ones as often as the rows of all around them.
class Repeater {
 public:
  explicit Repeater(Problems& problems) : problems_(problems) {}

  std::vector<SourceLine> run(std::vector<SourceLine> lines) {
    std::vector<Open> open(1);
    for (SourceLine& line : lines) {
      std::string_view word = first_word(line.text());
      if (word == "each") {
        open.push_back({.head = line, .lines = {}});
      } else if (word == "end" &&
                 first_word(line.text()).size() + line.text().find("end") == line.text().size()) {
        if (open.size() == 1) {
          problems_.error(line.where(), "'end' without an 'each' before it");
          continue;
        }
        Open done = std::move(open.back());
        open.pop_back();
        repeat(done, open.back().lines);
      } else {
        open.back().lines.push_back(std::move(line));
      }
      if (open.back().lines.size() > kMaxLines) {
        problems_.error(open.back().head.where(), fmt::format("'each' makes more than {} lines", kMaxLines));
        return {};
      }
    }
    if (open.size() > 1) problems_.error(open.back().head.where(), "'each' without an 'end'");
    return std::move(open.front().lines);
  }

 private:
  struct Open {
    SourceLine head;
    std::vector<SourceLine> lines;
  };

  void repeat(const Open& each, std::vector<SourceLine>& out) {
    std::string_view head = each.head.text();
    size_t names_at = head.find("each") + 4, in = head.find(" in ");
    if (in == std::string_view::npos || in < names_at) {
      return problems_.error(each.head.where(),
                             "expected names, 'in' and rows of values, as in 'each A,B in x,y z,w'");
    }
    std::vector<std::string_view> names;
    for (std::string_view word : split_at(head.substr(names_at, in - names_at), " \t,"))
      names.push_back(word);
    for (std::string_view row : split_at(head.substr(in + 4), kBlanks)) {
      std::vector<std::string_view> values = split_at(row, ",");
      if (row.ends_with(',')) values.emplace_back();
      for (std::string_view& value : values) {
        if (value == "\"\"") value = {};
      }
      if (values.size() != names.size()) {
        size_t at = static_cast<size_t>(row.data() - head.data());
        problems_.error(each.head.where(at, row.size()),
                        fmt::format("{} value{} for {} name{}", values.size(), values.size() == 1 ? "" : "s",
                                    names.size(), names.size() == 1 ? "" : "s"));
        continue;
      }
      for (const SourceLine& line : each.lines) out.push_back(line.replaced(names, values));
    }
  }

  Problems& problems_;
};

}  // namespace

void SourceLine::append(std::string_view text, Location where, bool is_replaced) {
  segments_.push_back({text_.size(), where, is_replaced});
  text_ += text;
}

void SourceLine::append_part(const SourceLine& line, size_t begin, size_t end) {
  for (size_t i = 0; i < line.segments_.size(); ++i) {
    const Segment& segment = line.segments_[i];
    size_t last = i + 1 < line.segments_.size() ? line.segments_[i + 1].begin : line.text_.size();
    size_t from = std::max(begin, segment.begin), to = std::min(end, last);
    if (from >= to) continue;
    Location where = segment.where;
    if (!segment.is_replaced) where.column += static_cast<uint32_t>(from - segment.begin);
    append(std::string_view(line.text_).substr(from, to - from), where, segment.is_replaced);
  }
}

SourceLine SourceLine::blanked(size_t begin, size_t length) const {
  SourceLine line = *this;
  line.text_.replace(begin, length, length, ' ');
  return line;
}

SourceLine SourceLine::with(size_t begin, size_t length, std::string_view text) const {
  SourceLine line;
  line.append_part(*this, 0, begin);
  line.append_replaced(text, where(begin, length));
  line.append_part(*this, begin + length, text_.size());
  return line;
}

SourceLine SourceLine::replaced(std::span<const std::string_view> names,
                                std::span<const std::string_view> values) const {
  SourceLine out;
  size_t at = 0;
  while (at < text_.size()) {
    size_t open = std::min(text_.find('<', at), text_.size());
    size_t close = open < text_.size() ? text_.find('>', open) : std::string::npos;
    std::string_view name;
    if (close != std::string::npos) name = std::string_view(text_).substr(open + 1, close - open - 1);
    auto found = std::ranges::find(names, name);
    if (name.empty() || found == names.end()) {
      size_t end = std::min(open + 1, text_.size());
      out.append_part(*this, at, end);
      at = end;
      continue;
    }
    out.append_part(*this, at, open);
    out.append_replaced(values[static_cast<size_t>(found - names.begin())], where(open, close + 1 - open));
    at = close + 1;
  }
  return out;
}

Location SourceLine::where(size_t begin, size_t length) const {
  if (segments_.empty()) return {};
  auto after = std::ranges::upper_bound(segments_, begin, {}, &Segment::begin);
  const Segment& segment = after == segments_.begin() ? segments_.front() : *(after - 1);
  Location where = segment.where;
  if (where.line == 0) return {};
  if (segment.is_replaced) return where;
  size_t end = after == segments_.end() ? text_.size() : after->begin;
  where.column += static_cast<uint32_t>(begin - segment.begin);
  where.length =
      static_cast<uint32_t>(std::max<size_t>(1, std::min(length, std::max(end, begin + 1) - begin)));
  return where;
}

Location SourceLine::where() const {
  size_t begin = text_.find_first_not_of(kBlanks);
  return begin == std::string::npos ? where(0, 1) : where(begin, text_.size() - begin);
}

std::vector<SourceLine> read_lines(std::string_view text, bool has_places, Problems& problems) {
  return Repeater(problems).run(split(text, has_places));
}

}  // namespace psi::target
