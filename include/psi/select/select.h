// Instruction selection: generic instructions become those of a target, in any form, as cheaply as its
// description allows. The meaning of each instruction is the pattern that it covers.
//
//     %x = shl.i32 %i, 2
//     %y = add.i32 %b, %x              =>      %v = tiny.ldw %b2, 8
//     ...
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "psi/ir/module.h"
#include "psi/pass/pass.h"
#include "psi/support/result.h"
#include "psi/target/description.h"

namespace psi {

// An instruction that no instruction of the target covers.
struct Unselected {
  InstId inst;
  std::string reason;  // "no instruction of tiny covers ctlz.i32"
};

// What the instructions of a target cover, worked out once for all functions.
class SelectionPatterns {
 public:
  explicit SelectionPatterns(const TargetDescription& description);
  ~SelectionPatterns();
  SelectionPatterns(const SelectionPatterns&) = delete;
  SelectionPatterns& operator=(const SelectionPatterns&) = delete;
  const TargetDescription& description() const { return description_; }

  class Tables;
  const Tables& tables() const { return *tables_; }

 private:
  const TargetDescription& description_;
  std::unique_ptr<const Tables> tables_;
};

struct SelectionOptions {
  Remarks* remarks = nullptr;
  Counters* counters = nullptr;
};

// Afterwards the function names the target, and all its instructions but phis, psis, moves, freezes and slots
// are the target's. Fails, and leaves the function unchanged, if some are covered by none. Near-linear.
//
// Expected is what legalise leaves (psi/select/legalise.h), but any function may be given.
Result<void> select_instructions(const Module& module, Function& function, Analyses& analyses,
                                 const SelectionPatterns& patterns, const SelectionOptions& options = {});

// Pass `select(target=...)`.
void select_instructions(PassContext& context);

}  // namespace psi
