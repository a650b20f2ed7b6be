// The step equations at points that do not satisfy them: against the taped step, differences and each other.

#include "liegrad/sensitivity/step/step_equations.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../support/allocations.hpp"
#include "liegrad/dae/equations/taped_step.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::AlphaMethod;
using dae::AlphaParameters;
using dae::Formulation;
using dae::index;

std::mt19937 generator(7);
double random_number(double size) {
  return std::uniform_real_distribution<double>(-size, size)(generator);
}
std::vector<double> random_numbers(int count, double size) {
  std::vector<double> list(index(count));
  for (double& x : list) x = random_number(size);
  return list;
}

struct Case {
  std::string model;
  models::Structure structure;
  Formulation formulation;
  AlphaMethod method;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const AlphaParameters p = AlphaParameters::from_spectral_radius(0.7);
  const std::vector<std::pair<std::string, models::Structure>> models = {
      {"heavy_top", {}},
      {"heavy_top", {.body_group = lie::NodeGroup::se3()}},
      {"slider_crank", {}},
      {"slider_crank", {.planar_group = lie::NodeGroup::se2()}},
      {"torsional_ball", {}}};
  for (const auto& [model, structure] : models) {
    for (const Formulation formulation :
         {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
      for (const double sigma : {0.0, 1.0, p.optimal_sigma()}) {
        cases.push_back({model, structure, formulation, {p, sigma}});
      }
    }
  }
  return cases;
}

std::string name_of(const Case& c) {
  return c.model + (c.structure.body_group == lie::NodeGroup::se3() ? " SE(3)" : "") +
         (c.structure.planar_group == lie::NodeGroup::se2() ? " SE(2)" : "") + " formulation " +
         std::to_string(static_cast<int>(c.formulation)) + " sigma " +
         std::to_string(c.method.sigma);
}

dae::System system_of(const Case& c) { return models::make_model(c.model, c.structure); }

/// A point that satisfies nothing, with charts away from their origins.
void set_random_point(const dae::System& system, StepEquations& equations) {
  const lie::GroupList& space = system.configuration_space();
  std::vector<double> start = system.initial_configuration(), end = start;
  space.plus<double>(system.initial_configuration(), random_numbers(system.dof(), 0.4), start);
  space.plus<double>(start, random_numbers(system.dof(), 0.3), end);
  equations.set_references(start, end);
  const StepEquations::Layout& at = equations.layout();
  for (int i = 0; i < at.parameters; ++i) equations.point()[index(i)] = random_number(0.8);
  for (int i = at.controls; i < at.h; ++i) equations.point()[index(i)] = random_number(1);
  equations.point()[index(at.h)] = 0.13;
}

class Matrices {
 public:
  explicit Matrices(StepEquations& equations) : f_(equations), n_(equations.layout().size) {}

