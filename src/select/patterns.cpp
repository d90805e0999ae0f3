#include "select/patterns.h"

#include <algorithm>
#include <optional>

#include "psi/ir/evaluate.h"
#include "psi/ir/views.h"

namespace psi {

using select::kNoNode;
using select::NodeIndex;
using select::Pattern;
using select::PatternNode;
using select::PatternRoot;
using select::RootKey;

namespace {

// More values of an immediate are not tried.
constexpr int64_t kMaxTried = 4096;

// The value of the right operand that makes an operation do nothing; none if there is none.
std::optional<uint64_t> neutral(Opcode op, Type type) {
  switch (op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Shl:
    case Opcode::Lshr:
    case Opcode::Ashr:
      return 0;
    case Opcode::Mul:
      return 1;
    case Opcode::And:
      return value_mask(type);
    default:
      return std::nullopt;
  }
}

// Do both operands matter alike?
bool commutes(const Inst& inst) { return is_commutative(inst.op) && !is_float(inst.type); }

}  // namespace

// One meaning.
class PatternCompiler {
 public:
  PatternCompiler(SelectionPatterns::Tables& tables, uint32_t index)
      : tables_(tables),
        index_(index),
        form_(tables.set().form(index)),
        meaning_(form_.meaning),
        body_(meaning_.body) {}

  void run() {
    if (form_.by_name || form_.is_opaque || body_.is_declaration()) return;
    definitions_.assign(body_.num_regs(), InstId());
    nodes_of_.assign(body_.num_regs(), kNoNode);
    std::span<const InstId> insts = body_.insts(body_.entry());
    std::vector<InstId> effects;
    for (InstId id : insts) {
      const Inst& inst = body_.inst(id);
      for (Reg r : inst.results) {
        if (r) definitions_[r.index()] = id;
      }
      bool loads = inst.effect() == Effect::Read;
      if (!inst.computes() && !loads) effects.push_back(id);
    }
    // More than one effect, or an effect whose place among the others matters, is for no pattern.
    if (effects.size() > 1) return;

    Pattern pattern;
    pattern.form = index_;
    pattern.num_operands = static_cast<uint8_t>(form_.operands.size());
    pattern.words = form_.is_boundary ? 0 : form_.words;
    pattern.latency = latency();
    if (!effects.empty()) {
      NodeIndex node = effect(effects.front());
      if (node == kNoNode) return;
      pattern.roots[pattern.num_roots++] = {node, -1};
    }
    for (size_t k = 0; k < form_.results.size(); ++k) {
      if (!meaning_.results[k]) continue;  // a fixed register that is only clobbered
      NodeIndex node = value(Operand(meaning_.results[k]));
      if (node == kNoNode) return;
      pattern.roots[pattern.num_roots++] = {node, static_cast<int8_t>(k)};
      pattern.is_tied |= form_.results[k].tied_operand >= 0;
    }
    if (pattern.num_roots == 0 || failed_) return;
    // What loads comes first: it has its place, the others can move there.
    if (effects.empty()) {
      for (size_t k = 1; k < pattern.num_roots; ++k) {
        if (loads(pattern.roots[0].node) || !loads(pattern.roots[k].node)) continue;
        std::rotate(pattern.roots.begin(), pattern.roots.begin() + static_cast<ptrdiff_t>(k),
                    pattern.roots.begin() + static_cast<ptrdiff_t>(k) + 1);
      }
    }
    finish(pattern);
  }

 private:
  uint32_t latency() const {
    const auto& classes = tables_.description().scheduling_classes;
    return form_.scheduling_class < classes.size() ? classes[form_.scheduling_class].latency : 1;
  }

  bool loads(NodeIndex index) const {
    const PatternNode& node = nodes_[index];
    if (node.kind != PatternNode::Kind::Op) return false;
    if (node.op == Opcode::Load) return true;
    for (size_t i = 0; i < node.num_children; ++i) {
      if (loads(node.children[i])) return true;
    }
    return false;
  }

  void finish(Pattern pattern) {
    pattern.first_node = static_cast<uint32_t>(tables_.nodes_.size());
    tables_.nodes_.insert(tables_.nodes_.end(), nodes_.begin(), nodes_.end());
    tables_.add(pattern);
    bool has_effect = pattern.roots[0].result < 0 || loads(pattern.roots[0].node);
    // Each result may be all that the program wants; an effect is always wanted.
    if (has_effect) return;
    for (uint8_t k = 1; k < pattern.num_roots; ++k) {
      Pattern other = pattern;
      std::swap(other.roots[0], other.roots[k]);
      if (nodes_[other.roots[0].node].op == nodes_[pattern.roots[0].node].op &&
          other.roots[0].node == pattern.roots[0].node) {
        continue;
      }
      tables_.add(other);
    }
    add_compares(pattern);
  }

