#include "liegrad/dae/integrate.hpp"

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/dae/method_names.hpp"
#include "liegrad/dae/report.hpp"
#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"
#include "liegrad/dae/runge_kutta/radau.hpp"
#include "liegrad/dae/simulator.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

/// Whether options that other methods do not read differ from what they are when left alone.
bool chooses(const AlphaOptions& alpha) {
  const AlphaOptions usual;
  return alpha.variant != usual.variant || alpha.formulation != usual.formulation ||
         alpha.start != usual.start || alpha.guess != usual.guess ||
         alpha.method.sigma != usual.method.sigma ||
         alpha.method.parameters.beta != usual.method.parameters.beta ||
         alpha.method.parameters.gamma != usual.method.parameters.gamma;
}

}  // namespace

const char* const kReasonForDefault =
    "default: order 5, stiff or not; position and velocity constraints hold";

IntegrateOptions alpha_steps(double step) {
  IntegrateOptions options;
  options.method = Method::kAlpha;
  options.step = step;
  return options;
}

IntegrateOptions IntegrateOptions::resolved() const {
  IntegrateOptions options = *this;
  if (method == Method::kAutomatic) options.method = Method::kRadau;
  if (!adaptive && step == 0) options.adaptive.emplace();
  return options;
}

std::string IntegrateOptions::method_name() const {
  switch (method) {
    case Method::kMuntheKaas: return tableau.name;
    case Method::kAlpha: break;
    case Method::kAutomatic: return resolved().method_name();
    case Method::kRadau: return name_in(radau_names(), radau.stages);
  }
  return name_in(alpha_variant_names(), alpha.variant);
}

std::string IntegrateOptions::method_settings() const {
  switch (method) {
    case Method::kMuntheKaas: return "order " + std::to_string(tableau.order);
    case Method::kAlpha: break;
    case Method::kAutomatic: return resolved().method_settings();
    case Method::kRadau: return "order " + std::to_string(2 * radau.stages - 1);
  }
  const AlphaParameters& p = alpha.method.parameters;
  const auto text = [](double value) { return number_text(value, 4); };
  return "alpha_m = " + text(p.alpha_m) + ", alpha_f = " + text(p.alpha_f) +
         ", beta = " + text(p.beta) + ", gamma = " + text(p.gamma) +
         ", sigma = " + text(alpha.method.sigma);
}

std::string IntegrateOptions::formulation_name() const {
  switch (method) {
    case Method::kMuntheKaas: return "projected";
    case Method::kAlpha: return name_of(alpha.formulation);
    case Method::kAutomatic:
    case Method::kRadau: break;
  }
  return name_of(Formulation::kStabilized);
}

std::vector<std::string> IntegrateOptions::warnings() const {
  if (method == Method::kAutomatic && chooses(alpha)) {
    return {"options of generalized-alpha have no effect on " + method_name() +
            ", the default; set the method to generalized-alpha, or leave them out"};
  }
  if (method != Method::kAlpha) return {};
  std::vector<std::string> list = alpha.method.parameters.warnings();
  if (alpha.consistency.allow_redundant && alpha.newton.kind != NewtonKind::kFull) {
    list.push_back(
        "redundant constraints need a new matrix in every iteration; Newton's method is full");
  }
  return list;
}

std::unique_ptr<Stepper> make_stepper(const Model& system, const IntegrateOptions& options) {
  if (options.method == Method::kMuntheKaas) {
    return make_munthe_kaas(system, options.tableau, options.alpha.newton);
  }
  if (options.method == Method::kRadau || options.method == Method::kAutomatic) {
    RadauOptions radau = options.radau;
    radau.solver = options.alpha.solver;
    radau.allow_redundant = options.alpha.consistency.allow_redundant;
    return std::make_unique<Radau>(system, radau);
  }
  return std::make_unique<GeneralizedAlpha>(system, options.alpha);
}

Solution integrate(const Model& model, const IntegrateOptions& options) {
  return Simulator(model, options).run();
}

}  // namespace liegrad::dae
