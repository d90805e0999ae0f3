#include "interp/decode.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "interp/memory.h"
#include "psi/analysis/cfg.h"
#include "psi/ir/evaluate.h"
#include "psi/ir/views.h"

namespace psi::interp {
namespace {

class Decoder {
 public:
  Decoder(const Module& module, const Function& function, const Memory& memory, DecodedFunction& out,
          const MonitoredCode* monitored = nullptr)
      : module_(module),
        function_(function),
        memory_(memory),
        out_(out),
        monitored_(monitored),
        discard_(function.num_regs()) {}

  void run() {
    out_.function = &function_;
    out_.num_undef = discard_ + 1;
    out_.nullified.resize(monitored_ ? monitored_->num_counters : kNumOpcodes);
    block_start_.resize(function_.num_blocks());
    block_cost_.resize(function_.num_blocks());
    for (BlockId block : function_.layout()) decode_block(block);
    for (size_t i = 0; i < out_.edges.size(); ++i) finish_edge(out_.edges[i], edge_ends_[i].to);
    place_phi_moves();
    out_.entry_cost = block_cost_[function_.entry().index()];
    out_.frame_size = out_.num_undef + static_cast<uint32_t>(out_.constants.size());
  }

 private:
  struct EdgeEnds {
    BlockId from;
    BlockId to;
  };

  // --- Operands -------------------------------------------------------------------------------------
  uint32_t constant(uint64_t bits, bool undef) {
    uint32_t fresh = out_.num_undef + static_cast<uint32_t>(out_.constants.size());
    if (undef) {
      if (undef_place_ != 0) return undef_place_;
      undef_place_ = fresh;
    } else {
      auto [it, is_new] = constant_places_.try_emplace(bits, fresh);
      if (!is_new) return it->second;
    }
    out_.constants.push_back(bits);
    out_.constant_undefs.push_back(undef);
    return fresh;
  }

  uint32_t place(Operand operand) {
    switch (operand.kind()) {
      case Operand::Kind::Reg:
      case Operand::Kind::NotReg:
        return operand.reg().index();
      case Operand::Kind::Small:
      case Operand::Kind::Pooled:
        return constant(function_.literal_bits(operand), false);
      case Operand::Kind::Symbol:
        return constant(memory_.symbol_address(operand.symbol()), false);
      default:
        return constant(0, true);
    }
  }

  uint32_t place(Reg result) { return result ? result.index() : discard_; }

  // --- Blocks ---------------------------------------------------------------------------------------
  void decode_block(BlockId block) {
    std::span<const InstId> insts = function_.insts(block);
    block_start_[block.index()] = static_cast<uint32_t>(out_.code.size());
    block_cost_[block.index()] = static_cast<uint32_t>(insts.size());
    for (InstId id : insts) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi()) continue;
      if (monitored_ && monitored_->marks[id.index()] != 0) add_mark(monitored_->marks[id.index()] - 1, id);
      if (inst.guard) add_guard(inst, id);
      Decoded step;
      step.op = inst.op;
      step.type = inst.type;
      step.shift = static_cast<uint8_t>(width_shift(function_.as_bits(inst.type)) & 63);
      step.d = place(inst.results[0]);
      decode_inst(inst, block, step);
      emit(step, id);
    }
  }

  void emit(const Decoded& step, InstId id) {
    out_.code.push_back(step);
    out_.ids.push_back(id);
  }

  void add_mark(uint32_t mark, InstId id) {
    Decoded step;
    step.step = Step::Mark;
    step.op = function_.inst(id).op;
    step.b = mark;
    emit(step, id);
  }

  void add_guard(const Inst& inst, InstId id) {
    Decoded step;
    step.step = Step::Guard;
    step.op = inst.op;
    step.a = inst.guard.reg().index();
    step.b = monitored_ ? monitored_->counters[id.index()] : static_cast<uint32_t>(inst.op);
    step.flag = inst.guard.is_negated();
    // A register of plain form keeps its contents: the discard slot becomes undefined instead.
    bool ssa = is_ssa(function_.form);
    step.d = ssa ? place(inst.results[0]) : discard_;
    step.e = ssa ? place(inst.results[1]) : discard_;
    emit(step, id);
  }

