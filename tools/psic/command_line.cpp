// How --help looks, and what psic says of command lines that are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "psic/options.h"
#include "psic/tool.h"

namespace psic {
namespace {

constexpr size_t kWidth = 100;  // of lines
constexpr size_t kColumn = 30;  // where explanations begin

// --- Help ---

// Words, in lines that begin at a column.
void append_wrapped(std::string& out, std::string_view text, size_t column) {
  size_t at = column;
  bool is_first = true;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!is_first && at + 1 + word.size() > kWidth) {
      out += '\n' + std::string(column, ' ');
      at = column;
      is_first = true;
    }
    if (!is_first) out += ' ', ++at;
    out += word;
    at += word.size();
    is_first = false;
  }
  out += '\n';
}

void append_entry(std::string& out, const std::string& name, std::string_view text) {
  std::string line = "  " + name;
  line +=
      line.size() + 2 > kColumn ? '\n' + std::string(kColumn, ' ') : std::string(kColumn - line.size(), ' ');
  out += line;
  append_wrapped(out, text, kColumn);
}

// `-o, --output FILE`, `--stats[=text|json]`.
std::string shown_name(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string shown = fmt::format("{}", fmt::join(names, ", "));
  std::string value = option.get_type_name();
  bool is_flag = option.get_items_expected_max() == 0 || option.get_type_size() == 0;
  if (is_flag) return value.empty() ? shown : fmt::format("{}[={}]", shown, value);
  return value.empty() ? shown : fmt::format("{} {}", shown, value);
}

std::string explained(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty() && option.nonpositional()) {
    text += fmt::format(" [{}]", option.get_default_str());
  }
  return text;
}

std::string positional_names(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    std::string name = option->get_name(true);
    if (option->get_items_expected_max() > 1) name += "...";
    names += ' ' + (option->get_required() ? name : '[' + name + ']');
  }
  return names;
}

class Formatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return app->get_parent() ? command_help(*app) : tool_help(*app);
  }

 private:
  static void append_options(std::string& out, const CLI::App& app) {
    for (const ExplainedGroup& group : explained_options(app)) {
      out += fmt::format("\n{}:\n", group.title);
      for (const Explained& option : group.entries) append_entry(out, option.name, option.text);
    }
  }

  static std::string command_help(const CLI::App& command) {
    std::string out = fmt::format("psic {}: ", command.get_name());
    append_wrapped(out, command.get_description(), 0);
    out += fmt::format("\nUsage: {}\n", usage(command));
    std::vector<Explained> arguments = explained_arguments(command);
    if (!arguments.empty()) out += '\n';
    for (const Explained& argument : arguments) append_entry(out, argument.name, argument.text);
    append_options(out, command);
    if (!command.get_footer().empty()) out += '\n' + command.get_footer() + '\n';
    return out;
  }

  static std::string tool_help(const CLI::App& app) {
    std::string out = overview(app);
    append_options(out, app);
    return out + '\n' + app.get_footer() + '\n';
  }
};

// --- What is wrong ---

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : all_commands(app)) names.push_back(command->get_name());
  return names;
}

// ` (psic opt has it)`: somebody wrote the option before the command.
std::string who_has(const CLI::App& app, const std::string& name) {
  std::vector<std::string> commands;
  for (const CLI::App* command : all_commands(app)) {
    for (const CLI::Option* option : command->get_options()) {
      bool has = option->nonpositional() &&
                 option->check_name(name.substr(0, name.starts_with("--") ? name.npos : 2));
      if (has) commands.push_back("psic " + command->get_name());
    }
  }
  constexpr size_t kMost = 3;
  if (commands.empty()) return {};
  if (commands.size() > kMost) return " (it is an option of commands, and comes after one)";
  if (commands.size() == 1) return fmt::format(" ({} has it)", commands[0]);
  std::string last = commands.back();
  commands.pop_back();
  return fmt::format(" ({} and {} have it)", fmt::join(commands, ", "), last);
}

