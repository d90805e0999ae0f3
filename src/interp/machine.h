// One run of a program: the frames, the memory and the outcome so far.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/decode.h"
#include "interp/externals.h"
#include "interp/memory.h"
#include "psi/analysis/cfg.h"
#include "psi/interp/interpret.h"

namespace psi::interp {

class Machine {
 public:
  Machine(const Module& module, const InterpretOptions& options, Monitor* monitor = nullptr);
  Outcome run(SymbolId function, std::span<const Value> arguments);

 private:
  struct Frame {
    DecodedFunction* function;
    const Decoded* at;      // the position while a callee runs
    size_t base;            // of its values
    size_t slots;           // live slots at entry
    uint32_t num_variadic;  // arguments beyond the parameters, after the frame's own values
  };

  // --- execute.cpp ----------------------------------------------------------------------------------
  // Runs until the outermost function returns or the program stops.
  template <bool kFlat>
  void execute();
  void run_moves(const Edge& edge, const Move* moves, uint64_t* values, uint8_t* undefs);

  // --- calls.cpp ------------------------------------------------------------------------------------
  // Null where the monitor refuses the function; the run has then stopped.
  DecodedFunction* decoded(SymbolId symbol);
  // Makes room for a frame with its registers undefined; the caller fills in the arguments.
  bool push_frame(SymbolId symbol, size_t num_arguments);
  bool call_function(const Decoded& step, SymbolId callee);
  bool call_any(const Decoded& step);
  bool call_external(const Decoded& step, SymbolId callee);
  // Passes the return value to the caller. False if there is none: the program has ended.
  bool return_from(Value value);
  bool start_va_list(uint64_t list);
  std::span<const Type> variadic_types() const;
  bool take_va_arg(const Decoded& step, uint64_t list, Value& result);
  bool copy_va_list(const Decoded& step, uint64_t to, uint64_t from);
  bool copy_memory(const Decoded& step, uint64_t to, uint64_t from, uint64_t size, bool may_overlap);
  bool fill_memory(const Decoded& step, uint64_t to, Value byte, uint64_t size);
  bool add_slot(uint64_t size, uint64_t align, uint64_t& address);

  // --- Stopping: always false -----------------------------------------------------------------------
  bool stop(Outcome::Status status, std::string message);
  bool undefined(std::string message);
  // `which` names an operand of the current instruction that is undef, by its place among the operands.
  bool undef_operand(std::string_view role, size_t which);
  bool undef_guard();
  bool bad_access(std::string_view verb, uint64_t address, uint64_t size, uint64_t align_mask, bool writing);
  // More of the fuel that is left, unless it is not enough for the cost or the run is to stop.
  bool refuel(int64_t cost);
  bool out_of_fuel();
  bool charge_bytes(uint64_t bytes);

  bool may_store_undef() const { return options_.undef_stores || options_.zero_memory; }
  bool is_flat() const { return module_.pointer_bits() == 32; }
  const Function& current_function() const { return *frames_.back().function->function; }
  InstId current_inst() const;
  std::string operand_text(Operand operand) const;

  // --- stats.cpp ------------------------------------------------------------------------------------
  void finish();
  void count_executed();
  void count_executed(const DecodedFunction& decoded);
  void uncount_unexecuted(const Frame& frame);
  bool is_counted(const DecodedFunction& decoded) const {
    return !options_.stats_of || options_.stats_of == decoded.function->symbol;
  }
  void fill_profiles();

  const Module& module_;
  const InterpretOptions& options_;
  Monitor* monitor_;  // null: none
  Memory memory_;
  Externals externals_;
  std::vector<std::unique_ptr<DecodedFunction>> decoded_;  // by SymbolId
  std::vector<Frame> frames_;
  std::vector<uint64_t> values_;
  std::vector<uint8_t> undefs_;
  std::vector<Value> staged_;  // for run_moves
  std::vector<uint64_t> argument_bits_;
  int64_t fuel_ = 0;
  int64_t spare_fuel_ = 0;
  bool is_stopped_ = false;
  Outcome outcome_;
};

}  // namespace psi::interp
