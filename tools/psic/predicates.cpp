// psic predicates: what is known of the predicates of a function.
#include <fmt/format.h>
#include <unistd.h>

#include "psi/exact_predicates.h"
#include "psi/regions.h"
#include "psic/predicate_query.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct PredicatesOptions {
  std::string file;
  std::string function;
  std::string block;
  std::string region;
  bool regions = false;
  std::string graph;  // empty: a table
  std::vector<std::string> queries;
  bool explain = false;
  std::string engine = "auto";
  uint32_t limit = psi::kDefaultExactLimit;
  std::string output = "-";
  LoadOptions load;
};

class PredicatesCommand {
 public:
  PredicatesCommand(const PredicatesOptions& options, const psi::Module& module)
      : options_(options), module_(module) {}

  // The exit code; what there is to show is then in `out`.
  int run(const psi::Function& function) {
    if (is_ssa(function.form)) return run_ssa(function);
    if (options_.regions || !options_.region.empty()) {
      return complain("${} is in {} form: regions are looked at in SSA form", function);
    }
    return run_plain(function);
  }
  std::string out;

 private:
  int run_ssa(const psi::Function& function) {
    if (!options_.block.empty())
      return complain("${} is in {} form: its predicates are not of a block", function);
    psi::Analyses analyses(function);
    psi::Predicates predicates(function, analyses);
    psi::PredicateText text(module_, function, predicates);
    if (!options_.regions && options_.region.empty() && options_.queries.empty()) {
      bool is_worth_it = !text.named().empty() || !options_.function.empty();
      if (is_worth_it) show(title(function), predicates, text, 0);
      return kFine;
    }
    psi::Regions regions(analyses.cfg(), analyses.order());
    size_t num_registers = text.named().size();
    psi::BlockId chosen = function.entry();
    if (!options_.region.empty()) {
      chosen = find_block(function, options_.region);
      if (!chosen || regions.region(chosen) == psi::Regions::kNone) {
        error(fmt::format("${} has no block @{} that can be reached", module_.name(function.symbol),
                          options_.region));
        return kBadInput;
      }
    }
    for (uint32_t region = 0; region < regions.num_regions(); ++region) {
      bool is_wanted =
          options_.regions ? regions.blocks(region).size() > 1 : region == regions.region(chosen);
      if (!is_wanted) continue;
      name_blocks(function, analyses, regions, region, predicates, text);
      std::string entry = block_name(function, regions.entry(region));
      if (int code = finish(title(function) + " region " + entry, predicates, text, num_registers))
        return code;
      text.forget(num_registers);
    }
    return kFine;
  }

  // One block after the other.
  int run_plain(const psi::Function& function) {
    psi::BlockId chosen;
    if (!options_.block.empty()) {
      chosen = find_block(function, options_.block);
      if (!chosen) {
        error(fmt::format("${} has no block @{}", module_.name(function.symbol), options_.block));
        return kBadInput;
      }
    } else if (!options_.queries.empty() && function.layout().size() > 1) {
      return complain("${} is in {} form, so a question is about one block: choose it with --block",
                      function);
    }
    for (psi::BlockId b : function.layout()) {
      if (chosen && b != chosen) continue;
      psi::Predicates predicates(function, b);
      psi::PredicateText text(module_, function, predicates, b);
      if (!chosen && text.named().empty() && options_.queries.empty()) continue;
      if (int code = finish(title(function) + ' ' + block_name(function, b), predicates, text, 0))
        return code;
    }
    return kFine;
  }

  void name_blocks(const psi::Function& function, psi::Analyses& analyses, const psi::Regions& regions,
                   uint32_t region, psi::Predicates& predicates, psi::PredicateText& text) const {
    std::span<const psi::BlockId> blocks = regions.blocks(region);
    std::vector<psi::Term> terms = psi::block_terms(function, analyses, blocks, predicates);
    for (size_t i = 0; i < blocks.size(); ++i) text.add(block_name(function, blocks[i]), terms[i]);
  }

  int finish(const std::string& heading, psi::Predicates& predicates, psi::PredicateText& text,
             size_t first) {
    if (!options_.queries.empty()) return answer(predicates, text);
    show(heading, predicates, text, first);
    return kFine;
  }

  // The symbols of all that has a name, from `first` on.
  void show(const std::string& heading, psi::Predicates& predicates, const psi::PredicateText& text,
            size_t first) {
    psi::PartitionGraph graph(predicates.terms());
    for (const psi::PredicateText::Named& named : text.named().subspan(first)) graph.symbol(named.term);
    if (options_.graph == "dot") {
      out += psi::draw_graph(text, graph, heading);
      return;
    }
    if (!out.empty()) out += '\n';
    out += heading + '\n';
    out += options_.graph == "text" ? psi::print_graph(text, graph) : psi::print_table(text, graph);
  }

