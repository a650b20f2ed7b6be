// The tangent stiffness and damping of beams, as Newton's method takes them from the kernels, against the internal
// forces written in dual numbers: another differentiation than that of the kernels, and as exact.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "interpreted_kernels.hpp"
#include "liegrad/ad/jet_scalar.hpp"
#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/system/motion_functions.hpp"
#include "liegrad/elements/beams/beam.hpp"
#include "poses.hpp"

namespace liegrad::testing {
namespace {

using elements::SectionFrames;
using lie::NodeGroup;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
/// The derivatives by the twelve displacements of an element, or by its velocities.
using Dual = ceres::Jet<double, 12>;

enum class By { kDisplacement, kVelocity };

/// Two nodes with nothing but the element, whose parameters are all different.
template <class E>
dae::System two_nodes(const NodeGroup& group, const E& element) {
  dae::System system("beam");
  system.add_node("a", group);
  system.add_node("b", group);
  system.set_initial_configuration("b", {1, 0, 0, 0, 1, 0, 0});
  system.add("beam", element, {"a", "b"});
  double next = 0;
  for (const dae::ParameterSpec& parameter : system.parameters()) {
    // All of the same size: no entry is hidden by a larger one. Stiffness stays positive, quaternions stay
    // rotations; parts is a number of elements.
    if (parameter.name == "beam.parts") continue;
    const double size = std::min(parameter.value, 5.0);
    system.set_parameter(parameter.name, size + 0.1 * std::sin(next += 1));
  }
  return system;
}

struct Motion {
  std::vector<double> q;
  Vector v, v_dot;
};

/// By CppAD, through the assembly.
Matrix by_kernels(const dae::System& system, const Motion& at, By what) {
  dae::Assembly assembly(system, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kDense);
  const auto span = [](const Vector& x) {
    return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  assembly.set_configuration(at.q);
  assembly.set_velocity(span(at.v));
  assembly.set_acceleration(span(at.v_dot));
  assembly.set_identity_maps();
  const bool is_velocity = what == By::kVelocity;
  assembly.coefficients() = {
      .c_a = 0, .c_v = is_velocity ? 1.0 : 0.0, .k_q = is_velocity ? 0.0 : 1.0};
  assembly.evaluate(true);
  Matrix result(12, 12);
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) result(i, j) = assembly.entry(i, j);
  }
  return result;
}

/// By dual numbers, from the text of the element.
template <class E>
Matrix by_dual_numbers(const dae::System& system, const E& element, const Motion& at, By what) {
  const NodeGroup group = system.nodes()[0].group;
  std::vector<dae::Position<Dual>::Node> nodes;
  std::vector<dae::Motion<Dual>::Rates> rates;
  for (int node = 0; node < 2; ++node) {
    const auto duals = [node](const double* from, std::size_t count, bool is_variable) {
      std::vector<Dual> list(from, from + count);
      for (std::size_t i = 0; i < count && is_variable; ++i) {
        list[i].v(6 * node + static_cast<int>(i)) = 1;
      }
      return list;
    };
    const std::vector<Dual> coeffs = duals(at.q.data() + 7 * node, 7, false);
    const double zeros[6] = {};
    const std::vector<Dual> delta = duals(zeros, 6, what == By::kDisplacement);
    std::vector<Dual> view(12), displaced(12);
    dae::NodeView::of<Dual>(group, coeffs, view);
    dae::NodeView::displaced<Dual>(group, view, delta, displaced);
    nodes.push_back({group, displaced});
    rates.push_back({duals(at.v.data() + 6 * node, 6, what == By::kVelocity),
                     duals(at.v_dot.data() + 6 * node, 6, false)});
  }
  const std::vector<double> values = system.parameter_values();
  const dae::Motion<Dual> motion(
      dae::Position<Dual>(nodes, std::vector<Dual>(values.begin(), values.end()), {}, Dual(0.3)),
      rates, {}, {});
  dae::Balance<Dual> balance(motion, 2);
  element.residual(motion, balance);
  Matrix result(12, 12);
  for (int i = 0; i < 12; ++i) result.row(i) = balance.row(i / 6, i % 6).v;
  return result;
}

/// At motions with large strains and turns; their size is that of the largest entry.
template <class E>
void expect_equal(const E& element) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const NodeGroup& group : both_groups()) {
    const dae::System system = two_nodes(group, element);
    for (int i = 0; i < 3; ++i) {
      const auto random = [&](double size) {
        return Vector(Vector::NullaryExpr(12, [&] { return size * uniform(generator); }));
      };
      Motion at{system.initial_configuration(), random(2), random(2)};
      const Vector w = random(0.8);
      system.configuration_space().template plus<double>(
          at.q, std::span<const double>(w.data(), 12), at.q);
      for (const By what : {By::kDisplacement, By::kVelocity}) {
        const Matrix kernels = by_kernels(system, at, what),
                     dual = by_dual_numbers(system, element, at, what);
        EXPECT_LT((kernels - dual).cwiseAbs().maxCoeff(), 1e-12 * dual.cwiseAbs().maxCoeff())
            << name_of(group) << (what == By::kVelocity ? ", by velocities" : ", by displacements");
      }
    }
  }
}

template <class Interpolation, class Section>
void expect_equal_tangents() {
  for (const SectionFrames frames : {SectionFrames::kNodes, SectionFrames::kAttached}) {
    expect_equal(elements::Beam<Interpolation, Section>{.frames = frames, .damped = true});
  }
}

TEST(BeamTangent, IsTheDerivativeOfTheForcesOfHelices) {
  expect_equal_tangents<elements::HelicoidalInterpolation, elements::DiagonalSection>();
}
TEST(BeamTangent, IsTheDerivativeOfTheForcesOfStraightLines) {
  expect_equal_tangents<elements::LinearInterpolation, elements::DiagonalSection>();
}
TEST(BeamTangent, IsTheDerivativeOfTheForcesOfFullSections) {
  expect_equal_tangents<elements::HelicoidalInterpolation, elements::FullSection>();
  expect_equal_tangents<elements::LinearInterpolation, elements::FullSection>();
}

}  // namespace
}  // namespace liegrad::testing
