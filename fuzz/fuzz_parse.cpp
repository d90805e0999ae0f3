// Any bytes: the parser reports errors or gives a module. A module that was parsed prints to a text that
// parses again and prints the same.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fail.h"
#include "psi/support/diagnostic.h"
#include "psi/text/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  psi::SourceMap map;
  psi::Result<psi::Module> module = psi::parse(text, &map);
  if (module.ok() == module.diagnostics().has_errors())
    fail("a module and errors, or neither", std::string(text));
  if (!module) {
    if (psi::render(module, "input", text).empty()) fail("errors without a message", std::string(text));
    return 0;
  }

  std::string once = psi::print(*module);
  psi::Result<psi::Module> reparsed = psi::parse(once);
  if (!reparsed) fail("printed text does not parse", psi::render(reparsed, "printed", once) + once);
  std::string twice = psi::print(*reparsed);
  if (once != twice) fail("printing is not stable", once + "\n--- and again ---\n" + twice);
  return 0;
}
