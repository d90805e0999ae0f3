// Completion of the command lines of psic and psicc.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "child_process.h"
#include "psic/complete.h"
#include "psic/tool.h"
#include "psicc/own_options.h"

namespace psic {
namespace {

using Words = std::vector<std::string>;

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0 || option.get_type_size() == 0;
}
bool is_repeatable(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// What precedes the cursor.
struct Typed {
  const CLI::App* command = nullptr;
  std::vector<const CLI::Option*> given;
  std::vector<std::string> positionals;
  std::vector<std::pair<const CLI::Option*, std::string>> values;
  const CLI::Option* open = nullptr;  // its value is next
  bool only_positionals = false;      // after `--`
};

const CLI::Option* find_option(const CLI::App& command, std::string_view name) {
  for (const CLI::Option* option : command.get_options()) {
    bool is_long = name.starts_with("--");
    const std::vector<std::string>& names = is_long ? option->get_lnames() : option->get_snames();
    if (std::find(names.begin(), names.end(), name.substr(is_long ? 2 : 1)) != names.end()) return option;
  }
  return nullptr;
}

Typed read_typed(const CLI::App& command, const Words& words) {
  Typed typed;
  typed.command = &command;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (typed.open) {
      typed.values.emplace_back(typed.open, word);
      typed.open = nullptr;
    } else if (typed.only_positionals || word == "-" || !word.starts_with('-')) {
      typed.positionals.push_back(word);
    } else if (word == "--") {
      typed.only_positionals = true;
    } else {
      bool is_long = word.starts_with("--");
      size_t end = is_long ? word.find('=') : 2;
      const CLI::Option* option = find_option(command, word.substr(0, end));
      if (!option) continue;
      typed.given.push_back(option);
      if (is_flag(*option)) continue;
      if (end >= word.size()) {
        typed.open = option;
      } else {
        typed.values.emplace_back(option, word.substr(end + is_long));
      }
    }
  }
  return typed;
}

Words values_given(const Typed& typed, std::string_view name) {
  Words found;
  for (const auto& [option, value] : typed.values) {
    if (option->get_name() == name) found.push_back(value);
  }
  return found;
}

const CLI::Option* positional(const CLI::App& command, size_t index) {
  const CLI::Option* last = nullptr;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    last = option;
    if (index-- == 0) return option;
  }
  return last && is_repeatable(*last) ? last : nullptr;
}

std::vector<Candidate> target_names(const psi::TargetTable& targets) {
  std::vector<Candidate> names;
  for (const psi::Target& target : targets.all()) names.push_back({target.name, target.summary});
  return names;
}

std::vector<Candidate> pass_names() {
  std::vector<Candidate> names;
  for (const psi::Pass& pass : psi::PassTable::builtin().all()) names.push_back({pass.name, pass.summary});
  return names;
}

std::vector<Candidate> pass_and_pipeline_names() {
  std::vector<Candidate> names = pass_names();
  for (const psi::Pipeline& pipeline : psi::PassTable::builtin().pipelines()) {
    names.push_back({pipeline.name, pipeline.summary});
  }
  return names;
}

// The file of the command line, if there is one that can be read without waiting.
std::unique_ptr<Loaded> load_typed(const Typed& typed) {
  std::error_code code;
  if (typed.positionals.empty() || !std::filesystem::is_regular_file(typed.positionals[0], code))
    return nullptr;
  LoadOptions options;
  options.verify = false;
  for (const std::string& flags : values_given(typed, "--clang-flags")) options.clang_flags = flags;
  for (const std::string& import : values_given(typed, "--import")) options.import = import;
  return load(typed.positionals[0], options);
}

std::vector<Candidate> function_names(const Typed& typed) {
  std::vector<Candidate> names;
  std::unique_ptr<Loaded> loaded = load_typed(typed);
  if (!loaded) return names;
  const psi::Module& module = loaded->module;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = module.function(symbol);
    if (function.is_declaration()) continue;
    names.push_back(
        {std::string(module.name(symbol)), fmt::format("{} form, {}, {}", psi::form_name(function.form),
                                                       counted(function.layout().size(), "block"),
                                                       counted(function.num_insts(), "instruction"))});
  }
  return names;
}

