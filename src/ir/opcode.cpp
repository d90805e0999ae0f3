#include "psi/ir/opcode.h"

#include <algorithm>
#include <array>

#include "psi/ir/inst.h"

namespace psi {
namespace {

// Opcodes sorted by name, for the search by name.
constexpr auto kByName = [] {
  std::array<uint8_t, kNumOpcodes> order{};
  for (int i = 0; i < kNumOpcodes; ++i) order[i] = static_cast<uint8_t>(i);
  std::sort(order.begin(), order.end(),
            [](uint8_t a, uint8_t b) { return kOpcodes[a].name < kOpcodes[b].name; });
  return order;
}();

constexpr std::array<std::string_view, kNumConds> kCondNames = {
    "eq",  "ne",  "lt",  "le",  "gt",  "ge",  "ult", "ule", "ugt", "uge", "oeq", "one",
    "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"};

constexpr std::array<std::string_view, 8> kActionNames = {"un", "uc", "on", "oc", "an", "ac", "cn", "cc"};

constexpr std::array<Cond, kNumConds> kNegated = {
    Cond::ne,   Cond::eq,   Cond::ge,   Cond::gt,   Cond::le,   Cond::lt,   Cond::uge,  Cond::ugt,
    Cond::ule,  Cond::ult,  Cond::fune, Cond::fueq, Cond::fuge, Cond::fugt, Cond::fule, Cond::fult,
    Cond::funo, Cond::fone, Cond::foeq, Cond::foge, Cond::fogt, Cond::fole, Cond::folt, Cond::ford};

constexpr std::array<Cond, kNumConds> kSwapped = {
    Cond::eq,   Cond::ne,   Cond::gt,   Cond::ge,   Cond::lt,   Cond::le,   Cond::ugt,  Cond::uge,
    Cond::ult,  Cond::ule,  Cond::foeq, Cond::fone, Cond::fogt, Cond::foge, Cond::folt, Cond::fole,
    Cond::ford, Cond::fueq, Cond::fune, Cond::fugt, Cond::fuge, Cond::fult, Cond::fule, Cond::funo};

}  // namespace

std::optional<Opcode> opcode_from_name(std::string_view name) {
  auto at = std::lower_bound(kByName.begin(), kByName.end(), name,
                             [](uint8_t op, std::string_view text) { return kOpcodes[op].name < text; });
  if (at == kByName.end() || kOpcodes[*at].name != name) return std::nullopt;
  return static_cast<Opcode>(*at);
}

bool takes_type(Opcode op, Type type) {
  switch (info(op).types) {
    case TypeSet::None:
      return type == Type::none;
    case TypeSet::Int:
      return is_int(type);
    case TypeSet::Float:
      return is_float(type);
    case TypeSet::Any:
      return type < Type::none;
  }
  return false;
}

bool converts(Opcode op, Type from, Type to) {
  switch (op) {
    case Opcode::Trunc:
      return is_int(from) && is_int(to) && from > to;
    case Opcode::Zext:
    case Opcode::Sext:
      return is_int(from) && is_int(to) && from < to;
    case Opcode::Fptrunc:
      return from == Type::f64 && to == Type::f32;
    case Opcode::Fpext:
      return from == Type::f32 && to == Type::f64;
    case Opcode::Fptosi:
    case Opcode::Fptoui:
      return is_float(from) && is_int(to);
    case Opcode::Sitofp:
    case Opcode::Uitofp:
      return is_int(from) && is_float(to);
    case Opcode::Bitcast:
      return ((is_int(from) && is_float(to)) || (is_float(from) && is_int(to))) &&
             bit_width(from) == bit_width(to);
    case Opcode::Ptrtoint:
      return from == Type::ptr && is_int(to);
    case Opcode::Inttoptr:
      return is_int(from) && to == Type::ptr;
    default:
      return false;
  }
}

bool is_commutative(Opcode op) {
  switch (op) {
    case Opcode::Add:
    case Opcode::Mul:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Smin:
    case Opcode::Smax:
    case Opcode::Umin:
    case Opcode::Umax:
    case Opcode::SaddSat:
    case Opcode::UaddSat:
    case Opcode::SaddOverflow:
    case Opcode::UaddOverflow:
    case Opcode::SmulOverflow:
    case Opcode::UmulOverflow:
    case Opcode::Fadd:
    case Opcode::Fmul:
      return true;
    default:
      return false;
  }
}

bool has_result(Opcode op) {
  switch (info(op).format) {
    case Format::Store:
    case Format::MemCopy:
    case Format::MemSet:
    case Format::VaList:
    case Format::VaCopy:
    case Format::Call:
    case Format::Branch:
    case Format::Switch:
    case Format::Return:
    case Format::Unreachable:
      return false;
    default:
      return true;
  }
}

Type Inst::result_type() const {
  switch (format()) {
    case Format::Compare:
    case Format::ComparePredicate:
    case Format::Overflow:
      return Type::i1;
    case Format::Slot:
    case Format::PtrAdd:
    case Format::PtrIndex:
      return Type::ptr;
    case Format::Call:
    case Format::Machine:
      return type;
    default:
      return has_result(op) ? type : Type::none;
  }
}

std::optional<Type> type_from_name(std::string_view text) {
  for (int i = 0; i < kNumTypes; ++i) {
    if (type_name(static_cast<Type>(i)) == text) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::string_view cond_name(Cond cond) { return kCondNames[static_cast<size_t>(cond)]; }

std::optional<Cond> cond_from_name(std::string_view name, Type type) {
  size_t first = is_float(type) ? kNumIntConds : 0;
  size_t last = is_float(type) ? kNumConds : kNumIntConds;
  for (size_t i = first; i < last; ++i) {
    if (kCondNames[i] == name) return static_cast<Cond>(i);
  }
  return std::nullopt;
}

Cond negate(Cond cond) { return kNegated[static_cast<size_t>(cond)]; }
Cond swap_operands(Cond cond) { return kSwapped[static_cast<size_t>(cond)]; }

std::string_view action_name(Action action) { return kActionNames[static_cast<size_t>(action)]; }

std::optional<Action> action_from_name(std::string_view name) {
  for (size_t i = 0; i < kActionNames.size(); ++i) {
    if (kActionNames[i] == name) return static_cast<Action>(i);
  }
  return std::nullopt;
}

}  // namespace psi
