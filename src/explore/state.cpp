#include "explore/state.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "explore/json.h"
#include "explore/live.h"
#include "explore/region.h"
#include "live/accesses.h"
#include "predicate/edge_terms.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/regions.h"
#include "psi/analysis/uses.h"
#include "psi/live/interference.h"
#include "psi/live/webs.h"
#include "psi/predicate/guard_facts.h"
#include "psi/text/text.h"

namespace psi::explore {
namespace {

class Look {
 public:
  Look(const Module& module, const Function& function, LaneMemory& memory, const Limits& limits)
      : module_(module),
        function_(function),
        memory_(memory),
        limits_(limits),
        analyses_(function),
        names_(function),
        cfg_(analyses_.get<Cfg>()),
        order_(analyses_.get<Order>()),
        loops_(analyses_.get<Loops>()),
        frequencies_(analyses_.get<Frequencies>()),
        uses_(analyses_.get<Uses>()),
        is_ssa_(is_ssa(function.form)) {}

  State run() {
    state_.is_ssa = is_ssa_;
    memory_.begin();
    read_text();
    live_of_.resize(function_.num_regs());
    domain_of_.resize(function_.num_regs());
    edges_.resize(cfg_.num_edges());
    is_large_ = state_.rows.size() > limits_.live;
    if (!is_large_) {
      live_.emplace(function_, analyses_);
    } else {
      omit("live");
      omit("pressure");
      omit("proofs");
    }
    if (is_ssa_) {
      look_at_regions();
    } else {
      for (BlockId b : function_.layout()) look_at_block_alone(b);
    }
    write_values();
    write_head();
    write_lists();
    for (std::vector<Entry>* list : {&state_.blocks, &state_.instructions, &state_.values, &state_.regions}) {
      std::ranges::sort(*list, {}, &Entry::id);
    }
    return std::move(state_);
  }

 private:
  // A region, or a block in plain form.
  struct Scope {
    BlockId entry;
    std::span<const BlockId> blocks;
    Predicates* predicates = nullptr;  // null: no lanes
    std::vector<Term> reached;         // by position in blocks
    Lanes* lanes = nullptr;
  };

  // --- Text and names -------------------------------------------------------------------------------------

  uint32_t id(InstId inst) const { return function_.identity(inst); }
  uint32_t id(Reg r) const { return function_.identity(r); }
  std::string name(Reg r) const {
    std::string out;
    names_.append(out, r);
    return out;
  }
  std::string name(BlockId b) const {
    std::string out;
    names_.append(out, b);
    return out;
  }
  std::string name(Operand operand) const {
    if (!operand.reads_reg()) return print(module_, function_, operand);
    return (operand.is_negated() ? "!" : "") + name(operand.reg());
  }

  // The lines of the whole text, since types are left out where earlier lines say them.
  void read_text() {
    std::string text = print(module_, function_);
    std::string_view left = text;
    auto next = [&] {
      size_t end = std::min(left.find('\n'), left.size());
      std::string_view line = left.substr(0, end);
      left.remove_prefix(std::min(end + 1, left.size()));
      return line;
    };
    title_ = next();
    text_of_.resize(function_.num_insts());
    for (BlockId b : function_.layout()) {
      next();
      for (InstId inst : function_.insts(b)) {
        std::string_view line = next();
        line.remove_prefix(std::min<size_t>(2, line.size()));
        if (uint32_t number = function_.line(inst)) {
          std::string suffix = fmt::format(", line {}", number);
          if (line.ends_with(suffix)) line.remove_suffix(suffix.size());
        }
        text_of_[inst.index()] = line;
        state_.rows.push_back({id(inst), b.index(), inst, std::string(line)});
      }
    }
  }

  void omit(std::string_view what) { omitted_.emplace_back(what); }

  // --- Regions and blocks ---------------------------------------------------------------------------------

