// Keys of equal computations: opcode, types and operands in canonical order.
//
//     cmp.gt %b, %a      cmp.lt %a, %b
//     cmp.ge %a, %b      the complement of it
//     cmpp.uc.ge %a, %b  the same as the first
//     add %b, %a         add %a, %b
//     ptradd %q, 4       with %q = ptradd %p, 8: ptradd %p, 12
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/alias.h"
#include "psi/ir/function.h"

namespace psi::optimise {

class ValueKeys {
 public:
  // `alias`: decomposes addresses; null: addresses are opaque.
  explicit ValueKeys(const Function& function, const Alias* alias = nullptr)
      : function_(function), alias_(alias) {}

  // The key of a result of an instruction without effects, with these operands instead of its own; false if
  // nothing can equal it (freeze: each may choose another value). The guard is not part of it.
  bool make(InstId id, std::span<const Operand> operands, int target = 0);
  std::span<const uint32_t> words() const { return {words_.data(), size_}; }
  // Is the result the complement of what the key says?
  bool is_complement() const { return complement_; }
  // Makes the complement part of the key, and the guard, if there is one.
  void make_exact(Operand guard) {
    if (complement_) words_[0] |= kComplement;
    if (!guard.is_none()) add(guard);
  }

 private:
  static constexpr uint32_t kComplement = 1u << 31;
  static constexpr size_t kMaxMore = 8;  // words in a key besides operands

  void add(Operand operand) { words_[size_++] = operand.raw(); }
  void add(uint64_t word) {
    words_[size_++] = static_cast<uint32_t>(word);
    words_[size_++] = static_cast<uint32_t>(word >> 32);
  }
  void start(Opcode op, Type type, uint8_t kind, uint32_t flags);
  void make_compare(Cond cond, Type type, Operand a, Operand b);
  void make_target(const Inst& inst, std::span<const Operand> operands, int target);
  void make_address(const Address& address);

  const Function& function_;
  const Alias* alias_;
  std::vector<uint32_t> words_;  // those of the key, and room
  size_t size_ = 0;
  bool complement_ = false;
};

}  // namespace psi::optimise
