#include "target/complete/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "psi/support/suggestion.h"
#include "target/builtin_texts.h"

namespace psi::target {
namespace {

constexpr std::array<std::string_view, 16> kSections = {
    "",         "registers",    "slots",  "timing",    "branch",     "packet", "bundles", "guards",
    "operands", "instructions", "expand", "sequences", "convention", "frame",  "loops",   "assembly"};
// Sections of a cost-only description that a complete one implies.
constexpr std::array<std::string_view, 5> kImplied = {"predication", "issue", "latency", "immediate",
                                                      "address"};

constexpr unsigned kMaxDepth = 8;  // of `use`

std::string_view key_of(std::string_view line) {
  return line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
}

// The first word behind a blank that begins so begins otherwise.
SourceLine renamed(const SourceLine& line, const std::string& from, const std::string& to) {
  size_t at = line.text().find(" " + from);
  return at == std::string::npos || from == to ? line : line.with(at + 1, from.size(), to);
}

// What an entry is replaced by: one that names the same thing.
std::string identity(std::string_view section, const Entry& entry) {
  std::string_view head = entry.head.text();
  if (section == "expand" || section == "instructions") {
    // The name of what is defined: an opcode word, or the instruction's name.
    size_t equal = head.find(" = ");
    std::string_view rest = equal == std::string_view::npos ? head : head.substr(equal + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of("? \t"), rest.size()));
    return std::string(key_of(rest));
  }
  std::string_view key = key_of(head);
  for (std::string_view named :
       {"file",      "pairs", "register", "set",      "name",      "class",  "resource",
        "immediate", "mode",  "modes",    "wired",    "arguments", "result", "routine",
        "hook",      "copy",  "swap",     "constant", "address",   "spill",  "reload"}) {
    if (key == named) return std::string(head);
  }
  if (section == "timing" && head.find("->") != std::string_view::npos) return std::string(head);
  return std::string(key);
}

}  // namespace

std::shared_ptr<TargetDescription> DescriptionReader::run(std::string_view text) {
  load(text, true, 0);
  replace_used();
  read_top();
  read_registers();
  read_slots();
  read_timing();
  read_branch();
  read_guards();
  read_operands();
  read_packet();
  read_bundles();
  read_instructions();
  read_convention();
  read_code();
  read_frame();
  read_loops();
  read_assembly();
  if (problems_.num_errors() > 0) return nullptr;
  return description_;
}

RawSection& DescriptionReader::section(std::string_view name) {
  auto found = std::ranges::find(sections_, name, &RawSection::name);
  if (found != sections_.end()) return *found;
  sections_.push_back({std::string(name), {}, {}});
  return sections_.back();
}

void DescriptionReader::load(std::string_view text, bool is_own, unsigned depth) {
  std::vector<SourceLine> lines = read_lines(text, is_own, problems_);
  // What `use` names is read first, so that this text comes behind it.
  for (const SourceLine& line : lines) {
    if (line.text().starts_with('[')) break;
    if (key_of(line.text()) != "use") continue;
    Cursor cursor(line, problems_);
    cursor.accept_word("use");
    Piece name = cursor.take_name("the name of a description");
    cursor.expect_end();
    std::string file = fmt::format("{}.target", name.text);
    std::vector<std::string_view> known;
    std::string_view used;
    for (const BuiltinText& builtin : builtin_texts()) {
      known.push_back(builtin.file.substr(0, builtin.file.rfind('.')));
      if (builtin.file == file) used = builtin.text;
    }
    if (used.empty()) {
      if (!name.text.empty()) {
        fail(name.where,
             fmt::format("there is no description '{}' to use{}", name.text, suggestion(name.text, known)));
      }
    } else if (depth < kMaxDepth && std::ranges::find(used_, name.text) == used_.end()) {
      used_.emplace_back(name.text);
      load(used, false, depth + 1);
    }
  }
  RawSection* open = &section("");
  std::vector<std::string_view> seen;
  bool is_known = true;
  for (SourceLine& line : lines) {
    const std::string& content = line.text();
    if (content[0] == '[') {
      is_known = false;
      size_t end = content.find(']');
      if (end == std::string::npos || end + 1 != content.size()) {
        fail(line.where(), "expected a section, as in '[registers]'");
        continue;
      }
      std::string_view name = std::string_view(content).substr(1, end - 1);
      auto found = std::ranges::find(kSections, name);
      if (std::ranges::find(kImplied, name) != kImplied.end()) {
        fail(line.where(),
             fmt::format("a file with instructions implies the section '{}': leave it out", name));
      } else if (found == kSections.end() || name.empty()) {
        fail(line.where(), fmt::format("there is no section '{}'{}", name,
                                       suggestion(name, std::span(kSections).subspan(1))));
      } else if (std::ranges::find(seen, *found) != seen.end()) {
        fail(line.where(), fmt::format("the section '{}' stands twice", name));
        problems_.note(section(name).heading.where(), "first here");
        is_known = true;
        open = &section(name);
      } else {
        is_known = true;
        seen.push_back(*found);
        open = &section(name);
        open->heading = std::move(line);
      }
      continue;
    }
    if (!is_known) continue;
    if (!line.is_indented()) {
      open->entries.push_back({std::move(line), {}, is_own});
    } else if (open->entries.empty() || open->entries.back().is_own != is_own) {
      fail(line.where(), "an indented line belongs to an entry above it, but there is none");
    } else {
      open->entries.back().body.push_back(std::move(line));
    }
  }
}

