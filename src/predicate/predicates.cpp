// One scan over the instructions, each block after those that dominate it:
//
//   %p, %q = cmpp.un.uc.lt.i32 %x, 10         p = (x < 10), q = !(x < 10)
//   %r = cmpp.un.gt.i32 %x, 3 if %p           r = (x < 10) & (x > 3), which is 3 < x < 10
//   %q ? %r = cmp.eq.i32 %y, 0                r = q & (y == 0) | !q & r
//
// It is the predicate-insensitive value numbering of Johnson and Schlansker, "Analysis techniques for
// predicated code" (1996), section 3, with the logic, the moves and the merges of predicates besides the
// compares. Any other definition of a predicate makes an unknown bit.

#include "psi/predicate/predicates.h"

#include <algorithm>

#include "ir/int_cond.h"
#include "predicate/phi_gates.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

Term constant_term(bool bit) { return bit ? Term::always() : Term::never(); }

// What machine instructions make of predicates is in their meanings.
std::unique_ptr<const Expanded> expand(const Function& function) {
  if (!function.instruction_set) return nullptr;
  return std::make_unique<Expanded>(expand_meanings(function));
}

}  // namespace

Predicates::Predicates(const Function& function, Analyses& analyses)
    : program_(function),
      expanded_(expand(function)),
      function_(expanded_ ? expanded_->function : function),
      analyses_(&analyses),
      ssa_(true),
      contents_(function_.num_regs()) {
  const Order& order = analyses.get<Order>();
  for (Reg param : function.params) {
    if (function.type(param) == Type::i1) value(param);
  }
  for (BlockId b : order.reverse_post_order()) scan(b);
  for (BlockId b : function.layout()) {
    if (!order.is_reachable(b)) scan(b);
  }
  analyses_ = nullptr;
  std::ranges::sort(facts_, {}, &Facts::inst);
}

Predicates::Predicates(const Function& function, BlockId block)
    : program_(function),
      expanded_(expand(function)),
      function_(expanded_ ? expanded_->function : function),
      ssa_(false) {
  scan(block);
  std::ranges::sort(facts_, {}, &Facts::inst);
}

// --- Questions ------------------------------------------------------------------------------------------

Term Predicates::guard(InstId id) const {
  const Facts* facts = find(id);
  return facts ? facts->guard : Term::always();
}

Term Predicates::written(InstId id, int target) const {
  const Facts* facts = find(id);
  return facts ? facts->written[target] : Term::always();
}

Term Predicates::value_of(InstId id, int target) const { return find(id)->values[target]; }

const Predicates::Facts* Predicates::find(InstId id) const {
  auto at = std::ranges::lower_bound(facts_, id, {}, &Facts::inst);
  return at != facts_.end() && at->inst == id ? &*at : nullptr;
}

const Predicates::Contents* Predicates::find(Reg r) const {
  if (ssa_) return r.index() < contents_.size() ? &contents_[r.index()] : nullptr;
  auto at = block_contents_.find(r);
  return at == block_contents_.end() ? nullptr : &at->second;
}

Term Predicates::value(Reg predicate) {
  Contents& contents = this->contents(predicate);
  if (!contents.term) contents.term = terms_.bit(number(Operand::reg(predicate)));
  return *contents.term;
}

Term Predicates::value(Operand predicate) {
  if (predicate.is_negated()) return !value(predicate.reg());
  if (predicate.is_reg()) return value(predicate.reg());
  if (predicate.is_literal()) return constant_term(function_.literal_bits(predicate));
  return terms_.bit(number(predicate));
}

Term Predicates::compare(Type type, Cond cond, Operand left, Operand right) {
  if (type == Type::i1) {
    Term first = value(left);
    return compare_predicates(cond, first, value(right));
  }
  std::optional<uint64_t> a, b;
  if (!is_float(type)) {
    a = constant(type, left);
    b = constant(type, right);
  }
  type = function_.as_bits(type);
  if (a && b) return constant_term(int_cond_holds(cond, type, *a, *b));
  if (a) return terms_.compare_with_constant(type, swap_operands(cond), number(right), *a);
  ValueNumber left_number = number(left);
  if (b) return terms_.compare_with_constant(type, cond, left_number, *b);
  return terms_.compare(type, cond, left_number, number(right));
}

// As a signed number, true is -1.
Term Predicates::compare_predicates(Cond cond, Term left, Term right) {
  switch (cond) {
    case Cond::eq:
      return !terms_.choose(left, !right, right);
    case Cond::ne:
      return terms_.choose(left, !right, right);
    case Cond::ult:
    case Cond::gt:
      return terms_.both(!left, right);
    case Cond::ule:
    case Cond::ge:
      return terms_.either(!left, right);
    case Cond::ugt:
    case Cond::lt:
      return terms_.both(left, !right);
    default:
      return terms_.either(left, !right);
  }
}

