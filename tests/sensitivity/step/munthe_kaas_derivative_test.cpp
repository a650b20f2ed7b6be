// Derivatives of Munthe-Kaas steps: against differences of steps that are made, and against each other.

#include "liegrad/sensitivity/step/munthe_kaas_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/dae/runge_kutta/munthe_kaas.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/point_spring.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_spring.hpp"
#include "liegrad/models/models.hpp"
#include "support/allocations.hpp"

#include "sensitivity/closed_loop_model.hpp"
#include "sensitivity/observable_checks.hpp"
#include "sensitivity/side_by_side.hpp"
#include "sensitivity/workshop_model.hpp"

namespace liegrad::sensitivity {
namespace {

using testing::column;
using testing::expect_near;
using testing::side_by_side;

using dae::index;
using Vector = std::vector<double>;

/// A rotation whose inertia depends on coordinates x, and the other way round: mass that is not constant, and
/// forces that depend on time and on a control.
struct DrivenGyroscope {
  dae::ElementShape shape() const {
    return {.type = "driven_gyroscope",
            .nodes = {{dae::NodeRole::kRotation}, {dae::NodeRole::kCoordinates, 2}},
            .parameters = {{"J", 0.4}, {"m", 1.5}, {"rate", 3.0}},
            .controls = {"torque"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::cos, std::sin;
    using V3 = lie::Vec<S, 3>;
    const auto x = at.coordinates(1), v = at.velocity_coordinates(1),
               v_dot = at.acceleration_coordinates(1);
    const S &j = at.parameter(0), &m = at.parameter(1);
    const V3 omega = at.omega(0);
    const V3 inertia(j * (S(1) + S(0.3) * x(0) * x(0)), j * (S(1.5) + sin(x(1))), S(2) * j);
    const V3 momentum = inertia.cwiseProduct(omega);
    const S drive = sin(at.parameter(2) * at.time()) + at.control(0);
    const V3 load = at.rotation(0).transpose() * V3(drive, S(0.3) * at.control(0) * x(0), S(0.2));
    balance.add_torque(
        0, inertia.cwiseProduct(at.omega_dot(0)) + lie::rotation::cross<S>(omega, momentum) - load);
    const S coupling = S(0.3) * m * cos(x(0) + x(1));
    balance.row(1, 0) += m * v_dot(0) + coupling * v_dot(1) + S(5) * sin(x(0)) +
                         S(0.2) * v(0) * v(1) - drive * cos(at.time()) + omega(0) * v(1);
    balance.row(1, 1) += m * (S(1) + S(0.5) * x(0) * x(0)) * v_dot(1) + coupling * v_dot(0) +
                         S(3) * x(1) - drive * x(0) - omega(0) * v(0);
  }
};

dae::System driven_gyroscope() {
  dae::System system("gyroscope");
  system.add_node("wheel", lie::NodeGroup::so3());
  system.add_node("x", lie::NodeGroup::rn(2));
  system.add("drive", DrivenGyroscope{}, {"wheel", "x"});
  system.set_initial_velocity("wheel", {0.5, -1.2, 2.0});
  system.set_initial_configuration("x", {0.4, -0.3});
  system.set_initial_velocity("x", {-0.7, 0.9});
  return system;
}

/// A planar body on a spring.
dae::System planar_body() {
  dae::System system("planar_body");
  system.add_node("body", lie::NodeGroup::se2());
  system.add("body", elements::PlanarBody{}, {"body"}, {.values = {{"gravity2", -9.81}}});
  system.add_planar_frame("end", "body", {.position = {0.4, 0.1}});
  system.add_planar_frame("wall", "ground", {.position = {-0.5, 1.0}});
  system.add("spring", elements::PlanarSpring{}, {"end", "wall"},
             {.values = {{"k", 30}, {"d", 0.5}, {"l0", 0.7}}});
  system.set_initial_velocity("body", {2.0, 0.5, -1.0});
  return system;
}

/// So many bodies that kernels and matrices are those of large systems.
dae::System row_of_bodies() {
  dae::System system("row");
  const auto name = [](int i) { return "body" + std::to_string(i); };
  for (int i = 0; i < 7; ++i) {
    const bool is_se3 = i % 3 == 0;
    system.add_node(name(i), is_se3 ? lie::NodeGroup::se3() : lie::NodeGroup::so3xr3());
    system.add(name(i), elements::RigidBody{}, {name(i)},
               {.values = {{"m", 1 + 0.1 * i}, {"J1", 0.2}, {"J2", 0.3}, {"J3", 0.3 + 0.02 * i}}});
    system.set_initial_configuration(name(i), {1, 0, 0, 0, 1.5 * i, 0, 0});
    system.set_initial_velocity(name(i), {0.3 * i, 1.0, -0.5, 0.2, 0.1 * i, -0.3});
    if (i == 0) continue;
    system.add("spring" + std::to_string(i), elements::PointSpring{}, {name(i - 1), name(i)},
               {.values = {{"a.X1", 0.4}, {"a.X2", 0.1}, {"b.X1", -0.3}, {"k", 20}, {"d", 0.2}}});
  }
  return system;
}

struct SystemCase {
  std::string name;
  std::function<dae::System()> make;
  double h = 0.05;
};
void PrintTo(const SystemCase& one, std::ostream* out) { *out << one.name; }

const std::vector<SystemCase>& all_systems() {
  const auto model = [](const std::string& name, const lie::NodeGroup& group) {
    return [name, group] { return models::make_model(name, group); };
  };
  static const std::vector<SystemCase> systems = {
      {"torsional_ball", model("torsional_ball", lie::NodeGroup::so3xr3())},
      {"spinning_top", model("spinning_top", lie::NodeGroup::so3xr3()), 2e-3},
      {"free_body_so3xr3", model("free_body", lie::NodeGroup::so3xr3())},
      {"free_body_se3", model("free_body", lie::NodeGroup::se3())},
      {"rotor_se3", model("rotor", lie::NodeGroup::se3()), 2e-5},
      {"planar_body", planar_body},
      {"driven_gyroscope", driven_gyroscope},
      {"row_of_bodies", row_of_bodies},
  };
  return systems;
}

/// Whose steps are so long that the projection moves their ends.
const std::vector<SystemCase>& constrained_systems() {
  const auto model = [](const std::string& name, const models::Structure& structure) {
    return [name, structure] { return models::make_model(name, structure); };
  };
  const auto in_workshop = [](const lie::NodeGroup& group) {
    return [group] { return testing::workshop(group); };
  };
  static const std::vector<SystemCase> systems = {
      {"heavy_top_so3xr3", model("heavy_top", {}), 4e-3},
      {"heavy_top_se3", model("heavy_top", {.body_group = lie::NodeGroup::se3()}), 4e-3},
      {"slider_crank_3d", model("slider_crank_3d", {}), 0.02},
      {"four_bar", [] { return testing::planar_four_bar(lie::NodeGroup::se2()); }, 0.1},
      {"chain", model("chain", {.bodies = 7}), 0.02},
      {"workshop_so3xr3", in_workshop(lie::NodeGroup::so3xr3())},
      {"workshop_se3", in_workshop(lie::NodeGroup::se3())},
  };
  return systems;
}

/// Whose first stage is the start of the step, and whose last is the end.
dae::ButcherTableau trapezoidal_rule() {
  dae::ButcherTableau tableau{.name = "trapezoidal", .order = 2};
  tableau.a.resize(2, 2);
  tableau.a << 0, 0, 0.5, 0.5;
  tableau.b = Eigen::Vector2d(0.5, 0.5);
  tableau.c = Eigen::Vector2d(0, 1);
  return tableau;
}

double law(double t) { return std::cos(2 * t) + 0.3 * t; }

/// A step of a system, and the same with all that it depends on perturbed.
class Step {
 public:
  Step(dae::System system, dae::ButcherTableau tableau, double h)
      : system_(std::move(system)),
        state_(system_, dae::Method::kMuntheKaas),
        outer_(system_),
        tableau_(std::move(tableau)),
        h_(h) {
    // Constraints that depend on time do not hold at this one.
    dae::Consistency consistency(system_, {.project = true}, dae::LinearSolverKind::kAutomatic);
    start_.begin(consistency.initial_state(0.2, controls_at(0.2)));
    // Away from the special points at which models start.
    for (int n = 0; n < 3; ++n) start_ = make(start_, h, start_.t + h, system_);
    end_ = make(start_, h, start_.t + h, system_);
    start_controls_ = controls_at(start_.t);
    end_controls_ = controls_at(end_.t);
  }

  const dae::System& system() const { return system_; }
  const StateLayout& state_layout() const { return state_; }
  const OuterLayout& outer_layout() const { return outer_; }
  StepMade made() const { return {start_, end_, h_, start_controls_, end_controls_}; }
  std::unique_ptr<StepDerivative> derivative() const {
    static const dae::ControlLaw kLaw = [](double t, std::span<double> u) {
      std::fill(u.begin(), u.end(), law(t));
    };
    std::unique_ptr<StepDerivative> result = munthe_kaas_derivative(system_, tableau_, {});
    result->set_run(system_.parameter_values(), kLaw);
    return result;
  }

  /// The end in its chart, for a start and all else perturbed by epsilon times a direction.
  Vector end(const Vector& start, const Vector& outer, double epsilon) const {
    dae::System system = system_;
    for (std::size_t i = 0; i < system.parameters().size(); ++i) {
      const dae::ParameterSpec& spec = system.parameters()[i];
      system.set_parameter(spec.name, spec.value + epsilon * outer[i]);
    }
    const int dof = system.dof();
    dae::State from = start_;
    Vector delta(start.begin(), start.begin() + dof);
    for (double& entry : delta) entry *= epsilon;
    system.configuration_space().plus<double>(start_.q, delta, from.q);
    for (std::size_t i = 0; i < index(dof); ++i) {
      from.v[i] += epsilon * start[index(state_.v) + i];
      from.v_dot[i] += epsilon * start[index(state_.v_dot) + i];
    }
    const auto move = [&](Vector& part, int first) {
      for (std::size_t i = 0; i < part.size(); ++i) part[i] += epsilon * start[index(first) + i];
    };
    move(from.lambda, state_.lambda);
    move(from.s, state_.s);
    from.t += epsilon * outer[index(outer_.start_time)];
    const double h = h_ + epsilon * outer[index(outer_.h)];
    const double t_end = end_.t + epsilon * outer[index(outer_.end_time)];
    const dae::State to = make(from, h, t_end, system, outer, epsilon);
    Vector result(index(state_.size));
    system.configuration_space().minus<double>(to.q, end_.q, result);
    for (std::size_t i = 0; i < index(dof); ++i) {
      result[index(state_.v) + i] = to.v[i] - end_.v[i];
      result[index(state_.v_dot) + i] = to.v_dot[i] - end_.v_dot[i];
    }
    const auto compare = [&](const Vector& moved, const Vector& base, int first) {
      for (std::size_t i = 0; i < base.size(); ++i) result[index(first) + i] = moved[i] - base[i];
    };
    compare(to.lambda, end_.lambda, state_.lambda);
    compare(to.s, end_.s, state_.s);
    return result;
  }

 private:
  Vector controls_at(double t) const { return Vector(system_.controls().size(), law(t)); }

  dae::MethodState make(const dae::State& from, double h, double t_end, const dae::System& system,
                        const Vector& outer = {}, double epsilon = 0) const {
    dae::NewtonOptions newton;
    newton.relative_tolerance = 1e-15;
    const auto stepper = dae::make_munthe_kaas(system, tableau_, newton);
    // Perturbed at the start, and all others with the end as if times had not moved.
    stepper->set_control_law([&](double t, std::span<double> u) {
      const double c = t == t_end ? 1 : (t - from.t) / h;
      const double base = outer.empty() ? from.t + c * h : start_.t + c * h_;
      for (std::size_t i = 0; i < u.size(); ++i) {
        u[i] = law(base);
        if (outer.empty()) continue;
        const bool is_start = std::abs(c) < 1e-9;
        const int controls = is_start ? outer_.start_controls : outer_.end_controls;
        u[i] += epsilon * outer[index(controls) + i];
      }
    });
    stepper->start(from, h);
    const dae::StepReport& report = stepper->step(h, t_end);
    EXPECT_TRUE(report.success) << report.message;
    return stepper->next();
  }

  dae::System system_;
  StateLayout state_;
  OuterLayout outer_;
  dae::ButcherTableau tableau_;
  double h_;
  dae::MethodState start_, end_;
  Vector start_controls_, end_controls_;
};

/// f'(0) and such, from even differences at e, e/2, e/4: errors of order e⁶.
template <class F>
Vector extrapolated(double e, const F& difference) {
  const auto eliminate = [](const Vector& coarse, const Vector& fine, double power) {
    Vector result(fine);
    for (std::size_t i = 0; i < fine.size(); ++i) {
      result[i] = (power * fine[i] - coarse[i]) / (power - 1);
    }
    return result;
  };
  const Vector first = difference(e), second = difference(e / 2), third = difference(e / 4);
  return eliminate(eliminate(first, second, 4), eliminate(second, third, 4), 16);
}

double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Of the products that inner() adds.
double sum_of_sizes(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] * b[i]);
  return sum;
}

class MuntheKaasDerivative
    : public ::testing::TestWithParam<std::tuple<SystemCase, dae::ButcherTableau>> {
 protected:
  MuntheKaasDerivative()
      : h(std::get<0>(GetParam()).h),
        step(std::get<0>(GetParam()).make(), std::get<1>(GetParam()), h),
        derivative(step.derivative()) {
    derivative->set_step(step.made());
  }

  /// (19) amplifies rounding.
  bool has_joints() const { return step.system().num_multipliers() > 0; }
  double smallest_seen() const { return has_joints() ? 0.1 : 1e-3; }
  double rounding() const { return has_joints() ? 1e-12 : 1e-14; }

  Vector random(int size) {
    std::normal_distribution<double> normal;
    Vector x(index(size));
    for (double& entry : x) entry = normal(generator);
    return x;
  }
  /// With joints, positions are moved less: what they violate must be within reach of the projection.
  Vector random_start() {
    Vector start = random(step.state_layout().size);
    if (!has_joints()) return start;
    for (std::size_t i = 0; i < index(step.state_layout().v); ++i) start[i] *= 0.1;
    return start;
  }
  Vector random_outer() {
    Vector outer = random(step.outer_layout().size);
    const auto& parameters = step.system().parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      outer[i] *= parameters[i].value != 0 ? 0.1 * parameters[i].value : 0.01;
    }
    outer[index(step.outer_layout().h)] *= h;
    return outer;
  }
  /// Of the end, with parts of equal importance.
  Vector random_weights() {
    Vector weights = random(step.state_layout().size);
    for (std::size_t i = index(step.state_layout().v_dot); i < weights.size(); ++i) {
      weights[i] *= h;
    }
    return weights;
  }
  Vector tangent(const Vector& start, const Vector& outer) {
    Vector end(index(step.state_layout().size));
    derivative->tangent(1, start, outer, end);
    return end;
  }

