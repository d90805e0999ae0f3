#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cfg_testing.h"
#include "iterations.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"
#include "psi/text/text.h"
#include "psi/view/views.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

// The function as $f of a module.
Function& add_function(Module& module, const Graph& graph) {
  Function& function = module.add_function(module.intern_symbol("f"));
  SymbolId symbol = function.symbol;
  function = function_of(graph);
  function.symbol = symbol;
  return function;
}

const View& view(std::string_view name) {
  for (const View& view : views()) {
    if (view.name == name) return view;
  }
  ADD_FAILURE() << "no view " << name;
  return views()[0];
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      ADD_FAILURE() << "the last line has no end";
      end = text.size() - 1;
    }
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// One graph: braces balanced and closed at the very end, quotes and brackets closed on their lines, and edges
// only between nodes that are there, before them or behind.
void expect_sound_dot(std::string_view dot) {
  ASSERT_TRUE(dot.starts_with("digraph \""));
  int depth = 0;
  size_t closed_at = 0;
  std::set<std::string> nodes, ends;
  for (std::string_view line : lines_of(dot)) {
    bool in_quotes = false;
    int brackets = 0;
    std::string bare;  // the line without what is in quotes
    for (size_t i = 0; i < line.size(); ++i) {
      if (in_quotes && line[i] == '\\') {
        ASSERT_LT(++i, line.size());
        continue;
      }
      if (line[i] == '"') in_quotes = !in_quotes;
      if (in_quotes) continue;
      bare += line[i];
      if (line[i] == '[') ++brackets;
      if (line[i] == ']') --brackets;
      if (line[i] == '{') ++depth;
      if (line[i] == '}') --depth;
      ASSERT_GE(brackets, 0);
      if (depth == 0 && closed_at == 0) {
        if (line[i] == '}') closed_at = static_cast<size_t>(line.data() - dot.data()) + i;
      }
    }
    ASSERT_FALSE(in_quotes) << line;
    ASSERT_EQ(brackets, 0) << line;
    bare.erase(0, bare.find_first_not_of(' '));
    if (!bare.starts_with('n') || bare.starts_with("node ")) continue;
    ASSERT_EQ(bare.back(), ';');
    std::string from = bare.substr(0, bare.find_first_of(" ;"));
    size_t arrow = bare.find(" -> ");
    if (arrow == std::string::npos) {
      ASSERT_TRUE(nodes.insert(from).second) << from << " is there twice";
      continue;
    }
    ends.insert(from);
    ends.insert(bare.substr(arrow + 4, bare.find_first_of(" ;", arrow + 4) - arrow - 4));
  }
  for (const std::string& end : ends) ASSERT_TRUE(nodes.contains(end)) << end;
  ASSERT_EQ(depth, 0);
  ASSERT_EQ(closed_at + 2, dot.size());
}

// The parent of each name in a tree written by indentation.
std::map<std::string, std::string> read_tree(std::string_view text) {
  std::map<std::string, std::string> parents;
  std::vector<std::string> path;
  for (std::string_view line : lines_of(text)) {
    size_t spaces = line.find_first_not_of(' ');
    if (!line.substr(spaces).starts_with('@') && line != "exit") continue;
    size_t level = spaces / 2;
    std::string name(line.substr(spaces, line.find(' ', spaces) - spaces));
    EXPECT_LE(level, path.size()) << line;
    path.resize(level);
    EXPECT_TRUE(parents.emplace(name, path.empty() ? "" : path.back()).second) << name << " is there twice";
    path.push_back(name);
  }
  return parents;
}

std::string name_of(BlockId b) { return b ? "@" + std::to_string(b.index()) : ""; }

TEST(Emit, TheTableIsComplete) {
  std::set<std::string_view> names;
  for (const View& view : views()) {
    EXPECT_TRUE(names.insert(view.name).second) << view.name;
    EXPECT_FALSE(view.summary.empty());
    EXPECT_NE(view.text, nullptr);
    EXPECT_NE(view.dot, nullptr);
  }
}

TEST(Emit, TreesReadBack) {
  std::mt19937 random(17);
  for (int iteration = 0; iteration < testing::iterations(2000); ++iteration) {
    Module module;
    const Function& function = add_function(module, testing::random_graph(random, 25));
    Analyses analyses(function);
    std::map<std::string, std::string> dom = read_tree(view("dom").text(module, function, analyses));
    std::map<std::string, std::string> postdom = read_tree(view("postdom").text(module, function, analyses));
    std::map<std::string, std::string> loops = read_tree(view("loops").text(module, function, analyses));
    size_t num_reachable = analyses.get<Order>().num_reachable();
    ASSERT_EQ(dom.size(), num_reachable);
    ASSERT_EQ(postdom.size(), num_reachable + 1);
    ASSERT_EQ(postdom.at("exit"), "");
    ASSERT_EQ(loops.size(), analyses.get<Loops>().num_loops());
    for (BlockId b : analyses.get<Order>().reverse_post_order()) {
      ASSERT_EQ(dom.at(name_of(b)), name_of(analyses.get<Dominators>().idom(b)));
      BlockId ipdom = analyses.get<PostDominators>().ipdom(b);
      ASSERT_EQ(postdom.at(name_of(b)), ipdom ? name_of(ipdom) : "exit");
    }
    for (uint32_t i = 0; i < analyses.get<Loops>().num_loops(); ++i) {
      LoopId up = analyses.get<Loops>().parent(LoopId(i));
      ASSERT_EQ(loops.at(name_of(analyses.get<Loops>().header(LoopId(i)))),
                up ? name_of(analyses.get<Loops>().header(up)) : "");
    }
  }
}

