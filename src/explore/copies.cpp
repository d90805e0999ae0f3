#include "explore/copies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "explore/conflicts.h"
#include "explore/json.h"
#include "psi/analysis/frequencies.h"
#include "psi/ir/views.h"
#include "psi/live/interference.h"

namespace psi::explore {
namespace {

class Leave {
 public:
  Leave(const Function& before, const State& state, const Function& after, const State& now)
      : before_(before), state_(state), after_(after), now_(now) {
    for (const Row& row : state.rows) inst_before_.emplace(row.id, row.inst);
    for (uint32_t i = 0; i < before.num_regs(); ++i) reg_before_.emplace(before.identity(Reg(i)), Reg(i));
  }

  Leaving run(const Limits& limits) {
    find_registers();
    Leaving leaving;
    for (auto [value, now] : register_of_) {
      if (value != now) leaving.became.emplace_back(value, now);
    }
    bool is_small = state_.rows.size() <= limits.interference && now_.rows.size() <= limits.interference;
    if (is_small) leaving.copies = copies();
    return leaving;
  }

 private:
  // An instruction that stayed reads and writes the same things under the names that they have now.
  void find_registers() {
    for (const Row& row : now_.rows) {
      auto at = inst_before_.find(row.id);
      if (at == inst_before_.end()) continue;
      const Inst& old = before_.inst(at->second);
      const Inst& inst = after_.inst(row.inst);
      if (old.op != inst.op) continue;
      for (size_t i = 0; i < old.results.size(); ++i) pair(Operand(old.results[i]), Operand(inst.results[i]));
      pair(old.guard.as_operand(), inst.guard.as_operand());
      std::span<const Operand> was = before_.operands(old), is = after_.operands(inst);
      for (size_t i = 0; i < std::min(was.size(), is.size()); ++i) pair(was[i], is[i]);
    }
    for (auto [value, now] : register_of_) members_[now].push_back(value);
  }
  void pair(Operand old, Operand now) {
    if (!old.reads_reg() || !now.reads_reg() || !old.reg() || !now.reg()) return;
    register_of_.try_emplace(before_.identity(old.reg()), after_.identity(now.reg()));
  }

  std::string copies() {
    Json json;
    bool any = false;
    json.key("copies").open('[');
    for (const Row& row : now_.rows) {
      const Inst& inst = after_.inst(row.inst);
      if (inst_before_.contains(row.id) || !inst.is_copy() || !copied(after_, inst).is_reg()) continue;
      if (!any) prepare();
      any = true;
      write(json, row, inst.results[0], copied(after_, inst).reg());
    }
    return any ? json.close(']').take() : std::string();
  }

  void prepare() {
    conflicts_.emplace(before_, state_);
    analyses_after_.emplace(after_);
    interference_after_.emplace(after_, *analyses_after_, FlowScope::Local);
  }

  void write(Json& json, const Row& row, Reg target, Reg source) {
    json.open('{').key("id").number(row.id);
    json.key("weight").real(analyses_after_->get<Frequencies>().of(BlockId(row.block)));
    json.key("because");
    write_reason(json, after_.identity(target), after_.identity(source));
    json.key("ends_interfere").truth(interference_after_->interferes(target, source)).close('}');
  }

  // The first two values, of all that the two registers stand for, that interfere.
  void write_reason(Json& json, uint32_t target, uint32_t source) {
    for (uint32_t a : members_[target]) {
      for (uint32_t b : members_[source]) {
        Reg first = reg_before_[a], second = reg_before_[b];
        if (a == b || !conflicts_->interfere(first, second)) continue;
        Conflicts::Place place = conflicts_->place(first, second);
        json.open('{').key("values").open('[').number(a).number(b).close(']').key("names").open('[');
        json.text(conflicts_->name(first)).text(conflicts_->name(second)).close(']').key("at");
        if (place.at) {
          json.number(before_.identity(place.at));
        } else {
          json.null();
        }
        json.key("lanes").text(place.lanes).close('}');
        return;
      }
    }
    json.null();
  }

  const Function& before_;
  const State& state_;
  const Function& after_;
  const State& now_;
  std::unordered_map<uint32_t, InstId> inst_before_;
  std::unordered_map<uint32_t, Reg> reg_before_;
  std::map<uint32_t, uint32_t> register_of_;           // by value
  std::map<uint32_t, std::vector<uint32_t>> members_;  // by register: the values in it
  std::optional<Conflicts> conflicts_;
  std::optional<Analyses> analyses_after_;
  std::optional<Interference> interference_after_;
};

}  // namespace

Leaving leave_ssa(const Function& before, const State& state, const Function& after, const State& now,
                  const Limits& limits) {
  return Leave(before, state, after, now).run(limits);
}

}  // namespace psi::explore
