// Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013): trivial phis
// (algorithm 3) and redundant sets of phis (algorithm 5), without recursion.

#include "ssa/phi_graph.h"

#include <algorithm>

#include "support/components.h"

namespace psi::ssa {

uint32_t PhiGraph::add(BlockId block, Reg variable) {
  phis_.push_back({block, variable});
  start_.push_back(0);
  count_.push_back(0);
  is_complete_.push_back(false);
  replacement_.emplace_back();
  first_reader_.push_back(kNone);
  last_reader_.push_back(kNone);
  return size() - 1;
}

void PhiGraph::complete(uint32_t phi, std::span<const Operand> arguments, Operand undef) {
  start_[phi] = arguments_.size();
  count_[phi] = static_cast<uint32_t>(arguments.size());
  is_complete_[phi] = true;
  arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
  for (Operand argument : arguments) {
    if (is_phi(argument)) add_reader(PhiGraph::phi(argument), phi);
  }
  again_.push_back(phi);
  while (!again_.empty()) {
    uint32_t next = again_.back();
    again_.pop_back();
    try_replace(next, undef);
  }
}

Operand PhiGraph::resolve(Operand value) {
  if (!is_phi(value)) return value;
  Operand last = value;
  while (is_phi(last) && is_replaced(phi(last))) last = replacement_[phi(last)];
  // Path compression.
  while (is_phi(value) && is_replaced(phi(value))) {
    Operand next = replacement_[phi(value)];
    replacement_[phi(value)] = last;
    value = next;
  }
  return last;
}

void PhiGraph::try_replace(uint32_t phi, Operand undef) {
  if (is_replaced(phi) || !is_complete_[phi]) return;
  Operand same;
  for (Operand& argument : std::span(arguments_).subspan(start_[phi], count_[phi])) {
    argument = resolve(argument);
    if (argument == same || argument == value(phi)) continue;
    if (!same.is_none()) return;
    same = argument;
  }
  replace(phi, same.is_none() ? undef : same);
}

void PhiGraph::replace(uint32_t phi, Operand value) {
  replacement_[phi] = value;
  // Its readers now read the other value and may be trivial. Replaced readers are dropped; otherwise every
  // later replacement would visit them again.
  for (uint32_t i = first_reader_[phi], next; i != kNone; i = next) {
    next = readers_[i].next;
    uint32_t reader = readers_[i].phi;
    if (is_replaced(reader)) continue;
    again_.push_back(reader);
    if (is_phi(value)) append_reader(PhiGraph::phi(value), i);
  }
}

void PhiGraph::add_reader(uint32_t phi, uint32_t reader) {
  readers_.push_back({reader, kNone});
  append_reader(phi, static_cast<uint32_t>(readers_.size()) - 1);
}

void PhiGraph::append_reader(uint32_t phi, uint32_t entry) {
  readers_[entry].next = kNone;
  if (first_reader_[phi] == kNone) {
    first_reader_[phi] = entry;
  } else {
    readers_[last_reader_[phi]].next = entry;
  }
  last_reader_[phi] = entry;
}

void PhiGraph::remove_redundant(const Function& function) {
  std::vector<uint32_t> all;
  for (uint32_t phi = 0; phi < size(); ++phi) {
    if (!is_replaced(phi)) all.push_back(phi);
  }
  set_.assign(size(), kNone);
  struct Frame {
    std::vector<std::vector<uint32_t>> sets;
    size_t next = 0;
  };
  std::vector<Frame> frames;
  frames.push_back({components(all)});
  uint32_t number = 0;
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next == frame.sets.size()) {
      frames.pop_back();
      continue;
    }
    std::vector<uint32_t> set = std::move(frame.sets[frame.next++]);
    ++number;
    for (uint32_t phi : set) set_[phi] = number;
    Operand outer;
    bool several = false;
    std::vector<uint32_t> inner;
    for (uint32_t phi : set) {
      bool is_inner = true;
      for (Operand argument : arguments(phi)) {
        argument = resolve(argument);
        if (is_phi(argument) && set_[PhiGraph::phi(argument)] == number) continue;
        is_inner = false;
        several |= !outer.is_none() && argument != outer;
        outer = argument;
      }
      if (is_inner) inner.push_back(phi);
    }
    if (several) {
      if (!inner.empty()) frames.push_back({components(inner)});
      continue;
    }
    if (outer.is_none()) outer = Operand::undef(function.type(phis_[set[0]].variable));
    for (uint32_t phi : set) replacement_[phi] = outer;
  }
}

// The strongly connected components of these sorted phis, each after those that it reads from.
std::vector<std::vector<uint32_t>> PhiGraph::components(std::span<const uint32_t> phis) {
  constexpr uint32_t kInSet = UINT32_MAX - 1;
  for (uint32_t phi : phis) set_[phi] = kInSet;
  auto argument = [&](uint32_t node, uint32_t i) {
    Operand value = resolve(arguments(phis[node])[i]);
    if (!is_phi(value) || set_[phi(value)] != kInSet) return Components::kNoNode;
    auto at = std::lower_bound(phis.begin(), phis.end(), phi(value));
    return static_cast<uint32_t>(at - phis.begin());
  };
  std::vector<std::vector<uint32_t>> result;
  Components components(static_cast<uint32_t>(phis.size()));
  for (uint32_t root = 0; root < phis.size(); ++root) {
    if (components.is_visited(root)) continue;
    components.visit(
        root, [&](uint32_t node) { return count_[phis[node]]; }, argument,
        [&](std::span<const uint32_t> members) {
          std::vector<uint32_t>& set = result.emplace_back();
          for (uint32_t member : members) set.push_back(phis[member]);
          std::sort(set.begin(), set.end());
        });
  }
  for (uint32_t phi : phis) set_[phi] = kNone;
  return result;
}

}  // namespace psi::ssa
