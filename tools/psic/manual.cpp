// psic manual FOLDER: the man pages of psic, of each of its commands and of psicc, from the tables that parse
// their command lines. The build calls it.
#include "psic/manual.h"

#include <fmt/format.h>

#include <filesystem>

#include "psi/version.h"
#include "psic/files_inside.h"
#include "psic/tool.h"
#include "psicc/own_options.h"

namespace psic {
namespace {

// Text in the language of man. Long lists of words may be broken between them.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
    bool is_inside = i + 1 < text.size() && text[i + 1] != ' ';
    if (is_inside && (c == '|' || c == ',')) out += "\\:";
  }
  return out;
}

// `-o, --output FILE`, `--stats[=text|json]`: names bold, values slanted.
std::string roff_option(std::string_view shown) {
  std::string out;
  while (!shown.empty()) {
    std::string_view word = shown.substr(0, shown.find(' '));
    shown.remove_prefix(std::min(word.size() + 1, shown.size()));
    size_t name = word.starts_with('-') ? std::min(word.find_first_of("[=,"), word.size()) : 0;
    if (!out.empty()) out += ' ';
    if (name > 0) out += fmt::format("\\fB{}\\fR", roff(word.substr(0, name)));
    std::string_view rest = word.substr(name);
    if (rest == ",") {
      out += ",";
    } else if (!rest.empty()) {
      out += fmt::format("\\fI{}\\fR", roff(rest));
    }
  }
  return out;
}

std::string entry(const std::string& heading, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", heading, roff(text));
}

std::string options_section(const CLI::App& app) {
  std::string out = ".SH OPTIONS\n";
  for (const ExplainedGroup& group : explained_options(app)) {
    if (group.title != "Options") out += fmt::format(".SS {}\n", roff(group.title));
    for (const Explained& option : group.entries) out += entry(roff_option(option.name), option.text);
  }
  return out;
}

// The examples, as add_examples writes them.
std::string examples_section(std::string_view footer) {
  std::string out;
  while (!footer.empty()) {
    std::string_view line = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(line.size() + 1, footer.size()));
    if (line == "Examples:") {
      out += ".SH EXAMPLES\n";
    } else if (line.starts_with("      ")) {
      out += roff(line.substr(6)) + '\n';
    } else {
      out += fmt::format(".TP\n\\fB{}\\fR\n", roff(line.substr(2)));
    }
  }
  return out;
}

std::string command_page(const CLI::App& command) {
  std::string title = "PSIC-" + command.get_name();
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string out =
      fmt::format(".TH {} 1 \"\" \"psic {}\" \"User Commands\"\n.ad l\n.nh\n", roff(title), psi::kVersion);
  std::string about = command.get_description();
  out += fmt::format(".SH NAME\npsic\\-{} \\- {}\n", roff(command.get_name()), roff(about));
  out += fmt::format(".SH SYNOPSIS\n{}\n", roff(usage(command)));
  out += fmt::format(".SH DESCRIPTION\n{}.\n", roff(about));
  for (const Explained& argument : explained_arguments(command)) {
    out += entry(roff_option(argument.name), argument.text);
  }
  out += options_section(command);
  out += examples_section(command.get_footer());
  out += ".SH EXIT STATUS\n0 fine, 1 the input is wrong, 2 the command line is wrong, 3 a bug in psic.\n";
  out += ".SH SEE ALSO\n.BR psic (1)\n";
  return out;
}

std::string command_entries(const CLI::App& app) {
  std::string out;
  for (const ExplainedGroup& group : explained_commands(app)) {
    out += fmt::format(".SS {}\n", roff(group.title));
    for (const Explained& command : group.entries) {
      out += entry(fmt::format(".BR psic\\-{} (1)", roff(command.name)), command.text + '.');
    }
  }
  return out;
}

std::string psicc_entries() {
  std::string out;
  for (const psicc::OwnOption& option : psicc::kOwnOptions) {
    std::string shown(option.name);
    if (!option.value.empty()) {
      shown += fmt::format(fmt::runtime(option.is_value_optional ? "[={}]" : "={}"), option.value);
    }
    out += entry(roff_option(shown), option.about);
  }
  return out;
}

// The page with the version, and with the entries in the place of the line `@NAME@`.
std::string completed(std::string_view page, std::string_view name, const std::string& entries) {
  std::string out(page);
  auto replace = [&](const std::string& place, std::string_view by) {
    out.replace(out.find(place), place.size(), by);
  };
  replace("@version@", psi::kVersion);
  replace(fmt::format("@{}@\n", name), entries);
  return out;
}

}  // namespace

int write_manual(const CLI::App& app, const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  auto write = [&](const std::string& name, const std::string& page) {
    return write_file(fmt::format("{}/{}.1", folder, name), page);
  };
  bool is_fine = write("psic", completed(kPsicManual, "commands", command_entries(app))) &&
                 write("psicc", completed(kPsiccManual, "options", psicc_entries()));
  for (const CLI::App* command : all_commands(app)) {
    is_fine = is_fine && write("psic-" + command->get_name(), command_page(*command));
  }
  return is_fine ? kFine : kBadInput;
}

}  // namespace psic
