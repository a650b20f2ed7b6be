#include "options/integration_options.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/method_names.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/models/models.hpp"
#include "options/option_value.hpp"
#include "output/number_text.hpp"

namespace liegrad::app {
namespace {

template <class T>
T chosen(const std::string& what, const dae::NameTable<T>& choices, const std::string& name) {
  return option_value("--" + what, what, name, choices);
}

std::vector<std::string> method_names() {
  std::vector<std::string> names = dae::names_of(dae::alpha_variant_names());
  for (const std::string& name : dae::names_of(dae::munthe_kaas_names())) names.push_back(name);
  for (const std::string& name : dae::names_of(dae::radau_names())) names.push_back(name);
  return names;
}

/// Generalized-α on the group itself.
const std::string& lie_alpha() { return dae::alpha_variant_names().front().first; }

/// "a, b or c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  }
  return text;
}

template <class T>
std::string listed(const dae::NameTable<T>& table) {
  return listed(dae::names_of(table));
}

}  // namespace

void IntegrationOptions::add_to(CLI::App& command, const IntegrationOptionNames& names) {
  const auto add = [&command](const char* name, auto& value, const std::string& text,
                              const char* type) {
    return command.add_option(name, value, text)->type_name(type);
  };
  const auto add_choice = [&add](const char* name, std::string& value, const std::string& text,
                                 const char* type) {
    return add(name, value, text, type)->capture_default_str();
  };
  choice_.add_to(command);
  default_run_ = names.default_run;
  default_rtol_ = names.rtol;
  leaves_tolerance_open_ = names.leaves_tolerance_open;
  method_option_ = names.method;
  start_option_ = names.start;
  add(names.method, method_, listed(method_names()), "NAME")
      ->default_str(default_run_ == DefaultRun::kAlphaSteps
                        ? lie_alpha()
                        : dae::IntegrateOptions{}.method_name());
  if (names.has_t_end) {
    add("--t-end", t_end_, "Final time; the system's own unless given, see `liegrad models SYSTEM`",
        "T");
  }
  newton_option_ = add_choice("--newton", newton_,
                              "Iteration matrix: " + listed(dae::newton_kind_names()), "KIND");
  add_choice("--solver", solver_, "Of linear systems: " + listed(dae::linear_solver_names()),
             "KIND");
  command.add_flag("--project", project_, "Move inconsistent initial values to the constraints");
  command.add_flag("--allow-redundant", allow_redundant_,
                   "Accept constraints that depend on others; multipliers of least norm");

  add_alpha_to(command);
  only_of_alpha_.push_back(add_choice(
      names.start, start_, "Starting values: " + listed(dae::starting_values_names()), "KIND"));
  only_of_alpha_.push_back(add_choice(
      "--guess", guess_, "First guess of a step: " + listed(dae::first_guess_names()), "KIND"));
}

void IntegrationOptions::add_alpha_to(CLI::App& command) {
  CLI::Option* const rho = command.add_option("--rho", rho_, "Spectral radius at infinity")
                               ->type_name("R")
                               ->default_str("0.8");
  CLI::Option* const hht =
      command.add_option("--hht", hht_, "Hilber, Hughes and Taylor: -1/3 to 0")->type_name("A");
  CLI::Option* const newmark = command.add_flag("--newmark", newmark_, "The trapezoidal rule");
  CLI::Option* const alpha =
      command.add_option("--alpha", alpha_, "The four parameters themselves")
          ->type_name("AM,AF,BETA,GAMMA");
  rho->excludes(hht, newmark, alpha);
  hht->excludes(newmark, alpha);
  newmark->excludes(alpha);
  only_of_alpha_ = {
      rho,
      hht,
      newmark,
      alpha,
      command
          .add_option("--formulation", formulation_,
                      "Of the constraints: " + listed(dae::formulation_names()))
          ->type_name("NAME")
          ->capture_default_str(),
      command.add_option("--sigma", sigma_, "0, 1, opt (gamma / (3 beta)) or a number")
          ->type_name("S")
          ->capture_default_str()};
}

