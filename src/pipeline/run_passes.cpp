// The pass scope: around every pass on every function it dumps, times, checks the form, and verifies.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "psi/pipeline.h"
#include "psi/text.h"

namespace psi {
namespace {

bool wanted(const std::vector<std::string>& names, const std::string& pass) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == "all" || name == pass; });
}

class PassScope {
 public:
  PassScope(Module& module, const PassList& passes, const PipelineOptions& options)
      : module_(module), passes_(passes), options_(options) {
    for (const PassCall& call : passes) result_.passes.push_back({call.text, 0, {}, {}});
  }

  PipelineResult run() {
    for (SymbolId symbol : module_.declarations()) {
      if (module_.kind(symbol) != SymbolKind::Function || module_.function(symbol).is_declaration()) continue;
      Function& function = module_.function(symbol);
      Analyses analyses(function);
      for (size_t i = 0; i < passes_.size(); ++i) {
        if (!run_one(passes_[i], result_.passes[i], function, analyses)) return std::move(result_);
      }
    }
    return std::move(result_);
  }

 private:
  bool run_one(const PassCall& call, PassReport& report, Function& function, Analyses& analyses) {
    const Pass& pass = *call.pass;
    if (!pass.accepts(function.form)) return reject_form(pass, function);
    dump(options_.print_before, pass, "before", function);
    std::string before;
    if (options_.verify_each) before = print(module_, function);

    auto start = std::chrono::steady_clock::now();
    PassContext context{module_, function, analyses, call.arguments, report.counters, report.steps};
    pass.run(context);
    if (pass.makes) function.form = *pass.makes;
    analyses.drop(pass.keeps);
    report.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    dump(options_.print_after, pass, "after", function);
    if (!options_.verify_each) return true;
    VerifyOptions verify_options;
    verify_options.oracle = options_.oracle;
    if (verify(module_, function, result_.diagnostics, verify_options)) return true;
    result_.status = PipelineResult::Status::Broken;
    result_.pass = pass.name;
    result_.function = function.symbol;
    result_.message = fmt::format("pass '{}' broke ${}", pass.name, module_.name(function.symbol));
    result_.text_before = std::move(before);
    return false;
  }

  bool reject_form(const Pass& pass, const Function& function) {
    std::vector<std::string_view> forms;
    for (Form form : pass.needs) forms.push_back(form_name(form));
    result_.status = PipelineResult::Status::WrongForm;
    result_.pass = pass.name;
    result_.function = function.symbol;
    result_.message =
        fmt::format("pass '{}' needs {} form, but ${} is in {} form", pass.name, fmt::join(forms, " or "),
                    module_.name(function.symbol), form_name(function.form));
    return false;
  }

  void dump(const std::vector<std::string>& names, const Pass& pass, std::string_view when,
            const Function& function) {
    if (!options_.dump || !wanted(names, pass.name)) return;
    options_.dump(fmt::format("# {} {} on ${}\n{}", when, pass.name, module_.name(function.symbol),
                              print(module_, function)));
  }

  Module& module_;
  const PassList& passes_;
  const PipelineOptions& options_;
  PipelineResult result_;
};

}  // namespace

PipelineResult run_passes(Module& module, const PassList& passes, const PipelineOptions& options) {
  return PassScope(module, passes, options).run();
}

}  // namespace psi