  void decode_inst(const Inst& inst, BlockId block, Decoded& step) {
    std::span<const Operand> operands = function_.operands(inst);
    auto take = [&](size_t index, uint32_t& field) {
      if (index < operands.size() && !operands[index].is_block()) field = place(operands[index]);
    };
    switch (inst.format()) {
      case Format::Binary:
        take(0, step.a), take(1, step.b);
        step.step = binary_step(inst);
        break;
      case Format::Unary:
        take(0, step.a);
        step.step = inst.op == Opcode::Freeze ? Step::Freeze : Step::Unary;
        break;
      case Format::Ternary:
        take(0, step.a), take(1, step.b), take(2, step.c);
        step.step = Step::Ternary;
        break;
      case Format::Overflow:
        take(0, step.a), take(1, step.b);
        step.step = Step::Overflow;
        break;
      case Format::Compare:
        take(0, step.a), take(1, step.b);
        step.type = function_.as_bits(inst.type);
        decode_compare(inst, step);
        break;
      case Format::ComparePredicate:
        decode_predicate_compare(inst, operands, step);
        break;
      case Format::Convert:
        take(0, step.a);
        decode_convert(inst, step);
        break;
      case Format::Move:
        take(0, step.a);
        step.step = Step::Mov;
        break;
      case Format::Select:
        take(0, step.a), take(1, step.b), take(2, step.c);
        step.step = Step::Select;
        break;
      case Format::Phi:
        break;
      case Format::Psi:
        decode_psi(psi_arguments(operands), step);
        break;
      case Format::Slot:
        take(0, step.a);
        step.flag = inst.extra;
        step.step = Step::Slot;
        break;
      case Format::PtrAdd:
        take(0, step.a), take(1, step.b);
        step.step = Step::Add;
        step.shift = static_cast<uint8_t>(width_shift(function_.address_type()));
        break;
      case Format::PtrIndex:
        take(0, step.a), take(1, step.b), take(2, step.c), take(3, step.e);
        step.step = Step::PtrIndex;
        break;
      case Format::Load:
        take(0, step.a);
        step.flag = inst.extra;
        step.step = by_size(Step::Load8, function_.byte_size(inst.type));
        break;
      case Format::Store:
        take(0, step.a), take(1, step.b);
        step.flag = inst.extra;
        step.step = by_size(Step::Store8, function_.byte_size(inst.type));
        break;
      case Format::MemCopy:
      case Format::MemSet:
        take(0, step.a), take(1, step.b), take(2, step.c);
        step.flag = inst.extra;
        step.step = inst.format() == Format::MemCopy ? Step::MemCopy : Step::MemSet;
        break;
      case Format::VaList:
        take(0, step.a);
        step.step = inst.op == Opcode::VaStart ? Step::VaStart : Step::VaEnd;
        break;
      case Format::VaArg:
        take(0, step.a);
        step.step = Step::VaArg;
        break;
      case Format::VaCopy:
        take(0, step.a), take(1, step.b);
        step.step = Step::VaCopy;
        break;
      case Format::Call:
        decode_call(inst, operands, step);
        break;
      case Format::Branch:
        take(0, step.a);
        step.step = inst.is_jump() ? Step::Jump : Step::Branch;
        step.b = add_edges(operands, block);
        break;
      case Format::Switch:
        take(0, step.a);
        decode_switch(operands, block, step);
        break;
      case Format::Machine:
        break;  // expanded
      case Format::Return:
        take(0, step.a);
        step.step = function_.attributes.noreturn ? Step::RetNoreturn
                    : operands.empty()            ? Step::RetVoid
                                                  : Step::Ret;
        break;
      case Format::Unreachable:
        step.step = Step::Unreachable;
        break;
    }
  }

