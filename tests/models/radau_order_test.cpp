// Radau IIA in stabilised index-2 form on the built-in systems: order 2s - 1 in positions, velocities and multipliers,
// both levels of constraints at rounding, and the limit that generalized-α has.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/models/models.hpp"
#include "sensitivity/closed_loop_model.hpp"

namespace liegrad {
namespace {

/// A mass that a control pushes, on a spring whose force s is the root of s + s³ = x, beside a first-order state c.
struct Servo {
  dae::ElementShape shape() const {
    return {.type = "servo",
            .nodes = {{dae::NodeRole::kCoordinates, 1}, {dae::NodeRole::kCoordinates, 1}},
            .controls = {"u"},
            .algebraic = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const S x = at.coordinates(0)(0), c = at.velocity_coordinates(1)(0);
    balance.row(0, 0) +=
        at.acceleration_coordinates(0)(0) + at.algebraic(0) + c * x - at.control(0);
    balance.row(1, 0) += at.acceleration_coordinates(1)(0) + 2 * c - x;
  }
  template <class S>
  lie::Vec<S, 1> algebraic(const dae::Motion<S>& at) const {
    const S& s = at.algebraic(0);
    return lie::Vec<S, 1>(s + s * s * s - at.coordinates(0)(0));
  }
};

dae::System servo() {
  dae::System system("servo");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add_first_order_state("c", 1);
  system.add("servo", Servo{}, {"x", "c"});
  system.set_initial_configuration("x", {1});
  return system;
}

struct Case {
  std::string name;
  double t_end, h;              ///< of radau-3
  double part_for_radau_2 = 2;  ///< h over the step of radau-2
  models::Structure structure = {};
  std::string label = {};
  lie::NodeGroup group = {};  ///< of the bodies of a system that is not built in

