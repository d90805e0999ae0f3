// The registers of the SSA form: one for each definition of a variable.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "psi/ir/function.h"

namespace psi::ssa {

// The first name of a variable is the variable's own register, so that what is defined once stays as it is.
class Names {
 public:
  Names(Function& function, std::pmr::memory_resource& memory)
      : function_(function),
        num_variables_(function.num_regs()),
        is_taken_(num_variables_, &memory),
        variable_(&memory) {}

  Reg make(Reg variable) {
    ++made_;
    if (!is_taken_[variable.index()]) {
      is_taken_[variable.index()] = true;
      return variable;
    }
    variable_.resize(function_.num_regs() - num_variables_);
    variable_.push_back(variable);
    return function_.add_reg(function_.type(variable));
  }
  uint64_t made() const { return made_; }

  // When all definitions are in place: where a variable `x` has more than one they are called `x.1`, `x.2`
  // and so on, in the order of the text.
  void write();

 private:
  // The variable that a register is a name of; none for other registers.
  Reg variable(Reg name) const {
    if (name.index() < num_variables_) return name;
    uint32_t i = name.index() - num_variables_;
    return i < variable_.size() ? variable_[i] : Reg();
  }
  template <class Visit>
  void for_each_definition(Visit visit) const;

  Function& function_;
  uint32_t num_variables_;
  std::pmr::vector<uint8_t> is_taken_;  // by variable: has its own register become a name?
  std::pmr::vector<Reg> variable_;      // by Reg from num_variables_ on
  uint64_t made_ = 0;
};

}  // namespace psi::ssa
