#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "psi/support/suggestion.h"
#include "psicc/own_options.h"
#include "psicc/psicc.h"

namespace psicc {
namespace {

// Options whose value is the next argument, which is neither an option nor an input.
constexpr std::array<std::string_view, 36> kTakeNext = {
    "-o",         "-x",       "-I",           "-D",
    "-U",         "-L",       "-l",           "-T",
    "-u",         "-z",       "-e",           "-include",
    "-imacros",   "-isystem", "-iquote",      "-isysroot",
    "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore",
    "-Xclang",    "-Xlinker", "-Xassembler",  "-Xpreprocessor",
    "-mllvm",     "-MF",      "-MT",          "-MQ",
    "-MJ",        "-arch",    "-target",      "--sysroot",
    "--param",    "-rpath",   "-A",           "-dependency-file"};

// With these clang stops before psic.
constexpr std::array<std::string_view, 9> kNoCode = {
    "-E",           "-M",        "-MM",          "-fsyntax-only",    "--analyze",
    "--precompile", "-emit-ast", "--preprocess", "-module-file-info"};

// For guesses at what was meant.
std::vector<std::string_view> own_names() {
  std::vector<std::string_view> names;
  for (const OwnOption& option : kOwnOptions) names.push_back(option.name);
  return names;
}

// Inputs of the linker and the assembler are not compiled.
bool is_compiled(const std::string& input) {
  constexpr std::array<std::string_view, 9> kOthers = {".o",  ".a",  ".so",  ".s", ".S",
                                                       ".sx", ".lo", ".obj", ".ld"};
  std::string extension = std::filesystem::path(input).extension();
  bool is_versioned_library = input.find(".so.") != std::string::npos;
  return std::ranges::count(kOthers, extension) == 0 && !is_versioned_library;
}

// The file that -fprofile-use=PATH means; empty if there is none, which clang will say.
std::string profile_of_clang(const std::string& path) {
  std::error_code code;
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(file, code)) file /= "default.profdata";
  return std::filesystem::is_regular_file(file, code) ? file.string() : "";
}

class Parser {
 public:
  Options parse(std::span<const std::string> arguments) {
    bool has_input = false, has_code = true;
    bool only_assembly = false;  // -x assembler
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string& argument = arguments[i];
      if (is_own(argument)) continue;
      options_.for_clang.push_back(argument);
      if (std::ranges::count(kNoCode, argument)) has_code = false;
      if (argument == "--help" || argument == "-help") options_.help = true;
      if (argument == "--version") options_.version = true;
      constexpr std::string_view kUse = "-fprofile-use=";
      if (argument.starts_with(kUse)) options_.clang_profile = profile_of_clang(argument.substr(kUse.size()));
      if (argument.starts_with("-x") && argument.size() > 2) {
        only_assembly = argument.find("assembler") != std::string::npos;
      }
      if (std::ranges::count(kTakeNext, argument) && i + 1 < arguments.size()) {
        const std::string& value = arguments[++i];
        options_.for_clang.push_back(value);
        if (argument == "-x") only_assembly = value.starts_with("assembler");
        continue;
      }
      if (argument == "-") options_.reads_input = true;
      bool is_input = argument == "-" || !argument.starts_with('-');
      // The contents of a response file are unknown; most likely there is something to compile.
      if (is_input && !only_assembly && (argument.starts_with('@') || is_compiled(argument)))
        has_input = true;
    }
    options_.compiles = has_input && has_code;
    return std::move(options_);
  }

 private:
  bool is_own(const std::string& argument) {
    constexpr std::string_view kOn = "-fpsi", kOff = "-fno-psi";
    if (argument == kOn || argument == kOff) {
      options_.is_on = argument == kOn;
      return true;
    }
    if (!argument.starts_with("-fpsi-") && !argument.starts_with("-fno-psi-")) return false;
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    set(name, value);
    return true;
  }

  void set(const std::string& name, const std::optional<std::string>& value) {
    if (name == "-fpsi-at") {
      options_.at = one_of(name, value, {"late", "early"});
    } else if (name == "-fpsi-mode") {
      options_.mode = one_of(name, value, {"cost", "all"});
    } else if (name == "-fpsi-passes") {
      options_.passes = any(name, value);
    } else if (name == "-fpsi-target") {
      options_.target = any(name, value);
    } else if (name == "-fpsi-crash-in") {
      options_.crash_in = any(name, value);
    } else if (name == "-fpsi-profile-use") {
      options_.profile_use = any(name, value);
    } else if (name == "-fpsi-profile-generate") {
      options_.profile_generate = value.value_or("");
    } else if (name == "-fpsi-remarks") {
      options_.remarks = !value;
      options_.remarks_file = value ? any(name, value) : "";
    } else if (name == "-fno-psi-remarks") {
      none(name, value);
      options_.remarks = false;
      options_.remarks_file.clear();
    } else if (name == "-fpsi-unpredictable" || name == "-fno-psi-unpredictable") {
      none(name, value);
      options_.unpredictable = name == "-fpsi-unpredictable";
    } else {
      throw Mistake{"unknown option '" + name + "'" + psi::suggestion(name, own_names()) +
                    "; 'psicc --help' lists psicc's own"};
    }
  }

  static std::string one_of(const std::string& name, const std::optional<std::string>& value,
                            std::initializer_list<std::string_view> allowed) {
    std::string text = any(name, value), list;
    for (std::string_view known : allowed) {
      if (text == known) return text;
      list += (list.empty() ? "" : " or ") + std::string(known);
    }
    throw Mistake{"'" + name + "' must be " + list + ", not '" + text + "'" +
                  psi::suggestion(text, {allowed.begin(), allowed.size()})};
  }
  static std::string any(const std::string& name, const std::optional<std::string>& value) {
    if (!value || value->empty()) throw Mistake{"'" + name + "' needs a value: '" + name + "=...'"};
    return *value;
  }
  static void none(const std::string& name, const std::optional<std::string>& value) {
    if (value) throw Mistake{"'" + name + "' takes no value"};
  }

  Options options_;
};

}  // namespace

Options parse(const Arguments& arguments) { return Parser().parse(arguments); }

std::string help() {
  constexpr size_t kColumn = 32, kWidth = 100;
  std::string out = "psicc: clang with psic's if-conversion, for branchy code. Options of its own:\n\n";
  for (const OwnOption& option : kOwnOptions) {
    std::string line = "  " + std::string(option.name);
    if (!option.value.empty()) {
      std::string value = "=" + std::string(option.value);
      line += option.is_value_optional ? "[" + value + "]" : value;
    }
    line.resize(std::max(kColumn, line.size() + 2), ' ');
    for (std::string_view rest = option.about; !rest.empty();) {
      std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (line.size() + word.size() > kWidth) {
        out += line + "\n";
        line = std::string(kColumn, ' ');
      }
      line += word;
      if (!rest.empty()) line += ' ';
    }
    out += line + "\n";
  }
  return out + "\nAll other options are clang's.\n\n";
}

}  // namespace psicc
