// psic liveness: predicate-sensitive data flow, and what is built on it.
#include <fmt/format.h>

#include "psi/flow_text.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct LivenessOptions {
  std::string file;
  std::string function;
  std::string block;
  std::string problem = "live";
  std::string scope;  // empty: the best that the form allows
  bool interference = false;
  bool dependences = false;
  std::string output = "-";
  LoadOptions load;
};

int append(std::string& out, const LivenessOptions& options, const psi::Module& module,
           const psi::Function& function) {
  bool is_ssa = psi::is_ssa(function.form);
  psi::FlowScope scope = is_ssa ? psi::FlowScope::Global : psi::FlowScope::Local;
  if (!options.scope.empty()) scope = *psi::flow_scope_from_name(options.scope);
  if (scope == psi::FlowScope::Global && !is_ssa) {
    error(fmt::format("${} is in {} form: the global scope is for SSA forms", module.name(function.symbol),
                      psi::form_name(function.form)));
    return kBadInput;
  }
  psi::BlockId block;
  if (!options.block.empty()) {
    std::string_view name = options.block;
    block = psi::find_block(function, name.starts_with('@') ? name.substr(1) : name);
    if (!block) {
      error(fmt::format("${} has no block {}", module.name(function.symbol), options.block));
      return kBadInput;
    }
  }
  psi::Analyses analyses(function);
  psi::FlowProblem problem = *psi::flow_problem_from_name(options.problem);
  if (!out.empty()) out += '\n';
  out += options.interference  ? psi::print_interference(module, function, analyses, scope)
         : options.dependences ? psi::print_dependences(module, function, scope, block)
                               : psi::print_flow(module, function, analyses, problem, scope, block);
  return kFine;
}

int liveness(const LivenessOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  std::optional<std::vector<const psi::Function*>> functions = choose_functions(*loaded, options.function);
  if (!functions) return kBadInput;
  std::string out;
  for (const psi::Function* function : *functions) {
    if (int code = append(out, options, loaded->module, *function)) return code;
  }
  return write_file(options.output, out) ? kFine : kBadInput;
}

}  // namespace

void add_liveness(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("liveness", "Show data flow that knows predicates");
  auto options = std::make_shared<LivenessOptions>();
  command->add_option("FILE", options->file, "The file to look at")->required();
  command->add_option("--func", options->function, "Only this function")->type_name("NAME");
  command->add_option("--block", options->block, "Only this block")->type_name("NAME");
  command->add_option("--problem", options->problem, "What holds at each point")
      ->check(CLI::IsMember({"live", "reaching", "up-exposed", "down-exposed", "available"}))
      ->capture_default_str();
  command
      ->add_option("--scope", options->scope,
                   "How far predicates are looked at; by default global in SSA forms, otherwise local")
      ->check(CLI::IsMember({"blind", "local", "global"}));
  CLI::Option* interference =
      command->add_flag("--interference", options->interference, "Which registers cannot share a place");
  command->add_flag("--dependences", options->dependences, "Which instructions depend on which others")
      ->excludes(interference);
  command->add_option("-o,--output", options->output, "Where to write")->type_name("FILE");
  add_load_options(*command, options->load);
  command->callback([=, &action] { action = [=] { return liveness(*options); }; });
}

}  // namespace psic
