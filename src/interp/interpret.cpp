#include "psi/interp/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <stdexcept>

#include "interp/machine.h"
#include "psi/text/text.h"

namespace psi {

uint64_t RunStats::total_executed() const {
  return std::accumulate(executed.begin(), executed.end(), uint64_t{0});
}

uint64_t RunStats::total_nullified() const {
  return std::accumulate(nullified.begin(), nullified.end(), uint64_t{0});
}

Outcome interpret(const Module& module, SymbolId function, std::span<const Value> arguments,
                  const InterpretOptions& options) {
  try {
    return interp::Machine(module, options).run(function, arguments);
  } catch (const std::bad_alloc&) {
    // The limits exceed the host's memory.
  } catch (const std::length_error&) {
  }
  Outcome outcome;
  outcome.status = Outcome::Status::Exhausted;
  outcome.message = "out of memory of the host";
  return outcome;
}

Outcome interpret(const Module& module, std::string_view function, std::initializer_list<int64_t> arguments,
                  const InterpretOptions& options) {
  std::vector<Value> values;
  for (int64_t number : arguments) values.push_back({static_cast<uint64_t>(number), false});
  return interpret(module, module.find_symbol(function).value_or(SymbolId()), values, options);
}

namespace interp {
namespace {

// The bytes that an instruction of unit cost may move.
constexpr uint64_t kBytesPerFuel = 64;
// What is executed between two questions whether to stop.
constexpr int64_t kFuelPortion = 1 << 20;

}  // namespace

Machine::Machine(const Module& module, const InterpretOptions& options, Monitor* monitor)
    : module_(module),
      options_(options),
      monitor_(monitor),
      memory_(module, options.max_memory, options.zero_memory),
      externals_(memory_, options),
      decoded_(module.num_symbols()),
      fuel_(static_cast<int64_t>(std::min<uint64_t>(options.fuel, INT64_MAX))) {
  if (!options_.stop || fuel_ <= kFuelPortion) return;
  spare_fuel_ = fuel_ - kFuelPortion;
  fuel_ = kFuelPortion;
}

Outcome Machine::run(SymbolId function, std::span<const Value> arguments) {
  auto refuse = [&](Outcome::Status status, std::string message) {
    stop(status, std::move(message));
    outcome_.function = function;
    return std::move(outcome_);
  };
  if (!function || function.index() >= module_.num_symbols() ||
      module_.kind(function) != SymbolKind::Function) {
    return refuse(Outcome::Status::Unsupported, "unsupported: there is no such function to run");
  }
  const Function& callee = module_.function(function);
  std::string name = fmt::format("${}", module_.name(function));
  if (callee.is_declaration()) {
    return refuse(Outcome::Status::Unsupported,
                  fmt::format("unsupported: {} is declared only, so it cannot be run", name));
  }
  size_t num_params = callee.params.size();
  if (arguments.size() < num_params || (arguments.size() > num_params && !callee.signature.variadic)) {
    return refuse(
        Outcome::Status::Unsupported,
        fmt::format("unsupported: {} takes {} arguments, {} were given", name, num_params, arguments.size()));
  }
  if (!memory_.place_globals()) {
    return refuse(Outcome::Status::Exhausted, "out of memory for the globals");
  }
  if (push_frame(function, arguments.size())) {
    const Frame& frame = frames_.back();
    for (size_t i = 0; i < arguments.size(); ++i) {
      bool named = i < num_params;
      size_t place = named ? callee.params[i].index() : frame.function->frame_size + i - num_params;
      uint64_t mask = named ? callee.value_mask(callee.type(callee.params[i])) : UINT64_MAX;
      values_[place] = arguments[i].bits & mask;
      undefs_[place] = arguments[i].undef;
    }
    is_flat() ? execute<true>() : execute<false>();
  } else {
    if (!outcome_.inst) outcome_.function = function;
  }
  finish();
  return std::move(outcome_);
}

bool Machine::stop(Outcome::Status status, std::string message) {
  outcome_.status = status;
  outcome_.message = std::move(message);
  if (!frames_.empty()) {
    outcome_.function = current_function().symbol;
    outcome_.inst = frames_.back().function->origin(current_inst());
  }
  return false;
}

InstId Machine::current_inst() const {
  const Frame& frame = frames_.back();
  return frame.function->ids[static_cast<size_t>(frame.at - frame.function->code.data())];
}

std::string Machine::operand_text(Operand operand) const {
  return print(module_, current_function(), operand);
}

bool Machine::undefined(std::string message) {
  return stop(Outcome::Status::Undefined, "undefined behaviour: " + std::move(message));
}

bool Machine::undef_operand(std::string_view role, size_t which) {
  const Function& function = current_function();
  Operand operand = function.operands(current_inst())[which];
  if (operand.is_undef()) return undefined(fmt::format("the {} is undef", role));
  return undefined(fmt::format("the {} {} is undef", role, operand_text(operand)));
}

bool Machine::undef_guard() {
  Guard guard = current_function().inst(current_inst()).guard;
  return undefined(fmt::format("the guard {} is undef", operand_text(Operand::reg(guard.reg()))));
}

bool Machine::bad_access(std::string_view verb, uint64_t address, uint64_t size, uint64_t align_mask,
                         bool writing) {
  return undefined(memory_.explain(verb, address, size, align_mask, writing));
}

bool Machine::refuel(int64_t cost) {
  is_stopped_ = options_.stop && options_.stop();
  if (is_stopped_) return false;
  int64_t portion = std::min(spare_fuel_, std::max(cost, kFuelPortion));
  spare_fuel_ -= portion;
  fuel_ += portion;
  return cost <= fuel_;
}

bool Machine::out_of_fuel() {
  if (is_stopped_) return stop(Outcome::Status::Exhausted, "stopped");
  return stop(Outcome::Status::Exhausted, fmt::format("out of fuel, of which there was {}", options_.fuel));
}

bool Machine::charge_bytes(uint64_t bytes) {
  auto cost = static_cast<int64_t>(bytes / kBytesPerFuel);
  if (cost > fuel_ && !refuel(cost)) return out_of_fuel();
  fuel_ -= cost;
  return true;
}

}  // namespace interp
}  // namespace psi