  int answer(psi::Predicates& predicates, const psi::PredicateText& text) {
    psi::PredicateEngineKind kind = *psi::predicate_engine_from_name(options_.engine);
    psi::MakeExactEngine make_exact;
    if (kind == psi::PredicateEngineKind::Exact ||
        (kind == psi::PredicateEngineKind::Auto && has_exact_engine())) {
      std::optional<psi::MakeExactEngine> made = exact_engine(options_.limit);
      if (!made) return kUsage;
      make_exact = *made;
    }
    std::unique_ptr<psi::PredicateEngine> engine =
        psi::make_predicate_engine(kind, predicates.terms(), make_exact);
    for (const std::string& query : options_.queries) {
      psi::Diagnostics diagnostics;
      std::optional<psi::PredicateQuestion> question =
          parse_query(query, text, predicates.terms(), diagnostics);
      if (!question) {
        fmt::print(stderr, "{}", psi::render(diagnostics, "--query", query, colour_wanted(STDERR_FILENO)));
        return kUsage;
      }
      psi::PredicateExplanation explanation = engine->explain(*question);
      out += query + ": ";
      out += explanation.answer == psi::Answer::Yes  ? "yes"
             : explanation.answer == psi::Answer::No ? "no"
                                                     : "not known";
      out += options_.explain ? psi::print_explanation(text, explanation) : "\n";
    }
    return kFine;
  }

  int complain(std::string_view message, const psi::Function& function) const {
    error(fmt::format(fmt::runtime(message), module_.name(function.symbol), psi::form_name(function.form)));
    return kBadInput;
  }
  static psi::BlockId find_block(const psi::Function& function, std::string_view name) {
    if (name.starts_with('@')) name.remove_prefix(1);
    return psi::find_block(function, name);
  }
  std::string title(const psi::Function& function) const {
    return psi::print(module_, function, psi::Operand::symbol(function.symbol));
  }
  std::string block_name(const psi::Function& function, psi::BlockId b) const {
    return psi::print(module_, function, psi::Operand::block(b));
  }

  const PredicatesOptions& options_;
  const psi::Module& module_;
};

int predicates(const PredicatesOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  std::optional<std::vector<const psi::Function*>> functions = choose_functions(*loaded, options.function);
  if (!functions) return kBadInput;
  if (!options.queries.empty() && functions->size() > 1) {
    error(fmt::format("{} has several functions: choose one with --func", loaded->path));
    return kUsage;
  }
  PredicatesCommand command(options, loaded->module);
  for (const psi::Function* function : *functions) {
    if (int code = command.run(*function)) return code;
  }
  return write_file(options.output, command.out) ? kFine : kBadInput;
}

}  // namespace

void add_predicates(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("predicates", "Show what is known of predicates");
  auto options = std::make_shared<PredicatesOptions>();
  command->add_option("FILE", options->file, "The file to look at")->required();
  command->add_option("--func", options->function, "Only this function")->type_name("NAME");
  command->add_option("--block", options->block, "Plain form: only this block")->type_name("NAME");
  command
      ->add_option("--region", options->region,
                   "SSA forms: the acyclic region of this block, whose blocks are predicates, too")
      ->type_name("BLOCK");
  CLI::Option* regions =
      command->add_flag("--regions", options->regions, "SSA forms: all acyclic regions of several blocks");
  command->add_option("--graph", options->graph, "The partition graph, as a tree or drawn for Graphviz")
      ->expected(0, 1)
      ->default_str("text")
      ->check(CLI::IsMember({"text", "dot"}));
  command->add_option("--query", options->queries, "A question: 'disjoint(%p, %q)', 'subset(%p, %q | !%r)'")
      ->type_name("QUESTION")
      ->take_all()
      ->excludes(regions);
  command->add_flag("--explain", options->explain, "With the proof, or with values that refute");
  command->add_option("--engine", options->engine, "Who answers")
      ->check(CLI::IsMember({"partition", "hierarchy", "exact", "auto"}))
      ->capture_default_str();
  command
      ->add_option("--limit", options->limit,
                   "How much work the exact engine may spend on a question; 0: any")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Where to write")->type_name("FILE");
  add_load_options(*command, options->load);
  command->callback([=, &action] { action = [=] { return predicates(*options); }; });
}

}  // namespace psic
