#include "view/dot.h"

#include <fmt/format.h>

namespace psi::view {

Dot::Dot(std::string_view title) {
  out_ = fmt::format("digraph {} {{\n", quote(title));
  out_ += "  node [shape=box, fontname=\"monospace\"];\n";
  out_ += "  edge [fontname=\"monospace\"];\n";
}

void Dot::node(uint32_t number, std::string_view label, std::string_view attributes) {
  out_ += fmt::format("  n{} [label={}{}{}];\n", number, quote(label), attributes.empty() ? "" : ", ",
                      attributes);
}

void Dot::edge(uint32_t from, uint32_t to, std::string_view attributes) {
  out_ += fmt::format("  n{} -> n{}", from, to);
  if (!attributes.empty()) out_ += fmt::format(" [{}]", attributes);
  out_ += ";\n";
}

std::string Dot::finish() {
  out_ += "}\n";
  return std::move(out_);
}

std::string Dot::quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace psi::view
