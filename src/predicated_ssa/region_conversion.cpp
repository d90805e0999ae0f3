#include "predicated_ssa/region_conversion.h"

#include <map>

namespace psi::paths {

RegionConversion::RegionConversion(FunctionState& state, uint32_t region)
    : state_(state),
      function_(state.function),
      region_(region),
      entry_(state.regions.entry(region)),
      code_(function_.add_block()),
      builder_(function_),
      predicates_(builder_) {
  builder_.at(code_);
}

Hyperblock RegionConversion::run() {
  std::span<const BlockId> blocks = state_.regions.blocks(region_);
  result_.block = entry_;
  result_.blocks = static_cast<uint32_t>(blocks.size());
  for (BlockId b : blocks) {
    enter(b);
    if (paths_.empty()) continue;  // decisions on literals lead past it
    std::span<const InstId> listed = function_.insts(b);
    for (InstId id : std::vector(listed.begin(), listed.end())) {
      const Inst inst = function_.inst(id);
      if (inst.is_terminator()) break;
      if (!inst.is_phi()) convert(id);
      if (inst.is_phi() && b == entry_) continue;
      for (uint32_t k = 0; k < inst.num_results(); ++k) {
        if (state_.psi_reads[inst.results[k].index()]) read_by_psis_.push_back(inst.results[k]);
      }
    }
    leave(b);
  }
  merge_escaping();
  define_everywhere();
  hand_over_phis();
  emit_exits();
  note_partial();
  return result_;
}

// For the regions to come: what has a guard now.
void RegionConversion::note_partial() {
  state_.partial.resize(function_.num_regs());
  for (InstId id : function_.insts(code_)) {
    const Inst& inst = function_.inst(id);
    for (uint32_t k = 0; k < inst.num_results(); ++k) {
      state_.partial[inst.results[k].index()] = inst.guard || inst.is_psi();
    }
  }
}

void RegionConversion::enter(BlockId b) {
  if (b == entry_) {
    paths_.assign(1, Path());
    here_ = kAlways;
    return;
  }
  paths_ = std::move(state_.arriving[b.index()]);
  std::vector<Reg> phis;
  for (InstId id : phis_of(b)) {
    Reg phi = function_.inst(id).results[0];
    if (paths_.empty() || !paths_.front().values.find(phi)) continue;
    // The same from everywhere: no matter of paths.
    Operand first = *paths_.front().values.find(phi);
    bool is_same =
        std::ranges::all_of(paths_, [&](const Path& path) { return *path.values.find(phi) == first; });
    if (is_same && !state_.is_partial(first)) {
      state_.replace(phi, first);
      for (Path& path : paths_) path.values.keep_if([&](Reg r) { return r != phi; });
    } else {
      phis.push_back(phi);
    }
  }
  merge_equal_paths();
  if (paths_.size() > state_.options.max_paths) {
    merge_all_paths(phis);
  } else {
    for (Reg phi : phis) {
      for (const Path& path : paths_) remember_version(phi, path.predicate, *path.values.find(phi));
    }
  }
  result_.paths = std::max(result_.paths, static_cast<uint32_t>(paths_.size()));
  std::vector<Node> all;
  for (const Path& path : paths_) all.push_back(path.predicate);
  here_ = predicates_.any(std::move(all));
}

void RegionConversion::merge_equal_paths() {
  if (paths_.size() < 2) return;
  std::map<PathValues, size_t> place_of;
  std::vector<Path> merged;
  std::vector<std::vector<Node>> predicates;
  for (Path& path : paths_) {
    auto [at, is_new] = place_of.try_emplace(path.values, merged.size());
    if (is_new) {
      merged.push_back(std::move(path));
      predicates.emplace_back();
    }
    predicates[at->second].push_back(is_new ? merged.back().predicate : path.predicate);
  }
  for (size_t i = 0; i < merged.size(); ++i) merged[i].predicate = predicates_.any(std::move(predicates[i]));
  paths_ = std::move(merged);
}

// Too many paths: psis merge what they differ in. All paths know the same registers, since the definitions of
// those dominate the block.
void RegionConversion::merge_all_paths(std::span<const Reg> phis) {
  Path one;
  std::vector<Node> all;
  for (const Path& path : paths_) all.push_back(path.predicate);
  one.predicate = predicates_.any(std::move(all));
  for (size_t i = 0; i < paths_.front().values.entries().size(); ++i) {
    Reg r = paths_.front().values.entries()[i].first;
    std::vector<Version> versions;
    for (const Path& path : paths_) versions.push_back({path.predicate, path.values.entries()[i].second});
    // A phi has its own register again, for readers outside, too.
    bool is_phi = std::ranges::find(phis, r) != phis.end();
    bool has_own = is_phi && !state_.psi_reads[r.index()];
    Operand value = merged(function_.type(r), std::move(versions), has_own ? r : Reg(), r);
    if (is_phi && value != Operand::reg(r)) {
      state_.replace(r, total(value));
    } else if (!is_phi) {
      one.values.set(r, value);
    }
  }
  paths_.assign(1, std::move(one));
  ++result_.refused;
}

void RegionConversion::convert(InstId id) {
  const Inst inst = function_.inst(id);
  std::span<const Operand> listed = function_.operands(id);
  const std::vector<Operand> operands(listed.begin(), listed.end());
  builder_.line(function_.line(id));

  // Paths on which it is the same, with what it reads there: its guard first.
  struct Group {
    std::vector<Operand> reads;
    std::vector<size_t> paths;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < paths_.size(); ++i) {
    std::vector<Operand> reads = {value_on(paths_[i], inst.guard.as_operand())};
    for (Operand operand : operands) reads.push_back(value_on(paths_[i], operand));
    auto same = std::ranges::find(groups, reads, &Group::reads);
    if (same == groups.end()) same = groups.insert(groups.end(), {std::move(reads), {}});
    same->paths.push_back(i);
  }
  bool is_only = groups.size() == 1;
  if (!is_only) result_.copies += static_cast<uint32_t>(groups.size()) - 1;
  for (Group& group : groups) {
    Node predicate = here_;
    if (!is_only) {
      std::vector<Node> nodes;
      for (size_t i : group.paths) nodes.push_back(paths_[i].predicate);
      predicate = predicates_.any(std::move(nodes));
    }
    Operand guard = group.reads.front();
    group.reads.erase(group.reads.begin());
    std::vector<Operand> results = emit(inst, std::move(group.reads), guard, predicate, is_only);
    for (size_t k = 0; k < results.size(); ++k) {
      Reg r = inst.results[k];
      if (results[k] == Operand::reg(r)) continue;
      if (is_only) {
        state_.replace(r, results[k]);
        continue;
      }
      for (size_t i : group.paths) paths_[i].values.set(r, results[k]);
      remember_version(r, predicate, results[k]);
    }
  }
}

// What stands for the results: their own registers if this is the only copy.
std::vector<Operand> RegionConversion::emit(const Inst& inst, std::vector<Operand> operands, Operand guard,
                                            Node predicate, bool is_only) {
  Inst copy = inst;
  std::vector<Operand> results;
  for (uint32_t k = 0; k < inst.num_results(); ++k) {
    bool has_own = is_only && !state_.psi_reads[inst.results[k].index()];
    if (!has_own) copy.results[k] = new_version(inst.results[k]);
    results.push_back(Operand::reg(copy.results[k]));
  }
  if (inst.is_psi()) return {emit_psi(inst, operands, predicate, copy.results[0])};
  Node executes = predicates_.split(predicate, guard).first;
  if (executes == kNever) {
    for (Operand& result : results) result = Operand::undef(function_.type(result.reg()));
    return results;
  }
  // Literals may not stand everywhere.
  if (inst.op == Opcode::Cmpp && operands[2] != Operand::always()) operands[2] = as_register(operands[2]);
  if (inst.op == Opcode::Call && function_.operands(inst)[0].is_reg()) operands[0] = as_register(operands[0]);
  builder_.guard(Guard(predicates_.operand(executes)));
  copy.inline_operands = {};
  InstId id = builder_.append(copy, operands);
  if (inst.op == Opcode::Cmp) predicates_.set_compare(copy.results[0], id);
  return results;
}

// Its guards may be undefined where its block is not executed, and so may its values; but the first may be.
Operand RegionConversion::emit_psi(const Inst& inst, std::span<const Operand> pairs, Node predicate,
                                   Reg result) {
  // As they were.
  std::span<const Operand> listed = function_.operands(inst);
  const std::vector<Operand> own(listed.begin(), listed.end());
  std::vector<Operand> kept;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Node taken = predicates_.split(predicate, pairs[i]).first;
    if (taken == kNever) continue;
    bool is_always = kept.empty() && pairs[i] == Operand::always();
    Operand guard = is_always ? Operand::always() : predicates_.operand(taken);
    Operand value = pairs[i + 1];
    // On this path a phi may be what a guard did not let define; and what is known of guards that are not the
    // same is known no more once what they compare is computed in several copies.
    bool is_safe = value == own[i + 1] && state_.is_defined_under(value, own[i]);
    if (!kept.empty() && !is_safe) value = total(value);
    kept.insert(kept.end(), {guard, value});
  }
  if (kept.empty()) return Operand::undef(inst.type);
  builder_.guard(Guard());
  builder_.into(result);
  return Operand::reg(builder_.psi(inst.type, kept));
}

}  // namespace psi::paths
