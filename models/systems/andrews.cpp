// Andrews' squeezing mechanism, [ArnoldBruels2007, section 5.2]: seven planar bodies K1 … K7 on ten
// revolute joints, driven by a constant torque. Numbers, angles and names of points are those of the
// published test set, which has the seven relative angles as coordinates; here each body has its own
// place and angle, with its node at its centre of mass.
//
//     body   angle      joints
//     K1     β          O (origin) and Q
//     K2     β + Θ      Q and P
//     K3     γ          B and P; spring from D to C
//     K4     Φ + δ      E and P
//     K5     δ          A and E
//     K6     Ω + ε      F and P
//     K7     ε          A and F
//
// The paper gives the moving joints coordinates of their own (31 and 30 constraints in place of 21 and
// 20), which moves nothing but changes the number of multipliers.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"
#include "liegrad/elements/planar/planar_spring.hpp"
#include "liegrad/elements/planar/planar_torque.hpp"
#include "liegrad/elements/planar/planar_tracked_point.hpp"
#include "liegrad/lie/so2.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::models {
namespace {

constexpr int kNumBodies = 7;

/// The relative angles of the test set. Of bodies in R³ they count turns; SE(2) has forgotten them, and
/// the angles are in (-π, π].
struct AndrewsAngles {
  dae::ElementShape shape() const {
    return {.type = "andrews_angles",
            .nodes = std::vector<dae::NodeSlot>(kNumBodies, {dae::NodeRole::kPlanarBody}),
            .outputs = {{"beta", 1, "angle of K1"},
                        {"Theta", 1, "angle of K2 from K1"},
                        {"gamma", 1, "angle of K3"},
                        {"Phi", 1, "angle of K4 from K5"},
                        {"delta", 1, "angle of K5"},
                        {"Omega", 1, "angle of K6 from K7"},
                        {"epsilon", 1, "angle of K7"}}};
  }
  template <class S>
  std::array<S, kNumBodies> outputs(const dae::Motion<S>& at) const {
    return {angle<S>(at, 0), angle<S>(at, 1, 0), angle<S>(at, 2), angle<S>(at, 3, 4),
            angle<S>(at, 4), angle<S>(at, 5, 6), angle<S>(at, 6)};
  }

 private:
  /// Of a body, from another one if it is given.
  template <class S>
  static S angle(const dae::Motion<S>& at, int body, int from = -1) {
    if (at.is_linear(body)) {
      const S own = at.coordinates(body)(2);
      return from < 0 ? own : S(own - at.coordinates(from)(2));
    }
    const auto rotation = [&at](int i) {
      const lie::PlanarFrame<S> frame = at.planar_frame(i);
      return lie::SO2<S>::from_coeffs(lie::Vec<S, 2>(frame.cosine, frame.sine));
    };
    return from < 0 ? rotation(body).angle() : (rotation(from).inverse() * rotation(body)).angle();
  }
};

/// Places of all bodies from the relative angles, each from the joint nearest to the ground. The loops
/// through P are closed by the angles; for other lengths the initial values must be projected.
struct PlacedByAngles {
  bool planar_pose = false;  ///< SE(2), otherwise (x, y, θ)

  /// Frames whose points are read, in this order after the seven angles.
  static constexpr std::array kPoints = {"K1.O", "K1.Q", "K2.Q", "K3.B", "K4.E", "K5.A",
                                         "K5.E", "K6.F", "K7.A", "K7.F", "A",    "B"};
  enum Point { kO1, kQ1, kQ2, kB3, kE4, kA5, kE5, kF6, kA7, kF7, kA, kB };

  template <class S>
  void operator()(std::span<const S> p, std::span<S> q, std::span<S> /*v*/) const {
    using std::cos, std::sin;
    using Vector = lie::Vec<S, 2>;
    const auto point = [&p](Point i) {
      const auto first = static_cast<std::size_t>(kNumBodies + 2 * i);
      return Vector(p[first], p[first + 1]);
    };
    // Puts body i with the angle so that its point is there.
    const auto place = [&](std::size_t i, const S& angle, Point own, const Vector& there) {
      lie::PlanarFrame<S> frame{cos(angle), sin(angle), Vector::Zero()};
      frame.position = there - frame.direction(point(own));
      const Vector& x = frame.position;
      const std::array<S, 4> pose = {frame.cosine, frame.sine, x(0), x(1)};
      const std::array<S, 3> coordinates = {x(0), x(1), angle};
      const auto put = [&q, i](const auto& numbers) {
        std::copy(numbers.begin(), numbers.end(),
                  q.begin() + static_cast<std::ptrdiff_t>(i * numbers.size()));
      };
      planar_pose ? put(pose) : put(coordinates);
      return frame;
    };
    const S &beta = p[0], &theta = p[1], &gamma = p[2], &phi = p[3], &delta = p[4], &omega = p[5],
            &epsilon = p[6];
    const auto k1 = place(0, beta, kO1, Vector::Zero());
    place(1, beta + theta, kQ2, k1.point(point(kQ1)));
    place(2, gamma, kB3, point(kB));
    const auto k5 = place(4, delta, kA5, point(kA));
    place(3, phi + delta, kE4, k5.point(point(kE5)));
    const auto k7 = place(6, epsilon, kA7, point(kA));
    place(5, omega + epsilon, kF6, k7.point(point(kF7)));
  }
};

}  // namespace