  std::vector<double> residual() {
    std::vector<double> r(index(f_.num_rows()), 0.0);
    f_.residual(r);
    return r;
  }
  Eigen::MatrixXd jacobian() {
    std::vector<double> entries(f_.jacobian_pattern().size(), 0.0);
    f_.jacobian(entries);
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(f_.num_rows(), n_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      j(f_.jacobian_pattern()[i].first, f_.jacobian_pattern()[i].second) = entries[i];
    }
    return j;
  }
  Eigen::MatrixXd hessian(const std::vector<double>& weights) {
    std::vector<double> entries(f_.hessian_pattern().size(), 0.0);
    f_.hessian(weights, entries);
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(n_, n_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& [row, column] = f_.hessian_pattern()[i];
      EXPECT_GE(row, column);
      h(row, column) = h(column, row) = entries[i];
    }
    return h;
  }
  std::vector<double> gradient(const std::vector<double>& weights) {
    std::vector<double> g(index(n_), 0.0);
    f_.adjoint(1, weights, g);
    return g;
  }
  /// Central differences of a function of the point, extrapolated once.
  template <class F>
  Eigen::MatrixXd difference(int rows, F&& f) {
    Eigen::MatrixXd d(rows, n_);
    for (int i = 0; i < n_; ++i) {
      double& x = f_.point()[index(i)];
      const double at = x;
      const auto along = [&](double step) {
        x = at + step;
        const std::vector<double> up = f();
        x = at - step;
        const std::vector<double> down = f();
        x = at;
        Eigen::VectorXd column(rows);
        for (int k = 0; k < rows; ++k) column(k) = (up[index(k)] - down[index(k)]) / (2 * step);
        return column;
      };
      d.col(i) = (4 * along(1e-3) - along(2e-3)) / 3;
    }
    return d;
  }
  /// That the matrices agree with differences, and all products with the matrices.
  void check() {
    const Eigen::MatrixXd j = jacobian();
    const double scale = j.cwiseAbs().maxCoeff();
    ASSERT_GT(scale, 0.1);
    EXPECT_LT((j - difference(f_.num_rows(), [&] { return residual(); })).cwiseAbs().maxCoeff(),
              2e-8 * scale);
    const std::vector<double> weights = random_numbers(f_.num_rows(), 1);
    const Eigen::MatrixXd h = hessian(weights);
    EXPECT_GT(h.cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT((h - difference(n_, [&] { return gradient(weights); })).cwiseAbs().maxCoeff(),
              2e-8 * std::max(scale, h.cwiseAbs().maxCoeff()));

    using Vector = Eigen::Map<const Eigen::VectorXd>;
    const std::vector<double> direction = random_numbers(n_, 1);
    std::vector<double> rows(index(f_.num_rows()), 0.0), second(index(n_), 0.0);
    f_.tangent(1, direction, rows);
    f_.second(weights, direction, second);
    const std::vector<double> g = gradient(weights);
    EXPECT_LT((Vector(rows.data(), j.rows()) - j * Vector(direction.data(), n_)).norm(),
              1e-11 * scale * n_);
    EXPECT_LT((Vector(g.data(), n_) - j.transpose() * Vector(weights.data(), j.rows())).norm(),
              1e-11 * scale * n_);
    EXPECT_LT((Vector(second.data(), n_) - h * Vector(direction.data(), n_)).norm(),
              1e-11 * n_ * std::max(scale, h.cwiseAbs().maxCoeff()));
  }

 private:
  StepEquations& f_;
  int n_;
};

TEST(StepEquations, HaveTheDerivativesThatDifferencesHaveAtUnsatisfiedPoints) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const dae::System system = system_of(c);
    StepEquations equations(system, c.formulation, c.method, ad::Backend::kInterpreted);
    set_random_point(system, equations);
    Matrices(equations).check();
  }
}

/// The end of a step with given increment and its residuals, by the taped step.
struct Made {
  dae::StepEnd<Taped> end;
  std::vector<double> rows;
  dae::TapedStep step;
};

Made make_step(const Case& c, const dae::System& system, double h) {
  const auto taped = [](const std::vector<double>& list) {
    return std::vector<Taped>(list.begin(), list.end());
  };
  const auto random = [&](int count) { return taped(random_numbers(count, 0.5)); };
  const int dof = system.dof(), constraints = system.num_multipliers();
  Made made;
  made.step = {
      .h = h,
      .t_end = 1.7,
      .start = {taped(system.initial_configuration()), random(dof), random(dof), random(dof)},
      .parameters = taped(system.parameter_values()),
      .controls = random(static_cast<int>(system.controls().size())),
      .delta_q = random(dof),
      .lambda = random(constraints),
      .s = random(system.num_algebraic()),
      .eta = random(c.formulation == Formulation::kStabilized ? constraints : 0)};
  for (const Taped& r : made.step.residual(system, c.formulation, c.method, made.end)) {
    made.rows.push_back(CppAD::Value(r));
  }
  return made;
}