  void look_at_regions() {
    GuardFacts& facts = analyses_.get<GuardFacts>();
    Predicates& predicates = facts.predicates();
    PredicateText text(module_, function_, predicates, BlockId(), names_);
    size_t num_registers = text.named().size();
    Regions regions(cfg_, order_);
    for (uint32_t region = 0; region < regions.num_regions(); ++region) {
      Scope scope{regions.entry(region), regions.blocks(region), &predicates, {}, nullptr};
      scope.reached = block_terms(analyses_, scope.blocks, predicates);
      Lanes lanes(predicates.terms(), !is_large_);
      scope.lanes = &lanes;
      for (size_t i = 0; i < scope.blocks.size(); ++i) text.add(name(scope.blocks[i]), scope.reached[i]);
      look_at_scope(scope, text);
      for (size_t i = 0; i < scope.blocks.size(); ++i) {
        for (InstId inst : function_.insts(scope.blocks[i])) {
          for (Reg r : function_.inst(inst).results) {
            if (r)
              domain_of_[r.index()] = lanes.mask(predicates.terms().both(scope.reached[i], facts.domain(r)));
          }
        }
      }
      if (region == 0) {
        for (Reg param : function_.params) domain_of_[param.index()] = lanes.mask(Term::always());
      }
      text.forget(num_registers);
    }
    for (BlockId b : function_.layout()) {
      if (!order_.is_reachable(b)) look_at_unreachable(b);
    }
  }

  void look_at_unreachable(BlockId b) {
    PredicateTerms no_terms;
    Lanes lanes(no_terms);
    lanes.finish({});
    BlockId blocks[] = {b};
    write_block({b, blocks, nullptr, {Term::always()}, &lanes}, 0);
  }

  bool has_guards(BlockId b) const {
    return std::ranges::any_of(function_.insts(b), [&](InstId inst) {
      const Inst& record = function_.inst(inst);
      return record.guard || record.op == Opcode::Cmpp;
    });
  }

  void look_at_block_alone(BlockId b) {
    if (!order_.is_reachable(b)) return look_at_unreachable(b);
    std::optional<Predicates> own;
    Predicates* predicates = live_ ? live_->enter(b) : nullptr;
    if (!predicates && has_guards(b)) predicates = &own.emplace(function_, b);
    PredicateTerms no_terms;
    Lanes lanes(predicates ? predicates->terms() : no_terms, !is_large_);
    BlockId blocks[] = {b};
    Scope scope{b, blocks, predicates, {Term::always()}, &lanes};
    if (!predicates || !has_guards(b)) {
      lanes.finish({});
      return write_block(scope, 0);
    }
    PredicateText text(module_, function_, *predicates, b, names_);
    look_at_scope(scope, text);
  }

  // Lanes first, then all that is shown with them.
  void look_at_scope(Scope& scope, PredicateText& text) {
    Predicates& predicates = *scope.predicates;
    std::vector<std::pair<BlockId, size_t>> in_order;
    for (size_t i = 0; i < scope.blocks.size(); ++i) {
      BlockId b = scope.blocks[i];
      live::Accesses accesses(function_, predicates, b);
      in_order.emplace_back(b, i);
      for (InstId inst : function_.insts(b)) split_by(scope, i, inst);
      split_by_edges(scope, i);
    }
    if (scope.blocks.size() > 1) {
      std::ranges::sort(in_order, {}, [&](const auto& one) { return layout_position(one.first); });
    }
    std::vector<Term> features;
    for (auto [b, i] : in_order) {
      features.push_back(scope.reached[i]);
      for (InstId inst : function_.insts(b)) {
        if (function_.inst(inst).guard) features.push_back(both(scope, i, predicates.guard(inst)));
      }
    }
    scope.lanes->finish(features);
    if (scope.lanes->any()) {
      std::vector<NamedSet> named = named_sets(scope, text);
      RegionText region(predicates, text, *scope.lanes);
      region.place(scope.entry.index(), named, memory_);
      std::string members = region.json(named, num_proofs_, is_large_);
      Json json;
      json.open('{').key("entry").number(scope.entry.index()).key("blocks").open('[');
      for (BlockId b : scope.blocks) json.number(b.index());
      json.close(']').raw(members).close('}');
      state_.regions.push_back({scope.entry.index(), json.take()});
    }
    for (size_t i = 0; i < scope.blocks.size(); ++i) write_block(scope, i);
  }

  Term both(const Scope& scope, size_t i, Term term) const {
    return scope.predicates->terms().both(scope.reached[i], term);
  }

  void split_by(const Scope& scope, size_t i, InstId id) {
    const Inst& inst = function_.inst(id);
    constexpr double kEven = 0.5;
    if (inst.guard) scope.lanes->split(both(scope, i, scope.predicates->guard(id)), kEven);
    if (!inst.is_psi()) return;
    for (auto [guard, value] : psi_arguments(function_, inst)) {
      scope.lanes->split(both(scope, i, scope.predicates->value(guard)), kEven);
    }
  }

