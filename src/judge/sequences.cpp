// Sequences are executed: a copy gives the value, a constant the constant, a reload what was spilled.
#include <fmt/format.h>

#include <algorithm>

#include "judge/judge.h"
#include "psi/interp/interpret.h"
#include "psi/text/text.h"
#include "target/complete/body.h"

namespace psi::judge {
namespace {

std::vector<uint64_t> samples_of(Type type) {
  std::vector<uint64_t> all;
  for (uint64_t bits : {uint64_t{0}, uint64_t{1}, uint64_t{5}, ~uint64_t{0}, uint64_t{0x80},
                        uint64_t{1} << 31, uint64_t{1} << 63, uint64_t{0x0123456789abcdef}}) {
    bits &= value_mask(type);
    if (std::ranges::find(all, bits) == all.end()) all.push_back(bits);
  }
  return all;
}

class SequenceJudge {
 public:
  SequenceJudge(const TargetDescription& description, target::Problems& problems)
      : d_(description), problems_(problems) {}

  void run() {
    for (const Sequence& sequence : d_.sequences) {
      if (sequence.header.empty()) continue;  // a form that means just that
      switch (sequence.kind) {
        case Sequence::Kind::Copy:
          judge_copy(sequence);
          break;
        case Sequence::Kind::Constant:
          judge_constant(sequence);
          break;
        case Sequence::Kind::Spill:
          judge_spill(sequence);
          break;
        case Sequence::Kind::Swap:
          judge_swap(sequence);
          break;
        default:
          break;
      }
    }
  }

 private:
  Type type_of(uint32_t register_class) const { return d_.classes[register_class].types.front(); }

  // A function of the machine with a value as its parameter, to which sequences are added.
  struct Trial {
    Module module;
    SymbolId symbol;
    BlockId block;
    std::vector<Reg> params;
    Function& function() { return module.function(symbol); }
  };

  Trial begin(std::span<const Type> params, Type result) const {
    Trial trial;
    set_pointer_bits(trial.module);
    trial.symbol = trial.module.intern_symbol("trial");
    Function& function = trial.module.add_function(trial.symbol);
    function.form = Form::Ssa;
    function.instruction_set = d_.instructions;
    function.signature.result = result;
    function.signature.params.assign(params.begin(), params.end());
    for (Type type : params) {
      trial.params.push_back(function.add_reg(type));
      function.params.push_back(trial.params.back());
    }
    trial.block = function.add_block("entry");
    function.set_layout({trial.block});
    return trial;
  }

  // Older modules have addresses of 64 bits alone.
  template <class AnyModule>
  void set_pointer_bits(AnyModule& module) const {
    if constexpr (requires { module.set_pointer_bits(32u); }) module.set_pointer_bits(d_.pointer_bits);
  }
  template <class AnyModule>
  static constexpr bool kHasPointerBits = requires(AnyModule module) { module.set_pointer_bits(32u); };
  bool can_address() const { return d_.pointer_bits == 64 || kHasPointerBits<Module>; }

  // Appends the sequence on these registers; gives its results.
  std::vector<Reg> append(Trial& trial, const SequenceCode& code, std::span<const Reg> operands) const {
    target::Body body;
    body.function = code.module.function(code.function);
    std::vector<InstId> insts(body.function.insts(body.function.entry()).begin(),
                              body.function.insts(body.function.entry()).end());
    insts.pop_back();  // ret
    body.function.set_insts(body.function.entry(), insts);
    std::vector<Reg> map(body.function.num_regs());
    for (size_t i = 0; i < operands.size(); ++i) {
      if (code.operands[i]) map[code.operands[i].index()] = operands[i];
    }
    // A register that the sequence names, any will do: the stack pointer compared with itself.
    for (const auto& [reg, index] : code.fixed) {
      std::optional<uint64_t> wired = d_.registers[index].wired;
      map[reg.index()] = constant(trial, body.function.type(reg), wired.value_or(0));
    }
    target::append_body(body, trial.function(), trial.block, map, {});
    std::vector<Reg> results;
    for (Reg r : code.results) results.push_back(map[r.index()]);
    return results;
  }

  static Reg append(Trial& trial, Opcode op, Type from, Type type, std::span<const Operand> operands) {
    Inst inst;
    inst.op = op;
    inst.type = type;
    if (info(op).format == Format::Convert) inst.set_from(from);
    Reg result = op == Opcode::Ret ? Reg() : trial.function().add_reg(op == Opcode::Slot ? Type::ptr : type);
    inst.results[0] = result;
    if (op == Opcode::Slot) inst.extra = 3;
    InstId id = trial.function().add_inst(inst, operands);
    trial.function().append(trial.block, id);
    return result;
  }

  static Reg constant(Trial& trial, Type type, uint64_t bits) {
    Operand literal = trial.function().literal(type, bits);
    return append(trial, Opcode::Mov, type, type, std::span(&literal, 1));
  }

  static Outcome run(Trial& trial, Reg result, std::span<const uint64_t> arguments) {
    Operand value(result);
    append(trial, Opcode::Ret, Type::none, Type::none, std::span(&value, 1));
    std::vector<Value> values;
    for (uint64_t bits : arguments) values.push_back({bits, false});
    return interpret(trial.module, trial.symbol, values);
  }

  static std::string shown(Type type, const Outcome& outcome) {
    if (!outcome.returned()) return outcome.message;
    return outcome.result.undef ? "undef" : print_literal(type, outcome.result.bits);
  }

  static bool gives(const Outcome& outcome, uint64_t bits) {
    return outcome.returned() && !outcome.result.undef && outcome.result.bits == bits;
  }

