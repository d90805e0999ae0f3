// A graph in the language of Graphviz.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace psi::emit {

class Dot {
 public:
  explicit Dot(std::string_view title);

  // Nodes are known by numbers. `label` is any text; `attributes` are further ones, `style=dotted, width=2`.
  void node(uint32_t number, std::string_view label, std::string_view attributes = {});
  void edge(uint32_t from, uint32_t to, std::string_view attributes = {});
  // Call once.
  std::string finish();

  // In quotes, so that it is shown as it is; a line end is one.
  static std::string quote(std::string_view text);

 private:
  std::string out_;
};

}  // namespace psi::emit
