#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "liegrad/dae/integrate.hpp"
#include "options/cli11_names.hpp"
#include "options/system_choice.hpp"

namespace liegrad::app {

/// What a command does where no method is named.
enum class DefaultRun {
  kErrorControl,  ///< that of dae::Method::kAutomatic, steps by the error
  kAlphaSteps,    ///< lie-alpha with fixed steps, for studies of a method and its grid
};

/// What options are called that a command may need for something else.
struct IntegrationOptionNames {
  const char* method = "--method";
  const char* start = "--start";
  bool has_t_end = true;
  DefaultRun default_run = DefaultRun::kErrorControl;
  double rtol = dae::ErrorTolerance{}.relative;  ///< of error control unless given
  /// Whether the computation chooses steps where neither they nor a tolerance are given.
  bool leaves_tolerance_open = false;
};

/// The system and the method of all commands that integrate, as typed.
class IntegrationOptions {
 public:
  /// SYSTEM and all options but those of add_steps_to().
  void add_to(CLI::App& command, const IntegrationOptionNames& names = {});
  /// --rho, --hht, --newmark, --alpha, --formulation and --sigma alone.
  void add_alpha_to(CLI::App& command);
  /// The same with --method, for steps whose grid is given and that are unknowns of a program: lie-alpha or a Radau method.
  void add_grid_method_to(CLI::App& command);
  /// --step, --adaptive, --rtol, --atol.
  void add_steps_to(CLI::App& command);

  // All throw InvalidArgument for a name or a value that is not allowed.
  dae::System make_system() const;
  dae::IntegrateOptions make() const;
  dae::AlphaMethod alpha_method() const;
  /// Whether one of the options of add_alpha_to() chooses it.
  bool chooses_alpha_method() const;
  dae::Formulation constraint_formulation() const;
  /// Stages of the Radau method that add_grid_method_to() chooses; 0 for lie-alpha.
  int radau_stages() const;
  /// Options that have no effect with the others given.
  std::vector<std::string> warnings() const;

  /// For summaries: the method with its numbers.
  nlohmann::ordered_json echo() const;
  /// As typed, or the one that stands for it.
  std::string method() const;
  /// Why that one, where it was not typed; otherwise empty.
  std::string reason_for_method() const;
  /// "so3xr3", or empty for a system without bodies.
  std::string group() const;
  bool is_munthe_kaas() const;
  bool is_radau() const;

 private:
  /// Throws InvalidArgument for a number that no run can have.
  void check_numbers() const;
  /// An option that only generalized-α has, as typed; null if there is none.
  const CLI::Option* option_of_alpha() const;
  bool controls_error() const;
  void set_steps(dae::IntegrateOptions& options) const;
  dae::AlphaParameters alpha_parameters() const;
  double sigma(const dae::AlphaParameters& parameters) const;

  SystemChoice choice_;
  std::string method_option_ = "--method", start_option_ = "--start", formulation_ = "index3",
              method_, sigma_ = "0";
  DefaultRun default_run_ = DefaultRun::kErrorControl;
  double default_rtol_ = dae::ErrorTolerance{}.relative;
  bool leaves_tolerance_open_ = false;
  std::optional<double> rho_, hht_;
  bool newmark_ = false;
  std::string alpha_;
  std::optional<double> t_end_, step_, rtol_, atol_;
  bool adaptive_ = false, control_multipliers_ = false;
  std::string start_ = "classical", newton_ = "full", guess_ = "extrapolated", solver_ = "auto";
  bool project_ = false, allow_redundant_ = false;
  CLI::Option* newton_option_ = nullptr;
  std::vector<CLI::Option*> only_of_alpha_;
};

/// Throws InvalidArgument if the options cannot be used with the system.
void check(const dae::IntegrateOptions& options, const dae::System& system);

}  // namespace liegrad::app