  std::mt19937 generator{11};
  double h;
  Step step;
  std::unique_ptr<StepDerivative> derivative;
};

/// Directions in one kind of arguments at a time, and in all.
TEST_P(MuntheKaasDerivative, TangentsAreThoseOfStepsThatAreMade) {
  const OuterLayout& outer_at = step.outer_layout();
  const Vector whole_start = random_start(), whole_outer = random_outer();
  struct Part {
    const char* name;
    bool of_start;
    int first, end;
  };
  const StateLayout& state_at = step.state_layout();
  for (const Part& part :
       {Part{"q", true, state_at.q, state_at.v}, Part{"v", true, state_at.v, state_at.v_dot},
        Part{"v_dot", true, state_at.v_dot, state_at.lambda},
        Part{"lambda", true, state_at.lambda, state_at.s},
        Part{"s", true, state_at.s, state_at.size},
        Part{"parameters", false, 0, outer_at.start_controls},
        Part{"start controls", false, outer_at.start_controls, outer_at.end_controls},
        Part{"end controls", false, outer_at.end_controls, outer_at.start_time},
        Part{"start time", false, outer_at.start_time, outer_at.end_time},
        Part{"end time", false, outer_at.end_time, outer_at.h},
        Part{"h", false, outer_at.h, outer_at.size}, Part{"all", false, -1, -1}}) {
    Vector start(whole_start.size(), 0.0), outer(whole_outer.size(), 0.0);
    if (part.first < 0) {
      start = whole_start;
      outer = whole_outer;
    } else {
      const Vector& from = part.of_start ? whole_start : whole_outer;
      std::copy(from.begin() + part.first, from.begin() + part.end,
                (part.of_start ? start : outer).begin() + part.first);
    }
    const Vector exact = tangent(start, outer);
    const Vector differences = extrapolated(4e-3, [&](double e) {
      Vector result = step.end(start, outer, e);
      const Vector back = step.end(start, outer, -e);
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = (result[i] - back[i]) / (2 * e);
      return result;
    });
    // q, v and v̇ are compared with their own sizes; differences cannot see less than rounding lets them.
    const dae::State& made = step.made().end;
    for (const auto& [first, end, values] : {std::tuple(state_at.q, state_at.v, &made.q),
                                             {state_at.v, state_at.v_dot, &made.v},
                                             {state_at.v_dot, state_at.lambda, &made.v_dot},
                                             {state_at.lambda, state_at.s, &made.lambda},
                                             {state_at.s, state_at.size, &made.s}}) {
      double size = smallest_seen() * std::max(1.0, dae::max_of(*values)), error = 0;
      for (std::size_t i = index(first); i < index(end); ++i) {
        size = std::max(size, std::abs(exact[i]));
        error = std::max(error, std::abs(exact[i] - differences[i]));
      }
      EXPECT_LE(error, 1e-8 * size) << part.name << ", " << first;
    }
  }
}

TEST_P(MuntheKaasDerivative, AdjointsAreTransposedTangents) {
  const Vector weights = random_weights();
  Vector start_gradient(index(step.state_layout().size), 0.0),
      outer_gradient(index(step.outer_layout().size), 0.0);
  derivative->adjoint(1, weights, start_gradient, outer_gradient);
  for (int i = 0; i < 5; ++i) {
    const Vector start = random_start(), outer = random_outer();
    const Vector end = tangent(start, outer);
    const double backward = inner(start_gradient, start) + inner(outer_gradient, outer);
    EXPECT_NEAR(
        inner(weights, end), backward,
        1e-12 * (sum_of_sizes(start_gradient, start) + sum_of_sizes(outer_gradient, outer)));
  }
}

TEST_P(MuntheKaasDerivative, TreatsColumnsByThemselvesAndAddsGradients) {
  const std::size_t state_size = index(step.state_layout().size);
  const std::size_t outer_size = index(step.outer_layout().size);
  for (const std::size_t count : {3, 11}) {  // fewer and more than registers hold
    std::vector<Vector> starts, outers, weights;
    for (std::size_t c = 0; c < count; ++c) {
      starts.push_back(random_start());
      outers.push_back(random_outer());
      weights.push_back(random_weights());
    }
    Vector ends(count * state_size), start_gradients(count * state_size, 1.0),
        outer_gradients(count * outer_size, 1.0);
    const int columns = static_cast<int>(count);
    derivative->tangent(columns, side_by_side(starts), side_by_side(outers), ends);
    derivative->adjoint(columns, side_by_side(weights), start_gradients, outer_gradients);
    for (std::size_t c = 0; c < count; ++c) {
      expect_near(column(ends, c, count), tangent(starts[c], outers[c]), rounding(), "end");
      Vector start(state_size, 1.0), outer(outer_size, 1.0);
      derivative->adjoint(1, weights[c], start, outer);
      expect_near(column(start_gradients, c, count), start, rounding(), "start");
      expect_near(column(outer_gradients, c, count), outer, rounding(), "outer");
    }
  }
}

/// A direction, or a gradient, in all arguments.
struct Arguments {
  Vector start, outer;
};
double inner(const Arguments& a, const Arguments& b) {
  return inner(a.start, b.start) + inner(a.outer, b.outer);
}

class MuntheKaasSecondDerivative : public MuntheKaasDerivative {
 protected:
  Arguments zero() const {
    return {Vector(index(step.state_layout().size), 0.0),
            Vector(index(step.outer_layout().size), 0.0)};
  }
  Arguments random_direction() { return {random_start(), random_outer()}; }
  struct Result {
    Arguments value, dot;
  };
  Result second(const Arguments& along, Vector end, Vector end_dot) {
    Result result{zero(), zero()};
    derivative->second(along.start, along.outer, {end, end_dot},
                       {result.value.start, result.dot.start},
                       {result.value.outer, result.dot.outer});
    return result;
  }
};

TEST_P(MuntheKaasSecondDerivative, IsThatOfStepsThatAreMade) {
  const Vector weights = random_weights(), none(weights.size(), 0.0);
  const Arguments a = random_direction(), b = random_direction();
  const auto value = [&](double along_a, double along_b) {
    Arguments direction = a;
    for (std::size_t i = 0; i < a.start.size(); ++i) {
      direction.start[i] = along_a * a.start[i] + along_b * b.start[i];
    }
    for (std::size_t i = 0; i < a.outer.size(); ++i) {
      direction.outer[i] = along_a * a.outer[i] + along_b * b.outer[i];
    }
    return inner(weights, step.end(direction.start, direction.outer, 1));
  };
  const double differences = extrapolated(has_joints() ? 5e-3 : 1e-2, [&](double e) {
    return Vector{(value(e, e) - value(e, -e) - value(-e, e) + value(-e, -e)) / (4 * e * e)};
  })[0];
  const double exact = inner(second(a, weights, none).dot, b);
  EXPECT_NEAR(exact, differences, 1e-7 * std::max(1.0, std::abs(exact)));
}

TEST_P(MuntheKaasSecondDerivative, IsSymmetric) {
  const Vector weights = random_weights(), none(weights.size(), 0.0);
  const Arguments a = random_direction(), b = random_direction();
  const double ab = inner(second(a, weights, none).dot, b);
  const double ba = inner(second(b, weights, none).dot, a);
  EXPECT_NE(ab, 0);
  EXPECT_NEAR(ab, ba, 1e-11 * std::max(1.0, std::abs(ab)));
}

TEST_P(MuntheKaasSecondDerivative, CarriesValuesAndTheirDerivativesBack) {
  const Vector weights = random_weights(), dots = random_weights(), none(weights.size(), 0.0);
  const Arguments a = random_direction();
  Arguments of_weights = zero(), of_dots = zero();
  derivative->adjoint(1, weights, of_weights.start, of_weights.outer);
  derivative->adjoint(1, dots, of_dots.start, of_dots.outer);
  const Result both = second(a, weights, dots), alone = second(a, weights, none);
  EXPECT_EQ(both.value.start, of_weights.start);
  EXPECT_EQ(both.value.outer, of_weights.outer);
  const auto expect_sum = [this](const Vector& sum, const Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      EXPECT_NEAR(sum[i], x[i] + y[i], 100 * rounding() * (1 + std::abs(x[i]) + std::abs(y[i])));
    }
  };
  expect_sum(both.dot.start, alone.dot.start, of_dots.start);
  expect_sum(both.dot.outer, alone.dot.outer, of_dots.outer);
}

