#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <cppad/configure.hpp>

#include "bench_command.hpp"
#include "cache_command.hpp"
#include "check_derivatives_command.hpp"
#include "converge_command.hpp"
#include "liegrad/lie/error.hpp"
#include "models_command.hpp"
#include "sensitivity_command.hpp"
#include "simulate_command.hpp"

namespace {

constexpr int kBadInput = 2;
constexpr int kCouldNotGoOn = 3;

/// The versions a bug report needs.
std::string version() {
  const std::string eigen = std::to_string(EIGEN_WORLD_VERSION) + '.' +
                            std::to_string(EIGEN_MAJOR_VERSION) + '.' +
                            std::to_string(EIGEN_MINOR_VERSION);
  return "liegrad " LIEGRAD_VERSION " (Eigen " + eigen + ", " CPPAD_PACKAGE_STRING ")";
}

int fail(int status, const std::string& sentence) {
  std::cerr << "liegrad: " << sentence << (sentence.ends_with('?') ? "\n" : ".\n");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Lie-group multibody dynamics with exact derivatives"};
  app.name("liegrad");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", version(), "Print the version and exit");
  app.require_subcommand(0, 1);
  liegrad::app::add_models_command(app);
  liegrad::app::add_simulate_command(app);
  liegrad::app::add_converge_command(app);
  liegrad::app::add_sensitivity_command(app);
  liegrad::app::add_check_derivatives_command(app);
  liegrad::app::add_bench_command(app);
  liegrad::app::add_cache_command(app);

  try {
    app.parse(argc, argv);  // runs the command
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    return fail(kBadInput, std::string(error.what()) + "; `liegrad --help` shows what is accepted");
  } catch (const liegrad::InvalidArgument& error) {
    return fail(kBadInput, error.what());
  } catch (const liegrad::Error& error) {
    return fail(kCouldNotGoOn, error.what());
  }
  if (app.get_subcommands().empty()) std::cout << app.help();
}
