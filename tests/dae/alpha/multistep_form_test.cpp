// The two-step form of generalized-α in linear spaces, [ArnoldBruels2007, Eqs. (14)–(19)]: with a_n eliminated, the
// positions, velocities and accelerations of a run satisfy it to rounding, constraints and all.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::dae {
namespace {

/// The coefficients after (16), and (19).
struct Multistep {
  std::array<double, 3> a, b, c;
  std::array<double, 2> u;
  std::array<double, 4> b_prime;

  explicit Multistep(const AlphaParameters& p) {
    const double m = p.alpha_m, f = p.alpha_f, beta = p.beta, gamma = p.gamma;
    a = {-m, -1 + 2 * m, 1 - m};
    u = {-m, -1 + m};
    b = {f * (0.5 - beta), (1 - f) * (0.5 - beta) + f * beta, (1 - f) * beta};
    c = {f * (1 - gamma), (1 - f) * (1 - gamma) + f * gamma, (1 - f) * gamma};
    const double first = 0.5 + beta - gamma, second = 0.5 - 2 * beta + gamma;
    b_prime = {f * first, (1 - f) * first + f * second, (1 - f) * second + f * beta,
               (1 - f) * beta};
  }
};

std::vector<State> states(const std::string& model, const AlphaParameters& parameters, double h,
                          int steps) {
  IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = h * steps;
  options.alpha.method.parameters = parameters;
  Solution solution = integrate(models::make_model(model), options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  return std::move(solution.samples);
}

/// The largest residuals of (14), (15) and (18) with its q' of (17), each over the largest of its terms.
struct Residuals {
  double positions = 0, velocities = 0, quotients = 0;
};

class Sum {
 public:
  void add(double term) {
    sum_ += term;
    largest_ = std::max(largest_, std::abs(term));
  }
  double relative() const { return largest_ == 0 ? 0 : std::abs(sum_) / largest_; }

 private:
  double sum_ = 0, largest_ = 0;
};

Residuals residuals(const std::vector<State>& run, const Multistep& form, double h) {
  Residuals largest;
  const auto keep = [](double& place, const Sum& sum) { place = std::max(place, sum.relative()); };
  for (std::size_t n = 2; n + 1 < run.size(); ++n) {
    for (std::size_t i = 0; i < run[n].v.size(); ++i) {
      Sum positions, velocities, quotients;
      for (std::size_t k = 0; k < 3; ++k) {
        const State& at = run[n + k - 1];
        positions.add(form.a[k] * at.q[i]);
        if (k < 2) positions.add(h * form.u[k] * at.v[i]);
        positions.add(-h * h * form.b[k] * at.v_dot[i]);
        velocities.add(form.a[k] * at.v[i]);
        velocities.add(-h * form.c[k] * at.v_dot[i]);
        // q' of (17) times h.
        quotients.add(form.a[k] * at.q[i]);
        quotients.add(-form.a[k] * run[n + k - 2].q[i]);
      }
      for (std::size_t k = 0; k < 4; ++k) {
        quotients.add(-h * h * form.b_prime[k] * run[n + k - 2].v_dot[i]);
      }
      keep(largest.positions, positions);
      keep(largest.velocities, velocities);
      keep(largest.quotients, quotients);
    }
  }
  return largest;
}

constexpr double kRounding = 1e-13;

TEST(MultistepForm, HoldsAlongRunsInLinearSpaces) {
  for (const auto& [model, h] : {std::pair("slider_crank", 1e-3), std::pair("andrews", 1e-5)}) {
    for (const double rho : {0.0, 0.7, 0.9, 1.0}) {
      const AlphaParameters parameters = AlphaParameters::from_spectral_radius(rho);
      const Residuals of_run =
          residuals(states(model, parameters, h, 100), Multistep(parameters), h);
      EXPECT_LE(of_run.positions, kRounding) << model << " " << rho;
      EXPECT_LE(of_run.velocities, kRounding) << model << " " << rho;
      EXPECT_LE(of_run.quotients, kRounding) << model << " " << rho;
    }
  }
}

TEST(MultistepForm, DoesNotHoldWithTheCoefficientsOfAnotherMethod) {
  const double h = 1e-3;
  const auto run = states("slider_crank", AlphaParameters::from_spectral_radius(0.7), h, 100);
  const Residuals wrong = residuals(run, Multistep(AlphaParameters::from_spectral_radius(0.8)), h);
  EXPECT_GE(wrong.positions, 1e-6);
  EXPECT_GE(wrong.velocities, 1e-6);
  EXPECT_GE(wrong.quotients, 1e-6);
}

TEST(MultistepForm, IsConsistentOfSecondOrder) {
  // The conditions of section 3.1 for (18), and Σ a_k = 0.
  for (const double rho : {0.0, 0.5, 0.9, 1.0}) {
    const Multistep form(AlphaParameters::from_spectral_radius(rho));
    EXPECT_NEAR(form.a[0] + form.a[1] + form.a[2], 0, 1e-15);
    for (const int j : {1, 2}) {
      double left = 0, right = 0;
      for (int k = 0; k < 3; ++k) {
        left +=
            form.a[static_cast<std::size_t>(k)] * (std::pow(k - 1, j + 1) - std::pow(k - 2, j + 1));
      }
      for (int k = 0; k < 4; ++k) {
        right += form.b_prime[static_cast<std::size_t>(k)] * std::pow(k - 2, j - 1);
      }
      EXPECT_NEAR(left / (j == 1 ? 2 : 6), right, 1e-15) << rho << " " << j;
    }
  }
}

}  // namespace
}  // namespace liegrad::dae
