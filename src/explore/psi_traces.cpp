#include <algorithm>
#include <optional>
#include <unordered_map>

#include "explore/conflicts.h"
#include "explore/json.h"
#include "explore/traces.h"
#include "psi/ir/views.h"

namespace psi::explore {
namespace {

class PsiTrace {
 public:
  PsiTrace(const Function& before, const State& state, const Function& after, const State& now)
      : before_(before), after_(after), conflicts_(before, state), after_names_(after) {
    for (const Row& row : now.rows) {
      now_.emplace(row.id, row.inst);
      const Inst& inst = after.inst(row.inst);
      if (inst.results[0]) definitions_.emplace(after.identity(inst.results[0]), row.inst);
    }
    for (const Row& row : state.rows) {
      for (Reg result : before.inst(row.inst).results) {
        if (result) known_.emplace(before.identity(result), result);
      }
    }
    for (Reg param : before.params) known_.emplace(before.identity(param), param);
  }

  // Of one psi: psi-normalize goes from left to right, psi-web from right to left.
  void write(Json& json, InstId psi, bool normalizes) {
    auto at = now_.find(before_.identity(psi));
    if (at == now_.end() || !after_.inst(at->second).is_psi()) return;
    PsiArguments old = psi_arguments(before_, psi), arguments = psi_arguments(after_, at->second);
    for (size_t i = 0; i < arguments.size(); ++i) {
      size_t index = normalizes ? i : arguments.size() - 1 - i;
      PsiArgument was = index < old.size() ? old[index] : PsiArgument{};
      write_argument(json, psi, index, was, arguments[index], old);
    }
  }

 private:
  uint32_t value(Operand operand) const { return operand.reads_reg() ? after_.identity(operand.reg()) : 0; }

  void write_argument(Json& json, InstId psi, size_t index, PsiArgument was, PsiArgument is,
                      PsiArguments all) {
    std::string_view verdict = "stays";
    Reg copied_from;
    bool is_same = same(was.value, is.value);
    if (is_same && !same(was.guard, is.guard)) verdict = "guard changed";
    if (!is_same) {
      copied_from = source_of_copy(is.value);
      bool is_moved = std::ranges::any_of(all, [&](PsiArgument one) { return same(one.value, is.value); });
      verdict = is_moved ? "moved" : copied_from ? "copied" : "changed";
    }
    Reg rival = copied_from ? rival_of(psi, copied_from) : Reg();
    json.open('{').key("psi").number(before_.identity(psi)).key("argument").number(index);
    json.key("verdict").text(verdict).key("with");
    Conflicts::Place place;
    if (rival) {
      place = conflicts_.place(copied_from, rival);
      json.number(before_.identity(rival));
    } else {
      json.null();
    }
    json.key("at");
    if (place.at) {
      json.number(before_.identity(place.at));
    } else {
      json.null();
    }
    json.key("lanes").text(place.lanes).key("copy");
    if (copied_from) {
      std::string name;
      after_names_.append(name, is.value.reg());
      json.text(name);
    } else {
      json.null();
    }
    json.close('}');
  }

  // Registers by identity; of other operands only whether both are none.
  bool same(Operand old, Operand now) const {
    if (!old.reads_reg() || !now.reads_reg()) return old.reads_reg() == now.reads_reg();
    return before_.identity(old.reg()) == after_.identity(now.reg()) && old.is_negated() == now.is_negated();
  }

  // The register of the function before that a copy, new in the function after, reads.
  Reg source_of_copy(Operand operand) const {
    if (!operand.is_reg() || known_.contains(value(operand))) return {};
    auto definition = definitions_.find(value(operand));
    if (definition == definitions_.end()) return {};
    const Inst& inst = after_.inst(definition->second);
    Operand source = inst.is_copy() ? copied(after_, inst) : Operand();
    auto at = source.is_reg() ? known_.find(value(source)) : known_.end();
    return at == known_.end() ? Reg() : at->second;
  }

  // What of the psi the register interferes with, if anything.
  Reg rival_of(InstId psi, Reg argument) const {
    Reg result = before_.inst(psi).results[0];
    PsiArguments arguments = psi_arguments(before_, psi);
    for (size_t i = arguments.size(); i-- > 0;) {
      Operand other = arguments[i].value;
      if (other.is_reg() && other.reg() != argument && conflicts_.interfere(argument, other.reg()))
        return other.reg();
    }
    return conflicts_.interfere(argument, result) ? result : Reg();
  }

  const Function& before_;
  const Function& after_;
  Conflicts conflicts_;
  DisplayNames after_names_;
  std::unordered_map<uint32_t, InstId> now_;          // by instruction
  std::unordered_map<uint32_t, InstId> definitions_;  // by value, in the function after
  std::unordered_map<uint32_t, Reg> known_;           // by value, in the function before
};

}  // namespace

std::string psi_trace(std::string_view pass, size_t step, const Function& before, const State& state,
                      const Function& after, const State& now) {
  PsiTrace trace(before, state, after, now);
  Json json;
  for (const Row& row : state.rows) {
    if (before.inst(row.inst).is_psi()) trace.write(json, row.inst, pass == "psi-normalize");
  }
  if (json.empty()) return {};
  Json whole;
  whole.open('{').key("kind").text(pass).key("step").number(step).key("events").open('[').raw(json.str());
  return whole.close(']').close('}').take();
}

}  // namespace psi::explore
