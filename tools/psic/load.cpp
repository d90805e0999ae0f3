#include <fmt/format.h>
#include <unistd.h>

#include "psi/verify.h"
#include "psic/tool.h"

namespace psic {

void add_load_options(CLI::App& command, LoadOptions& options) {
  command
      .add_option("--import", options.import, "LLVM IR: as it is, or with stack slots and phis as registers")
      ->check(CLI::IsMember({"ssa", "plain"}))
      ->capture_default_str();
  command.add_option("--clang-flags", options.clang_flags, "C: what to tell clang besides")
      ->type_name("FLAGS");
}

std::unique_ptr<Loaded> load(const std::string& path, const LoadOptions& options) {
  auto loaded = std::make_unique<Loaded>();
  loaded->path = path == "-" ? "<stdin>" : path;
  std::optional<std::string> text = read_file(path);
  if (!text) return nullptr;
  loaded->text = std::move(*text);

  psi::Diagnostics diagnostics;
  psi::VerifyOptions verify_options;
  bool is_llvm = is_llvm_input(path, loaded->text);
  if (is_llvm) {
    if (!load_llvm(*loaded, options)) return nullptr;
  } else {
    std::optional<psi::Module> module = psi::parse(loaded->text, diagnostics, &loaded->map);
    if (module) loaded->module = std::move(*module);
    verify_options.map = &loaded->map;
  }
  if (!diagnostics.has_errors() &&
      (!options.verify || psi::verify(loaded->module, diagnostics, verify_options))) {
    return loaded;
  }
  if (is_llvm) report_bug("the imported module does not verify");
  fmt::print(stderr, "{}",
             psi::render(diagnostics, loaded->path, is_llvm ? std::string_view() : loaded->text,
                         colour_wanted(STDERR_FILENO)));
  return nullptr;
}

std::optional<std::vector<const psi::Function*>> choose_functions(const Loaded& loaded,
                                                                  std::string_view name) {
  const psi::Module& module = loaded.module;
  std::vector<const psi::Function*> functions;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = module.function(symbol);
    if (!name.empty() && module.name(symbol) != name) continue;
    if (!function.is_declaration()) functions.push_back(&function);
  }
  if (!functions.empty()) return functions;
  if (name.empty()) {
    error(fmt::format("{} has no function to look at", loaded.path));
  } else {
    bool is_declared = module.find_function(name) != nullptr;
    error(is_declared ? fmt::format("${} has no body to look at", name)
                      : fmt::format("{} has no function ${}", loaded.path, name));
  }
  return std::nullopt;
}

bool write_module(const Loaded& loaded, const std::string& path, bool export_all) {
  if (!is_llvm_path(path)) return write_file(path, psi::print(loaded.module));
  if (loaded.llvm) return write_llvm(loaded, path, export_all);
  error(fmt::format("{}: only what was LLVM IR or C can be written as LLVM IR", path));
  return false;
}

std::optional<psi::PassList> load_passes(const psi::PassTable& table, const std::string& list) {
  psi::PassListError error;
  std::optional<psi::PassList> passes = psi::parse_passes(table, list, error);
  if (passes) return passes;
  psi::Diagnostics diagnostics;
  diagnostics.error({1, static_cast<uint32_t>(error.offset) + 1, static_cast<uint32_t>(error.length)},
                    error.message);
  fmt::print(stderr, "{}", psi::render(diagnostics, "--passes", list, colour_wanted(STDERR_FILENO)));
  return std::nullopt;
}

int finish_passes(const psi::Module& module, const psi::PipelineResult& result) {
  switch (result.status) {
    case psi::PipelineResult::Status::Ok:
      return kFine;
    case psi::PipelineResult::Status::WrongForm:
      error(result.message);
      return kUsage;
    case psi::PipelineResult::Status::Broken:
      break;
  }
  report_bug(result.message);
  fmt::print(stderr, "{}before '{}', ${} was:\n{}",
             psi::render(result.diagnostics, "after " + result.pass, {}, colour_wanted(STDERR_FILENO)),
             result.pass, module.name(result.function), result.text_before);
  return kBug;
}

}  // namespace psic
