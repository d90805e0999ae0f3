// psic: the command line over libpsi.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "psi/version.h"
#include "psic/complete.h"
#include "psic/manual.h"
#include "psic/tool.h"

namespace {

// A stream that is closed must not come back as the first file that psic opens. Reading what can only be
// written fails, and the other way round, so that what is lost is noticed.
void occupy_closed_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

int run_action(const psic::Action& action) {
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

void add_commands(CLI::App& app, psic::Action& action) {
  auto group = [&](const char* name, std::initializer_list<void (*)(CLI::App&, psic::Action&)> commands) {
    size_t first = app.get_subcommands([](CLI::App*) { return true; }).size();
    for (auto add : commands) add(app, action);
    std::vector<CLI::App*> all = app.get_subcommands([](CLI::App*) { return true; });
    for (size_t i = first; i < all.size(); ++i) all[i]->group(name);
  };
  using namespace psic;
  group("Programs", {add_check, add_print, add_opt, add_compile, add_run, add_simulate});
  group("Analyses", {add_explore, add_phis, add_predicates, add_liveness, add_predicated_ssa, add_grade});
  group("Tests", {add_gen, add_fuzz, add_reduce});
  group("What psic knows", {add_passes, add_targets, add_check_target, add_completion});
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  psic::install_crash_handlers();
  psic::install_signal_handlers();
  if (psi::Result<void> table = psi::PassTable::builtin().check(); !table) {
    psic::report_bug("the table of passes is wrong: " + table.diagnostics().first_error());
    return psic::kBug;
  }

  CLI::App app{"psic: a compiler back end for predicated code in SSA form"};
  app.name("psic");
  app.set_help_flag("-h,--help", "Explain, and do nothing else");
  app.set_version_flag("--version", std::string("psic ") + std::string(psi::kVersion), "Print the version");
  app.formatter(psic::help_formatter());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 fine, 1 the input is wrong, 2 the command line is wrong, 3 a bug in psic.\n"
      "FILE may be '-' for standard input, -o '-' for standard output.");
  psic::Action action;
  add_commands(app, action);

  int code = psic::kFine;
  // What completion asks are words of other command lines, which must not be parsed here.
  if (argc > 1 && std::string_view(argv[1]) == "complete") {
    code = run_action([&] { return psic::complete(app, {argv + 2, argv + argc}); });
    return psic::finish_output(code);
  }
  if (argc == 3 && std::string_view(argv[1]) == "manual") {
    code = run_action([&] { return psic::write_manual(app, argv[2]); });
    return psic::finish_output(code);
  }
  try {
    code = psic::refuse_word(app, {argv + std::min(argc, 1), argv + argc});
    if (code != psic::kFine) return psic::finish_output(code);
    app.parse(argc, argv);
    code = run_action(action);
  } catch (const CLI::ParseError& e) {
    code = psic::report_command_line(app, e, argc);
  }
  return psic::finish_output(code);
}
