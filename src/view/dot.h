// A graph for Graphviz.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace psi::view {

class Dot {
 public:
  explicit Dot(std::string_view title);

  // Nodes are known by numbers. `label` is any text; `attributes` are further ones, `style=dotted, width=2`.
  void node(uint32_t number, std::string_view label, std::string_view attributes = {});
  void edge(uint32_t from, uint32_t to, std::string_view attributes = {});
  // Call once.
  std::string finish();

  // Quoted, so that it is shown verbatim; line ends are preserved.
  static std::string quote(std::string_view text);

 private:
  std::string out_;
};

}  // namespace psi::view
