// Meanings as patterns. Both patterns and programs are seen in a normal form, in which operations that change
// no bit of a register are absent: moves, and conversions between types that a class holds side by side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/select/select.h"

namespace psi::select {

using NodeIndex = uint16_t;
inline constexpr NodeIndex kNoNode = UINT16_MAX;

struct PatternNode {
  enum class Kind : uint8_t {
    Register,  // any value: operand `operand` of the form
    Literal,   // a literal within the operand's range
    Symbol,
    Constant,  // these bits
    Computed,  // a literal that follows from that of the operand: `1 << %n`
    Op,
  };
  Kind kind = Kind::Op;
  uint8_t operand = 0;
  Opcode op = Opcode::Unreachable;
  Type type = Type::none;  // in normal form
  uint8_t kind_bits = 0;   // condition, or type converted from in normal form
  uint8_t extra = 0;       // actions of a cmpp
  uint8_t align_log2 = 0;  // of an access
  uint8_t num_children = 0;
  bool has_guard = false;      // the last child is its guard,
  bool guard_negated = false;  // whose complement is meant
  bool commutes = false;
  // An immediate under which the operation does nothing, so that it may be absent: `x + 0`.
  int8_t neutral_child = -1;
  uint64_t bits = 0;   // Constant; the neutral value
  uint32_t table = 0;  // Computed: in Tables::inverses
  std::array<NodeIndex, 6> children{};
};

struct PatternRoot {
  NodeIndex node = kNoNode;
  int8_t result = -1;  // of the form; -1: an effect
};

struct Pattern {
  uint32_t form = 0;
  uint32_t first_node = 0;             // nodes are numbered from here
  std::array<PatternRoot, 3> roots{};  // the first is matched, the others may be found beside it
  uint8_t num_roots = 0;
  uint8_t num_operands = 0;
  uint32_t words = 1;
  uint32_t latency = 1;
  bool is_tied = false;
};

// An instruction in normal form, as far as it can be told without its operands.
struct RootKey {
  Opcode op;
  Type type;
  uint8_t kind_bits;
  uint8_t extra;
  uint32_t packed() const {
    return uint32_t(op) | uint32_t(type) << 8 | uint32_t(kind_bits) << 16 | uint32_t(extra) << 24;
  }
};

}  // namespace psi::select

namespace psi {

class SelectionPatterns::Tables {
 public:
  explicit Tables(const TargetDescription& description);

  const InstructionSet& set() const { return *description_.instructions; }
  const TargetDescription& description() const { return description_; }
  std::span<const select::Pattern> patterns() const { return patterns_; }
  const select::PatternNode& node(const select::Pattern& pattern, select::NodeIndex index) const {
    return nodes_[pattern.first_node + index];
  }
  // Patterns whose first root has the key.
  std::span<const uint32_t> find(select::RootKey key) const;
  // Patterns of one operand and no operation: of a literal, a symbol.
  std::span<const uint32_t> constants() const { return constants_; }
  std::span<const uint32_t> addresses() const { return addresses_; }
  // Copies between classes.
  std::span<const uint32_t> copies() const { return copies_; }
  // The operand's literal under which a computed literal of the pattern has these bits.
  const uint64_t* invert(uint32_t table, uint64_t bits) const {
    auto it = inverses_[table].find(bits);
    return it == inverses_[table].end() ? nullptr : &it->second;
  }

  // The type of the bits: that of an integer, where a class holds both.
  Type normal(Type type) const { return normal_[static_cast<size_t>(type)]; }
  // Does a conversion change no bit of a register, nor its class?
  bool is_free(Opcode op, Type from, Type to) const;
  select::RootKey key(const Inst& inst) const;

 private:
  friend class PatternCompiler;
  void add(select::Pattern pattern);

  const TargetDescription& description_;
  std::vector<select::Pattern> patterns_;
  std::vector<select::PatternNode> nodes_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> by_root_;
  std::vector<uint32_t> constants_, addresses_, copies_;
  std::vector<std::unordered_map<uint64_t, uint64_t>> inverses_;
  std::array<Type, kNumTypes + 1> normal_{};
};

}  // namespace psi