  // A cmpp without an input whose action is unconditional is a cmp, of the opposite condition if
  // complemented.
  void add_compares(const Pattern& pattern) {
    const PatternNode root = nodes_[pattern.roots[0].node];
    if (root.kind != PatternNode::Kind::Op || root.op != Opcode::Cmpp) return;
    const PatternNode& input = nodes_[root.children[2]];
    bool is_plain = input.kind == PatternNode::Kind::Constant && input.bits != 0;
    if (!is_plain) return;
    for (uint8_t k = 0; k < pattern.num_roots; ++k) {
      if (pattern.roots[k].node != pattern.roots[0].node) continue;
      int target = pattern.roots[k].result;
      Action action = static_cast<Action>(target == 0 ? root.extra & 15 : root.extra >> 4);
      if (action_class(action) != ActionClass::Unconditional) continue;
      PatternNode cmp = root;
      cmp.op = Opcode::Cmp;
      cmp.extra = 0;
      cmp.num_children = 2;
      Cond cond = static_cast<Cond>(root.kind_bits);
      cmp.kind_bits = static_cast<uint8_t>(is_complement(action) ? negate(cond) : cond);
      Pattern compare = pattern;
      compare.first_node = static_cast<uint32_t>(tables_.nodes_.size());
      tables_.nodes_.insert(tables_.nodes_.end(), nodes_.begin(), nodes_.end());
      NodeIndex at = compare.roots[0].node;
      tables_.nodes_[compare.first_node + at] = cmp;
      compare.num_roots = 1;
      compare.roots[0] = {at, static_cast<int8_t>(target)};
      tables_.add(compare);
    }
  }

  NodeIndex add(PatternNode node) {
    if (nodes_.size() >= 64) {
      failed_ = true;
      return kNoNode;
    }
    nodes_.push_back(node);
    return static_cast<NodeIndex>(nodes_.size() - 1);
  }

  NodeIndex constant(uint64_t bits) {
    PatternNode node;
    node.kind = PatternNode::Kind::Constant;
    node.bits = bits;
    return add(node);
  }

  // Stores, branches, calls, returns.
  NodeIndex effect(InstId id) {
    const Inst& inst = body_.inst(id);
    if (inst.op == Opcode::Memcpy || inst.op == Opcode::Memmove || inst.op == Opcode::Memset) return kNoNode;
    return operation(id);
  }

  NodeIndex value(Operand operand) {
    if (operand.is_literal()) return constant(body_.literal_bits(operand));
    if (operand.is_negated() || !operand.is_reg()) return kNoNode;
    Reg reg = operand.reg();
    NodeIndex& known = nodes_of_[reg.index()];
    if (known != kNoNode) return known;
    for (size_t i = 0; i < form_.operands.size(); ++i) {
      if (meaning_.operands[i] != reg) continue;
      PatternNode node;
      node.operand = static_cast<uint8_t>(i);
      node.type = form_.operands[i].type;
      node.kind = form_.operands[i].kind == MachineOperand::Kind::Register  ? PatternNode::Kind::Register
                  : form_.operands[i].kind == MachineOperand::Kind::Literal ? PatternNode::Kind::Literal
                                                                            : PatternNode::Kind::Symbol;
      return known = add(node);
    }
    InstId id = definitions_[reg.index()];
    if (!id) return kNoNode;
    const Inst& inst = body_.inst(id);
    bool is_absent = inst.is_copy() ||
                     (inst.format() == Format::Convert && tables_.is_free(inst.op, inst.from(), inst.type));
    NodeIndex made = is_absent ? value(body_.operands(inst)[0]) : operation(id);
    for (Reg result : inst.results) {
      if (result) nodes_of_[result.index()] = made;
    }
    return made;
  }

  NodeIndex operation(InstId id) {
    const Inst& inst = body_.inst(id);
    if (std::optional<PatternNode> literal = computed(id)) return add(*literal);
    PatternNode node;
    RootKey key = tables_.key(inst);
    node.op = key.op;
    node.type = key.type;
    node.kind_bits = key.kind_bits;
    node.extra = key.extra;
    if (inst.format() == Format::Load || inst.format() == Format::Store) node.align_log2 = inst.extra;
    node.commutes = commutes(inst) || inst.op == Opcode::Cmp;
    std::span<const Operand> operands = body_.operands(inst);
    for (Operand operand : operands) {
      if (operand.is_block()) continue;  // bound by position
      NodeIndex child = value(operand);
      if (child == kNoNode || node.num_children >= node.children.size()) return kNoNode;
      node.children[node.num_children++] = child;
    }
    if (inst.guard) {
      NodeIndex guard = value(Operand(inst.guard.reg()));
      if (guard == kNoNode || node.num_children >= node.children.size()) return kNoNode;
      node.children[node.num_children++] = guard;
      node.has_guard = true;
      node.guard_negated = inst.guard.is_negated();
    }
    find_neutral(inst, node);
    return add(node);
  }