// Blocks, or registers, of the functions that are looked at.
std::vector<Candidate> names_in_functions(const Typed& typed, bool blocks) {
  std::vector<Candidate> names;
  std::unique_ptr<Loaded> loaded = load_typed(typed);
  if (!loaded) return names;
  Words chosen = values_given(typed, "--func");
  auto functions = choose_functions(*loaded, chosen.empty() ? "" : chosen.back());
  if (!functions) return names;
  auto add = [&](const psi::Function& function, const psi::Operand& operand) {
    std::string name = psi::print(loaded->module, function, operand).substr(1);
    auto is_same = [&](const Candidate& other) { return other.text == name; };
    if (std::none_of(names.begin(), names.end(), is_same)) {
      names.push_back({name, fmt::format("of ${}", loaded->module.name(function.symbol))});
    }
  };
  for (const psi::Function* function : *functions) {
    if (blocks) {
      for (psi::BlockId block : function->layout()) add(*function, psi::Operand::block(block));
    } else {
      for (uint32_t i = 0; i < function->num_regs(); ++i) add(*function, psi::Operand::reg(psi::Reg(i)));
    }
  }
  return names;
}

// The value of an option or a positional of this type.
Completion complete_value(const Typed& typed, const std::string& type, std::string_view word) {
  Completion out;
  if (std::optional<Words> values = listed_values(type)) {
    for (const std::string& value : *values) out.candidates.push_back({value, ""});
  } else if (type == "LIST" || type == "TARGET") {
    if (type == "LIST") return complete_passes(psi::PassTable::builtin(), word);
    out.candidates = target_names(psi::TargetTable::builtin());
    keep_matching(out, word);
    out.files = out.candidates.empty();
    return out;
  } else if (type == "PASS") {
    std::vector<Candidate> names = pass_names();
    names.push_back({"all", "every pass"});
    return complete_names(word, std::move(names));
  } else if (type == "NAME") {
    out.candidates = pass_and_pipeline_names();
  } else if (type == "FUNCTION") {
    // The name may be written with its sigil.
    if (word.starts_with('$')) out.before = "$";
    out.candidates = function_names(typed);
  } else if (type == "BLOCK") {
    if (word.starts_with('@')) out.before = "@";
    out.candidates = names_in_functions(typed, true);
  } else if (type == "REGISTER") {
    if (word.starts_with('%')) out.before = "%";
    out.candidates = names_in_functions(typed, false);
  } else if (type == "FILE") {
    out.files = true;
  }
  keep_matching(out, word.substr(out.before.size()));
  return out;
}

std::string type_of(const CLI::Option& option) {
  if (!option.get_positional()) return option.get_type_name();
  return listed_values(option.get_type_name()) ? option.get_type_name() : option.get_name(true);
}

Completion complete_value(const Typed& typed, const CLI::Option& option, std::string_view word) {
  Completion out = complete_value(typed, type_of(option), word);
  if (!out.files) return out;
  if (type_of(option) == "TARGET") {
    out.extensions = {"target"};
  } else if (option.get_positional()) {
    out.extensions =
        typed.command->get_name() == "compile" ? Words{"c", "ll", "bc"} : Words{"psi", "ll", "bc", "c"};
  }
  return out;
}

bool is_excluded(const CLI::Option& option, const Typed& typed) {
  return std::any_of(typed.given.begin(), typed.given.end(), [&](const CLI::Option* given) {
    std::set<CLI::Option*> excluded = given->get_excludes();
    return (given == &option && !is_repeatable(option)) ||
           std::any_of(excluded.begin(), excluded.end(), [&](const CLI::Option* e) { return e == &option; });
  });
}

Completion complete_option_name(const Typed& typed, std::string_view word) {
  Completion out;
  for (const CLI::Option* option : typed.command->get_options()) {
    if (is_excluded(*option, typed)) continue;
    std::string about = first_line(option->get_description());
    for (const std::string& name : option->get_lnames()) {
      if (!is_flag(*option)) {
        out.candidates.push_back({"--" + name + "=", about, false});
        continue;
      }
      out.candidates.push_back({"--" + name, about});
      if (!option->get_type_name().empty()) out.candidates.push_back({"--" + name + "=", about, false});
    }
    for (const std::string& name : option->get_snames()) {
      // Only those that have no long name; a listed value is attached to it.
      if (!option->get_lnames().empty()) continue;
      out.candidates.push_back({"-" + name, about, !listed_values(option->get_type_name()).has_value()});
    }
  }
  keep_matching(out, word);
  return out;
}