dae::System andrews(const Structure& structure) {
  // The lengths of the test set: points of a body are seen from its centre of mass.
  constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092;
  constexpr double ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
  constexpr double ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
  constexpr double zf = 0.02, zt = 0.04, fa = 0.01421;
  constexpr std::array kMass = {0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498};
  constexpr std::array kInertia = {2.194e-6, 4.41e-7,  5.255e-6, 5.667e-7,
                                   1.169e-5, 5.667e-7, 1.912e-5};

  dae::System system("andrews");
  std::vector<std::string> initial;
  const auto add_angle = [&](const std::string& name, double value) {
    initial.push_back("initial." + name);
    system.add_parameter({initial.back(), value, "rad", "initial angle"});
  };
  add_angle("beta", -0.0617138900142764496);
  add_angle("Theta", 0);
  add_angle("gamma", 0.455279819163070380);
  add_angle("Phi", 0.222668390165885885);
  add_angle("delta", 0.487364979543842550);
  add_angle("Omega", -0.222668390165885885);
  add_angle("epsilon", 1.23054744454982120);

  std::vector<std::string> bodies;
  for (std::size_t i = 0; i < kNumBodies; ++i) {
    bodies.push_back("K" + std::to_string(i + 1));
    system.add_node(bodies[i], structure.planar_group);
    system.add(bodies[i], elements::PlanarBody{}, {bodies[i]},
               {.values = {{"m", kMass[i]}, {"J", kInertia[i]}}});
  }

  const auto add_point = [&system](const std::string& body, const std::string& name, double x1,
                                   double x2) {
    system.add_planar_frame(body == "ground" ? name : body + "." + name, body,
                            {.position = {x1, x2}});
  };
  add_point("ground", "A", -0.06934, -0.00227);
  add_point("ground", "B", -0.03635, 0.03273);
  add_point("ground", "C", 0.014, 0.072);
  add_point("K1", "O", -ra, 0);
  add_point("K1", "Q", rr - ra, 0);
  add_point("K2", "Q", da, 0);
  add_point("K2", "P", da - d, 0);
  add_point("K3", "B", -sb, sa);
  add_point("K3", "P", -sb, sa - ss);
  add_point("K3", "D", sd - sb, sa - sc);
  add_point("K4", "E", 0, e - ea);
  add_point("K4", "P", 0, -ea);
  add_point("K5", "A", -ta, -tb);
  add_point("K5", "E", zt - ta, -tb);
  add_point("K6", "F", fa - zf, 0);
  add_point("K6", "P", fa, 0);
  add_point("K7", "A", ub, ua);
  add_point("K7", "F", ub, ua - u);

  const auto join = [&system](const std::string& name, const std::string& a, const std::string& b) {
    system.add("joint_" + name, elements::PlanarRevoluteJoint{}, {a, b});
  };
  join("O", "ground", "K1.O");
  join("Q", "K1.Q", "K2.Q");
  join("B", "B", "K3.B");
  join("A5", "A", "K5.A");
  join("A7", "A", "K7.A");
  join("E", "K5.E", "K4.E");
  join("F", "K7.F", "K6.F");
  join("P3", "K2.P", "K3.P");
  join("P4", "K2.P", "K4.P");
  join("P6", "K2.P", "K6.P");

  system.add("spring", elements::PlanarSpring{}, {"K3.D", "C"},
             {.values = {{"k", 4530}, {"l0", 0.07785}}});
  system.add("motor", elements::PlanarTorque{}, {"ground", "K1"}, {.values = {{"T", 0.033}}});
  system.add("angles", AndrewsAngles{}, bodies);
  system.add("P", elements::PlanarTrackedPoint{}, {"K2.P"});

  for (const char* point : PlacedByAngles::kPoints) {
    initial.push_back(point + std::string(".X1"));
    initial.push_back(point + std::string(".X2"));
  }
  system.set_initial_function(PlacedByAngles{structure.planar_group.kind == lie::GroupKind::kSE2},
                              initial);
  return system;
}

}  // namespace liegrad::models
