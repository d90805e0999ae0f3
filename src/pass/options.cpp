#include "psi/pass/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "psi/support/result.h"
#include "psi/target/target.h"

namespace psi {
namespace {

std::optional<uint32_t> read_number(const PassOption::Range& range, std::string_view text) {
  uint32_t number = 0;
  const char* end = text.data() + text.size();
  auto [stopped, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || stopped != end || number < range.least || number > range.most) return {};
  return number;
}

}  // namespace

std::string_view kind_name(PassOption::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"flag", "word", "number", "target"};
  return kNames[static_cast<size_t>(kind)];
}

PassOption PassOption::flag(std::string name, bool fallback, std::string summary) {
  std::vector<std::string> values = {"on", "off"};
  if (!fallback) std::swap(values[0], values[1]);
  return {std::move(name), Kind::Flag, std::move(values), {}, std::move(summary)};
}

PassOption PassOption::word(std::string name, std::vector<std::string> values, std::string summary) {
  return {std::move(name), Kind::Word, std::move(values), {}, std::move(summary)};
}

PassOption PassOption::number(std::string name, Range range, std::string summary) {
  return {std::move(name), Kind::Number, {}, range, std::move(summary)};
}

PassOption PassOption::target(std::string summary) {
  PassOption option{"target", Kind::Target, {}, {}, std::move(summary)};
  for (std::string_view name : TargetTable::builtin().names()) option.values.emplace_back(name);
  return option;
}

bool PassOption::accepts(std::string_view value) const {
  if (is_number()) return read_number(range, value).has_value();
  return std::ranges::find(values, value) != values.end();
}

std::string PassOption::default_value() const {
  return is_number() ? std::to_string(range.fallback) : values.empty() ? std::string() : values.front();
}

std::string PassOption::describe_values() const {
  if (is_number()) return fmt::format("a number from {} to {}", range.least, range.most);
  return fmt::format("{}", fmt::join(values, ", "));
}

PassArguments::PassArguments(const std::vector<PassOption>& options) {
  for (const PassOption& option : options) {
    arguments_.push_back({option.name, option.kind, option.default_value(), option.range.fallback});
  }
}

bool PassArguments::set(const PassOption& option, std::string_view value) {
  if (!option.accepts(value)) return false;
  uint32_t number = option.is_number() ? *read_number(option.range, value) : 0;
  Argument argument{option.name, option.kind, std::string(value), number};
  auto known = std::ranges::find(arguments_, option.name, &Argument::name);
  if (known == arguments_.end()) {
    arguments_.push_back(std::move(argument));
  } else {
    *known = std::move(argument);
  }
  return true;
}

const PassArguments::Argument& PassArguments::find(std::string_view name) const {
  auto known = std::ranges::find(arguments_, name, &Argument::name);
  if (known == arguments_.end()) no_value(failure(fmt::format("the pass has no option '{}'", name)));
  return *known;
}

const PassArguments::Argument& PassArguments::find(std::string_view name, PassOption::Kind kind) const {
  const Argument& argument = find(name);
  if (argument.kind != kind) {
    no_value(failure(
        fmt::format("option '{}' is a {}, not a {}", name, kind_name(argument.kind), kind_name(kind))));
  }
  return argument;
}

bool PassArguments::flag(std::string_view name) const {
  return find(name, PassOption::Kind::Flag).text == "on";
}
std::string_view PassArguments::word(std::string_view name) const {
  return find(name, PassOption::Kind::Word).text;
}
uint32_t PassArguments::number(std::string_view name) const {
  return find(name, PassOption::Kind::Number).number;
}
std::string_view PassArguments::target(std::string_view name) const {
  return find(name, PassOption::Kind::Target).text;
}
std::string_view PassArguments::text(std::string_view name) const { return find(name).text; }

}  // namespace psi
