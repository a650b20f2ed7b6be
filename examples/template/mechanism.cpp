#include "mechanism.hpp"

#include <liegrad/dae/system/element.hpp>
#include <liegrad/elements/bodies/rigid_body.hpp>
#include <liegrad/elements/frame_along.hpp>
#include <liegrad/elements/joints/revolute_joint.hpp>

using namespace liegrad;

namespace {

/// The force -c u on the centre of a body, an element of this project.
struct Oil {
  dae::ElementShape shape() const {
    return {.type = "oil",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = {{"c", 2, "N s/m", "force over speed"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.apply_force(0, -at.parameter(0) * at.velocity(0));
  }
};

}  // namespace

dae::System make_mechanism() {
  dae::System system("arm in oil");
  system.add_node("arm", lie::NodeGroup::so3xr3());
  system.add("arm", elements::RigidBody{}, {"arm"}, {.values = {{"m", 3}, {"J3", 0.09}}});
  system.add("oil", Oil{}, {"arm"});

  // The hinge is the z axis; the centre of mass is 0.3 m beside it.
  system.add_frame("arm.end", "arm", elements::frame_along({-0.3, 0, 0}, {0, 0, 1}));
  system.add("hinge", elements::RevoluteJoint{}, {"ground", "arm.end"});
  system.set_initial_configuration("arm", {1, 0, 0, 0, 0.3, 0, 0});
  system.set_initial_velocity("arm", {0, 0, 10, 0, 3, 0});
  return system;
}