TEST_P(MuntheKaasSecondDerivative, AllocatesNothingAfterTheFirstTime) {
  if (!test::kHeapIsWatched) GTEST_SKIP() << "no way is known to watch the heap of this system";
  Arguments direction = random_direction(), gradient = zero(), dot = zero();
  Vector end = random_weights(), end_dot = random_weights(), result(end.size());
  const StepMade made = step.made();
  const auto all = [&] {
    derivative->set_step(made);
    derivative->tangent(1, direction.start, direction.outer, result);
    derivative->adjoint(1, end, gradient.start, gradient.outer);
    derivative->second(direction.start, direction.outer, {end, end_dot},
                       {gradient.start, dot.start}, {gradient.outer, dot.outer});
  };
  all();
  EXPECT_EQ(test::allocations_of(all), 0);
}

const auto kAll =
    ::testing::Combine(::testing::ValuesIn(all_systems()),
                       ::testing::Values(dae::rk4(), dae::dormand_prince_54(), dae::butcher_6(),
                                         dae::gauss_2(), dae::radau_iia_2(), trapezoidal_rule()));
std::string name_of(const ::testing::TestParamInfo<MuntheKaasDerivative::ParamType>& info) {
  std::string name = std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Steps, MuntheKaasDerivative, kAll, name_of);
