// psic targets: the table of targets, and one description in full.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/target/target.h"
#include "psic/tool.h"

namespace psic {
namespace {

using Json = nlohmann::ordered_json;

struct TargetsOptions {
  std::string name;
  bool json = false;
};

Json range_json(const psi::LiteralRange& range) { return {{"min", range.min}, {"max", range.max}}; }

Json address_json(const psi::AddressingModes& addressing) {
  Json offsets = Json::array(), scales = Json::array();
  for (const psi::OffsetRange& offset : addressing.offsets) {
    Json json = range_json(offset.range);
    json["scaled"] = offset.scaled;
    json["extended"] = offset.extended;
    offsets.push_back(json);
  }
  for (int bit = 0; bit < 64; ++bit) {
    if (addressing.scales >> bit & 1) scales.push_back(uint64_t{1} << bit);
  }
  return {{"index", addressing.index},
          {"index_with_offset", addressing.index_with_offset},
          {"any_scale", addressing.any_scale},
          {"scales", scales},
          {"scale_by_size", addressing.scale_by_size},
          {"address_of", addressing.address_of},
          {"offsets", offsets}};
}

Json target_json(const psi::Target& target) {
  Json guards = Json::array(), redirected = Json::array(), actions = Json::array();
  Json units = Json::object(), latencies = Json::object(), registers = Json::object(),
       immediates = Json::object();
  for (int i = 0; i < psi::kNumGenericOpcodes; ++i) {
    psi::Opcode op = static_cast<psi::Opcode>(i);
    if (target.redirects(op)) redirected.push_back(psi::info(op).name);
    if (target.can_guard(op) && !target.redirects(op)) guards.push_back(psi::info(op).name);
  }
  for (int i = 0; i < 8; ++i) {
    psi::Action action = static_cast<psi::Action>(i);
    if (target.has_action(action)) actions.push_back(psi::action_name(action));
  }
  for (int i = 0; i < psi::kNumUnits; ++i) {
    psi::Unit unit = static_cast<psi::Unit>(i);
    units[std::string(psi::unit_name(unit))] = target.num_units(unit);
  }
  for (int i = 0; i < psi::kNumOpGroups; ++i) {
    psi::OpGroup group = static_cast<psi::OpGroup>(i);
    std::string name(psi::group_name(group));
    latencies[name] = target.has(group) ? Json(target.latency(group)) : Json();
    const std::optional<psi::LiteralRange>& range = target.immediates[static_cast<size_t>(i)];
    if (range) immediates[name] = range_json(*range);
  }
  for (int i = 0; i < psi::kNumRegisterKinds; ++i) {
    psi::RegisterKind kind = static_cast<psi::RegisterKind>(i);
    const psi::RegisterClass& registers_of_kind = target.register_class(kind);
    registers[std::string(psi::register_kind_name(kind))] = {{"count", registers_of_kind.count},
                                                             {"prefix", registers_of_kind.prefix}};
  }
  return {{"name", target.name},
          {"summary", target.summary},
          {"predication", psi::predication_name(target.predication())},
          {"guards", guards},
          {"redirected", redirected},
          {"select", target.has_select},
          {"cmpp", actions},
          {"free_complement", target.free_complement},
          {"out_of_order", target.out_of_order},
          {"issue_width", target.issue_width},
          {"units", units},
          {"latencies", latencies},
          {"branch", {{"taken", target.branch_cost}, {"mispredicted", target.misprediction}}},
          {"registers", registers},
          {"immediates", immediates},
          {"address", address_json(target.addressing)}};
}

int show_targets(const TargetsOptions& options) {
  psi::TargetTable table = psi::TargetTable::builtin();
  if (!options.name.empty()) {
    const psi::Target* target = nullptr;
    if (int code = find_target(table, options.name, target)) return code;
    put("{}", options.json ? target_json(*target).dump(2) + "\n" : psi::print(*target));
    return kFine;
  }
  Json all = Json::array();
  for (const psi::Target& target : table.all()) {
    if (options.json) {
      all.push_back(target_json(target));
    } else {
      put("{:<10} {:<8} {}\n", target.name, psi::predication_name(target.predication()), target.summary);
    }
  }
  if (options.json) put("{}\n", all.dump(2));
  return kFine;
}

}  // namespace

void add_targets(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("targets", "List the targets that passes know, or explain one");
  auto options = std::make_shared<TargetsOptions>();
  command->add_option("TARGET", options->name,
                      "The target to explain, as a description with comments: its name, or a file");
  add_json(*command, options->json);
  add_examples(*command, {{"psic targets", "their names, and how they predicate"},
                          {"psic targets st200 > mine.target", "a description to change"}});
  command->callback([=, &action] { action = [=] { return show_targets(*options); }; });
}

}  // namespace psic
