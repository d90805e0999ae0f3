// Completion inside a list of passes.
#include <algorithm>

#include "psic/complete.h"

namespace psic {
namespace {

constexpr std::string_view kGroup = "fixpoint";

// All that completion asks of an option of a pass.
std::vector<std::string> values_of(const psi::PassOption& option) { return option.values; }

// What is open where the typed text ends.
struct Position {
  enum class Kind { Pass, OptionName, OptionValue, AfterParenthesis };
  Kind kind = Kind::Pass;
  const std::vector<psi::PassOption>* options = nullptr;  // of the pass or pipeline whose parenthesis is open
  std::string option;                                     // whose value is open
  std::vector<std::string> used;                          // options of it that are there already
  size_t groups = 0;                                      // open fixpoints
  size_t start = 0;                                       // of the element
};

// Nothing for what no completion can mend.
std::optional<Position> find_position(const psi::PassTable& table, std::string_view typed) {
  using enum Position::Kind;
  Position at;
  for (size_t i = 0; i < typed.size(); ++i) {
    char c = typed[i];
    std::string_view element = typed.substr(at.start, i - at.start);
    if (c == '(') {
      if (at.kind != Pass) return std::nullopt;
      if (element == kGroup) {
        ++at.groups;
      } else {
        at.options = table.find_options(element);
        if (!at.options) return std::nullopt;
        at.kind = OptionName;
        at.used.clear();
      }
    } else if (c == ')') {
      if (at.options) {
        at.options = nullptr;
      } else if (at.groups == 0) {
        return std::nullopt;
      } else {
        --at.groups;
      }
      at.kind = AfterParenthesis;
    } else if (c == ',') {
      at.kind = at.options ? OptionName : Pass;
    } else if (c == '=' && at.kind == OptionName) {
      at.option = element;
      at.used.push_back(at.option);
      at.kind = OptionValue;
    } else {
      continue;
    }
    at.start = i + 1;
  }
  return at;
}

std::vector<Candidate> passes_of(const psi::PassTable& table) {
  std::vector<Candidate> all;
  for (const psi::Pass& pass : table.all()) all.push_back({pass.name, pass.summary});
  for (const psi::Pipeline& pipeline : table.pipelines()) all.push_back({pipeline.name, pipeline.summary});
  all.push_back(
      {std::string(kGroup) + "(", "Repeats the passes in parentheses until nothing changes", false});
  return all;
}

// A name that is complete can go on, and what follows a list's last one ends the word.
std::vector<Candidate> continued(const Candidate& name, bool has_options, bool is_in_group) {
  std::vector<Candidate> all;
  if (!is_in_group) all.push_back(name);
  if (has_options) all.push_back({name.text + "(", "with options", false});
  all.push_back({name.text + ",", "and another pass", false});
  if (is_in_group) all.push_back({name.text + ")", "the end of the group", false});
  return all;
}

void complete_option_names(const Position& at, std::string_view element, Completion& out) {
  for (const psi::PassOption& option : *at.options) {
    if (std::find(at.used.begin(), at.used.end(), option.name) != at.used.end()) continue;
    out.candidates.push_back({option.name + "=", option.summary, false});
  }
  keep_matching(out, element);
}

void complete_option_values(const Position& at, std::string_view element, Completion& out) {
  for (const psi::PassOption& option : *at.options) {
    if (option.name != at.option) continue;
    for (const std::string& value : values_of(option)) out.candidates.push_back({value, "", false});
  }
  keep_matching(out, element);
  if (out.candidates.size() != 1) return;
  std::string value = out.candidates[0].text;
  out.candidates = {{value + ")", "no more options", false}};
  if (at.used.size() < at.options->size()) {
    out.candidates.push_back({value + ",", "and another option", false});
  }
}

}  // namespace

void keep_matching(Completion& completion, std::string_view element) {
  std::erase_if(completion.candidates, [&](const Candidate& c) { return !c.text.starts_with(element); });
}

Completion complete_passes(const psi::PassTable& table, std::string_view typed) {
  std::optional<Position> at = find_position(table, typed);
  Completion out;
  if (!at) return out;
  out.before = typed.substr(0, at->start);
  std::string_view element = typed.substr(at->start);
  switch (at->kind) {
    case Position::Kind::OptionName:
      complete_option_names(*at, element, out);
      break;
    case Position::Kind::OptionValue:
      complete_option_values(*at, element, out);
      break;
    case Position::Kind::AfterParenthesis:
      if (at->groups > 0) out.candidates.push_back({")", "the end of the group", false});
      out.candidates.push_back({",", "and another pass", false});
      keep_matching(out, element);
      break;
    case Position::Kind::Pass:
      out.candidates = passes_of(table);
      keep_matching(out, element);
      if (out.candidates.size() == 1 && out.candidates[0].text.back() != '(') {
        const std::vector<psi::PassOption>* options = table.find_options(out.candidates[0].text);
        out.candidates = continued(out.candidates[0], options && !options->empty(), at->groups > 0);
      }
      break;
  }
  return out;
}

Completion complete_names(std::string_view typed, std::vector<Candidate> names) {
  Completion out;
  size_t comma = typed.rfind(',');
  if (comma != std::string_view::npos) out.before = typed.substr(0, comma + 1);
  out.candidates = std::move(names);
  keep_matching(out, typed.substr(out.before.size()));
  return out;
}

}  // namespace psic