void IntegrationOptions::add_grid_method_to(CLI::App& command) {
  default_run_ = DefaultRun::kAlphaSteps;
  command
      .add_option("--method", method_,
                  "Of the steps: " + lie_alpha() + ", or " + listed(dae::radau_names()) +
                      " of order 3 and 5")
      ->type_name("NAME")
      ->default_str(lie_alpha());
  add_alpha_to(command);
}

int IntegrationOptions::radau_stages() const {
  if (method_.empty() || method_ == lie_alpha()) return 0;
  const int* const stages = dae::find(dae::radau_names(), method_);
  if (stages == nullptr) {
    std::vector<std::string> names = dae::names_of(dae::radau_names());
    names.insert(names.begin(), lie_alpha());
    throw InvalidArgument("--method: " + dae::unknown_name_message("method", method_, names));
  }
  if (const CLI::Option* const option = option_of_alpha()) {
    throw InvalidArgument(option->get_name() + " belongs to " + lie_alpha() + ", not to " +
                          method_ + "; leave one of both out");
  }
  return *stages;
}

void IntegrationOptions::add_steps_to(CLI::App& command) {
  command.add_option("--step", step_, "Length of fixed steps; with --adaptive of the first one")
      ->type_name("H");
  command.add_flag("--adaptive", adaptive_,
                   default_run_ == DefaultRun::kAlphaSteps
                       ? "Choose steps by the error"
                       : "Choose steps by the error, as radau-2, radau-3 and rkmk-54 do unless "
                         "--step is given; the other methods take the system's own step");
  const dae::ErrorTolerance defaults;
  command.add_option("--rtol", rtol_, "Error at the end over the size of the motion")
      ->type_name("R")
      ->default_str(leaves_tolerance_open_ ? "by the noise" : fmt::format("{:g}", default_rtol_));
  command.add_option("--atol", atol_, "Absolute error that is allowed besides")
      ->type_name("A")
      ->default_str(fmt::format("{:g}", defaults.absolute));
  command.add_flag("--control-multipliers", control_multipliers_,
                   "Let errors of multipliers count too");
}

dae::System IntegrationOptions::make_system() const { return choice_.make(); }

std::string IntegrationOptions::group() const { return choice_.body_group(); }

dae::AlphaParameters IntegrationOptions::alpha_parameters() const {
  if (rho_) return dae::AlphaParameters::from_spectral_radius(*rho_);
  if (hht_) return dae::AlphaParameters::hht(*hht_);
  if (newmark_) return dae::AlphaParameters::newmark();
  if (alpha_.empty()) return dae::AlphaMethod{}.parameters;
  const std::vector<double> given = numbers_of("--alpha", alpha_);
  if (given.size() != 4) {
    throw InvalidArgument("--alpha has " + std::to_string(given.size()) +
                          " numbers; give the four alpha_m,alpha_f,beta,gamma");
  }
  return {.alpha_m = given[0], .alpha_f = given[1], .beta = given[2], .gamma = given[3]};
}

double IntegrationOptions::sigma(const dae::AlphaParameters& parameters) const {
  return sigma_ == "opt" ? parameters.optimal_sigma() : number_of("--sigma", sigma_);
}

void IntegrationOptions::check_numbers() const {
  require_finite("--t-end", t_end_);
  require_finite("--step", step_);
  require_finite("--rtol", rtol_);
  require_finite("--atol", atol_);
  // A step cannot be told from one with such an error.
  constexpr double kLeast = 10 * std::numeric_limits<double>::epsilon();
  if (rtol_ && *rtol_ > 0 && *rtol_ < kLeast) {
    throw InvalidArgument(fmt::format(
        "--rtol {:g} is below the rounding of numbers; choose at least {:.2g}", *rtol_, kLeast));
  }
}

