// psic predicates: the predicates of a function and their relations.
#include "psi/exact/predicates.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/regions.h"
#include "psi/predicate/query.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct PredicatesOptions {
  std::string file;
  std::string function;
  std::string block;
  std::string region;
  bool regions = false;
  bool graph = false;  // otherwise a table
  bool dot = false;
  std::vector<std::string> queries;
  bool explain = false;
  std::string engine = "auto";
  uint32_t limit = psi::kDefaultExactLimit;
  std::string output = "-";
  bool json = false;
  LoadOptions load;
};

class PredicatesCommand {
 public:
  PredicatesCommand(const PredicatesOptions& options, const psi::Module& module)
      : options_(options), module_(module) {}

  // The exit code; the output is in `out`.
  int run(const psi::Function& function) {
    if (is_ssa(function.form)) return run_ssa(function);
    if (options_.regions || !options_.region.empty()) {
      return complain("${} is in {} form: regions are looked at in SSA form", function);
    }
    return run_plain(function);
  }
  std::string out;
  std::vector<std::string> objects;  // of JSON

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
    psi::Regions regions(analyses.get<psi::Cfg>(), analyses.get<psi::Order>());
    size_t num_registers = text.named().size();
    psi::BlockId chosen = function.entry();
    if (!options_.region.empty()) {
      chosen = find_block(module_, function, options_.region);
      if (!chosen) return kBadInput;
      if (regions.region(chosen) == psi::Regions::kNone) {
        error(fmt::format("block {} of ${} cannot be reached", block_name(function, chosen),
                          module_.name(function.symbol)));
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
      chosen = find_block(module_, function, options_.block);
      if (!chosen) return kBadInput;
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
    std::vector<psi::Term> terms = psi::block_terms(analyses, blocks, predicates);
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
    if (options_.json) {
      objects.push_back(psi::print_table_as_json(text, graph, heading));
      return;
    }
    if (options_.dot) {
      out += psi::draw_graph(text, graph, heading);
      return;
    }
    if (!out.empty()) out += '\n';
    out += heading + '\n';
    out += options_.graph ? psi::print_graph(text, graph) : psi::print_table(text, graph);
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
      psi::Result<psi::PredicateQuestion> question = psi::parse_query(query, text, predicates.terms());
      if (!question) {
        say(psi::render(question, "--query", query, colour_wanted(STDERR_FILENO)));
        return kUsage;
      }
      psi::PredicateExplanation explanation = engine->explain(*question);
      std::string answer = explanation.answer == psi::Answer::Yes  ? "yes"
                           : explanation.answer == psi::Answer::No ? "no"
                                                                   : "not known";
      std::string reason = options_.explain ? psi::print_explanation(text, explanation) : "\n";
      out += query + ": " + answer + reason;
      nlohmann::ordered_json object{{"query", query}, {"answer", answer}};
      if (options_.explain && explanation.answer != psi::Answer::Unknown) {
        object["engine"] = psi::predicate_engine_name(explanation.engine);
        object["explanation"] = reason.substr(reason.find('\n') + 1);
      }
      objects.push_back(object.dump(2));
    }
    return kFine;
  }

  int complain(std::string_view message, const psi::Function& function) const {
    error(fmt::format(fmt::runtime(message), module_.name(function.symbol), psi::form_name(function.form)));
    return kBadInput;
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
  return write_file(options.output, options.json ? json_array(command.objects) : command.out) ? kFine
                                                                                              : kBadInput;
}

}  // namespace

void add_predicates(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("predicates", "Show how predicates relate: disjoint, contained, complementary");
  auto options = std::make_shared<PredicatesOptions>();
  add_file(*command, options->file, "The file to look at");
  add_function(*command, options->function);
  command->add_option("--block", options->block, "Plain form: only this block")->type_name("BLOCK");
  command
      ->add_option("--region", options->region,
                   "SSA forms: the acyclic region of this block, whose blocks are predicates, too")
      ->type_name("BLOCK");
  CLI::Option* regions =
      command->add_flag("--regions", options->regions, "SSA forms: all acyclic regions of several blocks");
  constexpr const char* kQuestions = "Questions";
  CLI::Option* query =
      command
          ->add_option("--query", options->queries, "A question: 'disjoint(%p, %q)', 'subset(%p, %q | !%r)'")
          ->type_name("QUESTION")
          ->take_all()
          ->allow_extra_args(false)
          ->excludes(regions)
          ->group(kQuestions);
  command->add_flag("--explain", options->explain, "With the proof, or with values that refute")
      ->needs(query)
      ->group(kQuestions);
  choices(command->add_option("--engine", options->engine, "The engine that answers"),
          {"auto", "partition", "hierarchy", "exact"})
      ->capture_default_str()
      ->group(kQuestions);
  add_number<uint32_t>(*command, "--limit", options->limit, 0, UINT32_MAX,
                       "How much work the exact engine may spend on a question; 0: any")
      ->group(kQuestions);
  add_load_options(*command, options->load);
  add_output(*command, options->output);
  CLI::Option* json = add_json(*command, options->json);
  command->add_flag("--graph", options->graph, "The partition graph, as a tree")
      ->excludes(json)
      ->group(kOutput);
  add_dot(*command, options->dot)->excludes(json)->excludes("--graph")->excludes("--query");
  add_examples(
      *command,
      {{"psic predicates --func f program.psi", "the predicates of $f, and how they relate"},
       {"psic predicates --query 'disjoint(%p, %q)' --explain program.psi", "with a proof"},
       {"psic predicates --func f --dot program.psi | dot -Tsvg > f.svg", "the partition graph, drawn"}});
  command->callback([=, &action] { action = [=] { return predicates(*options); }; });
}

}  // namespace psic