  static Step by_size(Step first, unsigned size) {
    int log2 = size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0;
    return static_cast<Step>(static_cast<int>(first) + log2);
  }

  static Step binary_step(const Inst& inst) {
    bool wide = inst.type == Type::f64;
    switch (inst.op) {
      case Opcode::Add:
        return Step::Add;
      case Opcode::Sub:
        return Step::Sub;
      case Opcode::Mul:
        return Step::Mul;
      case Opcode::And:
        return inst.type == Type::i1 ? Step::AndI1 : Step::And;
      case Opcode::Or:
        return inst.type == Type::i1 ? Step::OrI1 : Step::Or;
      case Opcode::Xor:
        return Step::Xor;
      case Opcode::Shl:
        return Step::Shl;
      case Opcode::Lshr:
        return Step::Lshr;
      case Opcode::Ashr:
        return Step::Ashr;
      case Opcode::Sdiv:
      case Opcode::Udiv:
      case Opcode::Srem:
      case Opcode::Urem:
        return Step::Divide;
      case Opcode::Fadd:
        return wide ? Step::Fadd64 : Step::Fadd32;
      case Opcode::Fsub:
        return wide ? Step::Fsub64 : Step::Fsub32;
      case Opcode::Fmul:
        return wide ? Step::Fmul64 : Step::Fmul32;
      case Opcode::Fdiv:
        return wide ? Step::Fdiv64 : Step::Fdiv32;
      default:
        return Step::Binary;
    }
  }

  static void decode_compare(const Inst& inst, Decoded& step) {
    Cond cond = inst.cond();
    // Greater is less with the operands exchanged.
    if (cond == Cond::gt || cond == Cond::ge || cond == Cond::ugt || cond == Cond::uge) {
      std::swap(step.a, step.b);
      cond = swap_operands(cond);
    }
    step.from = static_cast<uint8_t>(cond);
    switch (cond) {
      case Cond::eq:
        step.step = Step::CmpEq;
        break;
      case Cond::ne:
        step.step = Step::CmpNe;
        break;
      case Cond::lt:
        step.step = Step::CmpLt;
        break;
      case Cond::le:
        step.step = Step::CmpLe;
        break;
      case Cond::ult:
        step.step = Step::CmpUlt;
        break;
      case Cond::ule:
        step.step = Step::CmpUle;
        break;
      default:
        step.step = Step::CmpFloat;
        break;
    }
  }

  void decode_predicate_compare(const Inst& inst, std::span<const Operand> operands, Decoded& step) {
    PredicateCompare compare;
    CmppView cmpp = as_cmpp(operands);
    compare.a = place(cmpp.left);
    compare.b = place(cmpp.right);
    compare.input = place(cmpp.input);
    compare.negated = cmpp.input.is_negated();
    for (int i = 0; i < 2; ++i) {
      Reg result = inst.results[static_cast<size_t>(i)];
      compare.actions[i] = result ? inst.action(i) : Action::none;
      compare.targets[i] = place(result);
      compare.olds[i] = compare.targets[i];
      if (inst.has_old_values() && is_partial(compare.actions[i])) {
        compare.olds[i] = place(old_value(inst, operands, i));
      }
    }
    step.step = Step::Cmpp;
    step.type = function_.as_bits(inst.type);
    step.from = inst.kind;
    step.b = static_cast<uint32_t>(out_.predicate_compares.size());
    out_.predicate_compares.push_back(compare);
  }

  static void decode_convert(const Inst& inst, Decoded& step) {
    step.from = inst.kind;
    switch (inst.op) {
      case Opcode::Sext:
        step.step = Step::Sext;
        step.shift = static_cast<uint8_t>(width_shift(inst.from()));
        break;
      case Opcode::Zext:
      case Opcode::Bitcast:
        step.step = Step::Mov;
        break;
      case Opcode::Trunc:
      case Opcode::Ptrtoint:
      case Opcode::Inttoptr:
        step.step = Step::Mask;
        break;
      default:
        step.step = Step::Convert;
        break;
    }
  }

