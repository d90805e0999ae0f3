// A function decoded for execution: a flat array of compact steps whose operands are indices into the frame.
//
// A frame is an array of values: the registers, one slot for discarded results, then the function's
// constants. A guard is a separate step before the guarded one, so that unguarded instructions do not pay for
// it; phis are moves on the edges.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "interp/monitor.h"
#include "psi/ir/meaning.h"
#include "psi/ir/module.h"

namespace psi::interp {

class Memory;

// clang-format off
enum class Step : uint8_t {
  Guard,  // a: predicate, flag: negated; b: counter; d, e: results that a false guard makes undefined
  Mark,   // b: the monitor's
  // Pure; d = op(a, b, c)
  Mov, Freeze, Add, Sub, Mul, And, Or, Xor, AndI1, OrI1, Shl, Lshr, Ashr,
  Divide, Binary, Unary, Ternary, Overflow,  // the rest of their formats, by opcode
  Fadd32, Fsub32, Fmul32, Fdiv32, Fadd64, Fsub64, Fmul64, Fdiv64,
  CmpEq, CmpNe, CmpLt, CmpLe, CmpUlt, CmpUle, CmpFloat,
  Cmpp,  // b: index into predicate_compares
  Mask, Sext, Convert,
  Select,
  Psi,       // b: first (guard * 2 + negated, value) pair in lists, c: how many
  PtrIndex,  // d = a + b * c + e
  // Memory; flag: log2 of the alignment
  Slot, Load8, Load16, Load32, Load64,
  Store8, Store16, Store32, Store64,  // a: value, b: address
  MemCopy, MemSet,
  VaStart, VaArg, VaCopy, VaEnd,
  // Control
  Call,          // b: index into calls; a defined function, known here
  CallAny,       // likewise; a: the callee's address
  Jump,          // b: edge
  Branch,        // a: condition, b: edge if true, b + 1: if false
  Switch,        // a: value, b: index into switches
  Ret, RetVoid,  // a: value
  RetNoreturn,   // a function that promised not to
  Unreachable,
};
// clang-format on

struct Decoded {
  Step step = Step::Unreachable;
  Opcode op = Opcode::Unreachable;
  Type type = Type::none;  // of the operands; conversions: of the result
  uint8_t shift = 0;       // width_shift of `type`; sext: of the source
  uint8_t flag = 0;
  uint8_t from = 0;  // conversions: the source type; comparisons: the condition
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  uint32_t e = 0;
};

// A transfer of control, one for each target of each terminator. The counts are always maintained: executed
// instructions, taken branches and the profile all follow from them.
struct Edge {
  uint64_t count = 0;
  uint32_t target = 0;  // index into code
  uint32_t cost = 0;    // instructions of the target block: its fuel
  uint32_t moves = 0;   // first of the moves for the target's phis
  uint32_t num_moves : 30 = 0;
  uint32_t staged : 1 = 0;    // a move writes what a later one reads: read all first
  uint32_t is_timed : 1 = 0;  // takes cycles of the monitor's
  uint32_t cycles = 0;
};

struct Move {
  uint32_t to;
  uint32_t from;
};

struct PredicateCompare {
  uint32_t a, b, input;
  uint32_t targets[2];
  uint32_t olds[2];
  Action actions[2];
  bool negated;
};

struct CallSite {
  SymbolId callee;         // direct calls
  uint32_t arguments = 0;  // first in lists
  std::vector<Type> types;
};

struct SwitchTable {
  // Dense: an edge for each value from `low` on. Else `values` is sorted and goes with `edges`.
  bool dense = false;
  uint64_t low = 0;
  uint32_t otherwise = 0;
  std::vector<uint64_t> values;
  std::vector<uint32_t> edges;

  uint32_t find(uint64_t value) const;
};

struct DecodedFunction {
  const Function* function = nullptr;  // with machine instructions: `expanded`'s
  std::unique_ptr<const Expanded> expanded;
  std::vector<Decoded> code;
  std::vector<InstId> ids;  // by index into code
  std::vector<Edge> edges;  // in the order of blocks, terminators, targets
  std::vector<Move> moves;
  std::vector<uint32_t> lists;
  std::vector<PredicateCompare> predicate_compares;
  std::vector<CallSite> calls;
  std::vector<SwitchTable> switches;
  std::vector<uint64_t> constants;
  std::vector<uint8_t> constant_undefs;
  uint32_t num_undef = 0;   // registers and the discard place: undefined at first
  uint32_t frame_size = 0;  // with the constants
  uint32_t entry_cost = 0;
  // Counted during execution; all other figures follow from these and the edges' counts.
  uint64_t entered = 0;             // calls
  uint64_t returns = 0;             // by ret
  uint64_t guarded_returns = 0;     // of these, by a guarded one
  std::vector<uint64_t> nullified;  // by opcode; monitored: by the monitor's counters
  bool is_monitored = false;

  // The instruction of the program that one of `function` belongs to.
  InstId origin(InstId id) const { return expanded ? expanded->origins[id.index()] : id; }
};

std::unique_ptr<DecodedFunction> decode(const Module& module, const Function& function, const Memory& memory);
// With the code of a monitor in its place.
std::unique_ptr<DecodedFunction> decode(const Module& module, MonitoredCode code, const Memory& memory);

}  // namespace psi::interp
