// The names that the text uses: unique among registers and among blocks, so that they parse back to the same
// entities.

#include "psi/ir/display_names.h"

#include <fmt/format.h>

#include "ir/name_scope.h"
#include "ir/names.h"

namespace psi {
namespace {

// By index, the names that differ from the stored ones: duplicates, and names that look like the number of
// another entity. An empty string: as stored; an empty list: all as stored.
template <class Get>
std::vector<std::string> find_renames(uint32_t count, Get name_of) {
  std::vector<std::string> renamed;
  NameScope seen;
  for (uint32_t i = 0; i < count; ++i) {
    std::string_view name = name_of(i);
    if (name.empty()) continue;
    uint32_t known = seen.size();
    if (number_of_name(name) == NameScope::kNoNumber && seen.intern(name, {}) == known) continue;
    if (renamed.empty()) renamed.resize(count);
    renamed[i] = name;
  }
  for (uint32_t i = 0; i < renamed.size(); ++i) {
    if (renamed[i].empty()) continue;
    std::string base = renamed[i];
    for (uint32_t n = i;; ++n) {
      uint32_t known = seen.size();
      renamed[i] = fmt::format("{}.{}", base, n);
      if (seen.intern(renamed[i], {}) == known) break;
    }
  }
  return renamed;
}

// The number where the name is empty.
void append_name_or_number(std::string& out, char sigil, std::string_view name, uint32_t number) {
  if (!name.empty()) return append_name(out, sigil, name);
  out += sigil;
  append_number(out, number);
}

}  // namespace

DisplayNames::DisplayNames(const Function& function)
    : function_(&function),
      reg_renames_(find_renames(function.num_regs(), [&](uint32_t i) { return function.name(Reg(i)); })),
      block_renames_(
          find_renames(function.num_blocks(), [&](uint32_t i) { return function.name(BlockId(i)); })) {}

DisplayNames DisplayNames::as_stored(const Function& function) {
  DisplayNames names;
  names.function_ = &function;
  return names;
}

void DisplayNames::append(std::string& out, Reg r) const {
  append_name_or_number(out, '%', name(r), r.index());
}

void DisplayNames::append(std::string& out, BlockId b) const {
  append_name_or_number(out, '@', name(b), b.index());
}

}  // namespace psi
