// The equations of Munthe-Kaas steps at points that do not satisfy them: against differences and the taped step; solved by
// Newton's method they are the steps that the methods make, with the derivatives that these have.

#include "liegrad/sensitivity/step/munthe_kaas_step_equations.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/step/munthe_kaas_derivative.hpp"
#include "matrices_at_point.hpp"
#include "sensitivity/taped/taped_system.hpp"
#include "sensitivity/workshop_model.hpp"
#include "support/allocations.hpp"
#include "support/servo_model.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::ButcherTableau;
using dae::index;
using testing::random_numbers;
using testing::Taped;
using testing::TapedState;
using testing::Tapes;
using Layout = MuntheKaasStepEquations::Layout;

struct Case {
  std::string name;
  dae::System system;
  ButcherTableau tableau;
  double h = 0.02;  ///< of a step that is made
};

std::vector<Case> all_cases() {
  const models::Structure se3 = {.body_group = lie::NodeGroup::se3()};
  const models::Structure se2 = {.planar_group = lie::NodeGroup::se2()};
  struct Mechanism {
    std::string name;
    dae::System system;
    double h = 0.02;
  };
  const std::vector<Mechanism> constrained = {
      {"heavy_top", models::make_model("heavy_top"), 4e-3},
      {"heavy_top on SE(3)", models::make_model("heavy_top", se3), 4e-3},
      {"slider_crank", models::make_model("slider_crank"), 5e-3},
      {"slider_crank on SE(2)", models::make_model("slider_crank", se2), 5e-3},
      {"servo", testing::servo(), 0.05},
      {"workshop", testing::workshop(lie::NodeGroup::so3xr3())},
      {"workshop on SE(3)", testing::workshop(lie::NodeGroup::se3())}};
  const std::vector<Mechanism> free = {{"torsional_ball", models::make_model("torsional_ball")},
                                       {"spinning_top", models::make_model("spinning_top"), 2e-3},
                                       {"free_body on SE(3)", models::make_model("free_body", se3)},
                                       {"follower", testing::follower(), 0.05}};
  std::vector<Case> cases;
  for (const ButcherTableau& tableau : {dae::rk4(), dae::dormand_prince_54()}) {
    for (const Mechanism& one : constrained) {
      cases.push_back({one.name + ", " + tableau.name, one.system, tableau, one.h});
    }
  }
  for (const ButcherTableau& tableau :
       {dae::rk4(), dae::dormand_prince_54(), dae::gauss_2(), dae::radau_iia_2()}) {
    for (const Mechanism& one : free) {
      cases.push_back({one.name + ", " + tableau.name, one.system, tableau, one.h});
    }
  }
  return cases;
}

std::size_t num_references(const Layout& at) { return at.stages.size() + (at.projection ? 2 : 1); }

/// The references are the motion of nothing.
void set_random_point(const dae::System& system, MuntheKaasStepEquations& equations) {
  const lie::GroupList& space = system.configuration_space();
  std::vector<std::vector<double>> references;
  for (std::size_t i = 0; i < num_references(equations.layout()); ++i) {
    std::vector<double>& q = references.emplace_back(index(space.num_coeffs()));
    space.plus<double>(system.initial_configuration(), random_numbers(system.dof(), 0.3), q);
  }
  equations.set_references(references);
  const Layout& at = equations.layout();
  for (int i = 0; i < at.parameters; ++i) {
    equations.point()[index(i)] = testing::random_number(0.5);
  }
  equations.point()[index(at.h)] = 0.13;
}

TEST(MuntheKaasStepEquations, HaveTheDerivativesThatDifferencesHaveAtUnsatisfiedPoints) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    MuntheKaasStepEquations equations(c.system, c.tableau, ad::Backend::kInterpreted);
    set_random_point(c.system, equations);
    testing::MatricesAtPoint(equations).check();
  }
}

/// Puts values where the layout has them, and configurations in charts whose origins are beside them.
class PointSetter {
 public:
  PointSetter(const dae::System& system, MuntheKaasStepEquations& equations)
      : system_(system), equations_(equations) {}

