#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "liegrad/dae/static_equilibrium.hpp"
#include "options/cli11_names.hpp"

namespace liegrad::app {

/// Options of commands that look for an equilibrium.
struct EquilibriumOptions {
  double time = 0;
  int load_steps = 1, max_iterations = 20;

  void add_to(CLI::App& command);
  dae::StaticOptions make() const;
};

/// What the search did, for summaries and for readers.
nlohmann::ordered_json json_of(const dae::StaticSolution& solution);
void print(const dae::StaticSolution& solution);

}  // namespace liegrad::app
