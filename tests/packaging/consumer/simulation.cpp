// A built-in system and a user's own element, and a derivative of its motion, with nothing but the installed
// package.

#include <cmath>
#include <cstdio>

#include <liegrad/dae/integrate.hpp>
#include <liegrad/dae/system/element.hpp>
#include <liegrad/elements/bodies/rigid_body.hpp>
#include <liegrad/models/models.hpp>
#include <liegrad/sensitivity/differentiate.hpp>

/// A spring from the origin to the centre of mass of a body.
struct Spring {
  liegrad::dae::ElementShape shape() const {
    return {.type = "spring",
            .nodes = {{liegrad::dae::NodeRole::kRigidBody}},
            .parameters = {{"k", 4, "N/m", "stiffness"}}};
  }
  template <class S>
  void residual(const liegrad::dae::Motion<S>& at, liegrad::dae::Balance<S>& balance) const {
    balance.apply_force(0, -at.parameter("k") * at.frame(0).position);
  }
};

int main() {
  using namespace liegrad;
  dae::IntegrateOptions options;
  options.t_end = 0.05;
  if (!dae::integrate(models::make_model("heavy_top"), options).summary.is_complete()) return 1;

  dae::System system("oscillator");
  system.add_node("body", lie::NodeGroup::se3());
  system.add("body", elements::RigidBody{}, {"body"}, {.values = {{"gravity3", 0}}});
  system.add("spring", Spring{}, {"body"});
  system.set_initial_configuration("body", {1, 0, 0, 0, 1, 0, 0});
  options.t_end = 1;
  const dae::State end = dae::integrate(system, options).final;
  const double error = std::abs(end.q[4] - std::cos(2.0));
  std::printf("x(1) = %.9f, error %.1e\n", end.q[4], error);

  // x(1) = cos(√k) for a unit mass.
  sensitivity::Objective objective(system);
  objective.add_output("body.x[1]");
  sensitivity::DifferentiateOptions how;
  how.integrate = options;
  how.variables.parameters = {"spring.k"};
  const double by_k = sensitivity::differentiate(objective, how).jacobian(0, 0);
  const double error_by_k = std::abs(by_k + std::sin(2.0) / 4);
  std::printf("its derivative by k %.9f, error %.1e\n", by_k, error_by_k);
  return error < 1e-5 && error_by_k < 1e-5 ? 0 : 1;
}
