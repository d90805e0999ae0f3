// The pipeline view: for each packet its cycle, its operations with their slots, and the values that they
// write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "psi/ir/module.h"
#include "psi/simulate/simulate.h"
#include "simulate/program.h"

namespace psi::simulator {

class Trace {
 public:
  Trace(const Module& module, const MachineTiming& timing, const SimulateOptions& options)
      : module_(module), timing_(timing), output_(options.trace_output), left_(options.trace) {}

  bool is_on() const { return left_ > 0 || packet_; }
  // The packet's lines are written when its values are there: by `flush`.
  void issue(const ProgramFunction& function, const Packet& packet, uint64_t cycle, const uint64_t* values,
             const uint8_t* undefs);
  void stall(const ProgramFunction& function, uint64_t cycle, uint64_t cycles, Reg reg,
             uint32_t writer_class);
  void slot_stall(const ProgramFunction& function, uint64_t cycle, uint64_t cycles);
  void flush();

 private:
  std::string slot_text(uint64_t slots) const;
  std::string values_text(const Operation& operation) const;
  void header();
  void line(const std::string& cycle, const std::string& place, const std::string& slots,
            const std::string& text, const std::string& values);
  void write(const std::string& text) const {
    if (output_) output_(text);
  }

  const Module& module_;
  const MachineTiming& timing_;
  const std::function<void(std::string_view)>& output_;
  uint64_t left_;  // packets
  bool has_header_ = false;
  const ProgramFunction* function_ = nullptr;
  const Packet* packet_ = nullptr;  // that waits for its values
  uint64_t cycle_ = 0;
  const uint64_t* values_ = nullptr;
  const uint8_t* undefs_ = nullptr;
  std::vector<uint64_t> nullified_;  // by operation: the count before
};

}  // namespace psi::simulator
