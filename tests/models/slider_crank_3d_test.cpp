// The spatial slider–crank mechanism of [HolzingerArnoldGerstmayr2025, section 7.3] with the methods of that
// paper. It prints curves and numbers of iterations; the reference here is the same mechanism in the crank
// angle alone, by extrapolation in extended precision, which agrees to 4e-5 over 5 s with a solution of the
// IFToMM library, and to 7e-12 with a run of order eight in absolute coordinates. Since initial values are a
// function of angle and rate, two numbers at any time give all coordinates, velocities and multipliers there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/alpha/alpha_kinematics.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;

struct Reference {
  double t, theta, theta_rate, s, s_rate;
};
constexpr Reference kAtOne = {1, 10.913590729864668, 10.427593000412048, 0.21172166139344378,
                              -0.50349186492501003};
constexpr Reference kAtTwo = {2, 21.072744522776481, 22.584240027832517, 0.28908519706714182,
                              0.21653942345343161};
constexpr Reference kAtFive = {5, 54.333332168313162, 11.494996265042088, 0.24071957372961548,
                               -0.59598441204493596};

const lie::NodeGroup kGroups[] = {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()};
const char* name_of(const lie::NodeGroup& group) {
  return group.kind == lie::GroupKind::kSE3 ? "SE(3)" : "SO(3)×R³";
}
constexpr Formulation kFormulations[] = {Formulation::kIndex3, Formulation::kIndex2,
                                         Formulation::kStabilized};
const char* name_of(Formulation formulation) {
  return formulation == Formulation::kIndex3   ? "index 3"
         : formulation == Formulation::kIndex2 ? "index 2"
                                               : "stabilised";
}

dae::System mechanism(const lie::NodeGroup& group = kGroups[0]) {
  return models::make_model("slider_crank_3d", group);
}

/// ρ∞ as in the paper.
dae::IntegrateOptions with_step(double h, double t_end, Formulation formulation, double sigma = 0) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  options.keep_samples = false;
  options.alpha.formulation = formulation;
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.875);
  options.alpha.method.sigma = sigma;
  return options;
}
const double kOptimalSigma = dae::AlphaParameters::from_spectral_radius(0.875).optimal_sigma();

dae::State run(const dae::System& system, const dae::IntegrateOptions& options) {
  const dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  EXPECT_EQ(solution.summary.failed_attempts, 0);
  return solution.final;
}

