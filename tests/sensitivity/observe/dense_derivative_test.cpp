// Derivatives of the motion between the ends of a step, against differences of dae::DenseOutput.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/observe/dense_derivative.hpp"

#include "sensitivity/side_by_side.hpp"

namespace liegrad::testing {
namespace {

using dae::index;
using sensitivity::DenseDerivative;
using sensitivity::MotionLayout;
using sensitivity::StateLayout;
using Vector = std::vector<double>;

/// Of extrapolated differences, whose own error is about 1e-11.
constexpr double kDifferenceTolerance = 1e-8;
/// Of sums of rounded numbers.
constexpr double kRoundingTolerance = 1e-13;
constexpr double kStep = 0.1;
constexpr dae::Method kMethod = dae::Method::kAlpha;  // whose states have the most parts

Vector random_numbers(int count, std::mt19937& rng, double scale = 1) {
  std::normal_distribution<double> normal(0, scale);
  Vector numbers(index(count));
  for (double& number : numbers) number = normal(rng);
  return numbers;
}

/// Two states and a time between them.
struct Step {
  dae::State start, end;
  double t = 0;

  double h() const { return end.t - start.t; }
};

/// Any states will do, if the angle between them is less than π.
Step some_step(const dae::System& system, std::mt19937& rng) {
  const auto set_rest = [&](dae::State& state) {
    state.v = random_numbers(system.dof(), rng);
    state.v_dot = random_numbers(system.dof(), rng);
    state.lambda = random_numbers(system.num_multipliers(), rng);
    state.s = random_numbers(system.num_algebraic(), rng);
  };
  Step step;
  step.start.t = 0.7;
  step.start.q = system.initial_configuration();
  set_rest(step.start);
  step.end.t = step.start.t + kStep;
  step.end.q = step.start.q;
  set_rest(step.end);
  system.configuration_space().plus<double>(step.start.q, random_numbers(system.dof(), rng, 0.4),
                                            step.end.q);
  step.t = step.start.t + 0.3 * kStep;
  return step;
}

Vector some_arguments(const dae::System& system, std::mt19937& rng) {
  Vector arguments = random_numbers(2 * StateLayout(system, kMethod).size + 3, rng);
  for (std::size_t i = arguments.size() - 3; i < arguments.size(); ++i) arguments[i] *= kStep;
  return arguments;
}

Vector part(const Vector& list, int first, int count, double factor = 1) {
  Vector result(list.begin() + first, list.begin() + first + count);
  for (double& number : result) number *= factor;
  return result;
}

Step moved(const dae::System& system, const Step& from, const Vector& arguments, double epsilon) {
  const StateLayout layout(system, kMethod);
  Step to = from;
  const auto move = [&](int first, const dae::State& base, dae::State& state) {
    const auto add = [&](int place, Vector& numbers) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] += epsilon * arguments[index(first + place) + i];
      }
    };
    system.configuration_space().plus<double>(
        base.q, part(arguments, first + layout.q, system.dof(), epsilon), state.q);
    add(layout.v, state.v);
    add(layout.v_dot, state.v_dot);
    add(layout.lambda, state.lambda);
    add(layout.s, state.s);
  };
  move(0, from.start, to.start);
  move(layout.size, from.end, to.end);
  const std::size_t times = index(2 * layout.size);
  to.t += epsilon * arguments[times];
  to.start.t += epsilon * arguments[times + 1];
  to.end.t += epsilon * arguments[times + 2];
  return to;
}

dae::State interpolated(const dae::System& system, const Step& step) {
  dae::DenseOutput dense(system.configuration_space());
  dense.set_step(step.start, step.end, step.h());
  dae::State state;
  dense.evaluate(step.t, state);
  return state;
}

/// As in MotionLayout, in the chart around a configuration; parameters and controls are zero.
Vector motion_in_chart(const dae::System& system, const dae::State& state, const Vector& around) {
  const MotionLayout layout(system);
  Vector motion(index(layout.size), 0.0);
  const auto put = [&](int first, const Vector& numbers) {
    std::copy(numbers.begin(), numbers.end(), motion.begin() + first);
  };
  Vector delta(index(system.dof()));
  system.configuration_space().minus<double>(state.q, around, delta);
  put(layout.q, delta);
  put(layout.v, state.v);
  put(layout.v_dot, state.v_dot);
  put(layout.lambda, state.lambda);
  put(layout.s, state.s);
  motion[index(layout.time)] = state.t;
  return motion;
}

/// df/dε at 0 by central differences with three lengths, extrapolated twice.
Vector derivative_by_differences(const std::function<Vector(double)>& f) {
  constexpr double kLength = 0.002;
  const auto difference = [&f](double length) {
    Vector plus = f(length);
    const Vector minus = f(-length);
    for (std::size_t i = 0; i < plus.size(); ++i) plus[i] = (plus[i] - minus[i]) / (2 * length);
    return plus;
  };
  const Vector a = difference(kLength), b = difference(kLength / 2), c = difference(kLength / 4);
  Vector result(a.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double ab = (4 * b[i] - a[i]) / 3, bc = (4 * c[i] - b[i]) / 3;
    result[i] = (16 * bc - ab) / 15;
  }
  return result;
}

