#pragma once

#include <array>
#include <map>
#include <vector>

#include "heavy_top_reference.hpp"
#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {

/// One run of the heavy top with ρ∞ = 0.9 unless changed.
struct TopRun {
  lie::NodeGroup group = lie::NodeGroup::so3xr3();
  dae::AlphaVariant variant = dae::AlphaVariant::kLieGroup;
  dae::Formulation formulation = dae::Formulation::kIndex3;
  dae::StartingValues start = dae::StartingValues::kClassical;
  double sigma = 0;
  double rho = 0.9;
  double h = 1e-3;
  double t_end = 1;
  double spin = 1;  ///< factor of the angular velocity at the start

  dae::IntegrateOptions options() const {
    dae::IntegrateOptions o = dae::alpha_steps();
    o.t_end = t_end;
    o.step = h;
    o.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(rho);
    o.alpha.method.sigma = sigma;
    o.alpha.variant = variant;
    o.alpha.formulation = formulation;
    o.alpha.start = start;
    return o;
  }
  dae::System system() const {
    dae::System top = models::make_model("heavy_top", group);
    for (const char* const name : {"top.omega2", "top.omega3"}) {
      top.set_parameter(name, spin * top.parameter(name));
    }
    return top;
  }
  dae::Solution run() const { return dae::integrate(system(), options()); }
  TopRun with_step(double step) const {
    TopRun other = *this;
    other.h = step;
    return other;
  }
};

/// Largest errors relative to the largest nominal value, as in [ArnoldCardonaBruels2015]: of q = (R, x)
/// with the rotation error as a vector, of v, of λ.
struct TopErrors {
  double q = 0, v = 0, lambda = 0;
};

/// The exact motion at the points of a run.
inline const std::vector<HeavyTopReference::Point>& reference_of(const TopRun& run) {
  static std::map<std::array<double, 3>, std::vector<HeavyTopReference::Point>> references;
  auto& reference = references[{run.h, run.t_end, run.spin}];
  if (reference.empty()) reference = HeavyTopReference::on_grid(run.h, run.t_end, run.spin);
  return reference;
}

/// At the points of a run from `from` to `to`.
inline TopErrors errors_of(const dae::Solution& solution, const TopRun& run, double from = 0,
                           double to = 1e9) {
  const auto& reference = reference_of(run);
  const bool se3 = run.group.kind == lie::GroupKind::kSE3;
  TopErrors e;
  double q_norm = 0, v_norm = 0, lambda_norm = 0;
  for (std::size_t i = 0; i < solution.samples.size(); ++i) {
    const dae::State& s = solution.samples[i];
    if (s.t < from - 1e-9 || s.t > to + 1e-9) continue;
    const auto& exact = reference[i];
    const Eigen::Quaterniond quaternion(s.q[0], s.q[1], s.q[2], s.q[3]);
    const Eigen::AngleAxisd turn(quaternion.toRotationMatrix().transpose() * exact.rotation);
    const Eigen::Vector3d dx = Eigen::Vector3d(s.q[4], s.q[5], s.q[6]) - exact.position;
    Eigen::Vector3d u(s.v[3], s.v[4], s.v[5]);
    if (se3) u = quaternion.toRotationMatrix() * u;
    const Eigen::Vector3d d_omega = Eigen::Vector3d(s.v[0], s.v[1], s.v[2]) - exact.omega;
    const Eigen::Vector3d d_lambda =
        Eigen::Vector3d(s.lambda[0], s.lambda[1], s.lambda[2]) - exact.lambda;
    e.q = std::max(e.q, std::hypot(turn.angle(), dx.norm()));
    e.v = std::max(e.v, std::hypot(d_omega.norm(), (u - exact.velocity).norm()));
    e.lambda = std::max(e.lambda, d_lambda.norm());
    q_norm = std::max(q_norm, exact.position.norm());
    v_norm = std::max(v_norm, std::hypot(exact.omega.norm(), exact.velocity.norm()));
    lambda_norm = std::max(lambda_norm, exact.lambda.norm());
  }
  e.q /= q_norm;
  e.v /= v_norm;
  e.lambda /= lambda_norm;
  return e;
}

}  // namespace liegrad::testing