  std::optional<SequenceCode> code_of(const Sequence& sequence, std::span<const SequenceArgument> arguments) {
    Result<SequenceCode> code = instantiate(d_, sequence, arguments);
    if (code) return std::move(*code);
    problems_.error(sequence.where,
                    fmt::format("'{}': {}", sequence_name(sequence.kind), code.diagnostics().first_error()));
    return std::nullopt;
  }

  void judge_copy(const Sequence& sequence) {
    std::vector<SequenceArgument> none(sequence.operands.size());
    if (sequence.source_class == kNone || sequence.operands.size() != 1) return;
    Type type = type_of(sequence.register_class);
    std::optional<SequenceCode> code = code_of(sequence, none);
    if (!code) return;
    for (uint64_t sample : samples_of(type)) {
      Type source = type_of(sequence.source_class);
      Trial trial = begin(std::span(&source, 1), type);
      Reg result = append(trial, *code, trial.params)[0];
      Outcome outcome = run(trial, result, std::span(&sample, 1));
      if (gives(outcome, sample)) continue;
      problems_.error(sequence.where,
                      fmt::format("copy of '{}' is not the identity: {} gives {}", class_name(sequence),
                                  print_literal(type, sample), shown(type, outcome)));
      return;
    }
  }

  void judge_swap(const Sequence& sequence) {
    if (sequence.operands.size() != 2 || sequence.results.size() != 2) return;
    std::vector<SequenceArgument> none(2);
    std::optional<SequenceCode> code = code_of(sequence, none);
    if (!code) return;
    // Results stand in the operands' registers, so the code is in plain form; the first must get the second.
    Type type = type_of(sequence.register_class);
    std::array<Type, 2> types{type, type};
    std::array<uint64_t, 2> values{0, value_mask(type)};
    for (size_t which = 0; which < 2; ++which) {
      Trial trial = begin(types, type);
      trial.function().form = Form::Plain;
      std::array<Reg, 2> copies{constant(trial, type, values[0]), constant(trial, type, values[1])};
      Reg result = append(trial, *code, copies)[which];
      Outcome outcome = run(trial, result, values);
      if (gives(outcome, values[1 - which])) continue;
      problems_.error(sequence.where,
                      fmt::format("swap of '{}' does not exchange {} and {}", class_name(sequence),
                                  print_literal(type, values[0]), print_literal(type, values[1])));
      return;
    }
  }

  void judge_constant(const Sequence& sequence) {
    Type type = type_of(sequence.register_class);
    std::vector<uint64_t> samples = sequence.literal ? std::vector{*sequence.literal} : samples_of(type);
    for (uint64_t sample : samples) {
      std::vector<SequenceArgument> arguments(sequence.operands.size());
      for (size_t i = 0; i < arguments.size(); ++i) {
        const Sequence::Operand& operand = sequence.operands[i];
        arguments[i].literal = operand.half == Half::High ? sample >> bit_width(operand.type) : sample;
      }
      std::optional<SequenceCode> code = code_of(sequence, arguments);
      if (!code) return;
      Trial trial = begin({}, type);
      Reg result = append(trial, *code, {})[0];
      Outcome outcome = run(trial, result, {});
      if (gives(outcome, sample)) continue;
      problems_.error(sequence.where,
                      fmt::format("constant of '{}' is not what it says: {} gives {}", class_name(sequence),
                                  print_literal(type, sample), shown(type, outcome)));
      return;
    }
  }

  // With the reload of the same class.
  void judge_spill(const Sequence& spill) {
    const Sequence* reload = d_.sequence(Sequence::Kind::Reload, spill.register_class);
    if (!reload)
      return problems_.error(spill.where,
                             fmt::format("'{}' is spilled, but never reloaded", class_name(spill)));
    if (reload->header.empty() || !can_address()) return;
    std::vector<SequenceArgument> arguments(std::max(spill.operands.size(), reload->operands.size()));
    std::optional<SequenceCode> store = code_of(spill, arguments), load = code_of(*reload, arguments);
    if (!store || !load) return;
    Type type = type_of(spill.register_class);
    Type address_type = d_.pointer_bits == 32 ? Type::i32 : Type::i64;
    for (uint64_t sample : samples_of(type)) {
      Trial trial = begin(std::span(&type, 1), type);
      Operand size = trial.function().literal(Type::i64, 16);
      Reg slot = append(trial, Opcode::Slot, Type::none, Type::none, std::span(&size, 1));
      Operand of_slot(slot);
      Reg address = append(trial, Opcode::Ptrtoint, Type::ptr, address_type, std::span(&of_slot, 1));
      auto operands_of = [&](const Sequence& sequence) {
        std::vector<Reg> operands;
        for (const Sequence::Operand& operand : sequence.operands) {
          operands.push_back(operand.name.find('.') == std::string::npos ? trial.params[0] : address);
        }
        return operands;
      };
      append(trial, *store, operands_of(spill));
      Reg result = append(trial, *load, operands_of(*reload))[0];
      Outcome outcome = run(trial, result, std::span(&sample, 1));
      if (gives(outcome, sample)) continue;
      problems_.error(reload->where,
                      fmt::format("reload after spill of '{}' is not the identity: {} gives {}",
                                  class_name(spill), print_literal(type, sample), shown(type, outcome)));
      return;
    }
  }

  std::string_view class_name(const Sequence& sequence) const {
    return d_.classes[sequence.register_class].name;
  }

  const TargetDescription& d_;
  target::Problems& problems_;
};

}  // namespace

void judge_sequences(const TargetDescription& description, target::Problems& problems) {
  SequenceJudge(description, problems).run();
}

}  // namespace psi::judge
