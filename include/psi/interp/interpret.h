// The reference interpreter: it executes the IR in any form exactly as docs/ir.md defines it, and is the
// judge of every transformation.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/module.h"
#include "psi/ir/value.h"
#include "psi/support/result.h"

namespace psi {

struct ExternalCall {
  std::string callee;
  std::vector<Value> arguments;
  std::string printed;  // output to standard output
  bool operator==(const ExternalCall&) const = default;
};

struct InterpretOptions {
  uint64_t fuel = 1'000'000'000;            // instructions before giving up
  uint64_t max_memory = uint64_t{1} << 30;  // bytes of slots and heap alive at once
  uint32_t max_depth = 100'000;             // calls active at once
  bool undef_stores = false;                // allow undef to be stored; loads then give it back
  // Fresh slots and heap blocks hold zeros instead of undef, and a stored undef keeps the bits that it
  // happens to have: for compiled C programs, which copy uninitialised bytes.
  bool zero_memory = false;
  bool stub_externals = false;                   // unknown externals return a hash of their arguments
  bool record = false;                           // keep external calls and the final memory (Outcome)
  bool profile = false;                          // count blocks and edges (Outcome::profiles)
  SymbolId stats_of;                             // the function that Outcome::stats counts; none: all of them
  std::function<void(std::string_view)> output;  // what the program prints; null: dropped
  // Asked every few milliseconds whether to give up; null: never.
  std::function<bool()> stop;
};

struct RunStats {
  std::array<uint64_t, kNumOpcodes> executed{};   // by opcode, nullified ones excluded
  std::array<uint64_t, kNumOpcodes> nullified{};  // guard was false
  uint64_t branches_taken = 0;  // transfers of control to a block other than the next in the layout
  // Executed terminators that depend on a value: conditional branches, switches, guarded terminators, taken
  // or not.
  uint64_t conditional_branches = 0;
  uint64_t guarded = 0;  // executed under a guard that was true
  uint64_t total_executed() const;
  uint64_t total_nullified() const;
};

struct FunctionProfile {
  SymbolId function;
  std::vector<uint64_t> blocks;              // by BlockId
  std::vector<std::vector<uint64_t>> edges;  // by InstId of the terminator, one count per target
};

struct Outcome {
  enum class Status : uint8_t {
    Returned,
    Exited,       // called exit with `exit_code`
    Aborted,      // called abort
    Undefined,    // reached undefined behaviour
    Exhausted,    // out of fuel, memory or call depth, or told to stop
    Unsupported,  // called an unknown external function
  };
  Status status = Status::Returned;
  std::string message;  // what went wrong, unless Returned or Exited
  SymbolId function;    // where
  InstId inst;
  Type result_type = Type::none;
  Value result;
  int32_t exit_code = 0;
  RunStats stats;
  std::vector<ExternalCall> calls;  // if recorded
  // If recorded: the bytes of the writable globals, then, under no symbol, of the heap blocks not freed.
  std::vector<std::pair<SymbolId, std::vector<Value>>> memory;
  // With pointers of 32 bits, a word of the memory that may be the address of a slot: the offset in that
  // slot. With those of 64 bits the memory has one address for all slots instead.
  struct SlotAddress {
    size_t object;  // in `memory`
    size_t byte;    // where in it
    int64_t offset;
    auto operator<=>(const SlotAddress&) const = default;
  };
  std::vector<SlotAddress> slot_addresses;  // in order
  std::vector<FunctionProfile> profiles;    // if profiled

  bool returned() const { return status == Status::Returned; }
  // The result, an integer, as a signed number.
  int64_t number() const {
    return result_type < Type::ptr ? sign_extend(result.bits, result_type)
                                   : static_cast<int64_t>(result_type == Type::none ? 0 : result.bits);
  }
};

// Runs `function` on the arguments. The module must verify.
Outcome interpret(const Module& module, SymbolId function, std::span<const Value> arguments,
                  const InterpretOptions& options = {});
// By name, on integers.
Outcome interpret(const Module& module, std::string_view function, std::initializer_list<int64_t> arguments,
                  const InterpretOptions& options = {});

// Writes measured counts into the module's blocks and terminators.
void apply_profile(Module& module, const Outcome& outcome);

// Is `after` an allowed outcome of a transformed program whose original gave `before`? Both recorded. An
// original that ran into undefined behaviour or a limit allows everything. If not, the result says how they
// differ.
Result<void> refines(const Outcome& before, const Outcome& after);

}  // namespace psi
