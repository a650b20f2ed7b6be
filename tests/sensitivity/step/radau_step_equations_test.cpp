// The equations of Radau steps at points that do not satisfy them: against differences and the taped step; and at steps
// that were made.

#include "liegrad/sensitivity/step/radau_step_equations.hpp"

#include <gtest/gtest.h>

#include <random>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/runge_kutta/radau.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "matrices_at_point.hpp"
#include "sensitivity/taped/taped_system.hpp"
#include "support/allocations.hpp"
#include "support/servo_model.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Tapes = std::vector<Taped>;

constexpr double kStep = 0.13;

struct Case {
  std::string model;
  models::Structure structure;
  int stages;
};

std::vector<Case> all_cases() {
  const std::vector<std::pair<std::string, models::Structure>> models = {
      {"heavy_top", {}},      {"heavy_top", {.body_group = lie::NodeGroup::se3()}},
      {"slider_crank", {}},   {"slider_crank", {.planar_group = lie::NodeGroup::se2()}},
      {"torsional_ball", {}}, {"servo", {}}};
  std::vector<Case> cases;
  for (const auto& [model, structure] : models) {
    for (const int stages : {2, 3}) cases.push_back({model, structure, stages});
  }
  return cases;
}

std::string name_of(const Case& c) {
  return c.model + (c.structure.body_group == lie::NodeGroup::se3() ? " SE(3)" : "") +
         (c.structure.planar_group == lie::NodeGroup::se2() ? " SE(2)" : "") + " stages " +
         std::to_string(c.stages);
}

dae::System system_of(const Case& c) {
  if (c.model != "servo") return models::make_model(c.model, c.structure);
  return testing::servo();
}

/// References that are the motion of nothing.
std::vector<std::vector<double>> random_references(const dae::System& system, int stages) {
  const lie::GroupList& space = system.configuration_space();
  std::vector<std::vector<double>> references = {system.initial_configuration()};
  for (int i = 0; i < stages; ++i) {
    std::vector<double> q(index(space.num_coeffs()));
    space.plus<double>(references.back(), testing::random_numbers(system.dof(), 0.3), q);
    references.push_back(q);
  }
  return references;
}

void set_random_point(const dae::System& system, int stages, RadauStepEquations& equations) {
  equations.set_references(random_references(system, stages));
  const RadauStepEquations::Layout& at = equations.layout();
  for (int i = 0; i < at.parameters; ++i) {
    equations.point()[index(i)] = testing::random_number(0.8);
  }
  equations.point()[index(at.h)] = kStep;
}

TEST(RadauStepEquations, HaveTheDerivativesThatDifferencesHaveAtUnsatisfiedPoints) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const dae::System system = system_of(c);
    RadauStepEquations equations(system, c.stages, ad::Backend::kInterpreted);
    set_random_point(system, c.stages, equations);
    testing::MatricesAtPoint(equations).check();
  }
}

/// The stages of a step with given rates and multipliers, by operations on recorded numbers:
/// θ_i = hΣ a_ij p_j, q_i = q_n∘exp(θ_i), v_i = T(θ_i) p_i + W B(q_n)ᵀη_i, v̇_i = Σ_j (A⁻¹)_ij (v_j - v_n)/h.
class TapedStages {
 public:
  TapedStages(const dae::System& system, int stages, std::span<const double> weights)
      : system_(system), stages_(stages), weights_(weights), radau_(stages) {
    const lie::GroupList& space = system.configuration_space();
    const auto random = [](int count) { return tapes(testing::random_numbers(count, 0.5)); };
    const int dof = system.dof();
    start = {.t = Taped(1.7),
             .q = tapes(system.initial_configuration()),
             .v = random(dof),
             .v_dot = random(dof),
             .a = random(dof),
             .lambda = random(system.num_multipliers()),
             .s = random(system.num_algebraic()),
             .parameters = tapes(system.parameter_values()),
             .controls = random(static_cast<int>(system.controls().size()))};
    std::vector<Tapes> rates;
    for (int i = 0; i < stages; ++i) rates.push_back(random(dof));
    for (int i = 0; i < stages; ++i) {
      testing::TapedState at = start;
      at.t = start.t + radau_.c(i) * kStep;
      at.lambda = random(system.num_multipliers());
      at.s = random(system.num_algebraic());
      at.controls = random(static_cast<int>(system.controls().size()));
      etas.push_back(random(system.num_multipliers()));
      Tapes theta(index(dof), Taped(0));
      for (int j = 0; j < stages; ++j) {
        for (std::size_t k = 0; k < theta.size(); ++k) {
          theta[k] += kStep * radau_.a(i, j) * rates[index(j)][k];
        }
      }
      space.plus<Taped>(start.q, theta, at.q);
      space.apply_tangent_operator<Taped>(theta, rates[index(i)], at.v);
      const Tapes force = constraint_force(etas.back());
      for (std::size_t k = 0; k < at.v.size(); ++k) at.v[k] += weights_[k] * force[k];
      states.push_back(at);
    }
    for (int i = 0; i < stages; ++i) {
      for (std::size_t k = 0; k < index(dof); ++k) {
        Taped sum = 0;
        for (int j = 0; j < stages; ++j) {
          sum += radau_.inverse(i, j) * (states[index(j)].v[k] - start.v[k]);
        }
        states[index(i)].v_dot[k] = sum / kStep;
      }
    }
  }

