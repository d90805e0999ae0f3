// psic compile: a C file to machine code, through psicc.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "child_process.h"
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

// psicc is beside the tool. Empty, with an error message, if this psic was built without it.
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
  if (options.file == "-") command.insert(command.end(), {"-x", "c"});
  command.insert(command.end(), {options.file, "-o", output});
  return command;
}

// Its exit code; an error message if it cannot be started or a signal ends it.
int run_command(const std::vector<std::string>& command) {
  pid_t child = child_process::start(command);
  if (child < 0) {
    error(fmt::format("cannot start psicc: {}", std::strerror(errno)));
    return kBug;
  }
  ChildProcess ends_with_us(child);
  child_process::Ended ended = child_process::wait_for(child);
  if (ended.error == 0 && ended.signal == 0) return ended.code;
  error("psicc was ended by a signal");
  return kBug;
}

// Does clang compile it, by its name? It would hand other files to the linker.
bool is_source(const std::string& file) {
  constexpr std::array kExtensions = {".c", ".i", ".ll", ".bc", ".cc", ".cpp", ".cxx", ".C", ".ii"};
  return file == "-" || std::ranges::count(kExtensions, fs::path(file).extension().string()) > 0;
}

// What clang would complain of in its words.
int check_input(const CompileOptions& options) {
  if (!is_source(options.file)) {
    error(fmt::format("'{}' is neither C nor LLVM IR by its name (.c, .ll, .bc)", options.file));
    return kBadInput;
  }
  if (options.file != "-" && ::access(options.file.c_str(), R_OK) != 0) {
    error(fmt::format("cannot read '{}': {}", options.file, std::strerror(errno)));
    return kBadInput;
  }
  Tables tables;
  if (int code = load_tables({}, options.passes, tables)) return code;
  return load_passes(tables.passes, options.passes) ? kFine : kUsage;
}

// Into what cannot be replaced: standard output, a device, a pipe. psic writes what clang left in a file,
// since clang takes an output that is full for a bug of its own.
int compile_in_place(const CompileOptions& options, const std::string& psicc) {
  std::error_code code;
  TemporaryFile temporary(fs::temp_directory_path(code) / default_output(options));
  if (run_command(command_for(options, psicc, temporary.path())) != 0) return kBadInput;
  std::optional<std::string> result = read_file(temporary.path());
  return result && write_file(options.output, *result) ? kFine : kBadInput;
}

bool is_in_place(const std::string& output) {
  std::error_code code;
  return output == "-" || (fs::exists(output, code) && !fs::is_regular_file(output, code));
}

int compile(CompileOptions& options) {
  if (int code = check_input(options)) return code;
  std::string psicc = find_psicc();
  if (psicc.empty()) return kBadInput;
  if (options.output.empty()) options.output = default_output(options);
  if (!can_write(options.output)) return kBadInput;
  if (is_in_place(options.output)) return compile_in_place(options, psicc);
  // Under another name until it is whole.
  TemporaryFile temporary(options.output);
  if (run_command(command_for(options, psicc, temporary.path())) != 0) return kBadInput;
  if (temporary.keep()) return kFine;
  error(fmt::format("cannot write '{}': {}", options.output, std::strerror(errno)));
  return kBadInput;
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compile", "Compile a C file to machine code, through clang and psic");
  auto options = std::make_shared<CompileOptions>();
  add_file(*command, options->file, "The C file, or LLVM IR (.ll, .bc)");
  choices(command->add_option("-O", options->level, "Level of optimisation"), {"0", "1", "2", "3", "s", "z"})
      ->capture_default_str();
  choices(command->add_option("--target", options->target, "The target"), {"x86-64", "aarch64"})
      ->capture_default_str();
  choices(command->add_option("--mode", options->mode,
                              "Convert branches where it pays (cost) or wherever it is legal (all)"),
          {"cost", "all"})
      ->capture_default_str();
  add_passes_list(*command, options->passes, "psic's passes, in place of the usual ones");
  command->add_option("--clang-flags", options->flags, "Additional options for clang")
      ->type_name("FLAGS")
      ->group(kInput);
  add_output(*command, options->output, "Where to write; FILE.o by default");
  command->add_flag("-S", options->assembly, "Write assembly")->group(kOutput);
  command->add_flag("--emit-llvm", options->llvm, "Write LLVM IR: bitcode, or text with -S")->group(kOutput);
  command->add_flag("--remarks", options->remarks, "Print what was done, and what was refused and why")
      ->group(kOutput);
  add_examples(*command, {{"psic compile kernel.c -o kernel.o", "an object file"},
                          {"psic compile kernel.c -S --mode=all --remarks -o -", "assembly, and remarks"}});
  command->callback([=, &action] { action = [=] { return compile(*options); }; });
}

}  // namespace psic