/// The reference in all variables.
dae::State state_at(const Reference& reference, const lie::NodeGroup& group) {
  dae::System system = mechanism(group);
  system.set_parameter("crank.theta0", reference.theta);
  system.set_parameter("crank.omega0", reference.theta_rate);
  return dae::Consistency(system, {}, dae::LinearSolverKind::kAutomatic).initial_state(0, {});
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

struct Errors {
  double q, v, lambda;
};
Errors errors(const dae::State& state, const dae::State& reference) {
  // The two quaternions of a rotation.
  std::vector<double> q = state.q;
  for (std::size_t body = 0; body < 3; ++body) {
    double product = 0;
    for (std::size_t i = 0; i < 4; ++i) product += q[7 * body + i] * reference.q[7 * body + i];
    for (std::size_t i = 0; i < 4; ++i) q[7 * body + i] *= product < 0 ? -1 : 1;
  }
  return {largest_difference(q, reference.q), largest_difference(state.v, reference.v),
          largest_difference(state.lambda, reference.lambda)};
}

class Observer {
 public:
  explicit Observer(const dae::System& system) : outputs_(system) {}
  double operator()(const dae::State& state, const std::string& column) {
    std::vector<double> out(static_cast<std::size_t>(outputs_.size()));
    outputs_.evaluate(state, {}, out);
    return out[static_cast<std::size_t>(outputs_.column(column))];
  }

 private:
  dae::Outputs outputs_;
};

TEST(SliderCrank3d, StartsAsDefinedInBothGroups) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = mechanism(group);
    // One degree of freedom, and no constraint depends on the others: initial_state() would say so. The
    // coordinate that counts the crank's turns has a constraint of its own.
    EXPECT_EQ(system.dof(), 18 + 1);
    EXPECT_EQ(system.num_multipliers(), 17 + 1);
    dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
    const dae::State state = consistency.initial_state(0, {});
    EXPECT_TRUE(consistency.report().redundant_constraints.empty());
    Observer at(system);
    EXPECT_LE(at(state, "residual.position"), 1e-16);
    EXPECT_LE(at(state, "residual.velocity"), 1e-15);
    EXPECT_EQ(at(state, "crank.theta"), 0);
    EXPECT_NEAR(at(state, "slider.s"), 0.2, 1e-16);
    EXPECT_NEAR(at(state, "slider.u.1"), 0.24, 1e-15);
    const double centre[] = {0.1, 0.05, 0.1}, velocity[] = {0.12, -0.24, 0};
    // ω = (1.92, -0.96, 0.48) along d = (2, -1, -2)/3, n = (0, 2, -1)/√5 and d×n = (5, 2, 4)/(3√5).
    const double omega[] = {1.28, -2.4 / std::sqrt(5), 9.6 / (3 * std::sqrt(5))};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string component = "." + std::to_string(i + 1);
      EXPECT_NEAR(at(state, "rod.x" + component), centre[i], 1e-16);
      EXPECT_NEAR(at(state, "rod.u" + component), velocity[i], 1e-15);
      EXPECT_NEAR(at(state, "rod.omega" + component), omega[i], 1e-14);
    }
    EXPECT_NEAR(at(state, "energy"), 0.76643568, 1e-15);
    EXPECT_NEAR(state.v_dot[0], -25.684190588931637, 1e-12);
    // Forces and torques of the joints at A, B and C, from the equations of the bodies in other coordinates.
    const double multipliers[] = {
        0.9284228469961522,  0.02953681917727151,  2.074972613199172,    0,
        0.07427382775969217,  // A
        0.9284228469961522,  -0.09374729564960033, 1.0705726131991722,   -0.8252647528854686,
        0.6074311074282329,  3.1144273868008283,   0.0028580673105977404};
    for (std::size_t i = 0; i < std::size(multipliers); ++i) {
      EXPECT_NEAR(state.lambda[i], multipliers[i], 1e-14) << i;
    }
    // The coordinate without mass transmits nothing.
    EXPECT_NEAR(state.lambda[17], 0, 1e-15);
  }
}

TEST(SliderCrank3d, KeepsItsInitialValuesConsistentWhenGeometryChanges) {
  for (const lie::NodeGroup& group : kGroups) {
    dae::System system = mechanism(group);
    for (const auto& [parameter, value] :
         {std::pair("crank.theta0", 2.5), std::pair("crank.omega0", -3.0), std::pair("A.X1", 0.07),
          std::pair("A.X2", -0.05), std::pair("crank.A.X3", -0.03), std::pair("crank.B.X3", 0.06),
          std::pair("rod.B.X1", -0.2), std::pair("rod.C.X1", 0.1)}) {
      system.set_parameter(parameter, value);
    }
    dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
    const dae::State state = consistency.initial_state(0, {});
    Observer at(system);
    EXPECT_LE(at(state, "residual.position"), 1e-15);
    EXPECT_LE(at(state, "residual.velocity"), 1e-14);
    EXPECT_EQ(at(state, "crank.theta"), 2.5);
  }
}

