// The matrices that AD gives for the heavy top, against those derived by hand, which live here only:
// with y = Rᵀx, u_l = Rᵀu and w~ the skew matrix of w.

#include <gtest/gtest.h>

#include "heavy_top_runs.hpp"
#include "liegrad/dae/assembly.hpp"

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
    m.curvature << tilde(omega) * tilde(y) - tilde(r.transpose() * u),
        tilde(omega) * r.transpose();
  }
  return m;
}

class HeavyTopDerivatives : public ::testing::TestWithParam<lie::NodeGroup> {
 protected:
  HeavyTopDerivatives()
      : system_(models::make_model("heavy_top", GetParam())),
        assembly_(system_, Formulation::kIndex2, false, dae::LinearSolverKind::kDense),
        positions_(system_, Formulation::kIndex3, false, dae::LinearSolverKind::kDense) {
    const auto rotation = lie::SO3<double>::exp(Vector3d(0.4, -1.1, 0.7));
    rotation_ = rotation.matrix();
    const auto q = rotation.coeffs();
    for (Assembly* assembly : {&assembly_, &positions_}) {
      assembly->set_configuration(
          std::vector<double>{q(0), q(1), q(2), q(3), x_(0), x_(1), x_(2)});
      assembly->set_velocity(
          std::vector<double>{omega_(0), omega_(1), omega_(2), u_(0), u_(1), u_(2)});
      assembly->set_acceleration(std::vector<double>{3, -2, 1, 0.5, 4, -6});
      for (int i = 0; i < 3; ++i) assembly->multipliers()[static_cast<std::size_t>(i)] = lambda_(i);
    }
    by_hand_ = by_hand(GetParam().kind == lie::GroupKind::kSE3, rotation_, x_, omega_, u_, lambda_);
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
        << actual << "\nby hand\n" << expected;
  }

  const Vector3d x_{0.3, 1.2, -0.4}, omega_{2, 150, -4.6}, u_{7, -3, 11}, lambda_{40, -900, 250};
  dae::System system_;
  Assembly assembly_, positions_;
  Matrix3d rotation_;
  ByHand by_hand_;
};

TEST_P(HeavyTopDerivatives, MassMatrixIsThatByHand) {
  expect_equal(block(assembly_, {.c_a = 1}, 0, 6, 0, 6), by_hand_.mass);
}
TEST_P(HeavyTopDerivatives, DampingMatrixIsThatByHand) {
  expect_equal(block(assembly_, {.c_a = 0, .c_v = 1}, 0, 6, 0, 6), by_hand_.damping);
}
TEST_P(HeavyTopDerivatives, StiffnessMatrixIsThatByHand) {
  expect_equal(block(assembly_, {.c_a = 0, .k_q = 1}, 0, 6, 0, 6), by_hand_.stiffness);
}
TEST_P(HeavyTopDerivatives, ConstraintGradientIsThatByHandInAllItsPlaces) {
  expect_equal(block(positions_, {.c_a = 0}, 6, 3, 0, 6), by_hand_.gradient);
  expect_equal(block(positions_, {.c_a = 0}, 0, 6, 6, 3), by_hand_.gradient.transpose());
  expect_equal(block(assembly_, {.c_a = 0, .c_r = 1}, 6, 3, 0, 6), by_hand_.gradient);
}
TEST_P(HeavyTopDerivatives, CurvatureOfTheConstraintsIsThatByHand) {
  expect_equal(block(assembly_, {.c_a = 0, .k_r = 1}, 6, 3, 0, 6), by_hand_.curvature);
}
TEST_P(HeavyTopDerivatives, TimeDerivativesOfTheConstraintsAreThoseByHand) {
  Eigen::VectorXd v(6), v_dot(6);
  v << omega_, u_;
  v_dot << 3, -2, 1, 0.5, 4, -6;
  std::vector<double> position(3), velocity(3), acceleration(3);
  positions_.coefficients() = {};
  positions_.constraint_values(position, velocity);
  positions_.constraint_accelerations(acceleration);
  const Vector3d phi = Vector3d(0, 1, 0) - rotation_.transpose() * x_;
  const Vector3d rate = by_hand_.gradient * v;
  const Vector3d second = by_hand_.gradient * v_dot + by_hand_.curvature * v;
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
