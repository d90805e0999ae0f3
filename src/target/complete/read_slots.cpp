// Sections `slots`, `timing` and `branch`.
#include <fmt/format.h>

#include <algorithm>

#include "psi/support/suggestion.h"
#include "target/complete/reader.h"

namespace psi::target {
namespace {

constexpr int64_t kMostReadCycles = 1000, kMostWords = 16, kMostSlots = 64;

}  // namespace

void DescriptionReader::read_slots() {
  constexpr std::array<std::string_view, 4> kKeys = {"slots", "width", "resource", "class"};
  report_unknown_keys("slots", kKeys);
  single_key("slots", "slots", [&](Cursor& cursor) {
    while (!cursor.at_end()) {
      Piece word = cursor.take_word();
      std::vector<std::string>& slots = description_->slots;
      if (std::ranges::find(slots, word.text) != slots.end()) {
        fail(word.where, fmt::format("the slot '{}' is named twice", word.text));
      } else if (static_cast<int64_t>(slots.size()) == kMostSlots) {
        return fail(word.where, fmt::format("a machine has {} slots at most", kMostSlots));
      } else if (word.text.find('+') != std::string_view::npos) {
        fail(word.where, "'+' joins slots of a class; it is in no name");
      } else {
        slots.emplace_back(word.text);
      }
    }
  });
  if (description_->slots.empty() && problems_.num_errors() == 0) {
    fail(section("slots").heading.where(), "the key 'slots' of section 'slots' is missing");
  }
  description_->width = static_cast<uint32_t>(std::max<size_t>(1, description_->slots.size()));
  single_key("slots", "width", [&](Cursor& cursor) {
    if (auto width = cursor.take_number(1, kMostSlots, "a number of instructions")) {
      description_->width = static_cast<uint32_t>(*width);
    }
  });
  each_key("slots", "resource", [&](Cursor& cursor) {
    Piece name = cursor.take_name("the name of a resource");
    auto count = cursor.take_number(1, kMostSlots, "how many there are");
    cursor.expect_end();
    if (count) description_->resources.push_back({std::string(name.text), static_cast<uint32_t>(*count)});
  });
  each_key("slots", "class", [&](Cursor& cursor) { read_class(cursor); });
}

bool DescriptionReader::read_alternative(const Piece& word, SchedulingClass& made) {
  uint64_t mask = 0;
  std::string_view rest = word.text;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('+'), rest.size());
    std::string_view slot = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    auto found = std::ranges::find(description_->slots, slot);
    if (found == description_->slots.end()) {
      std::vector<std::string_view> known(description_->slots.begin(), description_->slots.end());
      fail(word.where, fmt::format("there is no slot '{}'{}", slot, suggestion(slot, known)));
      return false;
    }
    mask |= uint64_t{1} << (found - description_->slots.begin());
  }
  made.alternatives.push_back(mask);
  return true;
}

// class NAME none|SLOTS [latency N] [busy N] [words N] [also RESOURCES]
void DescriptionReader::read_class(Cursor& cursor) {
  Piece name = cursor.take_name("the name of a class");
  SchedulingClass made;
  made.name = name.text;
  bool is_none = cursor.accept_word("none"), is_good = true;
  auto number = [&](int64_t most, std::string_view what, uint32_t& value) {
    if (auto given = cursor.take_number(1, most, what)) value = static_cast<uint32_t>(*given);
  };
  while (!cursor.at_end()) {
    if (cursor.accept_word("latency")) {
      number(kMostReadCycles, "a latency", made.latency);
    } else if (cursor.accept_word("busy")) {
      number(kMostReadCycles, "a number of cycles", made.busy);
    } else if (cursor.accept_word("words")) {
      number(kMostWords, "a number of words", made.words);
    } else if (cursor.accept_word("also")) {
      Piece word = cursor.take_word();
      auto found = std::ranges::find(description_->resources, word.text, &Resource::name);
      if (found == description_->resources.end()) {
        std::vector<std::string_view> known;
        for (const Resource& one : description_->resources) known.push_back(one.name);
        fail(word.where, fmt::format("there is no resource '{}'{}", word.text, suggestion(word.text, known)));
      } else {
        made.also.push_back(static_cast<uint32_t>(found - description_->resources.begin()));
      }
    } else {
      Piece word = cursor.take_word();
      if (is_none) {
        fail(word.where, "a class with 'none' takes no slot");
        is_good = false;
      } else {
        is_good &= read_alternative(word, made);
      }
    }
  }
  if (made.alternatives.empty() && !is_none && is_good) {
    fail(name.where, fmt::format("the class '{}' names no slot; 'none' if it takes none", name.text));
  }
  if (name.text.empty()) return;
  uint32_t index = static_cast<uint32_t>(description_->scheduling_classes.size());
  if (!scheduling_classes_.emplace(made.name, index).second) {
    return fail(name.where, fmt::format("the class '{}' is declared twice", name.text));
  }
  description_->scheduling_classes.push_back(std::move(made));
}