// What the file says replaces what a file that it uses says of the same thing. Expansions of the file come
// first.
void DescriptionReader::replace_used() {
  rename_used();
  for (RawSection& part : sections_) {
    std::vector<std::string> own;
    for (const Entry& entry : part.entries) {
      if (entry.is_own) own.push_back(identity(part.name, entry));
    }
    std::ranges::sort(own);
    if (part.name == "expand") {
      std::vector<Entry> in_order;
      in_order.reserve(part.entries.size());
      for (bool is_own : {true, false}) {
        for (Entry& entry : part.entries) {
          if (entry.is_own == is_own) in_order.push_back(std::move(entry));
        }
      }
      part.entries = std::move(in_order);
      continue;
    }
    std::erase_if(part.entries, [&](const Entry& entry) {
      return !entry.is_own && std::ranges::binary_search(own, identity(part.name, entry));
    });
  }
}

// Code of a machine that is used names its instructions: they are this machine's now.
void DescriptionReader::rename_used() {
  std::string own;
  for (const Entry& entry : section("").entries) {
    if (!entry.is_own || key_of(entry.head.text()) != "machine") continue;
    Problems ignored;
    Cursor cursor(entry.head, ignored);
    cursor.accept_word("machine");
    own = cursor.take_name("").text;
  }
  for (RawSection& part : sections_) {
    for (Entry& entry : part.entries) {
      for (SourceLine& line : entry.body) {
        for (size_t i = 0; !entry.is_own && i < used_.size(); ++i)
          line = renamed(line, used_[i] + ".", own + ".");
      }
    }
  }
}

void DescriptionReader::each_key(std::string_view name, std::string_view key,
                                 const std::function<void(Cursor&)>& read) {
  for (const Entry& entry : section(name).entries) {
    if (key_of(entry.head.text()) != key) continue;
    if (!entry.body.empty()) fail(entry.body.front().where(), fmt::format("'{}' has no body", key));
    Cursor cursor(entry.head, problems_);
    cursor.move_to(key.size());
    read(cursor);
  }
}

void DescriptionReader::single_key(std::string_view name, std::string_view key,
                                   const std::function<void(Cursor&)>& read) {
  Location first;
  bool is_given = false;
  each_key(name, key, [&](Cursor& cursor) {
    Location where = cursor.line().where(0, key.size());
    if (is_given) {
      fail(where, fmt::format("'{}' is given twice", key));
      problems_.note(first, "first here");
      return;
    }
    is_given = true;
    first = where;
    if (cursor.at_end()) return fail(where, fmt::format("'{}' has no value", key));
    read(cursor);
    cursor.expect_end();
  });
}

void DescriptionReader::report_unknown_keys(std::string_view name, std::span<const std::string_view> keys) {
  for (const Entry& entry : section(name).entries) {
    std::string_view word = key_of(entry.head.text());
    if (std::ranges::find(keys, word) != keys.end()) continue;
    std::string where =
        name.empty() ? "outside of the sections there is" : fmt::format("section '{}' has", name);
    fail(entry.head.where(0, word.size()),
         fmt::format("{} no key '{}'{}", where, word, suggestion(word, keys)));
  }
}

void DescriptionReader::read_top() {
  constexpr std::array<std::string_view, 6> kKeys = {"machine", "summary", "pointer",
                                                     "use",     "clang",   "endian"};
  report_unknown_keys("", kKeys);
  bool has_pointer = false;
  single_key("", "machine", [&](Cursor& cursor) {
    Piece name = cursor.take_name("the name of the machine");
    description_->name = name.text;
    description_->place = machine_place_ = name.where;
    // Instructions are written NAME.FORM, so a dot ends the name.
    if (name.text.find_first_of(".+") != std::string_view::npos) {
      fail(name.where, "the name of a machine with instructions is made of letters, digits, '-' and '_'");
    }
  });
  single_key("", "summary", [&](Cursor& cursor) {
    description_->summary = cursor.rest();
    cursor.move_to(cursor.line().text().size());
  });
  single_key("", "pointer", [&](Cursor& cursor) {
    Piece word = cursor.take_word();
    has_pointer = true;
    if (word.text != "32" && word.text != "64") {
      return fail(word.where,
                  fmt::format("expected 32 or 64, the bits of an address, found '{}'", word.text));
    }
    description_->pointer_bits = word.text == "32" ? 32 : 64;
  });
  single_key("", "clang", [&](Cursor& cursor) { description_->clang_triple = cursor.take_word().text; });
  single_key("", "endian", [&](Cursor& cursor) {
    Piece word = cursor.take_word();
    if (word.text == "big")
      return fail(word.where, "memory is little-endian: psic has no big-endian machines");
    if (word.text != "little") fail(word.where, fmt::format("expected 'little', found '{}'", word.text));
  });
  if (description_->name.empty() && problems_.num_errors() == 0) fail({}, "the key 'machine' is missing");
  if (description_->summary.empty() && problems_.num_errors() == 0) fail({}, "the key 'summary' is missing");
  if (!has_pointer && problems_.num_errors() == 0) {
    fail(machine_place_, "the key 'pointer' is missing: how many bits has an address, 32 or 64?");
  }
}

}  // namespace psi::target
