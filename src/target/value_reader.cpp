#include "target/value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "psi/support/suggestion.h"

namespace psi::target {
namespace {

constexpr uint32_t kMostRegisters = 65536;
constexpr int64_t kLargestScale = 1 << 16;

// Names appear in lists of passes.
bool is_name(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

template <class Number>
std::errc number_from(std::string_view text, Number& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::invalid_argument && end != text.data() + text.size())
    return std::errc::invalid_argument;
  return error;
}

std::string guard_suggestion(std::string_view word) {
  std::vector<std::string_view> known;
  for (int i = 0; i < kNumOpGroups; ++i) known.push_back(group_name(static_cast<OpGroup>(i)));
  for (int i = 0; i < kNumGenericOpcodes; ++i) known.push_back(info(static_cast<Opcode>(i)).name);
  return suggestion(word, known);
}

}  // namespace

void ValueReader::read() {
  if (at_end()) return fail(lines_.words()[0], fmt::format("'{}' has no value", key_.name));
  switch (key_.value) {
    case ValueKind::Name:
      return read_name();
    case ValueKind::Text:
      target_.summary = lines_.from(1).text;
      return;
    case ValueKind::Number:
      return read_number();
    case ValueKind::Flag:
      return read_flag();
    case ValueKind::Guards:
      return read_guards();
    case ValueKind::Redirected:
      return read_redirected();
    case ValueKind::Actions:
      return read_actions();
    case ValueKind::Registers:
      return read_registers();
    case ValueKind::Literals:
      if (accept_only("none")) return;
      target_.immediates[key_.index] = take_range();
      return expect_end();
    case ValueKind::Offset:
      return read_offset();
    case ValueKind::Scales:
      return read_scales();
  }
}

bool ValueReader::accept_only(std::string_view text) {
  return at_ + 1 == lines_.words().size() && lines_.words()[at_].text == text;
}

void ValueReader::expect_end() {
  if (!at_end())
    fail(lines_.from(at_), fmt::format("nothing more is expected after '{}'", lines_.words()[at_ - 1].text));
}

void ValueReader::read_name() {
  const Word& word = take();
  if (!is_name(word.text)) {
    return fail(word, "the name of a target is made of letters, digits, '-', '_' and '.'");
  }
  target_.name = word.text;
  expect_end();
}

std::optional<uint32_t> ValueReader::take_number(uint32_t min, uint32_t max, std::string_view or_else) {
  const Word& word = take();
  uint32_t value = 0;
  std::errc error = number_from(word.text, value);
  if (error == std::errc::invalid_argument) {
    fail(word, fmt::format("expected a number{}, found '{}'", or_else, word.text));
    return std::nullopt;
  }
  if (error == std::errc() && min <= value && value <= max) return value;
  fail(word,
       fmt::format("{} is out of range: '{}' goes from {} to {}{}", word.text, key_.name, min, max, or_else));
  return std::nullopt;
}

void ValueReader::read_number() {
  uint32_t& number = key_.number(target_, key_.index);
  if (key_.may_be_none && accept_only("none")) {
    number = 0;
    return;
  }
  number = take_number(key_.min, key_.max, key_.may_be_none ? " or 'none'" : "").value_or(key_.min);
  expect_end();
}

void ValueReader::read_flag() {
  const Word& word = take();
  if (word.text != key_.yes && word.text != key_.no) {
    return fail(word, fmt::format("expected '{}' or '{}', found '{}'", key_.yes, key_.no, word.text));
  }
  key_.flag(target_) = word.text == key_.yes;
  expect_end();
}

void ValueReader::read_guards() {
  if (accept_only("none")) return;
  bool all = accept_only("all");
  std::bitset<kNumOpcodes> named;
  for (; !all && !at_end();) {
    const Word& word = take();
    std::optional<OpGroup> group = group_from_name(word.text);
    std::optional<Opcode> op = opcode_from_name(word.text);
    if (word.text == "all" || word.text == "none") {
      fail(word, fmt::format("'{}' stands alone", word.text));
    } else if (op && !group_of(*op)) {
      fail(word, fmt::format("no machine executes a {}, so it carries no guard", word.text));
    } else if (group) {
      // `load`, `store`, `select` and `call` are opcodes, too.
      for (size_t i = 0; i < kNumOpcodes; ++i) {
        if (group_of(static_cast<Opcode>(i)) == group) named.set(i);
      }
    } else if (op) {
      named.set(static_cast<size_t>(*op));
    } else {
      fail(word, fmt::format("'{}' is neither an opcode nor a group of them{}", word.text,
                             guard_suggestion(word.text)));
    }
  }
  for (size_t i = 0; all && i < kNumOpcodes; ++i) named[i] = group_of(static_cast<Opcode>(i)).has_value();
  target_.guarded = named;
}

void ValueReader::read_redirected() {
  if (accept_only("none")) return;
  while (!at_end()) {
    const Word& word = take();
    std::optional<OpGroup> group = group_from_name(word.text);
    if (group != OpGroup::Load && group != OpGroup::Store && group != OpGroup::Divide) {
      fail(word, fmt::format("'{}' cannot be redirected: only load, store and divide can", word.text));
      continue;
    }
    for (size_t i = 0; i < kNumOpcodes; ++i) {
      if (group_of(static_cast<Opcode>(i)) == group) target_.redirected.set(i);
    }
  }
}

void ValueReader::read_actions() {
  if (accept_only("none")) return;
  if (accept_only("all")) {
    target_.actions.set();
    return;
  }
  while (!at_end()) {
    const Word& word = take();
    std::optional<Action> action = action_from_name(word.text);
    if (!action || *action == Action::none) {
      fail(word, fmt::format("'{}' is no action of cmpp (un, uc, on, oc, an, ac, cn, cc)", word.text));
    } else {
      target_.actions.set(static_cast<size_t>(*action));
    }
  }
}

void ValueReader::read_registers() {
  if (!key_.is_required && accept_only("none")) return;
  RegisterClass& registers = target_.registers[key_.index];
  std::optional<uint32_t> count = take_number(1, kMostRegisters, key_.is_required ? "" : " or 'none'");
  if (!count) return;
  registers.count = *count;
  if (at_end()) {
    const Word& last = lines_.words()[at_ - 1];
    return fail(last, "expected what the names of these registers begin with, as in '32 r'");
  }
  registers.prefix = take().text;
  expect_end();
}

std::optional<LiteralRange> ValueReader::take_range() {
  const Word& word = take();
  using Limits = std::numeric_limits<int64_t>;
  if (word.text == "any") return LiteralRange{Limits::min(), Limits::max()};
  size_t dots = word.text.find("..");
  LiteralRange range;
  std::errc low = std::errc::invalid_argument, high = low;
  if (dots != std::string_view::npos) {
    low = number_from(word.text.substr(0, dots), range.min);
    high = number_from(word.text.substr(dots + 2), range.max);
  }
  if (low == std::errc() && high == std::errc() && range.min <= range.max) return range;
  if (low == std::errc::invalid_argument || high == std::errc::invalid_argument) {
    fail(word, fmt::format("expected a range such as '-128..127', 'any' or 'none', found '{}'", word.text));
  } else if (low == std::errc::result_out_of_range || high == std::errc::result_out_of_range) {
    fail(word, fmt::format("the limits of {} do not fit 64 bits", word.text));
  } else {
    fail(word, fmt::format("{} is empty: the smaller number comes first", word.text));
  }
  return std::nullopt;
}

void ValueReader::read_offset() {
  if (accept_only("none")) return;
  std::optional<LiteralRange> range = take_range();
  OffsetRange offset;
  while (!at_end()) {
    const Word& word = take();
    bool* flag = word.text == "scaled"     ? &offset.scaled
                 : word.text == "extended" ? &offset.extended
                                           : nullptr;
    if (!flag) return fail(word, fmt::format("expected 'scaled' or 'extended', found '{}'", word.text));
    if (*flag) return fail(word, fmt::format("'{}' is given twice", word.text));
    *flag = true;
  }
  if (!range) return;
  offset.range = *range;
  target_.addressing.offsets.push_back(offset);
}

void ValueReader::read_scales() {
  AddressingModes& addressing = target_.addressing;
  if (accept_only("none")) return;
  addressing.index = true;
  addressing.any_scale = accept_only("any");
  for (; !addressing.any_scale && !at_end();) {
    const Word& word = take();
    int64_t scale = 0;
    if (word.text == "size") {
      addressing.scale_by_size = true;
    } else if (number_from(word.text, scale) == std::errc() && scale > 0 && scale <= kLargestScale &&
               std::has_single_bit(static_cast<uint64_t>(scale))) {
      addressing.scales |= static_cast<uint64_t>(scale);
    } else {
      fail(word,
           fmt::format(
               "expected 'size' or a power of two up to {}, or one of 'any' and 'none' alone, found '{}'",
               kLargestScale, word.text));
    }
  }
}

}  // namespace psi::target