  void decode_psi(PsiArguments arguments, Decoded& step) {
    step.step = Step::Psi;
    step.b = static_cast<uint32_t>(out_.lists.size());
    step.c = static_cast<uint32_t>(arguments.size());
    for (auto [guard, value] : arguments) {
      out_.lists.push_back(place(guard) * 2 + guard.is_negated());
      out_.lists.push_back(place(value));
    }
  }

  void decode_call(const Inst& inst, std::span<const Operand> operands, Decoded& step) {
    CallSite site;
    site.arguments = static_cast<uint32_t>(out_.lists.size());
    auto [callee, arguments] = as_call(operands);
    for (Operand argument : arguments) {
      out_.lists.push_back(place(argument));
      site.types.push_back(function_.type(argument));
    }
    step.a = place(callee);
    step.step = Step::CallAny;
    if (callee.is_symbol()) {
      site.callee = callee.symbol();
      // Any other callee is left to the checks at run time.
      if (module_.kind(site.callee) == SymbolKind::Function &&
          !module_.function(site.callee).is_declaration() &&
          takes(module_.function(site.callee).signature, site.types) &&
          (inst.type == Type::none || inst.type == module_.function(site.callee).signature.result)) {
        step.step = Step::Call;
      }
    }
    step.b = static_cast<uint32_t>(out_.calls.size());
    out_.calls.push_back(std::move(site));
  }

  static bool takes(const Signature& signature, const std::vector<Type>& types) {
    if (types.size() < signature.params.size()) return false;
    if (types.size() > signature.params.size() && !signature.variadic) return false;
    return std::equal(signature.params.begin(), signature.params.end(), types.begin());
  }

  uint32_t add_edges(std::span<const Operand> operands, BlockId from) {
    auto first = static_cast<uint32_t>(out_.edges.size());
    for (Operand operand : operands) {
      if (!operand.is_block()) continue;
      out_.edges.emplace_back();
      edge_ends_.push_back({from, operand.block()});
    }
    return first;
  }

