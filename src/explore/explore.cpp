#include "psi/explore/explore.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "explore/changes.h"
#include "explore/copies.h"
#include "explore/json.h"
#include "explore/state.h"
#include "explore/traces.h"
#include "psi/text/text.h"
#include "psi/version.h"

namespace psi {
namespace explore {
namespace {

class Recorder {
 public:
  Recorder(const Module& module, const PassList& passes, const ExploreOptions& options)
      : module_(module), passes_(passes), options_(options) {}

  void begin(Function& function) { add_state(function, nullptr, nullptr); }
  void follow(Function& function, const PassRun& run) { add_state(function, &passes_[run.call], &run); }

  std::string json(const Function& function, const PassFailure* failure) const {
    Json json;
    json.open('{').key("name").text(module_.name(function.symbol)).key("steps").open('[');
    for (const std::string& step : steps_) json.raw(step);
    json.close(']').key("snapshots").open('[');
    for (const std::string& one : snapshots_) json.raw(one);
    json.close(']').key("traces").open('[');
    for (const std::string& trace : traces_) json.raw(trace);
    json.close(']').key("graphs").open('[');
    for (const std::string& graph : graphs_) json.raw(graph);
    json.close(']');
    if (failure) {
      json.key("failure").open('{').key("pass").text(failure->pass);
      json.key("message").text(failure->first_error()).close('}');
    }
    json.close('}');
    return json.str();
  }

