// A tape is recorded once, at the identity, and replayed anywhere: every operation must give there
// what it gives in double, and no comparison may have been frozen into the tape.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/ad/scalar.hpp"
#include "liegrad/lie/coordinate_maps.hpp"
#include "liegrad/lie/se2.hpp"
#include "liegrad/lie/se3.hpp"
#include "support/hostile_elements.hpp"

namespace liegrad::lie {
namespace {

using test::RotationPart;
using test::Values;
using Taped = CppAD::AD<double>;
using Numbers = std::vector<double>;

/// Replayed and computed results pass through the same operations; they differ by the correction of
/// the unit norm, which tapes leave out, and by what either order of summation rounds.
constexpr double kReplayTolerance = 64 * std::numeric_limits<double>::epsilon();

// ---------------------------------------------------------------- the operations

/// Every operation of G as a function from numbers to numbers.
template <class G>
struct Operations {
  using S = typename G::ScalarType;
  using Vector = std::vector<S>;
  using Tangent = typename G::Tangent;

  static Vector exp(const Vector& x) { return flat(G::exp(tangent(x, 0)).coeffs()); }
  static Vector log(const Vector& x) { return flat(element(x, 0).log()); }
  static Vector compose(const Vector& x) { return flat((element(x, 0) * element(x, 1)).coeffs()); }
  static Vector inverse(const Vector& x) { return flat(element(x, 0).inverse().coeffs()); }
  static Vector Ad(const Vector& x) { return flat(element(x, 0).Ad()); }
  static Vector T(const Vector& x) { return flat(G::tangent_operator(tangent(x, 0))); }
  static Vector T_inverse(const Vector& x) {
    return flat(G::tangent_operator_inverse(tangent(x, 0)));
  }
  static Vector T_derivative(const Vector& x) {
    return flat(G::tangent_operator_derivative(tangent(x, 0), tangent(x, 1), tangent(x, 2)));
  }

  static Tangent tangent(const Vector& x, int which) { return part<Tangent>(x, which); }
  static G element(const Vector& x, int which) {
    return G::from_coeffs(part<typename G::Coeffs>(x, which));
  }
  template <class X>
  static X part(const Vector& x, int which) {
    X y;
    for (Eigen::Index i = 0; i < y.size(); ++i)
      y(i) = x[static_cast<std::size_t>(which * y.size() + i)];
    return y;
  }
  template <class M>
  static Vector flat(const M& m) {
    return Vector(m.data(), m.data() + m.size());
  }
};

/// Conversions of SO(3), and the coordinate maps on SO(3).
template <class S>
struct RotationOperations : Operations<SO3<S>> {
  using Base = Operations<SO3<S>>;
  using Vector = typename Base::Vector;

