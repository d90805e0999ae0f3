// From a module to its text. Types that the parser can infer are left out only where an earlier line
// determines them, so that a reader can infer them, too.
#include <fmt/format.h>

#include <iterator>

#include "ir/names.h"
#include "psi/ir/views.h"
#include "psi/text/text.h"
#include "text/lexer.h"
#include "text/literal.h"

namespace psi {
namespace {

class Printer {
 public:
  Printer(const Module& module, std::string& out) : module_(module), out_(out) {}

  void module() {
    bool first = true;
    bool last_was_body = false;
    if (module_.pointer_bits() != 64) out_ += fmt::format("pointer {}\n\n", module_.pointer_bits());
    for (SymbolId symbol : module_.declarations()) {
      bool is_body =
          module_.kind(symbol) == SymbolKind::Function && !module_.function(symbol).is_declaration();
      if (!first && (is_body || last_was_body)) out_ += '\n';
      first = false;
      last_was_body = is_body;
      if (module_.kind(symbol) == SymbolKind::Function) {
        function(module_.function(symbol));
      } else {
        global(module_.global(symbol));
      }
    }
  }

  void global(const Global& global) {
    out_ += global.external ? "extern " : "";
    out_ += global.constant ? "const " : "global ";
    symbol(global.symbol);
    if (global.external) number(" size ", global.size);
    if (global.align != 1) number(" align ", global.align);
    if (!global.external) contents(global.contents);
    out_ += '\n';
  }

  void function(const Function& function) {
    start(function, DisplayNames(function));
    known_.assign(function.num_regs(), false);
    // Capacity for lines of a usual length, so that long texts are not copied repeatedly.
    size_t room = out_.size() + size_t{36} * function.num_insts();
    if (room > out_.capacity()) out_.reserve(std::max(room, 2 * out_.capacity()));
    header();
    if (function.is_declaration()) {
      out_ += '\n';
      return;
    }
    out_ += " {\n";
    for (BlockId b : function.layout()) {
      block(b);
      out_ += ':';
      if (std::optional<uint64_t> count = function.count(b)) number(" count ", *count);
      out_ += '\n';
      for (InstId id : function.insts(b)) {
        out_ += "  ";
        inst(id);
        out_ += '\n';
      }
    }
    out_ += "}\n";
  }

  void start(const Function& function, DisplayNames names) {
    function_ = &function;
    names_ = std::move(names);
  }

  void inst(InstId id) {
    const Inst& inst = function_->inst(id);
    if (inst.guard) {
      operand(inst.guard.as_operand());
      out_ += " ? ";
    }
    if (inst.results[0]) {
      result(inst, 0);
      if (inst.results[1]) {
        out_ += ", ";
        result(inst, 1);
      }
      out_ += " = ";
    }
    if (inst.is_machine()) {
      machine(inst);
    } else {
      opcode(inst);
      operands(inst);
    }
    if (has_align(inst)) number(", align ", inst.align());
    if (std::span<const uint64_t> counts = function_->edge_counts(id); !counts.empty()) {
      out_ += ", counts";
      for (uint64_t count : counts) number(" ", count);
    }
    if (std::optional<uint32_t> rate = function_->misprediction_rate(id)) number(", mispredicted ", *rate);
    if (uint32_t line = function_->line(id)) number(", line ", line);
    if (inst.has_flag(Inst::kStop)) out_ += " ;;";
    if (!known_.empty()) {
      for (Reg result : inst.results) {
        if (result) known_[result.index()] = true;
      }
    }
  }

  void operand(Operand operand) {
    switch (operand.kind()) {
      case Operand::Kind::None:
        out_ += "<none>";
        break;
      case Operand::Kind::NotReg:
        out_ += '!';
        [[fallthrough]];
      case Operand::Kind::Reg:
        reg(operand.reg());
        break;
      case Operand::Kind::Small:
      case Operand::Kind::Pooled:
        append_literal(out_, operand.literal_type(), function_->literal_bits(operand));
        break;
      case Operand::Kind::Undef:
        out_ += "undef";
        break;
      case Operand::Kind::Block:
        block(operand.block());
        break;
      case Operand::Kind::Symbol:
        symbol(operand.symbol());
        break;
    }
  }

 private:
  void number(std::string_view before, uint64_t value) {
    out_ += before;
    append_number(out_, value);
  }

  void symbol(SymbolId symbol) { append_name(out_, '$', module_.name(symbol)); }

  void reg(Reg r) {
    std::string_view name = names_.name(r);
    if (!name.empty()) return append_name(out_, '%', name);
    number("%", r.index());
  }
  void block(BlockId b) {
    std::string_view name = names_.name(b);
    if (!name.empty()) return append_name(out_, '@', name);
    number("@", b.index());
  }

