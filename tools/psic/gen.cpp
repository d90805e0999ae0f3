// psic gen: random programs.
#include "psi/generate.h"
#include "psic/tool.h"

namespace psic {

CLI::Option* add_shape_option(CLI::App& command, psi::Shape& shape) {
  std::map<std::string, psi::Shape> names;
  for (psi::Shape known :
       {psi::Shape::Mixed, psi::Shape::Structured, psi::Shape::Irreducible, psi::Shape::Straight}) {
    names.emplace(psi::shape_name(known), known);
  }
  return command.add_option("--shape", shape, "Control flow: mixed, structured, irreducible or straight")
      ->transform(CLI::CheckedTransformer(names))
      ->type_name("SHAPE");
}

void add_gen(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gen", "Print a random program without undefined behaviour");
  auto options = std::make_shared<psi::GenerateOptions>();
  auto output = std::make_shared<std::string>("-");
  command->add_option("--seed", options->seed, "Which program")->capture_default_str();
  command->add_option("--size", options->size, "About how many instructions")->capture_default_str();
  command->add_option("--functions", options->functions, "How many functions; 0: as suits the size")
      ->capture_default_str();
  add_shape_option(*command, options->shape);
  command->add_flag("!--no-memory", options->memory, "Without memory");
  command->add_flag("!--no-calls", options->calls, "Without calls between functions");
  command->add_flag("!--no-floats", options->floats, "Without floating point");
  command->add_flag("!--no-guards", options->guards, "Without guards and cmpp");
  command->add_flag("!--no-switches", options->switches, "Without switches");
  command->add_flag("!--no-externals", options->externals, "Without external functions");
  command->add_flag("--names", options->names, "Name registers and blocks");
  command->add_flag("--annotations", options->annotations, "With source lines and made-up execution counts");
  command->add_option("-o,--output", *output, "Where to write")->type_name("FILE");
  command->callback([=, &action] {
    action = [=] { return write_file(*output, psi::print(psi::generate(*options))) ? kFine : kBadInput; };
  });
}

}  // namespace psic
