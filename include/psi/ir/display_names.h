// The names of registers and blocks as they are written, in text and in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/function.h"

namespace psi {

// The text of a function's registers and blocks: by name or number, in quotes where the name needs them, with
// a number appended to duplicate names. Refers to the function, whose names must not change.
class DisplayNames {
 public:
  // Of nothing.
  DisplayNames() = default;
  // Linear.
  explicit DisplayNames(const Function& function);
  // Ignores duplicate names, and so is free: for messages about single entities.
  static DisplayNames as_stored(const Function& function);

  // Appends `%x`.
  void append(std::string& out, Reg r) const;
  // Appends `@loop`.
  void append(std::string& out, BlockId b) const;
  // The name alone, without quotes; empty if the text writes the number.
  std::string_view name(Reg r) const { return pick(reg_renames_, r.index(), function_->name(r)); }
  std::string_view name(BlockId b) const { return pick(block_renames_, b.index(), function_->name(b)); }

 private:
  static std::string_view pick(const std::vector<std::string>& renames, uint32_t index,
                               std::string_view stored) {
    return renames.empty() || renames[index].empty() ? stored : renames[index];
  }

  const Function* function_ = nullptr;
  std::vector<std::string> reg_renames_;    // by Reg; empty: as stored
  std::vector<std::string> block_renames_;  // by BlockId, likewise
};

}  // namespace psi