// `-J` for -j, `-03` for -O3, `--O2` for -O2.
std::string similar_letter(const CLI::App& command, const std::string& bare) {
  if (bare.empty() || bare.size() > 2) return {};
  auto letter = static_cast<unsigned char>(bare[0]);
  int other = letter == '0' ? 'O' : std::islower(letter) ? std::toupper(letter) : std::tolower(letter);
  for (int known : {static_cast<int>(letter), other}) {
    std::string name{'-', static_cast<char>(known)};
    if (command.get_option_no_throw(name))
      return fmt::format(" (did you mean '{}{}'?)", name, bare.substr(1));
  }
  return {};
}

// With what it looks like, however many dashes it was written with.
std::string unknown_option(const CLI::App& command, const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& other : option->get_lnames()) known.push_back("--" + other);
  }
  std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  std::string who = command.get_parent() ? "psic " + command.get_name() : "psic";
  std::string hint = similar_letter(command, bare);
  if (hint.empty()) hint = similar("--" + bare, known);
  if (hint.empty() && !command.get_parent()) hint = who_has(command, name);
  if (hint.empty() && command.get_parent() && command.get_parent()->get_option_no_throw(name)) {
    hint = fmt::format(" (did you mean 'psic {}'?)", name);
  }
  return fmt::format("{} has no option '{}'{}", who, name, hint);
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::string hint = similar(word, command_names(app));
  for (const CLI::Option* option : app.get_options()) {
    // `help`, `version`.
    if (option->check_lname(word)) hint = fmt::format(" (did you mean '--{}'?)", word);
  }
  std::error_code code;
  if (std::filesystem::is_regular_file(word, code))
    hint = ": that is a file, which 'psic run' or 'psic print' takes";
  return fmt::format("there is no command '{}'{}", word, hint);
}

std::string unexpected(const CLI::App& app, const CLI::App& command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.starts_with('-') && word != "-" && word != "--") return unknown_option(command, word);
  }
  if (&command == &app) {
    return unknown_command(app, words[0]);
  }
  std::string positionals = positional_names(command);
  return fmt::format("'{}' is one word too many: 'psic {}' takes {}", words[0], command.get_name(),
                     positionals.empty() ? "options only" : positionals.substr(1));
}

// The option that CLI11 names at the beginning of a message.
const CLI::Option* named_option(const CLI::App& command, std::string_view message) {
  std::string name(message.substr(0, message.find_first_of(": ")));
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() == name || option->get_name(true) == name) return option;
  }
  return nullptr;
}

std::string words_for(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  std::vector<std::string> rest = command.remaining();
  if (rest.empty() && &command != &app) rest = app.remaining();
  if (!rest.empty() && error.get_name() != "ValidationError") {
    return unexpected(app, app.remaining().empty() ? command : app, rest);
  }
  std::string message = error.what();
  const CLI::Option* option = named_option(command, message);
  if (error.get_name() == "RequiredError") {
    return option ? fmt::format("'psic {}' needs {}", command.get_name(), option->get_name(true))
                  : "say which command";
  }
  if (error.get_name() == "ArgumentMismatch" && option) {
    std::string name = option->get_name();
    if (option->get_type_size() == 0) return fmt::format("{} takes no value", name);
    if (option->results().size() > 1) return fmt::format("{} is given more than once", name);
    return fmt::format("{} needs a value: {}", name, option->get_type_name());
  }
  // `Could not convert: --json = x`, of a flag.
  if (error.get_name() == "ConversionError" && message.find("--") != std::string::npos) {
    std::string name = message.substr(message.find("--"));
    return fmt::format("{} takes no value", name.substr(0, name.find(' ')));
  }
  if (error.get_name() == "ExcludesError" || error.get_name() == "RequiresError") {
    std::string other = message.substr(message.rfind(' ') + 1);
    std::string one = message.substr(0, message.find(' '));
    return error.get_name() == "ExcludesError" ? fmt::format("{} and {} do not go together", one, other)
                                               : fmt::format("{} goes with {} only", one, other);
  }
  return message;
}

