#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

// Ends a fuzz target with what it found.
[[noreturn]] inline void fail(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s:\n%s\n", what, detail.c_str());
  std::abort();
}
