#include "destruct/web_names.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace psi::destruct {
namespace {

// What stands before ".N", if that is how it ends.
std::string_view base_name(std::string_view name) {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return name;
  bool is_number = std::all_of(name.begin() + static_cast<ptrdiff_t>(dot) + 1, name.end(),
                               [](unsigned char c) { return std::isdigit(c); });
  return is_number ? name.substr(0, dot) : name;
}

}  // namespace

void name_webs(Function& function, const Webs& webs) {
  struct Candidate {
    std::string base;
    std::string first;  // the name of the first member that has one
    bool agreed = true;
  };
  std::vector<Reg> roots;
  std::unordered_map<Reg, Candidate> candidates;
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    std::string_view name = function.name(Reg(i));
    if (name.empty()) continue;
    auto [at, is_new] = candidates.try_emplace(webs.find(Reg(i)));
    if (is_new) roots.push_back(at->first);
    Candidate& candidate = at->second;
    if (candidate.first.empty()) {
      candidate.first = name;
      candidate.base = base_name(name);
    } else {
      candidate.agreed = candidate.agreed && base_name(name) == candidate.base;
    }
  }
  if (roots.empty()) return;
  std::unordered_map<std::string_view, int> wanted;
  for (Reg root : roots) {
    if (candidates[root].agreed) ++wanted[candidates[root].base];
  }
  std::unordered_set<std::string> taken;
  for (Reg root : roots) taken.insert(candidates[root].first);
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    if (!function.name(Reg(i)).empty()) function.set_name(Reg(i), {});
  }
  for (Reg root : roots) {
    Candidate& candidate = candidates[root];
    bool is_free = candidate.agreed && wanted[candidate.base] == 1 &&
                   (candidate.base == candidate.first || !taken.contains(candidate.base));
    function.set_name(root, is_free ? candidate.base : candidate.first);
  }
}

void close_gaps(Function& function) {
  constexpr uint32_t kFew = 1000;
  if (function.num_regs() <= kFew) return;
  std::vector<uint8_t> is_used(function.num_regs());
  for (Reg param : function.params) is_used[param.index()] = 1;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard) is_used[inst.guard.reg().index()] = 1;
      for (Reg r : inst.results) {
        if (r) is_used[r.index()] = 1;
      }
      for (Operand operand : function.operands(inst)) {
        if (operand.reads_reg()) is_used[operand.reg().index()] = 1;
      }
    }
  }
  auto num_used = static_cast<uint32_t>(std::count(is_used.begin(), is_used.end(), 1));
  if (function.num_regs() <= 3 * num_used + kFew) return;
  std::vector<uint32_t> regs(function.num_regs()), blocks(function.num_blocks());
  uint32_t next = 0;
  for (uint8_t used : {1, 0}) {
    for (uint32_t r = 0; r < regs.size(); ++r) {
      if (is_used[r] == used) regs[r] = next++;
    }
  }
  std::iota(blocks.begin(), blocks.end(), 0u);
  function.renumber(regs, blocks);
}

}  // namespace psi::destruct
