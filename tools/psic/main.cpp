// psic: the command line over libpsi.
#include <new>

#include "psi/version.h"
#include "psic/tool.h"

int main(int argc, char** argv) {
  psic::install_crash_handlers();
  if (std::vector<std::string> errors = psi::PassTable::builtin().check(); !errors.empty()) {
    psic::report_bug("the table of passes is wrong: " + errors[0]);
    return psic::kBug;
  }

  CLI::App app{"psic: a compiler back end for predicated code in SSA form"};
  app.name("psic");
  app.set_version_flag("--version", std::string("psic ") + std::string(psi::kVersion));
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 fine, 1 the input is wrong, 2 the command line is wrong, 3 a bug in psic.\n"
      "FILE may be '-' for standard input, -o '-' for standard output.");
  psic::Action action;
  psic::add_check(app, action);
  psic::add_print(app, action);
  psic::add_phis(app, action);
  psic::add_predicates(app, action);
  psic::add_liveness(app, action);
  psic::add_predicated_ssa(app, action);
  psic::add_opt(app, action);
  psic::add_compile(app, action);
  psic::add_run(app, action);
  psic::add_gen(app, action);
  psic::add_fuzz(app, action);
  psic::add_reduce(app, action);
  psic::add_grade(app, action);
  psic::add_passes(app, action);
  psic::add_targets(app, action);
  psic::add_completion(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // CLI11 has printed help, version or what is wrong.
    return app.exit(e) == 0 ? psic::kFine : psic::kUsage;
  }
  try {
    return action();
  } catch (const std::bad_alloc&) {
    psic::error("out of memory");
    return psic::kBadInput;
  } catch (const std::exception& e) {
    psic::report_bug(e.what());
    return psic::kBug;
  }
}
