// The partition graph as a table, as a tree and as a drawing. Linear in the graph, but for names.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "psi/predicate/text.h"
#include "view/dot.h"
#include "view/page.h"

namespace psi {
namespace {

// The names of each symbol, and its expression by other symbols.
class SymbolText {
 public:
  SymbolText(const PredicateText& text, const PartitionGraph& graph) : text_(text), graph_(graph) {
    names_.resize(graph.num_symbols());
    for (uint32_t i = 0; i < graph.num_symbols(); ++i) by_term_[graph.term(Symbol(i)).raw()] = Symbol(i);
    for (const PredicateText::Named& named : text.named()) {
      auto at = by_term_.find(named.term.raw());
      if (at == by_term_.end()) continue;
      std::string& names = names_[at->second.index()];
      if (!names.empty()) names += ' ';
      names += named.name;
    }
  }

  static std::string number(Symbol s) { return fmt::format("{}", s.index() + 1); }
  std::string names(Symbol s) const { return names_[s.index()]; }
  std::string structure(Symbol s) const {
    for (PartitionGraph::PartitionId p : graph_.partitions_of(s)) {
      if (std::ranges::all_of(graph_.parts(p), [&](Symbol part) { return part < s; })) return parts(p);
    }
    return text_.structure(graph_.term(s), [&](Term part) {
      auto at = by_term_.find(part.raw());
      return at == by_term_.end() ? std::string() : number(at->second);
    });
  }
  // `1 = 2 | 3`.
  std::string partition(PartitionGraph::PartitionId p) const {
    return number(graph_.whole(p)) + " = " + parts(p);
  }

 private:
  std::string parts(PartitionGraph::PartitionId p) const {
    std::string out;
    for (Symbol part : graph_.parts(p)) out += (out.empty() ? "" : " | ") + number(part);
    return out;
  }

  const PredicateText& text_;
  const PartitionGraph& graph_;
  std::vector<std::string> names_;  // by Symbol
  std::unordered_map<uint32_t, Symbol> by_term_;
};

}  // namespace

std::string print_table(const PredicateText& text, const PartitionGraph& graph) {
  SymbolText symbols(text, graph);
  view::Table table({"symbol", "is", "names"});
  for (uint32_t i = 0; i < graph.num_symbols(); ++i) {
    std::vector<std::string> row{symbols.number(Symbol(i)), symbols.structure(Symbol(i))};
    if (std::string names = symbols.names(Symbol(i)); !names.empty()) row.push_back(std::move(names));
    table.add(std::move(row));
  }
  std::string out;
  table.append_to(out);
  for (PartitionGraph::PartitionId p = 0; p < graph.num_partitions(); ++p) {
    out += symbols.partition(p) + '\n';
  }
  return out;
}

std::string print_table_as_json(const PredicateText& text, const PartitionGraph& graph,
                                std::string_view title) {
  using Json = nlohmann::ordered_json;
  SymbolText symbols(text, graph);
  Json list = Json::array(), partitions = Json::array();
  for (uint32_t i = 0; i < graph.num_symbols(); ++i) {
    list.push_back({{"symbol", i + 1}, {"is", symbols.structure(Symbol(i))}, {"names", Json::array()}});
    for (const PredicateText::Named& named : text.named()) {
      if (named.term == graph.term(Symbol(i))) list.back()["names"].push_back(named.name);
    }
  }
  for (PartitionGraph::PartitionId p = 0; p < graph.num_partitions(); ++p) {
    Json parts = Json::array();
    for (Symbol part : graph.parts(p)) parts.push_back(part.index() + 1);
    partitions.push_back({{"whole", graph.whole(p).index() + 1}, {"parts", std::move(parts)}});
  }
  return Json{{"of", title}, {"symbols", std::move(list)}, {"partitions", std::move(partitions)}}.dump(2);
}

std::string print_graph(const PredicateText& text, const PartitionGraph& graph) {
  SymbolText symbols(text, graph);
  struct Line {
    Symbol symbol;
    uint32_t level;
    bool starts_partition;
  };
  std::string out;
  std::vector<bool> shown(graph.num_symbols());
  std::vector<Line> stack{{PartitionGraph::root(), 0, false}};
  while (!stack.empty()) {
    auto [symbol, level, starts_partition] = stack.back();
    stack.pop_back();
    view::append_indent(out, level);
    if (level > 0) out += starts_partition ? "= " : "| ";
    out += symbols.number(symbol);
    std::string names = symbols.names(symbol);
    out += ": " + (names.empty() ? symbols.structure(symbol) : names);
    bool is_known = shown[symbol.index()];
    out += is_known && !graph.partitions_of(symbol).empty() ? " (above)\n" : "\n";
    if (is_known) continue;
    shown[symbol.index()] = true;
    std::span<const PartitionGraph::PartitionId> partitions = graph.partitions_of(symbol);
    for (size_t i = partitions.size(); i-- > 0;) {
      std::span<const Symbol> parts = graph.parts(partitions[i]);
      for (size_t k = parts.size(); k-- > 0;) stack.push_back({parts[k], level + 1, k == 0});
    }
  }
  return out;
}

std::string draw_graph(const PredicateText& text, const PartitionGraph& graph, std::string_view title) {
  SymbolText symbols(text, graph);
  view::Dot dot(fmt::format("partition graph of {}", title));
  for (uint32_t i = 0; i < graph.num_symbols(); ++i) {
    std::string names = symbols.names(Symbol(i));
    bool is_plain = names.empty();
    std::string label = is_plain ? symbols.structure(Symbol(i)) : names;
    dot.node(i, view::wrap(fmt::format("{}: {}", i + 1, label), view::kListWidth),
             is_plain ? "style=dashed" : "");
  }
  for (PartitionGraph::PartitionId p = 0; p < graph.num_partitions(); ++p) {
    uint32_t point = graph.num_symbols() + p;
    dot.node(point, "", "shape=point");
    dot.edge(graph.whole(p).index(), point, "arrowhead=none");
    for (Symbol part : graph.parts(p)) dot.edge(point, part.index());
  }
  return dot.finish();
}

}  // namespace psi
