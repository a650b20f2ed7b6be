// A kernel of a pose, see docs/kernels.md.
//
// p(θ) = exp(θ) X is where a pose of SE(3) puts the body-fixed point X. Its derivative is
// H(exp θ) T(θ) with H = R (-X~  I), by [ArnoldCardonaBruels2015, Corollary 2.7]. Returns non-zero
// unless the kernel's derivative agrees with that to rounding.

#include <cstdio>
#include "liegrad/ad/kernel.hpp"
#include "liegrad/lie/se3.hpp"
using namespace liegrad;

int main() {
  // The physics, written once: where a pose exp(θ) puts the point X of a body.
  const auto tip = []<class S>(std::span<const S> theta, std::span<const S> X) {
    const auto pose = lie::SE3<S>::exp(Eigen::Map<const lie::Vec<S, 6>>(theta.data()));
    return pose.transform_point(Eigen::Map<const lie::Vec<S, 3>>(X.data()));
  };

  // Recorded at θ = 0, where the formulas of SE(3) are 0/0; compiled; used far from there.
  const auto recording = ad::record({.name = "tip", .variables = 6, .data = 3}, tip);
  const ad::Kernel kernel(recording, {.results = {ad::value(), ad::jacobian()}});
  const std::vector<double> in = {2.0, -1.0, 0.7, 3.0, 0.1, -5.0, /*X*/ 0.0, 1.0, 0.5};
  std::vector<double> out(21);  // the point, then its derivative by θ, row by row
  kernel(in, out);

  const lie::Vec<double, 6> theta(in.data());
  const lie::Mat<double, 3> R = lie::SE3<double>::exp(theta).rotation().matrix();
  lie::Mat<double, 3, 6> H;
  H << -R * lie::skew<double>({0.0, 1.0, 0.5}), R;  // by hand
  const lie::Mat<double, 3, 6> by_hand = H * lie::SE3<double>::tangent_operator(theta);
  const lie::Mat<double, 6, 3> exact(out.data() + 3);
  const double error = (exact.transpose() - by_hand).cwiseAbs().maxCoeff();
  std::printf("compiled and by hand differ by %.1e\n", error);
  return error < 1e-14 ? 0 : 1;
}