  static Tapes tapes(const std::vector<double>& list) { return {list.begin(), list.end()}; }

  testing::TapedState start;
  std::vector<testing::TapedState> states;
  std::vector<Tapes> etas;

 private:
  /// M v̇ + g + Bᵀλ is affine in λ unless forces depend on it, which they do not in these systems.
  Tapes constraint_force(const Tapes& eta) const {
    testing::TapedState with = start, without = start;
    with.lambda = eta;
    without.lambda.assign(eta.size(), Taped(0));
    Tapes force = testing::rows_at(system_, with).motion;
    const Tapes rest = testing::rows_at(system_, without).motion;
    for (std::size_t k = 0; k < force.size(); ++k) force[k] -= rest[k];
    return force;
  }

  const dae::System& system_;
  int stages_;
  std::span<const double> weights_;
  dae::RadauCoefficients radau_;
};

std::vector<double> values_of(const Tapes& list) {
  std::vector<double> values;
  for (const Taped& x : list) values.push_back(CppAD::Value(x));
  return values;
}

TEST(RadauStepEquations, AreThoseOfTheTapedStepInChartsAwayFromTheirOrigins) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const dae::System system = system_of(c);
    const lie::GroupList& space = system.configuration_space();
    const int dof = system.dof(), constraints = system.num_multipliers();
    RadauStepEquations equations(system, c.stages, ad::Backend::kInterpreted);
    const TapedStages taped(system, c.stages, equations.weights());
    const RadauStepEquations::Layout& at = equations.layout();
    const auto put = [&](int first, const Tapes& list, double factor = 1) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        equations.point()[index(first) + i] = factor * CppAD::Value(list[i]);
      }
    };
    // References beside the start and all stages, so that δ is what leads from one to the other.
    std::vector<std::vector<double>> references;
    const auto put_configuration = [&](int first, const Tapes& q) {
      const std::vector<double> values = values_of(q);
      std::vector<double>& reference = references.emplace_back(values.size());
      space.plus<double>(values, testing::random_numbers(dof, 0.4), reference);
      space.minus<double>(values, reference, equations.point().subspan(index(first), index(dof)));
    };
    put_configuration(at.start.q, taped.start.q);
    put(at.start.v, taped.start.v);
    put(at.start.controls, taped.start.controls);
    equations.point()[index(at.start.time)] = 1.7;
    for (std::size_t i = 0; i < at.stages.size(); ++i) {
      const testing::TapedState& stage = taped.states[i];
      put_configuration(at.stages[i].q, stage.q);
      put(at.stages[i].v, stage.v);
      put(at.stages[i].v_dot, stage.v_dot);
      put(at.stages[i].lambda, stage.lambda);
      put(at.stages[i].s, stage.s);
      put(at.stages[i].stabilizer, taped.etas[i], kStep);
      put(at.stages[i].controls, stage.controls);
      equations.point()[index(at.stages[i].time)] = CppAD::Value(stage.t);
    }
    testing::TapedState end = taped.states.back();
    end.v_dot = TapedStages::tapes(testing::random_numbers(dof, 1));
    end.lambda = TapedStages::tapes(testing::random_numbers(constraints, 1));
    end.s = TapedStages::tapes(testing::random_numbers(system.num_algebraic(), 1));
    put(at.end.v_dot, end.v_dot);
    put(at.end.lambda, end.lambda);
    put(at.end.s, end.s);
    equations.point()[index(at.h)] = kStep;
    equations.set_references(references);

    std::vector<double> r(index(equations.num_rows()), 0.0);
    equations.residual(r);
    const EquationRows rows(system, {.position = true, .velocity = true});
    const auto expect = [&](int first, const Tapes& list) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        const double value = CppAD::Value(list[i]);
        EXPECT_NEAR(r[index(first) + i], value, 1e-11 * (1 + std::abs(value))) << first + i;
      }
    };
    for (int i = 0; i < c.stages; ++i) {
      const int first = i * equations.stage_size(), elements = first + 2 * dof;
      for (int k = 0; k < 2 * dof; ++k) {
        const double weight = equations.weights()[index(k % dof)];
        EXPECT_NEAR(r[index(first + k)] * std::min(weight, 1.0), 0, 1e-12) << k;
      }
      const testing::Rows known = testing::rows_at(system, taped.states[index(i)]);
      expect(elements + rows.motion, known.motion);
      expect(elements + rows.algebraic, known.algebraic);
      expect(elements + rows.position, known.position);
      expect(elements + rows.velocity, known.velocity);
    }
    const testing::Rows known = testing::rows_at(system, end);
    const int last = c.stages * equations.stage_size();
    expect(last, known.motion);
    expect(last + dof, known.algebraic);
    expect(last + dof + system.num_algebraic(), known.acceleration);
  }
}

