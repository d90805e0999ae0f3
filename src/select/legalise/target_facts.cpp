#include "select/legalise/target_facts.h"

namespace psi::select {

TargetFacts facts_of(const TargetDescription& description) {
  std::array<bool, kNumTypes> held{};
  for (int i = 0; i < kNumTypes; ++i) {
    held[static_cast<size_t>(i)] = description.class_for(static_cast<Type>(i)) != kNone;
  }
  held[static_cast<size_t>(Type::ptr)] = true;
  TargetFacts facts(held, description.pointer_bits);
  for (auto [number, integer] : {std::pair(Type::f32, Type::i32), std::pair(Type::f64, Type::i64)}) {
    uint32_t of_number = description.class_for(number);
    if (of_number != kNone && of_number == description.class_for(integer)) facts.share_registers(number);
  }
  const InstructionSet& set = *description.instructions;
  for (uint32_t i = 0; i < set.num_forms(); ++i) facts.add_form(i, set.form(i));
  return facts;
}

}  // namespace psi::select
