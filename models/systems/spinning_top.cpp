// The heavy top with its fixed point built in: a system on SO(3) without constraints, whose rotation is
// that of heavy_top.

#include "liegrad/elements/bodies/spinning_top.hpp"
#include "initial_spin.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/models/models.hpp"
#include "shared_gravity.hpp"

namespace liegrad::models {

dae::System spinning_top(const Structure& /*structure*/) {
  dae::System system("spinning_top");
  add_gravity(system);
  system.add_parameter({"top.omega1", 0, "rad/s", "initial angular velocity, in the body"});
  system.add_parameter({"top.omega2", 150, "rad/s", "second component"});
  system.add_parameter({"top.omega3", -4.61538, "rad/s", "third component"});
  system.add_node("top", lie::NodeGroup::so3());
  system.add("top", elements::SpinningTop{}, {"top"}, {.bind = bound_to_gravity()});
  system.set_initial_function(InitialSpin{}, {"top.omega1", "top.omega2", "top.omega3"});
  return system;
}

}  // namespace liegrad::models
