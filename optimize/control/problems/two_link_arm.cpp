// A robot arm of two links between two postures at rest in the least time, torques within ±1 [Luus2000]. With the absolute
// angles of the links, α = θ2 - θ1 and dimensionless masses,
//
//     7/3 θ̈1 + 3/2 cos α θ̈2 = 3/2 sin α θ̇2² + u1 - u2,
//     3/2 cos α θ̈1 + 4/3 θ̈2 = -3/2 sin α θ̇1² + u2.

#include <cmath>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

struct TwoLinkArm {
  dae::ElementShape shape() const {
    return {.type = "two_link_arm",
            .nodes = {{dae::NodeRole::kCoordinates, 2}},
            .controls = {"u1", "u2"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::cos, std::sin;
    const auto q = at.coordinates(0), v = at.velocity_coordinates(0),
               a = at.acceleration_coordinates(0);
    const S alpha = q(1) - q(0), c = S(1.5) * cos(alpha), s = S(1.5) * sin(alpha);
    balance.row(0, 0) +=
        S(7.0 / 3) * a(0) + c * a(1) - s * v(1) * v(1) - at.control(0) + at.control(1);
    balance.row(0, 1) += c * a(0) + S(4.0 / 3) * a(1) + s * v(0) * v(0) - at.control(1);
  }
};

Problem make(const Settings& settings) {
  const double limit = settings("torque_limit");
  if (!(limit > 0)) throw InvalidArgument("torque_limit must be positive");
  dae::System system("two_link_arm");
  system.add_node("arm", lie::NodeGroup::rn(2));
  system.add("arm", TwoLinkArm{}, {"arm"});
  settings.apply_to(system);
  system.set_initial_configuration("arm", {0, 0.5});
  Problem problem(std::move(system), "two_link_arm");
  problem.set_free_horizon(3 / std::sqrt(limit));
  const double end = settings("angle");
  problem.fix_end_configuration("arm", {end, end + 0.5});
  problem.fix_end_velocity("arm");
  for (const char* const control : {"arm.u1", "arm.u2"}) {
    problem.set_control_bounds(control, {-limit, limit});
  }
  for (const int link : {0, 1}) problem.set_coordinate_unit("arm", link, "rad");
  problem.add_end_cost([](const auto& at) { return at.time(); });
  return problem;
}

}  // namespace

BuiltInProblem two_link_arm() {
  return {.name = "two_link_arm",
          .description = "Move a robot arm of two links between two postures in the least time",
          .parameters = {{"angle", 0.522, "rad", "by which the first link turns"},
                         {"torque_limit", 1, "1", "of both torques"}},
          .make = make};
}

}  // namespace liegrad::control
