#include "psi_transforms/scene.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "psi_transforms/unread.h"

namespace psi::psis {
namespace {

// Of the predicates of one term, so many are looked at.
constexpr int kMaxNames = 8;
// psis of predicates with more arguments stay as they are.
constexpr size_t kMaxPredicates = 64;

}  // namespace

Scene::Scene(const Module& module, Function& function, Analyses& analyses, Counters& counters,
             Remarks* remarks, const PsiTransformOptions& options)
    : module_(module),
      function_(function),
      counters_(counters),
      remarks_(remarks),
      options_(options),
      dominators_(analyses.dominators()),
      uses_(analyses.uses()),
      facts_(function, analyses),
      defined_(function, analyses),
      num_regs_(function.num_regs()),
      calls_(function.num_insts()),
      names_(1) {
  for (BlockId b : blocks()) {
    uint32_t calls = 0;
    for (InstId id : function.insts(b)) {
      calls_[id.index()] = calls;
      calls += function.inst(id).op == Opcode::Call;
    }
  }
}

// --- Psis -----------------------------------------------------------------------------------------------

std::span<const InstId> Scene::psis_in(BlockId b) {
  psis_.clear();
  for (InstId id : function_.insts(b)) {
    if (function_.inst(id).is_psi()) psis_.push_back(id);
  }
  return psis_;
}

void Scene::load(InstId psi, std::vector<Argument>& arguments) {
  arguments.clear();
  std::span<const Operand> pairs = std::as_const(function_).operands(psi);
  for (size_t i = 0; i < pairs.size(); i += 2) {
    arguments.push_back({pairs[i], pairs[i + 1], term(pairs[i])});
  }
}

Term Scene::merged(std::span<const Argument> arguments) {
  Term result = term(arguments[0].value);
  for (const Argument& argument : arguments.subspan(1)) {
    result = facts_.predicates().terms().choose(argument.term, term(argument.value), result);
  }
  return result;
}

bool Scene::keeps_term(InstId psi, std::span<const Argument> before, std::span<const Argument> after) {
  if (function_.inst(psi).type != Type::i1) return true;
  if (before.size() > kMaxPredicates || after.size() > kMaxPredicates) return false;
  Term old = merged(before), now = merged(after);
  return contains(old, now) && contains(now, old);
}

void Scene::store(InstId psi, std::span<const Argument> arguments) {
  pairs_.clear();
  for (const Argument& argument : arguments) pairs_.insert(pairs_.end(), {argument.guard, argument.value});
  function_.set_operands(psi, pairs_);
}

InstId Scene::psi_of(Operand value) const {
  if (!value.is_reg() || value.reg().index() >= num_regs_) return {};
  InstId id = uses_.definition(value.reg());
  return id && function_.inst(id).is_psi() ? id : InstId();
}

// --- Places ---------------------------------------------------------------------------------------------

const Scene::Made* Scene::made(Operand operand) const {
  if (!operand.reads_reg() || operand.reg().index() < num_regs_) return nullptr;
  return &made_[operand.reg().index() - num_regs_];
}

bool Scene::is_available(Operand value, InstId at) const {
  if (!value.reads_reg()) return true;
  InstId id;
  if (const Made* known = made(value)) {
    if (known->anchor == at) return !known->is_behind;
    id = known->anchor;
  } else {
    id = uses_.definition(value.reg());
    if (!id) return uses_.is_param(value.reg());
  }
  BlockId above = uses_.block(id), below = uses_.block(at);
  if (above == below) return uses_.position(id) < uses_.position(at);
  return dominators_.dominates(above, below);
}

bool Scene::is_above(Reg a, Reg b) const {
  InstId first = uses_.definition(a), second = uses_.definition(b);
  if (!first || !second) return !first && second;
  BlockId above = uses_.block(first), below = uses_.block(second);
  if (above == below) return uses_.position(first) < uses_.position(second);
  return dominators_.dominates(above, below);
}

// --- Predicates -----------------------------------------------------------------------------------------

Term Scene::term(Operand guard) {
  const Made* known = made(guard);
  if (!known) return facts_.term(guard);
  return guard.is_negated() ? !known->term : known->term;
}

Term Scene::domain(Operand value) const {
  const Made* known = made(value);
  return known ? known->domain : facts_.domain(value);
}

Term Scene::united(std::span<const Argument> arguments) {
  Term all = Term::never();
  for (const Argument& argument : arguments.first(std::min(arguments.size(), kMaxNeighbours))) {
    all = either(all, argument.term);
  }
  return all;
}

bool Scene::is_defined(Operand guard, InstId psi, std::span<const Argument> later) const {
  if (!guard.reads_reg()) return true;
  if (!made(guard) && defined_.at(guard.reg(), {uses_.block(psi), calls_[psi.index()]})) return true;
  size_t count = std::min(later.size(), kMaxNamesCompared);
  return std::ranges::any_of(later.first(count), [&](const Argument& argument) {
    return argument.guard.reads_reg() && argument.guard.reg() == guard.reg();
  });
}

void Scene::add_name(Term term, Operand guard) {
  uint32_t& first = first_name_[term.raw()];
  names_.push_back({guard, first});
  first = static_cast<uint32_t>(names_.size()) - 1;
}

void Scene::find_names() {
  has_names_ = true;
  auto add = [&](Reg r) {
    if (function_.type(r) != Type::i1) return;
    Term known = term(Operand::reg(r));
    add_name(known, Operand::reg(r));
    add_name(!known, Operand::not_reg(r));
  };
  for (Reg param : function_.params) add(param);
  for (BlockId b : blocks()) {
    for (InstId id : function_.insts(b)) {
      for (Reg result : function_.inst(id).results) {
        if (result) add(result);
      }
    }
  }
}

std::optional<Operand> Scene::name(Term term, InstId psi, std::span<const Argument> later) {
  if (term == Term::always()) return Operand::always();
  if (!has_names_) find_names();
  auto first = first_name_.find(term.raw());
  if (first == first_name_.end()) return std::nullopt;
  uint32_t at = first->second;
  for (int tries = 0; tries < kMaxNames && at != 0; ++tries, at = names_[at].next) {
    Operand guard = names_[at].guard;
    if (is_available(guard, psi) && is_defined(guard, psi, later)) return guard;
  }
  return std::nullopt;
}

Argument Scene::conjunction(const Argument& a, const Argument& b, bool may_read_b, bool may_be_hidden,
                            InstId psi, std::span<const Argument> later) {
  if (contains(b.term, a.term)) return {a.guard, b.value, a.term};
  bool is_within =
      contains(a.term, b.term) || (may_be_hidden && contains(either(a.term, united(later)), b.term));
  if (is_within && (may_read_b || is_defined(b.guard, psi, later))) return b;
  Term term = both(a.term, b.term);
  return {name(term, psi, later).value_or(Operand()), b.value, term};
}

// --- New instructions -----------------------------------------------------------------------------------

Reg Scene::make(Opcode op, std::initializer_list<Operand> operands, InstId psi, Term term) {
  Inst inst;
  inst.op = op;
  inst.type = Type::i1;
  inst.results[0] = function_.add_reg(Type::i1);
  insertions_.push_back({psi, false, function_.add_inst(inst, std::span(operands.begin(), operands.size()))});
  made_.push_back({psi, false, term, Term::always()});
  add_name(term, Operand::reg(inst.results[0]));
  add_name(!term, Operand::not_reg(inst.results[0]));
  return inst.results[0];
}

// `and` gives false where one of the two is, even if the other is undef.
Operand Scene::materialise(Operand a, Operand b, InstId psi) {
  if (!has_names_) find_names();
  Term both_terms = both(term(a), term(b));
  auto as_value = [&](Operand guard) {
    if (!guard.is_negated()) return guard;
    return Operand::reg(make(Opcode::Not, {Operand::reg(guard.reg())}, psi, term(guard)));
  };
  Operand first = as_value(a), second = as_value(b);
  count("predicates materialised");
  return Operand::reg(make(Opcode::And, {first, second}, psi, both_terms));
}

Reg Scene::add_psi(InstId psi, std::span<const Argument> arguments) {
  Inst inst;
  inst.op = Opcode::Psi;
  inst.type = function_.inst(psi).type;
  Reg old = function_.inst(psi).results[0];
  inst.results[0] = function_.add_reg(inst.type, function_.name(old));
  Term domain = Term::never();
  for (const Argument& argument : arguments) {
    domain = either(domain, both(argument.term, this->domain(argument.value)));
  }
  pairs_.clear();
  for (const Argument& argument : arguments) pairs_.insert(pairs_.end(), {argument.guard, argument.value});
  InstId id = function_.add_inst(inst, pairs_);
  function_.set_line(id, function_.line(psi));
  insertions_.push_back({psi, true, id});
  made_.push_back({psi, true, Term::always(), domain});
  return inst.results[0];
}

void Scene::apply() {
  struct Edit {
    BlockId block;
    uint32_t position;  // in front of which
    InstId inst;        // none: remove; of those at one position the first was made first
  };
  std::vector<Edit> edits;
  edits.reserve(insertions_.size() + removed_.size());
  for (const Insertion& insertion : insertions_) {
    uint32_t position = uses_.position(insertion.anchor) + (insertion.is_behind ? 1 : 0);
    edits.push_back({uses_.block(insertion.anchor), position, insertion.inst});
  }
  for (InstId id : removed_) edits.push_back({uses_.block(id), uses_.position(id), {}});
  std::ranges::sort(edits, {}, [](const Edit& edit) { return std::pair(edit.block, edit.inst); });
  BlockEdits block_edits;
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].inst) {
      block_edits.insert_before(edits[i].position, edits[i].inst);
    } else {
      block_edits.remove(edits[i].position);
    }
    if (i + 1 == edits.size() || edits[i + 1].block != edits[i].block) {
      block_edits.apply(function_, edits[i].block);
    }
  }
  insertions_.clear();
  removed_.clear();
}

