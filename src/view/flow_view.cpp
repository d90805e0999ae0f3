#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "psi/predicate/text.h"
#include "psi/view/flow_text.h"
#include "view/numbering.h"
#include "view/page.h"

namespace psi {
namespace {

using view::Numbering;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kProblems = {"live", "reaching", "up-exposed", "down-exposed",
                                                       "available"};
constexpr std::array<std::string_view, 3> kScopes = {"blind", "local", "global"};

template <class Value, size_t kCount>
std::optional<Value> find_name(const std::array<std::string_view, kCount>& names, std::string_view name) {
  auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Value>(at - names.begin());
}

class FlowText {
 public:
  FlowText(const Module& module, const Function& function, Analyses& analyses, FlowProblem problem,
           FlowScope scope)
      : module_(module),
        function_(function),
        page_(module, function, analyses),
        numbers_(function),
        flow_(function, analyses, problem, scope),
        problem_(problem),
        scope_(scope) {
    name_items();
  }

  void append(std::string& out, BlockId b) {
    std::span<const InstId> insts = function_.insts(b);
    std::vector<Point> points = points_of(b);
    out += page_.name(b) + '\n';
    append(out, points[0]);
    for (size_t i = 0; i < insts.size(); ++i) {
      out += fmt::format("{:5}  {}\n", numbers_[insts[i]], print(module_, function_, insts[i]));
      append(out, points[i + 1]);
    }
  }
  Json as_json(BlockId b) {
    std::span<const InstId> insts = function_.insts(b);
    std::vector<Point> points = points_of(b);
    Json instructions = Json::array();
    for (size_t i = 0; i < insts.size(); ++i) {
      instructions.push_back({{"number", numbers_[insts[i]]},
                              {"text", print(module_, function_, insts[i])},
                              {"after", as_json(points[i + 1])}});
    }
    return {
        {"block", page_.name(b)}, {"before", as_json(points[0])}, {"instructions", std::move(instructions)}};
  }

 private:
  void name_items() {
    for (const FlowItem& item : flow_.items()) {
      if (problem_ == FlowProblem::AvailableExpressions) {
        std::string text = print(module_, function_, item.inst);
        size_t equals = text.find(" = ");
        items_.push_back('(' + (equals == std::string::npos ? text : text.substr(equals + 3)) + ')');
      } else if (item.inst && problem_ != FlowProblem::Liveness) {
        items_.push_back(fmt::format("{}[{}]", page_.name(item.reg), numbers_[item.inst]));
      } else {
        items_.push_back(page_.name(item.reg));
      }
    }
  }

  void name_predicates(BlockId b) {
    Predicates* predicates = flow_.predicates();
    bool is_global = scope_ == FlowScope::Global;
    if (!predicates || (is_global && text_)) return;
    text_.emplace(module_, function_, *predicates, is_ssa(function_.form) ? BlockId() : b);
  }

  // What holds at a point, and where, if not in all executions.
  struct Fact {
    std::string item, where;
  };
  using Point = std::vector<Fact>;
  std::vector<Point> points_of(BlockId b) {
    std::vector<Point> points(function_.insts(b).size() + 1);
    flow_.enter(b);
    name_predicates(b);
    do {
      points[flow_.position()] = point();
    } while (flow_.advance());
    return points;
  }
  Point point() {
    std::vector<FlowState::Entry> entries(flow_.state().entries().begin(), flow_.state().entries().end());
    std::ranges::sort(entries, {}, &FlowState::Entry::item);
    Point point;
    for (const FlowState::Entry& entry : entries) {
      bool is_everywhere = entry.where.contains(PartitionGraph::root());
      point.push_back(
          {items_[entry.item], is_everywhere ? "" : text_->expression(entry.where, flow_.graph())});
    }
    return point;
  }
  // `%x, %y if %p`, or nothing.
  static void append(std::string& out, const Point& point) {
    if (point.empty()) return;
    for (const Fact& fact : point) {
      out += &fact == &point.front() ? "        " : ", ";
      out += fact.item;
      if (!fact.where.empty()) out += " if " + fact.where;
    }
    out += '\n';
  }
  static Json as_json(const Point& point) {
    Json facts = Json::array();
    for (const Fact& fact : point) {
      facts.push_back({{"item", fact.item}});
      if (!fact.where.empty()) facts.back()["if"] = fact.where;
    }
    return facts;
  }

