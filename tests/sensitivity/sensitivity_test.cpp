// One object, many derivatives: each is what a new object gives, to the last bit, and a second one allocates nothing.

#include "liegrad/sensitivity/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "liegrad/models/models.hpp"

#include "support/allocations.hpp"

namespace liegrad {
namespace {

using sensitivity::DifferentiateOptions;
using sensitivity::Mode;
using sensitivity::Objective;

DifferentiateOptions some_steps(Mode mode) {
  DifferentiateOptions options;
  options.integrate = dae::alpha_steps();
  options.integrate.step = 1e-3;
  options.integrate.t_end = 0.02;
  options.mode = mode;
  return options;
}

/// The top, with numbers at its end, within steps, and at their ends.
Objective top_objective(const dae::Model& model) {
  Objective objective(model);
  objective.add_output("top.x[3]");
  objective.add_output("fixed_point.lambda[1]", 0.01);
  objective.add_outputs({"top.x[1]", "top.omega[2]"}, {0.0, 0.0042, 0.015, 0.02});
  return objective;
}

std::vector<DifferentiateOptions> ways() {
  std::vector<DifferentiateOptions> list;
  for (const Mode mode : {Mode::kForward, Mode::kAdjoint}) {
    for (const auto formulation :
         {dae::Formulation::kIndex3, dae::Formulation::kIndex2, dae::Formulation::kStabilized}) {
      DifferentiateOptions how = some_steps(mode);
      how.integrate.alpha.formulation = formulation;
      how.integrate.alpha.start = dae::StartingValues::kCorrected;
      how.variables.parameters = {"top.m", "top.J1", "top.X2", "top.omega2"};
      how.variables.initial_velocity = true;
      list.push_back(how);
    }
    list.push_back(list.back());
    list.back().second_order = sensitivity::SecondOrder{};
    list.back().variables.parameters = {"top.m"};
  }
  return list;
}

void expect_same(const sensitivity::Derivatives& a, const sensitivity::Derivatives& b) {
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.jacobian, b.jacobian);
  EXPECT_EQ(a.hessian_products, b.hessian_products);
  EXPECT_EQ(a.variable_names, b.variable_names);
  EXPECT_EQ(a.value_names, b.value_names);
}

/// Kernels of the start of a run are interpreted when there is one run only, and compiled for many.
void expect_close(const sensitivity::Derivatives& a, const sensitivity::Derivatives& b) {
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.variable_names, b.variable_names);
  for (const auto& [one, other] :
       {std::pair(&a.jacobian, &b.jacobian), std::pair(&a.hessian_products, &b.hessian_products)}) {
    EXPECT_LE((*one - *other).norm(), 1e-10 * other->norm());
  }
}

dae::RunValues values_with(const dae::Model& model, const std::string& name, double factor) {
  dae::RunValues values{.parameters = model.parameter_values()};
  values.parameters[static_cast<std::size_t>(model.parameter_index(name))] *= factor;
  return values;
}

TEST(Sensitivity, GivesWhatDifferentiateGivesWhateverWasEvaluatedBefore) {
  for (const DifferentiateOptions& how : ways()) {
    dae::System system = models::make_model("heavy_top");
    const Objective objective = top_objective(*system.build());
    sensitivity::Sensitivity sensitivity(objective, how);
    const sensitivity::Derivatives first = sensitivity.evaluate();
    const sensitivity::Derivatives other = sensitivity.evaluate(values_with(system, "top.m", 1.25));
    expect_same(sensitivity.evaluate(), first);
    expect_close(first, differentiate(objective, how));
    EXPECT_EQ(sensitivity.run().values, first.values);
    system.set_parameter("top.m", 1.25 * system.parameter("top.m"));
    expect_close(other, differentiate(top_objective(system), how));
    EXPECT_NE(other.values, first.values);
  }
}

