// What the commands of psic share: exit codes, files, messages, loading a module.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/copy_model.h"
#include "psi/generate.h"
#include "psi/llvm.h"
#include "psi/module.h"
#include "psi/pass.h"
#include "psi/pipeline.h"
#include "psi/predicate_engine.h"
#include "psi/text.h"

namespace psic {

enum ExitCode : int {
  kFine = 0,
  kBadInput = 1,  // the input's fault
  kUsage = 2,     // the command line's
  kBug = 3,       // ours
};

// --- Messages (messages.cpp) ---
// Is the stream a terminal that wants colour?
bool colour_wanted(int fd);
void error(std::string_view message);
// An internal error, with how to report it.
void report_bug(std::string_view message);
// Makes crashes and uncaught exceptions end with report_bug and kBug.
void install_crash_handlers();

// --- Files (files.cpp) ---
// The whole file; `-` is standard input. Complains if it cannot be read.
std::optional<std::string> read_file(const std::string& path);
// Writes beside the file and renames, so that a reader sees the old contents or the new; `-` is standard
// output. Complains if it cannot.
bool write_file(const std::string& path, std::string_view contents);

// --- Modules (load.cpp) ---
struct Loaded {
  std::string path;
  std::string text;
  psi::SourceMap map;
  psi::Module module;
  std::shared_ptr<psi::LlvmModule> llvm;  // what it came from, if it was LLVM IR
};
struct LoadOptions {
  bool verify = true;
  std::string import = "ssa";  // LLVM IR: or `plain`
  std::string clang_flags;     // C
};
// --import and --clang-flags.
void add_load_options(CLI::App& command, LoadOptions& options);
// Parses and verifies; prints what is wrong and gives null where something is.
std::unique_ptr<Loaded> load(const std::string& path, const LoadOptions& options = {});
// The functions with a body, or the one of this name; complains if there is none.
std::optional<std::vector<const psi::Function*>> choose_functions(const Loaded& loaded,
                                                                  std::string_view name);
// The module where `-o` says, as LLVM IR if that ends in .ll or .bc.
bool write_module(const Loaded& loaded, const std::string& path, bool export_all = false);

// --- LLVM IR and C (llvm.cpp) ---
bool is_llvm_path(std::string_view path);
bool is_llvm_input(std::string_view path, std::string_view contents);
bool load_llvm(Loaded& loaded, const LoadOptions& options);
bool write_llvm(const Loaded& loaded, const std::string& path, bool export_all);
// Parses the list of passes; prints what is wrong with it, with a caret.
std::optional<psi::PassList> load_passes(const psi::PassTable& table, const std::string& list);
// The exit code for the result, after printing what went wrong.
int finish_passes(const psi::Module& module, const psi::PipelineResult& result);

// --- Machines of the user's (machines.cpp) ---
// --machine.
void add_machine_option(CLI::App& command, std::vector<std::string>& files);
// The built-in machines and those in the files; prints what is wrong with these.
std::optional<psi::TargetTable> load_machines(const std::vector<std::string>& files);
// The same, and the passes, whose options know them.
struct Tables {
  psi::TargetTable targets;
  psi::PassTable passes;
};
std::optional<Tables> load_tables(const std::vector<std::string>& files);

// --- Parts that are loaded when they are needed (modules.cpp) ---
// A module, by the name of its file and in words; null, with a complaint, if this psic was built without it.
void* load_module(std::string_view name, std::string_view what, std::string_view option);
// Makes exact predicate engines; nothing, with a complaint, if this psic was built without. See
// psi/exact_predicates.h for the limit.
std::optional<psi::MakeExactEngine> exact_engine(uint32_t limit);
bool has_exact_engine();
// The least that can be left of the copies, by the solver; nothing if that takes too long. Needs
// has_exact_engine.
std::optional<double> least_copies(const psi::CopyModel& model);

// --- Progress (progress.cpp) ---
// A bar on standard error where that is a terminal; otherwise nothing.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  void show(uint64_t done, uint64_t total, std::string_view detail = {});

 private:
  std::string label_;
  bool terminal_;
  double last_ = -1;
};

// --- Commands, one file each. Each adds itself to the tool and leaves what to do in `action`. ---
using Action = std::function<int()>;
// --shape, which gen and fuzz share (gen.cpp).
CLI::Option* add_shape_option(CLI::App& command, psi::Shape& shape);
void add_check(CLI::App& app, Action& action);
void add_print(CLI::App& app, Action& action);
void add_phis(CLI::App& app, Action& action);
void add_opt(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_gen(CLI::App& app, Action& action);
void add_fuzz(CLI::App& app, Action& action);
void add_reduce(CLI::App& app, Action& action);
void add_predicates(CLI::App& app, Action& action);
void add_liveness(CLI::App& app, Action& action);
void add_grade(CLI::App& app, Action& action);
void add_predicated_ssa(CLI::App& app, Action& action);
void add_passes(CLI::App& app, Action& action);
void add_targets(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

}  // namespace psic
