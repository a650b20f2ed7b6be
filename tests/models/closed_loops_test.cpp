// Mechanisms with closed loops, built from public elements: four-bars in the plane and in space, where
// constraints are redundant, a row and grids of parallelograms, Bennett's mechanism, which moves although
// counting says that it should not, and a loop that is closed by a stiff spring.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/cartesian_spring.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::testing {
namespace {

using dae::index;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kGravity = -9.81;

dae::IntegrateOptions with_step(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  options.keep_samples = false;
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(0.8);
  return options;
}

struct Drift {
  double energy = 0, constraints = 0;
  dae::State final;
};

/// Runs a system and looks at its energy after each step, and at what else there is to see.
Drift drift_of(const dae::System& system, dae::IntegrateOptions options,
               const std::function<void(const dae::State&)>& look = {}) {
  dae::Outputs outputs(system);
  std::vector<double> out(index(outputs.size()));
  const std::size_t column = index(outputs.offset("energy"));
  outputs.evaluate(dae::Consistency(system, options.alpha.consistency, options.alpha.solver)
                       .initial_state(0, {}),
                   {}, out);
  const double start = out[column];
  Drift drift;
  options.on_step = [&](const dae::State& state) {
    outputs.evaluate(state, {}, out);
    drift.energy = std::max(drift.energy, std::abs(out[column] - start));
    if (look) look(state);
    return true;
  };
  dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  drift.constraints = solution.summary.max_position_residual;
  drift.final = std::move(solution.final);
  return drift;
}

/// A uniform rod in the plane, of mass one for each metre.
struct Rod {
  Vector2d start, end;
  double length() const { return (end - start).norm(); }
  double angle() const { return std::atan2(end(1) - start(1), end(0) - start(0)); }
};

void add_planar_rod(dae::System& system, const std::string& name, const Rod& rod,
                    const lie::NodeGroup& group) {
  const Vector2d x = (rod.start + rod.end) / 2;
  const double m = rod.length(), angle = rod.angle();
  system.add_node(name, group);
  if (group.kind == lie::GroupKind::kSE2) {
    system.set_initial_configuration(name, {std::cos(angle), std::sin(angle), x(0), x(1)});
  } else {
    system.set_initial_configuration(name, {x(0), x(1), angle});
  }
  system.add(name, elements::PlanarBody{}, {name},
             {.values = {{"m", m}, {"J", m * m * m / 12}, {"gravity2", kGravity}}});
  system.add_planar_frame(name + ".start", name, {.position = {-m / 2, 0}});
  system.add_planar_frame(name + ".end", name, {.position = {m / 2, 0}});
}

/// Crank, coupler and rocker between the pivots (0, 0) and (2.5, 0).
struct FourBar {
  Rod crank, coupler, rocker;
};

FourBar four_bar(double crank_angle) {
  const Vector2d a(0, 0), d(2.5, 0), b(std::cos(crank_angle), std::sin(crank_angle));
  // The coupler and the rocker are equally long: their joint is on the bisector of b and d.
  const double length = 2, half = (d - b).norm() / 2;
  const Vector2d along = (d - b) / (2 * half), across(-along(1), along(0));
  const Vector2d c = (b + d) / 2 + std::sqrt(length * length - half * half) * across;
  return {{a, b}, {b, c}, {d, c}};
}
constexpr double kCrankAngle = 1.0;

dae::System planar_four_bar(const lie::NodeGroup& group) {
  const FourBar bars = four_bar(kCrankAngle);
  dae::System system("four_bar");
  add_planar_rod(system, "crank", bars.crank, group);
  add_planar_rod(system, "coupler", bars.coupler, group);
  add_planar_rod(system, "rocker", bars.rocker, group);
  system.add_planar_frame("pivot", "ground", {.position = {2.5, 0}});
  const elements::PlanarRevoluteJoint joint;
  system.add("A", joint, {"ground", "crank.start"});
  system.add("B", joint, {"crank.end", "coupler.start"});
  system.add("C", joint, {"coupler.end", "rocker.end"});
  system.add("D", joint, {"pivot", "rocker.start"});
  return system;
}

double slope(double coarse, double fine) { return std::log2(coarse / fine); }

TEST(PlanarFourBar, KeepsItsLoopClosedAndItsEnergyToSecondOrder) {
  std::vector<std::vector<double>> angles;
  for (const auto& group : {lie::NodeGroup::rn(3), lie::NodeGroup::se2()}) {
    const dae::System system = planar_four_bar(group);
    EXPECT_EQ(system.dof(), 9);
    EXPECT_EQ(system.num_multipliers(), 8);
    std::vector<Drift> runs;
    for (const double h : {4e-3, 2e-3, 1e-3}) runs.push_back(drift_of(system, with_step(h, 2)));
    EXPECT_NEAR(slope(runs[1].energy, runs[2].energy), 2, 0.15);
    for (const Drift& run : runs) EXPECT_LE(run.constraints, 1e-14);
    // The angle of the crank for h → 0, from errors in h² and h³.
    std::vector<double> angle;
    for (const Drift& run : runs) {
      const std::vector<double>& q = run.final.q;
      const double turned = group.kind == lie::GroupKind::kSE2 ? std::atan2(q[1], q[0]) : q[2];
      angle.push_back(std::remainder(turned, 2 * std::numbers::pi));
    }
    for (int k = 0; k < 2; ++k) angle[index(k)] = (4 * angle[index(k + 1)] - angle[index(k)]) / 3;
    angle[0] = (8 * angle[1] - angle[0]) / 7;
    angles.push_back(angle);
  }
  // Both groups have the same limit, and do not start there.
  EXPECT_NEAR(angles[0][0], angles[1][0], 1e-8);
  EXPECT_GE(std::abs(angles[0][0] - kCrankAngle), 0.1);
}

/// Cells side by side: hanging cranks of length one at the pivots (i, 0), their ends tied by couplers of
/// length one. All cranks stay parallel.
dae::System row_of_parallelograms(int cells, double angle, const lie::NodeGroup& group) {
  dae::System system("row");
  const elements::PlanarRevoluteJoint joint;
  const Vector2d arm(std::cos(angle), std::sin(angle));
  for (int i = 0; i <= cells; ++i) {
    const std::string name = "crank" + std::to_string(i), pivot = "pivot" + std::to_string(i);
    const Vector2d place(i, 0);
    add_planar_rod(system, name, {place, place + arm}, group);
    system.add_planar_frame(pivot, "ground", {.position = {place(0), place(1)}});
    system.add(pivot + ".joint", joint, {pivot, name + ".start"});
  }
  for (int i = 0; i < cells; ++i) {
    const std::string name = "coupler" + std::to_string(i);
    const Vector2d start = Vector2d(i, 0) + arm;
    add_planar_rod(system, name, {start, start + Vector2d(1, 0)}, group);
    system.add(name + ".left", joint, {"crank" + std::to_string(i) + ".end", name + ".start"});
    system.add(name + ".right", joint, {"crank" + std::to_string(i + 1) + ".end", name + ".end"});
  }
  return system;
}

/// Angle of the cranks at time t, released at rest: (11/3 + 10) φ̈ = -g (11/2 + 10) cos φ for ten cells, in
/// which the couplers do not turn. By the classical Runge–Kutta method in small steps.
double angle_of_cranks(int cells, double angle, double t) {
  const double inertia = (cells + 1) / 3.0 + cells, weight = kGravity * ((cells + 1) / 2.0 + cells);
  const auto acceleration = [&](double phi) { return weight / inertia * std::cos(phi); };
  constexpr int kSteps = 20000;
  const double h = t / kSteps;
  double phi = angle, rate = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double v1 = rate, a1 = acceleration(phi);
    const double v2 = rate + h / 2 * a1, a2 = acceleration(phi + h / 2 * v1);
    const double v3 = rate + h / 2 * a2, a3 = acceleration(phi + h / 2 * v2);
    const double v4 = rate + h * a3, a4 = acceleration(phi + h * v3);
    phi += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return phi;
}

TEST(RowOfParallelograms, SwingsLikeOnePendulum) {
  constexpr int kCells = 10;
  constexpr double kStart = -0.6, kEnd = 1.5;
  const double expected = angle_of_cranks(kCells, kStart, kEnd);
  for (const auto& group : {lie::NodeGroup::rn(3), lie::NodeGroup::se2()}) {
    const dae::System system = row_of_parallelograms(kCells, kStart, group);
    EXPECT_EQ(system.dof() - system.num_multipliers(), 1);
    std::vector<double> errors, energies;
    for (const double h : {4e-3, 2e-3}) {
      const Drift run = drift_of(system, with_step(h, kEnd));
      EXPECT_LE(run.constraints, 1e-13);
      energies.push_back(run.energy);
      double error = 0;
      for (int i = 0; i <= kCells; ++i) {
        // The cranks are the first nodes.
        const bool pose = group.kind == lie::GroupKind::kSE2;
        const double* const q = run.final.q.data() + (pose ? 4 : 3) * i;
        const double angle = pose ? std::atan2(q[1], q[0]) : q[2];
        error = std::max(error, std::abs(std::remainder(angle - expected, 2 * std::numbers::pi)));
      }
      errors.push_back(error);
    }
    EXPECT_NEAR(slope(errors[0], errors[1]), 2, 0.1);
    EXPECT_NEAR(slope(energies[0], energies[1]), 2, 0.15);
    EXPECT_LE(errors[1], 1e-4);
  }
}

/// n rows of n cells: layers of n + 1 cranks of length one hang below each other, those of a layer parallel,
/// and couplers of length one tie the ends of neighbours in each layer. Up to four rods meet in a joint, and
/// all n² loops but those of the first row share their joints on all sides.
///
/// As many layers as there are turn by themselves: 2 n² + n rods have 3 velocities each; of the rods that
/// meet in a point all but one have two constraints, and the ground is one more in the uppermost points.
struct Grid {
  int n = 1;
  /// Angles at the start, from x.
  double angle(int layer) const {
    return -std::numbers::pi / 2 + 0.5 * std::cos(1.0 + 2.0 * layer);
  }
  static std::string crank(int layer, int column) {
    return "crank" + std::to_string(layer) + "." + std::to_string(column);
  }
  static std::string coupler(int layer, int column) {
    return "coupler" + std::to_string(layer) + "." + std::to_string(column);
  }
  dae::System system(const lie::NodeGroup& group) const;
};

dae::System Grid::system(const lie::NodeGroup& group) const {
  dae::System system("grid");
  const elements::PlanarRevoluteJoint joint;
  Vector2d corner(0, 0);
  for (int j = 0; j < n; ++j) {
    const Vector2d arm(std::cos(angle(j)), std::sin(angle(j)));
    for (int i = 0; i <= n; ++i) {
      const std::string name = crank(j, i);
      const Vector2d start = corner + Vector2d(i, 0);
      add_planar_rod(system, name, {start, start + arm}, group);
      std::string above = name + ".pivot";
      if (j == 0) {
        system.add_planar_frame(above, "ground", {.position = {start(0), start(1)}});
      } else {
        above = crank(j - 1, i) + ".end";
      }
      system.add(name + ".joint", joint, {above, name + ".start"});
    }
    corner += arm;
    for (int i = 0; i < n; ++i) {
      const std::string name = coupler(j, i);
      const Vector2d start = corner + Vector2d(i, 0);
      add_planar_rod(system, name, {start, start + Vector2d(1, 0)}, group);
      system.add(name + ".left", joint, {crank(j, i) + ".end", name + ".start"});
      system.add(name + ".right", joint, {crank(j, i + 1) + ".end", name + ".end"});
    }
  }
  return system;
}

/// Angles of the layers at time t, released at rest. With the directions e_k of the cranks a row moves by
/// Σ φ̇_k e_k', and couplers do not turn:
///
///     Σ_k W_ik (cos(φ_i - φ_k) φ̈_k + sin(φ_i - φ_k) φ̇_k²) = g w_i cos φ_i,
///
/// where w_i is the mass below layer i and half of its own, W_ik = w_max(i,k), and W_ii has a third of the
/// cranks of its layer. By the classical Runge–Kutta method in small steps.
Eigen::VectorXd angles_of_layers(const Grid& grid, double t) {
  const int n = grid.n;
  const double cranks = n + 1, row = 2 * n + 1;
  const auto weight = [&](int i) { return row * (n - 1 - i) + n + cranks / 2; };
  const auto acceleration = [&](const Eigen::VectorXd& phi, const Eigen::VectorXd& rate) {
    Eigen::MatrixXd mass(n, n);
    Eigen::VectorXd force(n);
    for (int i = 0; i < n; ++i) {
      force(i) = kGravity * weight(i) * std::cos(phi(i));
      for (int k = 0; k < n; ++k) {
        const double w = i == k ? row * (n - 1 - i) + n + cranks / 3 : weight(std::max(i, k));
        mass(i, k) = w * std::cos(phi(i) - phi(k));
        force(i) -= w * std::sin(phi(i) - phi(k)) * rate(k) * rate(k);
      }
    }
    return Eigen::VectorXd(mass.ldlt().solve(force));
  };
  constexpr int kSteps = 5000;
  const double h = t / kSteps;
  Eigen::VectorXd phi(n), rate = Eigen::VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) phi(i) = grid.angle(i);
  for (int i = 0; i < kSteps; ++i) {
    const Eigen::VectorXd v1 = rate, a1 = acceleration(phi, v1);
    const Eigen::VectorXd v2 = rate + h / 2 * a1, a2 = acceleration(phi + h / 2 * v1, v2);
    const Eigen::VectorXd v3 = rate + h / 2 * a2, a3 = acceleration(phi + h / 2 * v2, v3);
    const Eigen::VectorXd v4 = rate + h * a3, a4 = acceleration(phi + h * v3, v4);
    phi += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return phi;
}

TEST(GridOfFourBars, SwingsLikeAChainOfPendulums) {
  constexpr double kEnd = 0.4;
  for (const auto& [n, group] :
       {std::pair(3, lie::NodeGroup::rn(3)), std::pair(3, lie::NodeGroup::se2()),
        std::pair(10, lie::NodeGroup::rn(3))}) {
    SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(n) + " cells");
    const Grid grid{n};
    const dae::System system = grid.system(group);
    EXPECT_EQ(system.dof(), 3 * (2 * n * n + n));
    EXPECT_EQ(system.dof() - system.num_multipliers(), n);
    const Eigen::VectorXd expected = angles_of_layers(grid, kEnd);
    const bool pose = group.kind == lie::GroupKind::kSE2;
    std::vector<double> errors, energies;
    for (const double h : {4e-3, 2e-3}) {
      const Drift run = drift_of(system, with_step(h, kEnd));
      // Positions reach n, and so many roundings.
      EXPECT_LE(run.constraints, 1e-14 * n);
      energies.push_back(run.energy);
      double error = 0;
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i <= n; ++i) {
          // Each layer has its cranks first.
          const double* const q = run.final.q.data() + (pose ? 4 : 3) * (j * (2 * n + 1) + i);
          const double angle = pose ? std::atan2(q[1], q[0]) : q[2];
          error =
              std::max(error, std::abs(std::remainder(angle - expected(j), 2 * std::numbers::pi)));
        }
      }
      errors.push_back(error);
      std::printf("n = %d, h = %g: angles %.2e, energy %.2e, constraints %.1e\n", n, h, error,
                  run.energy, run.constraints);
    }
    EXPECT_NEAR(slope(errors[0], errors[1]), 2, 0.15);
    EXPECT_NEAR(slope(energies[0], energies[1]), 2, 0.15);
    EXPECT_LE(errors[1], 1e-3);
    EXPECT_GE((expected.array() - grid.angle(0)).abs().maxCoeff(), 0.1);
  }
}

