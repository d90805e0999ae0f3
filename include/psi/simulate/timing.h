// What a machine's time depends on: slots, latencies, packets, branches. A target's description says it
// (timing_of); hand-made machines fill it in themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace psi {

struct TargetDescription;

struct MachineTiming {
  static constexpr uint32_t kAny = UINT32_MAX;

  // What of an instruction reads a register.
  enum class Role : uint8_t {
    Any,
    Address,  // a register of an addressing mode
    Value,    // what a store stores
    Guard,
  };

  struct Class {
    std::string name;
    // Each is a set of slots that are taken at once, by their numbers as bits; none: no slot.
    std::vector<uint64_t> alternatives;
    uint32_t latency = 1;        // cycles until results can be read
    uint32_t busy = 1;           // cycles that it keeps its slots
    std::vector<uint32_t> also;  // resources beside the slots
  };

  // From the results of a class to a reader.
  struct Latency {
    uint32_t from = 0;
    uint32_t to = kAny;  // class of the reader
    Role role = Role::Any;
    std::string operand;  // of the reader; empty: any
    uint32_t cycles = 1;
  };

  // A result that may be read in the packet that writes it.
  struct Forward {
    bool guard = false;              // the reader's guard; otherwise its operand `operand`
    std::string operand;             // empty: any
    std::vector<uint32_t> from, to;  // classes; `to` empty: any
  };

  // Several instructions of a packet may write one predicate, which gets the conjunction or disjunction.
  struct Writers {
    bool conjunction = true;
    std::vector<uint32_t> classes;
  };

  std::string name;  // of the target
  std::vector<std::string> slots;
  uint32_t width = 1;               // instructions in a packet
  std::vector<uint32_t> resources;  // of each, how many there are in a cycle
  std::vector<Class> classes;
  std::vector<Latency> latencies;
  std::vector<Forward> forwards;
  std::vector<Writers> writers;
  bool interlocked = true;  // an early reader waits; otherwise it reads the old contents
  uint32_t taken_cost = 0;  // cycles lost by a taken branch, a call and a return

  // The most specific rule counts: an operand of a class, then a role, then a class.
  uint32_t latency(uint32_t from, uint32_t to, Role role, std::string_view operand) const;
};

MachineTiming timing_of(const TargetDescription& description);

}  // namespace psi
