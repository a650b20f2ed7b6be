// A tree of six bodies on five kinds of joints floats without gravity: momentum, energy, both groups, and
// the order in which it was built.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interpreted_kernels.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"
#include "poses.hpp"

namespace liegrad::testing {
namespace {

using AddJoint =
    std::function<void(dae::System&, const std::string&, const std::vector<std::string>&)>;

template <class E>
AddJoint adding() {
  return [](dae::System& system, const std::string& name, const std::vector<std::string>& frames) {
    system.add(name, E{}, frames);
  };
}

/// A body on its parent: both frames of the joint coincide at first.
struct Branch {
  std::string name, parent;
  AddJoint add_joint;
  dae::BodyFrame in_parent, in_body;
};

std::vector<Branch> branches() {
  using elements::frame_along, elements::frame_with_axes;
  return {
      {"arm", "base", adding<elements::RevoluteJoint>(), frame_along({0.5, 0.1, 0}, {0, 1, 1}),
       frame_along({-0.4, 0, 0.1}, {0.2, 1, 0})},
      {"hand", "arm", adding<elements::UniversalJoint>(),
       frame_with_axes({0.4, 0, 0}, {0, 1, 0}, {1, 0, 0.3}),
       frame_along({-0.3, 0.1, 0}, {1, 0, 0})},
      {"boom", "base", adding<elements::SphericalJoint>(), frame_along({-0.5, 0, 0.2}, {1, 0, 0}),
       frame_along({0.3, 0.3, 0}, {0, -1, 0.4})},
      {"slide", "boom", adding<elements::PrismaticJoint>(), frame_along({-0.3, 0, 0}, {1, 1, 0}),
       frame_along({0, 0.1, 0.2}, {0, 0, -1})},
      {"tool", "base", adding<elements::CylindricalJoint>(), frame_along({0, 0, -0.6}, {0, 0.3, 1}),
       frame_along({0.1, 0, 0.3}, {1, 2, 3})},
  };
}

/// Elements in the order of their making, or backwards; nodes too.
dae::System tree(const lie::NodeGroup& group, bool backwards = false) {
  dae::System system("tree");
  std::vector<Branch> list = branches();
  std::map<std::string, Pose> poses = {
      {"base", Pose(Rotation::exp(Vec3(0.2, -0.1, 0.4)), Vec3(0.3, 0.2, 0.1))}};
  for (const Branch& b : list) {
    poses.emplace(b.name, poses.at(b.parent) * pose_of(b.in_parent) * pose_of(b.in_body).inverse());
  }
  std::vector<std::string> names = {"base", "arm", "hand", "boom", "slide", "tool"};
  if (backwards) {
    std::reverse(names.begin(), names.end());
    std::reverse(list.begin(), list.end());
  }
  for (const std::string& name : names) system.add_node(name, group);
  const auto add_bodies = [&] {
    for (const std::string& name : names) {
      // A box of its own for each.
      const double size = static_cast<double>(name[0] % 7 + 3) / 10, m = 10 * size;
      system.add(name, elements::RigidBody{}, {name},
                 {.values = {{"m", m},
                             {"J1", m * size * size * 0.1},
                             {"J2", m * size * size * 0.15},
                             {"J3", m * size * size * 0.2},
                             {"gravity3", 0}}});
      // Velocities before they are projected to those that the joints allow.
      const double phase = name[1] % 5;
      system.set_initial_configuration(name, coeffs_of(poses.at(name)));
      system.set_initial_velocity(
          name, velocity_of(group, poses.at(name), Vec3(1, phase - 2, 0.5 * phase),
                            Vec3(0.2, 0.1 * phase, -0.3)));
    }
  };
  const auto add_joints = [&] {
    for (const Branch& b : list) {
      system.add_frame(b.parent + "." + b.name, b.parent, b.in_parent);
      system.add_frame(b.name + ".root", b.name, b.in_body);
      b.add_joint(system, b.name + ".joint", {b.parent + "." + b.name, b.name + ".root"});
    }
  };
  if (backwards) {
    add_joints();
    add_bodies();
  } else {
    add_bodies();
    add_joints();
  }
  return system;
}

dae::IntegrateOptions options_with(double h) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = 1;
  options.alpha.start = dae::StartingValues::kCorrected;
  options.alpha.consistency.project = true;
  return options;
}

struct Outcome {
  double linear = 0, angular = 0, energy = 0;  ///< largest changes
  double linear_momentum = 0;                  ///< its size at first
  std::map<std::string, Pose> end;
};

Outcome run(const dae::System& system, double h) {
  const dae::Solution solution = dae::integrate(system, options_with(h));
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  dae::Outputs outputs(system);
  std::vector<double> first(static_cast<std::size_t>(outputs.size())), now = first;
  const auto change = [&](const std::string& name) {
    const int from = outputs.offset(name);
    double square = 0;
    for (int i = from; i < from + outputs.spec(name).size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      square += (now[k] - first[k]) * (now[k] - first[k]);
    }
    return std::sqrt(square);
  };
  Outcome result;
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, {}, now);
    if (&state == &solution.samples[0]) {
      result.linear_momentum = change("momentum.linear");
      first = now;
    }
    result.linear = std::max(result.linear, change("momentum.linear"));
    result.angular = std::max(result.angular, change("momentum.angular"));
    result.energy = std::max(result.energy, change("energy"));
  }
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    result.end.emplace(
        system.nodes()[i].name,
        Pose::from_coeffs(Eigen::Map<const lie::Vec<double, 7>>(solution.final.q.data() + 7 * i)));
  }
  return result;
}

