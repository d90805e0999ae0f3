// The known external functions: a few of C's library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "interp/memory.h"
#include "psi/interp/interpret.h"
#include "psi/ir/routines.h"

namespace psi::interp {

enum class External : uint8_t {
  Unknown,
  Putchar,
  Puts,
  Printf,
  Malloc,
  Calloc,
  Realloc,
  Free,
  Abort,
  Exit,
  StackSave,
  StackRestore,
  Memcpy,
  Memmove,
  Memset,
};

External external_from_name(std::string_view name);

// Is a call of it observable? Marks of the stack are internal, and what is copied shows in memory.
constexpr bool is_observable(External external) { return external < External::StackSave; }

// The result of a call. `status` Returned: the program continues.
struct ExternalResult {
  Outcome::Status status = Outcome::Status::Returned;
  std::string message;
  Value value;
  int32_t exit_code = 0;
  uint64_t work = 0;    // bytes moved: charged as fuel
  std::string printed;  // if calls are recorded
};

struct ExternalArguments {
  std::string_view callee;
  FunctionAttributes attributes;
  std::span<const uint64_t> bits;  // all defined
  std::span<const Type> types;
  Type result = Type::none;  // what the caller expects
};

// What the program prints, passed on in larger pieces.
class OutputBuffer {
 public:
  explicit OutputBuffer(const std::function<void(std::string_view)>& sink) : sink_(sink) {}
  void write(std::string_view text) {
    if (!sink_) return;
    buffer_.append(text);
    if (buffer_.size() >= kFlushAt) flush();
  }
  void flush() {
    if (sink_ && !buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr size_t kFlushAt = 4096;
  const std::function<void(std::string_view)>& sink_;
  std::string buffer_;
};

class Externals {
 public:
  Externals(Memory& memory, const InterpretOptions& options)
      : memory_(memory), options_(options), output_(options.output) {}

  ExternalResult call(External external, const ExternalArguments& arguments);
  void flush() { output_.flush(); }

 private:
  ExternalResult call(const RuntimeRoutine& routine, const ExternalArguments& arguments);
  ExternalResult copy(uint64_t to, uint64_t from, uint64_t size, bool may_overlap);
  ExternalResult fill(uint64_t to, uint64_t byte, uint64_t size);
  ExternalResult stub(const ExternalArguments& arguments);
  ExternalResult allocate(uint64_t size, bool zeroed);
  ExternalResult reallocate(uint64_t address, uint64_t size);
  ExternalResult release(uint64_t address);
  ExternalResult print(std::string_view text, uint64_t value);

  Memory& memory_;
  const InterpretOptions& options_;
  OutputBuffer output_;
  uint64_t stub_calls_ = 0;
};

ExternalResult undefined(std::string message);
ExternalResult unsupported(std::string message);

// Appends the string at `address`, at most `limit` bytes of it, to `text`. On failure the result says why;
// `caller` names the reader.
bool read_string(Memory& memory, uint64_t address, uint64_t limit, std::string_view caller, std::string& text,
                 ExternalResult& failure);

// printf: appends to `text` what it prints. The first argument is the format.
bool format_printf(Memory& memory, const ExternalArguments& arguments, std::string& text,
                   ExternalResult& failure);

}  // namespace psi::interp