TEST(GridOfFourBars, DoesNotDependOnTheSolver) {
  const Grid grid{3};
  const dae::System system = grid.system(lie::NodeGroup::rn(3));
  const auto final_with = [&](dae::LinearSolverKind solver) {
    dae::IntegrateOptions options = with_step(2e-3, 0.4);
    options.alpha.solver = solver;
    const dae::Solution solution = dae::integrate(system, options);
    EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
    EXPECT_EQ(solution.summary.solver, solver);
    return solution.final;
  };
  const dae::State dense = final_with(dae::LinearSolverKind::kDense);
  const dae::State blocks = final_with(dae::LinearSolverKind::kSparse);
  const auto difference = [](const std::vector<double>& a, const std::vector<double>& b) {
    const Eigen::Map<const Eigen::VectorXd> x(a.data(), std::ssize(a)), y(b.data(), std::ssize(b));
    return (x - y).cwiseAbs().maxCoeff() / x.cwiseAbs().maxCoeff();
  };
  std::printf("q %.1e, v %.1e, lambda %.1e\n", difference(dense.q, blocks.q),
              difference(dense.v, blocks.v), difference(dense.lambda, blocks.lambda));
  // Positions at rounding level; velocities have it divided by h, and multipliers by h².
  constexpr double kRounding = 1e-13, kStep = 2e-3;
  EXPECT_LE(difference(dense.q, blocks.q), kRounding);
  EXPECT_LE(difference(dense.v, blocks.v), kRounding / kStep);
  EXPECT_LE(difference(dense.lambda, blocks.lambda), kRounding / (kStep * kStep));
}

