// Webs: registers that phis, psis and partial compares join, and that leave SSA form as one register where
// they do not interfere. Near-linear in the function and in its interference.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "psi/ir/views.h"
#include "psi/live/interference.h"
#include "view/dot.h"
#include "view/page.h"
#include "view/views.h"

namespace psi::view {
namespace {

// An argument becomes part of the result: `why` is the block that it comes from, the guard it is taken under,
// or nothing for the old value of a partial compare.
struct Join {
  Reg argument, result;
  Operand why;
};

class Webs {
 public:
  explicit Webs(const Page& page) : page_(page), parent_(page.function.num_regs()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (BlockId b : page.function.layout()) {
      for (InstId id : page.function.insts(b)) add(page.function.inst(id));
    }
    for (const Join& join : joins_) parent_[find(join.argument)] = find(join.result);
    std::vector<bool> is_joined(parent_.size());
    for (const Join& join : joins_) is_joined[join.argument.index()] = is_joined[join.result.index()] = true;
    std::vector<uint32_t> number(parent_.size(), UINT32_MAX);  // by representative
    for (uint32_t i = 0; i < parent_.size(); ++i) {
      if (!is_joined[i]) continue;
      uint32_t& web = number[find(i)];
      if (web == UINT32_MAX) {
        web = static_cast<uint32_t>(registers_.size());
        registers_.emplace_back();
      }
      registers_[web].push_back(Reg(i));
    }
    find_interference();
  }

  uint32_t size() const { return static_cast<uint32_t>(registers_.size()); }
  // In the order of their numbers.
  std::span<const Reg> registers(uint32_t web) const { return registers_[web]; }
  // The pairs of one web that interfere, each once.
  std::span<const std::pair<Reg, Reg>> interfering(uint32_t web) const { return interfering_[web]; }
  std::span<const Join> joins() const { return joins_; }

 private:
  void add(const Inst& inst) {
    if (inst.is_phi() || inst.is_psi()) {
      for (auto [where, value] : merge_arguments(page_.function, inst)) {
        if (value.is_reg()) joins_.push_back({value.reg(), inst.results[0], where});
      }
    } else if (inst.op == Opcode::Cmpp && is_ssa(page_.function.form)) {
      for (int target : {0, 1}) {
        Operand old = old_value(page_.function, inst, target);
        if (old.is_reg()) joins_.push_back({old.reg(), inst.results[static_cast<size_t>(target)], Operand()});
      }
    }
  }
  uint32_t find(Reg r) { return find(r.index()); }
  uint32_t find(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void find_interference() {
    interfering_.resize(registers_.size());
    if (registers_.empty()) return;
    Interference interference(page_.function, page_.analyses, FlowScope::Global);
    for (uint32_t web = 0; web < size(); ++web) {
      for (Reg r : registers_[web]) {
        for (Reg other : interference.neighbours(r)) {
          if (r < other && find(other) == find(r)) interfering_[web].emplace_back(r, other);
        }
      }
    }
  }

  const Page& page_;
  std::vector<uint32_t> parent_;
  std::vector<Join> joins_;
  std::vector<std::vector<Reg>> registers_;                    // by web
  std::vector<std::vector<std::pair<Reg, Reg>>> interfering_;  // by web
};

}  // namespace

std::string webs_text(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  Webs webs(page);
  std::string out = fmt::format("webs of {}\n", page.title());
  if (webs.size() == 0) return out + "none\n";
  Table table({"web", "registers", "interfering"});
  for (uint32_t web = 0; web < webs.size(); ++web) {
    std::string pairs;
    for (auto [a, b] : webs.interfering(web)) {
      pairs += fmt::format("{}{} with {}", pairs.empty() ? "" : ", ", page.name(a), page.name(b));
    }
    table.add({fmt::to_string(web + 1), page.list(webs.registers(web)), pairs.empty() ? "-" : pairs});
  }
  table.append_to(out);
  return out;
}

std::string webs_dot(const Module& module, const Function& function, Analyses& analyses) {
  Page page(module, function, analyses);
  Webs webs(page);
  Dot dot("webs of " + page.title());
  for (uint32_t web = 0; web < webs.size(); ++web) {
    size_t pairs = webs.interfering(web).size();
    dot.begin_frame(pairs == 0
                        ? fmt::format("web {}", web + 1)
                        : fmt::format("web {}, {} interfering pair{}", web + 1, pairs, pairs == 1 ? "" : "s"),
                    "style=\"rounded\", color=gray40");
    for (Reg r : webs.registers(web)) dot.node(r.index(), page.name(r));
    dot.end_frame();
  }
  for (const Join& join : webs.joins()) {
    std::string why = join.why.is_block()    ? "from " + page.text(join.why)
                      : join.why.reads_reg() ? "if " + page.text(join.why)
                      : join.why.is_none()   ? "old"
                                             : "";
    dot.edge(join.argument.index(), join.result.index(),
             why.empty() ? "" : "label=" + Dot::quote(' ' + why + ' '));
  }
  // Only the arguments determine the layout.
  for (uint32_t web = 0; web < webs.size(); ++web) {
    for (auto [a, b] : webs.interfering(web)) {
      dot.edge(a.index(), b.index(),
               "label=\" interferes \", style=dashed, color=firebrick, dir=none, constraint=false");
    }
  }
  return dot.finish();
}

std::string webs_json(const Module& module, const Function& function, Analyses& analyses) {
  using Json = nlohmann::ordered_json;
  Page page(module, function, analyses);
  Webs webs(page);
  Json list = Json::array();
  for (uint32_t web = 0; web < webs.size(); ++web) {
    Json registers = Json::array(), pairs = Json::array();
    for (Reg r : webs.registers(web)) registers.push_back(page.name(r));
    for (auto [a, b] : webs.interfering(web)) pairs.push_back({page.name(a), page.name(b)});
    list.push_back({{"registers", std::move(registers)}, {"interfering", std::move(pairs)}});
  }
  return Json{{"view", "webs"}, {"function", module.name(function.symbol)}, {"webs", std::move(list)}}.dump(
      2);
}

}  // namespace psi::view
