// The iteration matrix of every formulation is the derivative of the step equations: those recorded
// from the same statements on CppAD scalars (support/taped_step.hpp), differentiated by CppAD's sweeps.

#include <gtest/gtest.h>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/alpha/alpha_kinematics.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "support/taped_step.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::Taped;

struct Case {
  lie::NodeGroup group;
  Formulation formulation;
  double sigma;
};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  std::string name = c.group.kind == lie::GroupKind::kSE3 ? "SE3" : "SO3xR3";
  name += c.formulation == Formulation::kIndex3   ? "Index3"
          : c.formulation == Formulation::kIndex2 ? "Index2"
                                                  : "Stabilized";
  return name + "Sigma" + std::to_string(static_cast<int>(std::lround(100 * c.sigma)));
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    for (const auto formulation :
         {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
      for (const double sigma : {0.0, 1.0, 0.67}) cases.push_back({group, formulation, sigma});
    }
  }
  return cases;
}

class IterationMatrix : public ::testing::TestWithParam<Case> {};

TEST_P(IterationMatrix, IsTheDerivativeOfTheStepEquations) {
  const auto [group, formulation, sigma] = GetParam();
  const bool stabilized = formulation == Formulation::kStabilized;
  const dae::System system = models::make_model("heavy_top", group);
  const double h = 2e-3;
  dae::AlphaMethod method{dae::AlphaParameters::from_spectral_radius(0.8), sigma};

  // A state with nothing zero, and unknowns off the solution.
  dae::MethodState state;
  const auto rotation = lie::SO3<double>::exp(lie::Vec<double, 3>(0.4, -1.1, 0.7)).coeffs();
  state.q = {rotation(0), rotation(1), rotation(2), rotation(3), 0.3, 1.2, -0.4};
  state.v = {2, 150, -4.6, 7, -3, 11};
  state.v_dot = {30, -2, 1000, 0.5, 40, -600};
  state.lambda = {40, -900, 250};
  const std::vector<double> a = {33, -1, 900, 0.7, 50, -500};
  std::vector<double> etas;
  if (stabilized) etas = {0.02, -0.05, 0.03};
  dae::begin_alpha(dae::State(state), stabilized, state);
  std::ranges::copy(a, dae::alpha_memory(state).a.begin());
  std::ranges::copy(etas, dae::alpha_memory(state).eta.begin());
  const std::vector<double> delta_q = {3, 149, -3, 8, -2, 10};

  dae::Assembly assembly(system, formulation, false, dae::LinearSolverKind::kDense);
  dae::AlphaKinematics kinematics(system.configuration_space(), method, stabilized);
  assembly.set_time(h);
  std::copy(state.lambda.begin(), state.lambda.end(), assembly.multipliers().begin());
  kinematics.begin(state, h, assembly);
  kinematics.guess_increment(delta_q);
  kinematics.evaluate(assembly, true);
  assembly.evaluate(true);
  const int n = assembly.size();
  Eigen::MatrixXd matrix(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrix(i, j) = assembly.entry(i, j);
  }

  // The same equations as a function of (Δq, hλ, η), on tape.
  std::vector<Taped> x(delta_q.begin(), delta_q.end());
  for (const double lambda : state.lambda) x.emplace_back(h * lambda);
  for (const double eta : etas) x.emplace_back(eta);
  CppAD::Independent(x);
  testing::TapedStep step;
  const auto taped = [](const std::vector<double>& values) {
    return std::vector<Taped>(values.begin(), values.end());
  };
  step.h = h;
  step.t_end = h;
  step.start = {taped(state.q), taped(state.v), taped(state.v_dot), taped(a)};
  step.parameters = taped(system.parameter_values());
  step.delta_q.assign(x.begin(), x.begin() + 6);
  for (int i = 6; i < 9; ++i) step.lambda.push_back(x[static_cast<std::size_t>(i)] / h);
  step.eta.assign(x.begin() + 9, x.end());
  dae::StepEnd<Taped> end;
  std::vector<Taped> y = step.residual(system, formulation, method, end);
  CppAD::ADFun<double> tape(x, y);
  std::vector<double> at(delta_q);
  for (const double lambda : state.lambda) at.push_back(h * lambda);
  at.insert(at.end(), etas.begin(), etas.end());
  const std::vector<double> value = tape.Forward(0, at);
  const std::vector<double> jacobian = tape.Jacobian(at);

  double scale = 0;
  for (const double entry : value) scale = std::max(scale, std::abs(entry));
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(assembly.residual()[static_cast<std::size_t>(i)],
                value[static_cast<std::size_t>(i)], 1e-12 * scale);
  }

  // Newton's unknowns are (w, hλ, η') instead of (Δq, hλ, η); the kinematics takes one to the other,
  // linearly: column by column.
  const auto increment_of = [&](int unknown) {
    dae::AlphaKinematics moved = kinematics;
    std::vector<double> w(6, 0.0), eta(stabilized ? 3 : 0, 0.0);
    if (unknown < 6) w[static_cast<std::size_t>(unknown)] = 1;
    if (unknown >= 9) eta[static_cast<std::size_t>(unknown - 9)] = 1;
    moved.correct(w, eta, 1.0);
    Eigen::VectorXd change = Eigen::VectorXd::Zero(n);
    const std::span<const double> now = moved.increment(), before = kinematics.increment();
    for (int i = 0; i < 6; ++i) {
      change(i) = now[static_cast<std::size_t>(i)] - before[static_cast<std::size_t>(i)];
    }
    if (unknown >= 6) change(unknown) = 1;
    return change;
  };
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
      derivative(jacobian.data(), n, n);
  for (int j = 0; j < n; ++j) {
    const Eigen::VectorXd expected = derivative * increment_of(j);
    EXPECT_LE((matrix.col(j) - expected).cwiseAbs().maxCoeff(),
              1e-12 * derivative.cwiseAbs().maxCoeff())
        << "column " << j << "\n"
        << matrix.col(j).transpose() << "\n"
        << expected.transpose();
  }
}

INSTANTIATE_TEST_SUITE_P(All, IterationMatrix, ::testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace liegrad::testing