TEST(Sensitivity, FollowsAdaptiveStepsAndMuntheKaasMethods) {
  DifferentiateOptions adaptive = some_steps(Mode::kAdjoint);
  adaptive.integrate.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-4}};
  adaptive.variables.parameters = {"top.m", "top.J1"};
  DifferentiateOptions munthe_kaas = adaptive;
  munthe_kaas.integrate.adaptive.reset();
  munthe_kaas.integrate.method = dae::Method::kMuntheKaas;
  for (const auto& [name, how] :
       {std::pair("heavy_top", adaptive), std::pair("spinning_top", munthe_kaas)}) {
    SCOPED_TRACE(name);
    dae::System system = models::make_model(name);
    Objective objective(*system.build());
    objective.add_outputs({"top.omega[1]", "top.q[2]"}, {0.0137, 0.02});
    sensitivity::Sensitivity sensitivity(objective, how);
    const sensitivity::Derivatives first = sensitivity.evaluate();
    sensitivity.evaluate(values_with(system, "top.m", 1.25));
    expect_same(sensitivity.evaluate(), first);
    DifferentiateOptions forward = how;
    forward.mode = Mode::kForward;
    const Eigen::MatrixXd tangents = differentiate(objective, forward).jacobian;
    EXPECT_LT((first.jacobian - tangents).norm(), 1e-9 * tangents.norm());
  }
}

/// The default method, and an explicit one with projection, on steps of their own choice.
std::vector<DifferentiateOptions> adaptive_ways(dae::Method method) {
  std::vector<DifferentiateOptions> list;
  for (const Mode mode : {Mode::kForward, Mode::kAdjoint}) {
    DifferentiateOptions how = some_steps(mode);
    how.integrate.method = method;
    how.integrate.tableau = dae::dormand_prince_54();
    // To find the first step takes a few vectors.
    how.integrate.adaptive =
        dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}, .initial_step = 1e-4};
    how.variables.parameters = {"top.m", "top.J1", "top.X2", "top.omega2"};
    how.variables.initial_velocity = true;
    list.push_back(how);
    how.second_order = sensitivity::SecondOrder{};
    how.variables.parameters = {"top.m"};
    list.push_back(how);
  }
  return list;
}

class SensitivityWith : public ::testing::TestWithParam<dae::Method> {};