// Each block has a line of its own, or is named as unreachable.
TEST(Emit, EveryBlockIsThere) {
  std::mt19937 random(23);
  for (int iteration = 0; iteration < testing::iterations(500); ++iteration) {
    Module module;
    const Function& function = add_function(module, testing::random_graph(random, 25));
    Analyses analyses(function);
    for (const View& view : views()) {
      if (view.name == "loops" || view.name == "webs") continue;
      std::string text = view.text(module, function, analyses);
      std::map<std::string, int> seen;
      for (std::string_view line : lines_of(text)) {
        ASSERT_FALSE(line.ends_with(' ')) << line;
        bool is_last = line.starts_with("unreachable: ");
        if (is_last) line.remove_prefix(std::string_view("unreachable:").size());
        do {
          line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
          if (line.starts_with('@')) ++seen[std::string(line.substr(0, line.find(' ')))];
          line.remove_prefix(std::min(line.find(' '), line.size()));
        } while (is_last && !line.empty());
      }
      ASSERT_EQ(seen.size(), function.layout().size()) << text;
      for (auto [name, times] : seen) ASSERT_EQ(times, 1) << name << "\n" << text;
    }
  }
}

TEST(Emit, DrawingsAreSound) {
  std::mt19937 random(5);
  const std::vector<std::string> odd = {"a b", "\"", "\\", "}{", "->", "x\ny", "[", "\\N", "end\\", ";"};
  for (int iteration = 0; iteration < testing::iterations(500); ++iteration) {
    Module module;
    Function& function = add_function(module, testing::random_graph(random, 20));
    for (BlockId b : function.layout()) function.set_name(b, odd[random() % odd.size()]);
    Analyses analyses(function);
    for (const View& view : views()) {
      ASSERT_NO_FATAL_FAILURE(expect_sound_dot(view.dot(module, function, analyses))) << view.name;
    }
  }
}

// As in the text, so that a name in a view can be looked up there.
TEST(Emit, NamesAreThoseOfTheText) {
  Module module;
  Function& function = add_function(module, {{1, 2, 3}, {1}, {}, {3, 2}});
  function.set_name(BlockId(0), "twice");
  function.set_name(BlockId(1), "twice");
  function.set_name(BlockId(2), "0");
  Analyses analyses(function);
  std::string program = print(module, function);
  std::vector<std::string> expected;
  for (std::string_view line : lines_of(program)) {
    if (line.starts_with('@')) expected.emplace_back(line.substr(0, line.find(':')));
  }
  ASSERT_EQ(expected.size(), 4u);
  std::vector<std::string> names;
  std::string text = view("frontiers").text(module, function, analyses);
  for (std::string_view line : lines_of(text)) {
    if (line.starts_with('@')) names.emplace_back(line.substr(0, line.find(' ')));
  }
  EXPECT_EQ(names, expected);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 4u);
}

void expect_linear(const Graph& graph, const std::set<std::string_view>& skipped) {
  constexpr size_t kBytesPerBlock = 200;
  Module module;
  const Function& function = add_function(module, graph);
  Analyses analyses(function);
  for (const View& view : views()) {
    if (skipped.contains(view.name)) continue;
    std::string text = view.text(module, function, analyses);
    EXPECT_GT(text.size(), graph.size()) << view.name;
    EXPECT_LT(text.size(), kBytesPerBlock * graph.size()) << view.name;
    std::string dot = view.dot(module, function, analyses);
    EXPECT_LT(dot.size(), kBytesPerBlock * graph.size()) << view.name;
    ASSERT_NO_FATAL_FAILURE(expect_sound_dot(dot));
  }
}

constexpr uint32_t kDepth = testing::iterations(100'000);

TEST(Emit, DeepTreesStaySmall) {
  Graph graph(kDepth);
  for (uint32_t b = 0; b + 1 < kDepth; ++b) graph[b] = {b + 1};
  expect_linear(graph, {"loops", "webs"});  // there are none

  Module module;
  const Function& function = add_function(module, graph);
  Analyses analyses(function);
  std::string text = view("dom").text(module, function, analyses);
  std::vector<std::string_view> lines = lines_of(text);
  EXPECT_EQ(lines[41], std::string(80, ' ').append("@40"));
  EXPECT_EQ(lines[42], "[41] @41");
  EXPECT_EQ(lines.back(), fmt::format("[{0}] @{0}", kDepth - 1));
}

TEST(Emit, DeepNestsOfLoopsStaySmall) {
  // Headers 1 to kDepth, then the ends of the loops, the innermost first.
  Graph graph(2 * kDepth + 2);
  for (uint32_t h = 0; h <= kDepth; ++h) graph[h] = {h + 1};
  for (uint32_t i = 1; i <= kDepth; ++i) graph[kDepth + i] = {kDepth + 1 - i, kDepth + i + 1};
  // These are large by nature: each block has as many as there are loops around it.
  expect_linear(graph, {"frontiers", "control", "webs"});

  Module module;
  const Function& function = add_function(module, graph);
  Analyses analyses(function);
  std::string text = view("loops").text(module, function, analyses);
  std::vector<std::string_view> lines = lines_of(text);
  ASSERT_EQ(lines.size(), kDepth + 1);
  EXPECT_EQ(lines[2], fmt::format("  @2 depth 2: @2 @{}", 2 * kDepth - 1));
  EXPECT_EQ(lines.back(), fmt::format("@{0} depth {0}: @{0} @{1}", kDepth, kDepth + 1));
}

// A long list does not make the other rows long.
TEST(Emit, WideTreesStaySmall) {
  Graph graph(kDepth);
  for (uint32_t b = 1; b < kDepth; ++b) graph[0].push_back(b);
  expect_linear(graph, {"loops", "webs"});
}

}  // namespace
}  // namespace psi
