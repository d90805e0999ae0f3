#include "explore/changes.h"

#include <algorithm>
#include <unordered_map>

#include "support/hash.h"

namespace psi::explore {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '$' || (static_cast<uint8_t>(c) & 0x80) != 0;
}

// The end of a text in quotes that begins at `at`.
size_t end_of_quotes(std::string_view line, size_t at) {
  for (++at; at < line.size() && line[at] != '"'; ++at) at += line[at] == '\\';
  return std::min(at + 1, line.size());
}

// Those of `now` that `before` does not have, each as often as it is more often there.
std::vector<std::string_view> new_tokens(std::string_view before, std::string_view now) {
  std::vector<std::string_view> old = tokens(before), fresh, found = tokens(now);
  std::ranges::sort(old);
  std::vector<std::string_view> sorted = found;
  std::ranges::sort(sorted);
  std::ranges::set_difference(sorted, old, std::back_inserter(fresh));
  return fresh;
}

}  // namespace

std::vector<std::string_view> tokens(std::string_view line) {
  std::vector<std::string_view> all;
  for (size_t i = 0; i < line.size();) {
    size_t end = i + 1;
    char c = line[i];
    if (c == ' ') {
      ++i;
      continue;
    }
    if (c == '%' || c == '@' || c == '$') {
      if (end < line.size() && line[end] == '"') {
        end = end_of_quotes(line, end);
      } else {
        while (end < line.size() && is_word(line[end])) ++end;
      }
    } else if (c == '"') {
      end = end_of_quotes(line, i);
    } else if (is_word(c)) {
      while (end < line.size() && is_word(line[end])) ++end;
    }
    all.push_back(line.substr(i, end - i));
    i = end;
  }
  return all;
}

std::pair<uint64_t, uint64_t> State::hash() const {
  Hash first, second;
  second.add(1);  // another state, so that the two do not collide together
  auto add = [&](std::string_view text) {
    first.add(text);
    second.add(text);
  };
  for (const std::vector<Entry>* list : {&blocks, &instructions, &values, &regions}) {
    for (const Entry& entry : *list) add(entry.json);
  }
  add(head);
  add(lists);
  return {first.value(), second.value()};
}

ChangeCounts write_changes(Json& json, const State* before, const State& now,
                           std::span<const std::pair<uint32_t, uint32_t>> became) {
  std::unordered_map<uint32_t, const Row*> old;
  if (before) {
    for (const Row& row : before->rows) old.emplace(row.id, &row);
  }
  Json added, removed, moved, changed;
  ChangeCounts counts;
  for (const Row& row : now.rows) {
    auto at = old.find(row.id);
    if (!before) continue;
    if (at == old.end()) {
      added.number(row.id);
      ++counts.added;
      continue;
    }
    if (at->second->block != row.block) moved.open('[').number(row.id).number(at->second->block).close(']');
    if (at->second->text != row.text) {
      changed.open('[').number(row.id).open('[');
      for (std::string_view token : new_tokens(at->second->text, row.text)) changed.text(token);
      changed.close(']').close(']');
    }
    at->second = nullptr;
  }
  if (before) {
    for (const Row& row : before->rows) {
      if (old[row.id] == nullptr) continue;
      removed.number(row.id);
      ++counts.removed;
    }
  }
  json.key("added").open('[').raw(added.str()).close(']');
  json.key("removed").open('[').raw(removed.str()).close(']');
  json.key("moved").open('[').raw(moved.str()).close(']');
  json.key("changed").open('[').raw(changed.str()).close(']');
  if (!became.empty()) {
    json.key("became").open('[');
    for (auto [value, now_in] : became) json.open('[').number(value).number(now_in).close(']');
    json.close(']');
  }
  return counts;
}

namespace {

// The entries that the base does not have so, and the ids of those that are gone.
void write_entries(Json& json, std::string_view key, const std::vector<Entry>& now,
                   const std::vector<Entry>* base, Json& gone) {
  json.key(key).open('[');
  Json missing;
  size_t old = 0;
  for (const Entry& entry : now) {
    while (base && old < base->size() && (*base)[old].id < entry.id) missing.number((*base)[old++].id);
    bool is_known = base && old < base->size() && (*base)[old].id == entry.id;
    if (!is_known || (*base)[old].json != entry.json) json.raw(entry.json);
    old += is_known;
  }
  while (base && old < base->size()) missing.number((*base)[old++].id);
  json.close(']');
  if (!missing.empty()) gone.key(key).open('[').raw(missing.str()).close(']');
}

}  // namespace

std::string snapshot(const State& now, const State* base, size_t base_index) {
  Json json, gone, entries;
  json.open('{');
  if (base) json.key("base").number(base_index);
  write_entries(entries, "blocks", now.blocks, base ? &base->blocks : nullptr, gone);
  write_entries(entries, "instructions", now.instructions, base ? &base->instructions : nullptr, gone);
  write_entries(entries, "values", now.values, base ? &base->values : nullptr, gone);
  write_entries(entries, "regions", now.regions, base ? &base->regions : nullptr, gone);
  if (!gone.empty()) json.key("gone").open('{').raw(gone.str()).close('}');
  json.raw(now.head).raw(entries.str()).raw(now.lists).close('}');
  return json.take();
}

}  // namespace psi::explore
