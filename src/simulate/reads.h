// What of an instruction reads registers, as latencies see it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "psi/ir/function.h"
#include "psi/ir/instruction_set.h"
#include "psi/simulate/timing.h"

namespace psi::simulator {

// Kinds of readers: all that a latency may depend on beside the class of the writer.
class ReaderKinds {
 public:
  explicit ReaderKinds(const MachineTiming& timing) : timing_(timing) {}

  // The kind of a reader, numbered from 0.
  uint32_t find(uint32_t reader_class, MachineTiming::Role role, std::string_view operand);
  uint32_t latency(uint32_t from, uint32_t kind) const {
    return from < timing_.classes.size() ? latencies_[kind * timing_.classes.size() + from] : 1;
  }
  // To any reader.
  uint32_t most(uint32_t from) const;

 private:
  const MachineTiming& timing_;
  std::map<std::tuple<uint32_t, MachineTiming::Role, std::string>, uint32_t> kinds_;
  std::vector<uint32_t> latencies_;  // by kind and class
};

// The role of an operand that the form names.
MachineTiming::Role role_of(const MachineForm& form, size_t operand);

}  // namespace psi::simulator
