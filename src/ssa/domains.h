// The domains of names, as far as known during renaming.
#pragma once

#include <span>
#include <vector>

#include "psi/ir/function.h"

namespace psi::ssa {

// Guards are compared by name and polarity. Costs nothing in functions without guards.
class Domains {
 public:
  explicit Domains(const Function& function) : function_(function) {}

  void define(Reg name, Guard guard) { entry(name) = {guard, InstId(), !guard.is_always()}; }
  void define_psi(Reg name, InstId psi);
  // The psi that defines it, or none.
  InstId psi(Reg name) const {
    return name.index() < entries_.size() ? entries_[name.index()].psi : InstId();
  }

  // Is the value known to be defined wherever `guard` is true? A register added later may become anything.
  bool contains(Operand value, Guard guard) const;

 private:
  struct Entry {
    Guard guard;
    InstId psi;
    bool partial = false;  // not everywhere: under `guard`, or where an argument of `psi` says
  };

  Entry& entry(Reg name) {
    if (name.index() >= entries_.size()) entries_.resize(function_.num_regs());
    return entries_[name.index()];
  }

  const Function& function_;
  std::vector<Entry> entries_;  // by Reg; those beyond are defined everywhere
};

}  // namespace psi::ssa