  void contents(const std::vector<Initialiser>& pieces) {
    out_ += " {";
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Initialiser& piece = pieces[i];
      out_ += i == 0 ? " " : ", ";
      switch (piece.kind) {
        case Initialiser::Kind::Value:
          out_ += type_name(piece.type);
          out_ += ' ';
          append_literal(out_, piece.type, piece.bits);
          break;
        case Initialiser::Kind::Address:
          out_ += "ptr ";
          symbol(piece.symbol);
          if (piece.addend > 0) out_ += fmt::format(" + {}", piece.addend);
          if (piece.addend < 0) out_ += fmt::format(" - {}", -static_cast<uint64_t>(piece.addend));
          break;
        case Initialiser::Kind::Zero:
          number("zero ", piece.bits);
          break;
        case Initialiser::Kind::Bytes:
          out_ += quote(piece.bytes);
          break;
      }
    }
    out_ += " }";
  }

  void header() {
    const Function& f = *function_;
    bool external = f.is_declaration();
    out_ += external ? "extern func " : "func ";
    symbol(f.symbol);
    out_ += '(';
    for (size_t i = 0; i < f.signature.params.size(); ++i) {
      if (i > 0) out_ += ", ";
      if (!external && i < f.params.size()) {
        reg(f.params[i]);
        out_ += ": ";
        known_[f.params[i].index()] = true;
      }
      out_ += type_name(f.signature.params[i]);
    }
    if (f.signature.variadic) out_ += f.signature.params.empty() ? "..." : ", ...";
    out_ += ')';
    if (f.signature.result != Type::none) {
      out_ += " -> ";
      out_ += type_name(f.signature.result);
    }
    if (f.form != Form::Plain) {
      out_ += ' ';
      out_ += form_name(f.form);
    }
    if (f.instruction_set && !external) {
      out_ += " target ";
      out_ += f.instruction_set->name();
    }
    if (f.attributes.readnone) out_ += " readnone";
    if (f.attributes.readonly) out_ += " readonly";
    if (f.attributes.noreturn) out_ += " noreturn";
    if (f.attributes.nounwind) out_ += " nounwind";
  }

  // With its type where that of a machine instruction's first form is another.
  void result(const Inst& inst, size_t i) {
    reg(inst.results[i]);
    if (!inst.is_machine() || !function_->instruction_set) return;
    const InstructionSet& set = *function_->instruction_set;
    if (inst.form() >= set.num_forms()) return;
    const MachineForm& first = set.form(set.find(set.form(inst).name).front());
    Type type = function_->type(inst.results[i]);
    if (i < first.results.size() && first.results[i].type == type) return;
    out_ += ": ";
    out_ += type_name(type);
  }

  void machine(const Inst& inst) {
    const InstructionSet* set = function_->instruction_set.get();
    if (!set || inst.form() >= set->num_forms()) {
      out_ += info(inst.op).name;
      return comma_separated(function_->operands(inst));
    }
    const MachineForm& form = set->form(inst);
    out_ += set->name();
    suffix(form.name);
    if (inst.has_flag(Inst::kVolatile)) suffix("volatile");
    std::span<const Operand> list = function_->operands(inst);
    for (size_t i = 0; i < list.size(); ++i) {
      out_ += i == 0 ? " " : ", ";
      Type wanted = i < form.operands.size() ? form.operands[i].type : Type::none;
      if ((list[i].is_literal() || list[i].is_undef()) && list[i].literal_type() != wanted) {
        out_ += type_name(list[i].literal_type());
        out_ += ' ';
      }
      operand(list[i]);
    }
  }

  void suffix(std::string_view text) {
    out_ += '.';
    out_ += text;
  }

  void opcode(const Inst& inst) {
    out_ += info(inst.op).name;
    if (inst.has_flag(Inst::kVolatile)) suffix("volatile");
    if (inst.has_flag(Inst::kDeref)) suffix("deref");
    if (inst.has_flag(Inst::kFast)) suffix("fast");
    switch (inst.format()) {
      case Format::Compare:
        suffix(cond_name(inst.cond()));
        break;
      case Format::ComparePredicate:
        suffix(action_name(inst.action(0)));
        if (inst.action(1) != Action::none) suffix(action_name(inst.action(1)));
        suffix(cond_name(inst.cond()));
        break;
      case Format::Convert:
        suffix(type_name(inst.from()));
        break;
      case Format::Move:
      case Format::Select:
      case Format::Phi:
      case Format::Psi:
        if (tells_type(inst)) return;
        break;
      default:
        break;
    }
    if (inst.type != Type::none) suffix(type_name(inst.type));
  }

