#pragma once

#include <optional>
#include <string>
#include <vector>

#include "liegrad/sensitivity/differentiate.hpp"
#include "options/cli11_names.hpp"

namespace liegrad::app {

/// One number whose derivatives are wanted.
struct ChosenOutput {
  std::string name;              ///< "top.x[3]@0.5"
  std::string output;            ///< "top.x@0.5", which it shares with the other components
  std::string column;            ///< "top.x[3]"
  std::optional<double> t = {};  ///< the end of the run when there is none

  bool is_multiplier() const { return column.find(".lambda") != std::string::npos; }
};

/// All components of an output, "top.x", or one of them, "top.x[3]" or "top.x.3", at the end of the run.
/// Throws InvalidArgument for a name that does not exist.
std::vector<ChosenOutput> components_of(const dae::Outputs& outputs, const std::string& name);

/// What is differentiated with respect to what, as typed.
class DerivativeOptions {
 public:
  /// --of and --wrt.
  void add_to(CLI::App& command, bool required);

  bool has_outputs() const { return !of_.empty(); }
  bool has_variables() const { return !wrt_.empty(); }

  // Both throw InvalidArgument for a name that does not exist; a name given twice counts once.
  /// Also for a time outside of the run.
  std::vector<ChosenOutput> outputs(const dae::System& system,
                                    const dae::IntegrateOptions& run) const;
  sensitivity::Variables variables(const dae::System& system) const;
  /// Of derivatives by these variables, those that were asked for: initial values are differentiated by all
  /// together, also where some are named.
  void keep_chosen(const dae::System& system, sensitivity::Derivatives& derivatives) const;

 private:
  std::vector<std::string> of_, wrt_;
};

std::vector<std::string> all_parameters(const dae::System& system);
sensitivity::Objective objective_of(const dae::System& system,
                                    const std::vector<ChosenOutput>& outputs);

}  // namespace liegrad::app
