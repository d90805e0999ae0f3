// Phis under construction: arguments may be missing, and some phis turn out to be redundant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/ir/function.h"

namespace psi::ssa {

// Until the end a phi is represented in operands by a register beyond those of the function (`value`).
class PhiGraph {
 public:
  struct Phi {
    BlockId block;
    Reg variable;
  };

  static Operand value(uint32_t phi) { return Operand::reg(Reg(kFirst + phi)); }
  static bool is_phi(Operand value) { return value.reads_reg() && value.reg().index() >= kFirst; }
  static uint32_t phi(Operand value) { return value.reg().index() - kFirst; }

  // A phi without arguments.
  uint32_t add(BlockId block, Reg variable);
  // Sets its arguments; if they are all one value, that value replaces it, and phis that read it are checked
  // again. `undef` is the value of a phi whose only argument is itself.
  void complete(uint32_t phi, std::span<const Operand> arguments, Operand undef);
  // The current replacement of this value.
  Operand resolve(Operand value);
  // Replaces sets of phis that read only each other and one value from outside by that value. Without this
  // step the result is not minimal for irreducible loops.
  void remove_redundant(const Function& function);

  const Phi& operator[](uint32_t phi) const { return phis_[phi]; }
  // The arguments, in the order they were given. To be resolved.
  std::span<const Operand> arguments(uint32_t phi) const {
    return std::span(arguments_).subspan(start_[phi], count_[phi]);
  }
  bool is_replaced(uint32_t phi) const { return !replacement_[phi].is_none(); }
  uint32_t size() const { return static_cast<uint32_t>(phis_.size()); }

 private:
  // Above any register that a function may have.
  static constexpr uint32_t kFirst = 1u << 28;
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Reader {
    uint32_t phi;
    uint32_t next;
  };

  void try_replace(uint32_t phi, Operand undef);
  void replace(uint32_t phi, Operand value);
  void add_reader(uint32_t phi, uint32_t reader);
  void append_reader(uint32_t phi, uint32_t entry);
  std::vector<std::vector<uint32_t>> components(std::span<const uint32_t> phis);

  std::vector<Phi> phis_;
  std::vector<uint64_t> start_;  // by phi, like those below
  std::vector<uint32_t> count_;
  std::vector<bool> is_complete_;
  std::vector<Operand> replacement_;
  std::vector<uint32_t> first_reader_;
  std::vector<uint32_t> last_reader_;
  std::vector<Operand> arguments_;
  std::vector<Reader> readers_;
  std::vector<uint32_t> again_;  // phis to be looked at
  std::vector<uint32_t> set_;    // by phi: which set it is in, while redundant ones are looked for
};

}  // namespace psi::ssa
