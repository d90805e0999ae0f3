// Any bytes: the reader of machine descriptions reports errors or gives a machine. A machine prints to a
// description that reads back and prints the same.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fail.h"
#include "psi/target/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  psi::Result<psi::Target> target = psi::parse_target(text);
  if (target.ok() == target.diagnostics().has_errors())
    fail("a machine and errors, or neither", std::string(text));
  if (!target) {
    if (psi::render(target, "input", text).empty()) fail("errors without a message", std::string(text));
    return 0;
  }

  std::string once = psi::print(*target);
  psi::Result<psi::Target> reread = psi::parse_target(once);
  if (!reread) fail("a printed machine is not read", psi::render(reread, "printed", once) + once);
  if (std::string twice = psi::print(*reread); once != twice) fail("printing is not stable", once + twice);
  return 0;
}
