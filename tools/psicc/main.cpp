#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "psi/version.h"
#include "psicc/plugin_hash.h"
#include "psicc/psicc.h"

namespace psicc {
namespace {

constexpr const char* kClang = "clang-19";

// The plugin is beside psicc in a build, and in the library's folder in an installation.
std::string find_plugin() {
  std::error_code code;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
  for (const std::filesystem::path& path :
       {folder / PSICC_PLUGIN, (folder / PSICC_PLUGIN_FOLDER / PSICC_PLUGIN).lexically_normal()}) {
    if (std::filesystem::exists(path, code)) return path;
  }
  throw Mistake{std::string("there is no ") + PSICC_PLUGIN + " beside psicc or in " +
                (folder / PSICC_PLUGIN_FOLDER).lexically_normal().string()};
}

constexpr const char* kLayout = "enable-ext-tsp-block-placement";
constexpr const char* kLayoutOfAll = "ext-tsp-apply-without-profile";

// LLVM takes an option once.
bool is_given(const Arguments& arguments, std::string_view option) {
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    size_t at = argument.find_first_not_of('-');
    return at != std::string::npos && std::string_view(argument).substr(at).starts_with(option);
  });
}

// Only for the compiler proper: the assembler does not know these options.
void add_plugin(Arguments& command, const Options& options, const std::string& profile) {
  auto add = [&](const std::string& argument) { command.insert(command.end(), {"-Xclang", argument}); };
  auto add_option = [&](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    add("-mllvm");
    add(name + "=" + value);
  };
  std::string plugin = find_plugin();
  command.push_back("--start-no-unused-arguments");
  add("-load");
  add(plugin);
  add("-fpass-plugin=" + plugin);
  add_option("-psi-at", options.at);
  add_option("-psi-mode", options.mode);
  add_option("-psi-passes", options.passes);
  add_option("-psi-target", options.target);
  add_option("-psi-remarks", options.remarks_file);
  add_option("-psi-crash-in", options.crash_in);
  add_option("-psi-profile", profile);
  add_option("-psi-profile-generate", options.profile_generate ? "true" : "");
  add_option("-psi-unpredictable", options.unpredictable ? "true" : "");
  // The better of LLVM's two block layouts with counts. LLVM has no word for it in a function.
  if (!profile.empty() && !is_given(options.for_clang, kLayout)) {
    add_option(std::string("-") + kLayout, "true");
    if (!is_given(options.for_clang, kLayoutOfAll)) add_option(std::string("-") + kLayoutOfAll, "false");
  }
  // Remarks need lines, which clang keeps if it is asked for any.
  if (options.remarks) command.insert(command.end(), {"-Rpass=^psi$", "-Rpass-missed=^psi$"});
  if (!options.remarks_file.empty()) command.push_back("-Rpass=^psi lines$");
  command.push_back("--end-no-unused-arguments");
}

Arguments command_for(const Options& options) {
  Arguments command = {kClang};
  // First, so that the user's own options come after them and win.
  std::string profile = options.clang_profile;
  if (options.profile_generate) {
    command.push_back(options.profile_generate->empty() ? "-fprofile-generate"
                                                        : "-fprofile-generate=" + *options.profile_generate);
  } else if (!options.profile_use.empty() && options.compiles) {
    profile = readable_profile(options.profile_use);
    command.push_back("-fprofile-use=" + profile);
  }
  if (options.is_on && options.compiles) add_plugin(command, options, profile);
  command.insert(command.end(), options.for_clang.begin(), options.for_clang.end());
  return command;
}

int run(const Arguments& arguments) {
  Options options = parse(expand_response_files(arguments));
  if (options.help) std::fputs(help().c_str(), stdout);
  if (options.version) {
    std::printf("psicc %s (psic; plugin %s), with\n", psi::kVersion.data(), PSICC_PLUGIN_HASH);
  }
  if (std::fflush(stdout) != 0) {
    throw Mistake{std::string("cannot write to standard output: ") + std::strerror(errno)};
  }
  Arguments command = command_for(options);
  bool has_plugin = options.is_on && options.compiles;
  options.is_on = false;
  if (has_plugin) return run_with_fallback(command, command_for(options), options.reads_input);
  become(command);
  return 1;
}

}  // namespace
}  // namespace psicc

int main(int argc, char** argv) {
  try {
    return psicc::run(psicc::Arguments(argv + 1, argv + argc));
  } catch (const psicc::Mistake& mistake) {
    std::fprintf(stderr, "psicc: error: %s\n", mistake.message.c_str());
    return 1;
  }
}