/// A quaternion of a turn about an axis of the frame.
std::array<double, 4> turn(int axis, double angle) {
  std::array<double, 4> q = {std::cos(angle / 2), 0, 0, 0};
  q[index(axis + 1)] = std::sin(angle / 2);
  return q;
}
Matrix3d turn_matrix(int axis, double angle) {
  return lie::SO3<double>::exp(angle * Vector3d::Unit(axis)).matrix();
}

void add_spatial_rod(dae::System& system, const std::string& name, const Rod& rod,
                     const lie::NodeGroup& group, double gravity_across) {
  const Vector2d x = (rod.start + rod.end) / 2;
  const double m = rod.length();
  const std::array<double, 4> q = turn(2, rod.angle());
  system.add_node(name, group);
  system.set_initial_configuration(name, {q[0], q[1], q[2], q[3], x(0), x(1), 0});
  system.add(name, elements::RigidBody{}, {name},
             {.values = {{"m", m},
                         {"J1", m * m * m / 12},
                         {"J2", m * m * m / 12},
                         {"J3", m * m * m / 12},
                         {"gravity2", kGravity},
                         {"gravity3", gravity_across}}});
  system.add_frame(name + ".start", name, {.position = {-m / 2, 0, 0}});
  system.add_frame(name + ".end", name, {.position = {m / 2, 0, 0}});
}

