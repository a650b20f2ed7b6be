// The heavy top with its fixed point built in: a system on SO(3) without constraints, whose rotation is
// that of heavy_top.

#include "liegrad/elements/spinning_top.hpp"
#include "initial_spin.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {

dae::System spinning_top(const lie::NodeGroup& /*body_group*/) {
  dae::System system("spinning_top");
  system.add_parameter({"gravity1", 0, "m/s^2", "gravity along x"});
  system.add_parameter({"gravity2", 0, "m/s^2", "gravity along y"});
  system.add_parameter({"gravity3", -9.81, "m/s^2", "gravity along z"});
  system.add_parameter({"top.omega1", 0, "rad/s", "initial angular velocity, in the body"});
  system.add_parameter({"top.omega2", 150, "rad/s", "second component"});
  system.add_parameter({"top.omega3", -4.61538, "rad/s", "third component"});
  system.add_node("top", lie::NodeGroup::so3());
  system.add(
      "top", elements::SpinningTop{}, {"top"},
      {.bind = {{"gravity1", "gravity1"}, {"gravity2", "gravity2"}, {"gravity3", "gravity3"}}});
  system.set_initial_function(InitialSpin{}, {"top.omega1", "top.omega2", "top.omega3"});
  return system;
}

}  // namespace liegrad::models