  void split_by_edges(const Scope& scope, size_t i) {
    BlockId b = scope.blocks[i];
    find_edges(scope, b);
    for (uint32_t edge = 0; edge + 1 < edge_terms_.size(); ++edge) {
      scope.lanes->split(both(scope, i, edge_terms_[edge]), frequencies_.probability({b, edge}));
    }
    // A return under a guard.
    if (edge_terms_.size() == 1)
      scope.lanes->split(both(scope, i, edge_terms_[0]), frequencies_.probability({b, 0}));
  }

  // The terms of a block's edges, once it is reached.
  void find_edges(const Scope& scope, BlockId b) {
    edge_terms_.clear();
    Predicates& predicates = *scope.predicates;
    if (is_ssa_) {
      std::vector<predicate::EdgeTerm> edges;
      predicate::collect_edge_terms(b, predicates, edges);
      for (const predicate::EdgeTerm& edge : edges) edge_terms_.push_back(edge.term);
      return;
    }
    Term left;
    PredicateTerms& terms = predicates.terms();
    for (InstId id : function_.terminators(b)) {
      const Inst& inst = function_.inst(id);
      Term here = terms.both(left, predicates.guard(id));
      if (inst.is_branch()) {
        Term condition = predicates.value(as_branch(function_, inst).condition);
        edge_terms_.push_back(terms.both(here, condition));
        edge_terms_.push_back(terms.both(here, !condition));
      } else {
        // Which case of a switch holds is not known to plain form's predicates.
        function_.for_each_target(inst, [&](BlockId) { edge_terms_.push_back(here); });
      }
      left = terms.both(left, !predicates.guard(id));
    }
  }

  uint32_t layout_position(BlockId b) {
    if (layout_position_.empty()) {
      layout_position_.resize(function_.num_blocks());
      for (uint32_t i = 0; i < function_.layout().size(); ++i)
        layout_position_[function_.layout()[i].index()] = i;
    }
    return layout_position_[b.index()];
  }

  std::vector<NamedSet> named_sets(const Scope& scope, const PredicateText& text) const {
    std::vector<NamedSet> named;
    if (scope.blocks.size() > 1) {
      for (size_t i = 0; i < scope.blocks.size(); ++i)
        named.push_back({name(scope.blocks[i]), scope.reached[i], 0});
    }
    Predicates& predicates = *scope.predicates;
    if (!is_ssa_) {
      for (const PredicateText::Named& one : text.named()) {
        Reg r = find_reg(function_, std::string_view(one.name).substr(1));
        named.push_back({one.name, one.term, r ? id(r) : 0});
      }
      return named;
    }
    for (size_t i = 0; i < scope.blocks.size(); ++i) {
      for (InstId inst : function_.insts(scope.blocks[i])) {
        const Inst& record = function_.inst(inst);
        auto add_complement = [&](Operand operand) {
          if (operand.reads_reg() && operand.is_negated()) {
            named.push_back({name(operand), both(scope, i, predicates.value(operand)), 0});
          }
        };
        add_complement(record.guard.as_operand());
        if (record.is_psi()) {
          for (auto [guard, value] : psi_arguments(function_, record)) add_complement(guard);
        }
        if (record.result_type() != Type::i1) continue;
        for (Reg r : record.results) {
          if (r) named.push_back({name(r), both(scope, i, predicates.value(r)), id(r)});
        }
      }
    }
    return named;
  }

  // --- Entries --------------------------------------------------------------------------------------------

  void write_block(const Scope& scope, size_t index) {
    BlockId b = scope.blocks[index];
    Lanes& lanes = *scope.lanes;
    PartSet reached = lanes.of(scope.reached[index]);
    for (InstId inst : function_.insts(b)) write_inst(scope, index, inst, reached);
    Json json;
    json.open('{').key("id").number(b.index()).key("name").text(name(b)).key("rows").open('[');
    for (InstId inst : function_.insts(b)) json.number(id(inst));
    json.close(']').key("frequency").real(frequencies_.of(b));
    json.key("measured").truth(function_.count(b).has_value()).key("loop");
    write_loop(json, loops_.of(b));
    json.key("region");
    if (lanes.any()) {
      json.number(scope.entry.index());
    } else {
      json.null();
    }
    json.key("lanes").text(lanes.mask(reached)).key("to").open('[');
    write_edges(scope, index, json);
    json.close(']');
    if (live_ && order_.is_reachable(b)) write_life(b, lanes, reached, json);
    json.close('}');
    state_.blocks.push_back({b.index(), json.take()});
  }