/// The four-bar of above with revolute joints about z. The loop is closed at C by a joint, or by a spring of
/// this stiffness.
dae::System spatial_four_bar(const lie::NodeGroup& group, double gravity_across = 0,
                             double stiffness = 0) {
  const FourBar bars = four_bar(kCrankAngle);
  dae::System system("four_bar");
  add_spatial_rod(system, "crank", bars.crank, group, gravity_across);
  add_spatial_rod(system, "coupler", bars.coupler, group, gravity_across);
  add_spatial_rod(system, "rocker", bars.rocker, group, gravity_across);
  system.add_frame("pivot", "ground", {.position = {2.5, 0, 0}});
  const elements::RevoluteJoint joint;
  system.add("A", joint, {"ground", "crank.start"});
  system.add("B", joint, {"crank.end", "coupler.start"});
  if (stiffness > 0) {
    system.add("C", elements::CartesianSpring{}, {"coupler.end", "rocker.end"},
               {.values = {{"k1", stiffness}, {"k2", stiffness}, {"k3", 0}}});
  } else {
    system.add("C", joint, {"coupler.end", "rocker.end"});
  }
  system.add("D", joint, {"pivot", "rocker.start"});
  return system;
}

std::string message_of_run(const dae::System& system) {
  try {
    dae::integrate(system, with_step(1e-3, 1e-2));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

dae::IntegrateOptions with_redundancy(double h, double t_end) {
  dae::IntegrateOptions options = with_step(h, t_end);
  options.alpha.consistency.allow_redundant = true;
  return options;
}

/// Of the multipliers, relative to them: the part that no force comes from, Bᵀλ = 0. Those of least norm have
/// none.
double idle_part(const dae::System& system, const dae::State& state) {
  dae::Assembly assembly(system, dae::Formulation::kIndex3, false,
                         dae::LinearSolverKind::kMinimumNorm);
  assembly.set_configuration(state.q);
  assembly.set_identity_maps();
  assembly.evaluate(true);
  const int count = system.num_multipliers();
  Eigen::MatrixXd transposed(system.dof(), count);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < system.dof(); ++j) {
      transposed(j, i) = assembly.entry(assembly.multiplier_offset() + i, j);
    }
  }
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(transposed, Eigen::ComputeFullV);
  svd.setThreshold(1e-9);
  EXPECT_EQ(svd.rank(), 17);
  const Eigen::Map<const Eigen::VectorXd> lambda(state.lambda.data(), count);
  return (svd.matrixV().rightCols(count - svd.rank()).transpose() * lambda).norm() / lambda.norm();
}

