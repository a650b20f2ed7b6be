#include "liegrad/dae/integrate.hpp"

#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"
#include "liegrad/dae/simulator.hpp"

namespace liegrad::dae {

std::vector<std::string> IntegrateOptions::warnings() const {
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
  if (options.method == Method::kRadau) {
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
