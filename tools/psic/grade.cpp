// psic grade: what the ways out of SSA form leave, and what the best of all would.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "psi/copy_model.h"
#include "psi/destruct.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct GradeOptions {
  std::vector<std::string> files;
  std::string passes = "construct";
  std::string function;
  uint64_t max_size = 200;
  bool optimum = true;
  bool each = false;
  bool json = false;
  std::string output = "-";
  LoadOptions load;
};

struct Method {
  std::string name;
  psi::DestructOptions options;
};

// The first is the one that others are held against.
std::vector<Method> methods() {
  std::vector<Method> all;
  auto add = [&](psi::PhiMethod method) {
    all.push_back({std::string(psi::phi_method_name(method)), {.method = method}});
  };
  add(psi::PhiMethod::Unified);
  all.push_back({"unified, coalescing only", {.sink = false, .share = false}});
  for (psi::PhiMethod method : {psi::PhiMethod::Boissinot, psi::PhiMethod::Briggs, psi::PhiMethod::Sreedhar3,
                                psi::PhiMethod::Sreedhar2, psi::PhiMethod::Naive}) {
    add(method);
  }
  return all;
}

// Weights are in hundredths of an execution.
struct Figures {
  uint64_t copies = 0, constants = 0, temporaries = 0;
  uint64_t weight = 0;
  uint64_t weight_where_known = 0;  // in functions whose optimum is known
  uint64_t num_better = 0;          // functions in which it left less than the first method

  void add(const Figures& other) {
    copies += other.copies;
    constants += other.constants;
    temporaries += other.temporaries;
    weight += other.weight;
    weight_where_known += other.weight_where_known;
    num_better += other.num_better;
  }
};

struct Grade {
  std::string name;
  std::vector<Figures> methods;
  std::optional<uint64_t> optimum;
};

class GradeCommand {
 public:
  GradeCommand(const GradeOptions& options, psi::PassList passes)
      : options_(options),
        passes_(std::move(passes)),
        methods_(methods()),
        has_optimum_(options.optimum && has_exact_engine()) {}

  int run() {
    for (const std::string& file : options_.files) {
      std::unique_ptr<Loaded> loaded = load(file, options_.load);
      if (!loaded) return kBadInput;
      auto functions = choose_functions(*loaded, options_.function);
      if (!functions) return kBadInput;
      for (const psi::Function* original : *functions) {
        psi::Function function = *original;
        if (!make_ssa(loaded->module, function)) return kUsage;
        std::string name = fmt::format("${}", loaded->module.name(function.symbol));
        if (options_.files.size() > 1) name += fmt::format(" in {}", loaded->path);
        grades_.push_back(grade(std::move(name), function));
      }
    }
    return write_file(options_.output, options_.json ? as_json() : as_text()) ? kFine : kBadInput;
  }

 private:
  bool make_ssa(const psi::Module& module, psi::Function& function) const {
    if (is_ssa(function.form)) return true;
    psi::Analyses analyses(function);
    psi::Counters counters;
    psi::StepTimes times;
    for (const psi::PassCall& call : passes_) {
      if (!call.pass->accepts(function.form)) {
        error(fmt::format("pass '{}' cannot work on ${} in {} form", call.pass->name,
                          module.name(function.symbol), psi::form_name(function.form)));
        return false;
      }
      psi::PassContext context{module, function, analyses, call.arguments, counters, times};
      call.pass->run(context);
      if (call.pass->makes) function.form = *call.pass->makes;
      analyses.drop(call.pass->keeps);
    }
    if (is_ssa(function.form)) return true;
    error(fmt::format("--passes leaves ${} in {} form, not in SSA form", module.name(function.symbol),
                      psi::form_name(function.form)));
    return false;
  }

  Grade grade(std::string name, const psi::Function& ssa) const {
    Grade grade{std::move(name), {}, optimum(ssa)};
    for (const Method& method : methods_) {
      psi::Function function = ssa;
      psi::Analyses analyses(function);
      psi::Counters counters;
      psi::StepTimes times;
      psi::destruct(function, analyses, method.options, counters, times);
      Figures figures;
      figures.copies = counters["copies left"];
      figures.constants = counters["constants left"] + counters["slot addresses left"];
      figures.temporaries = counters["temporaries"];
      figures.weight = counters["copies left weighted"];
      if (grade.optimum) figures.weight_where_known = figures.weight;
      if (!grade.methods.empty()) figures.num_better = figures.weight < grade.methods[0].weight;
      grade.methods.push_back(figures);
    }
    return grade;
  }

  std::optional<uint64_t> optimum(const psi::Function& ssa) const {
    if (!has_optimum_) return std::nullopt;
    uint64_t size = 0;
    for (psi::BlockId b : ssa.layout()) size += ssa.insts(b).size();
    if (size > options_.max_size) return std::nullopt;
    std::optional<uint64_t> best;
    for (psi::PsiCopies psis : {psi::PsiCopies::AtOnce, psi::PsiCopies::InSteps}) {
      std::optional<double> least = least_copies(psi::copy_model(ssa, methods_[0].options, psis));
      if (!least) return std::nullopt;
      auto hundredths = static_cast<uint64_t>(std::llround(*least * 100));
      best = best ? std::min(*best, hundredths) : hundredths;
    }
    return best;
  }

