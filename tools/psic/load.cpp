#include <fmt/format.h>
#include <unistd.h>

#include "psi/verify.h"
#include "psic/tool.h"

namespace psic {

std::unique_ptr<Loaded> load(const std::string& path, bool verify) {
  auto loaded = std::make_unique<Loaded>();
  loaded->path = path == "-" ? "<stdin>" : path;
  std::optional<std::string> text = read_file(path);
  if (!text) return nullptr;
  loaded->text = std::move(*text);

  psi::Diagnostics diagnostics;
  std::optional<psi::Module> module = psi::parse(loaded->text, diagnostics, &loaded->map);
  if (module) {
    loaded->module = std::move(*module);
    psi::VerifyOptions options;
    options.map = &loaded->map;
    if (!verify || psi::verify(loaded->module, diagnostics, options)) return loaded;
  }
  fmt::print(stderr, "{}",
             psi::render(diagnostics, loaded->path, loaded->text, colour_wanted(STDERR_FILENO)));
  return nullptr;
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
