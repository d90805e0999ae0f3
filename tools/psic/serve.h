// psic explore --serve: the explorer of a program that is edited in the page.
#pragma once

#include <cstdint>
#include <string>

namespace psic {

struct ServeOptions {
  std::string file;    // to begin with; empty: none
  std::string passes;  // to begin with; empty: those of codegen
  std::string target;
  uint16_t port = 0;  // 0: any that is free
};

// Serves on the loopback address until it is interrupted; the exit code.
int serve(const ServeOptions& options);

}  // namespace psic