  void put(int first, const Tapes& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      equations_.point()[index(first) + i] = CppAD::Value(list[i]);
    }
  }
  void put_configuration(int first, const Tapes& q) {
    const lie::GroupList& space = system_.configuration_space();
    const std::vector<double> values = testing::values_of(q);
    std::vector<double>& reference = references_.emplace_back(values.size());
    space.plus<double>(values, random_numbers(system_.dof(), 0.4), reference);
    space.minus<double>(values, reference,
                        equations_.point().subspan(index(first), index(system_.dof())));
    equations_.set_references(completed());
  }

 private:
  std::vector<std::vector<double>> completed() const {
    std::vector<std::vector<double>> all = references_;
    all.resize(num_references(equations_.layout()), references_.front());
    return all;
  }
  const dae::System& system_;
  MuntheKaasStepEquations& equations_;
  std::vector<std::vector<double>> references_;
};

Tapes sum(const Tapes& x, const Tapes& y, double factor = 1) {
  Tapes result = x;
  for (std::size_t i = 0; i < x.size(); ++i) result[i] += factor * y[i];
  return result;
}

/// The derivative of M v̇ + g + Bᵀλ and of h_s along a change of v̇, λ and s.
Tapes directional_derivative(const dae::System& system, const TapedState& at, const Tapes& v_dot,
                             const Tapes& lambda, const Tapes& s) {
  Tapes amount(1, Taped(0));
  CppAD::Independent(amount);
  const auto moved = [&amount](Tapes x, const Tapes& by) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += amount[0] * by[i];
    return x;
  };
  TapedState there = at;
  there.v_dot = moved(at.v_dot, v_dot);
  there.lambda = moved(at.lambda, lambda);
  there.s = moved(at.s, s);
  const testing::Rows rows = testing::rows_at(system, there);
  CppAD::ADFun<double> f(amount, testing::joined({rows.motion, rows.algebraic}));
  return testing::constants(f.Forward(1, std::vector<double>{1}));
}

