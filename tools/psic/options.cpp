// Options that several commands have, and their checks.
#include "psic/options.h"

#include <fmt/format.h>

#include <charconv>

#include "psi/support/suggestion.h"
#include "psic/tool.h"

namespace psic {
namespace {

template <class T>
bool read(std::string_view text, T least, T most, T& value) {
  const char* end = text.data() + text.size();
  auto [stopped, code] = std::from_chars(text.data(), end, value);
  // Also false for what is not a number at all.
  return code == std::errc() && stopped == end && value >= least && value <= most;
}

}  // namespace

bool read_number(std::string_view text, uint64_t least, uint64_t most, uint64_t& value) {
  return read(text, least, most, value);
}
bool read_number(std::string_view text, double least, double most, double& value) {
  return read(text, least, most, value);
}

void refuse_number(const std::string& option, std::string_view text, const NumberRange& range) {
  throw CLI::ValidationError(
      option, fmt::format("'{}' is not a number from {} to {}", text, range.least, range.most));
}

std::string similar(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string_view> views(known.begin(), known.end());
  return psi::suggestion(word, views);
}

CLI::Option* choices(CLI::Option* option, std::vector<std::string> words) {
  option->type_name(fmt::format("{}", fmt::join(words, "|")));
  // Without a description of its own, which would become part of the help.
  return option->check(CLI::Validator(
      [words = std::move(words)](std::string& value) {
        if (std::find(words.begin(), words.end(), value) != words.end()) return std::string();
        return fmt::format("'{}' is not one of {}{}", value, fmt::join(words, ", "), similar(value, words));
      },
      ""));
}

CLI::Option* add_file(CLI::App& command, std::string& file, std::string description) {
  return command.add_option("FILE", file, std::move(description))->required();
}

CLI::Option* add_output(CLI::App& command, std::string& output, std::string description) {
  return command.add_option("-o,--output", output, std::move(description))->type_name("FILE")->group(kOutput);
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "As JSON, for programs")->group(kOutput);
}

CLI::Option* add_dot(CLI::App& command, bool& dot) {
  return command.add_flag("--dot", dot, "As a drawing, in the language of Graphviz")->group(kOutput);
}

std::string json_array(const std::vector<std::string>& objects) {
  if (objects.empty()) return "[]\n";
  return fmt::format("[\n{}\n]\n", fmt::join(objects, ",\n"));
}

CLI::Option* add_function(CLI::App& command, std::string& function, std::string description) {
  return command.add_option("--func", function, std::move(description))->type_name("FUNCTION");
}

CLI::Option* add_passes_list(CLI::App& command, std::string& passes, std::string description) {
  return command.add_option("--passes", passes, std::move(description))->type_name("LIST");
}

CLI::Option* add_level(CLI::App& command, std::string& level, std::string description) {
  return choices(command.add_option("-O", level, std::move(description)), {"0", "1", "2"});
}

CLI::Option* add_report(CLI::App& command, const std::string& name, std::string& kind,
                        std::vector<std::string> kinds, std::string description) {
  // Its value must be attached: the word after it is likely a file.
  CLI::Option* option =
      command.add_flag(fmt::format("{}{{{}}}", name, kinds[0]), kind, std::move(description));
  return choices(option, std::move(kinds))->group(kOutput);
}

void add_examples(CLI::App& command, std::vector<Example> examples) {
  std::string text = "Examples:";
  for (const Example& example : examples) {
    text += fmt::format("\n  {}\n      {}", example.command, example.meaning);
  }
  command.footer(text);
}

}  // namespace psic
