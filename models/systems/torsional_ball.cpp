// The test problem of [RotatingBallTestProblem]: R(0) = exp(α_0 n~). With ω(0) parallel to n it turns
// about n like a scalar oscillator; the default ω(0) does not.

#include "liegrad/elements/bodies/torsional_ball.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {
namespace {

struct InitialTwist {
  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> v) const {
    const lie::Vec<S, 3> theta(p[0] * p[1], p[0] * p[2], p[0] * p[3]);
    const auto rotation = lie::SO3<S>::exp(theta);
    for (std::size_t i = 0; i < 4; ++i) q[i] = rotation.coeffs()(static_cast<Eigen::Index>(i));
    for (std::size_t i = 0; i < 3; ++i) v[i] = p[4 + i];
  }
};

}  // namespace

dae::System torsional_ball(const Structure& /*structure*/) {
  dae::System system("torsional_ball");
  system.add_parameter({"ball.alpha0", 0.5, "rad", "initial angle"});
  system.add_parameter({"ball.n1", 0, "1", "axis of the initial rotation"});
  system.add_parameter({"ball.n2", 0, "1", "second component"});
  system.add_parameter({"ball.n3", 1, "1", "third component"});
  system.add_parameter({"ball.omega1", 0.3, "rad/s", "initial angular velocity, in the body"});
  system.add_parameter({"ball.omega2", -0.2, "rad/s", "second component"});
  system.add_parameter({"ball.omega3", 1, "rad/s", "third component"});
  system.add_node("ball", lie::NodeGroup::so3());
  system.add("ball", elements::TorsionalBall{}, {"ball"});
  system.set_initial_function(InitialTwist{}, {"ball.alpha0", "ball.n1", "ball.n2", "ball.n3",
                                               "ball.omega1", "ball.omega2", "ball.omega3"});
  return system;
}

}  // namespace liegrad::models
