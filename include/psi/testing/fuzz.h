// Differential fuzzing of passes: generated programs must behave the same before and after.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/pipeline/pass_table.h"
#include "psi/testing/generate.h"

namespace psi {

struct FuzzProgress {
  uint64_t programs = 0;
  uint64_t failures = 0;
  double seconds = 0;
  uint64_t reduction_tests = 0;  // while a failure is being reduced; 0 otherwise
};

struct FuzzOptions {
  uint64_t seed = 1;
  uint64_t count = 1000;   // programs
  double max_seconds = 0;  // stop after this time; 0: no limit
  uint64_t size = 200;     // the approximate size of the largest programs, in instructions
  std::vector<Shape> shapes = {Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed};
  unsigned pointer_bits = 0;  // of the programs: 64, 32, or of one in four 32 (0)
  // Each program gets its own list of passes: into SSA form, any passes in any order, and out again.
  bool random_passes = false;
  const PassTable* table = nullptr;      // the table of these passes; null: the built-in one
  const TargetTable* targets = nullptr;  // that passes know by name; null: the built-in ones
  uint64_t max_failures = 1;             // stop after this many
  bool reduce = true;
  uint64_t max_reduction_tests = 20'000;  // for each failure
  double max_reduction_seconds = 120;
  uint64_t fuel = 10'000'000;  // instructions for a run of the original; transformed programs get more
  std::function<void(const FuzzProgress&)> progress;  // called after every program and reduction test
  std::function<bool()> stop;  // asked as often; stops with the report so far. Null: never
};

struct FuzzFailure {
  enum class Kind : uint8_t {
    Generator,  // the program does not verify or return: a bug of the generator
    Text,       // printing, parsing and printing again gives another text
    Repeat,     // two runs of the same program differ
    WrongForm,  // a pass got a form that it does not accept
    Broken,     // a pass made a program that does not verify
    Mismatch,   // the transformed program behaves differently
  };
  Kind kind = Kind::Mismatch;
  std::string why;     // in words
  std::string pass;    // Broken, WrongForm: at which pass
  std::string passes;  // the list; random passes reduced to those needed
  // The run that shows the failure, if any.
  std::string function;
  std::vector<Value> arguments;

  GenerateOptions program;  // regenerates the program
  std::string original;     // its text
  // A smaller program that fails in the same way, if asked for. A run of this function shows the failure; it
  // has no arguments if it has no parameters, and those above otherwise.
  std::string reduced;
  std::string reduced_function;
  std::string reduced_why;
  uint64_t reduced_size = 0;  // instructions
};

std::string_view kind_name(FuzzFailure::Kind kind);

struct FuzzReport {
  uint64_t programs = 0;
  uint64_t instructions = 0;  // generated
  uint64_t runs = 0;          // runs of a function on some arguments, before the passes
  uint64_t steps = 0;         // instructions executed, before and after
  uint64_t skipped = 0;       // runs of an original that reached a limit, which cannot be compared
  double seconds = 0;
  std::vector<FuzzFailure> failures;
};

// Generates programs, runs each, runs the passes on it, runs the result, and compares (see `refines`). Also
// checks that everything verifies and survives printing and parsing. The same options give the same report,
// times aside, unless a time limit is reached. An empty list of passes tests the generator and the other
// tools.
FuzzReport fuzz(const PassList& passes, const FuzzOptions& options);

// Tests one program in the same way, without reducing it: nothing if it passes. $main and the functions that
// take no pointers are run, on arguments made from the seed. Adds to the counts in `report`.
std::optional<FuzzFailure> fuzz_module(const Module& module, const PassList& passes, uint64_t seed,
                                       const FuzzOptions& options, FuzzReport& report);

}  // namespace psi
