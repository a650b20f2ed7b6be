#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "commands/bench_command.hpp"
#include "commands/cache_command.hpp"
#include "commands/check_derivatives_command.hpp"
#include "commands/completion_command.hpp"
#include "commands/control_command.hpp"
#include "commands/converge_command.hpp"
#include "commands/fit_command.hpp"
#include "commands/models_command.hpp"
#include "commands/modes_command.hpp"
#include "commands/reference_command.hpp"
#include "commands/report_command.hpp"
#include "commands/sensitivity_command.hpp"
#include "commands/simulate_command.hpp"
#include "commands/static_command.hpp"
#include "liegrad/lie/error.hpp"
#include "options/command_line.hpp"
#include "options/exit_status.hpp"
#include "options/interrupt.hpp"
#include "output/colour.hpp"
#include "output/compile_line.hpp"
#include "output/output_file.hpp"
#include "output/versions.hpp"

namespace {

using namespace liegrad::app;

int fail(int status, const std::string& sentence) {
  std::cerr << error_mark("liegrad:") << ' ' << sentence
            << (sentence.ends_with('?') ? "\n" : ".\n");
  return status;
}

/// Runs what was typed, and returns when it succeeded.
void run(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> arguments = arguments_of(argc, argv);
  const bool is_quiet = std::find(arguments.begin(), arguments.end(), "--quiet") != arguments.end();
  const CompileLine compilations(!is_quiet);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));  // runs the command
    if (app.get_subcommands().empty()) std::cout << app.help();
  } catch (const CLI::Success& asked_for_text) {
    std::ostringstream text;
    app.exit(asked_for_text, text, text);
    std::cout << text.str();
  }
  check_standard_output();
}

}  // namespace

int main(int argc, char** argv) {
  // Files that become too long are errors like disks that are full.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Lie-group multibody dynamics with exact derivatives"};
  app.name("liegrad");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", versions(), "Print the version and exit");
  app.require_subcommand(0, 1);
  add_models_command(app);
  add_simulate_command(app);
  add_static_command(app);
  add_modes_command(app);
  add_converge_command(app);
  add_sensitivity_command(app);
  add_check_derivatives_command(app);
  add_fit_command(app);
  add_control_command(app);
  add_report_command(app);
  add_bench_command(app);
  add_cache_command(app);
  add_reference_command(app);
  add_completion_command(app);

  try {
    run(app, argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(kBadInput, sentence_of(error, app));
  } catch (const liegrad::InvalidArgument& error) {
    return fail(kBadInput, error.what());
  } catch (const liegrad::Error& error) {
    return fail(kCouldNotGoOn, error.what());
  } catch (const Interrupted& interrupted) {
    return fail(kInterrupted, interrupted.what());
  } catch (const std::bad_alloc&) {
    return fail(
        kCouldNotGoOn,
        "there is not enough memory; choose longer steps, a smaller system or fewer samples");
  } catch (const std::length_error&) {
    return fail(
        kCouldNotGoOn,
        "no memory is large enough; choose longer steps, a smaller system or fewer samples");
  } catch (const std::exception& error) {
    return fail(kCouldNotGoOn, error.what());
  }
}
