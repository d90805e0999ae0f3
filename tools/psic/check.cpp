// psic check: does the file parse and verify?
#include <fmt/format.h>

#include "psic/tool.h"

namespace psic {
namespace {

void print_stats(const Loaded& loaded) {
  const psi::Module& module = loaded.module;
  uint64_t functions = 0, blocks = 0, insts = 0;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = module.function(symbol);
    functions += !function.is_declaration();
    blocks += function.layout().size();
    insts += function.num_insts();
  }
  size_t memory = module.memory();
  fmt::print("{}: {} functions, {} blocks, {} instructions, {} bytes in memory", loaded.path, functions,
             blocks, insts, memory);
  if (insts > 0)
    fmt::print(" ({:.1f} an instruction)", static_cast<double>(memory) / static_cast<double>(insts));
  fmt::print("\n");
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Parse and verify files; silent if they are right");
  auto files = std::make_shared<std::vector<std::string>>();
  auto stats = std::make_shared<bool>(false);
  auto load_options = std::make_shared<LoadOptions>();
  command->add_option("FILE", *files, "Files in psic's textual form, LLVM IR or C")->required();
  add_load_options(*command, *load_options);
  command->add_flag("--stats", *stats, "Print how large they are, in the text and in memory");
  command->callback([=, &action] {
    action = [=] {
      int code = kFine;
      for (const std::string& file : *files) {
        std::unique_ptr<Loaded> loaded = load(file, *load_options);
        if (!loaded) code = kBadInput;
        if (loaded && *stats) print_stats(*loaded);
      }
      return code;
    };
  });
}

}  // namespace psic