TEST(SliderCrank3d, IsOfSecondOrderInAllVariables) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = mechanism(group);
    const dae::State reference = state_at(kAtOne, group);
    Observer at(system);
    EXPECT_NEAR(at(reference, "slider.s"), kAtOne.s, 1e-14);
    EXPECT_NEAR(at(reference, "slider.u.1"), kAtOne.s_rate, 1e-13);
    for (const Formulation formulation : kFormulations) {
      SCOPED_TRACE(std::string(name_of(group)) + ", " + name_of(formulation));
      std::vector<Errors> list;
      std::vector<double> angles;
      for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
        const dae::State end = run(system, with_step(h, 1, formulation));
        list.push_back(errors(end, reference));
        angles.push_back(at(end, "crank.theta"));
      }
      for (std::size_t k = 1; k < list.size(); ++k) {
        EXPECT_NEAR(std::log2(list[k - 1].q / list[k].q), 2, 0.05);
        EXPECT_NEAR(std::log2(list[k - 1].v / list[k].v), 2, 0.05);
        EXPECT_NEAR(std::log2(list[k - 1].lambda / list[k].lambda), 2, 0.05);
      }
      std::printf(
          "%s, %s: errors with h = 2.5e-4 of q %.2e, v %.2e, λ %.2e; orders %.3f %.3f %.3f\n",
          name_of(group), name_of(formulation), list[3].q, list[3].v, list[3].lambda,
          std::log2(list[2].q / list[3].q), std::log2(list[2].v / list[3].v),
          std::log2(list[2].lambda / list[3].lambda));
      EXPECT_NEAR(angles[3] + (angles[3] - angles[2]) / 3, kAtOne.theta, 1e-7);
    }
  }
}

TEST(SliderCrank3d, CountsTheTurnsOfTheCrank) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = mechanism(group);
    Observer at(system);
    const dae::State end = run(system, with_step(1e-3, 5, Formulation::kStabilized));
    const double theta = at(end, "crank.theta");
    EXPECT_NEAR(theta, kAtFive.theta, 4e-3);
    EXPECT_NEAR(at(end, "slider.s"), kAtFive.s, 2e-4);
    EXPECT_NEAR(at(end, "slider.u.1"), kAtFive.s_rate, 4e-4);
    // Eight turns, and what the pose says of the ninth.
    const double in_turn = 2 * std::atan2(at(end, "crank.q.2"), at(end, "crank.q.1"));
    EXPECT_NEAR(std::remainder(theta - in_turn, 2 * std::numbers::pi), 0, 1e-13);
    EXPECT_NEAR(at(end, "energy"), 0.76643568, 1e-4);
  }
}

TEST(SliderCrank3d, KeepsTheConstraintsOfItsFormulationAtRoundingLevel) {
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = mechanism(group);
    for (const double sigma : {0.0, 1.0}) {
      for (const Formulation formulation : kFormulations) {
        SCOPED_TRACE(name_of(formulation));
        double drift[2] = {0, 0};
        for (const int fine : {0, 1}) {
          const double h = fine == 1 ? 1e-3 : 2e-3;
          const dae::IntegrateSummary summary =
              dae::integrate(system, with_step(h, 1, formulation, sigma)).summary;
          const bool position = formulation != Formulation::kIndex2;
          const bool velocity = formulation != Formulation::kIndex3;
          // Distances are below one, and velocities of the joints below ten.
          EXPECT_LE(position ? summary.max_position_residual : 0, 1e-12);
          EXPECT_LE(velocity ? summary.max_velocity_residual : 0, 1e-10);
          if (!position) drift[fine] = summary.max_position_residual;
          if (!velocity) drift[fine] = summary.max_velocity_residual;
        }
        // The derivative of what is kept, or its integral, is off by O(h²).
        if (formulation == Formulation::kStabilized) continue;
        EXPECT_GE(drift[1], 1e-6);
        EXPECT_NEAR(std::log2(drift[0] / drift[1]), 2, 0.2);
      }
    }
  }
}

TEST(SliderCrank3d, IsMoreAccurateWithTheModifiedMethods) {
  // Figure 10: position and velocity of the slider at t = 2.
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = mechanism(group);
    Observer at(system);
    for (const Formulation formulation : {Formulation::kIndex3, Formulation::kIndex2}) {
      for (const double h : {2e-3, 1e-3}) {
        std::vector<double> position, velocity;
        for (const double sigma : {0.0, 1.0, kOptimalSigma}) {
          const dae::State end = run(system, with_step(h, 2, formulation, sigma));
          position.push_back(std::abs(at(end, "slider.s") - kAtTwo.s));
          velocity.push_back(std::abs(at(end, "slider.u.1") - kAtTwo.s_rate));
        }
        std::printf(
            "%s, %s, h = %.1e: errors of s %.2e, of s' %.2e; with σ = 1 times %.2f and %.2f; with "
            "σ = γ/(3β) times %.2f and %.2f\n",
            name_of(group), name_of(formulation), h, position[0], velocity[0],
            position[1] / position[0], velocity[1] / velocity[0], position[2] / position[0],
            velocity[2] / velocity[0]);
        for (std::size_t i = 1; i < 3; ++i) {
          EXPECT_LE(position[i], 0.93 * position[0]);
          EXPECT_LE(velocity[i], 0.93 * velocity[0]);
        }
      }
    }
  }
}

