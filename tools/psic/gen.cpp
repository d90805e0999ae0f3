// psic gen: random programs.
#include "psi/testing/generate.h"
#include "psic/tool.h"

namespace psic {

CLI::Option* add_shape_option(CLI::App& command, psi::Shape& shape) {
  std::map<std::string, psi::Shape> names;
  for (psi::Shape known :
       {psi::Shape::Mixed, psi::Shape::Structured, psi::Shape::Irreducible, psi::Shape::Straight}) {
    names.emplace(psi::shape_name(known), known);
  }
  std::vector<std::string> words;
  for (const auto& [name, known] : names) words.push_back(name);
  return choices(command.add_option_function<std::string>(
                     "--shape", [=, &shape](const std::string& name) { shape = names.at(name); },
                     "The control flow of programs"),
                 words);
}

CLI::Option* add_pointer_option(CLI::App& command, unsigned& bits, std::string help) {
  return choices(
      command.add_option_function<std::string>(
          "--pointer", [&bits](const std::string& text) { bits = text == "32" ? 32 : 64; }, std::move(help)),
      {"32", "64"});
}

void add_gen(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gen", "Print a random program without undefined behaviour");
  auto options = std::make_shared<psi::GenerateOptions>();
  auto output = std::make_shared<std::string>("-");
  add_number<uint64_t>(*command, "--seed", options->seed, 0, UINT64_MAX, "Which program");
  add_number<uint64_t>(*command, "--size", options->size, 1, kMostInstructions,
                       "About how many instructions");
  add_number<uint32_t>(*command, "--functions", options->functions, 0, 100'000,
                       "How many functions; 0: as suits the size");
  add_shape_option(*command, options->shape);
  add_pointer_option(*command, options->pointer_bits, "How many bits pointers have; 64 without");
  constexpr const char* kParts = "What to leave out";
  command->add_flag("!--no-memory", options->memory, "Without memory")->group(kParts);
  command->add_flag("!--no-calls", options->calls, "Without calls between functions")->group(kParts);
  command->add_flag("!--no-floats", options->floats, "Without floating point")->group(kParts);
  command->add_flag("!--no-guards", options->guards, "Without guards and cmpp")->group(kParts);
  command->add_flag("!--no-switches", options->switches, "Without switches")->group(kParts);
  command->add_flag("!--no-externals", options->externals, "Without external functions")->group(kParts);
  command->add_flag("--names", options->names, "Name registers and blocks");
  command->add_flag("--annotations", options->annotations, "With source lines and random execution counts");
  add_output(*command, *output);
  add_examples(*command,
               {{"psic gen --seed=7 --size=300 -o random.psi", "always the same program"},
                {"psic gen --shape=irreducible --no-memory", "irreducible control flow, without memory"}});
  command->callback([=, &action] {
    action = [=] { return write_file(*output, psi::print(psi::generate(*options))) ? kFine : kBadInput; };
  });
}

}  // namespace psic
