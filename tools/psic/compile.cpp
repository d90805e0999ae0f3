// psic compile: a C file to machine code, through psicc.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "psic/tool.h"

namespace psic {
namespace {

namespace fs = std::filesystem;

struct CompileOptions {
  std::string file;
  std::string output;
  std::string level = "2";
  std::string target = "x86-64";
  std::string mode = "cost";
  std::string passes;
  std::string flags;
  bool assembly = false;
  bool llvm = false;
  bool remarks = false;
};

// It lies beside the tool. Empty, with a complaint, if this psic was built without it.
std::string find_psicc() {
  std::error_code code;
  fs::path path = fs::read_symlink("/proc/self/exe", code).parent_path() / "psicc";
  if (fs::exists(path, code)) return path;
  error("this psic was built without psicc (PSI_LLVM)");
  return {};
}

std::string triple(const std::string& target) {
  return target == "aarch64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

std::string default_output(const CompileOptions& options) {
  std::string_view extension = options.llvm       ? (options.assembly ? ".ll" : ".bc")
                               : options.assembly ? ".s"
                                                  : ".o";
  return fs::path(options.file).filename().replace_extension(extension);
}

// Words between spaces.
void add_flags(std::vector<std::string>& command, const std::string& flags) {
  size_t at = 0;
  while ((at = flags.find_first_not_of(' ', at)) != std::string::npos) {
    size_t end = std::min(flags.find(' ', at), flags.size());
    command.push_back(flags.substr(at, end - at));
    at = end;
  }
}

std::vector<std::string> command_for(const CompileOptions& options, const std::string& psicc,
                                     const std::string& output) {
  std::vector<std::string> command = {psicc, "--target=" + triple(options.target), "-O" + options.level,
                                      "-fpsi-mode=" + options.mode, options.assembly ? "-S" : "-c"};
  if (!options.passes.empty()) command.push_back("-fpsi-passes=" + options.passes);
  if (options.llvm) command.push_back("-emit-llvm");
  if (options.remarks) command.push_back("-fpsi-remarks");
  add_flags(command, options.flags);
  command.insert(command.end(), {options.file, "-o", output});
  return command;
}

// Its exit code; a complaint if it cannot be started or a signal ends it.
int run_command(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    ::execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && WIFEXITED(status)) return WEXITSTATUS(status);
  error(child < 0 ? fmt::format("cannot start psicc: {}", std::strerror(errno))
                  : "psicc was ended by a signal");
  return kBug;
}

int compile(CompileOptions& options) {
  std::string psicc = find_psicc();
  if (psicc.empty()) return kBadInput;
  if (options.output.empty()) options.output = default_output(options);
  if (options.output == "-") return run_command(command_for(options, psicc, "-")) == 0 ? kFine : kBadInput;
  // Under another name until it is whole.
  std::string temporary = fmt::format("{}.{}.tmp", options.output, ::getpid());
  bool is_fine = run_command(command_for(options, psicc, temporary)) == 0;
  std::error_code code;
  if (is_fine) fs::rename(temporary, options.output, code);
  if (is_fine && code) error(fmt::format("cannot write '{}': {}", options.output, code.message()));
  if (!is_fine || code) fs::remove(temporary, code);
  return is_fine && fs::exists(options.output, code) ? kFine : kBadInput;
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compile", "Compile a C file to machine code, through clang and psic");
  auto options = std::make_shared<CompileOptions>();
  command->add_option("FILE", options->file, "The C file, or LLVM IR (.ll, .bc)")->required();
  command->add_option("-o,--output", options->output, "Where to write it; FILE.o if not said")
      ->type_name("FILE");
  command->add_option("-O", options->level, "Level of optimisation, 2 if not said")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"0", "1", "2", "3", "s", "z"}));
  command->add_option("--target", options->target, "The machine: x86-64, if not said, or aarch64")
      ->type_name("NAME")
      ->check(CLI::IsMember({"x86-64", "aarch64"}));
  command
      ->add_option("--mode", options->mode,
                   "Convert branches where it pays (cost) or wherever it is right (all)")
      ->type_name("MODE")
      ->check(CLI::IsMember({"cost", "all"}));
  command->add_option("--passes", options->passes, "psic's passes, in place of the usual ones")
      ->type_name("LIST");
  command->add_option("--clang-flags", options->flags, "Further flags for clang")->type_name("FLAGS");
  command->add_flag("-S", options->assembly, "Write assembly");
  command->add_flag("--emit-llvm", options->llvm, "Write LLVM IR: bitcode, or text with -S");
  command->add_flag("--remarks", options->remarks, "Say what was done, and what was not and why");
  command->callback([=, &action] { action = [=] { return compile(*options); }; });
}

}  // namespace psic
