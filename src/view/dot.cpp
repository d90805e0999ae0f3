#include "view/dot.h"

#include <fmt/format.h>

#include <algorithm>

namespace psi::view {

Dot::Dot(std::string_view title, Kind kind, std::string_view attributes)
    : arrow_(kind == Kind::Directed ? "->" : "--") {
  out_ = fmt::format("{} {} {{\n", kind == Kind::Directed ? "digraph" : "graph", quote(title));
  line(fmt::format("graph [label={}, labelloc=t, fontname=\"monospace\"];", quote(title)));
  line("node [shape=box, fontname=\"monospace\"];");
  line("edge [fontname=\"monospace\", fontsize=11];");
  if (!attributes.empty()) line(fmt::format("{};", attributes));
}

void Dot::node(uint32_t number, std::string_view label, std::string_view attributes) {
  std::string_view comma = attributes.empty() ? "" : ", ";
  line(fmt::format("n{} [label={}{}{}];", number, quote(label), comma, attributes));
}

void Dot::listing(uint32_t number, std::string_view label, std::string_view attributes) {
  std::string_view comma = attributes.empty() ? "" : ", ";
  line(fmt::format("n{} [label={}{}{}];", number, quote(fmt::format("{}\n", label), "\\l"), comma,
                   attributes));
}

void Dot::edge(uint32_t from, uint32_t to, std::string_view attributes) {
  std::string text = fmt::format("n{} {} n{}", from, arrow_, to);
  if (!attributes.empty()) text += fmt::format(" [{}]", attributes);
  line(text + ';');
}

void Dot::begin_frame(std::string_view label, std::string_view attributes) {
  line(fmt::format("subgraph cluster_{} {{", num_frames_++));
  ++depth_;
  std::string_view comma = attributes.empty() ? "" : ", ";
  line(fmt::format("graph [label={}, labeljust=l, margin=16{}{}];", quote(label), comma, attributes));
}

void Dot::end_frame() {
  --depth_;
  line("}");
}

std::string Dot::finish() {
  out_ += "}\n";
  return std::move(out_);
}

// Graphviz takes `\` for the beginning of an escape sequence and `&` for that of an entity.
std::string Dot::quote(std::string_view text, std::string_view line_end) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') {
      out += line_end;
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

void Dot::line(std::string_view text) {
  out_.append(size_t{2} * depth_, ' ');
  out_ += text;
  out_ += '\n';
}

std::string wrap(std::string_view text, size_t width, std::string_view indent) {
  std::string out;
  size_t column = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    if (column > 0 && column + 1 + word.size() > width) {
      out += '\n';
      out += indent;
      column = indent.size();
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace psi::view
