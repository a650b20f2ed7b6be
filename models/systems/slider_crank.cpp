// The slider–crank mechanism of [ArnoldBruels2007, section 5.1]: crank and rod are slender, and a mass hangs
// on the slider by a spring. A constant torque drives the crank from rest; there is no gravity.
//
// The ten coordinates are those of the paper, in its order: (x1, y1, θ1) of the crank, (x2, y2, θ2) of the
// rod, x3 of the slider, x4 of the mass, measured so that the spring is relaxed at x4 = x3, and (x5, y5) of
// the hinge between crank and rod. The hinge has no mass: the mass matrix is semi-definite. The paper does
// not print its eight constraints; here they are
//
//     pin       (0, 0)   = start of the crank      λ: force of the ground on the crank
//     hinge1    (x5, y5) = tip of the crank        λ: force of the hinge on the crank
//     hinge2    (x5, y5) = start of the rod        λ: force of the hinge on the rod
//     rail      (x3, 0)  = tip of the rod          λ: force of the slider on the rod
//
// each as left side minus right side, which fixes the multipliers and their signs.

#include <cmath>
#include <numbers>

#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/planar/planar_torque.hpp"
#include "liegrad/elements/planar/slender_rod.hpp"
#include "liegrad/elements/planar/slider.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {
namespace {

/// At rest at a crank angle, the slider on the side of +x, the spring relaxed.
struct AtCrankAngle {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> /*v*/) const {
    using std::asin, std::cos, std::sin, std::sqrt;
    const S &angle = p[0], &l1 = p[1], &l2 = p[2];
    const S c = cos(angle), s = sin(angle);
    const S hinge_x = l1 * c, hinge_y = l1 * s;
    const S reach = sqrt(l2 * l2 - hinge_y * hinge_y);
    const S half(0.5);
    // Crank, rod, slider, mass, hinge.
    q[0] = half * hinge_x;
    q[1] = half * hinge_y;
    q[2] = angle;
    q[3] = hinge_x + half * reach;
    q[4] = half * hinge_y;
    q[5] = -asin(hinge_y / l2);
    q[6] = hinge_x + reach;
    q[7] = q[6];
    q[8] = hinge_x;
    q[9] = hinge_y;
  }
};

}  // namespace

dae::System slider_crank(const Structure& /*structure*/) {
  using elements::RodEnd;
  dae::System system("slider_crank");
  system.add_parameter({"crank.theta0", std::numbers::pi / 2, "rad", "initial angle of the crank"});
  system.add_node("crank", lie::NodeGroup::rn(3));
  system.add_node("rod", lie::NodeGroup::rn(3));
  system.add_node("slider", lie::NodeGroup::rn(1));
  system.add_node("mass", lie::NodeGroup::rn(1));
  system.add_node("hinge", lie::NodeGroup::rn(2));

  system.add("crank", elements::PlanarSlenderRod{}, {"crank"},
             {.values = {{"m", 0.36}, {"l", 0.3}}});
  system.add("rod", elements::PlanarSlenderRod{}, {"rod"}, {.values = {{"m", 0.15}, {"l", 0.6}}});
  system.add("slider", elements::Slider{}, {"slider"}, {.values = {{"m", 0.1}}});
  system.add("mass", elements::Slider{}, {"mass"}, {.values = {{"m", 0.7}}});
  system.add("pin", elements::PlanarRodJoint{RodEnd::kStart}, {"ground", "crank"},
             {.bind = {{"l", "crank.l"}}});
  system.add("hinge1", elements::PlanarRodJoint{RodEnd::kTip}, {"hinge", "crank"},
             {.bind = {{"l", "crank.l"}}});
  system.add("hinge2", elements::PlanarRodJoint{RodEnd::kStart}, {"hinge", "rod"},
             {.bind = {{"l", "rod.l"}}});
  system.add("rail", elements::PlanarRodOnSlider{RodEnd::kTip}, {"ground", "slider", "rod"},
             {.bind = {{"l", "rod.l"}}});
  system.add("spring", elements::SliderSpring{}, {"mass", "slider"}, {.values = {{"k", 1000}}});
  system.add("motor", elements::PlanarTorque{}, {"ground", "crank"}, {.values = {{"T", 1}}});
  system.set_initial_function(AtCrankAngle{}, {"crank.theta0", "crank.l", "rod.l"});
  return system;
}

}  // namespace liegrad::models
