#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>

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

namespace {

// What was said before in another round is left out.
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

std::string remarks_as_text(const PipelineResult& result) {
  std::string out;
  for (const Remark* remark : distinct(result.remarks)) {
    out += fmt::format("${}: ", remark->function);
    if (remark->line) out += fmt::format("line {}: ", remark->line);
    out += fmt::format("{}: {}: {}\n", remark->subject, remark->pass, remark->message);
  }
  return out;
}

std::string remarks_as_json(const PipelineResult& result) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Remark* remark : distinct(result.remarks)) {
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
