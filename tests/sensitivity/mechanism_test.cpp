// Derivatives of the motion of a mechanism by the angles that it starts from and by where its joints are: initial poses
// follow both.

#include <gtest/gtest.h>

#include <string>

#include "elements/interpreted_kernels.hpp"
#include "liegrad/elements/mechanism/mechanism.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::testing {
namespace {

TEST(MechanismDerivatives, AgreeWithDifferencesByAnglesAndPlacesOfJoints) {
  for (const lie::NodeGroup& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    elements::Mechanism arm("arm", {.group = group});
    arm.add_rod("upper", {0, 0, 0}, {1, 0, 0}, {.radius = 0.1, .mass = 2});
    arm.add_rod("lower", {1, 0, 0}, {1, 0.8, 0}, {.radius = 0.1, .mass = 1});
    arm.add_spherical("shoulder", "ground", "upper", {0, 0, 0});
    arm.add_cylindrical("elbow", "lower", "upper", {.point = {1, 0, 0}, .axis = {0, 1, 1}});
    arm.add_on_joint("spring", elements::CoordinateSpring{}, "elbow.displacement",
                     {.values = {{"k", 200}}});
    arm.set_initial("shoulder.rotation_x", 0.4, 1);
    arm.set_initial("shoulder.rotation_z", -0.3, 0.5);
    arm.set_initial("elbow.angle", 0.7, -2);
    arm.set_initial("elbow.displacement", 0.1, 0.3);
    const dae::System system = arm.make_system();

    sensitivity::Objective objective(system);
    for (const char* const name : {"lower.x.1", "lower.x.2", "lower.x.3"})
      objective.add_output(name);
    sensitivity::DifferentiateOptions options;
    options.integrate = dae::alpha_steps(0.01);
    options.integrate.t_end = 0.2;
    options.variables.parameters = {"shoulder.rotation_x0",
                                    "shoulder.rotation_z_rate0",
                                    "elbow.angle0",
                                    "elbow.angle_rate0",
                                    "elbow.displacement0",
                                    "elbow.displacement_rate0",
                                    "elbow.a.X1",
                                    "elbow.b.X2",
                                    "elbow.b.e1",
                                    "shoulder.b.X3",
                                    "lower.m",
                                    "gravity3"};
    const auto derivatives = [&](sensitivity::Mode mode) {
      options.mode = mode;
      return sensitivity::differentiate(objective, options).jacobian;
    };
    const Eigen::MatrixXd adjoint = derivatives(sensitivity::Mode::kAdjoint),
                          difference = derivatives(sensitivity::Mode::kDifference);
    for (Eigen::Index j = 0; j < adjoint.cols(); ++j) {
      const double size = adjoint.col(j).norm();
      EXPECT_GT(size, 1e-6) << options.variables.parameters[static_cast<std::size_t>(j)];
      EXPECT_LT((adjoint.col(j) - difference.col(j)).norm(), 1e-6 * size)
          << options.variables.parameters[static_cast<std::size_t>(j)];
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
