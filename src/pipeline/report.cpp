#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/pipeline.h"

namespace psi {

std::string counters_as_text(const PipelineResult& result) {
  std::string out;
  for (const PassReport& report : result.passes) {
    for (const auto& [name, count] : report.counters.all())
      out += fmt::format("{:>12} {}: {}\n", count, report.pass, name);
  }
  return out;
}

std::string counters_as_json(const PipelineResult& result) {
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const PassReport& report : result.passes) {
    nlohmann::ordered_json counters = nlohmann::ordered_json::object();
    for (const auto& [name, count] : report.counters.all()) counters[name] = count;
    passes.push_back({{"pass", report.pass}, {"counters", std::move(counters)}});
  }
  return nlohmann::ordered_json{{"passes", std::move(passes)}}.dump(2) + "\n";
}

std::string times_as_text(const PipelineResult& result) {
  double total = 0;
  for (const PassReport& report : result.passes) total += report.seconds;
  std::string out;
  auto line = [&](std::string_view name, double seconds) {
    out += fmt::format("{:>10.3f} ms {:>5.1f}% {}\n", seconds * 1e3, total > 0 ? seconds / total * 100 : 0.0,
                       name);
  };
  for (const PassReport& report : result.passes) {
    line(report.pass, report.seconds);
    for (const auto& [step, seconds] : report.steps.all()) line("  " + step, seconds);
  }
  line("total", total);
  return out;
}

}  // namespace psi
