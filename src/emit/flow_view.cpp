#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emit/page.h"
#include "psi/flow_text.h"
#include "psi/predicate_text.h"

namespace psi {
namespace {

constexpr std::array<std::string_view, 5> kProblems = {"live", "reaching", "up-exposed", "down-exposed",
                                                       "available"};
constexpr std::array<std::string_view, 3> kScopes = {"blind", "local", "global"};

template <class Value, size_t kCount>
std::optional<Value> find_name(const std::array<std::string_view, kCount>& names, std::string_view name) {
  auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Value>(at - names.begin());
}

// The instructions of a function by number, from 1.
class Numbering {
 public:
  explicit Numbering(const Function& function) : numbers_(function.num_insts()) {
    uint32_t next = 0;
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) numbers_[id.index()] = ++next;
    }
  }
  uint32_t operator[](InstId id) const { return numbers_[id.index()]; }

 private:
  std::vector<uint32_t> numbers_;
};

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
    std::vector<std::string> points(insts.size() + 1);
    flow_.enter(b);
    name_predicates(b);
    do {
      points[flow_.position()] = point();
    } while (flow_.advance());
    out += page_.name(b) + '\n' + points[0];
    for (size_t i = 0; i < insts.size(); ++i) {
      out +=
          fmt::format("{:5}  {}\n{}", numbers_[insts[i]], print(module_, function_, insts[i]), points[i + 1]);
    }
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

  // `%x, %y if %p`, or nothing.
  std::string point() {
    std::vector<FlowState::Entry> entries(flow_.state().entries().begin(), flow_.state().entries().end());
    std::ranges::sort(entries, {}, &FlowState::Entry::item);
    std::string out;
    for (const FlowState::Entry& entry : entries) {
      out += out.empty() ? "       " : ",";
      out += ' ' + items_[entry.item];
      if (entry.where.contains(PartitionGraph::root())) continue;
      out += " if " + text_->expression(entry.where, flow_.graph());
    }
    return out.empty() ? out : out + '\n';
  }

  const Module& module_;
  const Function& function_;
  emit::Page page_;
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
  std::string out = fmt::format("{} {} {}\n", emit::Page(module, function, analyses).title(),
                                flow_scope_name(scope), flow_problem_name(problem));
  for (BlockId b : function.layout()) {
    if (!block || b == block) text.append(out, b);
  }
  return out;
}

std::string print_interference(const Module& module, const Function& function, Analyses& analyses,
                               FlowScope scope) {
  emit::Page page(module, function, analyses);
  Interference interference(function, analyses, scope);
  std::string out = fmt::format("{} {} interference: {} pairs", page.title(), flow_scope_name(scope),
                                interference.num_edges());
  if (scope != FlowScope::Blind) {
    Interference blind(function, analyses, FlowScope::Blind);
    out += fmt::format(", {} if blind to predicates", blind.num_edges());
  }
  out += '\n';
  emit::Table table;
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    if (interference.neighbours(Reg(i)).empty()) continue;
    table.add({"  " + page.name(Reg(i)), page.list(interference.neighbours(Reg(i)))});
  }
  table.append_to(out);
  return out;
}

std::string print_dependences(const Module& module, const Function& function, FlowScope scope,
                              BlockId block) {
  constexpr std::array<std::string_view, 5> kKinds = {"flow", "anti", "output", "memory", "control"};
  Analyses analyses(function);
  emit::Page page(module, function, analyses);
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
        out += fmt::format("         {} on {}", kKinds[static_cast<size_t>(dependence.kind)],
                           numbers[insts[dependence.from]]);
        out += dependence.reg ? " by " + page.name(dependence.reg) + '\n' : "\n";
      }
    }
  }
  return out;
}

}  // namespace psi