  void write_loop(Json& json, LoopId loop) const {
    if (loop) {
      json.number(loops_.header(loop).index());
    } else {
      json.null();
    }
  }

  void write_edges(const Scope& scope, size_t index, Json& json) {
    BlockId b = scope.blocks[index];
    bool has_terms = scope.predicates && scope.lanes->any();
    if (has_terms) find_edges(scope, b);
    uint32_t edge = 0;
    for (InstId inst : function_.terminators(b)) {
      const Inst& record = function_.inst(inst);
      std::string guard = record.guard ? name(record.guard.as_operand()) : "";
      uint32_t target = 0;
      function_.for_each_target(record, [&](BlockId to) {
        std::string when = guard;
        if (std::string choice = chosen(record, target); !choice.empty())
          when += (when.empty() ? "" : " & ") + choice;
        PartSet set;
        if (has_terms) set = scope.lanes->of(both(scope, index, edge_terms_[edge]));
        edges_[cfg_.number({b, edge})] = {set, scope.entry};
        json.open('{').key("block").number(to.index());
        json.key("probability").real(frequencies_.probability({b, edge})).key("when").text(when);
        json.key("lanes")
            .text(scope.lanes->mask(set))
            .key("back")
            .truth(loops_.is_back_edge(b, to))
            .close('}');
        ++edge;
        ++target;
      });
    }
  }

  // What a terminator goes to this target by.
  std::string chosen(const Inst& inst, uint32_t target) const {
    if (inst.is_branch()) {
      Operand condition = as_branch(function_, inst).condition;
      return name(target == 0 ? condition : complement(condition));
    }
    if (inst.op != Opcode::Switch || target == 0) return {};
    return name(as_switch(function_, inst).cases[target - 1].literal);
  }

  void write_inst(const Scope& scope, size_t index, InstId inst, PartSet reached) {
    const Inst& record = function_.inst(inst);
    Lanes& lanes = *scope.lanes;
    std::vector<std::pair<uint32_t, PartSet>> reads, writes;
    auto add = [](std::vector<std::pair<uint32_t, PartSet>>& list, uint32_t value, PartSet where) {
      auto at = std::ranges::find(list, value, &std::pair<uint32_t, PartSet>::first);
      if (at == list.end()) {
        list.emplace_back(value, where);
      } else {
        at->second = at->second | where;
      }
    };
    PartSet executes = reached;
    if (record.is_phi()) {
      add_phi_reads(scope, inst, reached, reads, add);
      add(writes, id(record.results[0]), reached);
    } else {
      bool has_lanes = lanes.any();
      std::optional<live::Accesses> blind;
      live::Accesses* accesses = nullptr;
      if (has_lanes) {
        if (!accesses_ || accesses_of_ != scope.blocks[index] || accesses_by_ != scope.predicates) {
          accesses_.emplace(function_, *scope.predicates, scope.blocks[index]);
          accesses_of_ = scope.blocks[index];
          accesses_by_ = scope.predicates;
        }
        accesses = &*accesses_;
      } else {
        accesses = &blind.emplace(function_);
      }
      accesses->look_at(inst);
      auto within = [&](Term term) { return has_lanes ? lanes.of(both(scope, index, term)) : reached; };
      executes = within(accesses->executes_at_most());
      if (record.is_psi() && has_lanes) executes = within(accesses->writes().front().makes);
      for (const live::Read& read : accesses->reads()) {
        if (read.operand != live::Read::kOldContents) add(reads, id(read.reg), within(read.where));
      }
      for (const live::Write& write : accesses->writes()) add(writes, id(write.reg), within(write.makes));
    }
    Json json;
    json.open('{').key("id").number(id(inst)).key("text").text(text_of_[inst.index()]).key("guard");
    if (record.guard) {
      json.open('[').number(id(record.guard.reg())).truth(!record.guard.is_negated()).close(']');
    } else {
      json.null();
    }
    json.key("lanes").text(lanes.mask(executes));
    auto write = [&](std::string_view key, const std::vector<std::pair<uint32_t, PartSet>>& list) {
      json.key(key).open('[');
      for (auto [value, set] : list) json.open('[').number(value).text(lanes.mask(set)).close(']');
      json.close(']');
    };
    write("writes", writes);
    if (!is_large_ && !writes.empty()) state_.written[id(inst)] = lanes.mask(writes.front().second);
    write("reads", reads);
    json.key("source");
    if (uint32_t line = function_.line(inst)) {
      json.number(line);
    } else {
      json.null();
    }
    json.close('}');
    state_.instructions.push_back({id(inst), json.take()});
  }

