// psic targets: the table of targets, and one description in full.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/target/description.h"
#include "psi/target/target.h"
#include "psic/tool.h"

namespace psic {
namespace {

using Json = nlohmann::ordered_json;

struct TargetsOptions {
  std::string name;
  bool json = false;
  bool source = false;
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

Json names_of(const psi::TargetDescription& description, std::span<const uint32_t> registers) {
  Json names = Json::array();
  for (uint32_t index : registers) names.push_back(description.registers[index].name);
  return names;
}

Json types_json(std::span<const psi::Type> types) {
  Json names = Json::array();
  for (psi::Type type : types) names.push_back(psi::type_name(type));
  return names;
}

Json class_json(const psi::TargetDescription& description, const psi::SchedulingClass& of) {
  Json alternatives = Json::array();
  for (uint64_t mask : of.alternatives) {
    Json slots = Json::array();
    for (size_t slot = 0; slot < description.slots.size(); ++slot) {
      if (mask >> slot & 1) slots.push_back(description.slots[slot]);
    }
    alternatives.push_back(slots);
  }
  return {{"name", of.name},
          {"slots", alternatives},
          {"latency", of.latency},
          {"busy", of.busy},
          {"words", of.words}};
}

Json instruction_json(const psi::TargetDescription& description, const psi::InstructionEntry& entry) {
  Json forms = Json::array();
  for (uint32_t i = 0; i < entry.num_forms; ++i) {
    forms.push_back(description.instructions->form(entry.first_form + i).name);
  }
  return {{"name", entry.name},
          {"header", entry.header},
          {"meaning", entry.body},
          {"class", description.scheduling_classes[entry.scheduling_class].name},
          {"words", entry.words},
          {"guarded", entry.takes_guard},
          {"by_name", entry.by_name},
          {"opaque", entry.opaque},
          {"text", entry.text},
          {"guarded_text", entry.guarded_text},
          {"forms", forms}};
}

// What a complete description has beyond costs.
Json description_json(const psi::TargetDescription& description) {
  Json classes = Json::array(), scheduling = Json::array(), instructions = Json::array(),
       arguments = Json::array(), results = Json::array();
  for (const psi::MachineRegisterClass& one : description.classes) {
    classes.push_back({{"name", one.name},
                       {"types", types_json(one.types)},
                       {"registers", names_of(description, one.registers)}});
  }
  for (const psi::SchedulingClass& one : description.scheduling_classes) {
    scheduling.push_back(class_json(description, one));
  }
  for (const psi::InstructionEntry& entry : description.entries) {
    instructions.push_back(instruction_json(description, entry));
  }
  auto rules = [&](const std::vector<psi::ArgumentRule>& from, Json& to) {
    for (const psi::ArgumentRule& rule : from) {
      to.push_back({{"types", types_json(rule.types)}, {"registers", names_of(description, rule.registers)}});
    }
  };
  rules(description.convention.arguments, arguments);
  rules(description.convention.results, results);
  return {{"pointer_bits", description.pointer_bits},
          {"clang", description.clang_triple},
          {"classes", classes},
          {"slots", description.slots},
          {"width", description.width},
          {"interlocked", description.interlocked},
          {"packet_words", description.packet.words},
          {"scheduling_classes", scheduling},
          {"instructions", instructions},
          {"arguments", arguments},
          {"results", results},
          {"preserved", names_of(description, description.convention.preserved)}};
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
  Json json{{"name", target.name},
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
  if (target.description) json["description"] = description_json(*target.description);
  return json;
}

// As it was written.
int show_source(const TargetsOptions& options) {
  if (psi::is_target_file(options.name)) {
    std::optional<std::string> text = read_file(options.name);
    if (!text) return kBadInput;
    put("{}", *text);
    return kFine;
  }
  psi::TargetTable table = psi::TargetTable::builtin();
  const psi::Target* target = nullptr;
  if (int code = find_target(table, options.name, target)) return code;
  put("{}", psi::builtin_target_text(options.name));
  return kFine;
}

int show_targets(const TargetsOptions& options) {
  psi::TargetTable table = psi::TargetTable::builtin();
  if (options.source) return show_source(options);
  if (!options.name.empty()) {
    const psi::Target* target = nullptr;
    if (int code = find_target(table, options.name, target)) return code;
    put("{}", options.json          ? target_json(*target).dump(2) + "\n"
              : target->description ? psi::print_reference(*target->description)
                                    : psi::print(*target));
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
  CLI::Option* name = command->add_option("TARGET", options->name,
                                          "The target to explain: its name, or a file. Of a complete one the "
                                          "reference, with every instruction; of "
                                          "another one a description with comments");
  CLI::Option* source =
      command->add_flag("--source", options->source, "Print the description as it was written")->needs(name);
  add_json(*command, options->json)->excludes(source);
  add_examples(*command, {{"psic targets", "their names, and how they predicate"},
                          {"psic targets tiny", "the instructions of a teaching machine"},
                          {"psic targets --source tiny > mine.target", "a description to change"}});
  command->callback([=, &action] { action = [=] { return show_targets(*options); }; });
}

}  // namespace psic