 private:
  // Instructions and registers that are new get numbers. In SSA form, an instruction that defines what
  // another defined before takes its place.
  void identify(Function& function) {
    has_new_ = false;
    std::unordered_set<uint32_t> listed;
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) listed.insert(function.identity(id));
    }
    for (uint32_t i = 0; i < function.num_regs(); ++i) {
      if (function.identity(Reg(i)) == 0) function.set_identity(Reg(i), ++num_values_);
    }
    bool is_ssa_now = is_ssa(function.form);
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        if (function.identity(id) != 0) continue;
        has_new_ = true;
        Reg result = function.inst(id).results[0];
        auto heir = is_ssa_now && result ? definer_.find(function.identity(result)) : definer_.end();
        if (heir != definer_.end() && listed.insert(heir->second).second) {
          function.set_identity(id, heir->second);
        } else {
          function.set_identity(id, ++num_insts_);
        }
      }
    }
    definer_.clear();
    if (!is_ssa_now) return;
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        Reg result = function.inst(id).results[0];
        if (result) definer_.emplace(function.identity(result), function.identity(id));
      }
    }
  }

  void add_state(Function& function, const PassCall* call, const PassRun* run) {
    identify(function);
    std::string text = print(module_, function);
    if (call && !call->pass->makes && text == last_text_ && !has_new_)
      return add_step(function, call, run, nullptr, last_index_);
    last_text_ = std::move(text);
    State now = look_at(module_, function, memory_, Limits());
    became_.clear();
    if (before_ && is_ssa(before_->form) && !now.is_ssa) {
      Leaving leaving = leave_ssa(*before_, last_, function, now, Limits());
      became_ = std::move(leaving.became);
      if (!leaving.copies.empty()) now.lists = leaving.copies + "," + now.lists;
    }
    bool is_about_psis = call && (call->pass->name == "psi-normalize" || call->pass->name == "psi-web");
    if (is_about_psis && before_ && last_.rows.size() <= Limits().interference) {
      std::string trace = psi_trace(call->pass->name, steps_.size(), *before_, last_, function, now);
      if (!trace.empty()) traces_.push_back(std::move(trace));
    }
    if (before_ && !is_ssa(before_->form) && now.is_ssa) {
      PlacementTraces placement = placement_traces(*before_, steps_.size());
      if (!placement.traces.empty()) traces_.push_back(std::move(placement.traces));
      if (!placement.graph.empty()) graphs_.push_back(std::move(placement.graph));
    }
    bool is_first = steps_.empty();
    bool changed = is_first || !now.is_same(last_);
    if (changed) {
      auto [at, is_new] = known_.try_emplace(now.hash(), snapshots_.size());
      if (is_new) snapshots_.push_back(snapshot(now, is_first ? nullptr : &last_, last_index_));
      add_step(function, call, run, &now, at->second);
      last_index_ = at->second;
      last_ = std::move(now);
      before_ = function;
    } else {
      add_step(function, call, run, nullptr, last_index_);
    }
  }

  void add_step(const Function& function, const PassCall* call, const PassRun* run, const State* now,
                size_t index) {
    Json json;
    json.open('{').key("pass").text(call ? call->pass->name : "input").key("options").open('{');
    if (call) {
      for (const PassOption& option : call->pass->options) {
        std::string_view value = call->arguments.text(option.name);
        if (value != option.default_value()) json.key(option.name).text(value);
      }
    }
    json.close('}').key("groups").open('[');
    if (call) write_groups(json, *call, run->iteration);
    json.close(']').key("snapshot").number(index);
    json.key("changed").truth(now && !steps_.empty()).key("changes").open('{');
    const State& state = now ? *now : last_;
    ChangeCounts counts = write_changes(json, steps_.empty() ? nullptr : &last_, state,
                                        now ? became_ : std::vector<std::pair<uint32_t, uint32_t>>());
    json.close('}').key("added").number(counts.added).key("removed").number(counts.removed);
    json.key("counters").open('{');
    if (run) {
      for (const auto& [name, count] : run->counters.all()) {
        if (count > 0) json.key(name).number(count);
      }
    }
    json.close('}').key("remarks").open('[');
    if (run) {
      for (const Remark& remark : run->remarks) write_remark(json, function, *call, remark);
    }
    json.close(']');
    if (run && options_.times) json.key("ms").real(run->seconds * 1e3);
    steps_.push_back(json.close('}').take());
  }

  static void write_groups(Json& json, const PassCall& call, uint32_t iteration) {
    // The group that is repeated: `fixpoint`, the innermost of its name.
    size_t repeated = call.groups.size();
    for (size_t i = 0; iteration > 0 && i < call.groups.size(); ++i) {
      if (call.groups[i].name == "fixpoint") repeated = i;
    }
    for (size_t i = 0; i < call.groups.size(); ++i) {
      json.open('{').key("name").text(call.groups[i].name).key("number").number(call.groups[i].number);
      json.key("iteration").number(i == repeated ? iteration : 0).close('}');
    }
  }

  // A pass that makes another form has renumbered instructions.
  void write_remark(Json& json, const Function& function, const PassCall& call, const Remark& remark) const {
    json.open('{').key("kind").text(remark.kind == Remark::Kind::Done ? "done" : "refused").key("id");
    uint32_t number = 0;
    if (!call.pass->makes && remark.about && remark.about.index() < function.num_insts()) {
      number = function.identity(remark.about);
    }
    if (number == 0) {
      json.null();
    } else {
      json.number(number);
    }
    json.key("subject").text(remark.subject).key("message").text(remark.message);
    if (remark.line > 0) json.key("line").number(remark.line);
    json.close('}');
  }

  const Module& module_;
  const PassList& passes_;
  const ExploreOptions& options_;
  LaneMemory memory_;
  uint32_t num_insts_ = 0, num_values_ = 0;
  std::unordered_map<uint32_t, uint32_t> definer_;  // by value
  State last_;
  std::optional<Function> before_;  // the function as it was then
  std::vector<std::pair<uint32_t, uint32_t>> became_;
  std::vector<std::string> traces_, graphs_;
  std::string last_text_;
  bool has_new_ = false;  // the pass has made an instruction
  size_t last_index_ = 0;
  std::vector<std::string> steps_, snapshots_;
  std::map<std::pair<uint64_t, uint64_t>, size_t> known_;  // snapshots by hash
};

std::string_view file_name(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace
}  // namespace explore

std::string json_string(std::string_view text) { return explore::Json().text(text).take(); }

std::string explore_as_json(Module& module, const PassList& passes, const ExploreOptions& options) {
  explore::Json json;
  json.open('{').key("psic").text(kVersion).key("format").number(1);
  json.key("file").text(explore::file_name(options.file)).key("source").open('{');
  json.key("language").text(options.language).key("text").text(options.source).close('}');
  json.key("passes").text(options.passes).key("functions").open('[');
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || (options.only && symbol != options.only)) continue;
    Function& function = module.function(symbol);
    if (function.is_declaration()) continue;
    explore::Recorder recorder(module, passes, options);
    recorder.begin(function);
    PipelineOptions pipeline;
    pipeline.verify_each = true;
    pipeline.remarks = true;
    pipeline.targets = options.targets;
    pipeline.follow = [&](Function& followed, const PassRun& run) { recorder.follow(followed, run); };
    PipelineResult result = run_passes(module, function, passes, pipeline);
    const PassFailure* failure = result ? nullptr : &result.diagnostics();
    json.raw(recorder.json(function, failure));
  }
  json.close(']');
  if (!options.extra.empty()) json.raw(options.extra);
  return json.close('}').take() + "\n";
}

}  // namespace psi