Completion behind(std::string before, Completion completion) {
  completion.before = before + completion.before;
  return completion;
}

Completion complete_option(const Typed& typed, const std::string& word) {
  bool is_long = word.starts_with("--");
  size_t equals = word.find('=');
  if (is_long && equals != std::string::npos) {
    const CLI::Option* option = find_option(*typed.command, word.substr(0, equals));
    if (!option) return {};
    return behind(word.substr(0, equals + 1), complete_value(typed, *option, word.substr(equals + 1)));
  }
  if (!is_long && word.size() >= 2) {
    const CLI::Option* option = find_option(*typed.command, word.substr(0, 2));
    if (option && !is_flag(*option) && (word.size() > 2 || listed_values(option->get_type_name()))) {
      return behind(word.substr(0, 2), complete_value(typed, *option, word.substr(2)));
    }
  }
  return complete_option_name(typed, word);
}

// Words of clang's own, as it lists them itself.
void add_clang_options(const Words& words, Completion& out) {
  // It wants to be asked for all values of an option.
  std::string list = words.back().substr(0, words.back().find('=') + 1);
  if (list.empty()) list = words.back();
  if (words.size() > 1) list = words[words.size() - 2] + "," + list;
  // No word of a shell: the characters that are not in options do not reach it.
  if (list.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,/:") !=
      std::string::npos) {
    return;
  }
  const std::string text =
      child_process::run_shell(fmt::format("clang-19 --autocomplete={} 2>/dev/null", list)).text;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    size_t tab = std::min(line.find('\t'), line.size());
    std::string name = line.substr(0, tab);
    std::string about = tab < line.size() ? line.substr(tab + 1) : std::string();
    if (!name.empty()) out.candidates.push_back({name, about, name.back() != '='});
  }
}

}  // namespace

std::optional<Words> listed_values(std::string_view type) {
  if (type.find('|') == std::string_view::npos) return std::nullopt;
  Words values;
  while (true) {
    size_t bar = std::min(type.find('|'), type.size());
    values.emplace_back(type.substr(0, bar));
    if (bar == type.size()) return values;
    type.remove_prefix(bar + 1);
  }
}

Completion complete_psic(const CLI::App& app, const Words& words) {
  const std::string& word = words.back();
  if (words.size() == 1) {
    Typed typed;
    typed.command = &app;
    if (word.starts_with('-')) return complete_option(typed, word);
    Completion out;
    for (const CLI::App* command : all_commands(app)) {
      if (!command->get_group().empty()) {
        out.candidates.push_back({command->get_name(), command->get_description()});
      }
    }
    keep_matching(out, word);
    return out;
  }
  auto named = app.get_subcommands([&](const CLI::App* known) { return known->get_name() == words[0]; });
  if (named.empty()) return {};
  const CLI::App* command = named[0];
  Typed typed = read_typed(*command, words);
  if (typed.open) return complete_value(typed, *typed.open, word);
  if (!typed.only_positionals && word.starts_with('-')) return complete_option(typed, word);
  if (const CLI::Option* here = positional(*command, typed.positionals.size())) {
    return complete_value(typed, *here, word);
  }
  return word.empty() && !typed.only_positionals ? complete_option_name(typed, word) : Completion();
}

Completion complete_psicc(const Words& words) {
  const std::string& word = words.back();
  Completion out;
  if (!word.starts_with('-')) {
    out.files = true;
    return out;
  }
  size_t equals = word.find('=');
  for (const psicc::OwnOption& option : psicc::kOwnOptions) {
    if (equals != std::string::npos) {
      if (word.substr(0, equals) != option.name) continue;
      std::string type(option.value);
      if (type == "PATH" || type == "DIR") type = "FILE";
      return behind(word.substr(0, equals + 1), complete_value({}, type, word.substr(equals + 1)));
    }
    std::string name(option.name), about(option.about);
    if (option.value.empty() || option.is_value_optional) out.candidates.push_back({name, about});
    if (!option.value.empty()) out.candidates.push_back({name + "=", about, false});
  }
  add_clang_options(words, out);
  keep_matching(out, word);
  // clang lists values without the option's name.
  if (out.candidates.empty() && equals != std::string::npos) {
    out.before = word.substr(0, equals + 1);
    add_clang_options(words, out);
    keep_matching(out, std::string_view(word).substr(equals + 1));
    out.files = out.candidates.empty();
  }
  return out;
}

}  // namespace psic
