// A graph for Graphviz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace psi::view {

class Dot {
 public:
  enum class Kind : uint8_t { Directed, Undirected };
  // The title is drawn above the graph. `attributes` are those of the graph, `layout=neato; start=1`.
  explicit Dot(std::string_view title, Kind kind = Kind::Directed, std::string_view attributes = {});

  // Nodes are known by numbers. `label` is any text, centred; `attributes` are further ones, `style=dotted,
  // width=2`.
  void node(uint32_t number, std::string_view label, std::string_view attributes = {});
  // The same with the lines of the label flush left, as in a program.
  void listing(uint32_t number, std::string_view label, std::string_view attributes = {});
  void edge(uint32_t from, uint32_t to, std::string_view attributes = {});
  // What is added until the matching end stands in a frame of its own.
  void begin_frame(std::string_view label, std::string_view attributes = {});
  void end_frame();
  // Call once.
  std::string finish();

  // Quoted, so that it is shown verbatim; line ends are preserved.
  static std::string quote(std::string_view text) { return quote(text, "\\n"); }

 private:
  static std::string quote(std::string_view text, std::string_view line_end);
  void line(std::string_view text);

  std::string out_;
  std::string_view arrow_;
  uint32_t num_frames_ = 0;
  uint32_t depth_ = 1;  // of indentation
};

// The text in lines of at most `width` characters where it has spaces to break it at; lines after the first
// begin with `indent`.
std::string wrap(std::string_view text, size_t width, std::string_view indent = {});

}  // namespace psi::view
