// psic liveness: predicate-aware data flow, interference and dependences.
#include <fmt/format.h>

#include "psi/view/flow_text.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct LivenessOptions {
  std::string file;
  std::string function;
  std::string block;
  std::string problem = "live";
  std::string scope;  // empty: the best that the form allows
  std::string method = "flow";
  bool interference = false;
  bool dependences = false;
  std::string output = "-";
  bool dot = false;
  bool json = false;
  LoadOptions load;
};

int append(std::vector<std::string>& out, const LivenessOptions& options, const psi::Module& module,
           const psi::Function& function) {
  bool is_ssa = psi::is_ssa(function.form);
  psi::FlowScope scope = is_ssa ? psi::FlowScope::Global : psi::FlowScope::Local;
  if (!options.scope.empty()) scope = *psi::flow_scope_from_name(options.scope);
  if (scope == psi::FlowScope::Global && !is_ssa) {
    error(fmt::format("${} is in {} form: the global scope is for SSA forms", module.name(function.symbol),
                      psi::form_name(function.form)));
    return kBadInput;
  }
  psi::InterferenceMethod method = *psi::interference_method_from_name(options.method);
  if (method == psi::InterferenceMethod::Ranges && !is_ssa) {
    error(fmt::format("${} is in {} form: --method=ranges is for SSA forms", module.name(function.symbol),
                      psi::form_name(function.form)));
    return kBadInput;
  }
  psi::BlockId block;
  if (!options.block.empty()) {
    block = find_block(module, function, options.block);
    if (!block) return kBadInput;
  }
  psi::Analyses analyses(function);
  psi::FlowProblem problem = *psi::flow_problem_from_name(options.problem);
  if (options.interference) {
    auto write = options.json  ? psi::print_interference_as_json
                 : options.dot ? psi::draw_interference
                               : psi::print_interference;
    out.push_back(write(module, function, analyses, {method, scope}));
  } else if (options.dependences) {
    auto write = options.json  ? psi::print_dependences_as_json
                 : options.dot ? psi::draw_dependences
                               : psi::print_dependences;
    out.push_back(write(module, function, scope, block));
  } else {
    auto write = options.json ? psi::print_flow_as_json : psi::print_flow;
    out.push_back(write(module, function, analyses, problem, scope, block));
  }
  return kFine;
}

int liveness(const LivenessOptions& options) {
  if (options.dot && !options.interference && !options.dependences) {
    error("--dot draws --interference or --dependences: choose one");
    return kUsage;
  }
  if (options.method != "flow" && !options.interference) {
    error("--method chooses how --interference is found");
    return kUsage;
  }
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  std::optional<std::vector<const psi::Function*>> functions = choose_functions(*loaded, options.function);
  if (!functions) return kBadInput;
  std::vector<std::string> out;
  for (const psi::Function* function : *functions) {
    if (int code = append(out, options, loaded->module, *function)) return code;
  }
  return write_file(options.output, options.json ? json_array(out) : fmt::format("{}", fmt::join(out, "\n")))
             ? kFine
             : kBadInput;
}

}  // namespace

void add_liveness(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("liveness", "Show predicate-aware data flow");
  auto options = std::make_shared<LivenessOptions>();
  add_file(*command, options->file, "The file to look at");
  add_function(*command, options->function);
  command->add_option("--block", options->block, "Only this block")->type_name("BLOCK");
  choices(command->add_option("--problem", options->problem, "What holds at each point"),
          {"live", "reaching", "up-exposed", "down-exposed", "available"})
      ->capture_default_str();
  choices(command->add_option("--scope", options->scope,
                              "The scope of predicates; by default global in SSA forms, otherwise local"),
          {"blind", "local", "global"});
  CLI::Option* interference =
      command->add_flag("--interference", options->interference, "Which registers interfere");
  choices(command->add_option("--method", options->method,
                              "How interference is found: by data flow, or by live ranges (SSA forms)"),
          {"flow", "ranges"})
      ->capture_default_str();
  command->add_flag("--dependences", options->dependences, "Which instructions depend on which others")
      ->excludes(interference);
  add_load_options(*command, options->load);
  add_output(*command, options->output);
  add_dot(*command, options->dot)->excludes(add_json(*command, options->json));
  add_examples(*command,
               {{"psic liveness --func f program.psi", "what is live where, and in which executions"},
                {"psic liveness --interference program.psi", "which registers interfere"},
                {"psic liveness --dependences --func f --dot program.psi | dot -Tsvg > f.svg", "a drawing"}});
  command->callback([=, &action] { action = [=] { return liveness(*options); }; });
}

}  // namespace psic
