#include "options/equilibrium.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace liegrad::app {

void EquilibriumOptions::add_to(CLI::App& command) {
  command.add_option("--time", time, "At which laws and drives are read")
      ->type_name("T")
      ->capture_default_str();
  command
      .add_option("--load-steps", load_steps,
                  "Equal parts in which the load is applied; a step that fails is halved")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--max-iterations", max_iterations, "Of Newton's method in a load step")
      ->type_name("N")
      ->capture_default_str();
}

dae::StaticOptions EquilibriumOptions::make() const {
  dae::StaticOptions options;
  options.time = time;
  options.load_steps = load_steps;
  options.max_iterations = max_iterations;
  return options;
}

nlohmann::ordered_json json_of(const dae::StaticSolution& solution) {
  return {{"converged", solution.converged},
          {"message", solution.message},
          {"load", solution.load},
          {"load_steps", solution.load_steps},
          {"failed_steps", solution.failed_steps},
          {"newton_iterations", solution.newton_iterations},
          {"residual_over_rounding", solution.largest_residual}};
}

void print(const dae::StaticSolution& solution) {
  fmt::print("  {:<22} = {}\n", "equilibrium", solution.message);
  fmt::print("  {:<22} = {} ({} failed)\n", "load steps", solution.load_steps,
             solution.failed_steps);
  fmt::print("  {:<22} = {}\n", "Newton iterations", solution.newton_iterations);
}

}  // namespace liegrad::app