/// T(δ)ᵀ w, or T(δ)⁻ᵀ w: gradients in another chart. For q∘exp(δ + dδ) = q∘exp(δ)∘exp(T(δ) dδ).
enum class Operator { kTangent, kInverse };
Vector transposed_times(const dae::System& system, Operator which, const Vector& delta,
                        const Vector& w) {
  const lie::GroupList& space = system.configuration_space();
  Vector result(delta.size(), 0.0), column(delta.size());
  for (std::size_t j = 0; j < delta.size(); ++j) {
    Vector unit(delta.size(), 0.0);
    unit[j] = 1;
    if (which == Operator::kTangent) {
      space.apply_tangent_operator<double>(delta, unit, column);
    } else {
      space.apply_tangent_operator_inverse<double>(delta, unit, column);
    }
    for (std::size_t i = 0; i < column.size(); ++i) result[j] += column[i] * w[i];
  }
  return result;
}

/// The gradient at a moved step in the charts of the step itself, for weights in the chart around its result.
Vector gradient_in_charts(const dae::System& system, DenseDerivative& derivative, const Step& step,
                          const Vector& direction, double epsilon, const Vector& weights) {
  const int dof = system.dof();
  const Vector base = interpolated(system, step).q;
  const Step there = moved(system, step, direction, epsilon);
  derivative.set_step(there.start, there.end, there.h(), there.t);
  const Vector delta = part(motion_in_chart(system, derivative.state(), base), 0, dof);
  const Vector own = transposed_times(system, Operator::kInverse, delta, part(weights, 0, dof));
  Vector own_weights = weights;
  std::copy(own.begin(), own.end(), own_weights.begin());
  Vector gradient(index(derivative.num_arguments()), 0.0);
  derivative.adjoint(own_weights, gradient);
  for (const int first : {0, StateLayout(system, kMethod).size}) {
    const Vector in_chart =
        transposed_times(system, Operator::kTangent, part(direction, first, dof, epsilon),
                         part(gradient, first, dof));
    std::copy(in_chart.begin(), in_chart.end(), gradient.begin() + first);
  }
  return gradient;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void expect_near(const Vector& actual, const Vector& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  const double scale = dae::max_of(expected);
  EXPECT_GT(scale, 0) << "nothing would be shown";
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance * scale) << i;
  }
}

/// Algebraic states, a rotation of the plane and a first-order state, which no model has.
struct AlgebraicPair {
  dae::ElementShape shape() const {
    return {.type = "algebraic_pair",
            .nodes = {{dae::NodeRole::kCoordinates, 2}},
            .parameters = {{"gain", 1.5}},
            .controls = {"bias"},
            .algebraic = 2};
  }
  template <class S>
  lie::Vec<S, 2> algebraic(const dae::Motion<S>& at) const {
    return {at.algebraic(0) - at.parameter(0) * at.velocity_coordinates(0)(0),
            at.algebraic(1) - at.control(0)};
  }
};
dae::System workbench() {
  dae::System system("workbench");
  system.add_node("hinge", lie::NodeGroup::so2());
  system.add_first_order_state("filter", 2);
  system.add("pair", AlgebraicPair{}, {"filter"});
  return system;
}

