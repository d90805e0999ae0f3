// Refinement: everything that the original defines must also hold for the transformed program.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "psi/interp/interpret.h"

namespace psi {
namespace {

using Status = Outcome::Status;

std::string_view status_text(Status status) {
  switch (status) {
    case Status::Returned:
      return "returned";
    case Status::Exited:
      return "exited";
    case Status::Aborted:
      return "aborted";
    case Status::Undefined:
      return "reached undefined behaviour";
    case Status::Exhausted:
      return "ran out of fuel, memory or depth";
    case Status::Unsupported:
      return "called something that does not exist here";
  }
  return "";
}

std::string value_text(Value value) { return value.undef ? "undef" : fmt::format("{:#x}", value.bits); }

std::string call_text(const ExternalCall& call) {
  std::string text = fmt::format("${}(", call.callee);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", value_text(call.arguments[i]));
  }
  text += ")";
  if (!call.printed.empty()) text += fmt::format(" printing \"{}\"", call.printed);
  return text;
}

bool may_become(Value before, Value after) {
  return before.undef || (!after.undef && before.bits == after.bits);
}

// Is the byte of this object part of an address of a slot in both, with the same offset? Slots are not the
// same.
bool is_same_in_slots(const Outcome& before, const Outcome& after, size_t object, size_t byte) {
  constexpr size_t kWord = 4;
  auto find = [&](const Outcome& outcome) -> const Outcome::SlotAddress* {
    Outcome::SlotAddress wanted = {object, byte / kWord * kWord, INT64_MIN};
    auto at = std::ranges::lower_bound(outcome.slot_addresses, wanted);
    bool is_there = at != outcome.slot_addresses.end() && at->object == object && at->byte == wanted.byte;
    return is_there ? &*at : nullptr;
  };
  const Outcome::SlotAddress *a = find(before), *b = find(after);
  return a && b && a->offset == b->offset;
}

// The first difference; empty if there is none.
std::string find_difference(const Outcome& before, const Outcome& after) {
  size_t common = std::min(before.calls.size(), after.calls.size());
  for (size_t i = 0; i < common; ++i) {
    if (before.calls[i] == after.calls[i]) continue;
    return fmt::format("external call {}: {} before, {} after", i + 1, call_text(before.calls[i]),
                       call_text(after.calls[i]));
  }
  if (before.status != after.status) {
    std::string text =
        fmt::format("{} before, {} after", status_text(before.status), status_text(after.status));
    if (!after.message.empty()) text += fmt::format(" ({})", after.message);
    return text;
  }
  if (before.calls.size() != after.calls.size()) {
    bool lost = before.calls.size() > after.calls.size();
    return fmt::format("{} external calls before, {} after; the first {}: {}", before.calls.size(),
                       after.calls.size(), lost ? "lost" : "added",
                       call_text(lost ? before.calls[common] : after.calls[common]));
  }
  if (before.exit_code != after.exit_code) {
    return fmt::format("exit code {} before, {} after", before.exit_code, after.exit_code);
  }
  if (before.result_type != after.result_type) {
    return fmt::format("result of type {} before, {} after", type_name(before.result_type),
                       type_name(after.result_type));
  }
  if (!may_become(before.result, after.result)) {
    return fmt::format("result {} before, {} after", value_text(before.result), value_text(after.result));
  }
  if (before.memory.size() != after.memory.size()) {
    return fmt::format("{} objects in memory at exit before, {} after", before.memory.size(),
                       after.memory.size());
  }
  for (size_t i = 0; i < before.memory.size(); ++i) {
    const auto& [symbol, bytes] = before.memory[i];
    const auto& [after_symbol, after_bytes] = after.memory[i];
    if (symbol != after_symbol || bytes.size() != after_bytes.size()) {
      return fmt::format("object {} in memory at exit differs in identity or size", i + 1);
    }
    for (size_t k = 0; k < bytes.size(); ++k) {
      if (may_become(bytes[k], after_bytes[k])) continue;
      if (!after_bytes[k].undef && is_same_in_slots(before, after, i, k)) continue;
      return fmt::format("object {} in memory at exit, byte {}: {} before, {} after", i + 1, k,
                         value_text(bytes[k]), value_text(after_bytes[k]));
    }
  }
  return {};
}

}  // namespace

Result<void> refines(const Outcome& before, const Outcome& after) {
  bool defined = before.status == Status::Returned || before.status == Status::Exited ||
                 before.status == Status::Aborted;
  if (!defined) return {};
  std::string difference = find_difference(before, after);
  if (difference.empty()) return {};
  return failure(std::move(difference));
}

}  // namespace psi
