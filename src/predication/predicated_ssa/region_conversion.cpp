#include "predication/predicated_ssa/region_conversion.h"

#include <map>

#include "psi/ir/views.h"

namespace psi::predication {

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
    if (paths_.empty()) continue;  // decisions on literals bypass it
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

// Records newly guarded definitions for later regions.
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
    // The same on all paths, so independent of the path.
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

// Too many paths: psis merge their values. All paths have the same registers, since their definitions
// dominate the block.
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
  builder_.place_of(id);

  // Paths with equal operands of the instruction, guard first.
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

// The registers of the results: the original ones if this is the only copy.
std::vector<Operand> RegionConversion::emit(const Inst& inst, std::vector<Operand> operands, Operand guard,
                                            Node predicate, bool is_only) {
  Inst copy = inst;
  std::vector<Operand> results;
  for (uint32_t k = 0; k < inst.num_results(); ++k) {
    bool has_own = is_only && !state_.psi_reads[inst.results[k].index()];
    if (!has_own) copy.results[k] = new_version(inst.results[k]);
    results.push_back(Operand::reg(copy.results[k]));
  }
  if (inst.is_psi()) return {emit_psi(inst, psi_arguments(operands), predicate, copy.results[0])};
  Node executes = predicates_.split(predicate, guard).first;
  if (executes == kNever) {
    for (Operand& result : results) result = Operand::undef(function_.type(result.reg()));
    return results;
  }
  // Not every operand may be a literal.
  if (inst.op == Opcode::Cmpp && operands[kCmppInput] != Operand::always()) {
    operands[kCmppInput] = as_register(operands[kCmppInput]);
  }
  if (inst.op == Opcode::Call && as_call(function_, inst).callee.is_reg()) {
    operands[kCallee] = as_register(operands[kCallee]);
  }
  builder_.guard(Guard(predicates_.operand(executes)));
  copy.inline_operands = {};
  InstId id = builder_.append(copy, operands);
  if (inst.op == Opcode::Cmp) predicates_.set_compare(copy.results[0], id);
  return results;
}

// Its guards and values may be undefined where its block is not executed, which is allowed only for the
// first.
Operand RegionConversion::emit_psi(const Inst& inst, PsiArguments arguments, Node predicate, Reg result) {
  // As they were.
  std::span<const Operand> listed = function_.operands(inst);
  const std::vector<Operand> own(listed.begin(), listed.end());
  std::vector<Operand> kept;
  for (size_t i = 0; i < arguments.size(); ++i) {
    PsiArgument argument = arguments[i], was = psi_arguments(own)[i];
    Node taken = predicates_.split(predicate, argument.guard).first;
    if (taken == kNever) continue;
    bool is_always = kept.empty() && argument.guard == Operand::always();
    Operand guard = is_always ? Operand::always() : predicates_.operand(taken);
    Operand value = argument.value;
    // On this path a phi may be a value undefined under its guard; and relations between different guards are
    // lost once their compares are duplicated.
    bool is_safe = value == was.value && state_.is_defined_under(value, was.guard);
    if (!kept.empty() && !is_safe) value = total(value);
    add_psi_argument(kept, guard, value);
  }
  if (kept.empty()) return Operand::undef(inst.type);
  builder_.guard(Guard());
  builder_.into(result);
  return Operand::reg(builder_.psi(inst.type, kept));
}

}  // namespace psi::predication
