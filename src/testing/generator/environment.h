// The shared environment of a generated module's functions: globals, external functions, and callees.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "psi/ir/module.h"
#include "psi/testing/generate.h"
#include "testing/random.h"

namespace psi::testing {

// Parameters of type ptr point to this many initialised, writable, 8-byte aligned bytes, as do the entries of
// pointer tables.
inline constexpr uint32_t kParamBytes = 32;

// The first parameter of recursive functions is the number of levels still allowed; they use only its low
// bits, so that any value is valid.
inline constexpr int64_t kDepthMask = 3;

// Variadic functions expect groups of one i64, one f64 and one i32; the first parameter says how many.
inline constexpr std::array kVariadicGroup = {Type::i64, Type::f64, Type::i32};

struct Callee {
  SymbolId symbol;
  Signature signature;
  uint64_t cost = 0;  // at most so many steps
};

// A global with the addresses of functions of one signature; a power of two of them.
struct FunctionTable {
  SymbolId symbol;
  uint32_t entries = 0;
  Signature signature;
  uint64_t cost = 0;
};

struct DataGlobal {
  SymbolId symbol;
  uint32_t size = 0;  // a power of two
  bool writable = true;
};

// A global with a power of two of addresses within data globals.
struct PointerTable {
  SymbolId symbol;
  uint32_t entries = 0;
  bool writable = true;
};

enum class External : uint8_t {
  Observe,     // (i32)
  Observe64,   // (i64)
  ObserveF64,  // (f64)
  ObservePtr,  // (ptr)
  Opaque,      // (i32) -> i32 readnone
  Peek,        // (ptr) -> i32 readonly
  Source,      // (i32) -> i64
  Putchar,
  Puts,
  Printf,
  Malloc,
  Calloc,
  Realloc,
  Free,
  Abort,
};
inline constexpr int kNumExternals = static_cast<int>(External::Abort) + 1;

// A constant string for printf, and its arguments.
struct FormatString {
  SymbolId symbol;
  std::vector<Type> arguments;  // ptr: a string
};

class Environment {
 public:
  Environment(Module& module, const GenerateOptions& options, Random& random)
      : module(module), options(options), random(random) {}

  Module& module;
  const GenerateOptions& options;
  Random& random;

  std::vector<DataGlobal> data;
  std::vector<PointerTable> pointer_tables;
  std::vector<FunctionTable> function_tables;
  std::vector<Callee> callees;

  void add_data(uint32_t count);
  // Of the callees so far that have this signature.
  void add_function_table(const Signature& signature);
  // Declared with the first use.
  SymbolId external(External which);
  const FormatString& format_string();
  SymbolId text();  // a constant string that ends in 0

 private:
  void add_pointer_table(bool writable);
  Initialiser random_piece(uint32_t room);
  SymbolId add_string(std::string_view prefix, std::string_view bytes);

  std::array<SymbolId, kNumExternals> externals_;
  std::vector<FormatString> formats_;
  std::vector<SymbolId> texts_;
};

// Edge cases and other numbers; the bits that a literal or argument of the type may have.
uint64_t interesting_bits(Random& random, Type type);

}  // namespace psi::testing
