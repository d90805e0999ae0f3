#include "optimise/algebra/rules_match.h"

#include <bit>

namespace psi::optimise {
namespace {

constexpr bool is_signed_order(Cond cond) { return cond >= Cond::lt && cond <= Cond::ge; }
constexpr bool is_unsigned_order(Cond cond) { return cond >= Cond::ult && cond <= Cond::uge; }
constexpr Cond as_unsigned(Cond cond) {
  return is_signed_order(cond) ? static_cast<Cond>(static_cast<int>(cond) + 4) : cond;
}
static_assert(as_unsigned(Cond::lt) == Cond::ult && as_unsigned(Cond::ge) == Cond::uge);

// The bits of a small number in a type other than ptr.
uint64_t number_bits(int64_t number, Type type) {
  if (type == Type::f32) return std::bit_cast<uint32_t>(static_cast<float>(number));
  if (type == Type::f64) return std::bit_cast<uint64_t>(static_cast<double>(number));
  return static_cast<uint64_t>(number) & value_mask(type);
}

// A planned instruction stands as the block of its number, which no pure instruction has as an operand.
Operand planned_operand(uint8_t index) { return Operand::block(BlockId(index)); }

}  // namespace

// The opcode of an operand's definition, or that it is a literal.
uint8_t RuleMatcher::seen(Operand operand) {
  operand = graph_.value(operand);
  if (operand.is_literal()) return RuleFilter::kLiteral;
  InstId definition = graph_.definition(operand);
  return definition ? static_cast<uint8_t>(function_.inst(definition).op) : RuleFilter::kAnything;
}

const Rule* RuleMatcher::simplify(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Rule> rules = rules_.of(inst.op);
  if (rules.empty()) return nullptr;
  std::span<const RuleFilter> filters = rules_.filters(inst.op);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  uint8_t first = seen(operands[0]), second = operands.size() > 1 ? seen(operands[1]) : RuleFilter::kAnything;
  uint32_t cond = inst.op == Opcode::Cmp ? uint32_t{1} << inst.kind : UINT32_MAX;
  bool is_same = operands.size() > 1 && graph_.value(operands[0]) == graph_.value(operands[1]);
  Operand literal = second == RuleFilter::kLiteral ? graph_.value(operands[1]) : Operand();
  uint64_t bits = literal.is_none() ? 0 : function_.literal_bits(literal);
  for (uint16_t i : rules_.candidates(inst.op, first)) {
    const RuleFilter& filter = filters[i];
    if (filter.second != RuleFilter::kAnything && filter.second != second) continue;
    if (!(filter.conds & cond) || (filter.is_same && !is_same)) continue;
    if (filter.is_number && bits != number_bits(filter.number, function_.as_bits(literal.literal_type())))
      continue;
    if (apply(rules[i], id)) return &rules[i];
  }
  return nullptr;
}

bool RuleMatcher::apply(const Rule& rule, InstId id) {
  rule_ = &rule;
  root_ = id;
  bound_ = {};
  cond_.reset();
  num_dying_ = 0;
  num_planned_ = 0;
  if (!match_inst(rule.nodes[rule.pattern], id, true)) return false;
  if (!rule.condition.empty() && compute(rule.condition) == 0) return false;
  Operand result = plan(rule.nodes[rule.replacement], function_.inst(id).result_type());
  if (result.is_none() || num_planned_ > 1 + num_dying_) return false;
  if (graph_.is_guarding(function_.inst(id).results[0]) && !keeps_predicate()) return false;
  commit(result);
  return true;
}

// --- Matching -----------------------------------------------------------------------------------------

bool RuleMatcher::match_inst(const RuleNode& node, InstId id, bool dies) {
  const Inst& inst = function_.inst(id);
  if (inst.op != node.op || inst.count != node.num_children) return false;
  if (inst.op == Opcode::Cmp && !match_cond(node, inst.cond())) return false;
  for (size_t i = 0; i < node.num_children; ++i) {
    Operand operand = graph_.value(std::as_const(function_).operands(id)[i]);
    if (!match_operand(rule_->nodes[node.children[i]], operand, dies)) return false;
  }
  return true;
}

bool RuleMatcher::match_operand(const RuleNode& node, Operand operand, bool parent_dies) {
  switch (node.kind) {
    case RuleNode::Kind::Operand:
      return !operand.is_undef() && bind(node.variable, operand);
    case RuleNode::Kind::Literal:
      return operand.is_literal() && bind(node.variable, operand);
    case RuleNode::Kind::Number:
      return operand.is_literal() && function_.literal_bits(operand) ==
                                         number_bits(node.number, function_.as_bits(operand.literal_type()));
    default: {
      InstId definition = graph_.definition(operand);
      if (!definition || graph_.is_dead(definition)) return false;
      bool dies = parent_dies && graph_.num_uses(operand.reg()) == 1;
      if (node.variable != RuleNode::kNone && !bind(node.variable, operand)) return false;
      if (!match_inst(node, definition, dies)) return false;
      num_dying_ += dies;
      return true;
    }
  }
}

bool RuleMatcher::match_cond(const RuleNode& node, Cond cond) {
  if (node.cond_class == CondClass::Fixed) return node.cond == cond;
  if (!is_in(cond, node.cond_class) || (cond_ && *cond_ != cond)) return false;
  cond_ = cond;
  return true;
}

bool RuleMatcher::bind(uint8_t variable, Operand operand) {
  Operand& bound = bound_[variable];
  if (bound.is_none()) bound = operand;
  return bound == operand;
}

// --- Replacing ----------------------------------------------------------------------------------------

Type RuleMatcher::type_of(const RuleNode& node) const {
  switch (node.kind) {
    case RuleNode::Kind::Operand:
      return function_.type(bound_[node.variable]);
    case RuleNode::Kind::Inst:
      switch (info(node.op).format) {
        case Format::Compare:
        case Format::Overflow:
          return Type::i1;
        case Format::PtrAdd:
        case Format::PtrIndex:
          return Type::ptr;
        case Format::Convert:
          return Type::none;
        default:
          for (size_t i = info(node.op).format == Format::Select ? 1 : 0; i < node.num_children; ++i) {
            Type type = type_of(rule_->nodes[node.children[i]]);
            if (type != Type::none) return type;
          }
      }
      return Type::none;
    default:
      return Type::none;
  }
}

Operand RuleMatcher::plan(const RuleNode& node, Type expected) {
  switch (node.kind) {
    case RuleNode::Kind::Operand: {
      Operand operand = bound_[node.variable];
      return function_.type(operand) == expected ? operand : Operand();
    }
    case RuleNode::Kind::Computed:
      return function_.literal(expected, compute(node.steps));
    case RuleNode::Kind::Resize:
      return plan_resize(node, expected);
    default:
      return plan_inst(node, expected);
  }
}

Operand RuleMatcher::add_planned(Opcode op, Type type, std::span<const Operand> operands, uint8_t kind) {
  if (num_planned_ == kMaxPlanned) return {};
  Planned& planned = planned_[num_planned_];
  planned = {};
  planned.inst.op = op;
  planned.inst.type = type;
  planned.inst.kind = kind;
  std::copy(operands.begin(), operands.end(), planned.operands.begin());
  planned.count = static_cast<uint8_t>(operands.size());
  return planned_operand(num_planned_++);
}

Operand RuleMatcher::plan_resize(const RuleNode& node, Type expected) {
  const RuleNode& child = rule_->nodes[node.children[0]];
  Type from = type_of(child);
  if (!is_int(expected) || !is_int(from)) return {};
  Operand operand = plan(child, from);
  if (operand.is_none() || from == expected) return operand;
  Opcode op = bit_width(from) > bit_width(expected) ? Opcode::Trunc : node.op;
  return add_planned(op, expected, std::array{operand}, static_cast<uint8_t>(from));
}

Operand RuleMatcher::plan_inst(const RuleNode& node, Type expected) {
  Format format = info(node.op).format;
  std::array<Operand, 4> operands;
  auto plan_child = [&](size_t i, Type type) {
    operands[i] = plan(rule_->nodes[node.children[i]], type);
    return !operands[i].is_none();
  };
  Type type = expected;
  uint8_t kind = 0;
  if (format == Format::Compare || format == Format::Overflow) {
    if (expected != Type::i1) return {};
    type = type_of(rule_->nodes[node.children[0]]);
    if (type == Type::none) type = type_of(rule_->nodes[node.children[1]]);
    if (type == Type::none) return {};
    if (format == Format::Compare) {
      Cond cond = node.cond_class == CondClass::Fixed ? node.cond : *cond_;
      if (node.as_unsigned) cond = as_unsigned(cond);
      if (node.negated) cond = negate(cond);
      if (node.swapped) cond = swap_operands(cond);
      kind = static_cast<uint8_t>(cond);
    }
  }
  if (format == Format::Convert) {
    Type from = type_of(rule_->nodes[node.children[0]]);
    if (from == Type::none || !plan_child(0, from)) return {};
    bool widens = node.op == Opcode::Zext || node.op == Opcode::Sext;
    if (widens && (!is_int(expected) || bit_width(from) >= bit_width(expected))) return {};
    if (node.op == Opcode::Trunc && (!is_int(expected) || bit_width(from) <= bit_width(expected))) return {};
    if (from == expected) return {};
    return add_planned(node.op, expected, std::span(operands).first(1), static_cast<uint8_t>(from));
  }
  for (size_t i = 0; i < node.num_children; ++i) {
    Type of_child = type;
    if (format == Format::Select && i == 0) of_child = Type::i1;
    if (format == Format::PtrAdd || format == Format::PtrIndex)
      of_child = i == 0 ? Type::ptr : function_.address_type();
    if (!plan_child(i, of_child)) return {};
  }
  if (format == Format::PtrAdd || format == Format::PtrIndex) type = Type::none;
  TypeSet types = info(node.op).types;
  if ((types == TypeSet::Int && !is_int(type)) || (types == TypeSet::Float && !is_float(type))) return {};
  return add_planned(node.op, type, std::span(operands).first(node.num_children), kind);
}

// Does the replacement preserve the facts about the predicate: by and, or, not, or a compare of the same
// value?
bool RuleMatcher::keeps_predicate() const {
  const Inst& root = function_.inst(root_);
  for (const Planned& planned : std::span(planned_).first(num_planned_)) {
    switch (planned.inst.op) {
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Not:
        continue;
      case Opcode::Cmp:
        if (root.op == Opcode::Not) continue;
        if (root.op == Opcode::Cmp && planned.operands[0] == std::as_const(function_).operands(root_)[0] &&
            is_signed_order(root.cond()) == is_signed_order(planned.inst.cond()) &&
            is_unsigned_order(root.cond()) == is_unsigned_order(planned.inst.cond())) {
          continue;
        }
        return false;
      default:
        return false;
    }
  }
  return true;
}

void RuleMatcher::commit(Operand result) {
  const Inst& root = function_.inst(root_);
  if (!result.is_block()) {
    if (graph_.replace(root.results[0], result)) return;
    // A copy where psis ask for one.
    Inst copy;
    copy.op = Opcode::Mov;
    copy.type = root.result_type();
    graph_.rewrite(root_, copy, std::array{result});
    return;
  }
  std::array<Operand, kMaxPlanned> made;
  for (uint8_t i = 0; i < num_planned_; ++i) {
    Planned& planned = planned_[i];
    for (Operand& operand : std::span(planned.operands).first(planned.count)) {
      if (operand.is_block()) operand = made[operand.block().index()];
    }
    std::span<const Operand> operands = std::span(planned.operands).first(planned.count);
    if (i + 1 == num_planned_) {
      if (is_float(planned.inst.type) && is_float(function_.inst(root_).type)) {
        planned.inst.flags = function_.inst(root_).flags & Inst::kFast;
      }
      graph_.rewrite(root_, planned.inst, operands);
    } else {
      made[i] = Operand::reg(graph_.insert_before(root_, planned.inst, operands));
    }
  }
}

}  // namespace psi::optimise
