#include "psi/target.h"

#include <algorithm>
#include <array>
#include <bit>

#include "target/targets.h"

namespace psi {

bool Target::has_offset(int64_t offset, unsigned size) const {
  if (offset == 0) return true;
  return std::ranges::any_of(addressing.offsets, [&](const OffsetRange& range) {
    if (range.extended) return false;
    if (!range.scaled) return range.min <= offset && offset <= range.max;
    int64_t unit = size;
    return unit > 0 && offset % unit == 0 && range.min <= offset / unit && offset / unit <= range.max;
  });
}

bool Target::has_scale(int64_t scale, unsigned size) const {
  if (addressing.any_scale || scale == 1) return true;
  if (scale <= 0 || !std::has_single_bit(static_cast<uint64_t>(scale))) return false;
  return scale <= addressing.max_scale || (addressing.scale_by_size && scale == static_cast<int64_t>(size));
}

bool Target::can_access(int64_t scale, int64_t offset, unsigned size) const {
  if (!has_offset(offset, size)) return false;
  if (scale == 0) return true;
  return addressing.index && (offset == 0 || addressing.index_with_offset) && has_scale(scale, size);
}

std::string_view predication_name(Predication predication) {
  switch (predication) {
    case Predication::None:
      return "none";
    case Predication::Select:
      return "select";
    case Predication::Full:
      return "full";
  }
  return {};
}

std::span<const Target> targets() {
  static const std::array kTargets = {target::generic(), target::hexagon(), target::st200(),
                                      target::itanium(), target::x86_64(),  target::aarch64(),
                                      target::riscv()};
  return kTargets;
}

const Target* find_target(std::string_view name) {
  auto found = std::ranges::find(targets(), name, &Target::name);
  return found == targets().end() ? nullptr : &*found;
}

}  // namespace psi
