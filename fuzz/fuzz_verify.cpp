// Any module that parses: the verifier accepts it or says why not. One that it accepts is accepted again
// after a round trip through its text, and the interpreter runs it without harm.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fail.h"
#include "psi/interp/interpret.h"
#include "psi/support/diagnostic.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace {

void run_functions_without_parameters(const psi::Module& module) {
  psi::InterpretOptions options;
  options.fuel = 10'000;
  options.max_memory = 1 << 20;
  options.max_depth = 1'000;
  options.stub_externals = true;
  options.record = true;
  options.profile = true;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = module.function(symbol);
    if (function.is_declaration() || !function.params.empty()) continue;

    psi::Outcome outcome = psi::interpret(module, symbol, {}, options);
    psi::Outcome repeated = psi::interpret(module, symbol, {}, options);
    psi::Result<void> refined = psi::refines(outcome, repeated);
    if (outcome.status != repeated.status || !refined) {
      fail("two runs differ", refined.message() + "\n" + psi::print(module));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  psi::SourceMap map;
  psi::Result<psi::Module> module = psi::parse(text, &map);
  if (!module) return 0;

  psi::VerifyOptions options;
  options.map = &map;
  psi::Result<void> verified = psi::verifies(*module, options);
  if (!verified) {
    if (psi::render(verified, "input", text).empty()) fail("rejected without a word", std::string(text));
    return 0;
  }

  std::string printed = psi::print(*module);
  psi::Result<psi::Module> reparsed = psi::parse(printed);
  if (!reparsed) fail("not parsed after a round trip", psi::render(reparsed, "printed", printed) + printed);
  if (psi::Result<void> again = psi::verifies(*reparsed); !again) {
    fail("not accepted after a round trip", psi::render(again, "printed", printed) + printed);
  }
  run_functions_without_parameters(*module);
  return 0;
}
