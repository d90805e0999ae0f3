#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "psi/target/description.h"
#include "psi/target/target.h"
#include "target/builtin_texts.h"

namespace psi {

class TargetTable::Entry {
 public:
  explicit Entry(Target target) : name_(target.name), target_(std::move(target)) {}
  Entry(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  const std::string& name() const { return name_; }
  const Target& target() const {
    std::call_once(once_, [this] {
      if (text_.empty()) return;
      // The tests see to it that all built-in texts can be read.
      if (Result<Target> read = parse_target(text_)) target_ = std::move(*read);
    });
    return target_;
  }

 private:
  std::string name_;
  std::string_view text_;  // of a built-in one; empty: the target is there
  mutable std::once_flag once_;
  mutable Target target_;
};

const TargetTable& TargetTable::builtin() {
  static const TargetTable kTable = [] {
    TargetTable table;
    for (const target::BuiltinText& builtin : target::builtin_texts()) {
      if (builtin.file == target::kCommonFile) continue;
      std::string_view name = builtin.file.substr(0, builtin.file.rfind('.'));
      table.entries_.push_back(std::make_shared<const Entry>(name, builtin.text));
      table.files_.emplace_back();
    }
    return table;
  }();
  return kTable;
}

const Target& TargetTable::at(size_t i) const { return entries_[i]->target(); }

Result<void> TargetTable::add(Target target) {
  if (find(target.name)) return failure(fmt::format("there is a target '{}' already", target.name));
  entries_.push_back(std::make_shared<const Entry>(std::move(target)));
  files_.emplace_back();
  return {};
}

Result<void> TargetTable::add(Target target, std::string file) {
  size_t same = 0;
  while (same < entries_.size() && entries_[same]->name() != target.name) ++same;
  if (same == entries_.size()) {
    entries_.push_back(std::make_shared<const Entry>(std::move(target)));
    files_.push_back(std::move(file));
    return {};
  }
  std::string& known = files_[same];
  if (!known.empty() && known != file) {
    return failure(fmt::format("'{}' and '{}' both describe a target '{}'", known, file, target.name));
  }
  entries_[same] = std::make_shared<const Entry>(std::move(target));
  known = std::move(file);
  return {};
}

const Target* TargetTable::find(std::string_view name_or_file) const {
  for (const auto& entry : entries_) {
    if (entry->name() == name_or_file) return &entry->target();
  }
  auto file = name_or_file.empty() ? files_.end() : std::ranges::find(files_, name_or_file);
  return file == files_.end() ? nullptr : &at(static_cast<size_t>(file - files_.begin()));
}

std::vector<std::string_view> TargetTable::names() const {
  std::vector<std::string_view> names;
  for (const auto& entry : entries_) names.push_back(entry->name());
  return names;
}

std::vector<std::string> TargetTable::words() const {
  std::vector<std::string> words;
  for (std::string_view name : names()) words.emplace_back(name);
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

TargetTable::Range targets() { return TargetTable::builtin().all(); }

std::string_view builtin_target_text(std::string_view name) {
  for (const target::BuiltinText& builtin : target::builtin_texts()) {
    if (builtin.file.substr(0, builtin.file.rfind('.')) == name) return builtin.text;
  }
  return {};
}

const Target* find_target(std::string_view name) { return TargetTable::builtin().find(name); }

}  // namespace psi