double difference(const Outcome& a, const Outcome& b) {
  double largest = 0;
  for (const auto& [name, pose] : a.end) {
    largest = std::max(largest, (pose.inverse() * b.end.at(name)).log().cwiseAbs().maxCoeff());
  }
  return largest;
}

/// The differences of three runs with h, h/2 and h/4 fall with h².
void expect_second_order(const char* what, double coarse, double middle, double fine) {
  EXPECT_NEAR(std::log2(coarse / middle), 2, 0.05) << what;
  EXPECT_NEAR(std::log2(middle / fine), 2, 0.05) << what;
}

TEST(FreeTree, KeepsMomentumAndEnergyAndMovesAlikeOnBothGroups) {
  std::vector<Outcome> apart, as_one;  // SO(3)×R³ and SE(3)
  for (const double h : {0.01, 0.005, 0.0025}) {
    apart.push_back(run(tree(lie::NodeGroup::so3xr3()), h));
    as_one.push_back(run(tree(lie::NodeGroup::se3()), h));
  }
  // On SO(3)×R³ velocities of centres of mass are unknowns and forces in joints cancel in the sum of their
  // equations: linear momentum is kept but for rounding, in 400 steps. Its coordinates on SE(3) turn with
  // the bodies; like angular momentum and energy it is then kept to second order.
  for (const Outcome& outcome : apart) {
    EXPECT_GT(outcome.linear_momentum, 1);
    EXPECT_LE(outcome.linear, 1e-12);
  }
  const auto expect_kept = [](const std::vector<Outcome>& runs, double Outcome::*change,
                              const char* what) {
    expect_second_order(what, runs[0].*change, runs[1].*change, runs[2].*change);
    EXPECT_LE(runs[2].*change, 1e-4) << what;
  };
  expect_kept(apart, &Outcome::angular, "angular momentum");
  expect_kept(apart, &Outcome::energy, "energy");
  expect_kept(as_one, &Outcome::linear, "linear momentum on SE(3)");
  expect_kept(as_one, &Outcome::angular, "angular momentum on SE(3)");
  expect_kept(as_one, &Outcome::energy, "energy on SE(3)");
  expect_second_order("difference of the groups", difference(apart[0], as_one[0]),
                      difference(apart[1], as_one[1]), difference(apart[2], as_one[2]));
  EXPECT_LE(difference(apart[2], as_one[2]), 1e-5);
}

TEST(FreeTree, DoesNotDependOnTheOrderOfItsParts) {
  for (const lie::NodeGroup& group : both_groups()) {
    EXPECT_LE(difference(run(tree(group), 0.005), run(tree(group, true), 0.005)), 1e-12);
  }
}

}  // namespace
}  // namespace liegrad::testing