TEST(StepEquations, AreThoseOfTheTapedStepInChartsAwayFromTheirOrigins) {
  const double h = 0.13;
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const dae::System system = system_of(c);
    const int dof = system.dof(), constraints = system.num_multipliers();
    StepEquations equations(system, c.formulation, c.method, ad::Backend::kInterpreted);
    set_random_point(system, equations);
    const Made made = make_step(c, system, h);
    const auto put = [&](int first, const std::vector<Taped>& list, double factor = 1) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        equations.point()[index(first) + i] = factor * CppAD::Value(list[i]);
      }
    };
    // References beside both ends, so that δ is what leads from one to the other.
    const lie::GroupList& space = system.configuration_space();
    std::vector<double> start(index(space.num_coeffs())), end = start;
    std::vector<double> reference = start, end_reference = start;
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] = CppAD::Value(made.step.start.q[i]);
      end[i] = CppAD::Value(made.end.q[i]);
    }
    space.plus<double>(start, random_numbers(dof, 0.4), reference);
    space.plus<double>(end, random_numbers(dof, 0.4), end_reference);
    equations.set_references(reference, end_reference);
    const StepEquations::Layout& at = equations.layout();
    space.minus<double>(start, reference, equations.point().subspan(index(at.start.q), index(dof)));
    space.minus<double>(end, end_reference, equations.point().subspan(index(at.end.q), index(dof)));
    put(at.start.v, made.step.start.v);
    put(at.start.v_dot, made.step.start.v_dot);
    put(at.start.a, made.step.start.a);
    put(at.end.v, made.end.v);
    put(at.end.v_dot, made.end.v_dot);
    put(at.end.a, made.end.a);
    put(at.end.lambda, made.step.lambda);
    put(at.end.s, made.step.s);
    put(at.stabilizer, made.step.eta, -h);
    put(at.controls, made.step.controls);
    equations.point()[index(at.end_time)] = 1.7;
    equations.point()[index(at.start_time)] = 1.7 - h;
    equations.point()[index(at.h)] = h;

    const std::vector<double> r = Matrices(equations).residual();
    for (int i = 0; i < 3 * dof; ++i) EXPECT_NEAR(r[index(i)], 0, 1e-13) << i;
    // h(M v̇ + …), constraints (over h for positions), h h_s, rates.
    const EquationRows rows(system, dae::constraint_rows(c.formulation));
    const auto expect = [&](int first, int count, int taped_first, double factor) {
      for (int i = 0; i < count; ++i) {
        const double taped = made.rows[index(taped_first + i)];
        EXPECT_NEAR(r[index(3 * dof + first + i)] * factor, taped, 1e-12 * (1 + std::abs(taped)));
      }
    };
    expect(rows.motion, dof, 0, h);
    const bool positions = c.formulation != Formulation::kIndex2;
    expect(positions ? rows.position : rows.velocity, constraints, dof, positions ? 1 / h : 1);
    expect(rows.algebraic, system.num_algebraic(), dof + constraints, h);
    if (c.formulation == Formulation::kStabilized) {
      expect(rows.velocity, constraints, dof + constraints + system.num_algebraic(), 1);
    }
  }
}

class StepEquationsAllocation : public test::Allocation {};

TEST_F(StepEquationsAllocation, IsNotNeededAfterTheFirstEvaluation) {
  const dae::System system = models::make_model("heavy_top", models::Structure{});
  StepEquations equations(system, Formulation::kIndex3, {});
  set_random_point(system, equations);
  Matrices(equations).check();  // compiled kernels are right as well
  const std::vector<double> weights = random_numbers(equations.num_rows(), 1);
  std::vector<double> rows(index(equations.num_rows()), 0.0);
  std::vector<double> j(equations.jacobian_pattern().size(), 0.0);
  std::vector<double> h(equations.hessian_pattern().size(), 0.0);
  EXPECT_EQ(test::allocations_of([&] {
              equations.residual(rows);
              equations.jacobian(j);
              equations.hessian(weights, h);
            }),
            0);
}

}  // namespace
}  // namespace liegrad::sensitivity