  void find_neutral(const Inst& inst, PatternNode& node) {
    if (inst.format() != Format::Binary) return;
    std::optional<uint64_t> bits = neutral(inst.op, inst.type);
    if (!bits) return;
    for (int side : {1, 0}) {
      if (side == 0 && !node.commutes) return;
      const PatternNode& child = nodes_[node.children[static_cast<size_t>(side)]];
      if (child.kind != PatternNode::Kind::Literal) continue;
      const MachineOperand& operand = form_.operands[child.operand];
      bool holds =
          std::any_of(operand.literals.begin(), operand.literals.end(),
                      [&](const LiteralAlternative& each) { return each.holds(*bits, operand.type); });
      if (!holds) continue;
      node.neutral_child = static_cast<int8_t>(side);
      node.bits = *bits;
      return;
    }
  }

  // --- Literals that are computed from immediates ---------------------------------------------------------

  // Is the instruction, with all that it computes from, made of literals alone, and of which operand? -1: of
  // none, -2: of more than literals, or of two operands.
  int unknown_of(Operand operand, int depth = 0) const {
    if (operand.is_literal()) return -1;
    if (!operand.is_reg() || depth > 16) return -2;
    for (size_t i = 0; i < form_.operands.size(); ++i) {
      if (meaning_.operands[i] != operand.reg()) continue;
      return form_.operands[i].kind == MachineOperand::Kind::Literal ? static_cast<int>(i) : -2;
    }
    InstId id = definitions_[operand.reg().index()];
    if (!id) return -2;
    const Inst& inst = body_.inst(id);
    if (!inst.is_pure() || inst.guard || inst.num_results() != 1) return -2;
    int unknown = -1;
    for (Operand each : body_.operands(inst)) {
      int of = unknown_of(each, depth + 1);
      if (of == -2 || (of >= 0 && unknown >= 0 && of != unknown)) return -2;
      if (of >= 0) unknown = of;
    }
    return unknown;
  }

  std::optional<Value> evaluated(Operand operand, size_t unknown, uint64_t bits) const {
    if (operand.is_literal()) return Value{body_.literal_bits(operand)};
    if (meaning_.operands[unknown] == operand.reg()) return Value{bits};
    const Inst& inst = body_.inst(definitions_[operand.reg().index()]);
    std::vector<Value> values;
    for (Operand each : body_.operands(inst)) {
      std::optional<Value> of = evaluated(each, unknown, bits);
      if (!of) return std::nullopt;
      values.push_back(*of);
    }
    return inst.is_copy() ? std::optional(values[0]) : evaluate(inst, values);
  }

  std::optional<PatternNode> computed(InstId id) {
    const Inst& inst = body_.inst(id);
    if (!inst.is_pure() || inst.guard || inst.num_results() != 1) return std::nullopt;
    Operand result = inst.results[0];
    int unknown = unknown_of(result);
    if (unknown == -2) return std::nullopt;
    PatternNode node;
    node.type = inst.results[0] ? body_.type(inst.results[0]) : Type::none;
    if (unknown == -1) {
      std::optional<Value> value = evaluated(result, 0, 0);
      if (!value || value->undef) return std::nullopt;
      node.kind = PatternNode::Kind::Constant;
      node.bits = value->bits;
      return node;
    }
    const MachineOperand& operand = form_.operands[static_cast<size_t>(unknown)];
    std::unordered_map<uint64_t, uint64_t> inverse;
    for (const LiteralAlternative& alternative : operand.literals) {
      int64_t step = static_cast<int64_t>(std::max<uint64_t>(alternative.multiple, 1));
      uint64_t span = static_cast<uint64_t>(alternative.max) - static_cast<uint64_t>(alternative.min);
      if (span / static_cast<uint64_t>(step) >= static_cast<uint64_t>(kMaxTried)) return std::nullopt;
      for (int64_t value = alternative.min; value <= alternative.max; value += step) {
        uint64_t bits = static_cast<uint64_t>(value) & value_mask(operand.type);
        std::optional<Value> made = evaluated(result, static_cast<size_t>(unknown), bits);
        if (made && !made->undef) inverse.try_emplace(made->bits, bits);
      }
    }
    node.kind = PatternNode::Kind::Computed;
    node.operand = static_cast<uint8_t>(unknown);
    node.table = static_cast<uint32_t>(tables_.inverses_.size());
    tables_.inverses_.push_back(std::move(inverse));
    return node;
  }

