// What the commands of psic share: exit codes, loading a module, running passes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/destruct/copy_model.h"
#include "psi/interp/interpret.h"
#include "psi/ir/module.h"
#include "psi/llvm/llvm.h"
#include "psi/pipeline/pass_table.h"
#include "psi/pipeline/pipeline.h"
#include "psi/predicate/engine.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"
#include "psic/options.h"
#include "psic/output.h"

namespace psic {

enum ExitCode : int {
  kFine = 0,
  kBadInput = 1,  // the input's fault
  kUsage = 2,     // the command line's
  kBug = 3,       // ours
};

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
  std::string import = "ssa";                 // LLVM IR: or `plain`
  std::string clang_flags;                    // C
  const psi::TargetTable* targets = nullptr;  // that text may name; null: those of the library
};
// --import and --clang-flags.
void add_load_options(CLI::App& command, LoadOptions& options);
// Parses and verifies; prints errors and returns null on any.
std::unique_ptr<Loaded> load(const std::string& path, const LoadOptions& options = {});
// The functions with a body.
std::vector<const psi::Function*> functions_of(const Loaded& loaded);
// The same, or the one of this name, which may begin with `$`; complains if there is none.
std::optional<std::vector<const psi::Function*>> choose_functions(const Loaded& loaded,
                                                                  std::string_view name);
// The function of this name, declared or with a body; null, with a complaint, if there is none.
const psi::Function* find_function(const Loaded& loaded, std::string_view name);
// Of this name, or `$main` or the only one with a body, if the name is empty; null, with a complaint, if
// there is none.
const psi::Function* choose_body(const Loaded& loaded, std::string_view name);
// Literals as values for the function's parameters; nothing, with a complaint, if they do not fit. C's main
// needs none.
std::optional<std::vector<psi::Value>> read_arguments(const Loaded& loaded, const psi::Function& function,
                                                      std::vector<std::string> texts);
// Prints how the run ended, on standard output what the function returned. The exit code.
int report_outcome(const Loaded& loaded, const psi::Outcome& outcome);
// The block or register of this name, which may begin with its sigil; none, with a complaint, if there is
// none.
psi::BlockId find_block(const psi::Module& module, const psi::Function& function, std::string_view name);
psi::Reg find_register(const psi::Module& module, const psi::Function& function, std::string_view name);
// The module where `-o` says, as LLVM IR if that ends in .ll or .bc.
bool write_module(const Loaded& loaded, const std::string& path, bool export_all = false);

// --- LLVM IR and C (llvm.cpp) ---
bool is_llvm_path(std::string_view path);
bool is_llvm_input(std::string_view path, std::string_view contents);
bool load_llvm(Loaded& loaded, const LoadOptions& options);
bool write_llvm(const Loaded& loaded, const std::string& path, bool export_all);
// Parses the list of passes; prints an error with a caret.
std::optional<psi::PassList> load_passes(const psi::PassTable& table, const std::string& list);
// The passes of -O0, -O1 or -O2.
std::optional<psi::PassList> level_passes(const psi::PassTable& table, const std::string& level,
                                          bool leaves_ssa = true);
// The exit code for the result, after printing any error.
int finish_passes(const psi::Module& module, const psi::PipelineResult& result);

// --- Targets, by name or by the file of their description (target_files.cpp) ---
// A file is read into the table. The exit code, after a complaint if it is not kFine.
int find_target(psi::TargetTable& table, const std::string& name_or_file, const psi::Target*& target);
// --target, for commands that run passes.
void add_target_option(CLI::App& command, std::string& target);
// The targets and the passes. The options of passes know the targets, those in files included that `passes`,
// a list of them, names; where a list does not say one they mean `target`, unless that is empty.
struct Tables {
  psi::TargetTable targets;
  psi::PassTable passes;
};
// The exit code, after a complaint if it is not kFine.
int load_tables(const std::string& target, const std::string& passes, Tables& tables);
// Says so if --target is given and no pass of the list has a target.
void tell_ignored_target(const std::string& target, const psi::PassList& passes);

// --- What is beside psic: documents, and parts that are loaded when they are needed (modules.cpp) ---
// The document to begin with: that of the installation, or its name in the source tree.
std::string first_document();
// A module, by the name of its file and a description; null, with an error message, if this psic was built
// without it.
void* load_module(std::string_view name, std::string_view what, std::string_view option);
// Makes exact predicate engines; nothing, with an error message, if this psic was built without them. See
// psi/exact/predicates.h for the limit.
std::optional<psi::MakeExactEngine> exact_engine(uint32_t limit);
bool has_exact_engine();
// The optimum of the copies, by the solver; nothing if that takes too long. Needs has_exact_engine.
std::optional<double> least_copies(const psi::CopyModel& model);

// --- Commands, one file each. Each adds itself to the tool and stores its work in `action`. ---
using Action = std::function<int()>;
// The largest random program, which takes seconds and a few gigabytes.
inline constexpr uint64_t kMostInstructions = 10'000'000;
// --shape and --pointer, which gen and fuzz share (gen.cpp).
CLI::Option* add_shape_option(CLI::App& command, psi::Shape& shape);
CLI::Option* add_pointer_option(CLI::App& command, unsigned& bits, std::string help);
void add_check(CLI::App& app, Action& action);
void add_print(CLI::App& app, Action& action);
void add_phis(CLI::App& app, Action& action);
void add_explore(CLI::App& app, Action& action);
void add_opt(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_gen(CLI::App& app, Action& action);
void add_fuzz(CLI::App& app, Action& action);
void add_reduce(CLI::App& app, Action& action);
void add_predicates(CLI::App& app, Action& action);
void add_liveness(CLI::App& app, Action& action);
void add_grade(CLI::App& app, Action& action);
void add_predicated_ssa(CLI::App& app, Action& action);
void add_passes(CLI::App& app, Action& action);
void add_targets(CLI::App& app, Action& action);
void add_check_target(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

}  // namespace psic
