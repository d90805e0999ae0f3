#include <fmt/format.h>

#include <algorithm>

#include "psi/target/description.h"
#include "psi/target/target.h"
#include "target/builtin_texts.h"

namespace psi {
namespace {

// The tests see to it that all of them can be read, and that no two have the same name.
TargetTable read_builtin_targets() {
  TargetTable table;
  for (const target::BuiltinText& builtin : target::builtin_texts()) {
    if (builtin.file == target::kCommonFile) continue;
    if (Result<Target> target = parse_target(builtin.text)) (void)table.add(std::move(*target));
  }
  return table;
}

}  // namespace

const TargetTable& TargetTable::builtin() {
  static const TargetTable kTable = read_builtin_targets();
  return kTable;
}

Result<void> TargetTable::add(Target target) {
  if (find(target.name)) return failure(fmt::format("there is a target '{}' already", target.name));
  targets_.push_back(std::move(target));
  files_.emplace_back();
  return {};
}

Result<void> TargetTable::add(Target target, std::string file) {
  auto same = std::ranges::find(targets_, target.name, &Target::name);
  if (same == targets_.end()) {
    targets_.push_back(std::move(target));
    files_.push_back(std::move(file));
    return {};
  }
  std::string& known = files_[static_cast<size_t>(same - targets_.begin())];
  if (!known.empty() && known != file) {
    return failure(fmt::format("'{}' and '{}' both describe a target '{}'", known, file, target.name));
  }
  *same = std::move(target);
  known = std::move(file);
  return {};
}

const Target* TargetTable::find(std::string_view name_or_file) const {
  auto found = std::ranges::find(targets_, name_or_file, &Target::name);
  if (found != targets_.end()) return &*found;
  auto file = name_or_file.empty() ? files_.end() : std::ranges::find(files_, name_or_file);
  return file == files_.end() ? nullptr : &targets_[static_cast<size_t>(file - files_.begin())];
}

std::vector<std::string> TargetTable::words() const {
  std::vector<std::string> words;
  for (const Target& target : targets_) words.push_back(target.name);
  for (const std::string& file : files_) {
    if (!file.empty()) words.push_back(file);
  }
  return words;
}

std::shared_ptr<const InstructionSet> TargetInstructionSets::find(std::string_view name) const {
  const Target* target = table_.find(name);
  return target && target->description ? target->description->instructions : nullptr;
}

bool is_target_file(std::string_view name_or_file) {
  return name_or_file == "-" || name_or_file.ends_with(".target") ||
         name_or_file.find('/') != std::string_view::npos;
}

std::span<const Target> targets() { return TargetTable::builtin().all(); }

const Target* find_target(std::string_view name) { return TargetTable::builtin().find(name); }

}  // namespace psi