struct Case {
  std::string name;
  std::function<dae::System()> make;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> all_cases() {
  const auto model = [](const std::string& name, const models::Structure& structure = {}) {
    return [name, structure] { return models::make_model(name, structure); };
  };
  return {{"workbench", workbench},
          {"heavy_top_SO3xR3", model("heavy_top")},
          {"heavy_top_SE3", model("heavy_top", {.body_group = lie::NodeGroup::se3()})},
          {"pendulum", model("pendulum")},
          {"slider_crank_3d", model("slider_crank_3d", {.body_group = lie::NodeGroup::se3()})},
          {"andrews_R3", model("andrews")},
          {"andrews_SE2", model("andrews", {.planar_group = lie::NodeGroup::se2()})},
          {"spinning_top", model("spinning_top")},
          {"chain", model("chain", {.bodies = 3})}};
}

class DenseDerivatives : public ::testing::TestWithParam<Case> {};

TEST_P(DenseDerivatives, AreAtTheStateOfDenseOutput) {
  std::mt19937 rng(1);
  const dae::System system = GetParam().make();
  const Step step = some_step(system, rng);
  DenseDerivative derivative(system, kMethod);
  derivative.set_step(step.start, step.end, step.h(), step.t);
  const dae::State expected = interpolated(system, step);
  EXPECT_EQ(derivative.state().t, step.t);
  EXPECT_EQ(derivative.state().q, expected.q);
  EXPECT_EQ(derivative.state().v, expected.v);
  EXPECT_EQ(derivative.state().v_dot, expected.v_dot);
  EXPECT_EQ(derivative.state().lambda, expected.lambda);
  EXPECT_EQ(derivative.state().s, expected.s);
}

TEST_P(DenseDerivatives, AreThoseOfDifferences) {
  std::mt19937 rng(2);
  const dae::System system = GetParam().make();
  const MotionLayout layout(system);
  const Step step = some_step(system, rng);
  DenseDerivative derivative(system, kMethod);
  derivative.set_step(step.start, step.end, step.h(), step.t);
  const Vector base = derivative.state().q;
  ASSERT_EQ(derivative.num_arguments(), 2 * StateLayout(system, kMethod).size + 3);
  const Vector directions[2] = {some_arguments(system, rng), some_arguments(system, rng)};
  const Vector both = side_by_side({directions[0], directions[1]});

  // Of what it leaves alone and of what it overwrites.
  constexpr double kBefore = 7;
  Vector tangents(2 * index(layout.size), kBefore);
  derivative.tangent(2, both, tangents);
  for (int c = 0; c < 2; ++c) {
    Vector tangent = column(tangents, index(c), 2);
    for (int i = layout.parameters; i < layout.time; ++i) {
      EXPECT_EQ(std::exchange(tangent[index(i)], 0.0), kBefore);
    }
    const Vector differences = derivative_by_differences([&](double epsilon) {
      return motion_in_chart(
          system, interpolated(system, moved(system, step, directions[c], epsilon)), base);
    });
    for (const auto& [first, end] :
         {std::pair(layout.q, layout.v), std::pair(layout.v, layout.v_dot),
          std::pair(layout.v_dot, layout.parameters), std::pair(layout.time, layout.size)}) {
      expect_near(part(tangent, first, end - first), part(differences, first, end - first),
                  kDifferenceTolerance);
    }

    const Vector weights = random_numbers(layout.size, rng);
    Vector gradient(index(derivative.num_arguments()), 1.0);
    derivative.adjoint(weights, gradient);
    for (double& number : gradient) number -= 1;
    const double product = dot(weights, tangent);
    EXPECT_NEAR(dot(gradient, directions[c]), product,
                kRoundingTolerance * (1 + std::abs(product)));
  }
}

TEST_P(DenseDerivatives, HaveSecondDerivativesThatAreThoseOfDifferences) {
  std::mt19937 rng(3);
  const dae::System system = GetParam().make();
  const Step step = some_step(system, rng);
  const Vector direction = some_arguments(system, rng);
  const Vector weights = random_numbers(MotionLayout(system).size, rng);
  DenseDerivative derivative(system, kMethod);
  derivative.set_step(step.start, step.end, step.h(), step.t);
  Vector second(index(derivative.num_arguments()), 1.0);
  derivative.second(weights, direction, second);
  for (double& number : second) number -= 1;
  const Vector differences = derivative_by_differences([&](double epsilon) {
    return gradient_in_charts(system, derivative, step, direction, epsilon, weights);
  });
  // Those by states and those by times, which are larger by 1/h.
  const int states = 2 * StateLayout(system, kMethod).size;
  expect_near(part(second, 0, states), part(differences, 0, states), kDifferenceTolerance);
  expect_near(part(second, states, 3), part(differences, states, 3), kDifferenceTolerance);
}

TEST_P(DenseDerivatives, MoveWithTheVelocityAndNotWithTheClock) {
  std::mt19937 rng(4);
  const dae::System system = GetParam().make();
  const MotionLayout layout(system);
  const std::size_t times = index(2 * StateLayout(system, kMethod).size);
  const Step step = some_step(system, rng);
  DenseDerivative derivative(system, kMethod);
  derivative.set_step(step.start, step.end, step.h(), step.t);
  Vector later(index(derivative.num_arguments()), 0.0), all_later = later;
  later[times] = 1;
  for (std::size_t i = 0; i < 3; ++i) all_later[times + i] = 1;

  Vector motion(index(layout.size), 0.0);
  derivative.tangent(1, later, motion);
  expect_near(part(motion, layout.q, system.dof()), derivative.state().v, 1e-12);
  derivative.tangent(1, all_later, motion);
  EXPECT_EQ(motion[index(layout.time)], 1);
  EXPECT_EQ(dae::max_of(part(motion, 0, layout.time)), 0);
}

TEST_P(DenseDerivatives, AreThoseOfTheStatesAtTheEnds) {
  std::mt19937 rng(5);
  const dae::System system = GetParam().make();
  const MotionLayout layout(system);
  const StateLayout states(system, kMethod);
  const Step step = some_step(system, rng);
  DenseDerivative derivative(system, kMethod);
  Vector arguments = some_arguments(system, rng);
  std::fill(arguments.end() - 3, arguments.end(), 0.0);
  for (const bool at_end : {false, true}) {
    derivative.set_step(step.start, step.end, step.h(), at_end ? step.end.t : step.start.t);
    Vector motion(index(layout.size), 0.0);
    derivative.tangent(1, arguments, motion);
    const int first = at_end ? states.size : 0;
    // q, v and v̇; then λ and s.
    expect_near(part(motion, 0, states.a), part(arguments, first, states.a), 1e-12);
    if (states.size == states.lambda) continue;
    expect_near(part(motion, layout.lambda, states.size - states.lambda),
                part(arguments, first + states.lambda, states.size - states.lambda), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, DenseDerivatives, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace liegrad::testing
