#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "psi/pipeline/pipeline.h"

namespace psi {

namespace {

using Counts = std::vector<std::pair<std::string, uint64_t>>;

Counts counts_of(const Counters& counters) {
  Counts counts;
  std::ranges::copy_if(counters.all(), std::back_inserter(counts),
                       [](const auto& c) { return c.second > 0; });
  std::ranges::sort(counts);
  return counts;
}

void append_counts(std::string& out, const PassReport& pass, const Counters& counters) {
  for (const auto& [name, count] : counts_of(counters)) {
    out += fmt::format("{:>12} {}: {}\n", count, pass.pass, name);
  }
}

nlohmann::ordered_json counts_as_json(const PassReport& pass, const Counters& counters) {
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (const auto& [name, count] : counts_of(counters)) counts[name] = count;
  return {{"pass", pass.pass}, {"counters", std::move(counts)}};
}

}  // namespace

std::string counters_as_text(const PipelineReport& whole) {
  std::string out;
  for (const PassReport& pass : whole.passes) append_counts(out, pass, pass.counters);
  return out;
}

std::string counters_as_json(const PipelineReport& whole) {
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const PassReport& pass : whole.passes) passes.push_back(counts_as_json(pass, pass.counters));
  return nlohmann::ordered_json{{"passes", std::move(passes)}}.dump(2) + "\n";
}

std::string counters_by_function_as_text(const PipelineReport& whole, const Module& module) {
  std::string out;
  for (const FunctionReport& function : whole.functions) {
    std::string counts;
    for (size_t i = 0; i < function.counters.size(); ++i) {
      append_counts(counts, whole.passes[i], function.counters[i]);
    }
    if (!counts.empty()) out += fmt::format("${}\n{}", module.name(function.function), counts);
  }
  return out;
}

std::string counters_by_function_as_json(const PipelineReport& whole, const Module& module) {
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  for (const FunctionReport& function : whole.functions) {
    nlohmann::ordered_json passes = nlohmann::ordered_json::array();
    for (size_t i = 0; i < function.counters.size(); ++i) {
      passes.push_back(counts_as_json(whole.passes[i], function.counters[i]));
    }
    functions.push_back({{"function", module.name(function.function)}, {"passes", std::move(passes)}});
  }
  return nlohmann::ordered_json{{"functions", std::move(functions)}}.dump(2) + "\n";
}

std::string times_as_text(const PipelineReport& whole) {
  double total = 0;
  for (const PassReport& report : whole.passes) total += report.seconds;
  std::string out;
  auto line = [&](std::string_view name, double seconds) {
    out += fmt::format("{:>10.3f} ms {:>5.1f}% {}\n", seconds * 1e3, total > 0 ? seconds / total * 100 : 0.0,
                       name);
  };
  for (const PassReport& report : whole.passes) {
    line(report.pass, report.seconds);
    for (const auto& [step, seconds] : report.steps.all()) line("  " + step, seconds);
  }
  line("total", total);
  return out;
}

std::string times_as_json(const PipelineReport& whole) {
  constexpr double kMilliseconds = 1e3;
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const PassReport& report : whole.passes) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const auto& [step, seconds] : report.steps.all()) {
      steps.push_back({{"step", step}, {"ms", seconds * kMilliseconds}});
    }
    passes.push_back(
        {{"pass", report.pass}, {"ms", report.seconds * kMilliseconds}, {"steps", std::move(steps)}});
  }
  return nlohmann::ordered_json{{"passes", std::move(passes)}}.dump(2) + "\n";
}

namespace {

// Leaves out repetitions from earlier iterations.
std::vector<const Remark*> distinct(const Remarks& remarks) {
  std::vector<const Remark*> kept;
  std::unordered_set<std::string> seen;
  for (const Remark& remark : remarks.all()) {
    std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", remark.pass, remark.function, remark.subject,
                                  remark.line, remark.message);
    if (seen.insert(std::move(key)).second) kept.push_back(&remark);
  }
  return kept;
}

}  // namespace

std::string remarks_as_text(const PipelineReport& whole) {
  std::string out;
  for (const Remark* remark : distinct(whole.remarks)) {
    out += fmt::format("${}: ", remark->function);
    if (remark->line) out += fmt::format("line {}: ", remark->line);
    out += fmt::format("{}: {}: {}\n", remark->subject, remark->pass, remark->message);
  }
  return out;
}

std::string remarks_as_json(const PipelineReport& whole) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Remark* remark : distinct(whole.remarks)) {
    nlohmann::ordered_json one = {{"kind", remark->kind == Remark::Kind::Done ? "done" : "refused"},
                                  {"pass", remark->pass},
                                  {"function", remark->function},
                                  {"subject", remark->subject}};
    if (remark->line) one["line"] = remark->line;
    one["message"] = remark->message;
    all.push_back(std::move(one));
  }
  return nlohmann::ordered_json{{"remarks", std::move(all)}}.dump(2) + "\n";
}

}  // namespace psi