const CLI::Option* IntegrationOptions::option_of_alpha() const {
  for (const CLI::Option* option : only_of_alpha_) {
    if (option->count() > 0) return option;
  }
  return nullptr;
}

std::string IntegrationOptions::method() const {
  if (!method_.empty()) return method_;
  const bool is_alpha = default_run_ == DefaultRun::kAlphaSteps || option_of_alpha() != nullptr;
  return is_alpha ? lie_alpha() : dae::IntegrateOptions{}.method_name();
}

bool IntegrationOptions::is_munthe_kaas() const {
  return dae::find(dae::munthe_kaas_names(), method()) != nullptr;
}
bool IntegrationOptions::is_radau() const {
  return dae::find(dae::radau_names(), method()) != nullptr;
}

std::string IntegrationOptions::reason_for_method() const {
  if (!method_.empty()) return "";
  if (const CLI::Option* const option = option_of_alpha()) {
    return "since " + option->get_name() + " belongs to it";
  }
  if (default_run_ == DefaultRun::kErrorControl) return dae::kReasonForDefault;
  return "default of this command";
}

/// Whether steps follow the error: when asked for, and without --step with methods that are meant for it.
bool IntegrationOptions::controls_error() const {
  const bool has_tolerance = rtol_ || atol_ || control_multipliers_;
  if (adaptive_) return true;
  if (step_) {
    if (!has_tolerance) return false;
    throw InvalidArgument(
        "--step gives fixed steps, which --rtol, --atol and --control-multipliers have no effect "
        "on; leave one of both out, or add --adaptive, where --step is the first step");
  }
  if (has_tolerance) return true;
  const dae::ButcherTableau* const tableau = dae::find(dae::munthe_kaas_names(), method());
  return default_run_ == DefaultRun::kErrorControl &&
         (is_radau() || (tableau != nullptr && tableau->b_embedded.has_value()));
}

void IntegrationOptions::set_steps(dae::IntegrateOptions& options) const {
  if (step_ && !(*step_ > 0)) {
    throw InvalidArgument(
        fmt::format("the {}step {:g} must be positive", adaptive_ ? "first " : "", *step_));
  }
  options.step = step_.value_or(choice_.defaults().step);
  if (!controls_error()) return;
  if (leaves_tolerance_open_ && !(adaptive_ || rtol_ || atol_ || control_multipliers_)) {
    options.step = 0;
    return;
  }
  dae::AdaptiveOptions adaptive;
  adaptive.tolerance.relative = rtol_.value_or(default_rtol_);
  adaptive.tolerance.absolute = atol_.value_or(adaptive.tolerance.absolute);
  adaptive.tolerance.multipliers = control_multipliers_;
  adaptive.initial_step = step_.value_or(0);
  options.adaptive = adaptive;
}

dae::IntegrateOptions IntegrationOptions::make() const {
  check_numbers();
  dae::IntegrateOptions options;
  options.t_end = t_end_.value_or(choice_.defaults().t_end);
  set_steps(options);
  const std::string method = this->method();
  if (const auto* const variant = dae::find(dae::alpha_variant_names(), method)) {
    options.method = dae::Method::kAlpha;
    options.alpha.variant = *variant;
  } else if (const auto* const tableau = dae::find(dae::munthe_kaas_names(), method)) {
    options.method = dae::Method::kMuntheKaas;
    options.tableau = *tableau;
  } else if (const int* const stages = dae::find(dae::radau_names(), method)) {
    options.method = dae::Method::kRadau;
    options.radau.stages = *stages;
    if (newton_option_->count() > 0) {
      options.radau.newton =
          newton_ == "full" ? dae::RadauNewton::kFull : dae::RadauNewton::kSimplified;
    }
  } else {
    throw InvalidArgument(method_option_ + ": " +
                          dae::unknown_name_message("method", method, method_names()));
  }
  dae::AlphaOptions& alpha = options.alpha;
  alpha.method = alpha_method();
  alpha.formulation = constraint_formulation();
  alpha.start = chosen(start_option_.substr(2), dae::starting_values_names(), start_);
  alpha.guess = chosen("guess", dae::first_guess_names(), guess_);
  alpha.newton.kind = chosen("newton", dae::newton_kind_names(), newton_);
  alpha.solver = chosen("solver", dae::linear_solver_names(), solver_);
  alpha.consistency.project = project_;
  alpha.consistency.allow_redundant = allow_redundant_;
  // Who leaves the tolerance to the computation leaves it the method too, unless something belongs to one.
  const bool has_open_tolerance =
      leaves_tolerance_open_ && options.step == 0 && !options.adaptive.has_value();
  if (has_open_tolerance && method_.empty() && is_radau() && newton_option_->count() == 0) {
    options.method = dae::Method::kAutomatic;
  }
  return options;
}

