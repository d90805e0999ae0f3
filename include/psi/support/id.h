// Typed 32-bit ids. Entities refer to each other by id, never by pointer, so that they can be stored in flat
// vectors, copied with them, and cost four bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace psi {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(uint32_t index) : index_(index) {}

  constexpr uint32_t index() const { return index_; }
  constexpr bool is_none() const { return index_ == kNone; }
  constexpr explicit operator bool() const { return !is_none(); }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t index_ = kNone;
};

using Reg = Id<struct RegTag>;
using InstId = Id<struct InstTag>;
using BlockId = Id<struct BlockTag>;
using SymbolId = Id<struct SymbolTag>;

}  // namespace psi

template <class Tag>
struct std::hash<psi::Id<Tag>> {
  size_t operator()(psi::Id<Tag> id) const noexcept { return id.index(); }
};