  // An argument from outside of the region is read in some executions, nothing is known of which.
  template <class Add>
  void add_phi_reads(const Scope& scope, InstId phi, PartSet reached,
                     std::vector<std::pair<uint32_t, PartSet>>& reads, Add add) const {
    BlockId b = uses_.block(phi);
    for (auto [from, value] : phi_entries(function_, phi)) {
      if (!value.reads_reg()) continue;
      PartSet set;
      for (uint32_t i = 0; i < cfg_.predecessors(b).size(); ++i) {
        Edge edge = cfg_.incoming(b, i);
        if (edge.from != from) continue;
        const auto& [taken, region] = edges_[cfg_.number(edge)];
        set = set | (b != scope.entry && region == scope.entry ? taken : PartSet{0, reached.some});
      }
      add(reads, id(value.reg()), set);
    }
  }

  void write_life(BlockId b, Lanes& lanes, PartSet reached, Json& json) {
    if (!lanes.any()) reached = lanes.of(Term::always());  // what is never reached has no lane to say so
    if (is_ssa_) live_->enter(b);                          // otherwise it has been, for its predicates
    BlockLife life = live_->look_at(b, lanes, reached);
    std::span<const InstId> insts = function_.insts(b);
    for (const LiveRun& run : life.runs) {
      std::string mask;
      for (size_t i = 0; lanes.any() && i < lanes.lanes().size(); ++i) {
        mask += run.lanes.all >> i & 1 ? '1' : run.lanes.some >> i & 1 ? '?' : '0';
      }
      state_.life[id(run.reg)].push_back({b.index(), run.first, run.last, mask});
      Json segment;
      auto row = [&](bool is_inside, uint32_t position) {
        if (is_inside) {
          segment.number(id(insts[position]));
        } else {
          segment.null();
        }
      };
      segment.open('[').number(b.index());
      row(run.first > 0, run.first - 1);
      row(run.last < insts.size(), run.last);
      segment.text(mask).close(']');
      std::string& all = live_of_[run.reg.index()];
      if (!all.empty()) all += ',';
      all += segment.str();
    }
    json.key("pressure").open('[');
    for (size_t kind = 0; kind < kClasses.size(); ++kind) {
      auto is_zero = [](uint32_t count) { return count == 0; };
      if (std::ranges::all_of(life.blind[kind], is_zero) && std::ranges::all_of(life.aware[kind], is_zero))
        continue;
      json.open('{').key("class").text(kClasses[kind]).key("aware").open('[');
      for (uint32_t count : life.aware[kind]) json.number(count);
      json.close(']').key("blind").open('[');
      for (uint32_t count : life.blind[kind]) json.number(count);
      json.close(']').close('}');
    }
    json.close(']');
  }

  void write_values() {
    Webs webs(function_.num_regs());
    auto join = [&](Reg a, Operand b) {
      if (b.reads_reg()) webs.unite(a, b.reg());
    };
    for (const Row& row : state_.rows) {
      const Inst& inst = function_.inst(row.inst);
      if (inst.is_phi() || inst.is_psi()) {
        for (auto [where, value] : merge_arguments(function_, inst)) join(inst.results[0], value);
      } else if (inst.op == Opcode::Cmpp && is_ssa_) {
        for (int target : {0, 1}) {
          if (inst.results[static_cast<size_t>(target)]) {
            join(inst.results[static_cast<size_t>(target)], old_value(function_, inst, target));
          }
        }
      }
    }
    for (uint32_t i = 0; i < function_.num_regs(); ++i) {
      Reg r(i);
      if (!uses_.is_param(r) && !uses_.is_used(r) && uses_.definitions(r).empty()) continue;
      Json json;
      json.open('{').key("id").number(id(r)).key("name").text(name(r)).key("type").text(
          type_name(function_.type(r)));
      json.key("definitions").open('[');
      for (InstId inst : uses_.definitions(r)) json.number(id(inst));
      json.close(']').key("parameter").truth(uses_.is_param(r)).key("uses").open('[');
      InstId last;
      for (const Use& use : uses_.uses(r)) {
        if (use.inst != last) json.number(id(use.inst));
        last = use.inst;
      }
      json.close(']').key("domain").text(domain_of_[i]).key("web");
      if (webs.size(r) > 1) {
        uint32_t least = UINT32_MAX;
        Reg root = webs.find(r);
        auto known = web_id_.find(root.index());
        if (known == web_id_.end()) {
          webs.for_each_member(root, [&](Reg member) { least = std::min(least, id(member)); });
          known = web_id_.emplace(root.index(), least).first;
        }
        json.number(known->second);
      } else {
        json.null();
      }
      json.key("class").text(kClasses[class_of(function_.type(r))]);
      if (live_) json.key("live").open('[').raw(live_of_[i]).close(']');
      json.close('}');
      state_.values.push_back({id(r), json.take()});
    }
  }

