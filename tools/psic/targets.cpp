// psic targets: the table of machine descriptions.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/target.h"
#include "psic/tool.h"

namespace psic {
namespace {

std::string offsets(const psi::AddressingModes& addressing) {
  std::string text;
  for (const psi::OffsetRange& range : addressing.offsets) {
    text += text.empty() ? "" : ", ";
    text += range.range.max == INT64_MAX ? std::string("any")
                                         : fmt::format("{}..{}", range.range.min, range.range.max);
    if (range.scaled) text += " * size";
    if (range.extended) text += " (extended)";
  }
  return text.empty() ? "none" : text;
}

std::string scales(const psi::AddressingModes& addressing) {
  if (!addressing.index) return "none";
  std::string text = addressing.any_scale ? "any" : "1";
  if (addressing.max_scale > 1) text = fmt::format("1..{}", addressing.max_scale);
  if (addressing.scale_by_size) text += " or size";
  return text + (addressing.index_with_offset ? ", with offset" : "");
}

void print_targets() {
  for (const psi::Target& target : psi::targets()) {
    fmt::print("{:<10} {}\n", target.name, target.summary);
    fmt::print("  {:<14} {}\n", "predication", psi::predication_name(target.predication()));
    fmt::print("  {:<14} {}\n", "issue width", target.issue_width);
    fmt::print("  {:<14} integer {}, multiply {}, load {}, floating {}\n", "latencies",
               target.latency(psi::OpGroup::Integer), target.latency(psi::OpGroup::Multiply),
               target.latency(psi::OpGroup::Load), target.latency(psi::OpGroup::Float));
    fmt::print("  {:<14} {}\n", "offset", offsets(target.addressing));
    fmt::print("  {:<14} {}\n", "scaled index", scales(target.addressing));
  }
}

void print_targets_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const psi::Target& target : psi::targets()) {
    nlohmann::ordered_json ranges = nlohmann::ordered_json::array();
    for (const psi::OffsetRange& range : target.addressing.offsets) {
      ranges.push_back({{"min", range.range.min},
                        {"max", range.range.max},
                        {"scaled", range.scaled},
                        {"extended", range.extended}});
    }
    all.push_back({{"name", target.name},
                   {"summary", target.summary},
                   {"predication", psi::predication_name(target.predication())},
                   {"issue_width", target.issue_width},
                   {"latencies",
                    {{"integer", target.latency(psi::OpGroup::Integer)},
                     {"multiply", target.latency(psi::OpGroup::Multiply)},
                     {"load", target.latency(psi::OpGroup::Load)},
                     {"floating", target.latency(psi::OpGroup::Float)}}},
                   {"index", target.addressing.index},
                   {"index_with_offset", target.addressing.index_with_offset},
                   {"any_scale", target.addressing.any_scale},
                   {"max_scale", target.addressing.max_scale},
                   {"scale_by_size", target.addressing.scale_by_size},
                   {"address_of", target.addressing.address_of},
                   {"offsets", ranges}});
  }
  fmt::print("{}\n", all.dump(2));
}

}  // namespace

void add_targets(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("targets", "List the machines that passes know, and what they can do");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON");
  command->callback([=, &action] {
    action = [=] {
      *json ? print_targets_json() : print_targets();
      return static_cast<int>(kFine);
    };
  });
}

}  // namespace psic
