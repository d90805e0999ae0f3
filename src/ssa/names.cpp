#include "ssa/names.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace psi::ssa {

// Calls visit(name, variable) for the definitions of named variables.
template <class Visit>
void Names::for_each_definition(Visit visit) const {
  auto define = [&](Reg name) {
    if (!name) return;
    Reg v = variable(name);
    if (v && !function_.name(v).empty()) visit(name, v);
  };
  for (Reg param : function_.params) define(param);
  for (BlockId b : function_.layout()) {
    for (InstId id : function_.insts(b)) {
      for (Reg result : function_.inst(id).results) define(result);
    }
  }
}

void Names::write() {
  bool any = false;
  for (uint32_t i = 0; i < num_variables_ && !any; ++i) any = !function_.name(Reg(i)).empty();
  if (!any) return;
  std::vector<uint32_t> count(num_variables_), number(num_variables_), own(num_variables_);
  for_each_definition([&](Reg, Reg v) { ++count[v.index()]; });
  std::string text;
  for_each_definition([&](Reg name, Reg v) {
    uint32_t n = ++number[v.index()];
    if (name == v) {
      own[v.index()] = n;  // its text is still needed
      return;
    }
    text = function_.name(v);
    if (count[v.index()] > 1) fmt::format_to(std::back_inserter(text), ".{}", n);
    function_.set_name(name, text);
  });
  for (uint32_t i = 0; i < num_variables_; ++i) {
    Reg v(i);
    if (function_.name(v).empty() || (own[i] != 0 && count[i] == 1)) continue;
    function_.set_name(v, own[i] == 0 ? std::string() : fmt::format("{}.{}", function_.name(v), own[i]));
  }
}

}  // namespace psi::ssa
