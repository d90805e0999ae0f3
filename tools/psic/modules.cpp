// Parts of psic that are loaded when they are needed.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "psic/tool.h"
#include "psic_exact/exact.h"

namespace psic {
namespace {

// It lies beside the tool where both were built, and in the library's folder where they are installed. Empty
// if it is in neither.
std::filesystem::path find_module(std::string_view name) {
  std::error_code code;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
  std::string file = fmt::format("{}{}", name, PSIC_MODULE_SUFFIX);
  for (const std::filesystem::path& path : {folder / file, folder / PSIC_MODULE_FOLDER / file}) {
    if (std::filesystem::exists(path, code)) return path;
  }
  return {};
}

}  // namespace

void* load_module(std::string_view name, std::string_view what, std::string_view option) {
  std::filesystem::path path = find_module(name);
  if (path.empty()) {
    error(fmt::format("this psic was built without {} ({})", what, option));
    return nullptr;
  }
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) error(fmt::format("{} does not load: {}", what, dlerror()));
  return module;
}

bool has_exact_engine() { return !find_module("psic_exact").empty(); }

std::optional<psi::MakeExactEngine> exact_engine(uint32_t limit) {
  static const MakeExact kMake = []() -> MakeExact {
    void* module = load_module("psic_exact", "the exact predicate engine", "PSI_EXACT");
    if (!module) return nullptr;
    auto get = reinterpret_cast<GetMakeExact>(dlsym(module, kMakeExactSymbol));
    return get ? get() : nullptr;
  }();
  if (!kMake) return std::nullopt;
  return [limit](psi::PredicateTerms& terms) { return kMake(terms, limit); };
}

}  // namespace psic