INSTANTIATE_TEST_SUITE_P(Steps, MuntheKaasSecondDerivative, kAll, name_of);
const auto kConstrained =
    ::testing::Combine(::testing::ValuesIn(constrained_systems()),
                       ::testing::Values(dae::rk4(), dae::dormand_prince_54(), dae::butcher_6()));
INSTANTIATE_TEST_SUITE_P(ProjectedSteps, MuntheKaasDerivative, kConstrained, name_of);
INSTANTIATE_TEST_SUITE_P(ProjectedSteps, MuntheKaasSecondDerivative, kConstrained, name_of);

TEST(MuntheKaasDerivativeOfAnySystem, NeedsOneWithoutConstraintsForImplicitTableaus) {
  try {
    munthe_kaas_derivative(models::make_model("heavy_top"), dae::gauss_2(), {});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& e) {
    EXPECT_STREQ(e.what(),
                 "implicit Munthe-Kaas methods such as 'rkmk-gauss2' are for systems without "
                 "constraints and algebraic states, which 'heavy_top' has; use a Radau or a "
                 "generalized-alpha method");
  }
}

/// A body on a stiff spring, both far from the origin, that hardly moves: rounding of its position is far more than
/// 1e-9 of what it moves by in a step.
dae::System nearly_at_rest_far_away() {
  constexpr double kFar = 1e4;
  dae::System system("far");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add("body", elements::RigidBody{}, {"body"},
             {.values = {{"m", 1}, {"J1", 0.1}, {"J2", 0.1}, {"J3", 0.1}}});
  system.add_frame("wall", "ground", {.position = {kFar, 0, 0}});
  system.add("spring", elements::PointSpring{}, {"body", "wall"},
             {.values = {{"k", 1e9}, {"l0", 1}}});
  system.set_initial_configuration("body", {1, 0, 0, 0, kFar - 1, 0, 0});
  system.set_initial_velocity("body", {0, 0, 0, 1e-7, 0, 0});
  return system;
}

