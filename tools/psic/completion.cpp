// psic completion: scripts for shells, made from the command line's own description.
#include <fmt/format.h>

#include "psic/tool.h"

namespace psic {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const psi::Pass& pass : psi::PassTable::builtin().all()) names.push_back(pass.name);
  return names;
}

std::vector<const CLI::App*> commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string bash(const CLI::App& app) {
  std::string cases, names;
  for (const CLI::App* command : commands(app)) {
    cases +=
        fmt::format("    {}) options='{}' ;;\n", command->get_name(), fmt::join(option_names(*command), " "));
    names += command->get_name() + " ";
  }
  return fmt::format(R"(# bash completion for psic: source <(psic completion bash)
_psic() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=''
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '{0}{1}' -- "$word"))
    return
  fi
  [[ $before == '=' ]] && before=${{COMP_WORDS[COMP_CWORD-2]}}
  case $before in
    --passes|--print-before|--print-after) COMPREPLY=($(compgen -W '{2}' -- "${{word#=}}")); return ;;
    --shape) COMPREPLY=($(compgen -W 'mixed structured irreducible straight' -- "${{word#=}}")); return ;;
  esac
  case ${{COMP_WORDS[1]}} in
{3}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _psic psic
)",
                     names, fmt::join(option_names(app), " "), fmt::join(pass_names(), " "), cases);
}

// zsh runs bash's completions.
std::string zsh(const CLI::App& app) {
  return "# zsh completion for psic: source <(psic completion zsh)\nautoload -Uz bashcompinit && "
         "bashcompinit\n" +
         bash(app);
}

std::string fish_quote(std::string text) {
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return "'" + text + "'";
}

std::string fish(const CLI::App& app) {
  std::string out = "# fish completion for psic: psic completion fish | source\n";
  for (const CLI::App* command : commands(app)) {
    out += fmt::format("complete -c psic -n __fish_use_subcommand -f -a {} -d {}\n", command->get_name(),
                       fish_quote(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        bool passes = name == "passes" || name == "print-before" || name == "print-after";
        out += fmt::format("complete -c psic -n '__fish_seen_subcommand_from {}' -l {} -d {}{}\n",
                           command->get_name(), name, fish_quote(option->get_description()),
                           passes ? fmt::format(" -x -a '{}'", fmt::join(pass_names(), " ")) : std::string());
      }
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  choices(command->add_option("SHELL", *shell, "The shell: bash, zsh or fish"), {"bash", "zsh", "fish"})
      ->required();
  add_examples(*command, {{"source <(psic completion bash)", "for this session"}});
  command->callback([=, &app, &action] {
    action = [=, &app] {
      put("{}", *shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
      return static_cast<int>(kFine);
    };
  });
}

}  // namespace psic