TEST(SliderCrank3d, IsAsAccurateWithoutSigmaWhenStabilised) {
  // The paper shows index 3 and index 2 only. Stabilised, s and s' at t = 2 do not depend on σ to speak of, on
  // either group, and are more accurate than with any σ in the other formulations.
  for (const lie::NodeGroup& group : kGroups) {
    const dae::System system = mechanism(group);
    Observer at(system);
    for (const double h : {2e-3, 1e-3}) {
      const auto error = [&](double sigma) {
        const dae::State end = run(system, with_step(h, 2, Formulation::kStabilized, sigma));
        return std::pair(std::abs(at(end, "slider.s") - kAtTwo.s),
                         std::abs(at(end, "slider.u.1") - kAtTwo.s_rate));
      };
      const auto plain = error(0);
      for (const double sigma : {1.0, kOptimalSigma}) {
        const auto modified = error(sigma);
        EXPECT_NEAR(modified.first / plain.first, 1, 0.02);
        EXPECT_NEAR(modified.second / plain.second, 1, 0.02);
      }
      std::printf("%s, h = %.0e: errors of s %.2e and of s' %.2e\n", name_of(group), h, plain.first,
                  plain.second);
    }
  }
}

TEST(SliderCrank3d, DeviatesFromTheLibraryAsThePaperSays) {
  // "The absolute deviation of s at t = 5 s is approximately 8.6e-3 m" from a solution of the IFToMM library
  // (Figure 9), with σ = 1 in index 3. That solution has rows every 4 ms up to t = 5.004. Its last row less the
  // position at t = 5 is the number of the paper; at equal times it differs by 1.1e-2.
  constexpr double kLibraryAtFive = 0.2517906, kLibraryInTheLastRow = 0.2493498;
  const dae::System system = mechanism();
  Observer at(system);
  const dae::State end = run(system, with_step(5e-4, 5, Formulation::kIndex3, 1));
  const double s = at(end, "slider.s");
  EXPECT_NEAR(s, kAtFive.s, 1e-4);
  EXPECT_NEAR(kLibraryInTheLastRow - kAtFive.s, 8.6e-3, 0.05e-3);
  EXPECT_NEAR(kLibraryInTheLastRow - s, 8.6e-3, 0.1e-3);
  EXPECT_NEAR(kLibraryAtFive - kAtFive.s, 1.107e-2, 0.001e-2);
}

/// Newton's iteration of [HolzingerArnoldGerstmayr2025] and of its program, Exudyn: from zero accelerations and
/// multipliers, until the norm of equations of motion and constraints is 1e-9 of that at the start, or 1e-10.
class PaperNewton {
 public:
  /// In index 2 the program's matrix has no curvature, the derivative Z of B(q)v by q.
  PaperNewton(const dae::System& system, const dae::IntegrateOptions& options, bool with_curvature)
      : h_(options.step),
        with_curvature_(with_curvature),
        assembly_(system, options.alpha.formulation, false, dae::LinearSolverKind::kDense),
        kinematics_(system.configuration_space(), options.alpha.method, false),
        zero_(static_cast<std::size_t>(system.dof()), 0.0) {}

  int iterations(const dae::State& start) {
    begin(start);
    double first = 0;
    for (int count = 0; count < 20; ++count) {
      kinematics_.evaluate(assembly_, true);
      assembly_.evaluate(true);
      const double norm = residual_norm();
      if (count == 0) first = norm;
      if (is_converged(norm, first)) return count;
      EXPECT_TRUE(assembly_.matrix().factorize());
      correct();
    }
    return 20;
  }