TEST(MuntheKaasDerivativeOfAnySystem, IsFoundWhereRoundingOfPositionsIsLarge) {
  for (const auto& tableau : {dae::radau_iia_2(), dae::gauss_2()}) {
    const double h = 1e-3;
    const Step step(nearly_at_rest_far_away(), tableau, h);
    const auto derivative = step.derivative();
    ASSERT_NO_THROW(derivative->set_step(step.made()));
    // The spring does not turn, and is linear along its axis: x' = v, v' = -ω²x, of which the step makes the
    // rational function of the method, here of the matrix h (0 1; -ω² 0).
    const StateLayout& at = step.state_layout();
    Vector start(index(at.size), 0.0), end(start), outer(index(step.outer_layout().size), 0.0);
    start[index(at.v) + 3] = 1;
    derivative->tangent(1, start, outer, end);
    Eigen::Matrix2d z;
    z << 0, h, -1e9 * h, 0;
    const Eigen::Matrix2d one = Eigen::Matrix2d::Identity();
    const Eigen::Matrix2d through =
        tableau.name == dae::radau_iia_2().name
            ? ((one - 2 * z / 3 + z * z / 6).inverse() * (one + z / 3)).eval()
            : ((one - z / 2 + z * z / 12).inverse() * (one + z / 2 + z * z / 12)).eval();
    // Rounding of rates that the entry hk = 1e6 of the matrix of stages amplifies.
    const double rounding = 1e-16 * 1e9 * h;
    EXPECT_NEAR(end[index(at.q) + 3], through(0, 1), 100 * rounding * h);
    EXPECT_NEAR(end[index(at.v) + 3], through(1, 1), 100 * rounding);
  }
}

/// Whose force is no number from a time on.
struct EndOfNumbers {
  dae::ElementShape shape() const {
    return {.type = "end_of_numbers", .nodes = {{dae::NodeRole::kCoordinates, 1}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::sqrt;
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) - sqrt(S(1) - at.time());
  }
};

TEST(MuntheKaasDerivativeOfAnySystem, SaysWhenStagesAreNotNumbers) {
  dae::System system("end");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("force", EndOfNumbers{}, {"x"});
  const auto derivative = munthe_kaas_derivative(system, dae::radau_iia_2(), {});
  dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
  dae::MethodState start;
  start.begin(consistency.initial_state(0.9, {}));
  dae::MethodState end = start;
  end.t = 1.4;
  try {
    derivative->set_step({start, end, 0.5, {}, {}});
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "the derivative of the step to t = 1.4 does not exist: the iteration for its "
                 "stages diverges; make steps smaller");
  }
}

}  // namespace
}  // namespace liegrad::sensitivity
