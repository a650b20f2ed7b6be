#pragma once

// A group with any scalar, seen through plain numbers. The laws are then written, and compiled,
// once for all groups and scalars; only this adaptor is instantiated for each of them.

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "derivative_along.hpp"
#include "liegrad/lie/operations.hpp"
#include "liegrad/lie/product.hpp"
#include "values.hpp"

namespace liegrad::test {

/// Elements are their coefficients, tangents their coordinates, both as columns. Every function
/// rounds its arguments to the scalar, computes there, and returns the values of the result.
class GroupUnderTest {
 public:
  virtual ~GroupUnderTest() = default;

  std::string name;         ///< e.g. SE3
  std::string scalar_name;  ///< e.g. float
  int dof = 0, num_coeffs = 0;
  std::vector<RotationPart> rotations;
  Value precision = 0;         ///< of the floating-point type at the bottom
  Value derivative_error = 0;  ///< of the derivative_… functions, beyond rounding
  bool has_action = false;     ///< transform_point() is an action of the group
  bool has_transform_point = false;
  int point_size = 0;

  virtual Values rounded(const Values& x) const = 0;
  virtual Values identity() const = 0;
  virtual Values random(std::mt19937& rng) const = 0;
  virtual Values compose(const Values& g, const Values& h) const = 0;
  virtual Values inverse(const Values& g) const = 0;
  virtual Values exp(const Values& v) const = 0;
  virtual Values log(const Values& g) const = 0;
  virtual Values Ad(const Values& g) const = 0;
  virtual Values ad(const Values& v) const = 0;
  virtual Values T(const Values& v) const = 0;
  virtual Values T_inverse(const Values& v) const = 0;
  virtual Values T_derivative(const Values& v, const Values& w, const Values& d) const = 0;
  virtual Values plus(const Values& q, const Values& w) const = 0;
  virtual Values minus(const Values& b, const Values& a) const = 0;
  virtual Values interpolate(const Values& a, const Values& b, Value s) const = 0;
  virtual Value distance(const Values& a, const Values& b) const = 0;
  virtual Values transform_point(const Values& g, const Values& p) const = 0;
  virtual Values transform_vector(const Values& g, const Values& p) const = 0;
  virtual Values matrix(const Values& g) const = 0;
  virtual Values hat(const Values& v) const = 0;
  virtual Values vee(const Values& m) const = 0;

  /// The groups of the nodes, for a list of groups; else empty.
  virtual std::vector<const GroupUnderTest*> nodes() const { return {}; }

  // Derivatives found by the scalar itself (AD), or by differences where it cannot.

  /// d/dε coeffs(q∘exp(v + εw)).
  virtual Values derivative_of_plus(const Values& q, const Values& v, const Values& w) const = 0;
  /// d/dε h(q∘exp(v + εw)) for the test function h below.
  virtual Values derivative_of_h(const Values& q, const Values& v, const Values& w) const = 0;
  /// d/dε T(v + εd) w.
  virtual Values derivative_of_T(const Values& v, const Values& w, const Values& d) const = 0;
  /// d/dε log(exp(v)∘exp(εw)).
  virtual Values derivative_of_log(const Values& v, const Values& w) const = 0;
};

/// A test function h: G → R², neither linear nor symmetric in the coefficients.
template <class S>
Column<S> test_function(const Column<S>& c) {
  Column<S> h(2);
  h(0) = S(0);
  h(1) = S(0);
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    h(0) += S(0.5 + 0.125 * double(i)) * c(i) * c(i) * c((i + 1) % c.size());
    h(1) += S(1.0 - 0.25 * double(i)) * c(i);
  }
  h(1) = h(1) * h(1);
  return h;
}

namespace adaptor_detail {

template <class S, class Fixed>
Fixed to_scalar(const Values& x) {
  Fixed y;
  y.resize(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.size(); ++i) y(i) = S(static_cast<lie::RealOf<S>>(x(i)));
  return y;
}

template <class Derived>
Values to_values(const Derived& x) {
  Values y(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      y(i, j) = lie::value_of<typename Derived::Scalar>(x(i, j));
  }
  return y;
}

/// The type of a point, from a group's transform_point().
template <class G, class Point>
Point argument_of(Point (G::*)(const Point&) const);

}  // namespace adaptor_detail

template <lie::LieGroup G>
class GroupAdaptor final : public GroupUnderTest {
  using S = typename G::ScalarType;
  using Tangent = typename G::Tangent;
  static constexpr bool kActs = requires { &G::transform_point; };

 public:
  /// `n` is the dimension of R^n where the type does not know it.
  GroupAdaptor(std::string group, std::vector<RotationPart> rotation_parts, int n = G::kDof) {
    name = std::move(group);
    rotations = std::move(rotation_parts);
    dof = n;
    num_coeffs = G::kNumCoeffs < 0 ? n : G::kNumCoeffs;
    precision = std::numeric_limits<lie::RealOf<S>>::epsilon();
    derivative_error = DerivativeAlong<S>::relative_error();
    has_transform_point = has_action = kActs;
    if constexpr (kActs) {
      using Point = decltype(adaptor_detail::argument_of(&G::transform_point));
      point_size = Point::RowsAtCompileTime < 0 ? n : Point::RowsAtCompileTime;
    }
  }

