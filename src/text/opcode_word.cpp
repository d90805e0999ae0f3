// Opcode words: from `cmpp.un.uc.lt.i32` to the record it stands for.
#include <fmt/format.h>

#include <array>

#include "psi/support/suggestion.h"
#include "text/parser.h"

namespace psi {
namespace {

std::string opcode_suggestion(std::string_view word) {
  std::array<std::string_view, kNumGenericOpcodes> names;
  for (int i = 0; i < kNumGenericOpcodes; ++i)
    names[static_cast<size_t>(i)] = info(static_cast<Opcode>(i)).name;
  return suggestion(word, names);
}

// The parts of a dotted word, taken from the left.
class Parts {
 public:
  explicit Parts(std::string_view word) : rest_(word) {}
  bool done() const { return finished_; }
  std::string_view peek() const { return rest_.substr(0, rest_.find('.')); }
  std::string_view take() {
    std::string_view part = peek();
    if (part.size() == rest_.size()) {
      finished_ = true;
      rest_ = {};
    } else {
      rest_.remove_prefix(part.size() + 1);
    }
    return part;
  }

 private:
  std::string_view rest_;
  bool finished_ = false;
};

// The error in the word; empty if there is none. Fills in the record.
class WordResolver {
 public:
  WordResolver(std::string_view word, Inst& inst) : parts_(word), inst_(inst) {}

  std::string run() {
    std::string_view name = parts_.take();
    std::optional<Opcode> op = opcode_from_name(name);
    if (!op) return fmt::format("unknown opcode '{}'{}", name, opcode_suggestion(name));
    name_ = name;
    inst_ = Inst();
    inst_.op = *op;
    take_flags();
    std::string error = take_rest();
    if (error.empty() && !parts_.done()) {
      return fmt::format("'{}' does not take '{}' here", name_, parts_.peek());
    }
    return error;
  }

 private:
  void take_flags() {
    while (!parts_.done()) {
      std::string_view part = parts_.peek();
      uint32_t flag = part == "volatile" ? Inst::kVolatile
                      : part == "deref"  ? Inst::kDeref
                      : part == "fast"   ? Inst::kFast
                                         : 0;
      if (flag == 0) return;
      inst_.flags = (inst_.flags | flag) & 0xff;
      parts_.take();
    }
  }

  std::string take_rest() {
    switch (inst_.format()) {
      case Format::Compare:
        return take_condition();
      case Format::ComparePredicate:
        return take_actions();
      case Format::Convert:
        return take_conversion();
      case Format::Move:
      case Format::Select:
      case Format::Phi:
      case Format::Psi:
      case Format::Call:
        return parts_.done() ? std::string() : take_type(inst_.type);
      default:
        if (info(inst_.op).types == TypeSet::None) return {};
        return take_type(inst_.type);
    }
  }

  std::string take_type(Type& type) {
    if (parts_.done()) return fmt::format("'{}' needs a type, as in '{}.{}'", name_, name_, example_type());
    std::string_view part = parts_.take();
    std::optional<Type> named = type_from_name(part);
    if (!named) return fmt::format("'{}' is not a type (i1 i8 i16 i32 i64 f32 f64 ptr)", part);
    type = *named;
    TypeSet set = info(inst_.op).types;
    if (set == TypeSet::Int && !is_int(type)) {
      return fmt::format("'{}' takes an integer type, not {}", name_, type_name(type));
    }
    if (set == TypeSet::Float && !is_float(type)) {
      return fmt::format("'{}' takes f32 or f64, not {}", name_, type_name(type));
    }
    return {};
  }

  std::string_view example_type() const { return info(inst_.op).types == TypeSet::Float ? "f64" : "i32"; }

  std::string take_condition() {
    std::string_view example = inst_.op == Opcode::Cmp ? "cmp.lt.i32" : "cmpp.un.lt.i32";
    if (parts_.done()) return fmt::format("'{}' needs a condition and a type, as in '{}'", name_, example);
    std::string_view word = parts_.take();
    if (parts_.done()) return fmt::format("'{}' needs a condition and a type, as in '{}'", name_, example);
    std::string error = take_type(inst_.type);
    if (!error.empty()) return error;
    std::optional<Cond> cond = cond_from_name(word, inst_.type);
    if (!cond) {
      return is_float(inst_.type)
                 ? fmt::format(
                       "'{}' is not a condition on {} (oeq one olt ole ogt oge ord ueq une ult ule ugt uge "
                       "uno)",
                       word, type_name(inst_.type))
                 : fmt::format("'{}' is not a condition on {} (eq ne lt le gt ge ult ule ugt uge)", word,
                               type_name(inst_.type));
    }
    inst_.set_cond(*cond);
    return {};
  }

  std::string take_actions() {
    std::optional<Action> first, second;
    if (!parts_.done()) first = action_from_name(parts_.peek());
    if (!first) return "'cmpp' needs an action for its target (un uc on oc an ac cn cc)";
    parts_.take();
    if (!parts_.done()) second = action_from_name(parts_.peek());
    if (second) parts_.take();
    inst_.set_actions(*first, second.value_or(Action::none));
    return take_condition();
  }

  std::string take_conversion() {
    Type from = Type::none;
    if (parts_.done())
      return fmt::format("'{}' needs two types, from and to, as in '{}.i8.i32'", name_, name_);
    std::string error = take_type(from);
    if (!error.empty()) return error;
    if (parts_.done()) {
      return fmt::format("'{}' needs two types, from and to, as in '{}.{}.i32'", name_, name_,
                         type_name(from));
    }
    inst_.set_from(from);
    return take_type(inst_.type);
  }

  Parts parts_;
  Inst& inst_;
  std::string_view name_;
};

// Spread enough for the few dozen words a program uses.
size_t cache_index(std::string_view word, size_t size) {
  size_t hash = word.size();
  for (size_t i = 0; i < 4; ++i)
    hash = hash * 31 + static_cast<unsigned char>(word[(word.size() - 1) * i / 3]);
  return (hash ^ hash >> 7) % size;
}

}  // namespace

bool Parser::resolve_opcode(const Token& token, Inst& inst) {
  CachedWord& cached = words_[cache_index(token.text, words_.size())];
  if (std::string_view(cached.text.data(), cached.size) != token.text) {
    std::string error = WordResolver(token.text, inst).run();
    if (!error.empty()) return fail(token, std::move(error));
    if (token.text.size() > cached.text.size()) return true;
    std::copy(token.text.begin(), token.text.end(), cached.text.begin());
    cached.size = static_cast<uint32_t>(token.text.size());
    cached.inst = inst;
    return true;
  }
  inst = cached.inst;
  return true;
}

}  // namespace psi