/// Names as the message lists them before " depend on the others".
std::vector<std::string> names_in(const std::string& message) {
  const std::string begin = "constraints ";
  EXPECT_EQ(message.find(begin), 0u) << message;
  std::vector<std::string> names;
  std::istringstream list(message.substr(begin.size(), message.find(" depend on") - begin.size()));
  for (std::string name; list >> name;) {
    if (name.back() == ',') name.pop_back();
    names.push_back(name);
  }
  return names;
}
/// So many different constraints of revolute joints with such names, or with such names and a number.
void expect_constraints_of_joints(std::vector<std::string> names,
                                  const std::vector<std::string>& joints, std::size_t count) {
  EXPECT_EQ(names.size(), count);
  for (const std::string& name : names) {
    const std::size_t bracket = name.find('[');
    const std::string joint = name.substr(0, name.find_first_of("0123456789["));
    EXPECT_NE(std::ranges::find(joints, joint), joints.end()) << name;
    ASSERT_NE(bracket, std::string::npos) << name;
    const int number = std::stoi(name.substr(bracket + 1));
    EXPECT_TRUE(number >= 1 && number <= 5) << name;
    EXPECT_EQ(name.substr(bracket), "[" + std::to_string(number) + "]");
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << "a name twice";
}

TEST(SpatialFourBar, HasThreeConstraintsTooMany) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const std::string message = message_of_run(spatial_four_bar(group));
    EXPECT_NE(message.find(" depend on the others (rank 17 of 20): remove them, or allow redundant "
                           "constraints to get multipliers of least norm"),
              std::string::npos)
        << message;
    expect_constraints_of_joints(names_in(message), {"A", "B", "C", "D"}, 3);
    // Forces in the plane are not redundant.
    for (const char* const joint : {"A", "B", "C", "D"}) {
      for (const char* const in_plane : {"[1]", "[2]"}) {
        EXPECT_EQ(message.find(std::string(joint) + in_plane), std::string::npos) << message;
      }
    }
  }
}

