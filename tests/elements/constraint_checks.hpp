#pragma once

// What must hold for the constraints of any system, checked against differences of Φ alone:
//
//     gradient    B w = d/dε Φ(q∘exp(εw))
//     curvature   d²Φ/dt² along q∘exp(τv + τ²/2 v̇), which is the motion with v and v̇ to second order
//     forces      the derivative of the equations of motion, with Bᵀλ in them, by the configuration
//     zero work   (Bᵀλ)·v = λ·(Bv), zero for motions that the constraints allow at an instant
//     rate        dΦ/dt = Bv + ∂Φ/∂t: along a motion that satisfies a moving constraint the power of Bᵀλ
//                 is -λ·∂Φ/∂t
//     rank        rows of B are independent, and as many motions are free as expected

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <Eigen/SVD>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/system/system.hpp"
#include "support/derivative_along.hpp"

namespace liegrad::testing {

class ConstraintChecks {
 public:
  /// Random numbers come from the seed alone.
  explicit ConstraintChecks(const dae::System& system, unsigned seed = 1)
      : system_(system),
        assembly_(system, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kDense),
        generator_(seed) {}

  /// Time at which everything is evaluated, and controls, for constraints that depend on them.
  double time = 0.3;
  std::span<double> controls() { return assembly_.controls(); }

  /// All checks at random configurations that satisfy the constraints. `spread`: how far they are from
  /// the initial one, before they are moved to Φ = 0.
  void expect_all(int free_motions, int configurations = 3, double spread = 1) {
    for (int i = 0; i < configurations; ++i) {
      SCOPED_TRACE("random configuration " + std::to_string(i + 1));
      expect_all_at(consistent_configuration(spread), free_motions);
    }
  }
  void expect_all_at(const std::vector<double>& q, int free_motions) {
    EXPECT_LE(phi(q).cwiseAbs().maxCoeff(), 1e-12) << "not a consistent configuration";
    expect_gradient(q);
    expect_curvature(q);
    expect_force_derivative(q);
    expect_zero_work(q);
    expect_rank(q, free_motions);
  }

  void expect_gradient(const std::vector<double>& q) {
    const Eigen::VectorXd w = random(system_.dof());
    const Eigen::VectorXd expected =
        derivative([&](double epsilon) { return phi(moved(q, epsilon * w)); });
    expect_near(gradient(q) * w, expected, "B w");
  }

  void expect_curvature(const std::vector<double>& q) {
    const Eigen::VectorXd v = random(system_.dof()), v_dot = random(system_.dof());
    const auto along = [&](double tau) {
      return phi(moved(q, tau * v + 0.5 * tau * tau * v_dot), time + tau);
    };
    // An odd function of τ with this slope, so that one difference scheme serves for both derivatives.
    const Eigen::VectorXd expected = derivative([&](double tau) -> Eigen::VectorXd {
      return (along(tau) - 2 * along(0) + along(-tau)) / tau;
    });
    load(q, v, v_dot, Eigen::VectorXd::Zero(count()));
    std::vector<double> found(static_cast<std::size_t>(count()));
    assembly_.constraint_accelerations(found);
    expect_near(Eigen::Map<const Eigen::VectorXd>(found.data(), count()), expected, "d2Phi/dt2");
  }

  void expect_force_derivative(const std::vector<double>& q) {
    const int n = system_.dof();
    const Eigen::VectorXd v = random(n), v_dot = random(n), w = random(n);
    const Eigen::VectorXd lambda = random(count());
    const Eigen::VectorXd expected = derivative(
        [&](double epsilon) { return motion_rows(moved(q, epsilon * w), v, v_dot, lambda); });
    load(q, v, v_dot, lambda);
    assembly_.coefficients() = {.c_a = 0, .c_v = 0, .k_q = 1};
    assembly_.evaluate(true);
    expect_near(matrix(0, n) * w, expected, "derivative of the forces");
  }

  void expect_zero_work(const std::vector<double>& q) {
    const int n = system_.dof();
    const Eigen::VectorXd v = random(n), zero = Eigen::VectorXd::Zero(n);
    const Eigen::VectorXd lambda = random(count());
    const Eigen::MatrixXd b = gradient(q);
    const Eigen::VectorXd force =
        motion_rows(q, v, zero, lambda) - motion_rows(q, v, zero, Eigen::VectorXd::Zero(count()));
    const double scale = force.norm() * v.norm() + 1;
    EXPECT_NEAR(force.dot(v), lambda.dot(b * v), 1e-13 * scale) << "power of the constraint force";

    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(b, Eigen::ComputeFullV);
    const Eigen::MatrixXd free = svd.matrixV().rightCols(n - svd.rank());
    if (free.cols() > 0) {
      EXPECT_LE((free.transpose() * force).cwiseAbs().maxCoeff(), 1e-13 * scale)
          << "work along a free motion";
    }

    // Φ changes by Bv and by what depends on time, nothing else.
    load(q, v, zero, lambda);
    std::vector<double> position(static_cast<std::size_t>(count())), rate = position;
    assembly_.constraint_values(position, rate);
    const Eigen::VectorXd by_time = derivative([&](double tau) { return phi(q, time + tau); });
    expect_near(Eigen::Map<const Eigen::VectorXd>(rate.data(), count()), b * v + by_time,
                "dPhi/dt");
  }

