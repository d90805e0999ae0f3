// psic predicated-ssa: acyclic regions as one block, in predicated SSA; and beside psi-SSA.
#include "psi/predicated_ssa.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/destruct.h"
#include "psi/regions.h"
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
};

// A region in one representation.
struct Row {
  std::string name;
  psi::BlockFigures figures;
  uint32_t paths = 0;
  uint64_t destructed = 0;  // instructions of the function once it is out of SSA form
};

class PredicatedSsaCommand {
 public:
  PredicatedSsaCommand(const PredicatedSsaCommandOptions& options, const psi::Module& module)
      : options_(options), module_(module) {}

  int run(const psi::Function& function) {
    psi::BlockId only;
    if (!options_.region.empty()) {
      std::string_view name = options_.region;
      if (name.starts_with('@')) name.remove_prefix(1);
      only = psi::find_block(function, name);
      psi::Analyses analyses(function);
      psi::Regions regions(analyses.cfg(), analyses.order());
      if (!only || regions.region(only) == psi::Regions::kNone) {
        error(fmt::format("${} has no block @{} that can be reached", module_.name(function.symbol),
                          options_.region));
        return kBadInput;
      }
    }
    options_.compare ? compare(function, only) : show(function, only);
    return kFine;
  }
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();

 private:
  std::vector<psi::Hyperblock> convert(psi::Function& function, psi::BlockId only, uint32_t max_paths) const {
    psi::Analyses analyses(function);
    psi::Counters counters;
    return psi::make_hyperblocks(function, analyses, {.max_paths = max_paths}, counters, only);
  }

  void show(psi::Function function, psi::BlockId only) {
    convert(function, only, options_.max_paths);
    text += psi::print(module_, function);
  }

  void compare(const psi::Function& function, psi::BlockId only) {
    psi::Analyses analyses(function);
    psi::Regions regions(analyses.cfg(), analyses.order());
    for (uint32_t region = 0; region < regions.num_regions(); ++region) {
      if (regions.blocks(region).size() < 2) continue;
      if (only && regions.region(only) != region) continue;
      Row branches = {.name = "branches", .figures = {}, .paths = 1, .destructed = destructed(function)};
      for (psi::BlockId b : regions.blocks(region)) {
        psi::BlockFigures figures = psi::block_figures(function, analyses, b);
        branches.figures.instructions += figures.instructions;
        branches.figures.predicate += figures.predicate;
        branches.figures.psis += figures.psis;
        branches.figures.psi_arguments += figures.psi_arguments;
        branches.figures.height += figures.height;
      }
      std::vector<Row> rows = {
          branches, converted("psi-SSA", function, regions.entry(region), 1),
          converted("predicated SSA", function, regions.entry(region), options_.max_paths)};
      add(function, regions, region, rows);
    }
  }

  Row converted(std::string name, psi::Function function, psi::BlockId entry, uint32_t max_paths) const {
    Row row{.name = std::move(name), .figures = {}, .paths = 0, .destructed = 0};
    for (const psi::Hyperblock& made : convert(function, entry, max_paths)) row.paths = made.paths;
    psi::Analyses analyses(function);
    row.figures = psi::block_figures(function, analyses, entry);
    row.destructed = destructed(std::move(function));
    return row;
  }

  static uint64_t destructed(psi::Function function) {
    psi::Analyses analyses(function);
    psi::Counters counters;
    psi::StepTimes times;
    psi::destruct(function, analyses, {}, counters, times);
    uint64_t count = 0;
    for (psi::BlockId b : function.layout()) count += function.insts(b).size();
    return count;
  }

  void add(const psi::Function& function, const psi::Regions& regions, uint32_t region,
           const std::vector<Row>& rows) {
    std::string entry = psi::print(module_, function, psi::Operand::block(regions.entry(region)));
    size_t num_blocks = regions.blocks(region).size();
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    text += fmt::format("${} region {}, {} blocks\n", module_.name(function.symbol), entry, num_blocks);
    text += fmt::format("{:<16}{:>14}{:>12}{:>7}{:>11}{:>8}{:>7}{:>16}\n", "", "instructions", "predicates",
                        "psis", "arguments", "height", "paths", "after destruct");
    for (const Row& row : rows) {
      const psi::BlockFigures& f = row.figures;
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
                    {"blocks", num_blocks},
                    {"representations", entries}});
  }

  const PredicatedSsaCommandOptions& options_;
  const psi::Module& module_;
};

int run(const PredicatedSsaCommandOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  std::optional<psi::PassList> passes = load_passes(psi::PassTable::builtin(), options.passes);
  if (!passes) return kUsage;
  // Only what is not in SSA form yet.
  for (psi::PassCall& call : *passes) call.only_from = psi::Form::Plain;
  if (int code = finish_passes(loaded->module, psi::run_passes(loaded->module, *passes))) return code;
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
  command->add_option("FILE", options->file, "The file to read")->required();
  add_load_options(*command, options->load);
  command->add_option("--func", options->function, "Only this function")->type_name("NAME");
  command->add_option("--region", options->region, "Only the acyclic region of this block")
      ->type_name("BLOCK");
  command->add_option("--paths", options->max_paths, "How many paths to a block are told apart; 1: psi-SSA")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--passes", options->passes, "How functions in plain form get into SSA form")
      ->capture_default_str();
  CLI::Option* compare = command->add_flag("--compare", options->compare,
                                           "Size and height of each region, in both representations");
  command->add_flag("--json", options->json, "With --compare: as JSON")->needs(compare);
  command->add_option("-o", options->output, "Where to write; - is standard output")->capture_default_str();
  command->callback([=, &action] { action = [=] { return run(*options); }; });
}

}  // namespace psic