TEST(RadauStepEquations, HoldForStepsThatWereMade) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const dae::System system = system_of(c);
    const double h = 1e-3;
    dae::IntegrateOptions options;
    options.method = dae::Method::kRadau;
    options.radau.stages = c.stages;
    options.step = h;
    options.t_end = h;
    const dae::Solution run = dae::integrate(system, options);
    ASSERT_EQ(run.summary.termination, dae::Termination::kReachedEnd);

    dae::RadauOptions radau;
    radau.stages = c.stages;
    dae::Radau stepper(system, radau);
    stepper.set_parameters(system.parameter_values());
    stepper.start(run.samples.front(), h);
    ASSERT_TRUE(stepper.step(h, h).success);
    const dae::RadauKinematics& motion = stepper.equations().kinematics();

    RadauStepEquations equations(system, c.stages, ad::Backend::kInterpreted);
    const RadauStepEquations::Layout& at = equations.layout();
    const auto put = [&](int first, std::span<const double> list, double factor = 1) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        equations.point()[index(first) + i] = factor * list[i];
      }
    };
    const dae::State &start = run.samples.front(), &end = run.final;
    put(at.start.v, start.v);
    std::vector<std::vector<double>> references = {start.q};
    for (int i = 0; i < c.stages; ++i) {
      const RadauStepEquations::Layout::Stage& stage = at.stages[index(i)];
      system.configuration_space().plus<double>(start.q, motion.theta(i),
                                                references.emplace_back(start.q.size()));
      put(stage.v, motion.v(i));
      put(stage.v_dot, motion.v_dot(i));
      put(stage.lambda, stepper.equations().multipliers(i));
      put(stage.s, stepper.equations().algebraic(i));
      put(stage.stabilizer, stepper.equations().stabilizers(i), h);
      equations.point()[index(stage.time)] = stepper.coefficients().c(i) * h;
    }
    put(at.end.v_dot, end.v_dot);
    put(at.end.lambda, end.lambda);
    put(at.end.s, end.s);
    equations.point()[index(at.h)] = h;
    equations.set_references(references);
    std::vector<double> r(index(equations.num_rows()), 0.0), scale = r;
    equations.residual(r);
    // Rounding, beside the largest summands of a row.
    std::vector<double> point(equations.point().begin(), equations.point().end());
    std::vector<double> entries(equations.jacobian_pattern().size(), 0.0);
    equations.jacobian(entries);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto& [row, column] = equations.jacobian_pattern()[k];
      scale[index(row)] += std::abs(entries[k] * point[index(column)]);
    }
    for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], 0, 1e-9 * (1 + scale[i])) << i;
  }
}

class RadauStepEquationsAllocation : public test::Allocation {};

TEST_F(RadauStepEquationsAllocation, IsNotNeededAfterTheFirstEvaluation) {
  const dae::System system = models::make_model("heavy_top", models::Structure{});
  RadauStepEquations equations(system, 3);
  set_random_point(system, 3, equations);
  testing::MatricesAtPoint(equations).check();  // compiled kernels are right as well
  const std::vector<double> weights = testing::random_numbers(equations.num_rows(), 1);
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