TEST(SpatialFourBar, MovesLikeThePlanarOneWhenRedundancyIsAllowed) {
  const double h = 1e-3, t_end = 2;
  const dae::Solution planar =
      dae::integrate(planar_four_bar(lie::NodeGroup::rn(3)), with_step(h, t_end));
  const dae::System system = spatial_four_bar(lie::NodeGroup::so3xr3());
  const dae::Solution spatial = dae::integrate(system, with_redundancy(h, t_end));
  ASSERT_TRUE(spatial.summary.is_complete()) << spatial.summary.message;
  expect_constraints_of_joints(spatial.summary.consistency.redundant_constraints,
                               {"A", "B", "C", "D"}, 3);
  // Those that the refusal names.
  EXPECT_EQ(spatial.summary.consistency.redundant_constraints, names_in(message_of_run(system)));
  EXPECT_LE(spatial.summary.max_position_residual, 1e-13);
  double position = 0, force = 0, unused = 0;
  for (int i = 0; i < 3; ++i) {
    const double* const q = spatial.final.q.data() + 7 * i;
    const double* const p = planar.final.q.data() + 3 * i;
    const double angle = std::remainder(2 * std::atan2(q[3], q[0]) - p[2], 2 * std::numbers::pi);
    position = std::max(
        {position, std::abs(angle), std::abs(q[4] - p[0]), std::abs(q[5] - p[1]), std::abs(q[6])});
  }
  for (int i = 0; i < 4; ++i) {
    const double* const lambda = spatial.final.lambda.data() + 5 * i;
    for (int k = 0; k < 2; ++k) {
      force = std::max(force, std::abs(lambda[k] - planar.final.lambda[index(2 * i + k)]));
    }
    unused = std::max({unused, std::abs(lambda[2]), std::abs(lambda[3]), std::abs(lambda[4])});
  }
  EXPECT_LE(position, 1e-10);
  EXPECT_LE(force, 1e-6);
  EXPECT_LE(unused, 1e-10);
}

TEST(SpatialFourBar, SharesALoadAcrossItsPlaneByMultipliersOfLeastNorm) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const dae::System system = spatial_four_bar(group, /*gravity_across=*/-3);
    const auto expect_reactions = [&](const dae::State& state) {
      // Bodies of 1 + 2 + 2 kg on the pivots A and D.
      EXPECT_NEAR(state.lambda[2] + state.lambda[17], 5 * 3, 1e-6);
      EXPECT_LE(idle_part(system, state), 1e-6);
    };
    expect_reactions(
        dae::Consistency(system, {.allow_redundant = true}, dae::LinearSolverKind::kAutomatic)
            .initial_state(0, {}));
    expect_reactions(dae::integrate(system, with_redundancy(1e-3, 1)).final);
  }
}

TEST(ManySpatialFourBars, HaveRedundantConstraintsThatAreCounted) {
  // Beyond 60 constraints another decomposition finds them: here 21 times 20, of which three are redundant in
  // each mechanism.
  dae::System system("many");
  const FourBar bars = four_bar(kCrankAngle);
  const elements::RevoluteJoint joint;
  constexpr int kCopies = 21;
  for (int i = 0; i < kCopies; ++i) {
    const std::string number = std::to_string(i);
    add_spatial_rod(system, "crank" + number, bars.crank, lie::NodeGroup::so3xr3(), 0);
    add_spatial_rod(system, "coupler" + number, bars.coupler, lie::NodeGroup::so3xr3(), 0);
    add_spatial_rod(system, "rocker" + number, bars.rocker, lie::NodeGroup::so3xr3(), 0);
    system.add_frame("pivot" + number, "ground", {.position = {2.5, 0, 0}});
    system.add("A" + number, joint, {"ground", "crank" + number + ".start"});
    system.add("B" + number, joint, {"crank" + number + ".end", "coupler" + number + ".start"});
    system.add("C" + number, joint, {"coupler" + number + ".end", "rocker" + number + ".end"});
    system.add("D" + number, joint, {"pivot" + number, "rocker" + number + ".start"});
  }
  const std::string message = message_of_run(system);
  EXPECT_NE(message.find("(rank 357 of 420)"), std::string::npos) << message;
  EXPECT_NE(message.find(" and 53 more depend on the others"), std::string::npos) << message;
  const std::vector<std::string> names =
      dae::integrate(system, with_redundancy(1e-3, 1e-3)).summary.consistency.redundant_constraints;
  expect_constraints_of_joints(names, {"A", "B", "C", "D"}, 3 * kCopies);
  // Three in each of them.
  for (int i = 0; i < kCopies; ++i) {
    EXPECT_EQ(std::ranges::count_if(
                  names, [i](const std::string& name) { return std::stoi(name.substr(1)) == i; }),
              3)
        << "mechanism " << i;
  }
}

