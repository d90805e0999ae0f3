// The values that registers have on paths, and psis that merge them.
#include <algorithm>

#include "predication/predicated_ssa/region_conversion.h"

namespace psi::predication {

void RegionConversion::remember_version(Reg r, Node predicate, Operand value) {
  if (!state_.does_escape(r)) return;
  auto [at, is_new] = escaping_place_.try_emplace(r, escaping_.size());
  if (is_new) escaping_.push_back({r, {}});
  escaping_[at->second].second.push_back({predicate, value});
}

std::vector<InstId> RegionConversion::phis_of(BlockId b) const {
  std::vector<InstId> phis;
  for (InstId id : function_.insts(b)) {
    if (!function_.inst(id).is_phi()) break;
    phis.push_back(id);
  }
  return phis;
}

Operand RegionConversion::value_on(const Path& path, Operand operand) const {
  if (!operand.reads_reg()) return operand;
  Operand value = Operand::reg(operand.reg());
  if (const Operand* on_path = path.values.find(operand.reg())) {
    value = *on_path;
  } else if (operand.reg().index() < state_.replaced.size() &&
             !state_.replaced[operand.reg().index()].is_none()) {
    value = state_.replaced[operand.reg().index()];
  }
  return operand.is_negated() ? complement(value) : value;
}

Operand RegionConversion::as_register(Operand operand) {
  if (operand.reads_reg()) return operand;
  builder_.guard(Guard());
  return Operand::reg(builder_.op(Opcode::Mov, function_.type(operand), {operand}));
}

Operand RegionConversion::merged(Type type, std::vector<Version> versions, Reg into, Reg like) {
  std::vector<std::pair<Operand, std::vector<Node>>> values;
  for (const Version& version : versions) {
    auto same = std::ranges::find(values, version.value, [](const auto& value) { return value.first; });
    if (same == values.end()) same = values.insert(values.end(), {version.value, {}});
    same->second.push_back(version.predicate);
  }
  if (values.size() == 1) return values.front().first;
  std::vector<Operand> pairs;
  for (auto& [value, nodes] : values) {
    Operand predicate = predicates_.operand(predicates_.any(std::move(nodes)));
    pairs.insert(pairs.end(), {predicate, total(value)});
  }
  builder_.guard(Guard());
  builder_.into(into ? into : function_.add_reg(function_.type(like)));
  return Operand::reg(builder_.psi(type, pairs));
}

Operand RegionConversion::total(Operand value) {
  if (!state_.is_partial(value)) return value;
  builder_.guard(Guard());
  return Operand::reg(builder_.op(Opcode::Mov, function_.type(value), {value}));
}

Reg RegionConversion::new_version(Reg like) {
  Reg version = function_.add_reg(function_.type(like));
  if (state_.is_partial(Operand::reg(like))) {
    state_.partial.resize(function_.num_regs());
    state_.partial[version.index()] = 1;
  }
  return version;
}

}  // namespace psi::predication
