#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Dense>

namespace liegrad::testing {

/// The motion of the heavy top of /models by other means: its rotation matrix and angular velocity about
/// the fixed point as an ordinary differential equation without groups, by the classical method of
/// Runge and Kutta with tiny steps; and the constraint force from Newton's law,
/// λ = m Rᵀ(u̇ - γ), u̇ = R(ω̇×X + ω×(ω×X)).
class HeavyTopReference {
 public:
  struct Point {
    Eigen::Matrix3d rotation;
    Eigen::Vector3d omega, position, velocity, lambda;
  };

  explicit HeavyTopReference(double spin = 1.0) {
    y_.rotation.setIdentity();
    y_.omega << 0, 150 * spin, -4.61538 * spin;
  }

  /// The points at 0, h, 2h … t_end.
  static std::vector<Point> on_grid(double h, double t_end, double spin = 1.0) {
    HeavyTopReference reference(spin);
    const long steps = std::lround(t_end / h);
    std::vector<Point> points = {reference.point()};
    for (long i = 0; i < steps; ++i) {
      reference.advance(h);
      points.push_back(reference.point());
    }
    return points;
  }

  void advance(double h) {
    const long inner = std::max(1L, std::lround(h / kStep));
    for (long k = 0; k < inner; ++k) step(h / static_cast<double>(inner));
  }

  Point point() const {
    const Eigen::Vector3d acceleration =
        rate(y_).omega.cross(centre()) + y_.omega.cross(y_.omega.cross(centre()));
    Point p;
    p.rotation = y_.rotation;
    p.omega = y_.omega;
    p.position = y_.rotation * centre();
    p.velocity = y_.rotation * y_.omega.cross(centre());
    p.lambda = kMass * (acceleration - y_.rotation.transpose() * gravity());
    return p;
  }

 private:
  struct Values {
    Eigen::Matrix3d rotation;
    Eigen::Vector3d omega;
    Values plus(double h, const Values& rate) const {
      return {rotation + h * rate.rotation, omega + h * rate.omega};
    }
  };

  static constexpr double kStep = 5e-6, kMass = 15;
  static Eigen::Vector3d centre() { return {0, 1, 0}; }
  static Eigen::Vector3d gravity() { return {0, 0, -9.81}; }

  static Values rate(const Values& y) {
    // About the fixed point: J + m(|X|²I - XXᵀ).
    const Eigen::Vector3d inertia(0.234375 + kMass, 0.46875, 0.234375 + kMass);
    const Eigen::Vector3d spin = inertia.cwiseProduct(y.omega);
    const Eigen::Vector3d torque =
        kMass * centre().cross(y.rotation.transpose() * gravity()) - y.omega.cross(spin);
    Eigen::Matrix3d skew;
    skew << 0, -y.omega(2), y.omega(1), y.omega(2), 0, -y.omega(0), -y.omega(1), y.omega(0), 0;
    return {y.rotation * skew, torque.cwiseQuotient(inertia)};
  }

  void step(double h) {
    const Values k1 = rate(y_), k2 = rate(y_.plus(h / 2, k1)), k3 = rate(y_.plus(h / 2, k2)),
                 k4 = rate(y_.plus(h, k3));
    y_ = y_.plus(h / 6, k1).plus(h / 3, k2).plus(h / 3, k3).plus(h / 6, k4);
  }

  Values y_;
};

}  // namespace liegrad::testing
