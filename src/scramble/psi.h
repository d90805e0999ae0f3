// A psi under modification.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "scramble/knowledge.h"

namespace psi::scramble {

class Psi {
 public:
  Psi(Scene& scene, Knowledge& knowledge, InstId id)
      : scene_(scene),
        knowledge_(knowledge),
        id_(id),
        place_(knowledge.place(id)),
        arguments_(arguments_of(scene.function, id)) {}

  InstId id() const { return id_; }
  Type type() const { return scene_.function.inst(id_).type; }
  size_t size() const { return arguments_.size(); }
  const Argument& operator[](size_t i) const { return arguments_[i]; }
  std::span<const Argument> arguments() const { return arguments_; }
  std::span<const Argument> before(size_t i) const { return std::span(arguments_).first(i); }
  std::span<const Argument> from(size_t i) const { return std::span(arguments_).subspan(i); }

  // Is the guard defined, whatever the others are?
  bool is_defined(Operand guard) const {
    return !guard.reads_reg() ||
           (knowledge_.is_available(guard, id_) && scene_.defined.at(guard.reg(), place_));
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
      Term old = knowledge_.merged(arguments_), now = knowledge_.merged(arguments);
      if (!knowledge_.contains(old, now) || !knowledge_.contains(now, old)) return false;
    }
    arguments_ = std::move(arguments);
    scene_.function.set_operands(id_, operands_of(arguments_));
    return true;
  }
  bool change(size_t i, Operand guard) {
    std::vector<Argument> changed = arguments_;
    changed[i].guard = guard;
    return change(std::move(changed));
  }

 private:
  Scene& scene_;
  Knowledge& knowledge_;
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
void for_each_psi(Scene& scene, Knowledge& knowledge, Visit visit) {
  for (BlockId b : scene.blocks()) {
    for (InstId id : psis_in(scene.function, b)) {
      Psi psi(scene, knowledge, id);
      visit(psi);
    }
  }
}

}  // namespace psi::scramble
