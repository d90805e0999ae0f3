// psic completion: the files in completions/, for shells that are to read them at once.
#include "psic/files_inside.h"
#include "psic/tool.h"

namespace psic {

void add_completion(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  choices(command->add_option("SHELL", *shell, "The shell"), {"bash", "zsh", "fish"})->required();
  add_examples(*command, {{"source <(psic completion bash)", "for this session"},
                          {"psic completion fish | source", "the same in fish"}});
  command->callback([=, &action] {
    action = [=] {
      put(*shell == "bash" ? kBashCompletion : *shell == "zsh" ? kZshCompletion : kFishCompletion);
      return static_cast<int>(kFine);
    };
  });
}

}  // namespace psic