TEST_P(SensitivityWith, FollowsAdaptiveStepsWhateverWasEvaluatedBefore) {
  for (const DifferentiateOptions& how : adaptive_ways(GetParam())) {
    const dae::System system = models::make_model("heavy_top");
    const Objective objective = top_objective(system);
    sensitivity::Sensitivity sensitivity(objective, how);
    const sensitivity::Derivatives first = sensitivity.evaluate();
    sensitivity.evaluate(values_with(system, "top.m", 1.25));
    expect_same(sensitivity.evaluate(), first);
    expect_close(first, differentiate(objective, how));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SensitivityWith,
                         ::testing::Values(dae::Method::kRadau, dae::Method::kMuntheKaas));

TEST(Sensitivity, AllocatesNothingInASecondEvaluation) {
  const dae::System system = models::make_model("heavy_top");
  const Objective objective = top_objective(system);
  std::vector<DifferentiateOptions> all = ways();
  for (const dae::Method method : {dae::Method::kRadau, dae::Method::kMuntheKaas}) {
    for (const DifferentiateOptions& how : adaptive_ways(method)) all.push_back(how);
  }
  for (DifferentiateOptions how : all) {
    how.integrate.alpha.start =
        dae::StartingValues::kClassical;  // corrected ones take a few vectors
    sensitivity::Sensitivity sensitivity(objective, how);
    const dae::RunValues values = values_with(system, "top.m", 1.01);
    sensitivity.evaluate();
    sensitivity.evaluate(values);
    const int before = test::allocations;
    sensitivity.evaluate(values);
    EXPECT_EQ(test::allocations - before, 0)
        << static_cast<int>(how.mode) << static_cast<int>(how.integrate.alpha.formulation);
  }
}

TEST(Objective, HasSeriesOfOutputs) {
  const dae::System system = models::make_model("heavy_top");
  const std::vector<double> times = {0.011, 0.0, 0.02, 0.0042};  // in any order
  Objective series(system), single(system);
  series.add_outputs({"top.x[1]", "top.u[2]"}, times);
  for (const double t : times) {
    single.add_output("top.x[1]", t);
    single.add_output("top.u[2]", t);
  }
  DifferentiateOptions how = some_steps(Mode::kForward);
  how.variables.parameters = {"top.m", "top.omega2"};
  const sensitivity::Derivatives a = differentiate(series, how), b = differentiate(single, how);
  EXPECT_EQ(a.values, b.values);
  EXPECT_LT((a.jacobian - b.jacobian).norm(), 1e-15 * b.jacobian.norm());
  EXPECT_EQ(a.value_names[3], "top.x[1]…[2]@0");
}

TEST(Objective, MovesItsTimesWithoutANewWorkspace) {
  const dae::System system = models::make_model("heavy_top");
  const std::vector<double> before = {0.0133, 0.0, 0.02, 0.0042},
                            after = {0.0042, 0.0051, 0.0, 0.0199};
  const auto objective = [&](const std::vector<double>& times) {
    Objective result(system);
    result.add_output("top.x[3]");
    result.add_outputs({"top.x[1]", "fixed_point.lambda[2]"}, times);
    return result;
  };
  for (const DifferentiateOptions& how :
       {ways().front(), adaptive_ways(dae::Method::kRadau).front(),
        adaptive_ways(dae::Method::kMuntheKaas).front()}) {
    sensitivity::Sensitivity moved(objective(before), how), made(objective(after), how);
    moved.evaluate();
    moved.set_times(1, after);
    expect_same(moved.evaluate(), made.evaluate());
    EXPECT_NE(moved.evaluate().value_names[1].find("@0.0042"), std::string::npos);
    const int allocations = test::allocations;
    moved.set_times(1, before);
    EXPECT_EQ(test::allocations - allocations, 0);
    try {
      moved.set_times(1, std::vector<double>{0.01});
      FAIL();
    } catch (const InvalidArgument& error) {
      EXPECT_STREQ(error.what(), "'top.x[1]…' has 4 times; 1 cannot take their place");
    }
  }
}

TEST(Derivatives, HaveTheRatesOfValuesAtTimes) {
  const dae::System system = models::make_model("heavy_top");
  // Within steps, at the end of one, and at both ends of the run.
  const std::vector<double> times = {0.0133, 0.0042, 0.01, 0.0, 0.02};
  for (DifferentiateOptions how : {ways().front(), adaptive_ways(dae::Method::kRadau).front(),
                                   adaptive_ways(dae::Method::kMuntheKaas).front()}) {
    Objective objective(system);
    objective.add_output("top.x[3]");
    objective.add_outputs({"top.x[1]", "top.omega[2]", "fixed_point.lambda[2]"}, times);
    how.rates = true;
    sensitivity::Sensitivity sensitivity(objective, how);
    const Eigen::VectorXd rates = sensitivity.evaluate().rates;
    ASSERT_EQ(rates.size(), objective.size());
    EXPECT_EQ(rates(0), 0);
    // One-sided, as polynomials of two steps meet in all but their higher derivatives: to the left, but at the start.
    const double shift = 1e-6;
    const auto at = [&](double by) -> Eigen::VectorXd {
      std::vector<double> there = times;
      for (double& t : there) t += t == 0.0 ? by : -by;
      sensitivity.set_times(1, there);
      return sensitivity.run().values;
    };
    const Eigen::VectorXd difference = (-3 * at(0) + 4 * at(shift) - at(2 * shift)) / (2 * shift);
    for (Eigen::Index i = 1; i < rates.size(); ++i) {
      const bool is_start = times[static_cast<std::size_t>((i - 1) / 3)] == 0;
      EXPECT_NEAR(rates(i), is_start ? difference(i) : -difference(i),
                  1e-3 * std::max(1.0, std::abs(rates(i))))
          << i;
    }
    EXPECT_GT(rates.norm(), 1);
  }
}

TEST(Objective, ComparesMeasuredOrientationsOnTheGroup) {
  for (const lie::NodeGroup& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const dae::System system = models::make_model("heavy_top", group);
    using Rotation = lie::SO3<double>;
    const Rotation measured = Rotation::exp({0.3, -1.2, 0.4});
    const lie::Vec<double, 4> q = measured.coeffs();
    Objective objective(system), orientation(system);
    objective.add_orientations("top", {0.0133, 0.0133},
                               {q(0), q(1), q(2), q(3), -q(0), -q(1), -q(2), -q(3)});
    for (int i = 1; i <= 4; ++i) orientation.add_output("top.q[" + std::to_string(i) + "]", 0.0133);
    DifferentiateOptions how = some_steps(Mode::kForward);
    how.variables.parameters = {"top.m", "top.omega2"};
    const sensitivity::Derivatives d = differentiate(objective, how);
    const Eigen::VectorXd there = differentiate(orientation, how).values;
    const lie::Vec<double, 3> expected =
        (Rotation::from_coeffs(lie::Vec<double, 4>(there)).inverse() * measured).log();
    EXPECT_LT((d.values.head(3) - expected).norm(), 1e-14);
    EXPECT_LT((d.values.tail(3) - expected).norm(), 1e-14);  // the sign does not matter

    how.mode = Mode::kDifference;
    const sensitivity::Derivatives differences = differentiate(objective, how);
    EXPECT_LT((d.jacobian - differences.jacobian).norm(), 1e-7 * d.jacobian.norm());
    EXPECT_GT(d.jacobian.norm(), 1e-3);
    how.mode = Mode::kAdjoint;
    EXPECT_LT((d.jacobian - differentiate(objective, how).jacobian).norm(),
              1e-11 * d.jacobian.norm());
  }
}

TEST(Objective, RefusesOrientationsThatAreNone) {
  const dae::System system = models::make_model("heavy_top");
  Objective objective(system);
  const auto message = [&](const std::string& node, const std::vector<double>& quaternion) {
    try {
      objective.add_orientations(node, {0.5}, quaternion);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("top", {1, 0, 0}),
            "orientations of 'top' have 3 numbers for 1 times; each needs a quaternion (w, x, y, "
            "z)");
  EXPECT_EQ(message("top", {1, 1, 0, 0}),
            "the orientation of 'top' measured at t = 0.5 has length 1.41421 instead of 1; a "
            "rotation is a unit quaternion (w, x, y, z)");
  EXPECT_NE(message("tip", {1, 0, 0, 0}).find("'tip'"), std::string::npos);
}

TEST(Variables, AreChosenOneByOne) {
  const dae::System system = models::make_model("heavy_top");
  const Objective objective = top_objective(system);
  DifferentiateOptions all = some_steps(Mode::kForward);
  all.variables.initial_velocity = all.variables.initial_configuration = true;
  DifferentiateOptions single = some_steps(Mode::kForward);
  single.variables.single = {"top.v0[2]", "top.q0[6]"};
  const sensitivity::Derivatives a = differentiate(objective, all),
                                 b = differentiate(objective, single);
  EXPECT_EQ(b.variable_names, single.variables.single);
  for (Eigen::Index k = 0; k < 2; ++k) {
    const auto found =
        std::ranges::find(a.variable_names, b.variable_names[static_cast<std::size_t>(k)]);
    const Eigen::VectorXd column = a.jacobian.col(found - a.variable_names.begin());
    // Index 3 divides rounding by h² in multipliers.
    EXPECT_LT((column - b.jacobian.col(k)).norm(), 1e-10 * a.jacobian.norm());
    EXPECT_GT(column.norm(), 0);
  }
  single.variables.single = {"top.v0[7]"};
  EXPECT_THROW(differentiate(objective, single), InvalidArgument);
}

}  // namespace
}  // namespace liegrad