dae::AlphaMethod IntegrationOptions::alpha_method() const {
  const dae::AlphaParameters parameters = alpha_parameters();
  return {parameters, sigma(parameters)};
}

bool IntegrationOptions::chooses_alpha_method() const {
  return rho_ || hht_ || newmark_ || !alpha_.empty() || sigma_ != "0";
}

dae::Formulation IntegrationOptions::constraint_formulation() const {
  return chosen("formulation", dae::formulation_names(), formulation_);
}

std::vector<std::string> IntegrationOptions::warnings() const {
  std::vector<std::string> list;
  if (choice_.group_option->count() > 0 && !choice_.defaults().has_bodies) {
    list.push_back("--group has no effect, since '" + choice_.system + "' has no rigid bodies");
  }
  if (!is_munthe_kaas() && !is_radau()) return list;
  for (const CLI::Option* option : only_of_alpha_) {
    if (option->count() == 0) continue;
    list.push_back(option->get_name() + " has no effect on " + method_);
  }
  return list;
}

nlohmann::ordered_json IntegrationOptions::echo() const {
  const dae::IntegrateOptions options = make();
  nlohmann::ordered_json echo = {{"method", method()}};
  if (!reason_for_method().empty()) echo["reason_for_method"] = reason_for_method();
  if (!group().empty()) echo["group"] = group();
  if (!is_munthe_kaas() && !is_radau()) {
    const dae::AlphaMethod& method = options.alpha.method;
    echo["formulation"] = formulation_;
    echo["sigma"] = method.sigma;
    echo["alpha_m"] = method.parameters.alpha_m;
    echo["alpha_f"] = method.parameters.alpha_f;
    echo["beta"] = method.parameters.beta;
    echo["gamma"] = method.parameters.gamma;
    echo["start"] = start_;
    echo["guess"] = guess_;
  }
  echo["newton"] = is_radau() && newton_option_->count() == 0 ? "automatic" : newton_;
  if (options.adaptive) {
    echo["adaptive"] = true;
    echo["rtol"] = options.adaptive->tolerance.relative;
    echo["atol"] = options.adaptive->tolerance.absolute;
    if (control_multipliers_) echo["control_multipliers"] = true;
  } else if (options.step == 0) {
    echo["adaptive"] = true;
  } else {
    echo["step"] = options.step;
  }
  echo["t_end"] = options.t_end;
  echo["set"] = nlohmann::ordered_json::object();
  for (const std::string& setting : choice_.settings) {
    const auto [name, value] = named_number_of("--set", setting);
    // Whole numbers as such: 10000000, not 1e+07.
    constexpr double kMost = 1e15;
    const bool is_whole = value == std::floor(value) && std::abs(value) < kMost;
    nlohmann::ordered_json& number = echo["set"][name];
    number = value;
    if (is_whole) number = static_cast<long>(value);
  }
  return echo;
}

void check(const dae::IntegrateOptions& options, const dae::System& system) {
  std::string all;
  for (const std::string& problem : options.problems(system)) {
    all += (all.empty() ? "" : "; ") + problem;
  }
  if (!all.empty()) throw InvalidArgument(all);
}

}  // namespace liegrad::app