  Values rounded(const Values& x) const override {
    return values(adaptor_detail::to_scalar<S, Column<S>>(x));
  }
  Values identity() const override {
    if constexpr (G::kDof < 0)
      return values(G::identity(dof).coeffs());
    else
      return values(G::identity().coeffs());
  }
  Values random(std::mt19937& rng) const override {
    if constexpr (G::kDof < 0)
      return values(Column<S>(Column<S>::Constant(dof, S(double(rng() % 7) - 3))));
    else
      return values(lie::random<G>(rng).coeffs());
  }
  Values compose(const Values& g, const Values& h) const override {
    return values(lie::compose(element(g), element(h)).coeffs());
  }
  Values inverse(const Values& g) const override { return values(element(g).inverse().coeffs()); }
  Values exp(const Values& v) const override { return values(G::exp(tangent(v)).coeffs()); }
  Values log(const Values& g) const override { return values(element(g).log()); }
  Values Ad(const Values& g) const override { return values(element(g).Ad()); }
  Values ad(const Values& v) const override { return values(G::ad(tangent(v))); }
  Values T(const Values& v) const override { return values(G::tangent_operator(tangent(v))); }
  Values T_inverse(const Values& v) const override {
    return values(G::tangent_operator_inverse(tangent(v)));
  }
  Values T_derivative(const Values& v, const Values& w, const Values& d) const override {
    return values(G::tangent_operator_derivative(tangent(v), tangent(w), tangent(d)));
  }
  Values plus(const Values& q, const Values& w) const override {
    return values(lie::plus<G>(element(q), tangent(w)).coeffs());
  }
  Values minus(const Values& b, const Values& a) const override {
    return values(lie::minus<G>(element(b), element(a)));
  }
  Values interpolate(const Values& a, const Values& b, Value s) const override {
    return values(lie::interpolate<G>(element(a), element(b), S(lie::RealOf<S>(s))).coeffs());
  }
  Value distance(const Values& a, const Values& b) const override {
    return lie::value_of<S>(lie::distance<G>(element(a), element(b)));
  }
  Values transform_point(const Values& g, const Values& p) const override {
    if constexpr (kActs)
      return values(element(g).transform_point(point(p)));
    else
      return p;
  }
  Values transform_vector(const Values& g, const Values& p) const override {
    if constexpr (kActs)
      return values(element(g).transform_vector(point(p)));
    else
      return p;
  }
  Values matrix(const Values& g) const override { return values(element(g).matrix()); }
  Values hat(const Values& v) const override { return values(G::hat(tangent(v))); }
  Values vee(const Values& m) const override {
    return values(G::vee(adaptor_detail::to_scalar<S, typename G::Matrix>(m)));
  }

  Values derivative_of_plus(const Values& q, const Values& v, const Values& w) const override {
    return derivative(moved_coeffs(q, v, w));
  }
  Values derivative_of_h(const Values& q, const Values& v, const Values& w) const override {
    const auto coeffs = moved_coeffs(q, v, w);
    return derivative([&](const S& epsilon) { return test_function<S>(coeffs(epsilon)); });
  }
  Values derivative_of_T(const Values& v, const Values& w, const Values& d) const override {
    return derivative([=, this](const S& epsilon) -> Column<S> {
      return product(G::tangent_operator(moved(v, d, epsilon)), tangent(w));
    });
  }
  Values derivative_of_log(const Values& v, const Values& w) const override {
    const G g = element(exp(v));
    const Values zero = Values::Zero(dof, 1);
    return derivative([=, this](const S& epsilon) -> Column<S> {
      return (g * G::exp(moved(zero, w, epsilon))).log();
    });
  }

 private:
  using Function = std::function<Column<S>(const S&)>;

  static G element(const Values& g) {
    return G::from_coeffs(adaptor_detail::to_scalar<S, typename G::Coeffs>(g));
  }
  static Tangent tangent(const Values& v) { return adaptor_detail::to_scalar<S, Tangent>(v); }
  template <class X>
  static Values values(const X& x) {
    return adaptor_detail::to_values(x);
  }
  static auto point(const Values& p) {
    using Point = decltype(adaptor_detail::argument_of(&G::transform_point));
    return adaptor_detail::to_scalar<S, Point>(p);
  }

  static Values derivative(const Function& f) { return DerivativeAlong<S>::of(f); }
  /// v + εw.
  static Tangent moved(const Values& v, const Values& w, const S& epsilon) {
    Tangent x = tangent(v);
    const Tangent y = tangent(w);
    for (Eigen::Index i = 0; i < x.size(); ++i) x(i) += epsilon * y(i);
    return x;
  }
  static Function moved_coeffs(const Values& q, const Values& v, const Values& w) {
    return [=](const S& epsilon) -> Column<S> {
      return lie::plus<G>(element(q), moved(v, w, epsilon)).coeffs();
    };
  }
  static Column<S> product(const typename G::TangentMap& m, const Tangent& w) {
    Column<S> y(m.rows());
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      y(i) = S(0);
      for (Eigen::Index j = 0; j < m.cols(); ++j) y(i) += m(i, j) * w(j);
    }
    return y;
  }
};

}  // namespace liegrad::test
