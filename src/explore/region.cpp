#include "explore/region.h"

#include <algorithm>

#include "explore/json.h"

namespace psi::explore {
namespace {

constexpr size_t kMaxSets = 64;
constexpr size_t kMaxProvedSets = 12;

}  // namespace

std::string RegionText::structure(Term term) const {
  return text_.structure(term, [](Term) { return std::string(); });
}

void RegionText::place(uint32_t entry, const std::vector<NamedSet>& named, LaneMemory& memory) {
  std::vector<LaneMemory::Seen> now;
  for (const Lanes::Lane& lane : lanes_.lanes()) {
    now.push_back({lane.is_rest ? "other" : structure(lane.term), 0, lane.weight, {}});
    for (const NamedSet& set : named) {
      if (set.value == 0 || now.back().holds.size() >= kMaxSets) continue;
      PartSet parts = lanes_.of(set.term);
      bool is_in = (lane.parts & ~parts.all) == 0;
      if (is_in || (lane.parts & parts.some) == 0) now.back().holds.emplace_back(set.value, is_in);
    }
    std::ranges::sort(now.back().holds);
  }
  memory.place(entry, lanes_, std::move(now));
}

uint32_t RegionText::add(Term term) {
  auto [at, is_new] = by_term_.try_emplace(term.raw(), static_cast<uint32_t>(sets_.size()));
  if (is_new) sets_.push_back({term, {}, {}});
  return at->second;
}

void RegionText::group(const std::vector<NamedSet>& named) {
  sets_.clear();
  by_term_.clear();
  add(Term::always());
  for (const NamedSet& set : named) {
    if (set.term == Term::never() || (sets_.size() >= kMaxSets && !by_term_.contains(set.term.raw())))
      continue;
    Set& group = sets_[add(set.term)];
    if (std::ranges::find(group.names, set.name) != group.names.end()) continue;
    group.names.push_back(set.name);
    if (set.value != 0) group.values.push_back(set.value);
  }
}

// Those among the sets that have names, with the parts that complete them.
void RegionText::add_partitions() {
  constexpr size_t kMost = 128;
  PartitionGraph graph(predicates_.terms());
  for (size_t i = 0; i < sets_.size(); ++i) graph.symbol(sets_[i].term);
  for (PartitionGraph::PartitionId p = 0; p < graph.num_partitions() && partitions_.size() < kMost; ++p) {
    std::vector<uint32_t> one{add(graph.term(graph.whole(p)))};
    for (Symbol part : graph.parts(p)) one.push_back(add(graph.term(part)));
    partitions_.push_back(std::move(one));
  }
}

std::string RegionText::name_of(Term term) const {
  auto at = by_term_.find(term.raw());
  if (at != by_term_.end() && !sets_[at->second].names.empty()) return sets_[at->second].names.front();
  return {};
}

void RegionText::write_sets(Json& json) {
  json.key("sets").open('[');
  for (size_t i = 0; i < sets_.size(); ++i) {
    const Set& set = sets_[i];
    json.open('{').key("id").number(i + 1).key("term");
    json.text(i == 0 ? "true" : text_.structure(set.term, [&](Term part) { return name_of(part); }));
    json.key("names").open('[');
    for (const std::string& name : set.names) json.text(name);
    json.close(']').key("values").open('[');
    for (uint32_t value : set.values) json.number(value);
    json.close(']').key("lanes").text(lanes_.mask(set.term)).close('}');
  }
  json.close(']').key("partitions").open('[');
  for (const std::vector<uint32_t>& partition : partitions_) {
    json.open('[');
    for (uint32_t set : partition) json.number(set + 1);
    json.close(']');
  }
  json.close(']');
}

void RegionText::write_proofs(Json& json, uint32_t& num_proofs) {
  size_t count = std::ranges::count_if(sets_, [](const Set& set) { return !set.names.empty(); });
  if (count > kMaxProvedSets) return;
  std::unique_ptr<PredicateEngine> engine =
      make_predicate_engine(PredicateEngineKind::Auto, predicates_.terms());
  json.key("proofs").open('[');
  auto prove = [&](PredicateQuestion::Kind kind, size_t a, size_t b) {
    PredicateExplanation explanation = engine->explain({kind, sets_[a].term, sets_[b].term});
    if (explanation.answer != Answer::Yes) return;
    --num_proofs;
    json.open('{').key("kind").text(kind == PredicateQuestion::Kind::Subset ? "subset" : "disjoint");
    json.key("sets").open('[').number(a + 1).number(b + 1).close(']');
    json.key("engine").text(predicate_engine_name(explanation.engine)).key("steps").open('[');
    for (const ProofLine& line : proof_lines(text_, explanation)) {
      json.open('{').key("statement").text(line.statement).key("reason").text(line.reason);
      json.key("from").open('[');
      for (uint32_t from : line.from) json.number(from);
      json.close(']').close('}');
    }
    json.close(']').close('}');
  };
  for (size_t a = 1; a < sets_.size(); ++a) {
    for (size_t b = 1; b < sets_.size() && num_proofs > 0; ++b) {
      if (a == b || sets_[a].names.empty() || sets_[b].names.empty()) continue;
      PartSet first = lanes_.of(sets_[a].term), second = lanes_.of(sets_[b].term);
      if (a < b && (first.some & second.some) == 0) prove(PredicateQuestion::Kind::Disjoint, a, b);
      if ((first.some & ~second.all) == 0) prove(PredicateQuestion::Kind::Subset, a, b);
    }
  }
  json.close(']');
}

std::string RegionText::json(const std::vector<NamedSet>& named, uint32_t& num_proofs, bool brief) {
  group(named);
  if (!brief && sets_.size() < kMaxSets) add_partitions();
  std::vector<uint32_t> lane_sets;
  bool is_exact = true;
  for (const Lanes::Lane& lane : lanes_.lanes()) {
    lane_sets.push_back(lane.is_rest ? 0 : add(lane.term) + 1);
    is_exact = is_exact && !lane.is_rest;
  }
  for (const Set& set : sets_) is_exact = is_exact && lanes_.mask(set.term).find('?') == std::string::npos;
  Json json;
  json.key("exact").truth(is_exact).key("lanes").open('[');
  for (size_t i = 0; i < lane_sets.size(); ++i) {
    const Lanes::Lane& lane = lanes_.lanes()[i];
    json.open('{').key("set");
    if (lane_sets[i] == 0) {
      json.null();
    } else {
      json.number(lane_sets[i]);
    }
    json.key("slot").number(lane.slot).key("term").text(lane.is_rest ? "other" : structure(lane.term));
    json.key("weight").real(lane.weight).close('}');
  }
  json.close(']');
  write_sets(json);
  if (!brief) write_proofs(json, num_proofs);
  return json.take();
}

}  // namespace psi::explore
