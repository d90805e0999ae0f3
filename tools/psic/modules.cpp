// What is found beside psic: parts that are loaded on demand, and documents.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "psi/exact/copies.h"
#include "psic/tool.h"
#include "psic_exact/exact.h"

namespace psic {
namespace {

// The folder of this program.
std::filesystem::path own_folder() {
  std::error_code code;
  return std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
}

// The module is beside the tool in a build, and in the library's folder in an installation. Empty if it is in
// neither.
std::filesystem::path find_module(std::string_view name) {
  std::error_code code;
  std::filesystem::path folder = own_folder();
  std::string file = fmt::format("{}{}", name, PSIC_MODULE_SUFFIX);
  for (const std::filesystem::path& path : {folder / file, folder / PSIC_MODULE_FOLDER / file}) {
    if (std::filesystem::exists(path, code)) return path;
  }
  return {};
}

}  // namespace

std::string first_document() {
  std::error_code code;
  std::filesystem::path installed =
      (own_folder() / PSIC_DOCUMENT_FOLDER / "docs/README.md").lexically_normal();
  return std::filesystem::exists(installed, code) ? installed.string() : "docs/README.md";
}

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

namespace {

// The result of a function of the solver's module; null, with an error message, if there is no such module.
template <class Get>
auto exact_function(const char* symbol) -> decltype(std::declval<Get>()()) {
  void* module = load_module("psic_exact", "the solver", "PSI_EXACT");
  if (!module) return nullptr;
  auto get = reinterpret_cast<Get>(dlsym(module, symbol));
  return get ? get() : nullptr;
}

}  // namespace

bool has_exact_engine() { return !find_module("psic_exact").empty(); }

std::optional<psi::MakeExactEngine> exact_engine(uint32_t limit) {
  static const auto kMake = exact_function<GetMakeExact>(kMakeExactSymbol);
  if (!kMake) return std::nullopt;
  return [limit](psi::PredicateTerms& terms) { return kMake(terms, limit); };
}

std::optional<double> least_copies(const psi::CopyModel& model) {
  static const auto kLeast = exact_function<GetLeastCopies>(kLeastCopiesSymbol);
  return kLeast ? kLeast(model, psi::kDefaultCopyWork) : std::nullopt;
}

}  // namespace psic
