#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"

#include "liegrad/dae/runge_kutta/munthe_kaas_constrained.hpp"
#include "liegrad/dae/runge_kutta/munthe_kaas_explicit.hpp"
#include "liegrad/dae/runge_kutta/munthe_kaas_implicit.hpp"

namespace liegrad::dae {

std::unique_ptr<Stepper> make_munthe_kaas(const Model& system, const ButcherTableau& tableau,
                                          const NewtonOptions& newton) {
  const bool has_algebraic = system.num_multipliers() > 0 || system.num_algebraic() > 0;
  if (has_algebraic && !tableau.is_explicit()) {
    throw InvalidArgument("implicit Munthe-Kaas methods such as '" + tableau.name +
                          "' are for systems without constraints and algebraic states, which '" +
                          system.name() + "' has; use a Radau or a generalized-alpha method");
  }
  const std::vector<std::string> problems = tableau.problems();
  if (!problems.empty()) throw InvalidArgument(problems.front());
  if (has_algebraic) return std::make_unique<ConstrainedMuntheKaas>(system, tableau);
  if (tableau.is_explicit()) return std::make_unique<ExplicitMuntheKaas>(system, tableau);
  return std::make_unique<ImplicitMuntheKaas>(system, tableau, newton);
}

}  // namespace liegrad::dae