TEST(SpatialFourBar, IsTheLimitOfStiffSprings) {
  const double h = 1e-3, t_end = 0.5;
  const dae::Solution planar =
      dae::integrate(planar_four_bar(lie::NodeGroup::rn(3)), with_step(h, t_end));
  std::vector<double> differences;
  for (const double stiffness : {1e6, 1e7, 1e8}) {
    const dae::Solution sprung = dae::integrate(
        spatial_four_bar(lie::NodeGroup::so3xr3(), 0, stiffness), with_step(h, t_end));
    ASSERT_TRUE(sprung.summary.is_complete()) << sprung.summary.message;
    double difference = 0;
    for (int i = 0; i < 3; ++i) {
      const double* const q = sprung.final.q.data() + 7 * i;
      for (int k = 0; k < 2; ++k) {
        difference = std::max(difference, std::abs(q[4 + k] - planar.final.q[index(3 * i + k)]));
      }
    }
    differences.push_back(difference);
  }
  EXPECT_NEAR(differences[0] / differences[1], 10, 1);
  EXPECT_NEAR(differences[1] / differences[2], 10, 1);
  EXPECT_LE(differences[2], 1e-6);
}

/// Bennett's mechanism: links of lengths a and b in turn, with twists α and β between the axes at their ends,
/// a / sin α = b / sin β. The first joint turns about z at the origin.
struct Bennett {
  static constexpr double kA = 1, kAlpha = 0.5, kBeta = 1.1;
  static double b() { return kA * std::sin(kBeta) / std::sin(kAlpha); }
  /// tan(θ1/2) tan(θ2/2) of the angles of the first two joints.
  static double product() {
    return std::sin((kBeta + kAlpha) / 2) / std::sin((kBeta - kAlpha) / 2);
  }
};

struct Pose {
  Matrix3d r = Matrix3d::Identity();
  Vector3d x = Vector3d::Zero();
  Pose operator*(const Pose& other) const { return {r * other.r, x + r * other.x}; }
};
Pose link(double length, double twist) { return {turn_matrix(0, twist), {length, 0, 0}}; }
Pose about_z(double angle) { return {turn_matrix(2, angle), Vector3d::Zero()}; }

/// Each body's node is in the middle of its link, x along it, z along the joint at its beginning.
dae::System bennett(double theta1, const lie::NodeGroup& group) {
  const double theta2 = 2 * std::atan(Bennett::product() / std::tan(theta1 / 2));
  const double lengths[] = {Bennett::kA, Bennett::b(), Bennett::kA, Bennett::b()};
  const double twists[] = {Bennett::kAlpha, Bennett::kBeta, Bennett::kAlpha, Bennett::kBeta};
  const double angles[] = {theta1, theta2, -theta1, -theta2};
  dae::System system("bennett");
  Pose joint;
  std::string previous = "ground";
  for (int i = 0; i < 4; ++i) {
    const Pose start = joint * about_z(angles[i]);
    joint = start * link(lengths[i], twists[i]);
    if (i == 3) break;
    const std::string name = "link" + std::to_string(i + 1);
    const Pose middle = start * link(lengths[i] / 2, 0);
    const auto q = lie::SO3<double>::from_matrix(middle.r).coeffs();
    system.add_node(name, group);
    system.set_initial_configuration(
        name, {q(0), q(1), q(2), q(3), middle.x(0), middle.x(1), middle.x(2)});
    const double m = lengths[i], across = m * m * m / 12;
    system.add(name, elements::RigidBody{}, {name},
               {.values = {{"m", m},
                           {"J1", 0.01 * m},
                           {"J2", across},
                           {"J3", across},
                           {"gravity2", kGravity},
                           {"gravity3", -2}}});
    system.add_frame(name + ".start", name, {.position = {-lengths[i] / 2, 0, 0}});
    system.add_frame(name + ".end", name,
                     {.position = {lengths[i] / 2, 0, 0}, .orientation = turn(0, twists[i])});
    system.add("joint" + std::to_string(i + 1), elements::RevoluteJoint{},
               {previous, name + ".start"});
    previous = name + ".end";
  }
  // The fourth link is the ground, between the fourth joint and the first.
  EXPECT_LE(joint.x.norm() + (joint.r - Matrix3d::Identity()).norm(), 1e-14);
  system.add_frame("ground.start", "ground",
                   {.position = {-lengths[3], 0, 0}, .orientation = turn(0, -twists[3])});
  system.add("joint4", elements::RevoluteJoint{}, {previous, "ground.start"});
  return system;
}

