#include <fmt/format.h>
#include <unistd.h>

#include "psi/verify/verify.h"
#include "psic/tool.h"

namespace psic {

void add_load_options(CLI::App& command, LoadOptions& options) {
  choices(
      command.add_option("--import", options.import,
                         "LLVM IR and C: as it is (ssa), or with stack slots and phis as registers (plain)"),
      {"ssa", "plain"})
      ->capture_default_str()
      ->group(kInput);
  command.add_option("--clang-flags", options.clang_flags, "C: additional options for clang")
      ->type_name("FLAGS")
      ->group(kInput);
}

std::unique_ptr<Loaded> load(const std::string& path, const LoadOptions& options) {
  auto loaded = std::make_unique<Loaded>();
  loaded->path = path == "-" ? "<stdin>" : path;
  std::optional<std::string> text = read_file(path);
  if (!text) return nullptr;
  loaded->text = std::move(*text);

  psi::Diagnostics wrong;
  psi::VerifyOptions verify_options;
  bool is_llvm = is_llvm_input(path, loaded->text);
  if (is_llvm) {
    if (!load_llvm(*loaded, options)) return nullptr;
  } else {
    const psi::TargetInstructionSets instruction_sets(options.targets ? *options.targets
                                                                      : psi::TargetTable::builtin());
    psi::Result<psi::Module> module = psi::parse(loaded->text, &loaded->map, &instruction_sets);
    if (module) loaded->module = std::move(*module);
    wrong = module.diagnostics();
    verify_options.map = &loaded->map;
  }
  if (options.verify && !wrong.has_errors())
    wrong = psi::verifies(loaded->module, verify_options).diagnostics();
  if (!wrong.has_errors()) return loaded;
  if (is_llvm) report_bug("the imported module does not verify");
  say("{}", psi::render(wrong, loaded->path, is_llvm ? std::string_view() : loaded->text,
                        colour_wanted(STDERR_FILENO)));
  return nullptr;
}

const psi::Function* find_function(const Loaded& loaded, std::string_view name) {
  if (name.starts_with('$')) name.remove_prefix(1);
  const psi::Module& module = loaded.module;
  if (const psi::Function* function = module.find_function(name)) return function;
  std::vector<std::string> names;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) == psi::SymbolKind::Function) names.emplace_back(module.name(symbol));
  }
  error(fmt::format("{} has no function ${}{}", loaded.path, name, similar(name, names)));
  return nullptr;
}

psi::BlockId find_block(const psi::Module& module, const psi::Function& function, std::string_view name) {
  if (name.starts_with('@')) name.remove_prefix(1);
  psi::BlockId block = psi::find_block(function, name);
  if (block) return block;
  std::vector<std::string> names;
  for (psi::BlockId b : function.layout()) {
    names.push_back(psi::print(module, function, psi::Operand::block(b)).substr(1));
  }
  error(fmt::format("${} has no block @{}{}", module.name(function.symbol), name, similar(name, names)));
  return {};
}

psi::Reg find_register(const psi::Module& module, const psi::Function& function, std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  psi::Reg reg = psi::find_reg(function, name);
  if (reg) return reg;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    names.push_back(psi::print(module, function, psi::Operand::reg(psi::Reg(i))).substr(1));
  }
  error(fmt::format("${} has no register %{}{}", module.name(function.symbol), name, similar(name, names)));
  return {};
}

std::vector<const psi::Function*> functions_of(const Loaded& loaded) {
  std::vector<const psi::Function*> functions;
  for (psi::SymbolId symbol : loaded.module.declarations()) {
    if (loaded.module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = loaded.module.function(symbol);
    if (!function.is_declaration()) functions.push_back(&function);
  }
  return functions;
}

std::optional<std::vector<const psi::Function*>> choose_functions(const Loaded& loaded,
                                                                  std::string_view name) {
  const psi::Module& module = loaded.module;
  if (!name.empty()) {
    const psi::Function* function = find_function(loaded, name);
    if (!function) return std::nullopt;
    if (!function->is_declaration()) return std::vector{function};
    error(fmt::format("${} is only declared in {}, so there is no body to look at",
                      module.name(function->symbol), loaded.path));
    return std::nullopt;
  }
  std::vector<const psi::Function*> functions = functions_of(loaded);
  if (!functions.empty()) return functions;
  error(fmt::format("{} has no function to look at", loaded.path));
  return std::nullopt;
}

bool write_module(const Loaded& loaded, const std::string& path, bool export_all) {
  if (!is_llvm_path(path)) return write_file(path, psi::print(loaded.module));
  if (loaded.llvm) return write_llvm(loaded, path, export_all);
  error(fmt::format("{}: only LLVM IR and C can be written as LLVM IR", path));
  return false;
}

std::optional<psi::PassList> load_passes(const psi::PassTable& table, const std::string& list) {
  psi::Result<psi::PassList> passes = psi::parse_passes(table, list);
  if (passes) return std::move(*passes);
  say("{}", psi::render(passes, "--passes", list, colour_wanted(STDERR_FILENO)));
  return std::nullopt;
}

std::optional<psi::PassList> level_passes(const psi::PassTable& table, const std::string& level,
                                          bool leaves_ssa) {
  psi::Optimisation optimisation;
  optimisation.level = static_cast<uint32_t>(level[0] - '0');
  optimisation.leaves_ssa = leaves_ssa;
  psi::Result<psi::PassList> passes = psi::optimisation_passes(table, optimisation);
  if (passes) return std::move(*passes);
  error(passes.message());
  return std::nullopt;
}

int finish_passes(const psi::Module& module, const psi::PipelineResult& result) {
  if (result) return kFine;
  const psi::PassFailure& failure = result.diagnostics();
  if (failure.kind != psi::PassFailure::Kind::Broken) {
    error(failure.first_error());
    return failure.kind == psi::PassFailure::Kind::WrongForm ? kUsage : kBadInput;
  }
  report_bug(failure.first_error());
  say("{}before '{}', ${} was:\n{}",
      psi::render(failure.broken, "after " + failure.pass, {}, colour_wanted(STDERR_FILENO)), failure.pass,
      module.name(failure.function), failure.text_before);
  return kBug;
}

}  // namespace psic
