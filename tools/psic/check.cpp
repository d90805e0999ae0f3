// psic check: does the file parse and verify?
#include <fmt/format.h>

#include "psic/tool.h"

namespace psic {

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Parse and verify files; silent if they are right");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "Files in psic's textual form")->required();
  command->callback([=, &action] {
    action = [=] {
      int code = kFine;
      for (const std::string& file : *files) {
        if (!load(file)) code = kBadInput;
      }
      return code;
    };
  });
}

}  // namespace psic