/// sin θ1/2 sin θ2/2 - p cos θ1/2 cos θ2/2, which is zero also where a tangent is not finite.
double deviation(const dae::State& state) {
  const auto rotation = [&](int body) {
    const double* const q = state.q.data() + 7 * body;
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  };
  const Matrix3d first = rotation(0),
                 second = (first * turn_matrix(0, Bennett::kAlpha)).transpose() * rotation(1);
  const double half1 = std::atan2(first(1, 0), first(0, 0)) / 2;
  const double half2 = std::atan2(second(1, 0), second(0, 0)) / 2;
  return std::sin(half1) * std::sin(half2) - Bennett::product() * std::cos(half1) * std::cos(half2);
}

TEST(BennettMechanism, MovesAlthoughItHasMoreConstraintsThanVelocities) {
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const dae::System system = bennett(1.0, group);
    EXPECT_EQ(system.dof(), 18);
    EXPECT_EQ(system.num_multipliers(), 20);
    const std::string message = message_of_run(system);
    EXPECT_NE(message.find(" depend on the others (rank 17 of 20): remove them"), std::string::npos)
        << message;
    expect_constraints_of_joints(names_in(message), {"joint"}, 3);
    EXPECT_EQ(dae::integrate(system, with_redundancy(1e-3, 1e-3))
                  .summary.consistency.redundant_constraints,
              names_in(message));
    std::vector<double> energies;
    for (const double h : {4e-3, 2e-3}) {
      double off = 0, least = 9, most = -9;
      const Drift run = drift_of(system, with_redundancy(h, 1), [&](const dae::State& state) {
        off = std::max(off, std::abs(deviation(state)));
        const double angle = 2 * std::atan2(state.q[3], state.q[0]);
        least = std::min(least, angle);
        most = std::max(most, angle);
      });
      energies.push_back(run.energy);
      std::printf("h = %g: energy %.2e, constraints %.1e, relation %.1e, idle part %.1e\n", h,
                  run.energy, run.constraints, off, idle_part(system, run.final));
      EXPECT_LE(off, 1e-12);
      EXPECT_LE(run.constraints, 1e-13);
      EXPECT_LE(idle_part(system, run.final), 1e-6);
      // It has turned far, through the configuration in which a tangent is infinite.
      EXPECT_GE(most - least, 3);
    }
    EXPECT_NEAR(slope(energies[0], energies[1]), 2, 0.15);
  }
}

TEST(BennettMechanism, DependsNeitherOnTheFormulationNorOnTheKindOfNewton) {
  // A matrix that was kept from another configuration does not reach all of the residual. Index 2 is refused,
  // see below.
  const dae::System system = bennett(1.0, lie::NodeGroup::so3xr3());
  const auto angle_with = [&](dae::Formulation formulation, dae::NewtonKind kind) {
    dae::IntegrateOptions options = with_redundancy(1e-2, 0.5);
    options.alpha.formulation = formulation;
    options.alpha.newton.kind = kind;
    // Extrapolation would leave little to iterate.
    options.alpha.guess = dae::FirstGuess::kConstantA;
    const dae::Solution run = dae::integrate(system, options);
    EXPECT_TRUE(run.summary.is_complete()) << run.summary.message;
    EXPECT_LE(std::abs(deviation(run.final)), 1e-12);
    return 2 * std::atan2(run.final.q[3], run.final.q[0]);
  };
  using dae::Formulation, dae::NewtonKind;
  const double expected = angle_with(Formulation::kIndex3, NewtonKind::kFull);
  EXPECT_NEAR(angle_with(Formulation::kIndex3, NewtonKind::kModified), expected, 1e-9);
  EXPECT_NEAR(angle_with(Formulation::kIndex3, NewtonKind::kSimplified), expected, 1e-9);
  // Another method, with other errors.
  EXPECT_NEAR(angle_with(Formulation::kStabilized, NewtonKind::kFull), expected, 1e-2);
}

TEST(BennettMechanism, IsRefusedInIndexTwo) {
  // It would drift off the configurations in which the mechanism is mobile: energy of order 0.9 in h.
  const dae::System system = bennett(1.0, lie::NodeGroup::so3xr3());
  dae::IntegrateOptions options = with_redundancy(1e-2, 0.5);
  options.alpha.formulation = dae::Formulation::kIndex2;
  try {
    dae::integrate(system, options);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("joint"), std::string::npos) << message;
    EXPECT_NE(message.find("and 2 more"), std::string::npos) << message;
    EXPECT_NE(message.find("choose index 3 or the stabilized formulation"), std::string::npos)
        << message;
  }
  // Where nothing is redundant the permission changes nothing.
  const dae::System planar = planar_four_bar(lie::NodeGroup::rn(3));
  const dae::Solution run = dae::integrate(planar, options);
  EXPECT_TRUE(run.summary.is_complete()) << run.summary.message;
}

}  // namespace
}  // namespace liegrad::testing
