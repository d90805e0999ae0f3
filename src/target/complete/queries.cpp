// Questions about a complete description.
#include <algorithm>

#include "psi/target/description.h"

namespace psi {
namespace {

template <class T>
uint32_t index_named(const std::vector<T>& all, std::string_view name) {
  auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? kNone : static_cast<uint32_t>(found - all.begin());
}

}  // namespace

bool MachineRegisterClass::holds(Type type) const { return std::ranges::find(types, type) != types.end(); }

uint32_t TargetDescription::find_register(std::string_view wanted) const {
  auto second = std::ranges::find(register_names, wanted, &std::pair<std::string, uint32_t>::first);
  return second != register_names.end() ? second->second : index_named(registers, wanted);
}

uint32_t TargetDescription::find_class(std::string_view wanted) const { return index_named(classes, wanted); }

uint32_t TargetDescription::find_entry(std::string_view wanted) const { return index_named(entries, wanted); }

uint32_t TargetDescription::find_scheduling_class(std::string_view wanted) const {
  return index_named(scheduling_classes, wanted);
}

uint32_t TargetDescription::class_for(Type type) const {
  for (MachineRegisterClass::Kind kind :
       {MachineRegisterClass::Kind::File, MachineRegisterClass::Kind::Pairs}) {
    for (uint32_t i = 0; i < classes.size(); ++i) {
      if (classes[i].kind == kind && classes[i].holds(type)) return i;
    }
  }
  return kNone;
}

uint32_t TargetDescription::latency(uint32_t from_class, uint32_t reader_class, ReadRole role,
                                    std::string_view operand) const {
  const LatencyRule* best = nullptr;
  int best_rank = -1;
  for (const LatencyRule& rule : latencies) {
    if (rule.from != from_class) continue;
    bool fits = !rule.operand.empty()        ? rule.to == reader_class && rule.operand == operand
                : rule.role != ReadRole::Any ? rule.role == role
                                             : rule.to == reader_class;
    int rank = !rule.operand.empty() ? 2 : rule.role != ReadRole::Any ? 1 : 0;
    if (fits && rank > best_rank) best = &rule, best_rank = rank;
  }
  return best ? best->cycles : scheduling_classes[from_class].latency;
}

const Sequence* TargetDescription::sequence(Sequence::Kind kind, uint32_t register_class) const {
  auto includes = [&](uint32_t outer) {
    if (outer == register_class) return true;
    const std::vector<uint32_t>& members = classes[outer].registers;
    return std::ranges::all_of(classes[register_class].registers,
                               [&](uint32_t r) { return std::ranges::find(members, r) != members.end(); });
  };
  for (const Sequence& one : sequences) {
    if (one.kind == kind && one.register_class != kNone && includes(one.register_class)) return &one;
  }
  return nullptr;
}

}  // namespace psi