  dae::System system() const {
    if (name == "servo") return servo();
    return name == "four_bar_of_rods" ? testing::planar_four_bar(group)
                                      : models::make_model(name, structure);
  }
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.label; }

const models::Structure kSe3 = {.body_group = lie::NodeGroup::se3()};

const std::vector<Case> kCases = {
    {.name = "heavy_top", .t_end = 0.08, .h = 2e-3, .label = "heavy_top"},
    {.name = "heavy_top", .t_end = 0.08, .h = 1e-3, .structure = kSe3, .label = "heavy_top_se3"},
    {.name = "pendulum", .t_end = 1, .h = 0.05, .label = "pendulum"},
    {.name = "slider_crank",
     .t_end = 0.1,
     .h = 5e-3,
     .part_for_radau_2 = 8,
     .label = "slider_crank"},
    {.name = "slider_crank_3d", .t_end = 0.5, .h = 5e-3, .label = "slider_crank_3d"},
    {.name = "slider_crank_3d",
     .t_end = 0.25,
     .h = 2.5e-3,
     .structure = kSe3,
     .label = "slider_crank_3d_se3"},
    {.name = "andrews", .t_end = 5e-3, .h = 2e-4, .label = "andrews"},
    {.name = "rotor", .t_end = 0.02, .h = 5e-5, .part_for_radau_2 = 4, .label = "rotor"},
    {.name = "chain", .t_end = 0.2, .h = 2.5e-3, .structure = {.bodies = 20}, .label = "chain"},
    {.name = "free_body", .t_end = 1, .h = 0.025, .structure = kSe3, .label = "free_body_se3"},
    {.name = "four_bar_of_rods",
     .t_end = 1,
     .h = 0.025,
     .label = "four_bar_r3",
     .group = lie::NodeGroup::rn(3)},
    {.name = "four_bar_of_rods",
     .t_end = 1,
     .h = 0.025,
     .label = "four_bar_se2",
     .group = lie::NodeGroup::se2()},
    {.name = "servo", .t_end = 2, .h = 0.1, .label = "servo"},
};

dae::IntegrateOptions radau(const Case& c, int stages, double h) {
  dae::IntegrateOptions o = dae::alpha_steps();
  o.method = dae::Method::kRadau;
  o.radau.stages = stages;
  o.t_end = c.t_end;
  o.step = h;
  o.keep_samples = false;
  // Smooth, and not a polynomial: the order is seen only if stages read it at their own times.
  if (c.name == "servo") o.controls = [](double t, std::span<double> u) { u[0] = std::sin(3 * t); };
  return o;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

double largest_of(const std::vector<double>& a) {
  return distance(a, std::vector<double>(a.size(), 0.0));
}

/// Observed with steps h, h/2, h/4 where differences are above rounding.
void expect_order(const std::vector<std::vector<double>>& values, double order, double margin,
                  const std::string& what) {
  const double coarse = distance(values[0], values[1]), fine = distance(values[1], values[2]);
  const double rounding = 1e-11 * largest_of(values[2]);
  if (values[0].empty()) return;
  ASSERT_GT(fine, rounding) << what << ": choose longer steps, or rounding hides the order";
  EXPECT_NEAR(std::log2(coarse / fine), order, margin) << what;
}

class RadauOrder : public ::testing::TestWithParam<Case> {};

TEST_P(RadauOrder, IsTwiceTheStagesLessOneInAllVariables) {
  const Case& c = GetParam();
  const dae::System system = c.system();
  for (const int stages : {2, 3}) {
    std::vector<std::vector<double>> q, v, lambda, s;
    double h = stages == 2 ? c.h / c.part_for_radau_2 : c.h;
    for (int i = 0; i < 3; ++i, h /= 2) {
      const dae::Solution run = dae::integrate(system, radau(c, stages, h));
      ASSERT_TRUE(run.summary.is_complete()) << run.summary.message;
      EXPECT_EQ(run.summary.failed_attempts, 0);
      const double speed = largest_of(run.final.v), place = largest_of(run.final.q);
      EXPECT_LE(run.summary.max_position_residual, 1e-13 * place) << h;
      EXPECT_LE(run.summary.max_velocity_residual, 1e-13 * std::max(speed, place)) << h;
      q.push_back(run.final.q);
      v.push_back(run.final.v);
      lambda.push_back(run.final.lambda);
      s.push_back(run.final.s);
    }
    const double order = 2 * stages - 1, margin = stages == 2 ? 0.2 : 0.3;
    const std::string label = c.label + ", stages = " + std::to_string(stages);
    expect_order(q, order, margin, label + ", q");
    expect_order(v, order, margin, label + ", v");
    expect_order(lambda, order, margin, label + ", lambda");
    expect_order(s, order, margin, label + ", s");
  }
}

TEST_P(RadauOrder, IsThatOfTheMotionWhichGeneralizedAlphaApproaches) {
  const Case& c = GetParam();
  const dae::System system = c.system();
  const dae::Solution exact = dae::integrate(system, radau(c, 3, c.h / 2));
  std::vector<double> errors;
  double h = c.h / 16;
  for (int i = 0; i < 2; ++i, h /= 2) {
    dae::IntegrateOptions o = radau(c, 3, h);
    o.method = dae::Method::kAlpha;
    o.alpha.formulation = dae::Formulation::kStabilized;
    errors.push_back(distance(dae::integrate(system, o).final.q, exact.final.q));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Systems, RadauOrder, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.label; });

/// Explicit methods with joints: stages by (19), the result moved onto the constraints.
TEST(ConstrainedMuntheKaas, HasTheOrderOfItsTableauOnMechanisms) {
  struct Mechanism {
    std::string label;
    std::array<double, 3> steps;  ///< of orders 4, 5 and 6
  };
  for (const Mechanism& one :
       {Mechanism{"pendulum", {0.05, 0.05, 0.04}}, Mechanism{"chain", {1.25e-3, 2.5e-3, 2.5e-3}},
        Mechanism{"slider_crank_3d", {1.25e-3, 5e-3, 5e-3}},
        Mechanism{"andrews", {2e-4, 2e-4, 4e-4}}}) {
    const Case& c = *std::ranges::find(kCases, one.label, &Case::label);
    const dae::System system = c.system();
    for (const dae::ButcherTableau& tableau :
         {dae::rk4(), dae::dormand_prince_54(), dae::butcher_6()}) {
      std::vector<std::vector<double>> q, v, lambda;
      double h = one.steps[static_cast<std::size_t>(tableau.order - 4)];
      for (int i = 0; i < 3; ++i, h /= 2) {
        dae::IntegrateOptions o = radau(c, 3, h);
        o.method = dae::Method::kMuntheKaas;
        o.tableau = tableau;
        const dae::Solution run = dae::integrate(system, o);
        ASSERT_TRUE(run.summary.is_complete()) << run.summary.message;
        EXPECT_LE(run.summary.max_position_residual, 1e-13 * largest_of(run.final.q));
        q.push_back(run.final.q);
        v.push_back(run.final.v);
        lambda.push_back(run.final.lambda);
      }
      const std::string label = one.label + ", " + tableau.name;
      expect_order(q, tableau.order, 0.5, label + ", q");
      expect_order(v, tableau.order, 0.4, label + ", v");
      expect_order(lambda, tableau.order, 0.4, label + ", lambda");
    }
  }
}

TEST(RadauNewton, FindsTheSameStepsFullyAndSimplified) {
  for (const char* const name : {"heavy_top", "slider_crank_3d", "andrews", "chain"}) {
    const Case* c = std::find_if(kCases.data(), kCases.data() + kCases.size(),
                                 [&](const Case& other) { return other.label == name; });
    const dae::System system = c->system();
    dae::IntegrateOptions o = radau(*c, 3, c->h / 2);
    o.t_end = 10 * o.step;
    o.radau.newton = dae::RadauNewton::kFull;
    const dae::Solution full = dae::integrate(system, o);
    o.radau.newton = dae::RadauNewton::kSimplified;
    const dae::Solution simplified = dae::integrate(system, o);
    EXPECT_LE(distance(full.final.q, simplified.final.q), 1e-12 * largest_of(full.final.q)) << name;
    EXPECT_LE(distance(full.final.v, simplified.final.v), 1e-11 * largest_of(full.final.v)) << name;
    // One real and one complex matrix a step, and those of (19).
    EXPECT_LT(simplified.summary.jacobian_evaluations, full.summary.jacobian_evaluations) << name;
  }
}

}  // namespace
}  // namespace liegrad
