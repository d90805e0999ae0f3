// psic predicated-ssa: acyclic regions as one block, in predicated SSA; and beside psi-SSA.
#include "psi/predication/predicated_ssa.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/regions.h"
#include "psi/pipeline/representations.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct PredicatedSsaCommandOptions {
  std::string file;
  std::string function;
  std::string region;
  std::string passes = "construct";
  uint32_t max_paths = psi::PredicatedSsaOptions().max_paths;
  bool compare = false;
  bool json = false;
  std::string output = "-";
  LoadOptions load;
  std::string target;
};

class PredicatedSsaCommand {
 public:
  PredicatedSsaCommand(const PredicatedSsaCommandOptions& options, const psi::Module& module)
      : options_(options), module_(module) {}

  int run(const psi::Function& function) {
    psi::BlockId only;
    if (!options_.region.empty()) {
      only = find_block(module_, function, options_.region);
      if (!only) return kBadInput;
      psi::Analyses analyses(function);
      psi::Regions regions(analyses.get<psi::Cfg>(), analyses.get<psi::Order>());
      if (regions.region(only) == psi::Regions::kNone) {
        error(fmt::format("block {} of ${} cannot be reached",
                          psi::print(module_, function, psi::Operand::block(only)),
                          module_.name(function.symbol)));
        return kBadInput;
      }
    }
    options_.compare ? compare(function, only) : show(function, only);
    return kFine;
  }
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();

 private:
  void show(psi::Function function, psi::BlockId only) {
    psi::Analyses analyses(function);
    psi::Counters counters;
    psi::make_hyperblocks(function, analyses, {.max_paths = options_.max_paths}, counters, only);
    text += psi::print(module_, function);
  }

  void compare(const psi::Function& function, psi::BlockId only) {
    for (const psi::RegionComparison& region :
         psi::compare_representations(function, {.max_paths = options_.max_paths}, only)) {
      add(function, region);
    }
  }

  void add(const psi::Function& function, const psi::RegionComparison& region) {
    std::string entry = psi::print(module_, function, psi::Operand::block(region.entry));
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    text += fmt::format("${} region {}, {}\n", module_.name(function.symbol), entry,
                        counted(region.num_blocks, "block"));
    text += fmt::format("{:<16}{:>14}{:>12}{:>7}{:>11}{:>8}{:>7}{:>16}\n", "", "instructions", "predicates",
                        "psis", "arguments", "height", "paths", "after destruct");
    for (const psi::Representation& row : region.representations) {
      const psi::BlockStatistics& f = row.statistics;
      text += fmt::format("{:<16}{:>14}{:>12}{:>7}{:>11}{:>8}{:>7}{:>16}\n", row.name, f.instructions,
                          f.predicate, f.psis, f.psi_arguments, f.height, row.paths, row.destructed);
      entries.push_back({{"representation", row.name},
                         {"instructions", f.instructions},
                         {"predicates", f.predicate},
                         {"psis", f.psis},
                         {"psi arguments", f.psi_arguments},
                         {"height", f.height},
                         {"paths", row.paths},
                         {"after destruct", row.destructed}});
    }
    json.push_back({{"function", module_.name(function.symbol)},
                    {"region", entry},
                    {"blocks", region.num_blocks},
                    {"representations", entries}});
  }

  const PredicatedSsaCommandOptions& options_;
  const psi::Module& module_;
};

int run(const PredicatedSsaCommandOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  Tables tables;
  if (int code = load_tables(options.target, options.passes, tables)) return code;
  std::optional<psi::PassList> passes = load_passes(tables.passes, options.passes);
  if (!passes) return kUsage;
  tell_ignored_target(options.target, *passes);
  psi::PipelineOptions pipeline;
  pipeline.targets = &tables.targets;
  // Only what is not in SSA form yet.
  for (psi::PassCall& call : *passes) call.only_from = psi::Form::Plain;
  if (int code = finish_passes(loaded->module, psi::run_passes(loaded->module, *passes, pipeline)))
    return code;
  auto functions = choose_functions(*loaded, options.function);
  if (!functions) return kBadInput;
  PredicatedSsaCommand command(options, loaded->module);
  for (const psi::Function* function : *functions) {
    if (function->form != psi::Form::Ssa) {
      error(fmt::format("${} is in {} form, not in SSA form", loaded->module.name(function->symbol),
                        psi::form_name(function->form)));
      return kBadInput;
    }
    if (int code = command.run(*function)) return code;
  }
  return write_file(options.output, options.json ? command.json.dump(2) + "\n" : command.text) ? kFine
                                                                                               : kBadInput;
}

}  // namespace

void add_predicated_ssa(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("predicated-ssa", "Show acyclic regions in predicated SSA, or compare with psi-SSA");
  auto options = std::make_shared<PredicatedSsaCommandOptions>();
  add_file(*command, options->file, "The file to look at");
  add_function(*command, options->function);
  command->add_option("--region", options->region, "Only the acyclic region of this block")
      ->type_name("BLOCK");
  add_number<uint32_t>(*command, "--paths", options->max_paths, 1, 1024,
                       "How many paths to a block are distinguished; 1: psi-SSA");
  add_passes_list(*command, options->passes, "How functions in plain form get into SSA form")
      ->capture_default_str();
  add_load_options(*command, options->load);
  add_target_option(*command, options->target);
  add_output(*command, options->output);
  CLI::Option* compare =
      command
          ->add_flag("--compare", options->compare, "Size and height of each region, in each representation")
          ->group(kOutput);
  add_json(*command, options->json)->needs(compare);
  add_examples(*command, {{"psic predicated-ssa --func f program.psi", "regions of $f, path by path"},
                          {"psic predicated-ssa --compare program.psi", "beside branches and psi-SSA"}});
  command->callback([=, &action] { action = [=] { return run(*options); }; });
}

}  // namespace psic
