// The matrices that AD gives for the heavy top, against those derived by hand, which live here only:
// with y = Rᵀx, u_l = Rᵀu and w~ the skew matrix of w.

#include <gtest/gtest.h>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/equations/assembly.hpp"

namespace liegrad::testing {
namespace {

using dae::Assembly;
using dae::Formulation;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Matrix36 = Eigen::Matrix<double, 3, 6>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double kTolerance = 1e-12;
constexpr double kMass = 15;

Matrix3d tilde(const Vector3d& w) { return lie::skew<double>(w); }

struct ByHand {
  Matrix6 mass = Matrix6::Zero(), damping = Matrix6::Zero(), stiffness = Matrix6::Zero();
  Matrix36 gradient, curvature;  // B, and Z(v) with D_q(Bv).w = Z(v) w
};

/// At a pose off the constraint manifold, so that no term vanishes by accident.
ByHand by_hand(bool se3, const Matrix3d& r, const Vector3d& x, const Vector3d& omega,
               const Vector3d& u, const Vector3d& lambda) {
  const Vector3d y = r.transpose() * x;
  const Matrix3d inertia = Vector3d(0.234375, 0.46875, 0.234375).asDiagonal();
  ByHand m;
  m.mass.topLeftCorner<3, 3>() = inertia;
  m.mass.bottomRightCorner<3, 3>() = kMass * Matrix3d::Identity();
  m.damping.topLeftCorner<3, 3>() = tilde(omega) * inertia - tilde(inertia * omega);
  m.stiffness.topLeftCorner<3, 3>() = -tilde(lambda) * tilde(y);
  if (se3) {
    const Vector3d weight = kMass * (r.transpose() * Vector3d(0, 0, -9.81));
    m.damping.bottomLeftCorner<3, 3>() = -kMass * tilde(u);
    m.damping.bottomRightCorner<3, 3>() = kMass * tilde(omega);
    m.stiffness.topRightCorner<3, 3>() = -tilde(lambda);
    m.stiffness.bottomLeftCorner<3, 3>() = -tilde(weight);
    m.gradient << -tilde(y), -Matrix3d::Identity();
    m.curvature << tilde(omega) * tilde(y), tilde(omega);
  } else {
    m.stiffness.topRightCorner<3, 3>() = -tilde(lambda) * r.transpose();
    m.stiffness.bottomLeftCorner<3, 3>() = r * tilde(lambda);
    m.gradient << -tilde(y), -r.transpose();
    m.curvature << tilde(omega) * tilde(y) - tilde(r.transpose() * u), tilde(omega) * r.transpose();
  }
  return m;
}

class HeavyTopDerivatives : public ::testing::TestWithParam<lie::NodeGroup> {
 protected:
  HeavyTopDerivatives()
      : top_system(models::make_model("heavy_top", GetParam())),
        top_assembly(top_system, Formulation::kIndex2, false, dae::LinearSolverKind::kDense),
        top_positions(top_system, Formulation::kIndex3, false, dae::LinearSolverKind::kDense) {
    const auto rotation = lie::SO3<double>::exp(Vector3d(0.4, -1.1, 0.7));
    top_rotation = rotation.matrix();
    const auto q = rotation.coeffs();
    for (Assembly* assembly : {&top_assembly, &top_positions}) {
      assembly->set_configuration(
          std::vector<double>{q(0), q(1), q(2), q(3), top_x(0), top_x(1), top_x(2)});
      assembly->set_velocity(std::vector<double>{top_omega(0), top_omega(1), top_omega(2), top_u(0),
                                                 top_u(1), top_u(2)});
      assembly->set_acceleration(std::vector<double>{3, -2, 1, 0.5, 4, -6});
      for (int i = 0; i < 3; ++i)
        assembly->multipliers()[static_cast<std::size_t>(i)] = top_lambda(i);
    }
    top_by_hand = by_hand(GetParam().kind == lie::GroupKind::kSE3, top_rotation, top_x, top_omega,
                          top_u, top_lambda);
  }

  Eigen::MatrixXd block(Assembly& assembly, const dae::StepCoefficients& coefficients, int row,
                        int rows, int column, int columns) {
    assembly.coefficients() = coefficients;
    assembly.evaluate(true);
    Eigen::MatrixXd matrix(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) matrix(i, j) = assembly.entry(row + i, column + j);
    }
    return matrix;
  }

  static void expect_equal(const Eigen::MatrixXd& actual, const Eigen::MatrixXd& expected) {
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(),
              kTolerance * expected.cwiseAbs().maxCoeff())
        << actual << "\nby hand\n"
        << expected;
  }

  const Vector3d top_x{0.3, 1.2, -0.4}, top_omega{2, 150, -4.6}, top_u{7, -3, 11},
      top_lambda{40, -900, 250};
  dae::System top_system;
  Assembly top_assembly, top_positions;
  Matrix3d top_rotation;
  ByHand top_by_hand;
};

TEST_P(HeavyTopDerivatives, MassMatrixIsThatByHand) {
  expect_equal(block(top_assembly, {.c_a = 1}, 0, 6, 0, 6), top_by_hand.mass);
}
TEST_P(HeavyTopDerivatives, DampingMatrixIsThatByHand) {
  expect_equal(block(top_assembly, {.c_a = 0, .c_v = 1}, 0, 6, 0, 6), top_by_hand.damping);
}
TEST_P(HeavyTopDerivatives, StiffnessMatrixIsThatByHand) {
  expect_equal(block(top_assembly, {.c_a = 0, .k_q = 1}, 0, 6, 0, 6), top_by_hand.stiffness);
}
TEST_P(HeavyTopDerivatives, ConstraintGradientIsThatByHandInAllItsPlaces) {
  expect_equal(block(top_positions, {.c_a = 0}, 6, 3, 0, 6), top_by_hand.gradient);
  expect_equal(block(top_positions, {.c_a = 0}, 0, 6, 6, 3), top_by_hand.gradient.transpose());
  expect_equal(block(top_assembly, {.c_a = 0, .c_r = 1}, 6, 3, 0, 6), top_by_hand.gradient);
}
TEST_P(HeavyTopDerivatives, CurvatureOfTheConstraintsIsThatByHand) {
  expect_equal(block(top_assembly, {.c_a = 0, .k_r = 1}, 6, 3, 0, 6), top_by_hand.curvature);
}
TEST_P(HeavyTopDerivatives, TimeDerivativesOfTheConstraintsAreThoseByHand) {
  Eigen::VectorXd v(6), v_dot(6);
  v << top_omega, top_u;
  v_dot << 3, -2, 1, 0.5, 4, -6;
  std::vector<double> position(3), velocity(3), acceleration(3);
  top_positions.coefficients() = {};
  top_positions.constraint_values(position, velocity);
  top_positions.constraint_accelerations(acceleration);
  const Vector3d phi = Vector3d(0, 1, 0) - top_rotation.transpose() * top_x;
  const Vector3d rate = top_by_hand.gradient * v;
  const Vector3d second = top_by_hand.gradient * v_dot + top_by_hand.curvature * v;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_NEAR(position[k], phi(i), kTolerance * phi.norm());
    EXPECT_NEAR(velocity[k], rate(i), kTolerance * rate.norm());
    EXPECT_NEAR(acceleration[k], second(i), kTolerance * second.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, HeavyTopDerivatives,
                         ::testing::Values(lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()),
                         [](const auto& group) {
                           return group.param.kind == lie::GroupKind::kSE3 ? "SE3" : "SO3xR3";
                         });

}  // namespace
}  // namespace liegrad::testing