  SelectionPatterns::Tables& tables_;
  uint32_t index_;
  const MachineForm& form_;
  const Meaning& meaning_;
  const Function& body_;
  std::vector<PatternNode> nodes_;
  std::vector<InstId> definitions_;  // by register of the meaning
  std::vector<NodeIndex> nodes_of_;  // likewise
  bool failed_ = false;
};

SelectionPatterns::Tables::Tables(const TargetDescription& description) : description_(description) {
  for (int i = 0; i <= kNumTypes; ++i) normal_[static_cast<size_t>(i)] = static_cast<Type>(i);
  auto normalise = [&](Type type, Type bits) {
    uint32_t own = description.class_for(type);
    uint32_t integers = description.class_for(bits);
    if (own == kNone || own == integers) normal_[static_cast<size_t>(type)] = bits;
  };
  Type address = description.pointer_bits == 32 ? Type::i32 : Type::i64;
  normal_[static_cast<size_t>(Type::ptr)] = address;
  normalise(Type::f32, Type::i32);
  normalise(Type::f64, Type::i64);
  for (uint32_t i = 0; i < set().num_forms(); ++i) PatternCompiler(*this, i).run();
}

bool SelectionPatterns::Tables::is_free(Opcode op, Type from, Type to) const {
  if (op != Opcode::Ptrtoint && op != Opcode::Inttoptr && op != Opcode::Bitcast) return false;
  if (normal(from) != normal(to)) return false;
  // Between a type that a class holds and one that none does the boundary's forms convert.
  uint32_t a = description_.class_for(from), b = description_.class_for(to);
  return a == b || op != Opcode::Bitcast;
}

RootKey SelectionPatterns::Tables::key(const Inst& inst) const {
  RootKey key = {inst.op, inst.type, 0, 0};
  switch (inst.format()) {
    case Format::Compare:
      key.kind_bits = inst.kind;
      if (inst.type == Type::ptr) key.type = normal(inst.type);
      break;
    case Format::ComparePredicate:
      key.kind_bits = inst.kind;
      key.extra = inst.extra;
      if (inst.type == Type::ptr) key.type = normal(inst.type);
      break;
    case Format::Convert: {
      key.kind_bits = static_cast<uint8_t>(inst.from());
      // To and from addresses of another width as between integers.
      if (inst.op == Opcode::Ptrtoint || inst.op == Opcode::Inttoptr) {
        Type from = inst.from() == Type::ptr ? normal(Type::ptr) : inst.from();
        Type to = inst.type == Type::ptr ? normal(Type::ptr) : inst.type;
        key.op = bit_width(from) < bit_width(to) ? Opcode::Zext : Opcode::Trunc;
        key.type = to;
        key.kind_bits = static_cast<uint8_t>(from);
      }
      break;
    }
    case Format::Select:
    case Format::Load:
    case Format::Store:
      key.type = normal(inst.type);
      break;
    case Format::PtrAdd:
      key.op = Opcode::Add;
      key.type = normal(Type::ptr);
      break;
    case Format::Call:
      key.type = Type::none;
      break;
    default:
      break;
  }
  return key;
}

void SelectionPatterns::Tables::add(Pattern pattern) {
  const PatternNode& root = nodes_[pattern.first_node + pattern.roots[0].node];
  uint32_t index = static_cast<uint32_t>(patterns_.size());
  switch (root.kind) {
    case PatternNode::Kind::Literal:
      constants_.push_back(index);
      break;
    case PatternNode::Kind::Symbol:
      addresses_.push_back(index);
      break;
    case PatternNode::Kind::Register:
      copies_.push_back(index);
      break;
    case PatternNode::Kind::Op:
      by_root_[RootKey{root.op, root.type, root.kind_bits, root.extra}.packed()].push_back(index);
      break;
    default:
      return;
  }
  patterns_.push_back(pattern);
}

std::span<const uint32_t> SelectionPatterns::Tables::find(RootKey key) const {
  auto it = by_root_.find(key.packed());
  return it == by_root_.end() ? std::span<const uint32_t>() : std::span<const uint32_t>(it->second);
}

SelectionPatterns::SelectionPatterns(const TargetDescription& description)
    : description_(description), tables_(std::make_unique<const Tables>(description)) {}

SelectionPatterns::~SelectionPatterns() = default;

}  // namespace psi