  void decode_switch(std::span<const Operand> operands, BlockId block, Decoded& step) {
    step.step = Step::Switch;
    step.b = static_cast<uint32_t>(out_.switches.size());
    SwitchTable table;
    table.otherwise = add_edges(operands, block);
    SwitchCases cases = as_switch(operands).cases;
    size_t count = cases.size();
    std::vector<uint64_t> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = function_.literal_bits(cases[i].literal);
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] < values[b]; });
    uint64_t range = count == 0 ? 0 : values[order.back()] - values[order.front()];
    table.dense = count > 0 && range <= 4 * count + 16;
    if (table.dense) {
      table.low = values[order.front()];
      table.edges.assign(range + 1, table.otherwise);
      for (uint32_t i : order) table.edges[values[i] - table.low] = table.otherwise + 1 + i;
    } else {
      for (uint32_t i : order) {
        table.values.push_back(values[i]);
        table.edges.push_back(table.otherwise + 1 + i);
      }
    }
    out_.switches.push_back(std::move(table));
  }

  // --- Edges ----------------------------------------------------------------------------------------
  void finish_edge(Edge& edge, BlockId target) {
    edge.target = block_start_[target.index()];
    edge.cost = block_cost_[target.index()];
  }

  // Gives every block with phis one list of moves for each predecessor, and every edge its list.
  void place_phi_moves() {
    std::vector<uint32_t> in_start(function_.num_blocks() + 1);
    for (const EdgeEnds& ends : edge_ends_) ++in_start[ends.to.index() + 1];
    std::partial_sum(in_start.begin(), in_start.end(), in_start.begin());
    std::vector<uint32_t> in_edges(edge_ends_.size());
    std::vector<uint32_t> fill = in_start;
    for (uint32_t i = 0; i < edge_ends_.size(); ++i) in_edges[fill[edge_ends_[i].to.index()]++] = i;

    constexpr uint32_t kNoList = UINT32_MAX;
    std::vector<uint32_t> list_of(function_.num_blocks(), kNoList);  // by predecessor
    std::vector<uint32_t> written(out_.num_undef, UINT32_MAX);       // by register: on which edge last
    std::vector<InstId> phis;
    for (BlockId block : function_.layout()) {
      phis.clear();
      for (InstId id : function_.insts(block)) {
        if (!function_.inst(id).is_phi()) break;
        phis.push_back(id);
      }
      if (phis.empty()) continue;
      auto count = static_cast<uint32_t>(phis.size());
      PhiEntries first = phi_entries(function_, phis[0]);
      auto base = static_cast<uint32_t>(out_.moves.size());
      out_.moves.resize(base + first.size() * count, Move{discard_, discard_});
      for (uint32_t i = 0; i < first.size(); ++i) list_of[first[i].block.index()] = base + i * count;
      for (uint32_t k = 0; k < count; ++k) {
        uint32_t result = place(function_.inst(phis[k]).results[0]);
        for (auto [from, value] : phi_entries(function_, phis[k])) {
          uint32_t list = list_of[from.index()];
          if (list != kNoList) out_.moves[list + k] = {result, place(value)};
        }
      }
      for (uint32_t i = in_start[block.index()]; i < in_start[block.index() + 1]; ++i) {
        Edge& edge = out_.edges[in_edges[i]];
        uint32_t list = list_of[edge_ends_[in_edges[i]].from.index()];
        if (list == kNoList) continue;
        edge.moves = list;
        edge.num_moves = count;
        edge.staged = needs_staging(in_edges[i], written);
      }
      for (PhiEntry entry : first) list_of[entry.block.index()] = kNoList;
    }
  }

  bool needs_staging(uint32_t index, std::vector<uint32_t>& written) const {
    const Edge& edge = out_.edges[index];
    for (uint32_t i = edge.moves; i < edge.moves + edge.num_moves; ++i) {
      const Move& move = out_.moves[i];
      if (move.from < written.size() && written[move.from] == index) return true;
      written[move.to] = index;
    }
    return false;
  }

  const Module& module_;
  const Function& function_;
  const Memory& memory_;
  DecodedFunction& out_;
  const MonitoredCode* monitored_;
  uint32_t discard_;
  uint32_t undef_place_ = 0;
  std::unordered_map<uint64_t, uint32_t> constant_places_;
  std::vector<uint32_t> block_start_;
  std::vector<uint32_t> block_cost_;
  std::vector<EdgeEnds> edge_ends_;
};

}  // namespace

uint32_t SwitchTable::find(uint64_t value) const {
  if (dense) return value - low < edges.size() ? edges[value - low] : otherwise;
  auto it = std::lower_bound(values.begin(), values.end(), value);
  if (it == values.end() || *it != value) return otherwise;
  return edges[static_cast<size_t>(it - values.begin())];
}

std::unique_ptr<DecodedFunction> decode(const Module& module, const Function& function,
                                        const Memory& memory) {
  auto result = std::make_unique<DecodedFunction>();
  if (function.instruction_set) result->expanded = std::make_unique<Expanded>(expand_meanings(function));
  Decoder(module, result->expanded ? result->expanded->function : function, memory, *result).run();
  return result;
}

std::unique_ptr<DecodedFunction> decode(const Module& module, MonitoredCode code, const Memory& memory) {
  auto result = std::make_unique<DecodedFunction>();
  result->is_monitored = true;
  result->expanded = std::make_unique<Expanded>(std::move(code.expanded));
  Decoder(module, result->expanded->function, memory, *result, &code).run();
  return result;
}

}  // namespace psi::interp
