// The pendulum of [ArnoldCardonaBruels2015, Example 3.2] in Cartesian coordinates: y_0 < 0, ẋ_0 > 0 and
// the energy m/2 - mgl whatever x_0 is.

#include <cmath>

#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/planar/pendulum.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {
namespace {

struct InitialSwing {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> v) const {
    using std::sqrt;
    const S &x = p[0], &l = p[1], &g = p[2];
    q[0] = x;
    q[1] = -sqrt(l * l - x * x);
    // m/2 - mgl = m/2 |v|² + mgy, along the tangent (-y, x)/l.
    const S speed = sqrt(S(1) - S(2) * g * (l + q[1]));
    v[0] = -speed * q[1] / l;
    v[1] = speed * x / l;
  }
};

}  // namespace

dae::System pendulum(const Structure& /*structure*/) {
  dae::System system("pendulum");
  system.add_parameter({"mass.x0", 0.2, "m", "initial horizontal position"});
  system.add_node("mass", lie::NodeGroup::rn(2));
  system.add("mass", elements::PlanarPointMass{}, {"mass"});
  system.add("rod", elements::PlanarRod{}, {"mass"});
  system.set_initial_function(InitialSwing{}, {"mass.x0", "rod.l", "mass.g"});
  return system;
}

}  // namespace liegrad::models