/// Goes through the stages of a step with rates, multipliers and corrections that are any, by operations on recorded numbers,
/// and compares what is left of each equation.
void expect_rows_of_the_taped_step(const Case& c) {
  constexpr double h = 0.13;
  const dae::System& system = c.system;
  const lie::GroupList& space = system.configuration_space();
  const int dof = system.dof(), multipliers = system.num_multipliers();
  const auto random = [](int count, double size = 0.5) {
    return testing::constants(random_numbers(count, size));
  };
  const auto random_controls = [&] { return random(static_cast<int>(system.controls().size())); };

  MuntheKaasStepEquations equations(system, c.tableau, ad::Backend::kInterpreted);
  const Layout& at = equations.layout();
  PointSetter point(system, equations);
  const TapedState start = {.t = Taped(1.7),
                            .q = testing::constants(system.initial_configuration()),
                            .v = random(dof),
                            .v_dot = random(dof),
                            .a = random(dof),
                            .lambda = random(multipliers),
                            .s = random(system.num_algebraic()),
                            .parameters = testing::constants(system.parameter_values()),
                            .controls = random_controls()};
  point.put_configuration(at.start.q, start.q);
  point.put(at.start.v, start.v);
  point.put(at.start.v_dot, start.v_dot);
  point.put(at.start.lambda, start.lambda);
  point.put(at.start.s, start.s);
  point.put(at.start.controls, start.controls);
  point.put(at.start.time, {start.t});
  point.put(at.h, {Taped(h)});

  // Rates of all stages of the tableau: the first of an explicit one is that of the start.
  const bool is_explicit = c.tableau.is_explicit();
  const auto num_stages = static_cast<std::size_t>(c.tableau.b.size());
  std::vector<Tapes> p, u;
  for (std::size_t j = 0; j < num_stages; ++j) {
    const bool is_start = is_explicit && j == 0;
    p.push_back(is_start ? start.v : random(dof));
    u.push_back(is_start ? start.v_dot : random(dof));
  }
  std::vector<double> known;
  const auto expect = [&known](const Tapes& rows) {
    const std::vector<double> values = testing::values_of(rows);
    known.insert(known.end(), values.begin(), values.end());
  };
  const auto expect_zeros = [&](int count) { expect(Tapes(index(count), Taped(0))); };
  const auto expect_accelerations = [&](const TapedState& state) {
    const testing::Rows rows = testing::rows_at(system, state);
    expect(rows.motion);
    expect(rows.algebraic);
    expect(rows.acceleration);
  };

  TapedState state = start;
  for (std::size_t i = 0; i < at.stages.size(); ++i) {
    const Layout::Stage& stage = at.stages[i];
    const std::size_t own = i + (is_explicit ? 1 : 0);
    const bool is_end = i + 1 == at.stages.size();
    Tapes theta(index(dof), Taped(0));
    state.v = start.v;
    for (std::size_t j = 0; j < num_stages; ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      const double weight =
          h * (is_end ? c.tableau.b(column) : c.tableau.a(static_cast<Eigen::Index>(own), column));
      theta = sum(theta, p[j], weight);
      state.v = sum(state.v, u[j], weight);
    }
    space.plus<Taped>(start.q, theta, state.q);
    state.t = testing::random_number(1);
    state.controls = random_controls();
    state.v_dot = stage.p ? u[own] : random(dof);
    state.lambda = random(multipliers);
    state.s = random(system.num_algebraic());
    point.put_configuration(stage.q, state.q);
    point.put(stage.v, state.v);
    point.put(stage.v_dot, state.v_dot);
    point.put(stage.lambda, state.lambda);
    point.put(stage.s, state.s);
    point.put(stage.controls, state.controls);
    point.put(stage.time, {state.t});
    expect_zeros(2 * dof);
    if (stage.p) {
      point.put(*stage.p, p[own]);
      Tapes moved(index(dof));
      space.apply_tangent_operator<Taped>(theta, p[own], moved);
      expect(sum(moved, state.v, -1));
    }
    if (!is_end || !at.projection) expect_accelerations(state);
  }
  if (at.projection) {
    TapedState before = state;
    before.v_dot = start.v_dot;
    before.lambda = start.lambda;
    before.s = start.s;
    const Tapes x = random(dof, 0.3), y = random(dof);
    TapedState end = state;
    space.plus<Taped>(state.q, x, end.q);
    end.v = sum(state.v, y);
    point.put_configuration(at.projection->q, end.q);
    point.put(at.projection->v, end.v);
    const auto expect_normal = [&](int change, const Tapes& by, int first, int last) {
      const Tapes multiplier = random(multipliers), algebraic = random(system.num_algebraic());
      point.put(change, by);
      point.put(first, multiplier);
      point.put(last, algebraic);
      expect_zeros(dof);
      expect(directional_derivative(system, before, by, multiplier, algebraic));
    };
    expect_normal(at.projection->x, x, at.projection->nu, at.projection->sigma);
    expect_normal(at.projection->y, y, at.projection->mu, at.projection->tau);
    const testing::Rows rows = testing::rows_at(system, end);
    expect(rows.position);
    expect(rows.velocity);
    expect_accelerations(end);
  }

  ASSERT_EQ(known.size(), index(equations.num_rows()));
  const std::vector<double> residual = testing::MatricesAtPoint(equations).residual();
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_NEAR(residual[i], known[i], 1e-11 * (1 + std::abs(known[i]))) << i;
  }
}

TEST(MuntheKaasStepEquations, AreThoseOfTheTapedStepInChartsAwayFromTheirOrigins) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    expect_rows_of_the_taped_step(c);
  }
}

/// A step that was made, with a control that is constant in it.
struct StepOfRun {
  dae::State start, end;
  double h;
  std::vector<double> controls;
};

StepOfRun make_step(const Case& c) {
  dae::IntegrateOptions options;
  options.method = dae::Method::kMuntheKaas;
  options.tableau = c.tableau;
  options.step = options.t_end = c.h;
  options.controls = [](double, std::span<double> u) { std::ranges::fill(u, 0.7); };
  const dae::Solution run = dae::integrate(c.system, options);
  EXPECT_EQ(run.summary.termination, dae::Termination::kReachedEnd) << run.summary.message;
  return {run.samples.front(), run.final, c.h,
          std::vector<double>(c.system.controls().size(), 0.7)};
}

