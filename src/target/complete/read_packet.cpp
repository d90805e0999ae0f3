// Sections `packet` and `bundles`.
#include <fmt/format.h>

#include <algorithm>

#include "psi/support/suggestion.h"
#include "target/complete/reader.h"

namespace psi::target {
namespace {

// What no line of a description can say, by name. Each is a debt.
constexpr std::array<std::string_view, 1> kHooks = {"hexagon-duplex"};

}  // namespace

void DescriptionReader::read_packet() {
  constexpr std::array<std::string_view, 8> kKeys = {"words",   "limit",   "exclude", "alone",
                                                     "forward", "writers", "memory",  "hook"};
  report_unknown_keys("packet", kKeys);
  PacketRules& packet = description_->packet;
  single_key("packet", "words", [&](Cursor& cursor) {
    if (auto words = cursor.take_number(1, 256, "a number of words"))
      packet.words = static_cast<uint32_t>(*words);
  });
  each_key("packet", "limit", [&](Cursor& cursor) {
    PacketRule rule{.kind = PacketRule::Kind::Limit, .classes = take_classes(cursor, {}), .others = {}};
    auto limit = cursor.take_number(0, 64, "how many of them there may be");
    cursor.expect_end();
    if (!limit) return;
    rule.limit = static_cast<uint32_t>(*limit);
    packet.rules.push_back(std::move(rule));
  });
  each_key("packet", "exclude", [&](Cursor& cursor) {
    PacketRule rule{
        .kind = PacketRule::Kind::Exclude, .classes = take_classes(cursor, {"with"}), .others = {}};
    if (!cursor.accept_word("with")) return cursor.fail("expected 'with' and classes");
    rule.others = take_classes(cursor, {});
    cursor.expect_end();
    packet.rules.push_back(std::move(rule));
  });
  each_key("packet", "alone", [&](Cursor& cursor) {
    packet.rules.push_back(
        {.kind = PacketRule::Kind::Alone, .classes = take_classes(cursor, {}), .others = {}});
    cursor.expect_end();
  });
  each_key("packet", "forward", [&](Cursor& cursor) { read_forward(cursor); });
  each_key("packet", "writers", [&](Cursor& cursor) {
    WritersRule rule;
    rule.conjunction = choose_word(cursor, "and", "or");
    rule.classes = take_classes(cursor, {});
    packet.writers.push_back(std::move(rule));
  });
  single_key("packet", "memory",
             [&](Cursor& cursor) { packet.memory_ordered = choose_word(cursor, "ordered", "apart"); });
  each_key("packet", "hook", [&](Cursor& cursor) { read_hook(cursor, "packet"); });
}

// forward guard from CLASSES [to CLASSES] ["TEXT"]
// forward %v from CLASSES to CLASSES [as CLASS] [same-guard] ["TEXT"]
void DescriptionReader::read_forward(Cursor& cursor) {
  ForwardRule rule;
  rule.where = cursor.line().where();
  rule.text = "{}";
  if (cursor.accept_word("guard")) {
    rule.guard = true;
  } else if (cursor.peek() == '%') {
    rule.operand = cursor.take_reg().value_or(Piece{}).text;
  } else {
    return cursor.fail("expected 'guard' or an operand, as in '%v'");
  }
  if (!cursor.accept_word("from")) return cursor.fail("expected 'from' and classes");
  rule.from = take_classes(cursor, {"to", "as", "same-guard"});
  if (cursor.accept_word("to")) {
    rule.to = take_classes(cursor, {"as", "same-guard"});
  } else if (!rule.guard) {
    return cursor.fail("expected 'to' and classes");
  }
  if (cursor.accept_word("as")) rule.as_class = scheduling_class_named(cursor.take_word());
  rule.same_guard = cursor.accept_word("same-guard");
  if (cursor.at_string()) rule.text = cursor.take_string("a text").value_or("{}");
  cursor.expect_end();
  description_->packet.forwards.push_back(std::move(rule));
}

// hook NAME "REASON"
void DescriptionReader::read_hook(Cursor& cursor, std::string_view) {
  Piece name = cursor.take_name("the name of a hook");
  std::optional<std::string> reason = cursor.take_string("the reason");
  cursor.expect_end();
  if (name.text.empty() || !reason) return;
  if (std::ranges::find(kHooks, name.text) == kHooks.end()) {
    return fail(name.where, fmt::format("there is no hook '{}'{}", name.text, suggestion(name.text, kHooks)));
  }
  description_->packet.hooks.push_back({std::string(name.text), std::move(*reason)});
}

void DescriptionReader::read_bundles() {
  constexpr std::array<std::string_view, 4> kKeys = {"size", "bundles", "template", "nop"};
  report_unknown_keys("bundles", kKeys);
  Bundles& bundles = description_->bundles;
  single_key("bundles", "size", [&](Cursor& cursor) {
    if (auto size = cursor.take_number(1, 16, "the places of a bundle"))
      bundles.size = static_cast<uint32_t>(*size);
  });
  single_key("bundles", "bundles", [&](Cursor& cursor) {
    if (auto count = cursor.take_number(1, 16, "a number of bundles")) {
      bundles.per_cycle = static_cast<uint32_t>(*count);
    }
  });
  single_key("bundles", "nop",
             [&](Cursor& cursor) { bundles.nop = cursor.take_string("a text").value_or(""); });
  each_key("bundles", "template", [&](Cursor& cursor) { read_template(cursor); });
  bool has_entries = !section("bundles").entries.empty();
  if (has_entries && bundles.size == 0 && problems_.num_errors() == 0) {
    fail(section("bundles").heading.where(), "the key 'size' of section 'bundles' is missing");
  }
}

// template NAME LETTERS [;] ...
void DescriptionReader::read_template(Cursor& cursor) {
  BundleTemplate made;
  made.name = cursor.take_word().text;
  uint32_t places = 0;
  while (!cursor.at_end()) {
    Piece word = cursor.take_word();
    if (word.text == ";") {
      if (made.places.empty()) return fail(word.where, "a stop stands behind a place");
      made.places.back().stop_after = true;
      continue;
    }
    std::string_view rest = word.text;
    while (true) {
      size_t end = std::min(rest.find('+'), rest.size());
      std::string_view letter = rest.substr(0, end);
      bool fits = std::ranges::any_of(description_->slots,
                                      [&](const std::string& slot) { return slot.starts_with(letter); });
      if (!fits || letter.empty()) fail(word.where, fmt::format("no slot begins with '{}'", letter));
      ++places;
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
    made.places.push_back({std::string(word.text), false});
  }
  if (places != description_->bundles.size) {
    return fail(cursor.line().where(), fmt::format("'{}' has {} places, a bundle {}", made.name, places,
                                                   description_->bundles.size));
  }
  description_->bundles.templates.push_back(std::move(made));
}

}  // namespace psi::target