void DescriptionReader::read_timing() {
  single_key("timing", "hazards", [&](Cursor& cursor) {
    description_->interlocked = choose_word(cursor, "interlocked", "exposed");
  });
  single_key("timing", "order",
             [&](Cursor& cursor) { description_->out_of_order = choose_word(cursor, "out", "in"); });
  single_key("timing", "delay", [&](Cursor& cursor) {
    if (auto delay = cursor.take_number(0, 16, "a number of packets")) {
      description_->branch_delay = static_cast<uint32_t>(*delay);
    }
  });
  constexpr std::array<std::string_view, 3> kKeys = {"hazards", "order", "delay"};
  for (const Entry& entry : section("timing").entries) {
    const std::string& text = entry.head.text();
    if (text.find("->") != std::string::npos) {
      Cursor cursor(entry.head, problems_);
      read_latency(cursor);
      continue;
    }
    std::string_view word = std::string_view(text).substr(0, text.find_first_of(" \t"));
    if (std::ranges::find(kKeys, word) != kKeys.end()) continue;
    fail(entry.head.where(0, word.size()),
         fmt::format("section 'timing' has no key '{}'{}; a latency is 'CLASS -> READER CYCLES'", word,
                     suggestion(word, kKeys)));
  }
}

// CLASS -> CLASS|ROLE|CLASS.%NAME CYCLES
void DescriptionReader::read_latency(Cursor& cursor) {
  LatencyRule rule;
  rule.where = cursor.line().where();
  Piece from = cursor.take_until("");
  if (from.text.ends_with("->")) {
    return fail(from.where, "expected a blank before '->'");
  }
  rule.from = scheduling_class_named(from);
  if (!cursor.starts_with("->")) return cursor.fail("expected '->'");
  cursor.move_to(cursor.offset() + 2);
  Piece to = cursor.take_word();
  size_t percent = to.text.find(".%");
  if (to.text == "address") {
    rule.role = ReadRole::Address;
  } else if (to.text == "value") {
    rule.role = ReadRole::Value;
  } else if (to.text == "guard") {
    rule.role = ReadRole::Guard;
  } else if (percent != std::string_view::npos) {
    rule.operand = to.text.substr(percent + 2);
    rule.to = scheduling_class_named({to.text.substr(0, percent), to.where});
  } else {
    rule.to = scheduling_class_named(to);
  }
  auto cycles = cursor.take_number(0, kMostReadCycles, "a number of cycles");
  cursor.expect_end();
  if (!cycles || rule.from == kNone) return;
  rule.cycles = static_cast<uint32_t>(*cycles);
  for (const LatencyRule& other : description_->latencies) {
    if (other.from != rule.from || other.to != rule.to || other.role != rule.role ||
        other.operand != rule.operand) {
      continue;
    }
    fail(cursor.line().where(),
         other.cycles == rule.cycles
             ? "this latency is given twice"
             : fmt::format("this latency contradicts an earlier one, which is {}", other.cycles));
    return;
  }
  description_->latencies.push_back(std::move(rule));
}

void DescriptionReader::read_branch() {
  constexpr std::array<std::string_view, 3> kKeys = {"taken", "mispredicted", "table"};
  report_unknown_keys("branch", kKeys);
  auto cycles = [&](std::string_view key, uint32_t& value) {
    single_key("branch", key, [&](Cursor& cursor) {
      if (auto given = cursor.take_number(0, kMostReadCycles, "a number of cycles")) {
        value = static_cast<uint32_t>(*given);
      }
    });
  };
  cycles("taken", description_->taken_cost);
  cycles("mispredicted", description_->misprediction);
}

}  // namespace psi::target
