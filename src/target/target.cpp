// Queries about one target.
#include "psi/target/target.h"

#include <algorithm>
#include <bit>

#include "psi/target/description.h"

namespace psi {
namespace {

constexpr std::array<std::string_view, 4> kPredicationNames = {"none", "select", "partial", "full"};
constexpr std::array<std::string_view, kNumUnits> kUnitNames = {"integer", "multiply", "memory", "branch",
                                                                "float"};
constexpr std::array<std::string_view, kNumRegisterKinds> kRegisterKindNames = {"general", "predicate",
                                                                                "float"};

// Does the target have such instructions?
bool executes(const Target& target, Opcode op) {
  std::optional<OpGroup> group = group_of(op);
  if (!group || !target.has(*group)) return false;
  return op != Opcode::Cmpp || target.has_cmpp();
}

}  // namespace

bool Target::takes_pointers_of(unsigned bits) const {
  return !description || description->pointer_bits == bits;
}

Predication Target::predication() const {
  bool some = false, all = true;
  for (int i = 0; i < kNumOpcodes; ++i) {
    Opcode op = static_cast<Opcode>(i);
    if (!executes(*this, op)) continue;
    some |= guarded[static_cast<size_t>(i)];
    all &= guarded[static_cast<size_t>(i)];
  }
  if (some) return all ? Predication::Full : Predication::Partial;
  return has_select ? Predication::Select : Predication::None;
}

bool Target::can_guard(Opcode op) const {
  size_t i = static_cast<size_t>(op);
  return (guarded[i] || redirected[i]) && executes(*this, op);
}

bool Target::redirects(Opcode op) const {
  size_t i = static_cast<size_t>(op);
  return redirected[i] && !guarded[i] && executes(*this, op);
}

bool Target::has_action(Action action) const {
  return action != Action::none && actions[static_cast<size_t>(action)];
}

bool Target::has(OpGroup group) const {
  if (group == OpGroup::Select) return has_select;
  return latencies[static_cast<size_t>(group)] != 0;
}

OpGroup Target::executed_as(OpGroup group) const {
  if (has(group)) return group;
  if (group != OpGroup::Select) return OpGroup::Call;
  return can_guard(Opcode::Mov) ? OpGroup::Move : OpGroup::Branch;
}

std::optional<Unit> Target::unit(const Inst& inst) const {
  std::optional<OpGroup> group = group_of(inst);
  if (!group) return std::nullopt;
  return unit_of(executed_as(*group));
}

uint32_t Target::latency(OpGroup group) const { return latencies[static_cast<size_t>(executed_as(group))]; }

uint32_t Target::latency(const Inst& inst) const {
  std::optional<OpGroup> group = group_of(inst);
  return group ? latency(*group) : 0;
}

RegisterKind Target::register_kind(Type type) const {
  RegisterKind kind = type == Type::i1 ? RegisterKind::Predicate
                      : is_float(type) ? RegisterKind::Float
                                       : RegisterKind::General;
  return register_class(kind).count == 0 ? RegisterKind::General : kind;
}

bool Target::has_immediate(const Inst& inst, int64_t value) const {
  std::optional<OpGroup> group = group_of(inst);
  if (!group) return false;
  const std::optional<LiteralRange>& range = immediates[static_cast<size_t>(*group)];
  return range && range->contains(value);
}

bool Target::has_offset(int64_t offset, unsigned size) const {
  if (offset == 0) return true;
  return std::ranges::any_of(addressing.offsets, [&](const OffsetRange& form) {
    if (form.extended) return false;
    if (!form.scaled) return form.range.contains(offset);
    int64_t unit = size;
    return unit > 0 && offset % unit == 0 && form.range.contains(offset / unit);
  });
}

bool Target::has_scale(int64_t scale, unsigned size) const {
  if (addressing.any_scale) return true;
  if (addressing.scale_by_size && scale == static_cast<int64_t>(size)) return true;
  uint64_t bits = static_cast<uint64_t>(scale);
  return std::has_single_bit(bits) && (addressing.scales & bits) != 0;
}

bool Target::can_access(int64_t scale, int64_t offset, unsigned size) const {
  if (!has_offset(offset, size)) return false;
  if (scale == 0) return true;
  return addressing.index && (offset == 0 || addressing.index_with_offset) && has_scale(scale, size);
}

std::string_view predication_name(Predication predication) {
  return kPredicationNames[static_cast<size_t>(predication)];
}

std::string_view unit_name(Unit unit) { return kUnitNames[static_cast<size_t>(unit)]; }

std::string_view register_kind_name(RegisterKind kind) {
  return kRegisterKindNames[static_cast<size_t>(kind)];
}

}  // namespace psi
