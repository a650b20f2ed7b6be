// The step equations at points that do not satisfy them: against the taped step, differences and each other.

#include "liegrad/sensitivity/step/step_equations.hpp"

#include <gtest/gtest.h>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "matrices_at_point.hpp"
#include "sensitivity/workshop_model.hpp"
#include "support/allocations.hpp"
#include "support/taped_step.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::AlphaMethod;
using dae::AlphaParameters;
using dae::Formulation;
using dae::index;

using testing::MatricesAtPoint;
using testing::random_number;
using testing::random_numbers;

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
      {"torsional_ball", {}},
      {"workshop", {}},
      {"workshop", {.body_group = lie::NodeGroup::se3()}}};
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

dae::System system_of(const Case& c) {
  if (c.model == "workshop") return testing::workshop(c.structure.body_group);
  return models::make_model(c.model, c.structure);
}

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

TEST(StepEquations, HaveTheDerivativesThatDifferencesHaveAtUnsatisfiedPoints) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const dae::System system = system_of(c);
    StepEquations equations(system, c.formulation, c.method, ad::Backend::kInterpreted);
    set_random_point(system, equations);
    MatricesAtPoint(equations).check();
  }
}

/// The end of a step with given increment and its residuals, by the taped step.
struct Made {
  dae::StepEnd<Taped> end;
  std::vector<double> rows;
  testing::TapedStep step;
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

    const std::vector<double> r = MatricesAtPoint(equations).residual();
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
  MatricesAtPoint(equations).check();  // compiled kernels are right as well
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
