// How to write an element: the attraction of a sun at the origin. One text gives the force, the matrix of Newton's
// iteration and all derivatives.

#include <cmath>
#include <cstdio>
#include <numbers>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/sensitivity/differentiate.hpp"
using namespace liegrad;

struct Sun {
  dae::ElementShape shape() const {
    return {.type = "sun",
            .nodes = {{dae::NodeRole::kPoint}},
            .parameters = {{"mu", 1, "m^3/s^2", "gravitational parameter"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 3> x = at.frame(0).position;
    const S r = distance<S>(at);
    balance.apply_force(0, -at.parameter(0) / (r * r * r) * x);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    return -at.parameter(0) / distance<S>(at);
  }
  // Asked once, with the initial values, before a run.
  std::string validation_message(const dae::Position<double>& at) const {
    return at.frame(0).position.norm() > 0 ? ""
                                           : "is where its planet starts; move the planet away";
  }

 private:
  template <class S>
  static S distance(const dae::Motion<S>& at) {
    using std::sqrt;
    const lie::Vec<S, 3> x = at.frame(0).position;
    return sqrt(x(0) * x(0) + x(1) * x(1) + x(2) * x(2));
  }
};

int main() {
  dae::System system("orbit");
  system.add_node("planet", lie::NodeGroup::rn(3));
  system.add("planet", elements::PointMass{}, {"planet"}, {.values = {{"gravity3", 0}}});
  system.add("sun", Sun{}, {"planet"});
  // An ellipse of eccentricity 1/2 and half axis 1, from its nearest point: the period is 2π.
  system.set_initial_configuration("planet", {0.5, 0, 0});
  system.set_initial_velocity("planet", {0, std::sqrt(3.0), 0});

  sensitivity::Objective objective(system);
  objective.add_output("planet.x[1]");
  objective.add_output("planet.x[2]");
  objective.add_output("energy");
  sensitivity::DifferentiateOptions how;
  how.integrate.t_end = 2 * std::numbers::pi;
  how.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}};
  how.variables.parameters = {"sun.mu"};
  const sensitivity::Derivatives d = sensitivity::differentiate(objective, how);
  std::printf("after a period (%.6f, %.6f), energy %.6f\n", d.values[0], d.values[1], d.values[2]);
  std::printf("by mu: d x[2] = %.4f, d energy = %.6f\n", d.jacobian(1, 0), d.jacobian(2, 0));

  // The period T = 2π √(a³/μ) with 1/a = 2/r - v²/μ has dT/dμ = -10π here: x[2] gains √3 · 10π. The energy
  // v²/2 - μ/r is that of the start, r = 1/2.
  const double expected = std::sqrt(3.0) * 10 * std::numbers::pi;
  const bool is_right = std::abs(d.values[0] - 0.5) < 1e-6 && std::abs(d.values[1]) < 1e-6 &&
                        std::abs(d.jacobian(1, 0) / expected - 1) < 1e-6 &&
                        std::abs(d.jacobian(2, 0) + 2) < 1e-6;
  return is_right ? 0 : 1;
}
