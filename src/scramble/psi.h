// A psi under modification.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "scramble/function_facts.h"

namespace psi::scramble {

class Psi {
 public:
  Psi(ScrambleContext& context, FunctionFacts& facts, InstId id)
      : context_(context),
        facts_(facts),
        id_(id),
        place_(facts.place(id)),
        arguments_(arguments_of(context.function, id)) {}

  InstId id() const { return id_; }
  Type type() const { return context_.function.inst(id_).type; }
  size_t size() const { return arguments_.size(); }
  const Argument& operator[](size_t i) const { return arguments_[i]; }
  std::span<const Argument> arguments() const { return arguments_; }
  std::span<const Argument> before(size_t i) const { return std::span(arguments_).first(i); }
  std::span<const Argument> from(size_t i) const { return std::span(arguments_).subspan(i); }

  // Is the guard defined, whatever the others are?
  bool is_defined(Operand guard) const {
    return !guard.reads_reg() ||
           (facts_.is_available(guard, id_) && context_.defined.at(guard.reg(), place_));
  }
  // Is it defined where all guards from `i` on have been read?
  bool is_defined_before(size_t i, Operand guard) const {
    return is_defined(guard) || std::ranges::any_of(from(i), [&](const Argument& later) {
             return later.guard.reads_reg() && later.guard.reg() == guard.reg();
           });
  }

  // Replaces the arguments. Fails if that changes the term of a predicate, even where it is undefined, since
  // the facts may be in use.
  bool change(std::vector<Argument> arguments) {
    if (type() == Type::i1) {
      Term old = facts_.merged(arguments_), now = facts_.merged(arguments);
      if (!facts_.contains(old, now) || !facts_.contains(now, old)) return false;
    }
    arguments_ = std::move(arguments);
    context_.function.set_operands(id_, operands_of(arguments_));
    return true;
  }
  bool change(size_t i, Operand guard) {
    std::vector<Argument> changed = arguments_;
    changed[i].guard = guard;
    return change(std::move(changed));
  }

 private:
  ScrambleContext& context_;
  FunctionFacts& facts_;
  InstId id_;
  Place place_;
  std::vector<Argument> arguments_;
};

inline std::vector<InstId> psis_in(const Function& function, BlockId b) {
  std::vector<InstId> psis;
  for (InstId id : function.insts(b)) {
    if (function.inst(id).is_psi()) psis.push_back(id);
  }
  return psis;
}

template <class Visit>
void for_each_psi(ScrambleContext& context, FunctionFacts& facts, Visit visit) {
  for (BlockId b : context.blocks()) {
    for (InstId id : psis_in(context.function, b)) {
      Psi psi(context, facts, id);
      visit(psi);
    }
  }
}

}  // namespace psi::scramble
