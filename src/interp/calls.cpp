// Calls, returns, and the slower instructions on memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/machine.h"

namespace psi::interp {
namespace {

// The most values of all frames together: 167 for each of 100,000 calls. Beyond, the recursion is considered
// endless.
constexpr size_t kMaxValues = size_t{1} << 24;

// The layout of a va_list with pointers of 64 bits, that of the x86-64 System V ABI. All arguments lie in the
// overflow area, where each takes 8 bytes.
constexpr uint64_t kVaListSize = 24;
constexpr uint64_t kVaListAlignMask = 7;
constexpr uint64_t kOverflowArea = 8;
constexpr uint64_t kRegisterArea = 16;
constexpr uint64_t kRegistersUsedUp = uint64_t{176} << 32 | 48;  // fp_offset, gp_offset

// With pointers of 32 bits it is the address of the next argument. An argument takes 4 bytes, or 8 at a
// multiple of 8, as on Hexagon, Arm and RISC-V.
constexpr uint64_t kFlatVaListSize = 4;
constexpr uint64_t kFlatVaListAlignMask = 3;
constexpr uint64_t flat_argument_size(uint64_t size) { return size > 4 ? 8 : 4; }
constexpr uint64_t flat_argument_start(uint64_t at, uint64_t size) {
  return size > 4 ? (at + 7) & ~uint64_t{7} : at;
}

}  // namespace

DecodedFunction* Machine::decoded(SymbolId symbol) {
  std::unique_ptr<DecodedFunction>& slot = decoded_[symbol.index()];
  if (slot) return slot.get();
  const Function& function = module_.function(symbol);
  if (!monitor_) {
    slot = decode(module_, function, memory_);
    return slot.get();
  }
  MonitorRefusal refusal;
  std::optional<MonitoredCode> code = monitor_->prepare(function, refusal);
  if (!code) {
    stop(Outcome::Status::Unsupported, "unsupported: " + refusal.message);
    if (refusal.inst) {
      outcome_.function = symbol;
      outcome_.inst = refusal.inst;
    }
    return nullptr;
  }
  slot = decode(module_, std::move(*code), memory_);
  monitor_->decoded(function, *slot);
  return slot.get();
}

bool Machine::push_frame(SymbolId symbol, size_t num_arguments) {
  if (frames_.size() >= options_.max_depth) {
    return stop(Outcome::Status::Exhausted,
                fmt::format("out of call depth: {} calls are active", frames_.size()));
  }
  DecodedFunction* decoded_callee = decoded(symbol);
  if (!decoded_callee) return false;
  if (monitor_) monitor_->enter(symbol);
  DecodedFunction& callee = *decoded_callee;
  size_t base = 0;
  if (!frames_.empty()) {
    const Frame& caller = frames_.back();
    base = caller.base + caller.function->frame_size + caller.num_variadic;
  }
  size_t num_params = callee.function->params.size();
  size_t num_variadic = num_arguments - std::min(num_arguments, num_params);
  size_t end = base + callee.frame_size + num_variadic;
  if (end > values_.size()) {
    if (end > kMaxValues) {
      return stop(Outcome::Status::Exhausted,
                  fmt::format("out of memory for registers: {} calls are active", frames_.size()));
    }
    values_.resize(std::max(end, std::min(2 * values_.size(), kMaxValues)));
    undefs_.resize(values_.size());
  }
  if (callee.entry_cost > fuel_ && !refuel(callee.entry_cost)) return out_of_fuel();
  fuel_ -= callee.entry_cost;
  ++callee.entered;
  std::memset(undefs_.data() + base, 1, callee.num_undef);
  if (!callee.constants.empty()) {
    size_t first = base + callee.num_undef;
    size_t count = callee.constants.size();
    std::memcpy(values_.data() + first, callee.constants.data(), count * sizeof(uint64_t));
    std::memcpy(undefs_.data() + first, callee.constant_undefs.data(), count);
  }
  frames_.push_back(
      {&callee, callee.code.data(), base, memory_.num_slots(), static_cast<uint32_t>(num_variadic)});
  return true;
}

bool Machine::call_function(const Decoded& step, SymbolId callee) {
  // By value: the vectors may grow.
  DecodedFunction* caller = frames_.back().function;
  size_t caller_base = frames_.back().base;
  const CallSite& site = caller->calls[step.b];
  size_t count = site.types.size();
  if (!push_frame(callee, count)) return false;
  const Frame& frame = frames_.back();
  const std::vector<Reg>& params = frame.function->function->params;
  const uint32_t* arguments = caller->lists.data() + site.arguments;
  for (size_t i = 0; i < count; ++i) {
    size_t from = caller_base + arguments[i];
    size_t to =
        frame.base + (i < params.size() ? params[i].index() : frame.function->frame_size + i - params.size());
    values_[to] = values_[from];
    undefs_[to] = undefs_[from];
  }
  return true;
}

bool Machine::call_any(const Decoded& step) {
  const Frame& frame = frames_.back();
  const CallSite& site = frame.function->calls[step.b];
  size_t callee_place = frame.base + step.a;
  if (undefs_[callee_place]) return undef_operand("callee", 0);
  uint64_t address = values_[callee_place];
  SymbolId callee = memory_.function_at(address);
  if (!callee) {
    return undefined(fmt::format("call of address {:#x}, which is not a function's ({})", address,
                                 memory_.describe(address)));
  }
  const Function& function = module_.function(callee);
  const Signature& signature = function.signature;
  std::string name = fmt::format("${}", module_.name(callee));
  bool direct = static_cast<bool>(site.callee);
  if (site.types.size() < signature.params.size() ||
      (site.types.size() > signature.params.size() && !signature.variadic)) {
    return undefined(fmt::format("call of {} with {} arguments; it takes {}", name, site.types.size(),
                                 signature.params.size()));
  }
  for (size_t i = 0; i < signature.params.size(); ++i) {
    if (site.types[i] == signature.params[i]) continue;
    return undefined(fmt::format("call of {} with argument {} of type {}; it takes {}", name, i + 1,
                                 type_name(site.types[i]), type_name(signature.params[i])));
  }
  // A direct call may drop the result.
  if (step.type != signature.result && !(direct && step.type == Type::none)) {
    return undefined(fmt::format("call of {} with result type {}; its own is {}", name, type_name(step.type),
                                 type_name(signature.result)));
  }
  return function.is_declaration() ? call_external(step, callee) : call_function(step, callee);
}

bool Machine::call_external(const Decoded& step, SymbolId callee) {
  Frame& frame = frames_.back();
  const CallSite& site = frame.function->calls[step.b];
  const Function& function = module_.function(callee);
  argument_bits_.clear();
  for (size_t i = 0; i < site.types.size(); ++i) {
    size_t place = frame.base + frame.function->lists[site.arguments + i];
    if (undefs_[place]) {
      return undef_operand(
          fmt::format("argument {} of the external function ${}", i + 1, module_.name(callee)), i + 1);
    }
    argument_bits_.push_back(values_[place]);
  }
  ExternalArguments arguments = {module_.name(callee), function.attributes, argument_bits_, site.types,
                                 step.type};
  External external = external_from_name(arguments.callee);
  ExternalResult result = externals_.call(external, arguments);
  bool happened = result.status == Outcome::Status::Returned || result.status == Outcome::Status::Exited ||
                  result.status == Outcome::Status::Aborted;
  // A call without effects may be moved, merged or dropped, so it is not observable.
  bool observable = !function.attributes.readnone && !function.attributes.readonly && is_observable(external);
  if (options_.record && happened && observable) {
    ExternalCall& call = outcome_.calls.emplace_back();
    call.callee = arguments.callee;
    call.printed = std::move(result.printed);
    for (size_t i = 0; i < argument_bits_.size(); ++i) {
      uint64_t bits = argument_bits_[i];
      if (site.types[i] == Type::ptr) bits = memory_.canonical_slot_address(bits);
      call.arguments.push_back({bits, false});
    }
  }
  if (result.status != Outcome::Status::Returned) {
    outcome_.exit_code = result.exit_code;
    return stop(result.status, std::move(result.message));
  }
  if (!charge_bytes(result.work)) return false;
  values_[frame.base + step.d] = result.value.bits;
  undefs_[frame.base + step.d] = result.value.undef;
  ++frame.at;
  return true;
}

bool Machine::return_from(Value value) {
  Type type = current_function().signature.result;
  if (frames_.size() == 1 && type != Type::none && value.undef) {
    return undef_operand("result of the outermost function", 0);
  }
  if (monitor_) monitor_->leave();
  const Frame& frame = frames_.back();
  DecodedFunction& callee = *frame.function;
  ++callee.returns;
  if (frame.at != callee.code.data() && frame.at[-1].step == Step::Guard) ++callee.guarded_returns;
  memory_.pop_slots(frames_.back().slots);
  if (frames_.size() == 1) {
    outcome_.result_type = type;
    if (type != Type::none) outcome_.result = value;
    frames_.pop_back();
    return false;
  }
  frames_.pop_back();
  Frame& caller = frames_.back();
  size_t place = caller.base + caller.at->d;
  values_[place] = value.bits;
  undefs_[place] = value.undef;
  ++caller.at;
  return true;
}

// Of the current function's further arguments; those of the outermost function count as i32.
std::span<const Type> Machine::variadic_types() const {
  const Frame& frame = frames_.back();
  if (frames_.size() == 1 || frame.num_variadic == 0) return {};
  const Frame& caller = frames_[frames_.size() - 2];
  return std::span(caller.function->calls[caller.at->b].types).last(frame.num_variadic);
}

bool Machine::start_va_list(uint64_t list) {
  const Frame& frame = frames_.back();
  size_t first = frame.base + frame.function->frame_size;
  std::span<const Type> types = variadic_types();
  auto size_of = [&](uint32_t i) -> uint64_t {
    if (!is_flat()) return 8;
    return flat_argument_size(types.empty() ? 4 : current_function().byte_size(types[i]));
  };
  auto start_of = [&](uint64_t at, uint64_t size) { return is_flat() ? flat_argument_start(at, size) : at; };
  uint64_t end = 0;
  for (uint32_t i = 0; i < frame.num_variadic; ++i) end = start_of(end, size_of(i)) + size_of(i);
  uint64_t area = 0;
  if (!memory_.push_slot(end, 8, ObjectKind::Variadic, area)) {
    return stop(Outcome::Status::Exhausted, "out of memory for variadic arguments");
  }
  uint64_t at = 0;
  for (uint32_t i = 0; i < frame.num_variadic; ++i) {
    at = start_of(at, size_of(i));
    memory_.store_sized(area + at, size_of(i), values_[first + i], undefs_[first + i]);
    at += size_of(i);
  }
  uint64_t size = is_flat() ? kFlatVaListSize : kVaListSize;
  uint64_t align_mask = is_flat() ? kFlatVaListAlignMask : kVaListAlignMask;
  if (!memory_.writable(list, size, align_mask)) return bad_access("va_start", list, size, align_mask, true);
  if (is_flat()) {
    memory_.store_sized(list, 4, area, false);
  } else {
    memory_.store_sized(list, 8, kRegistersUsedUp, false);
    memory_.store_sized(list + kOverflowArea, 8, area, false);
    memory_.store_sized(list + kRegisterArea, 8, 0, false);
  }
  return true;
}

bool Machine::take_va_arg(const Decoded& step, uint64_t list, Value& result) {
  uint64_t list_size = is_flat() ? kFlatVaListSize : kVaListSize;
  uint64_t align_mask = is_flat() ? kFlatVaListAlignMask : kVaListAlignMask;
  if (!memory_.writable(list, list_size, align_mask)) {
    return bad_access("va_arg", list, list_size, align_mask, true);
  }
  uint64_t next = is_flat() ? list : list + kOverflowArea, pointer_size = is_flat() ? 4 : 8;
  uint64_t area = 0;
  uint8_t undef = 0;
  memory_.load_sized(next, pointer_size, area, undef);
  if (undef) return undefined("va_arg of a va_list that was not started");
  Type type = current_function().as_bits(step.type);
  uint64_t size = byte_size(type);
  if (is_flat()) area = flat_argument_start(area, size);
  if (!memory_.load_sized(area, size, result.bits, undef)) {
    return bad_access("va_arg", area, size, 0, false);
  }
  memory_.store_sized(next, pointer_size, area + (is_flat() ? flat_argument_size(size) : 8), false);
  result = {result.bits & value_mask(type), undef != 0};
  return true;
}

bool Machine::copy_va_list(const Decoded& step, uint64_t to, uint64_t from) {
  Decoded aligned = step;
  aligned.flag = is_flat() ? 2 : 3;
  return copy_memory(aligned, to, from, is_flat() ? kFlatVaListSize : kVaListSize, true);
}

bool Machine::copy_memory(const Decoded& step, uint64_t to, uint64_t from, uint64_t size, bool may_overlap) {
  if (size == 0) return true;
  uint64_t align_mask = (uint64_t{1} << step.flag) - 1;
  std::string_view name = info(step.op).name;
  if (!memory_.readable(from, size, align_mask)) {
    return bad_access(fmt::format("{} from a source", name), from, size, align_mask, false);
  }
  if (!memory_.writable(to, size, align_mask)) return bad_access(name, to, size, align_mask, true);
  uint64_t distance = to > from ? to - from : from - to;
  if (!may_overlap && distance != 0 && distance < size) {
    return undefined(fmt::format("memcpy of {} bytes between ranges that overlap, {} apart", size, distance));
  }
  if (!charge_bytes(size)) return false;
  memory_.copy(to, from, size);
  return true;
}

bool Machine::fill_memory(const Decoded& step, uint64_t to, Value byte, uint64_t size) {
  if (size == 0) return true;
  uint64_t align_mask = (uint64_t{1} << step.flag) - 1;
  if (byte.undef && !may_store_undef()) return undef_operand("byte to fill memory with", 1);
  if (!memory_.writable(to, size, align_mask)) return bad_access("memset", to, size, align_mask, true);
  if (!charge_bytes(size)) return false;
  memory_.fill(to, byte, size);
  return true;
}

bool Machine::add_slot(uint64_t size, uint64_t align, uint64_t& address) {
  // Marking it undefined takes time, too; sizes that do not fit must not be charged first.
  if (size <= Memory::kMaxObjectSize && !charge_bytes(size)) return false;
  if (memory_.push_slot(size, align, ObjectKind::Slot, address)) return true;
  std::string text = fmt::format("{}", size);
  // Sizes are unsigned, but many write a large one as a negative number.
  int64_t number = current_function().sign_extend(size, Type::ptr);
  if (number < 0) text += fmt::format(" ({})", number);
  return stop(Outcome::Status::Exhausted, fmt::format("out of memory for a slot of {} bytes", text));
}

}  // namespace psi::interp
