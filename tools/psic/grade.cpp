// psic grade: the copies that each method of SSA destruction leaves, and the optimum of coalescing.
#include "psi/destruct/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "psi/testing/reduce.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct GradeOptions {
  std::vector<std::string> files;
  std::string passes = "construct";
  const CLI::Option* passes_option = nullptr;
  std::string function;
  uint64_t max_size = 200;
  const CLI::Option* max_size_option = nullptr;
  bool optimum = true;
  bool each = false;
  bool json = false;
  std::string output = "-";
  LoadOptions load;
  std::string target;
};

struct NamedGrade {
  std::string name;
  psi::Grade grade;
};

class GradeCommand {
 public:
  GradeCommand(const GradeOptions& options, const Tables& tables, psi::PassList passes)
      : options_(options),
        passes_(std::move(passes)),
        methods_(psi::graded_methods()),
        has_optimum_(options.optimum && has_exact_engine()) {
    pipeline_.targets = &tables.targets;
  }

  int run() {
    Interruptible interruptible;
    for (const std::string& file : options_.files) {
      std::unique_ptr<Loaded> loaded = load(file, options_.load);
      if (!loaded) return kBadInput;
      auto functions = choose_functions(*loaded, options_.function);
      if (!functions) return kBadInput;
      for (const psi::Function* original : *functions) {
        if (is_interrupted()) break;
        psi::Function function = *original;
        if (int code = make_ssa(*loaded, function)) return code;
        std::string name = fmt::format("${}", loaded->module.name(function.symbol));
        if (options_.files.size() > 1) name += fmt::format(" in {}", loaded->path);
        grades_.push_back({std::move(name), grade(function)});
      }
    }
    tell_what_is_ignored();
    bool is_written = write_file(options_.output, options_.json ? as_json() : as_text());
    if (is_interrupted()) {
      say("psic: {} after {}\n", interruption(), counted(grades_.size(), "function"));
      end_by_signal();
    }
    return is_written ? kFine : kBadInput;
  }

 private:
  // What is in SSA form already goes through the passes that follow its construction.
  int make_ssa(const Loaded& loaded, psi::Function& function) {
    psi::PassList passes = passes_;
    if (is_ssa(function.form)) {
      auto fits = [&](const psi::PassCall& call) { return call.pass->accepts(function.form); };
      auto first = std::ranges::find_if(passes, fits);
      if (first != passes.begin()) ++num_in_ssa_;
      passes.erase(passes.begin(), first);
    }
    psi::PipelineResult result = psi::run_passes(loaded.module, function, passes, pipeline_);
    if (int code = finish_passes(loaded.module, result)) return code;
    if (is_ssa(function.form)) return kFine;
    error(fmt::format("--passes leaves ${} in {} form, not in SSA form", loaded.module.name(function.symbol),
                      psi::form_name(function.form)));
    return kUsage;
  }

  psi::Grade grade(const psi::Function& ssa) {
    bool is_small = psi::count_instructions(ssa) <= options_.max_size;
    if (has_optimum_ && !is_small) ++num_large_;
    return psi::grade(ssa, methods_, has_optimum_ && is_small ? least_copies : psi::LeastCopies());
  }

  void tell_what_is_ignored() const {
    tell_ignored_target(options_.target, passes_);
    if (!options_.optimum && options_.max_size_option->count() > 0) {
      say("psic: note: --max-size changes nothing with --no-optimum\n");
    }
    if (num_in_ssa_ > 0 && options_.passes_option->count() > 0) {
      say("psic: note: {} of {} functions are in SSA form already: '{}' is not run on them\n", num_in_ssa_,
          grades_.size(), passes_.front().text);
    }
    if (options_.optimum && !has_optimum_) {
      say("psic: note: this psic was built without the solver (PSI_EXACT): without the optimum\n");
    }
    if (num_large_ > 0) {
      say("psic: note: {} of {} functions have more than {} instructions: without the optimum (--max-size)\n",
          num_large_, grades_.size(), options_.max_size);
    }
    if (!options_.json || !options_.each) return;
    say("psic: note: --json has a table for each function anyway: without --each\n");
  }

  // --- Output ---

  psi::Grade sums() const {
    std::vector<psi::Grade> grades;
    for (const NamedGrade& named : grades_) grades.push_back(named.grade);
    return psi::sum_of(grades, methods_.size());
  }