// --- The scan -------------------------------------------------------------------------------------------

void Predicates::scan(BlockId b) {
  block_ = b;
  std::span<const InstId> ids = function_.insts(b);
  if (!expanded_) {
    for (InstId id : ids) scan(id);
    return;
  }
  for (size_t i = 0; i < ids.size();) {
    InstId origin = expanded_->origins[ids[i].index()];
    size_t last = i + 1;
    while (last < ids.size() && expanded_->origins[ids[last].index()] == origin) ++last;
    if (ids[i] == origin) {
      scan(ids[i]);
    } else {
      scan_meaning(origin, ids.subspan(i, last - i));
    }
    i = last;
  }
}

// The steps of a machine instruction are scanned like others; what was found becomes facts about it.
void Predicates::scan_meaning(InstId id, std::span<const InstId> steps) {
  const Inst& inst = program_.inst(id);
  Term guard = value(inst.guard.as_operand());
  Facts facts = {id, guard, {guard, guard}, {}};
  size_t first = facts_.size();
  for (InstId step : steps) scan(step);
  bool defines_predicate = false;
  for (size_t k = 0; k < 2; ++k) {
    Reg result = inst.results[k];
    if (!result || program_.type(result) != Type::i1) continue;
    defines_predicate = true;
    facts.values[k] = value(result);
    for (size_t i = first; i < facts_.size(); ++i) {
      const Inst& step = function_.inst(facts_[i].inst);
      for (size_t j = 0; j < 2; ++j) {
        if (step.results[j] == result) facts.written[k] = facts_[i].written[j];
      }
    }
  }
  facts_.resize(first);
  if (inst.guard || defines_predicate) facts_.push_back(facts);
}

void Predicates::scan(InstId id) {
  const Inst& inst = function_.inst(id);
  bool defines_predicate = inst.results[0] && inst.result_type() == Type::i1;
  if (inst.guard || defines_predicate) {
    Term guard = value(inst.guard.as_operand());
    Facts facts = {id, guard, {guard, guard}, {}};
    if (defines_predicate) define_predicates(inst, facts);
    facts_.push_back(facts);
  }
  if (inst.results[0] && !defines_predicate) define_other(inst);
}

void Predicates::define_predicates(const Inst& inst, Facts& facts) {
  bool keeps_old = !ssa_ && inst.guard;
  std::array<std::optional<Term>, 2> terms;
  std::array<Term, 2> old;
  // All reads come before the writes.
  for (int i = 0; i < 2; ++i) {
    if (keeps_old && inst.results[i]) old[i] = value(inst.results[i]);
  }
  if (inst.op == Opcode::Cmpp) {
    terms = compared_to_predicates(inst, facts);
  } else {
    terms[0] = computed(inst);
  }
  for (int i = 0; i < 2; ++i) {
    if (!inst.results[i]) continue;
    renew(inst.results[i]);
    Term term = terms[i] ? *terms[i] : terms_.bit(number(Operand::reg(inst.results[i])));
    if (keeps_old) term = terms_.choose(facts.guard, term, old[i]);
    contents(inst.results[i]).term = facts.values[i] = term;
  }
  // A refutation must not choose these values: a frozen value is fixed, and a loop's phi depends on
  // predicates that the scan has not seen yet.
  if (inst.op == Opcode::Freeze || (inst.op == Opcode::Phi && !terms[0])) {
    terms_.fix(number(Operand::reg(inst.results[0])), std::nullopt);
  }
}

// The values of a cmpp's targets where it executes, and where they are written.
std::array<std::optional<Term>, 2> Predicates::compared_to_predicates(const Inst& cmpp, Facts& facts) {
  std::span<const Operand> operands = function_.operands(cmpp);
  CmppView compared = as_cmpp(operands);
  Term condition = compare(cmpp.type, cmpp.cond(), compared.left, compared.right);
  Term input = value(compared.input);
  std::array<std::optional<Term>, 2> results;
  for (int i = 0; i < 2; ++i) {
    Action action = cmpp.action(i);
    if (action == Action::none) continue;
    Term old;
    if (is_partial(action)) old = ssa_ ? value(old_value(cmpp, operands, i)) : value(cmpp.results[i]);
    Term c = is_complement(action) ? !condition : condition;
    Term holds = terms_.both(input, c), fails = terms_.both(input, !c);
    Term written = Term::always();
    switch (action_class(action)) {
      case ActionClass::ParallelOr:
        results[i] = terms_.either(old, holds);
        written = holds;
        break;
      case ActionClass::ParallelAnd:
        results[i] = terms_.both(old, !fails);
        written = fails;
        break;
      case ActionClass::Conditional:
        results[i] = terms_.choose(input, c, old);
        written = input;
        break;
      default:
        results[i] = holds;
    }
    facts.written[i] = terms_.both(facts.guard, written);
  }
  return results;
}

