// The flexible four-bar mechanism of [BruelsCardonaArnold2012, section 7.3, Table 2], after [BauchauBottasso1999]:
// three bars on four hinges, of which the one at C is tilted by 5° about y. With rigid bars nothing could move.
// The angle at A follows (86).
//
// The bars meet at right angles at the start, without stress, in the plane of x and y:
//
//     B ─── C        A = (0, 0), B = (0, 0.12), C = (0.24, 0.12), D = (0.24, 0)
//     │     │
//     A     D
//
// The stiffness is that of the table as it is printed. (It is odd: √(EI/EA) is 0.25 m.) No gravity.

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "beam_parameters.hpp"
#include "liegrad/elements/coordinates/driven_coordinate.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/laws.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"

namespace liegrad::models {
namespace {

using Rotation = lie::SO3<double>;
using Pose = lie::SE3<double>;
using Vector = lie::Vec<double, 3>;

/// A bar from a point, with x along it after a turn about z.
struct Bar {
  std::string name;
  UniformBeam beam;
  Vector start;
  double angle;

  Rotation turn() const { return Rotation::exp(Vector(0, 0, angle)); }
  std::string end(int which) const { return name + "." + name.substr(which, 1); }
};

void add_bar(dae::System& system, const Structure& structure, const Bar& bar) {
  const std::map<std::string, std::string> bind =
      add_beam_parameters(system, bar.name + ".", bar.beam);
  elements::StraightBeam row{.name = bar.name,
                             .elements = structure.bodies,
                             .from = {bar.end(0)},
                             .to = {bar.end(1)},
                             .group = structure.body_group,
                             .start = Pose(bar.turn(), bar.start),
                             .length = bar.beam.length,
                             .values = {{"gravity3", 0}},
                             .bind = bind};
  const auto add_end = [&](int which) {
    const auto c = (row.start * Pose(Rotation::identity(), {which * row.length, 0, 0})).coeffs();
    system.add_node(bar.end(which), row.group);
    system.set_initial_configuration(bar.end(which), {c.begin(), c.end()});
  };
  // Nodes in the order along the bar.
  add_end(0);
  add_beam_nodes(system, row);
  add_end(1);
  add_beam(system, row);
}

/// An axis, given in the ground, as a frame of the end of a bar.
void add_axis(dae::System& system, const Bar& bar, int which, const Vector& axis) {
  const Vector own = bar.turn().inverse().transform_vector(axis);
  const Vector x = bar.turn().inverse().transform_vector(Vector(1, 0, 0));
  system.add_frame(
      bar.end(which) + ".hinge", bar.end(which),
      elements::frame_with_axes({0, 0, 0}, {x(0), x(1), x(2)}, {own(0), own(1), own(2)}));
}

}  // namespace

dae::System four_bar(const Structure& structure) {
  constexpr double kPi = std::numbers::pi;
  dae::System system("four_bar");
  const Bar ab = {"AB",
                  {.length = 0.12,
                   .EA = 4e7,
                   .GA = 2e6,
                   .GJ = 2.8e5,
                   .EI = 2.4e6,
                   .mass = 3.2,
                   .J1 = 2.4e-2,
                   .J2 = 1.2e-2},
                  {0, 0, 0},
                  kPi / 2};
  const Bar bc = {"BC",
                  {.length = 0.24,
                   .EA = 4e6,
                   .GA = 2e5,
                   .GJ = 2.8e4,
                   .EI = 2.8e5,
                   .mass = 1.6,
                   .J1 = 1.2e-2,
                   .J2 = 6e-3},
                  {0, 0.12, 0},
                  0};
  const Bar cd = {"CD",
                  {.length = 0.12,
                   .EA = 4e5,
                   .GA = 2e5,
                   .GJ = 2.8e4,
                   .EI = 2.4e4,
                   .mass = 1.6,
                   .J1 = 1.2e-2,
                   .J2 = 6e-3},
                  {0.24, 0.12, 0},
                  -kPi / 2};
  for (const Bar& bar : {ab, bc, cd}) add_bar(system, structure, bar);

  const double tilt = 5 * kPi / 180;
  const Vector z(0, 0, 1), tilted(std::sin(tilt), 0, std::cos(tilt));
  add_axis(system, ab, 0, z);
  add_axis(system, ab, 1, z);
  add_axis(system, bc, 0, z);
  add_axis(system, bc, 1, tilted);
  add_axis(system, cd, 0, tilted);
  add_axis(system, cd, 1, z);
  system.add_frame("A", "ground", elements::frame_with_axes({0, 0, 0}, {1, 0, 0}, {0, 0, 1}));
  system.add_frame("D", "ground", elements::frame_with_axes({0.24, 0, 0}, {1, 0, 0}, {0, 0, 1}));

  system.add("hinge_A", elements::RevoluteJoint{}, {"A", "AB.A.hinge"});
  system.add("hinge_B", elements::RevoluteJoint{}, {"AB.B.hinge", "BC.B.hinge"});
  system.add("hinge_C", elements::RevoluteJoint{}, {"BC.C.hinge", "CD.C.hinge"});
  system.add("hinge_D", elements::RevoluteJoint{}, {"D", "CD.D.hinge"});
  system.add_node("angle", lie::NodeGroup::rn(1));
  system.add("angle_A", elements::JointAngle{}, {"A", "AB.A.hinge", "angle"});
  system.add("motor", elements::DrivenCoordinate<elements::SmoothStartLaw>{}, {"angle"},
             {.values = {{"omega", -5}, {"t_s", 0.5}}});
  return system;
}

}  // namespace liegrad::models