// What is wrong with a word that CLI11 takes for something else; empty: nothing.
std::string misread_word(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<const CLI::App*> commands = all_commands(app);
  auto named = std::ranges::find_if(
      commands, [&](const CLI::App* known) { return !words.empty() && known->get_name() == words[0]; });
  if (named == commands.end()) return {};
  const CLI::App* command = *named;
  bool takes_numbers = command->get_option_no_throw("ARGS");
  bool is_value = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return {};
    if (std::exchange(is_value, false) || !word.starts_with('-') || word == "-") continue;
    size_t equals = word.find('=');
    const CLI::Option* option = command->get_option_no_throw(word.substr(0, equals));
    bool takes_value = option && option->get_type_size() > 0 && option->get_items_expected_max() > 0;
    if (takes_value && equals == word.npos) is_value = true;
    if (option && equals + 1 == word.size()) {
      std::string value = option->get_type_name();
      return value.empty() ? fmt::format("{} takes no value", option->get_name())
                           : fmt::format("{} needs a value: {}", option->get_name(), value);
    }
    bool is_number = std::isdigit(static_cast<unsigned char>(word[1]));
    if (is_number && !takes_numbers) return unknown_option(*command, word);
  }
  return {};
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<Formatter>(); }

std::string usage(const CLI::App& command) {
  return fmt::format("psic {} [options]{}", command.get_name(), positional_names(command));
}

std::vector<Explained> explained_arguments(const CLI::App& command) {
  std::vector<Explained> arguments;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) arguments.push_back({option->get_name(true), explained(*option)});
  }
  return arguments;
}

std::vector<ExplainedGroup> explained_options(const CLI::App& app) {
  std::vector<ExplainedGroup> groups;
  for (const std::string& title : app.get_groups()) {
    ExplainedGroup group{title, {}};
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() != title || title.empty() || !option->nonpositional()) continue;
      group.entries.push_back({shown_name(*option), explained(*option)});
    }
    if (!group.entries.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<ExplainedGroup> explained_commands(const CLI::App& app) {
  std::vector<ExplainedGroup> groups;
  for (const CLI::App* command : all_commands(app)) {
    const std::string& title = command->get_group();
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const ExplainedGroup& known) { return known.title == title; });
    if (group == groups.end()) group = groups.insert(group, {title, {}});
    group->entries.push_back({command->get_name(), command->get_description()});
  }
  return groups;
}

std::string overview(const CLI::App& app) {
  std::string out = app.get_description() + "\n\nUsage: psic COMMAND [options] [FILE...]\n";
  for (const ExplainedGroup& group : explained_commands(app)) {
    out += fmt::format("\n{}:\n", group.title);
    for (const Explained& command : group.entries) {
      out += fmt::format("  {:<16}", command.name);
      append_wrapped(out, command.text, 18);
    }
  }
  out +=
      "\nTo start with:\n"
      "  psic run FILE.psi ARGS         interpret a function\n"
      "  psic opt -O2 FILE.psi          optimise\n"
      "  psic print --cfg FILE.psi      look at control flow\n";
  return out + fmt::format(
                   "\n'psic COMMAND --help' explains a command, with examples.\n"
                   "The documents begin at {}.\n",
                   first_document());
}

int refuse_word(const CLI::App& app, const std::vector<std::string>& words) {
  std::string wrong = misread_word(app, words);
  if (wrong.empty()) return kFine;
  error(wrong);
  say("Run 'psic {} --help' for what there is.\n", words[0]);
  return kUsage;
}

int report_command_line(const CLI::App& app, const CLI::ParseError& error, int argc) {
  std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen[0];
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    put(error.get_name() == "CallForVersion" ? error.what() + std::string("\n") : command.help());
    return kFine;
  }
  if (argc <= 1) {
    say(overview(app));
    return kUsage;
  }
  psic::error(words_for(app, command, error));
  say("Run 'psic {}--help' for what there is.\n", &command == &app ? "" : command.get_name() + ' ');
  return kUsage;
}

}  // namespace psic