  void write_head() {
    Json json;
    std::string_view source = frequencies_.source() == Frequencies::Source::Counts       ? "counts"
                              : frequencies_.source() == Frequencies::Source::EdgeCounts ? "edge counts"
                                                                                         : "estimated";
    json.key("form").text(form_name(function_.form)).key("head").text(title_).key("parameters").open('[');
    for (Reg param : function_.params) json.number(id(param));
    json.close(']').key("order").open('[');
    for (BlockId b : function_.layout()) json.number(b.index());
    json.close(']').key("frequencies").text(source).key("loops").open('[');
    for (uint32_t i = 0; i < loops_.num_loops(); ++i) {
      LoopId loop(i);
      json.open('{').key("header").number(loops_.header(loop).index()).key("parent");
      write_loop(json, loops_.parent(loop));
      json.key("depth").number(loops_.depth(loop)).key("blocks").open('[');
      for (BlockId b : loops_.blocks(loop)) json.number(b.index());
      json.close(']').close('}');
    }
    state_.head = json.close(']').take();
  }

  void write_lists() {
    Json json;
    if (state_.rows.size() <= limits_.interference) {
      write_interference(json);
    } else {
      omit("interference");
    }
    if (!is_large_ && num_proofs_ == 0) omit("proofs");
    json.key("omitted").open('[');
    for (const std::string& what : omitted_) json.text(what);
    state_.lists = json.close(']').take();
  }

  void write_interference(Json& json) {
    Interference aware(function_, analyses_, is_ssa_ ? FlowScope::Global : FlowScope::Local);
    Interference blind(function_, analyses_, FlowScope::Blind);
    if (blind.num_edges() > limits_.pairs) return omit("interference");
    auto write = [&](std::string_view key, auto is_wanted) {
      json.key(key).open('[');
      for (uint32_t i = 0; i < function_.num_regs(); ++i) {
        for (Reg other : blind.neighbours(Reg(i))) {
          if (other.index() > i && is_wanted(Reg(i), other)) {
            json.open('[').number(id(Reg(i))).number(id(other)).close(']');
          }
        }
      }
      json.close(']');
    };
    json.key("interference").open('{');
    write("pairs", [&](Reg a, Reg b) { return aware.interferes(a, b); });
    write("blind_only", [&](Reg a, Reg b) { return !aware.interferes(a, b); });
    json.close('}');
  }

  const Module& module_;
  const Function& function_;
  LaneMemory& memory_;
  const Limits& limits_;
  Analyses analyses_;
  DisplayNames names_;
  const Cfg& cfg_;
  const Order& order_;
  const Loops& loops_;
  const Frequencies& frequencies_;
  const Uses& uses_;
  bool is_ssa_;
  bool is_large_ = false;
  State state_;
  std::string title_;
  std::vector<std::string> text_of_;  // by InstId
  std::optional<LiveLanes> live_;
  std::optional<live::Accesses> accesses_;  // of a block
  BlockId accesses_of_;
  const Predicates* accesses_by_ = nullptr;
  std::vector<Term> edge_terms_;                    // of one block
  std::vector<std::pair<PartSet, BlockId>> edges_;  // by edge: its set, and the region it is of
  std::vector<uint32_t> layout_position_;           // by BlockId
  std::vector<std::string> live_of_, domain_of_;    // by Reg
  std::map<uint32_t, uint32_t> web_id_;             // by representative
  std::vector<std::string> omitted_;
  uint32_t num_proofs_ = 400;
};

}  // namespace

State look_at(const Module& module, const Function& function, LaneMemory& memory, const Limits& limits) {
  return Look(module, function, memory, limits).run();
}

}  // namespace psi::explore