/// A step found from these equations alone, by Newton's method from the motion at its start.
class SolvedStep {
 public:
  SolvedStep(const Case& c, const StepOfRun& made)
      : system_(c.system), equations_(c.system, c.tableau, ad::Backend::kInterpreted) {
    const Layout& at = equations_.layout();
    references_.assign(num_references(at), made.start.q);
    equations_.set_references(references_);
    const auto put = [&](int first, std::span<const double> list) {
      std::ranges::copy(list, equations_.point().begin() + first);
    };
    const dae::State& start = made.start;
    put(at.start.v, start.v);
    put(at.start.v_dot, start.v_dot);
    put(at.start.lambda, start.lambda);
    put(at.start.s, start.s);
    put(at.start.controls, made.controls);
    put(at.h, std::array{made.h});
    configurations_ = {at.start.q};
    const std::vector<StagePlace> places = stage_places(c.tableau);
    for (std::size_t i = 0; i < at.stages.size(); ++i) {
      const Layout::Stage& stage = at.stages[i];
      put(stage.v, start.v);
      if (stage.p) put(*stage.p, start.v);
      put(stage.v_dot, start.v_dot);
      put(stage.lambda, start.lambda);
      put(stage.s, start.s);
      put(stage.controls, made.controls);
      put(stage.time, std::array{places[i].c * made.h});
      configurations_.push_back(stage.q);
      for (int k = stage.q; k < stage.controls; ++k) unknowns_.push_back(k);
    }
    if (at.projection) {
      put(at.projection->v, start.v);
      configurations_.push_back(at.projection->q);
      for (int k = at.projection->q; k < at.parameters; ++k) unknowns_.push_back(k);
    }
    solve();
  }

  MuntheKaasStepEquations& equations() { return equations_; }
  /// ∂(equations)/∂(arguments from `first` on, `count` of them).
  Eigen::MatrixXd columns(int first, int count) {
    return testing::MatricesAtPoint(equations_).jacobian().middleCols(first, count);
  }
  Eigen::MatrixXd matrix() {
    const Eigen::MatrixXd all = testing::MatricesAtPoint(equations_).jacobian();
    Eigen::MatrixXd result(all.rows(), std::ssize(unknowns_));
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      result.col(static_cast<Eigen::Index>(k)) = all.col(unknowns_[k]);
    }
    return result;
  }
  /// Which unknown an argument is.
  Eigen::Index row_of(int argument) const {
    return std::ranges::find(unknowns_, argument) - unknowns_.begin();
  }
  /// Where q, v, v̇, λ and s of the end stand.
  std::vector<std::pair<int, int>> end_parts() const {
    const Layout& at = equations_.layout();
    const Layout::Stage& last = at.stages.back();
    return {{at.projection ? at.projection->q : last.q, system_.dof()},
            {at.projection ? at.projection->v : last.v, system_.dof()},
            {last.v_dot, system_.dof()},
            {last.lambda, system_.num_multipliers()},
            {last.s, system_.num_algebraic()}};
  }
  double distance_from(const dae::State& end) {
    const Layout& at = equations_.layout();
    const std::vector<std::pair<int, int>> parts = end_parts();
    double largest = 0;
    const auto compare = [&](std::span<const double> known, int first) {
      for (std::size_t i = 0; i < known.size(); ++i) {
        const double value = equations_.point()[index(first) + i];
        largest = std::max(largest, std::abs(value - known[i]) / (1 + std::abs(known[i])));
      }
    };
    std::vector<double> delta(index(system_.dof()));
    system_.configuration_space().minus<double>(end.q, references_.back(), delta);
    compare(delta, parts[0].first);
    compare(end.v, parts[1].first);
    compare(end.v_dot, parts[2].first);
    compare(end.lambda, parts[3].first);
    compare(end.s, parts[4].first);
    EXPECT_EQ(at.size, std::ssize(equations_.point()));
    return largest;
  }

 private:
  void solve() {
    for (int i = 0; i < 12; ++i) {
      const std::vector<double> r = testing::MatricesAtPoint(equations_).residual();
      const Eigen::MatrixXd j = matrix();
      ASSERT_EQ(j.rows(), j.cols());
      const Eigen::VectorXd change =
          j.partialPivLu().solve(Eigen::Map<const Eigen::VectorXd>(r.data(), j.rows()));
      for (std::size_t k = 0; k < unknowns_.size(); ++k) {
        equations_.point()[index(unknowns_[k])] -= change(static_cast<Eigen::Index>(k));
      }
      recentre();
    }
  }
  /// The configurations that were reached are the origins of charts.
  void recentre() {
    const lie::GroupList& space = system_.configuration_space();
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      const std::span<double> delta =
          equations_.point().subspan(index(configurations_[i]), index(system_.dof()));
      space.plus<double>(references_[i], delta, references_[i]);
      std::ranges::fill(delta, 0.0);
    }
    equations_.set_references(references_);
  }

  const dae::System& system_;
  MuntheKaasStepEquations equations_;
  std::vector<std::vector<double>> references_;
  std::vector<int> configurations_, unknowns_;
};

