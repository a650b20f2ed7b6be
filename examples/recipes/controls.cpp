// How to give inputs that depend on time: a torque u(t) turns a body.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/actuators.hpp"
using namespace liegrad;

int main() {
  dae::System system("satellite");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add("body", elements::RigidBody{}, {"body"}, {.values = {{"J3", 0.5}, {"gravity3", 0}}});
  system.add("wheel", elements::ActuatorTorque{},
             {"body"});  // controls wheel.m1, wheel.m2, wheel.m3
  for (const std::string& name : system.controls()) std::printf("%s ", name.c_str());

  dae::IntegrateOptions options;
  options.t_end = 1;
  options.controls = [](double t, std::span<double> u) {  // in the order of system.controls()
    u[2] = 0.2 * std::sin(std::numbers::pi * t);
  };
  const dae::Solution solution = dae::integrate(system, options);

  dae::Outputs outputs(system);
  std::vector<double> end(outputs.size());
  outputs.evaluate(solution.final, std::vector<double>(system.controls().size()), end);
  const double spin = end[outputs.column("body.omega[3]")];
  // J ω = ∫u dt = 0.4/π
  std::printf("\nspin %.7f rad/s, expected %.7f\n", spin, 0.8 / std::numbers::pi);
  return std::abs(spin - 0.8 / std::numbers::pi) < 1e-6 ? 0 : 1;
}