  void expect_rank(const std::vector<double>& q, int free_motions) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(gradient(q));
    EXPECT_EQ(system_.dof() - count(), free_motions) << "number of constraints";
    EXPECT_GT(svd.singularValues()(count() - 1), 1e-3 * svd.singularValues()(0))
        << "rows of B that depend on each other, or nearly";
  }

  /// The initial configuration, displaced at random by up to `spread` in each coordinate and moved to
  /// Φ = 0 by least changes.
  std::vector<double> consistent_configuration(double spread = 1) {
    constexpr int kTries = 50, kIterations = 100;
    for (int i = 0; i < kTries; ++i) {
      std::vector<double> q =
          moved(system_.initial_configuration(), spread * random(system_.dof()));
      for (int k = 0; k < kIterations; ++k) {
        const Eigen::VectorXd error = phi(q);
        if (error.cwiseAbs().maxCoeff() < 1e-14) return q;
        Eigen::JacobiSVD<Eigen::MatrixXd> svd(gradient(q),
                                              Eigen::ComputeThinU | Eigen::ComputeThinV);
        Eigen::VectorXd step = -svd.solve(error);
        step *= std::min(1.0, 0.5 / step.cwiseAbs().maxCoeff());
        q = moved(q, step);
        if (k > kIterations / 2 && error.cwiseAbs().maxCoeff() < 1e-13) return q;
      }
    }
    ADD_FAILURE() << "no configuration found that satisfies the constraints";
    return system_.initial_configuration();
  }

  /// Φ(q, t).
  Eigen::VectorXd phi(const std::vector<double>& q) { return phi(q, time); }
  Eigen::VectorXd phi(const std::vector<double>& q, double t) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(system_.dof());
    load(q, zero, zero, Eigen::VectorXd::Zero(count()));
    assembly_.set_time(t);
    std::vector<double> position(static_cast<std::size_t>(count())), rate = position;
    assembly_.constraint_values(position, rate);
    return Eigen::Map<const Eigen::VectorXd>(position.data(), count());
  }
  /// B(q).
  Eigen::MatrixXd gradient(const std::vector<double>& q) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(system_.dof());
    load(q, zero, zero, Eigen::VectorXd::Zero(count()));
    assembly_.coefficients() = {};
    assembly_.evaluate(true);
    return matrix(assembly_.multiplier_offset(), count());
  }
  /// q∘exp(w).
  std::vector<double> moved(const std::vector<double>& q, const Eigen::VectorXd& w) const {
    std::vector<double> result(q.size());
    const std::span<const double> by(w.data(), static_cast<std::size_t>(w.size()));
    system_.configuration_space().plus<double>(q, by, result);
    return result;
  }
  Eigen::VectorXd random(int size) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Eigen::VectorXd result(size);
    for (double& x : result) x = uniform(generator_);
    return result;
  }

 private:
  int count() const { return system_.num_multipliers(); }

  void load(const std::vector<double>& q, const Eigen::VectorXd& v, const Eigen::VectorXd& v_dot,
            const Eigen::VectorXd& lambda) {
    assembly_.set_time(time);
    assembly_.set_configuration(q);
    assembly_.set_velocity({v.data(), static_cast<std::size_t>(v.size())});
    assembly_.set_acceleration({v_dot.data(), static_cast<std::size_t>(v_dot.size())});
    std::copy(lambda.begin(), lambda.end(), assembly_.multipliers().begin());
    assembly_.set_identity_maps();
  }
  /// M v̇ + g + Bᵀλ.
  Eigen::VectorXd motion_rows(const std::vector<double>& q, const Eigen::VectorXd& v,
                              const Eigen::VectorXd& v_dot, const Eigen::VectorXd& lambda) {
    load(q, v, v_dot, lambda);
    assembly_.evaluate(false);
    return Eigen::Map<const Eigen::VectorXd>(assembly_.residual().data(), system_.dof());
  }
  /// Some rows of the matrix of the last evaluation, columns of velocities.
  Eigen::MatrixXd matrix(int first_row, int rows) {
    Eigen::MatrixXd result(rows, system_.dof());
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < system_.dof(); ++j) result(i, j) = assembly_.entry(first_row + i, j);
    }
    return result;
  }
  template <class F>
  static Eigen::VectorXd derivative(F&& f) {
    return test::DerivativeAlong<double>::of(f).template cast<double>();
  }
  /// Extrapolated second differences of a smooth function of size one are good to about 1e-10.
  static void expect_near(const Eigen::VectorXd& found, const Eigen::VectorXd& expected,
                          const char* what) {
    const double scale = 1 + expected.cwiseAbs().maxCoeff();
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-8 * scale)
        << what << "\n"
        << found.transpose() << " instead of\n"
        << expected.transpose();
  }

  const dae::System& system_;
  dae::Assembly assembly_;
  std::mt19937 generator_;
};

}  // namespace liegrad::testing