  const Module& module_;
  const Function& function_;
  view::Page page_;
  Numbering numbers_;
  PredicateFlow flow_;
  FlowProblem problem_;
  FlowScope scope_;
  std::vector<std::string> items_;
  std::optional<PredicateText> text_;  // of the block, or of the function
};

}  // namespace

std::string_view flow_problem_name(FlowProblem problem) { return kProblems[static_cast<size_t>(problem)]; }
std::optional<FlowProblem> flow_problem_from_name(std::string_view name) {
  return find_name<FlowProblem>(kProblems, name);
}
std::string_view flow_scope_name(FlowScope scope) { return kScopes[static_cast<size_t>(scope)]; }
std::optional<FlowScope> flow_scope_from_name(std::string_view name) {
  return find_name<FlowScope>(kScopes, name);
}

std::string print_flow(const Module& module, const Function& function, Analyses& analyses,
                       FlowProblem problem, FlowScope scope, BlockId block) {
  FlowText text(module, function, analyses, problem, scope);
  std::string out = fmt::format("{} {} {}\n", view::Page(module, function, analyses).title(),
                                flow_scope_name(scope), flow_problem_name(problem));
  for (BlockId b : function.layout()) {
    if (!block || b == block) text.append(out, b);
  }
  return out;
}

std::string print_flow_as_json(const Module& module, const Function& function, Analyses& analyses,
                               FlowProblem problem, FlowScope scope, BlockId block) {
  FlowText text(module, function, analyses, problem, scope);
  Json blocks = Json::array();
  for (BlockId b : function.layout()) {
    if (!block || b == block) blocks.push_back(text.as_json(b));
  }
  return Json{{"function", module.name(function.symbol)},
              {"problem", flow_problem_name(problem)},
              {"scope", flow_scope_name(scope)},
              {"blocks", std::move(blocks)}}
      .dump(2);
}

std::string interference_title(const InterferenceOptions& options) {
  bool is_flow = options.method == InterferenceMethod::Flow;
  if (is_flow) return fmt::format("{} interference", flow_scope_name(options.scope));
  return fmt::format("interference by {}", interference_method_name(options.method));
}

std::string print_interference(const Module& module, const Function& function, Analyses& analyses,
                               const InterferenceOptions& options) {
  view::Page page(module, function, analyses);
  Interference interference(function, analyses, options);
  std::string out =
      fmt::format("{} {}: {} pairs", page.title(), interference_title(options), interference.num_edges());
  if (options.scope != FlowScope::Blind) {
    Interference blind(function, analyses, {options.method, FlowScope::Blind});
    out += fmt::format(", {} if blind to predicates", blind.num_edges());
  }
  out += '\n';
  view::Table table;
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    if (interference.neighbours(Reg(i)).empty()) continue;
    table.add({"  " + page.name(Reg(i)), page.list(interference.neighbours(Reg(i)))});
  }
  table.append_to(out);
  return out;
}

std::string print_interference_as_json(const Module& module, const Function& function, Analyses& analyses,
                                       const InterferenceOptions& options) {
  view::Page page(module, function, analyses);
  Interference interference(function, analyses, options);
  Json registers = Json::array();
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    if (interference.neighbours(Reg(i)).empty()) continue;
    Json others = Json::array();
    for (Reg other : interference.neighbours(Reg(i))) others.push_back(page.name(other));
    registers.push_back({{"register", page.name(Reg(i))}, {"interferes", std::move(others)}});
  }
  Interference blind(function, analyses, {options.method, FlowScope::Blind});
  return Json{
      {"function", module.name(function.symbol)}, {"method", interference_method_name(options.method)},
      {"scope", flow_scope_name(options.scope)},  {"pairs", interference.num_edges()},
      {"pairs if blind", blind.num_edges()},      {"registers", std::move(registers)}}
      .dump(2);
}

std::string print_dependences(const Module& module, const Function& function, FlowScope scope,
                              BlockId block) {
  Analyses analyses(function);
  view::Page page(module, function, analyses);
  Numbering numbers(function);
  std::string out = fmt::format("{} {} dependences\n", page.title(), flow_scope_name(scope));
  for (BlockId b : function.layout()) {
    if (block && b != block) continue;
    DependenceGraph graph(function, b, scope);
    out += fmt::format("{}: height {}", page.name(b), graph.height());
    if (scope != FlowScope::Blind) {
      out +=
          fmt::format(", {} if blind to predicates", DependenceGraph(function, b, FlowScope::Blind).height());
    }
    out += '\n';
    std::span<const InstId> insts = function.insts(b);
    for (uint32_t i = 0; i < insts.size(); ++i) {
      out += fmt::format("{:5}  {}\n", numbers[insts[i]], print(module, function, insts[i]));
      for (const Dependence& dependence : graph.into(i)) {
        out += fmt::format("         {} on {}", view::dependence_name(dependence.kind),
                           numbers[insts[dependence.from]]);
        out += dependence.reg ? " by " + page.name(dependence.reg) + '\n' : "\n";
      }
    }
  }
  return out;
}

std::string print_dependences_as_json(const Module& module, const Function& function, FlowScope scope,
                                      BlockId block) {
  Analyses analyses(function);
  view::Page page(module, function, analyses);
  Numbering numbers(function);
  Json blocks = Json::array();
  for (BlockId b : function.layout()) {
    if (block && b != block) continue;
    DependenceGraph graph(function, b, scope);
    std::span<const InstId> insts = function.insts(b);
    Json instructions = Json::array();
    for (uint32_t i = 0; i < insts.size(); ++i) {
      Json on = Json::array();
      for (const Dependence& dependence : graph.into(i)) {
        on.push_back(
            {{"kind", view::dependence_name(dependence.kind)}, {"on", numbers[insts[dependence.from]]}});
        if (dependence.reg) on.back()["by"] = page.name(dependence.reg);
      }
      instructions.push_back({{"number", numbers[insts[i]]},
                              {"text", print(module, function, insts[i])},
                              {"dependences", std::move(on)}});
    }
    blocks.push_back({{"block", page.name(b)},
                      {"height", graph.height()},
                      {"height if blind", DependenceGraph(function, b, FlowScope::Blind).height()},
                      {"instructions", std::move(instructions)}});
  }
  return Json{{"function", module.name(function.symbol)},
              {"scope", flow_scope_name(scope)},
              {"blocks", std::move(blocks)}}
      .dump(2);
}

}  // namespace psi