  // --- Output ---

  Grade sums() const {
    Grade sums{"", std::vector<Figures>(methods_.size()), std::nullopt};
    for (const Grade& grade : grades_) {
      for (size_t i = 0; i < methods_.size(); ++i) sums.methods[i].add(grade.methods[i]);
      if (grade.optimum) sums.optimum = sums.optimum.value_or(0) + *grade.optimum;
    }
    return sums;
  }

  std::string as_text() const {
    std::string out;
    if (options_.each) {
      for (const Grade& grade : grades_) out += grade.name + '\n' + table(grade) + '\n';
    }
    auto num_known = std::count_if(grades_.begin(), grades_.end(), [](const Grade& g) { return g.optimum; });
    out += fmt::format("{} functions", grades_.size());
    if (has_optimum_) out += fmt::format("; the optimum is known of {}", num_known);
    out += '\n' + table(sums());
    for (const Grade& grade : grades_) {
      auto less = [](const Figures& a, const Figures& b) { return a.weight < b.weight; };
      auto best = std::min_element(grade.methods.begin(), grade.methods.end(), less);
      if (best == grade.methods.begin()) continue;
      out += fmt::format("worse than {}: {} {} > {}\n", methods_[best - grade.methods.begin()].name,
                         grade.name, decimal(grade.methods[0].weight), decimal(best->weight));
    }
    return out;
  }

  std::string table(const Grade& grade) const {
    auto line = [&](std::string_view name, std::string_view copies, std::string_view constants,
                    std::string_view temporaries, std::string_view weight, std::string_view known,
                    std::string_view better) {
      std::string known_column = has_optimum_ ? fmt::format(" {:>12}", known) : "";
      std::string text = fmt::format("  {:<24} {:>8} {:>10} {:>12} {:>12}{} {:>7}", name, copies, constants,
                                     temporaries, weight, known_column, better);
      return text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
    };
    std::string out = line("", "copies", "constants", "temporaries", "weighted", "where known", "better");
    for (size_t i = 0; i < methods_.size(); ++i) {
      const Figures& f = grade.methods[i];
      out += line(methods_[i].name, std::to_string(f.copies), std::to_string(f.constants),
                  std::to_string(f.temporaries), decimal(f.weight), decimal(f.weight_where_known),
                  i == 0 ? "" : std::to_string(f.num_better));
    }
    if (grade.optimum) out += line("optimum", "", "", "", "", decimal(*grade.optimum), "");
    return out;
  }

  static std::string decimal(uint64_t hundredths) {
    return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  }

  std::string as_json() const {
    nlohmann::ordered_json functions = nlohmann::ordered_json::array();
    for (const Grade& grade : grades_) {
      functions.push_back({{"name", grade.name}});
      functions.back().update(figures_as_json(grade));
    }
    nlohmann::ordered_json all{{"functions", std::move(functions)}, {"sums", figures_as_json(sums())}};
    return all.dump(2) + '\n';
  }

  nlohmann::ordered_json figures_as_json(const Grade& grade) const {
    nlohmann::ordered_json figures;
    for (size_t i = 0; i < methods_.size(); ++i) {
      const Figures& f = grade.methods[i];
      figures[methods_[i].name] = {{"copies", f.copies},
                                   {"constants", f.constants},
                                   {"temporaries", f.temporaries},
                                   {"weighted", static_cast<double>(f.weight) / 100},
                                   {"better", f.num_better}};
      if (grade.optimum) {
        figures[methods_[i].name]["weighted where known"] = static_cast<double>(f.weight_where_known) / 100;
      }
    }
    nlohmann::ordered_json result{{"methods", std::move(figures)}, {"optimum", nullptr}};
    if (grade.optimum) result["optimum"] = static_cast<double>(*grade.optimum) / 100;
    return result;
  }

  const GradeOptions& options_;
  psi::PassList passes_;
  std::vector<Method> methods_;
  bool has_optimum_;
  std::vector<Grade> grades_;
};

int grade(const GradeOptions& options) {
  std::optional<psi::PassList> passes = load_passes(psi::PassTable::builtin(), options.passes);
  if (!passes) return kUsage;
  return GradeCommand(options, std::move(*passes)).run();
}

}  // namespace

void add_grade(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("grade", "Compare the ways out of SSA form, and the optimum");
  auto options = std::make_shared<GradeOptions>();
  command->add_option("FILE", options->files, "The files to look at")->required();
  command->add_option("--passes", options->passes, "How functions in plain form get into SSA form")
      ->type_name("LIST")
      ->capture_default_str();
  command->add_option("--func", options->function, "Only this function")->type_name("NAME");
  command->add_flag("--each", options->each, "Also a table for each function");
  command
      ->add_option("--max-size", options->max_size,
                   "The optimum only of functions of at most so many instructions")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("!--no-optimum", options->optimum, "Without the optimum");
  command->add_flag("--json", options->json, "As JSON, with all functions");
  command->add_option("-o,--output", options->output, "Where to write")->type_name("FILE");
  add_load_options(*command, options->load);
  command->callback([=, &action] { action = [=] { return grade(*options); }; });
}

}  // namespace psic