  /// The same with a matrix that is kept over steps, and made anew where residuals shrink by less than ½ or eight
  /// iterations of a step were not enough. The paper does not say how many; eight are usual in its program.
  int modified_iterations(const dae::State& start) {
    begin(start);
    double first = 0, previous = 0;
    for (int count = 0; count < 50; ++count) {
      kinematics_.evaluate(assembly_, true);
      assembly_.evaluate(false);
      const double norm = residual_norm();
      if (count == 0) first = norm;
      if (is_converged(norm, first)) return count;
      if (matrices_ == 0 || (count > 0 && norm > 0.5 * previous) || count == kMostWithOneMatrix) {
        assembly_.evaluate(true);
        EXPECT_TRUE(assembly_.matrix().factorize());
        matrices_ += 1;
      }
      previous = norm;
      correct();
    }
    return 50;
  }
  int matrices() const { return matrices_; }

 private:
  static constexpr int kMostWithOneMatrix = 8;

  void begin(const dae::State& initial) {
    dae::begin_alpha(initial, false, start_);
    kinematics_.begin(start_, h_, assembly_);
    if (!with_curvature_) assembly_.coefficients().k_r = 0;
    kinematics_.guess_acceleration(zero_);
    std::fill(assembly_.multipliers().begin(), assembly_.multipliers().end(), 0.0);
  }
  static bool is_converged(double norm, double first) {
    return norm <= std::max(1e-10, 1e-9 * first);
  }
  std::size_t num_velocities() const { return zero_.size(); }

  /// Equations of motion stand there times h, Φ divided by h, and dΦ/dt as it is.
  double residual_norm() const {
    const double of_constraints = assembly_.formulation() == Formulation::kIndex3 ? h_ : 1;
    double square = 0;
    for (std::size_t i = 0; i < assembly_.residual().size(); ++i) {
      const double scale = i < num_velocities() ? 1 / h_ : of_constraints;
      square += std::pow(assembly_.residual()[i] * scale, 2);
    }
    return std::sqrt(square);
  }

  void correct() {
    std::vector<double> correction(assembly_.residual().begin(), assembly_.residual().end());
    for (double& entry : correction) entry = -entry;
    assembly_.matrix().solve(correction);
    kinematics_.correct(std::span(correction).first(num_velocities()), {}, 1);
    for (std::size_t i = 0; i < assembly_.multipliers().size(); ++i) {
      assembly_.multipliers()[i] += correction[num_velocities() + i] / h_;
    }
  }

  double h_;
  bool with_curvature_;
  dae::Assembly assembly_;
  dae::AlphaKinematics kinematics_;
  dae::MethodState start_;
  std::vector<double> zero_;
  int matrices_ = 0;
};

TEST(SliderCrank3d, NeedsTheModifiedIterationsOfThePaperUnderItsConditions) {
  // 7.2 iterations a step and 170 matrices for the whole run, in index 2 and 3, with σ and without; steps and length
  // of the run are not given.
  const dae::System system = mechanism();
  std::vector<double> means;
  for (const double sigma : {0.0, 1.0}) {
    for (const Formulation formulation : {Formulation::kIndex3, Formulation::kIndex2}) {
      dae::IntegrateOptions options = with_step(1e-3, 2, formulation, sigma);
      PaperNewton modified(system, options, false);
      double counted = 0, steps = 0;
      options.on_step = [&](const dae::State& state) {
        counted += modified.modified_iterations(state);
        steps += 1;
        return true;
      };
      run(system, options);
      means.push_back(counted / steps);
      std::printf("%s, σ = %.0f: %.2f iterations, %d matrices for %.0f steps\n",
                  name_of(formulation), sigma, counted / steps, modified.matrices(), steps);
      EXPECT_NEAR(counted / steps, 7, 0.5);
      EXPECT_NEAR(modified.matrices(), 240, 60);
    }
  }
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  EXPECT_LE(*most - *least, 0.1);
}