// The result of an instruction with one result, where it executes; nothing if it is not known as a term.
// Terms are made from left to right: the arguments of a call have no order, and terms are numbered as they
// come.
std::optional<Term> Predicates::computed(const Inst& inst) {
  std::span<const Operand> operands = function_.operands(inst);
  auto both_values = [&] {
    Term left = value(operands[0]);
    return std::pair(left, value(operands[1]));
  };
  switch (inst.op) {
    case Opcode::Mov:
      return value(copied(function_, inst));
    case Opcode::Not:
      return !value(operands[0]);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor: {
      auto [left, right] = both_values();
      return inst.op == Opcode::And  ? terms_.both(left, right)
             : inst.op == Opcode::Or ? terms_.either(left, right)
                                     : compare_predicates(Cond::ne, left, right);
    }
    case Opcode::Select: {
      SelectView select = as_select(operands);
      Term condition = value(select.condition);
      Term if_true = value(select.if_true);
      return terms_.choose(condition, if_true, value(select.if_false));
    }
    case Opcode::Cmp:
      return compare(inst.type, inst.cond(), operands[0], operands[1]);
    case Opcode::Phi:
      return merged_by_phi(phi_entries(operands));
    case Opcode::Psi:
      return merged_by_psi(psi_arguments(operands));
    default:
      return std::nullopt;
  }
}

// The common term of all arguments: its values dominate all predecessors, so the phi, too. Otherwise each
// argument where control comes from its predecessor. An argument defined later in a loop has no term yet.
std::optional<Term> Predicates::merged_by_phi(PhiEntries entries) {
  bool are_equal = true;
  Operand first = entries.front().value;
  for (PhiEntry entry : entries) {
    if (entry.value.is_undef() || (entry.value.is_reg() && !is_known(entry.value.reg()))) return std::nullopt;
    Term term = value(entry.value);
    are_equal = are_equal && term == value(first);
  }
  if (are_equal) return value(first);
  std::vector<predicate::EdgeTerm> gates;
  if (!predicate::collect_phi_gates(*analyses_, block_, *this, gates)) return std::nullopt;
  Term merged = Term::never();
  for (PhiEntry entry : entries) {
    auto gate = std::ranges::find(gates, entry.block, &predicate::EdgeTerm::target);
    if (gate == gates.end()) continue;
    merged = terms_.either(merged, terms_.both(gate->term, value(entry.value)));
  }
  return merged;
}

// The last argument whose guard is true wins. Where there is none the psi is undefined, so the guard of the
// first does not matter.
Term Predicates::merged_by_psi(PsiArguments arguments) {
  Term merged = value(arguments.front().value);
  for (PsiArgument argument : arguments.without_first()) {
    Term guard = value(argument.guard);
    merged = terms_.choose(guard, value(argument.value), merged);
  }
  return merged;
}

void Predicates::define_other(const Inst& inst) {
  // A copy has the number of its source; in SSA form also under a guard, since it is not read elsewhere.
  // Machine registers may be read in another width than the copy's.
  bool copies = inst.is_copy() && (ssa_ || !inst.guard) && function_.form != Form::Allocated;
  std::optional<ValueNumber> source;
  if (copies) source = number(copied(function_, inst));
  renew(inst.results[0]);
  if (source) contents(inst.results[0]).number = source;
}

// The register is a new value from here on. In SSA form it is one from the beginning.
void Predicates::renew(Reg r) {
  if (ssa_) return;
  Contents& contents = this->contents(r);
  contents = {std::nullopt, std::nullopt, contents.version + 1};
}

bool Predicates::is_known(Reg predicate) const {
  const Contents* contents = find(predicate);
  return contents && contents->term;
}

// --- Value numbers --------------------------------------------------------------------------------------

ValueNumber Predicates::number(Operand operand) {
  if (operand.is_reg()) {
    Contents& contents = this->contents(operand.reg());
    if (!contents.number) contents.number = add_value(operand, contents.version);
    return *contents.number;
  }
  if (operand.is_undef()) return add_value(operand, 0);
  auto [at, is_new] = constants_.try_emplace(operand.raw(), num_values());
  if (!is_new) return at->second;
  ValueNumber number = add_value(operand, 0);
  terms_.fix(number, operand.is_literal() ? std::optional(function_.literal_bits(operand)) : std::nullopt);
  return number;
}

ValueNumber Predicates::add_value(Operand operand, uint32_t version) {
  values_.push_back({operand, version});
  return num_values() - 1;
}

// The literal that an operand is or copies.
std::optional<uint64_t> Predicates::constant(Type type, Operand operand) const {
  if (operand.is_reg()) {
    const Contents* contents = find(operand.reg());
    if (!contents || !contents->number) return std::nullopt;
    operand = values_[*contents->number].operand;
  }
  if (!operand.is_literal() || operand.literal_type() != type) return std::nullopt;
  return function_.literal_bits(operand);
}

}  // namespace psi