  // Does an operand defined above determine the type of a move or merge?
  bool tells_type(const Inst& inst) const {
    std::span<const Operand> operands = function_->operands(inst);
    size_t first = inst.format() == Format::Move ? 0 : 1;
    size_t step = inst.is_phi() || inst.is_psi() ? 2 : 1;
    bool tells = false;
    for (size_t i = first; i < operands.size(); i += step) {
      Operand operand = operands[i];
      if (operand.is_literal() &&
          is_written_as_bits(operand.literal_type(), function_->literal_bits(operand))) {
        return false;
      }
      tells |= operand.is_reg() && (known_.empty() || known_[operand.reg().index()]);
    }
    return tells;
  }

  void operands(const Inst& inst) {
    std::span<const Operand> list = function_->operands(inst);
    switch (inst.format()) {
      case Format::Phi:
        for (size_t i = 0; auto [from, value] : MergeArguments(list))
          bracketed(i++ == 0 ? " [" : ", [", from, value);
        break;
      case Format::Psi:
        for (size_t i = 0; auto [guard, value] : psi_arguments(list)) {
          out_ += i++ == 0 ? " " : ", ";
          if (guard.reads_reg()) {
            operand(guard);
            out_ += " ? ";
          }
          operand(value);
        }
        break;
      case Format::Switch:
        comma_separated(list.first(std::min<size_t>(2, list.size())));
        for (size_t i = 2; i + 1 < list.size(); i += 2) bracketed(", [", list[i], list[i + 1]);
        break;
      case Format::ComparePredicate:
        comma_separated(list.first(std::min<size_t>(2, list.size())));
        if (list.size() > 2 && list[2].reads_reg()) {
          out_ += " if ";
          operand(list[2]);
        }
        if (list.size() > 3) {
          out_ += " old";
          comma_separated(list.subspan(3));
        }
        break;
      case Format::Call:
        call(list);
        break;
      default:
        comma_separated(list);
    }
  }

  void comma_separated(std::span<const Operand> list) {
    for (size_t i = 0; i < list.size(); ++i) {
      out_ += i == 0 ? " " : ", ";
      operand(list[i]);
    }
  }

  void bracketed(std::string_view open, Operand a, Operand b) {
    out_ += open;
    operand(a);
    out_ += ": ";
    operand(b);
    out_ += ']';
  }

  void call(std::span<const Operand> list) {
    if (list.empty()) return;
    out_ += ' ';
    operand(list[0]);
    out_ += '(';
    const Signature* signature = nullptr;
    if (list[0].is_symbol() && module_.kind(list[0].symbol()) == SymbolKind::Function) {
      signature = &module_.function(list[0].symbol()).signature;
    }
    for (size_t i = 1; i < list.size(); ++i) {
      if (i > 1) out_ += ", ";
      bool told = signature && i - 1 < signature->params.size() &&
                  signature->params[i - 1] == function_->type(list[i]);
      // The function may be declared further down, but the parser needs the type of the bits.
      if (list[i].is_literal() &&
          is_written_as_bits(list[i].literal_type(), function_->literal_bits(list[i]))) {
        told = false;
      }
      if ((list[i].is_literal() || list[i].is_undef()) && !told) {
        out_ += type_name(list[i].literal_type());
        out_ += ' ';
      }
      operand(list[i]);
    }
    out_ += ')';
  }

  bool has_align(const Inst& inst) const {
    switch (inst.format()) {
      case Format::Load:
      case Format::Store:
        return inst.align() != function_->byte_size(inst.type);
      case Format::Slot:
      case Format::MemCopy:
      case Format::MemSet:
        return inst.align() != 1;
      default:
        return false;
    }
  }

  const Module& module_;
  std::string& out_;
  const Function* function_ = nullptr;
  DisplayNames names_;
  std::vector<bool> known_;  // by Reg: defined by a line above; empty: not tracked
};

}  // namespace

std::string print(const Module& module) {
  std::string out;
  Printer(module, out).module();
  return out;
}

std::string print(const Module& module, const Function& function) {
  std::string out;
  Printer(module, out).function(function);
  return out;
}

std::string print(const Module& module, const Function& function, InstId inst) {
  std::string out;
  Printer printer(module, out);
  printer.start(function, DisplayNames::as_stored(function));
  printer.inst(inst);
  return out;
}

std::string print(const Module& module, const Function& function, Operand operand) {
  std::string out;
  Printer printer(module, out);
  printer.start(function, DisplayNames::as_stored(function));
  printer.operand(operand);
  return out;
}

}  // namespace psi
