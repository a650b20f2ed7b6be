#pragma once

// What must hold for force elements, at random configurations and velocities of a system that has nothing
// else, so that the rows of the equations of motion are the forces with a minus:
//
//     potential    forces at rest are minus the gradient of the potential energy, along q∘exp(εw)
//     third law    forces do no work on a rigid motion of everything: total force and total torque vanish
//     power        -residual·v, of dampers minus the sum of their d ẋ², with ẋ by differences of x
//     wrench       total force and torque, by their power on rigid motions of everything

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "poses.hpp"
#include "support/derivative_along.hpp"

namespace liegrad::testing {

class ForceChecks {
 public:
  explicit ForceChecks(const dae::System& system, unsigned seed = 1)
      : system_(system),
        assembly_(system, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kDense),
        generator_(seed) {}

  std::span<double> controls() { return assembly_.controls(); }

  /// The initial configuration, displaced at random.
  std::vector<double> random_configuration(double spread = 0.7) {
    return moved(system_.initial_configuration(), spread * random(system_.dof()));
  }
  Eigen::VectorXd random(int size) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Eigen::VectorXd result(size);
    for (double& x : result) x = uniform(generator_);
    return result;
  }

  /// g(q, v, t): forces with a minus.
  Eigen::VectorXd rows(const std::vector<double>& q, const Eigen::VectorXd& v, double t = 0) {
    load(q, v, t);
    assembly_.evaluate(false);
    return Eigen::Map<const Eigen::VectorXd>(assembly_.residual().data(), system_.dof());
  }
  double potential(const std::vector<double>& q) {
    load(q, Eigen::VectorXd::Zero(system_.dof()), 0);
    std::vector<double> outputs(static_cast<std::size_t>(system_.num_element_outputs()));
    return assembly_.observe(outputs).potential;
  }
  /// How much power the forces supply.
  double power(const std::vector<double>& q, const Eigen::VectorXd& v) {
    return -rows(q, v).dot(v);
  }

