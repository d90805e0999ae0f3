#include "psi/ir/name_table.h"

namespace psi {

void NameTable::set(uint32_t index, std::string_view name) {
  if (index >= refs_.size()) {
    if (name.empty()) return;
    refs_.resize(index + 1);
  }
  refs_[index] = {static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(name.size())};
  text_ += name;
}

void NameTable::clear() {
  refs_ = {};
  text_ = {};
}

void NameTable::shrink() {
  refs_.shrink_to_fit();
  text_.shrink_to_fit();
}

}  // namespace psi