TEST(SliderCrank3d, NeedsTheIterationsOfThePaperUnderItsConditions) {
  // 2.0 iterations a step in index 3 and 2.5 in index 2, the same for all σ. The paper does not say with which
  // steps. In index 3 they do not matter; in index 2 there are 2.5 with one between 5e-4 and 1e-3, because of the
  // curvature that the matrix lacks: with all of the matrix 2.0 are enough.
  const dae::System system = mechanism();
  for (const double sigma : {0.0, 1.0, kOptimalSigma}) {
    for (const Formulation formulation : {Formulation::kIndex3, Formulation::kIndex2}) {
      for (const double h : {2e-3, 1e-3, 5e-4}) {
        dae::IntegrateOptions options = with_step(h, 2, formulation, sigma);
        PaperNewton incomplete(system, options, false), complete(system, options, true);
        double counted = 0, counted_complete = 0, steps = 0;
        options.on_step = [&](const dae::State& state) {
          counted += incomplete.iterations(state);
          counted_complete += complete.iterations(state);
          steps += 1;
          return true;
        };
        run(system, options);
        std::printf(
            "%s, σ = %.2f, h = %.1e: %.3f iterations as in the paper, %.3f with all of the "
            "matrix\n",
            name_of(formulation), sigma, h, counted / steps, counted_complete / steps);
        EXPECT_NEAR(counted_complete / steps, 2.0, 0.05);
        if (formulation == Formulation::kIndex3) {
          EXPECT_NEAR(counted / steps, 2.0, 0.05);
        } else if (h >= 1e-3) {
          EXPECT_GT(counted / steps, 2.5);
        } else {
          EXPECT_LT(counted / steps, 2.5);
        }
      }
    }
  }
}

TEST(SliderCrank3d, NeedsFewerIterationsThanThePaper) {
  // From extrapolated accelerations and multipliers the second iteration can mostly be left out.
  const dae::System system = mechanism();
  for (const Formulation formulation : {Formulation::kIndex3, Formulation::kIndex2}) {
    for (const double sigma : {0.0, 1.0}) {
      for (const double h : {2e-3, 1e-3}) {
        const auto mean = [&](dae::FirstGuess guess, bool stop_by_residual) {
          dae::IntegrateOptions options = with_step(h, 1, formulation, sigma);
          options.alpha.guess = guess;
          if (stop_by_residual) options.alpha.newton.residual_tolerance = 1e-9;
          const dae::IntegrateSummary summary = dae::integrate(system, options).summary;
          return static_cast<double>(summary.newton_iterations) /
                 static_cast<double>(summary.steps);
        };
        const double usual = mean(dae::FirstGuess::kExtrapolated, false);
        const double constant = mean(dae::FirstGuess::kConstantA, false);
        const double as_printed = mean(dae::FirstGuess::kZeroMultiplier, true);
        std::printf("%s, σ = %g, h = %.1e: %.2f iterations; %.2f from constant a; %.2f from zero\n",
                    name_of(formulation), sigma, h, usual, constant, as_printed);
        EXPECT_NEAR(as_printed, 2.05, 0.1);
        EXPECT_LE(constant, 2.1);
        EXPECT_LE(usual, constant);
        EXPECT_LE(usual, h > 1e-3 ? 2 : sigma == 0 ? 1.4 : 1.8);
      }
    }
  }
}

TEST(SliderCrank3d, DoesNotDependOnTheLinearSolver) {
  // A coordinate without mass has a pivot that is zero, or rounding.
  const dae::System system = mechanism();
  for (const Formulation formulation : kFormulations) {
    std::vector<dae::State> ends;
    for (const auto solver : {dae::LinearSolverKind::kDense, dae::LinearSolverKind::kSparse,
                              dae::LinearSolverKind::kMinimumNorm}) {
      dae::IntegrateOptions options = with_step(1e-3, 1, formulation);
      options.alpha.solver = solver;
      ends.push_back(run(system, options));
    }
    for (std::size_t i = 1; i < ends.size(); ++i) {
      EXPECT_LE(largest_difference(ends[0].q, ends[i].q), 1e-8);
      EXPECT_LE(largest_difference(ends[0].v, ends[i].v), 1e-7);
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
