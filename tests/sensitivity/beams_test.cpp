// Derivatives of the motion of a beam by the stiffness, the damping and the mass of each of its elements.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "elements/interpreted_kernels.hpp"
#include "liegrad/elements/beams/straight_beam.hpp"
#include "liegrad/elements/forces/applied_force.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::testing {
namespace {

using sensitivity::Derivatives;
using sensitivity::Mode;

template <class Interpolation>
dae::System cantilever(const lie::NodeGroup& group) {
  dae::System system("cantilever");
  elements::StraightBeam row{.name = "beam",
                             .elements = 3,
                             .from = {"ground"},
                             .to = {"tip"},
                             .group = group,
                             .length = 1.5,
                             .values = {{"EA", 200},
                                        {"GA2", 120},
                                        {"GA3", 130},
                                        {"GJ", 6},
                                        {"EI2", 8},
                                        {"EI3", 5},
                                        {"J1", 0.2},
                                        {"J2", 0.1},
                                        {"J3", 0.15},
                                        {"tau_E", 0.02},
                                        {"tau_G", 0.01},
                                        {"alpha", 0.1}}};
  add_beam_nodes(system, row);
  system.add_node("tip", group);
  system.set_initial_configuration("tip", {1, 0, 0, 0, 1.5, 0, 0});
  add_straight_beam(system, row, elements::Beam<Interpolation>{.damped = true});
  system.add("force", elements::AppliedForce<>{}, {"tip"}, {.values = {{"f2", 4}, {"f3", 3}}});
  return system;
}

void expect_agreement(const dae::System& system) {
  sensitivity::Objective objective(system);
  for (const char* const name : {"tip.x.1", "tip.x.2", "tip.x.3"}) objective.add_output(name);
  sensitivity::DifferentiateOptions options;
  options.integrate = dae::alpha_steps();
  options.integrate.step = 0.02;
  options.integrate.t_end = 0.4;
  for (const dae::ParameterSpec& parameter : system.parameters()) {
    for (const char* const own :
         {"EA", "GA2", "GA3", "GJ", "EI2", "EI3", "tau_E", "m", "J3", "alpha"}) {
      if (parameter.name.ends_with(std::string(".") + own)) {
        options.variables.parameters.push_back(parameter.name);
      }
    }
  }
  ASSERT_EQ(options.variables.parameters.size(), 30u);
  const auto derivatives = [&](Mode mode) {
    options.mode = mode;
    return sensitivity::differentiate(objective, options).jacobian;
  };
  const Eigen::MatrixXd adjoint = derivatives(Mode::kAdjoint),
                        forward = derivatives(Mode::kForward),
                        difference = derivatives(Mode::kDifference);
  for (Eigen::Index j = 0; j < adjoint.cols(); ++j) {
    const std::string& name = options.variables.parameters[static_cast<std::size_t>(j)];
    const double size = adjoint.col(j).norm();
    EXPECT_GT(size, 0) << name;
    EXPECT_LT((adjoint.col(j) - forward.col(j)).norm(), 1e-9 * size) << name;
    EXPECT_LT((adjoint.col(j) - difference.col(j)).norm(), 1e-6 * size) << name;
  }
}

TEST(BeamDerivatives, AgreeWithDifferencesForHelices) {
  expect_agreement(cantilever<elements::HelicoidalInterpolation>(lie::NodeGroup::se3()));
}
TEST(BeamDerivatives, AgreeWithDifferencesForStraightLines) {
  expect_agreement(cantilever<elements::LinearInterpolation>(lie::NodeGroup::so3xr3()));
}

}  // namespace
}  // namespace liegrad::testing
