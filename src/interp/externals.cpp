#include "interp/externals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "psi/ir/evaluate.h"

namespace psi::interp {
namespace {

struct Prototype {
  std::string_view name;
  External external;
  Type result;
  std::array<Type, 3> param_types;
  size_t num_params;
  bool variadic = false;
};

// In the order of External. An i64 is a size_t: with pointers of 32 bits, an i32.
constexpr std::array<Prototype, 14> kPrototypes = {{
    {"putchar", External::Putchar, Type::i32, {Type::i32}, 1},
    {"puts", External::Puts, Type::i32, {Type::ptr}, 1},
    {"printf", External::Printf, Type::i32, {Type::ptr}, 1, true},
    {"malloc", External::Malloc, Type::ptr, {Type::i64}, 1},
    {"calloc", External::Calloc, Type::ptr, {Type::i64, Type::i64}, 2},
    {"realloc", External::Realloc, Type::ptr, {Type::ptr, Type::i64}, 2},
    {"free", External::Free, Type::none, {Type::ptr}, 1},
    {"abort", External::Abort, Type::none, {}, 0},
    {"exit", External::Exit, Type::none, {Type::i32}, 1},
    {"llvm.stacksave.p0", External::StackSave, Type::ptr, {}, 0},
    {"llvm.stackrestore.p0", External::StackRestore, Type::none, {Type::ptr}, 1},
    {"memcpy", External::Memcpy, Type::ptr, {Type::ptr, Type::ptr, Type::i64}, 3},
    {"memmove", External::Memmove, Type::ptr, {Type::ptr, Type::ptr, Type::i64}, 3},
    {"memset", External::Memset, Type::ptr, {Type::ptr, Type::i32, Type::i64}, 3},
}};

bool matches(const Prototype& prototype, std::span<const Type> params, const ExternalArguments& arguments) {
  if (arguments.result != Type::none && arguments.result != prototype.result) return false;
  if (arguments.types.size() < params.size()) return false;
  if (arguments.types.size() > params.size() && !prototype.variadic) return false;
  return std::equal(params.begin(), params.end(), arguments.types.begin());
}

bool matches(const RuntimeRoutine& routine, const ExternalArguments& arguments) {
  if (arguments.result != Type::none && arguments.result != routine.result()) return false;
  return arguments.types.size() == routine.num_operands() &&
         std::ranges::all_of(arguments.types, [&](Type type) { return type == routine.operand(); });
}

std::string write_types(std::span<const Type> types, bool variadic, Type result) {
  std::string text = "(";
  for (Type type : types) {
    if (text.size() > 1) text += ", ";
    text += type_name(type);
  }
  if (variadic) text += ", ...";
  text += ")";
  if (result != Type::none) text += fmt::format(" -> {}", type_name(result));
  return text;
}

uint64_t mix(uint64_t state, uint64_t value) {
  // The finaliser of splitmix64.
  uint64_t z = (state ^ value) + 0x9e37'79b9'7f4a'7c15;
  z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
  return z ^ z >> 31;
}

}  // namespace

ExternalResult undefined(std::string message) {
  ExternalResult result;
  result.status = Outcome::Status::Undefined;
  result.message = "undefined behaviour: " + std::move(message);
  return result;
}

ExternalResult unsupported(std::string message) {
  ExternalResult result;
  result.status = Outcome::Status::Unsupported;
  result.message = "unsupported: " + std::move(message);
  return result;
}

External external_from_name(std::string_view name) {
  for (const Prototype& prototype : kPrototypes) {
    if (prototype.name == name) return prototype.external;
  }
  return External::Unknown;
}

ExternalResult Externals::call(External external, const ExternalArguments& arguments) {
  if (external == External::Unknown) {
    const RuntimeRoutine* routine = find_routine(arguments.callee);
    return routine && matches(*routine, arguments) ? call(*routine, arguments) : stub(arguments);
  }
  const Prototype& prototype = kPrototypes[static_cast<size_t>(external) - 1];
  std::array<Type, 3> types = prototype.param_types;
  if (memory_.is_flat()) std::ranges::replace(types, Type::i64, Type::i32);
  std::span<const Type> params = std::span(types).first(prototype.num_params);
  if (!matches(prototype, params, arguments)) {
    return unsupported(fmt::format("${} is called as {}, but here it is {}", arguments.callee,
                                   write_types(arguments.types, false, arguments.result),
                                   write_types(params, prototype.variadic, prototype.result)));
  }
  std::span<const uint64_t> bits = arguments.bits;
  ExternalResult result;
  switch (external) {
    case External::Putchar: {
      char c = static_cast<char>(bits[0]);
      return print(std::string_view(&c, 1), bits[0] & 0xff);
    }
    case External::Puts: {
      std::string text;
      if (!read_string(memory_, bits[0], UINT64_MAX, "puts", text, result)) return result;
      text += '\n';
      return print(text, 1);
    }
    case External::Printf: {
      std::string text;
      if (!format_printf(memory_, arguments, text, result)) return result;
      return print(text, text.size());
    }
    case External::Malloc:
      return allocate(bits[0], false);
    case External::Calloc:
      if (bits[1] != 0 && bits[0] > UINT64_MAX / bits[1]) return result;
      return allocate(bits[0] * bits[1], true);
    case External::Realloc:
      return reallocate(bits[0], bits[1]);
    case External::Free:
      return release(bits[0]);
    case External::Abort:
      result.status = Outcome::Status::Aborted;
      result.message = "the program called abort";
      return result;
    case External::Exit:
      result.status = Outcome::Status::Exited;
      result.exit_code = static_cast<int32_t>(static_cast<uint32_t>(bits[0]));
      return result;
    case External::StackSave:
      result.value.bits = memory_.stack_mark();
      return result;
    case External::StackRestore:
      if (!memory_.release_to(bits[0])) return undefined("the stack is restored to a mark that is not there");
      return result;
    case External::Memcpy:
    case External::Memmove:
      return copy(bits[0], bits[1], bits[2], external == External::Memmove);
    case External::Memset:
      return fill(bits[0], bits[1] & 0xff, bits[2]);
    case External::Unknown:
      break;
  }
  return result;
}

ExternalResult Externals::call(const RuntimeRoutine& routine, const ExternalArguments& arguments) {
  std::optional<Value> value = call_routine(routine, arguments.bits);
  if (!value) return undefined(fmt::format("${} divides by zero, or overflows", arguments.callee));
  ExternalResult result;
  result.value = *value;
  return result;
}

ExternalResult Externals::stub(const ExternalArguments& arguments) {
  if (!options_.stub_externals) {
    return unsupported(fmt::format("the external function ${} does not exist here", arguments.callee));
  }
  if (arguments.result == Type::ptr) {
    return unsupported(fmt::format("no stand-in for ${}, as it returns a pointer", arguments.callee));
  }
  ExternalResult result;
  if (arguments.attributes.noreturn) {
    result.status = Outcome::Status::Aborted;
    result.message = fmt::format("the program called ${}, which does not return", arguments.callee);
    return result;
  }
  uint64_t hash = arguments.callee.size();
  for (char c : arguments.callee) hash = mix(hash, static_cast<unsigned char>(c));
  for (size_t i = 0; i < arguments.bits.size(); ++i) {
    uint64_t bits = arguments.bits[i];
    hash = mix(hash, arguments.types[i] == Type::ptr ? memory_.canonical_slot_address(bits) : bits);
  }
  // Calls without effect may be moved, merged and dropped, so they must not be counted.
  bool has_effect = !arguments.attributes.readnone && !arguments.attributes.readonly;
  if (has_effect) hash = mix(hash, ++stub_calls_);
  if (is_float(arguments.result)) {
    // Most bit patterns are huge, tiny or NaN; a small whole number is more useful.
    result.value = eval_convert(Opcode::Sitofp, Type::i16, arguments.result, hash & 0xffff);
  } else if (arguments.result != Type::none) {
    result.value.bits = hash & value_mask(arguments.result);
  }
  return result;
}

ExternalResult Externals::print(std::string_view text, uint64_t value) {
  output_.write(text);
  ExternalResult result;
  result.value.bits = value & value_mask(Type::i32);
  result.work = text.size();
  if (options_.record) result.printed = text;
  return result;
}

ExternalResult Externals::allocate(uint64_t size, bool zeroed) {
  ExternalResult result;
  result.value.bits = memory_.allocate(size, zeroed);
  result.work = result.value.bits == 0 ? 0 : size;
  return result;
}

ExternalResult Externals::reallocate(uint64_t address, uint64_t size) {
  if (address == 0) return allocate(size, false);
  Object* old = memory_.heap_block(address);
  if (!old) return undefined("realloc of " + memory_.describe(address) + ", not a heap block's start");
  if (size == 0) return release(address);
  uint64_t kept = std::min<uint64_t>(size, old->size);
  ExternalResult result = allocate(size, false);
  if (result.value.bits == 0) return result;
  if (kept > 0) memory_.copy(result.value.bits, address, kept);
  memory_.free(*memory_.heap_block(address));
  return result;
}

ExternalResult Externals::release(uint64_t address) {
  if (address == 0) return {};
  Object* block = memory_.heap_block(address);
  if (!block) return undefined("free of " + memory_.describe(address) + ", not a heap block's start");
  memory_.free(*block);
  return {};
}

ExternalResult Externals::copy(uint64_t to, uint64_t from, uint64_t size, bool may_overlap) {
  ExternalResult result;
  result.value.bits = to;
  if (size == 0) return result;
  std::string_view name = may_overlap ? "memmove" : "memcpy";
  if (!memory_.readable(from, size, 0)) {
    return undefined(
        fmt::format("{} from a source: {}", name, memory_.explain("load", from, size, 0, false)));
  }
  if (!memory_.writable(to, size, 0)) {
    return undefined(fmt::format("{}: {}", name, memory_.explain("store", to, size, 0, true)));
  }
  uint64_t distance = to > from ? to - from : from - to;
  if (!may_overlap && distance != 0 && distance < size) {
    return undefined(fmt::format("memcpy of {} bytes between ranges that overlap, {} apart", size, distance));
  }
  memory_.copy(to, from, size);
  result.work = size;
  return result;
}

ExternalResult Externals::fill(uint64_t to, uint64_t byte, uint64_t size) {
  ExternalResult result;
  result.value.bits = to;
  if (size == 0) return result;
  if (!memory_.writable(to, size, 0)) {
    return undefined(fmt::format("memset: {}", memory_.explain("store", to, size, 0, true)));
  }
  memory_.fill(to, {byte, false}, size);
  result.work = size;
  return result;
}

bool read_string(Memory& memory, uint64_t address, uint64_t limit, std::string_view caller, std::string& text,
                 ExternalResult& failure) {
  for (uint64_t i = 0; i < limit; ++i) {
    uint64_t bits = 0;
    uint8_t undef = 0;
    if (!memory.load_sized(address + i, 1, bits, undef)) {
      failure = undefined(
          fmt::format("{} reads a string: {}", caller, memory.explain("load", address + i, 1, 0, false)));
      return false;
    }
    if (undef) {
      failure = undefined(fmt::format("{} reads a string with an undef byte, at offset {} of {}", caller,
                                      memory.place_of(address + i).offset, memory.describe(address + i)));
      return false;
    }
    if (bits == 0) return true;
    text += static_cast<char>(bits);
  }
  return true;
}

}  // namespace psi::interp
