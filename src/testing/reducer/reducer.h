// The search: which parts to remove, in which order.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "psi/testing/reduce.h"
#include "testing/reducer/edit.h"

namespace psi::testing {

class Reducer {
 public:
  Reducer(Module module, const ReduceTest& test, const ReduceOptions& options);

  // False if a limit stopped it.
  bool run();
  uint64_t tests() const { return tests_; }
  Module take() { return std::move(current_); }

 private:
  // Is the candidate, repaired, interesting? Then it becomes the current program.
  bool accept(Module candidate);
  bool out_of_time();

  // Applies edit(Module&, span of items) to all items, to halves, quarters and so on down to single ones, and
  // keeps every result that is interesting. The edits must leave the other items' ids as they are.
  template <class T, class Edit>
  bool chunks(std::string_view step, std::vector<T> items, Edit edit, size_t largest = SIZE_MAX);
  // Likewise for edits of one function.
  template <class Edit>
  bool function_chunks(std::string_view step, std::vector<Item> items, Edit edit, size_t largest = SIZE_MAX);

  // Items for every function body. visit(const Function&, std::vector<Item>&) adds to the list.
  template <class Visit>
  std::vector<Item> collect(Visit visit) const;
  template <class Visit>
  std::vector<Item> collect_insts(Visit visit) const;

  // Each returns whether it made progress.
  bool remove_functions();
  bool remove_globals();
  bool simplify_globals();
  bool stub_bodies();
  bool remove_blocks();
  bool simplify_terminators();
  bool drop_cases();
  bool merge_blocks();
  bool move_entry();
  bool remove_insts();
  bool forward();
  bool drop_guards();
  bool simplify_cmpp();
  bool drop_psi_arguments();
  bool drop_call_arguments();
  bool simplify_operands();
  bool share_registers();
  bool simplify_signatures();
  bool strip();

  Module current_;
  const ReduceTest& test_;
  const ReduceOptions& options_;
  std::string_view step_;
  uint64_t tests_ = 0;
  uint64_t size_ = 0;
  uint64_t current_hash_ = 0;              // of the program's text
  std::unordered_set<uint64_t> rejected_;  // those of programs that were not interesting
  std::chrono::steady_clock::time_point start_;
};

template <class T, class Edit>
bool Reducer::chunks(std::string_view step, std::vector<T> items, Edit edit, size_t largest) {
  step_ = step;
  bool progress = false;
  for (size_t size = std::min(items.size(), largest); size > 0; size /= 2) {
    // From the end, where fewer parts depend on the removed ones.
    for (size_t end = items.size(); end > 0;) {
      if (out_of_time()) return progress;
      size_t begin = end - std::min(end, size);
      Module candidate = current_;
      edit(candidate, std::span<const T>(items).subspan(begin, end - begin));
      if (accept(std::move(candidate))) {
        progress = true;
        items.erase(items.begin() + static_cast<ptrdiff_t>(begin),
                    items.begin() + static_cast<ptrdiff_t>(end));
      }
      end = begin;
    }
  }
  return progress;
}

template <class Edit>
bool Reducer::function_chunks(std::string_view step, std::vector<Item> items, Edit edit, size_t largest) {
  return chunks(
      step, std::move(items),
      [&](Module& module, std::span<const Item> chosen) { for_each_function(module, chosen, edit); },
      largest);
}

template <class Visit>
std::vector<Item> Reducer::collect(Visit visit) const {
  std::vector<Item> items;
  for (SymbolId symbol : current_.declarations()) {
    if (current_.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = current_.function(symbol);
    if (!function.is_declaration()) visit(function, items);
  }
  return items;
}

template <class Visit>
std::vector<Item> Reducer::collect_insts(Visit visit) const {
  return collect([&](const Function& function, std::vector<Item>& items) {
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) visit(function, id, items);
    }
  });
}

}  // namespace psi::testing
