#include "simulate/reads.h"

#include <algorithm>

namespace psi::simulator {

uint32_t ReaderKinds::find(uint32_t reader_class, MachineTiming::Role role, std::string_view operand) {
  auto next = static_cast<uint32_t>(kinds_.size());
  auto [it, is_new] = kinds_.try_emplace({reader_class, role, std::string(operand)}, next);
  if (is_new) {
    for (uint32_t from = 0; from < timing_.classes.size(); ++from) {
      latencies_.push_back(timing_.latency(from, reader_class, role, operand));
    }
  }
  return it->second;
}

uint32_t ReaderKinds::most(uint32_t from) const {
  if (from >= timing_.classes.size()) return 1;
  uint32_t most = timing_.classes[from].latency;
  for (const MachineTiming::Latency& rule : timing_.latencies) {
    if (rule.from == from) most = std::max(most, rule.cycles);
  }
  return std::max(most, 1u);
}

namespace {

// Is the operand what a store of the meaning stores, perhaps converted?
bool is_stored(const MachineForm& form, size_t operand) {
  const Function& body = form.meaning.body;
  if (body.is_declaration()) return false;
  Reg wanted = form.meaning.operands[operand];
  std::vector<bool> stored(body.num_regs());
  std::span<const InstId> insts = body.insts(body.entry());
  for (size_t i = insts.size(); i-- > 0;) {
    const Inst& inst = body.inst(insts[i]);
    bool follows = inst.format() == Format::Store || ((inst.format() == Format::Convert || inst.is_copy()) &&
                                                      inst.results[0] && stored[inst.results[0].index()]);
    if (!follows) continue;
    Operand value = body.operands(inst)[0];
    if (value.is_reg()) stored[value.reg().index()] = true;
  }
  return wanted && stored[wanted.index()];
}

}  // namespace

MachineTiming::Role role_of(const MachineForm& form, size_t operand) {
  using enum MachineTiming::Role;
  // A part of an addressing mode has the name of the operand before its own.
  if (form.operands[operand].name.find('.') != std::string::npos) return Address;
  return form.effect == Effect::Write && is_stored(form, operand) ? Value : Any;
}

}  // namespace psi::simulator