  /// The pose of a rigid body; of a point, which does not turn; of the ground.
  Pose pose(const std::vector<double>& q, const std::string& node) const {
    if (node == "ground") return Pose::identity();
    const lie::GroupList& space = system_.configuration_space();
    const int i = system_.node_index(node);
    const double* const at = q.data() + space.coeff_offset(i);
    if (space.group(i) == lie::NodeGroup::rn(3)) {
      return Pose(Rotation::identity(), Eigen::Map<const Vec3>(at));
    }
    return Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(at));
  }
  /// What the element outputs of the system are.
  std::vector<double> outputs(const std::vector<double>& q, const Eigen::VectorXd& v) {
    load(q, v, 0);
    std::vector<double> outputs(static_cast<std::size_t>(system_.num_element_outputs()));
    assembly_.observe(outputs);
    return outputs;
  }
  /// The total of the forces: torque about the origin, then force, both inertial.
  lie::Vec<double, 6> wrench(const std::vector<double>& q, const Eigen::VectorXd& rows) const {
    lie::Vec<double, 6> total;
    for (int i = 0; i < 3; ++i) {
      total(i) = -rows.dot(rigid_motion(q, Vec3::Unit(i), Vec3::Zero()));
      total(3 + i) = -rows.dot(rigid_motion(q, Vec3::Zero(), Vec3::Unit(i)));
    }
    return total;
  }

  void expect_gradient_of_potential(int configurations = 4) {
    for (int i = 0; i < configurations; ++i) {
      const std::vector<double> q = random_configuration();
      const Eigen::VectorXd w = random(system_.dof());
      const auto slope = test::DerivativeAlong<double>::of([&](double epsilon) {
        return Eigen::VectorXd::Constant(1, potential(moved(q, epsilon * w)));
      });
      const Eigen::VectorXd g = rows(q, Eigen::VectorXd::Zero(system_.dof()));
      EXPECT_GT(g.norm(), 1e-3);
      EXPECT_NEAR(g.dot(w), static_cast<double>(slope(0, 0)), 1e-9 * (1 + g.norm()));
    }
  }
  /// Also for moving bodies.
  void expect_third_law(bool torques = true, int configurations = 4) {
    for (int i = 0; i < configurations; ++i) {
      const std::vector<double> q = random_configuration();
      const Eigen::VectorXd g = rows(q, random(system_.dof()));
      const Eigen::Vector3d u = random(3), omega = torques ? random(3) : Eigen::Vector3d::Zero();
      EXPECT_NEAR(g.dot(rigid_motion(q, omega, u)), 0, 1e-13 * (1 + g.norm()));
    }
  }
  /// Dampers of a deflection, a function x(q), take the power Σ d_i ẋ_i² and no other.
  template <class F>
  void expect_power_of_dampers(const Eigen::VectorXd& d, F&& deflection, int motions = 4) {
    for (int i = 0; i < motions; ++i) {
      const std::vector<double> q = random_configuration();
      const Eigen::VectorXd v = 3 * random(system_.dof());
      const Eigen::VectorXd rate =
          test::DerivativeAlong<double>::of([&](double tau) -> Eigen::VectorXd {
            return deflection(*this, moved(q, tau * v));
          }).template cast<double>();
      const double taken = d.dot(rate.cwiseAbs2());
      EXPECT_GT(taken, 1e-2);
      EXPECT_NEAR(power(q, v), -taken, 1e-9 * (1 + taken));
    }
  }
  /// Dampers, friction and drag take power from any motion.
  void expect_no_power_supplied(double largest_speed = 3, int motions = 100) {
    for (int i = 0; i < motions; ++i) {
      const Eigen::VectorXd v = largest_speed * random(system_.dof());
      EXPECT_LT(power(random_configuration(), v), 0);
    }
  }

  /// The velocities of all nodes that turn with ω about the origin and move with u, both inertial.
  Eigen::VectorXd rigid_motion(const std::vector<double>& q, const Eigen::Vector3d& omega,
                               const Eigen::Vector3d& u) const {
    const lie::GroupList& space = system_.configuration_space();
    Eigen::VectorXd v(system_.dof());
    for (int i = 0; i < space.size(); ++i) {
      const lie::NodeGroup& group = space.group(i);
      const double* const at = q.data() + space.coeff_offset(i);
      const int first = space.dof_offset(i);
      if (group == dae::ground_group()) continue;
      if (group == lie::NodeGroup::rn(3)) {
        v.segment<3>(first) = u + omega.cross(Eigen::Map<const Eigen::Vector3d>(at));
        continue;
      }
      const Eigen::Matrix3d r =
          lie::SO3<double>::from_coeffs(Eigen::Map<const Eigen::Vector4d>(at)).matrix();
      const Eigen::Vector3d velocity = u + omega.cross(Eigen::Map<const Eigen::Vector3d>(at + 4));
      v.segment<3>(first) = r.transpose() * omega;
      v.segment<3>(first + 3) =
          group.kind == lie::GroupKind::kSE3 ? Eigen::Vector3d(r.transpose() * velocity) : velocity;
    }
    return v;
  }

 private:
  std::vector<double> moved(const std::vector<double>& q, const Eigen::VectorXd& w) const {
    std::vector<double> result(q.size());
    const std::span<const double> by(w.data(), static_cast<std::size_t>(w.size()));
    system_.configuration_space().plus<double>(q, by, result);
    return result;
  }
  void load(const std::vector<double>& q, const Eigen::VectorXd& v, double t) {
    assembly_.set_time(t);
    assembly_.set_configuration(q);
    assembly_.set_velocity({v.data(), static_cast<std::size_t>(v.size())});
    assembly_.set_identity_maps();
  }

  const dae::System& system_;
  dae::Assembly assembly_;
  std::mt19937 generator_;
};

}  // namespace liegrad::testing
