// Reduces a program while it stays interesting, such as showing a bug.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "psi/ir/module.h"

namespace psi {

// Is the program interesting? It must give the same answer for the same program.
using ReduceTest = std::function<bool(const Module&)>;

struct ReduceProgress {
  std::string_view step;      // what is being tried
  uint64_t tests = 0;         // programs tested so far
  uint64_t instructions = 0;  // in the smallest interesting program so far
};

struct ReduceOptions {
  uint64_t max_tests = 100'000;  // stop after this many
  double max_seconds = 0;        // or after this time; 0: no limit
  bool verify = true;            // test only programs that verify (others must have valid ids, too)
  std::function<void(const ReduceProgress&)> progress;  // called after every test
  std::function<bool()> stop;  // asked as often; stops with the result so far. Null: never
};

struct ReduceResult {
  Module module;             // the smallest interesting program found
  bool interesting = false;  // was the original? If not, it is returned as it was
  bool finished = false;     // no further step makes it smaller; otherwise a limit was reached
  uint64_t tests = 0;
};

// Delta debugging: removes functions, globals, blocks, instructions, guards and operands, many at once and
// then fewer, while the program stays interesting, until nothing more can be removed. The same original and
// test give the same result.
ReduceResult reduce(Module module, const ReduceTest& test, const ReduceOptions& options = {});

struct CommandOptions {
  double timeout_seconds = 60;  // a run that takes longer is not interesting
};

// The test is a shell command, which gets the path of a file with the program as its last argument. Exit
// status 0 means interesting. The command's output is dropped.
ReduceResult reduce_with_command(Module module, const std::string& command,
                                 const CommandOptions& command_options = {},
                                 const ReduceOptions& options = {});

// Instructions in all functions, or in one.
uint64_t count_instructions(const Module& module);
uint64_t count_instructions(const Function& function);

}  // namespace psi
