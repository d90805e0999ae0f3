#include "simulate/trace.h"

#include <fmt/format.h>

#include "interp/decode.h"
#include "psi/text/text.h"

namespace psi::simulator {

void Trace::line(const std::string& cycle, const std::string& place, const std::string& slots,
                 const std::string& text, const std::string& values) {
  std::string out = fmt::format("{:>8}  {:<18} {:<6} {:<40} {}", cycle, place, slots, text, values);
  out.erase(out.find_last_not_of(' ') + 1);
  write(out + "\n");
}

void Trace::issue(const ProgramFunction& function, const Packet& packet, uint64_t cycle,
                  const uint64_t* values, const uint8_t* undefs) {
  if (left_ == 0) return;
  --left_;
  function_ = &function;
  packet_ = &packet;
  cycle_ = cycle;
  values_ = values;
  undefs_ = undefs;
  nullified_.clear();
  for (const Operation& operation : function.packets.of(packet)) {
    nullified_.push_back(function.decoded->nullified[function.counters[operation.inst.index()]]);
  }
}

void Trace::stall(const ProgramFunction& function, uint64_t cycle, uint64_t cycles, Reg reg,
                  uint32_t writer_class) {
  if (left_ == 0) return;
  std::string name = writer_class < timing_.classes.size() ? timing_.classes[writer_class].name : "?";
  std::string what = reg ? print(module_, *function.function, Operand(reg)) + " of " : "";
  header();
  line(fmt::format("{}", cycle), "", "", fmt::format("wait {}: {}{}", cycles, what, name), "");
}

void Trace::slot_stall(const ProgramFunction&, uint64_t cycle, uint64_t cycles) {
  if (left_ == 0) return;
  header();
  line(fmt::format("{}", cycle), "", "", fmt::format("wait {}: slot busy", cycles), "");
}

std::string Trace::slot_text(uint64_t slots) const {
  std::string text;
  for (size_t i = 0; i < timing_.slots.size() && i < 64; ++i) {
    if ((slots >> i & 1) == 0) continue;
    if (!text.empty()) text += '+';
    text += timing_.slots[i];
  }
  return text;
}

std::string Trace::values_text(const Operation& operation) const {
  const Function& code = *function_->decoded->function;
  const Function& function = *function_->function;
  // Where the packet needs it, a result has another register in the code that is executed.
  const Inst& written = function_->sequenced->inst(operation.inst);
  const Inst& inst = function.inst(operation.inst);
  std::string text;
  if (operation.is_call) return text;  // not there before the callee has returned
  for (size_t k = 0; k < 2; ++k) {
    Reg reg = written.results[k];
    if (!reg) continue;
    if (!text.empty()) text += ", ";
    text += print(module_, function, Operand(inst.results[k])) + " = ";
    text += undefs_[reg.index()] ? "undef" : print_literal(code.type(reg), values_[reg.index()]);
  }
  return text;
}

void Trace::header() {
  if (has_header_) return;
  has_header_ = true;
  line("cycle", "block", "slot", "operation", "values");
}

void Trace::flush() {
  if (!packet_) return;
  header();
  const Function& function = *function_->function;
  std::span<const Operation> operations = function_->packets.of(*packet_);
  bool is_first = true;
  for (size_t i = 0; i < operations.size(); ++i) {
    InstId id = operations[i].inst;
    uint32_t counter = function_->counters[id.index()];
    bool was_nullified = counter != 0 && function_->decoded->nullified[counter] != nullified_[i];
    std::string place = is_first ? fmt::format("${} {}", module_.name(function_->symbol),
                                               print(module_, function, Operand(packet_->block)))
                                 : "";
    std::string text = print(module_, function, id);
    if (text.ends_with(" ;;")) text.resize(text.size() - 3);
    line(is_first ? fmt::format("{}", cycle_) : "", place, slot_text(operations[i].slots), text,
         was_nullified ? "nullified" : values_text(operations[i]));
    is_first = false;
  }
  packet_ = nullptr;
  if (left_ == 0) write("...\n");
}

}  // namespace psi::simulator
