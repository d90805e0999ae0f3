// Options as all commands have them: checked, grouped, explained, and with guesses at what was meant.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace psic {

// The groups of options that --help shows, in this order after the command's own.
inline constexpr const char* kInput = "Input";
inline constexpr const char* kOutput = "Output";

struct NumberRange {
  std::string least, most;
};
// `text` as a number in the range, or the words for what is wrong with it.
bool read_number(std::string_view text, uint64_t least, uint64_t most, uint64_t& value);
bool read_number(std::string_view text, double least, double most, double& value);
[[noreturn]] void refuse_number(const std::string& option, std::string_view text, const NumberRange& range);

// An option whose value is a number from `least` to `most`.
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& value, T least, T most,
                        std::string description) {
  constexpr bool kWhole = std::integral<T>;
  using Wide = std::conditional_t<kWhole, uint64_t, double>;
  std::string shown = fmt::format("{}", value);
  std::string long_name = name.substr(name.rfind(',') + 1);
  return command
      .add_option_function<std::string>(
          name,
          [=, &value](const std::string& text) {
            Wide wide{};
            if (!read_number(text, Wide{least}, Wide{most}, wide)) {
              refuse_number(long_name, text, {fmt::format("{}", least), fmt::format("{}", most)});
            }
            value = static_cast<T>(wide);
          },
          std::move(description))
      ->type_name("N")
      ->default_str(shown);
}

// ` (did you mean ...?)`, or nothing, as psi::suggestion.
std::string similar(std::string_view word, const std::vector<std::string>& known);
// Limits the values of an option to these words.
CLI::Option* choices(CLI::Option* option, std::vector<std::string> words);

// The options that several commands have, each with one name and one meaning.
CLI::Option* add_file(CLI::App& command, std::string& file, std::string description);
CLI::Option* add_output(CLI::App& command, std::string& output, std::string description = "Where to write");
CLI::Option* add_json(CLI::App& command, bool& json);
CLI::Option* add_dot(CLI::App& command, bool& dot);
// Objects of JSON as an array of them.
std::string json_array(const std::vector<std::string>& objects);
CLI::Option* add_function(CLI::App& command, std::string& function,
                          std::string description = "Only this function");
CLI::Option* add_passes_list(CLI::App& command, std::string& passes, std::string description);
// -O0, -O1 or -O2.
CLI::Option* add_level(CLI::App& command, std::string& level, std::string description);
// `--stats`, `--stats=json`.
CLI::Option* add_report(CLI::App& command, const std::string& name, std::string& kind,
                        std::vector<std::string> kinds, std::string description);

// Lines of the shape `psic opt ...`, each with what it does.
struct Example {
  std::string command, meaning;
};
void add_examples(CLI::App& command, std::vector<Example> examples);

// What --help and the man pages say.
struct Explained {
  std::string name, text;
};
struct ExplainedGroup {
  std::string title;
  std::vector<Explained> entries;
};
std::vector<const CLI::App*> all_commands(const CLI::App& app);
std::vector<ExplainedGroup> explained_commands(const CLI::App& app);
std::vector<ExplainedGroup> explained_options(const CLI::App& app);
std::vector<Explained> explained_arguments(const CLI::App& command);
// `psic opt [options] FILE`.
std::string usage(const CLI::App& command);

// How --help looks.
std::shared_ptr<CLI::FormatterBase> help_formatter();
// CLI11 takes `--func= FILE` for --func=FILE, and `-03` for a file. Says what is wrong with such a word, the
// first of which is the command; the exit code.
int refuse_word(const CLI::App& app, const std::vector<std::string>& words);
// Prints help or the version, or what is wrong with the command line; the exit code.
int report_command_line(const CLI::App& app, const CLI::ParseError& error, int argc);
// What psic says if it is asked nothing.
std::string overview(const CLI::App& app);

}  // namespace psic