  std::string as_text() const {
    std::string out;
    if (options_.each) {
      for (const NamedGrade& named : grades_) out += named.name + '\n' + table(named.grade) + '\n';
    }
    auto num_known =
        std::ranges::count_if(grades_, [](const NamedGrade& n) { return n.grade.optimum.has_value(); });
    auto num_beaten =
        std::ranges::count_if(grades_, [](const NamedGrade& n) { return n.grade.is_optimum_beaten; });
    out += counted(grades_.size(), "function");
    if (has_optimum_) out += fmt::format("; the optimum of coalescing is known of {}", num_known);
    if (num_beaten > 0) out += fmt::format(", and beaten in {} more", num_beaten);
    out += '\n' + table(sums());
    for (const NamedGrade& named : grades_) {
      const std::vector<psi::CopyStatistics>& statistics = named.grade.methods;
      auto best = std::ranges::min_element(statistics, {}, &psi::CopyStatistics::weight);
      if (best == statistics.begin()) continue;
      out += fmt::format("worse than {}: {} {} > {}\n",
                         methods_[static_cast<size_t>(best - statistics.begin())].name, named.name,
                         decimal(statistics[0].weight), decimal(best->weight));
    }
    return out;
  }

  std::string table(const psi::Grade& grade) const {
    auto line = [&](std::string_view name, std::string_view copies, std::string_view constants,
                    std::string_view temporaries, std::string_view weight, std::string_view known,
                    std::string_view better) {
      std::string known_column = grade.optimum ? fmt::format(" {:>12}", known) : "";
      std::string text = fmt::format("  {:<24} {:>8} {:>10} {:>12} {:>12}{} {:>7}", name, copies, constants,
                                     temporaries, weight, known_column, better);
      return text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
    };
    std::string out = line("", "copies", "constants", "temporaries", "weighted", "where known", "better");
    for (size_t i = 0; i < methods_.size(); ++i) {
      const psi::CopyStatistics& f = grade.methods[i];
      out += line(methods_[i].name, std::to_string(f.copies), std::to_string(f.constants),
                  std::to_string(f.temporaries), decimal(f.weight), decimal(f.weight_where_known),
                  i == 0 ? "" : std::to_string(f.num_better));
    }
    if (grade.optimum) out += line("optimum of coalescing", "", "", "", "", decimal(*grade.optimum), "");
    return out;
  }

  static std::string decimal(uint64_t hundredths) {
    return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  }

  std::string as_json() const {
    nlohmann::ordered_json functions = nlohmann::ordered_json::array();
    for (const NamedGrade& named : grades_) {
      functions.push_back({{"name", named.name}});
      functions.back().update(statistics_as_json(named.grade));
    }
    nlohmann::ordered_json all{{"functions", std::move(functions)}, {"sums", statistics_as_json(sums())}};
    return all.dump(2) + '\n';
  }

  nlohmann::ordered_json statistics_as_json(const psi::Grade& grade) const {
    nlohmann::ordered_json statistics;
    for (size_t i = 0; i < methods_.size(); ++i) {
      const psi::CopyStatistics& f = grade.methods[i];
      statistics[methods_[i].name] = {{"copies", f.copies},
                                      {"constants", f.constants},
                                      {"temporaries", f.temporaries},
                                      {"weighted", static_cast<double>(f.weight) / 100},
                                      {"better", f.num_better}};
      if (grade.optimum) {
        statistics[methods_[i].name]["weighted where known"] =
            static_cast<double>(f.weight_where_known) / 100;
      }
    }
    nlohmann::ordered_json result{{"methods", std::move(statistics)}, {"optimum of coalescing", nullptr}};
    if (grade.optimum) result["optimum of coalescing"] = static_cast<double>(*grade.optimum) / 100;
    return result;
  }

  const GradeOptions& options_;
  psi::PassList passes_;
  psi::PipelineOptions pipeline_;
  std::vector<psi::GradedMethod> methods_;
  bool has_optimum_;
  std::vector<NamedGrade> grades_;
  uint64_t num_in_ssa_ = 0, num_large_ = 0;
};

int grade(const GradeOptions& options) {
  Tables tables;
  if (int code = load_tables(options.target, options.passes, tables)) return code;
  std::optional<psi::PassList> passes = load_passes(tables.passes, options.passes);
  if (!passes) return kUsage;
  return GradeCommand(options, tables, std::move(*passes)).run();
}

}  // namespace

void add_grade(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("grade", "Compare the methods of SSA destruction");
  auto options = std::make_shared<GradeOptions>();
  command->add_option("FILE", options->files, "The files to look at")->required();
  options->passes_option =
      add_passes_list(*command, options->passes, "The passes to run first, into SSA form")
          ->capture_default_str();
  add_function(*command, options->function);
  options->max_size_option =
      add_number<uint64_t>(*command, "--max-size", options->max_size, 0, 100'000,
                           "Look for the optimum of coalescing in functions of at most so many instructions");
  command->add_flag("!--no-optimum", options->optimum, "Without the optimum");
  add_load_options(*command, options->load);
  add_target_option(*command, options->target);
  add_output(*command, options->output);
  command->add_flag("--each", options->each, "Also a table for each function")->group(kOutput);
  add_json(*command, options->json);
  add_examples(*command, {{"psic grade program.psi", "copies that each method leaves"},
                          {"psic grade --passes=construct,O2,if-convert --target=playdoh program.psi",
                           "the same after if-conversion"}});
  command->callback([=, &action] { action = [=] { return grade(*options); }; });
}

}  // namespace psic