TEST(MuntheKaasStepEquations, AreSolvedByTheStepThatIsMadeAndNotByThatOfAnotherMethod) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const StepOfRun made = make_step(c);
    EXPECT_LT(SolvedStep(c, made).distance_from(made.end), 1e-10);
    Case other = c;
    if (c.tableau.is_explicit()) {
      other.tableau = c.tableau.name == dae::rk4().name ? dae::dormand_prince_54() : dae::rk4();
    } else {
      other.tableau = c.tableau.name == dae::gauss_2().name ? dae::radau_iia_2() : dae::gauss_2();
    }
    EXPECT_GT(SolvedStep(other, made).distance_from(made.end), 1e-9);
  }
}

/// End by start and parameters: -(∂F/∂z)⁻¹ ∂F/∂x of these equations, and the tangents of munthe_kaas_derivative().
TEST(MuntheKaasStepEquations, HaveTheDerivativesOfTheStepThatIsMade) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const StepOfRun made = make_step(c);
    SolvedStep solved(c, made);
    const Layout& at = solved.equations().layout();
    const int parameters = static_cast<int>(c.system.parameters().size());
    const int state_size = at.start.controls, columns = state_size + parameters;
    Eigen::MatrixXd by_start(solved.equations().num_rows(), columns);
    by_start << solved.columns(0, state_size), solved.columns(at.parameters, parameters);
    const Eigen::MatrixXd unknowns = -solved.matrix().partialPivLu().solve(by_start);

    const auto derivative = munthe_kaas_derivative(c.system, c.tableau, {});
    const dae::ControlLaw law = [](double, std::span<double> u) { std::ranges::fill(u, 0.7); };
    derivative->set_run(c.system.parameter_values(), law);
    dae::MethodState start, end;
    start.begin(made.start);
    end.begin(made.end);
    derivative->set_step({start, end, made.h, made.controls, made.controls});
    const StateLayout state(c.system, dae::Method::kMuntheKaas);
    const OuterLayout outer(c.system);
    ASSERT_EQ(state.size, state_size);
    using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Columns of_start = Columns::Zero(state.size, columns);
    of_start.leftCols(state.size).setIdentity();
    Columns of_outer = Columns::Zero(outer.size, columns);
    of_outer.block(outer.parameters, state.size, parameters, parameters).setIdentity();
    Columns of_end = Columns::Zero(state.size, columns);
    const auto all = [](Columns& x) {
      return std::span(x.data(), static_cast<std::size_t>(x.size()));
    };
    derivative->tangent(columns, all(of_start), all(of_outer), all(of_end));

    Eigen::Index row = 0;
    for (const auto& [first, count] : solved.end_parts()) {
      for (int i = 0; i < count; ++i, ++row) {
        const auto known = of_end.row(row);
        EXPECT_LT((unknowns.row(solved.row_of(first + i)) - known).norm(),
                  1e-9 * (1 + known.norm()))
            << row;
      }
    }
  }
}

TEST(MuntheKaasStepEquations, RefuseWhatTheMethodRefuses) {
  EXPECT_THROW(MuntheKaasStepEquations(testing::servo(), dae::gauss_2()), InvalidArgument);
}

class MuntheKaasStepEquationsAllocation : public test::Allocation {};

TEST_F(MuntheKaasStepEquationsAllocation, IsNotNeededAfterTheFirstEvaluation) {
  const dae::System system = models::make_model("heavy_top");
  MuntheKaasStepEquations equations(system, dae::rk4());
  set_random_point(system, equations);
  testing::MatricesAtPoint(equations).check();  // compiled kernels are right as well
  const std::vector<double> weights = random_numbers(equations.num_rows(), 1);
  const std::vector<double> direction =
      random_numbers(static_cast<int>(equations.point().size()), 1);
  std::vector<double> rows(index(equations.num_rows()), 0.0), gradient(direction.size(), 0.0);
  std::vector<double> j(equations.jacobian_pattern().size(), 0.0);
  std::vector<double> h(equations.hessian_pattern().size(), 0.0);
  EXPECT_EQ(test::allocations_of([&] {
              equations.residual(rows);
              equations.jacobian(j);
              equations.hessian(weights, h);
              equations.tangent(1, direction, rows);
              equations.adjoint(1, weights, gradient);
              equations.second(weights, direction, gradient);
            }),
            0);
}

}  // namespace
}  // namespace liegrad::sensitivity
