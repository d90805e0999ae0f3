// Any module that parses: the verifier accepts it or says why not. One that it accepts is accepted again
// after a round trip through its text, and the interpreter runs it without harm.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fail.h"
#include "psi/diagnostic.h"
#include "psi/interpret.h"
#include "psi/text.h"
#include "psi/verify.h"

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
    std::string why;
    if (outcome.status != repeated.status || !psi::refines(outcome, repeated, &why)) {
      fail("two runs differ", why + "\n" + psi::print(module));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  psi::Diagnostics errors;
  psi::SourceMap map;
  std::optional<psi::Module> module = psi::parse(text, errors, &map);
  if (!module) return 0;

  psi::VerifyOptions options;
  options.map = &map;
  bool accepted = psi::verify(*module, errors, options);
  if (accepted == errors.has_errors()) fail("accepted with errors, or rejected without", std::string(text));
  if (!accepted) {
    psi::render(errors, "input", text);
    return 0;
  }

  std::string printed = psi::print(*module);
  psi::Diagnostics again;
  std::optional<psi::Module> reparsed = psi::parse(printed, again);
  if (!reparsed || !psi::verify(*reparsed, again)) {
    fail("not accepted after a round trip", psi::render(again, "printed", printed) + printed);
  }
  run_functions_without_parameters(*module);
  return 0;
}
