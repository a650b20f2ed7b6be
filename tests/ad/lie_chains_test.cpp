// Chains of exp, log, T, T⁻¹ and products on SE(3) in every kind of result: at zero, at ordinary
// points, on both sides of each switch between series and closed form, and near π.

#include <cmath>
#include <numbers>
#include <vector>

#include "all_results.hpp"
#include "liegrad/lie/se3.hpp"

namespace liegrad::test {
namespace {

using lie::SE3;
using lie::Vec;

template <class S>
Vec<S, 6> tangent(const std::vector<S>& x) {
  return Eigen::Map<const Vec<S, 6>>(x.data());
}
template <class S>
Vec<S, 6> constant_tangent(const Vec<double, 6>& v) {
  return v.template cast<S>();
}

const Vec<double, 6> kOffset(0.3, -0.2, 0.1, 0.5, -0.4, 0.7);
const Vec<double, 6> kVelocity(-0.6, 0.4, 0.8, 0.2, -0.9, 0.3);

/// v ↦ log(exp(v)∘exp(c)): an increment, a composition, and the coordinates of where it leads.
struct LogOfProduct {
  template <class S>
  std::vector<S> operator()(const std::vector<S>& x) const {
    const auto product = SE3<S>::exp(tangent(x)) * SE3<S>::exp(constant_tangent<S>(kOffset));
    const auto result = product.log();
    return {result.begin(), result.end()};
  }
};

/// v ↦ T(v) w, T⁻¹(v) w: velocities from rates of coordinates, and back.
struct TangentOperators {
  template <class S>
  std::vector<S> operator()(const std::vector<S>& x) const {
    const auto v = tangent(x), w = constant_tangent<S>(kVelocity);
    const Vec<S, 6> forth = SE3<S>::tangent_operator(v) * w;
    const Vec<S, 6> back = SE3<S>::tangent_operator_inverse(v) * w;
    std::vector<S> out(forth.begin(), forth.end());
    out.insert(out.end(), back.begin(), back.end());
    return out;
  }
};

/// A tangent vector with the given angle.
Vec<double, 6> with_angle(double angle, const Eigen::Vector3d& axis = {2, -1, 3}) {
  Vec<double, 6> v = kVelocity;
  v.head<3>() = angle * axis.normalized();
  return v;
}
Numbers numbers(const Vec<double, 6>& v) { return {v.begin(), v.end()}; }

/// The argument for which the product has the given logarithm.
Numbers leading_to(const Vec<double, 6>& v) {
  return numbers((SE3<double>::exp(v) * SE3<double>::exp(kOffset).inverse()).log());
}

constexpr double kPi = std::numbers::pi;
/// The Stumpff functions are taken at θ²/4 and switch at 4.
const double kStumpffAngle = 2 * std::sqrt(lie::kStumpffSwitch);
/// The logarithm's arctan is taken at tan²(θ/4) and switches at 1/16.
const double kArctanAngle = 4 * std::atan(std::sqrt(lie::kArctanSwitch));
/// Near enough to a switch that both sides see the same function, far enough to be on one side.
constexpr double kSide = 1e-9;
/// Below π a difference must not step over it: there the logarithm jumps to the other rotation vector.
constexpr double kDistanceToPi = 0.02;

TEST(LieChains, LogarithmsOfProductsAgreeInEveryResult) {
  const Vec<double, 6> zero = Vec<double, 6>::Zero();
  expect_all_results_agree<6>("log_of_product", LogOfProduct(),
                              {{numbers(zero)},
                               {leading_to(zero)},
                               {leading_to(with_angle(1e-8))},
                               {leading_to(with_angle(0.4))},
                               {leading_to(with_angle(2.3, {-1, 1, 0.5}))},
                               {leading_to(with_angle(kArctanAngle - kSide))},
                               {leading_to(with_angle(kArctanAngle + kSide))},
                               {leading_to(with_angle(kPi - kDistanceToPi)), kDistanceToPi / 4},
                               {leading_to(with_angle(kPi + kDistanceToPi)), kDistanceToPi / 4},
                               {leading_to(with_angle(kPi - 1e-7)), 0},
                               {leading_to(with_angle(kPi + 1e-7)), 0},
                               // The exponential's own switch, beyond what a logarithm leads to.
                               {numbers(with_angle(kStumpffAngle - kSide))},
                               {numbers(with_angle(kStumpffAngle + kSide))},
                               {numbers(with_angle(5))}});
}

TEST(LieChains, TangentOperatorsAndTheirInversesAgreeInEveryResult) {
  expect_all_results_agree<6>("tangent_operators", TangentOperators(),
                              {{numbers(Vec<double, 6>::Zero())},
                               {numbers(with_angle(1e-8))},
                               {numbers(with_angle(0.7))},
                               {numbers(with_angle(1.9, {-1, 1, 0.5}))},
                               {numbers(with_angle(kPi - 1e-7))},
                               {numbers(with_angle(kPi + 1e-7))},
                               {numbers(with_angle(kStumpffAngle - kSide))},
                               {numbers(with_angle(kStumpffAngle + kSide))},
                               {numbers(with_angle(4.5))}});
}

}  // namespace
}  // namespace liegrad::test
