// Names of entities by index, most often of registers. Costs nothing until the first name is set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace psi {

class NameTable {
 public:
  // Empty if there is none.
  std::string_view name(uint32_t index) const {
    if (index >= refs_.size() || refs_[index].length == 0) return {};
    return std::string_view(text_).substr(refs_[index].start, refs_[index].length);
  }
  void set(uint32_t index, std::string_view name);
  bool empty() const { return refs_.empty(); }
  void clear();
  void shrink();
  size_t memory() const { return refs_.capacity() * sizeof(Ref) + text_.capacity(); }

 private:
  struct Ref {
    uint32_t start = 0;
    uint32_t length = 0;
  };
  std::vector<Ref> refs_;
  std::string text_;
};

}  // namespace psi
