#include <cstdio>
#include <filesystem>

#include "psi/version.h"
#include "psicc/plugin_hash.h"
#include "psicc/psicc.h"

namespace psicc {
namespace {

constexpr const char* kClang = "clang-19";

// It lies beside psicc where both were built, and in the library's folder where they are installed.
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

// Only the compiler proper is told: the assembler does not know these options.
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
  std::fflush(stdout);
  Arguments command = command_for(options);
  bool has_plugin = options.is_on && options.compiles;
  options.is_on = false;
  if (has_plugin) return run_with_fallback(command, command_for(options), options.reads_input);
  become(std::move(command));
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