// --- Reports --------------------------------------------------------------------------------------------

std::string Scene::text(Operand operand) const {
  return operand == Operand::always() ? "true" : print(module_, function_, operand);
}

std::string Scene::example(const PredicateQuestion& question) {
  if (!words_) {
    words_ = std::make_unique<PredicateText>(module_, function_, facts_.predicates());
    witness_engine_ = make_predicate_engine(PredicateEngineKind::Auto, facts_.predicates().terms());
  }
  PredicateExplanation explanation = witness_engine_->explain(question);
  if (explanation.answer != Answer::No || explanation.witness.empty()) return {};
  return ", as when " + words_->witness(explanation.witness);
}

std::string Scene::when_both(Term a, Term b) { return example({PredicateQuestion::Kind::Disjoint, a, b}); }

std::string Scene::when_outside(Term inner, Term outer) {
  return example({PredicateQuestion::Kind::Subset, inner, outer});
}

// --- Of all ---------------------------------------------------------------------------------------------

PassScene::PassScene(PassContext& context) {
  Function& function = context.function;
  auto is_psi = [&](InstId id) { return function.inst(id).is_psi(); };
  auto has_psi = [&](BlockId b) { return std::ranges::any_of(function.insts(b), is_psi); };
  if (std::ranges::none_of(function.layout(), has_psi)) return;
  PsiTransformOptions options;
  options.materialise = context.arguments["materialise"] == "on";
  std::string_view limit = context.arguments["limit"];
  if (!limit.empty()) std::from_chars(limit.data(), limit.data() + limit.size(), options.max_arguments);
  scene_.emplace(context.module, function, context.analyses, context.counters, context.remarks, options);
}

void remove_unread_psis(Scene& scene) {
  Function& function = scene.function();
  Unread unread(function, scene.blocks());
  uint64_t removed = unread.remove([&](InstId id) { return function.inst(id).is_psi(); });
  if (removed) scene.count("psis removed", removed);
}

}  // namespace psi::psis
