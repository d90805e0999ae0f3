// Parses a target description: lines `key value ...` in sections `[name]`. Continues after an error, so that
// one run reports all. description.h defines the keys and the syntax of their values.
#include <fmt/format.h>

#include "psi/support/suggestion.h"
#include "target/complete/derive_costs.h"
#include "target/complete/read_description.h"
#include "target/description.h"
#include "target/description_lines.h"
#include "target/value_reader.h"

namespace psi {
namespace {

using target::Key;
using target::kSectionNames;
using target::Section;
using target::ValueKind;
using target::Word;

class TargetParser {
 public:
  TargetParser(std::string_view text, Diagnostics& diagnostics)
      : lines_(text), diagnostics_(diagnostics), given_(target::keys().size()) {}

  std::optional<Target> run() {
    size_t errors = diagnostics_.num_errors();
    while (lines_.next()) {
      lines_.words()[0].text[0] == '[' ? read_heading() : read_key();
    }
    if (!is_misspelt_) report_missing();
    if (errors == diagnostics_.num_errors()) fill_in();
    if (errors == diagnostics_.num_errors()) check_units();
    if (errors != diagnostics_.num_errors()) return std::nullopt;
    return std::move(target_);
  }

 private:
  void read_heading() {
    Word word = lines_.from(0);
    is_known_ = read_section(word);
    is_misspelt_ |= !is_known_;
  }

  bool read_section(const Word& word) {
    if (word.text.back() != ']') {
      diagnostics_.error(word.where, "expected a section, as in '[issue]'");
      return false;
    }
    std::string_view name = word.text.substr(1, word.text.size() - 2);
    for (size_t i = 1; i < kSectionNames.size(); ++i) {
      if (kSectionNames[i] != name) continue;
      section_ = static_cast<Section>(i);
      if (headings_[i].line == 0) headings_[i] = word.where;
      return true;
    }
    std::span<const std::string_view> known = std::span(kSectionNames).subspan(1);
    std::string near = suggestion(name, known);
    if (near.empty()) near = fmt::format(" ({})", fmt::join(known, ", "));
    diagnostics_.error(word.where, fmt::format("there is no section '{}'{}", name, near));
    return false;
  }

  void read_key() {
    if (!is_known_) return;  // unknown sections have no keys
    const Word& word = lines_.words()[0];
    if (headings_[0].line == 0 && section_ == Section::Top) headings_[0] = word.where;
    const std::vector<Key>& keys = target::keys();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].section != section_ || keys[i].name != word.text) continue;
      if (given_[i].line != 0 && keys[i].value != ValueKind::Offset) {
        diagnostics_.error(word.where, fmt::format("'{}' is given twice", word.text));
        return diagnostics_.note(given_[i], "first here");
      }
      given_[i] = word.where;
      return target::ValueReader(lines_, keys[i], target_, diagnostics_).read();
    }
    is_misspelt_ = true;
    diagnostics_.error(word.where, unknown_key(word.text));
  }

  std::string unknown_key(std::string_view name) const {
    std::string where = section_ == Section::Top ? std::string("outside of the sections there is")
                                                 : fmt::format("section '{}' has", section_text(section_));
    std::vector<std::string_view> known;
    std::string hint;
    for (const Key& key : target::keys()) {
      if (key.section == section_) known.push_back(key.name);
      if (key.name != name || !hint.empty()) continue;
      hint = key.section == Section::Top ? std::string("; it stands before the first section")
                                         : fmt::format("; section '{}' has", section_text(key.section));
    }
    std::string near = suggestion(name, known);
    return fmt::format("{} no key '{}'{}", where, name, near.empty() ? hint : near);
  }

  void report_missing() {
    const std::vector<Key>& keys = target::keys();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i].is_required || given_[i].line != 0) continue;
      Location heading = headings_[static_cast<size_t>(keys[i].section)];
      if (keys[i].section == Section::Top) {
        diagnostics_.error(heading, fmt::format("the key '{}' is missing", keys[i].name));
      } else if (heading.line != 0) {
        diagnostics_.error(
            heading, fmt::format("section '{}' must say '{}'", section_text(keys[i].section), keys[i].name));
      } else {
        std::string_view section = section_text(keys[i].section);
        diagnostics_.error({}, fmt::format("section '{}' is missing", section));
        while (i + 1 < keys.size() && keys[i + 1].section == keys[i].section) ++i;
      }
    }
  }

  // Moves, compares and selects default to the latency of integer instructions.
  void fill_in() {
    for (OpGroup group : {OpGroup::Move, OpGroup::Compare, OpGroup::Select}) {
      uint32_t& latency = target_.latencies[static_cast<size_t>(group)];
      if (latency == 0) latency = target_.latencies[static_cast<size_t>(OpGroup::Integer)];
    }
  }

  // Instructions with a latency need a unit.
  void check_units() {
    const std::vector<Key>& keys = target::keys();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].section != Section::Latency || target_.latencies[keys[i].index] == 0) continue;
      Unit unit = unit_of(static_cast<OpGroup>(keys[i].index));
      if (target_.num_units(unit) > 0) continue;
      diagnostics_.error(given_[i], fmt::format("no unit executes these: there is no '{}' in section 'issue'",
                                                unit_name(unit)));
    }
  }

  static std::string_view section_text(Section section) {
    return kSectionNames[static_cast<size_t>(section)];
  }

  target::DescriptionLines lines_;
  Diagnostics& diagnostics_;
  Target target_;
  Section section_ = Section::Top;
  bool is_known_ = true;      // the section
  bool is_misspelt_ = false;  // a key is misspelt, so a key that seems missing may not be
  std::array<Location, target::kNumSections> headings_;  // by section; line 0: absent
  std::vector<Location> given_;                          // by key: its place; line 0: absent
};

}  // namespace

Result<Target> parse_target(std::string_view text) {
  Diagnostics diagnostics;
  if (target::is_complete_description(text)) {
    std::shared_ptr<TargetDescription> description = target::read_description(text, diagnostics);
    if (!description) return diagnostics;
    Target target = target::derive_costs(*description);
    target.description = std::move(description);
    return {std::move(target), std::move(diagnostics)};
  }
  std::optional<Target> target = TargetParser(text, diagnostics).run();
  if (!target) return diagnostics;
  return std::move(*target);
}

}  // namespace psi