  static Vector to_matrix(const Vector& x) { return Base::flat(Base::element(x, 0).matrix()); }
  static Vector to_quaternion(const Vector& x) {
    return Base::flat(Base::element(x, 0).quaternion());
  }
  static Vector from_quaternion(const Vector& x) {
    return Base::flat(SO3<S>::from_quaternion(Base::template part<Vec<S, 4>>(x, 0)).coeffs());
  }
  /// All four of Shepperd's branches are among the hostile elements, one on the tape's identity.
  static Vector from_matrix(const Vector& x) {
    const Mat<S, 3> r = Base::template part<Mat<S, 3>>(x, 0);
    return Base::flat(SO3<S>::from_matrix(r).coeffs());
  }
  template <class Map>
  static Vector map_to_group(const Vector& x) {
    return Base::flat(Map::template to_group<SO3<S>>(Base::tangent(x, 0)).coeffs());
  }
  template <class Map>
  static Vector map_from_group(const Vector& x) {
    return Base::flat(Map::template from_group<SO3<S>>(Base::element(x, 0)));
  }
  template <class Map>
  static Vector map_T(const Vector& x) {
    return Base::flat(Map::template tangent_operator<SO3<S>>(Base::tangent(x, 0)));
  }
  template <class Map>
  static Vector map_T_inverse(const Vector& x) {
    return Base::flat(Map::template tangent_operator_inverse<SO3<S>>(Base::tangent(x, 0)));
  }
};

// ---------------------------------------------------------------- replaying

struct Operation {
  std::string name;
  std::vector<Taped> (*taped)(const std::vector<Taped>&);
  Numbers (*plain)(const Numbers&);
};

CppAD::ADFun<double> record(const Operation& operation, const Numbers& at) {
  std::vector<Taped> x(at.begin(), at.end());
  CppAD::Independent(x);
  return CppAD::ADFun<double>(x, operation.taped(x));
}

double largest(const Numbers& x) {
  double result = 1;
  for (const double entry : x) result = std::max(result, std::abs(entry));
  return result;
}

void expect_close(const Numbers& a, const Numbers& b, double tolerance, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(std::isfinite(a[i]) && std::abs(a[i] - b[i]) <= tolerance)
        << what << " entry " << i << ": " << a[i] << " and " << b[i];
  }
}

/// Recorded at `start`; value, derivative and comparisons at every point of `points`.
void expect_replays(const Operation& operation, const Numbers& start,
                    const std::vector<Numbers>& points) {
  CppAD::ADFun<double> tape = record(operation, start);
  for (const Numbers& x : points) {
    SCOPED_TRACE(operation.name + " at " + testing::PrintToString(x));
    const Numbers expected = operation.plain(x);
    const Numbers replayed = tape.Forward(0, x);
    EXPECT_EQ(tape.compare_change_number(), 0u);
    expect_close(replayed, expected, kReplayTolerance * largest(x) * largest(expected), "value");

    // The derivative is finite, and that of a tape recorded at x itself.
    CppAD::ADFun<double> fresh = record(operation, x);
    const Numbers jacobian = fresh.Jacobian(x);
    expect_close(tape.Jacobian(x), jacobian, kReplayTolerance * largest(x) * largest(jacobian),
                 "derivative");
  }
}

Numbers numbers(const Values& x) {
  Numbers result;
  for (Eigen::Index i = 0; i < x.size(); ++i) result.push_back(static_cast<double>(x(i)));
  return result;
}

Numbers joined(const Numbers& a, const Numbers& b) {
  Numbers result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

template <template <class> class Group>
void expect_all_operations_replay(const std::vector<RotationPart>& rotations) {
  using T = Operations<Group<Taped>>;
  using P = Operations<Group<double>>;
  constexpr int kDof = Group<double>::kDof;

  std::vector<Numbers> tangents, elements, three_tangents, two_elements;
  for (const Values& v : test::hostile_tangents(kDof, rotations)) tangents.push_back(numbers(v));
  for (const Numbers& v : tangents) elements.push_back(P::exp(v));
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    const std::size_t j = (5 * i + 3) % tangents.size();
    three_tangents.push_back(
        joined(joined(tangents[i], tangents[j]), tangents[(i + 7) % tangents.size()]));
    two_elements.push_back(joined(elements[i], elements[j]));
  }

  const Numbers zero(kDof, 0.0), e = P::exp(zero);
  expect_replays({"exp", T::exp, P::exp}, zero, tangents);
  expect_replays({"log", T::log, P::log}, e, elements);
  expect_replays({"compose", T::compose, P::compose}, joined(e, e), two_elements);
  expect_replays({"inverse", T::inverse, P::inverse}, e, elements);
  expect_replays({"Ad", T::Ad, P::Ad}, e, elements);
  expect_replays({"T", T::T, P::T}, zero, tangents);
  expect_replays({"T inverse", T::T_inverse, P::T_inverse}, zero, tangents);
  // |v|, |w|, |d| all reach 30: the tolerance counts one of them, the results the others.
  expect_replays({"derivative of T", T::T_derivative, P::T_derivative},
                 joined(zero, joined(zero, zero)), three_tangents);
}

template <class S>
using R3 = Rn<S, 3>;
template <class S>
using SomeProduct = Product<SO3<S>, SE2<S>, Rn<S, 2>>;

TEST(TapeOfTheIdentity, ReplaysOnR3) { expect_all_operations_replay<R3>({}); }
TEST(TapeOfTheIdentity, ReplaysOnSO2) { expect_all_operations_replay<SO2>({{0, 1}}); }
TEST(TapeOfTheIdentity, ReplaysOnSO3) { expect_all_operations_replay<SO3>({{0, 3}}); }
TEST(TapeOfTheIdentity, ReplaysOnSE2) { expect_all_operations_replay<SE2>({{0, 1}}); }
TEST(TapeOfTheIdentity, ReplaysOnSE3) { expect_all_operations_replay<SE3>({{0, 3}}); }
TEST(TapeOfTheIdentity, ReplaysOnSO3xR3) { expect_all_operations_replay<SO3xR3>({{0, 3}}); }
TEST(TapeOfTheIdentity, ReplaysOnAProduct) {
  expect_all_operations_replay<SomeProduct>({{0, 3}, {3, 1}});
}

template <class Map>
void expect_map_replays(const std::vector<Numbers>& tangents,
                        const std::vector<Numbers>& elements) {
  using T = RotationOperations<Taped>;
  using P = RotationOperations<double>;
  const Numbers zero(3, 0.0), e = P::exp(zero);
  expect_replays({"to group", T::map_to_group<Map>, P::map_to_group<Map>}, zero, tangents);
  expect_replays({"from group", T::map_from_group<Map>, P::map_from_group<Map>}, e, elements);
  expect_replays({"T", T::map_T<Map>, P::map_T<Map>}, zero, tangents);
  expect_replays({"T inverse", T::map_T_inverse<Map>, P::map_T_inverse<Map>}, zero, tangents);
}

TEST(TapeOfTheIdentity, ReplaysCoordinateMapsAndConversions) {
  using T = RotationOperations<Taped>;
  using P = RotationOperations<double>;
  std::vector<Numbers> tangents, elements, regular_for_cayley, matrices;
  for (const Values& v : test::hostile_tangents(3, {{0, 3}})) tangents.push_back(numbers(v));
  for (const Numbers& v : tangents) {
    elements.push_back(P::exp(v));
    matrices.push_back(P::to_matrix(elements.back()));
    // Cayley coordinates go to infinity at θ = π; nothing can be asked of them there.
    if (std::abs(elements.back()[0]) > 1e-3) regular_for_cayley.push_back(elements.back());
  }
  expect_map_replays<ExponentialMap>(tangents, elements);
  expect_map_replays<ConformalRotationVector>(tangents, elements);
  expect_map_replays<CayleyMap>(tangents, regular_for_cayley);

  const Numbers e = P::exp(Numbers(3, 0.0)), one = P::to_matrix(e);
  expect_replays({"matrix", T::to_matrix, P::to_matrix}, e, elements);
  expect_replays({"quaternion", T::to_quaternion, P::to_quaternion}, e, elements);
  expect_replays({"from quaternion", T::from_quaternion, P::from_quaternion}, e, elements);
  expect_replays({"from matrix", T::from_matrix, P::from_matrix}, one, matrices);
}

// Negative control: the same function with an `if` is frozen, and the count of comparisons says so.
TEST(TapeOfTheIdentity, FreezesAnOrdinaryIf) {
  std::vector<Taped> x(1, Taped(0));
  CppAD::Independent(x);
  std::vector<Taped> y(1);
  if (x[0] < Taped(1e-8)) {
    y[0] = Taped(1) - x[0] / Taped(6);
  } else {
    y[0] = sin(sqrt(x[0])) / sqrt(x[0]);
  }
  CppAD::ADFun<double> tape(x, y);
  const double replayed = tape.Forward(0, Numbers{4})[0];
  EXPECT_EQ(tape.compare_change_number(), 1u);
  EXPECT_GT(std::abs(replayed - std::sin(2.0) / 2), 0.1);
}

}  // namespace
}  // namespace liegrad::lie
