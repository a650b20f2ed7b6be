// exp, log, T, T⁻¹ of SO(3) and SE(3), and the series behind them, against tables of tests/golden/
// made with 160 digits: values, first and second derivatives by CppAD.
//
// The error of an object, or of one of its derivatives, is that of its worst entry, relative to its own
// largest entry at that point. One exception: the second derivative of log(exp(v)∘exp(s)) vanishes
// with the angle (it is zero at the identity) while what it is made of does not; its error is
// relative to the larger of it and the first derivatives.
//
// Worst errors measured (GCC 12, x86-64), all angles from 0 to π - 1e-8:
//
//                       value      first     second
//     SO(3)             3.8e-16    4.4e-16    3.9e-15
//     SE(3)             4.0e-16    1.2e-15    1.3e-15
//     c_0 … c_5         within the limits; c_7: 8e-15, 4e-13, 2.4e-11 just above the switch
//
// log and T⁻¹ lose nothing near π: log goes through tan(θ/4), which is regular up to 2π, and T⁻¹ has its
// pole at 2π. Hence the limits below hold up to π, not only up to 3.1.

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "liegrad/ad/scalar.hpp"
#include "liegrad/lie/relative_rotation.hpp"
#include "liegrad/lie/se3.hpp"

namespace liegrad::lie {
namespace {

using Taped = CppAD::AD<double>;
using Numbers = std::vector<double>;
/// Of the value, the first and the second derivative.
constexpr std::array<double, 3> kLimits = {4e-15, 1e-13, 1e-11};

/// A file of this kind is opened by the name it has in tests/golden/.
std::ifstream golden(const std::string& name) {
  std::ifstream file(std::string(LIEGRAD_GOLDEN_FOLDER) + "/" + name);
  if (!file) throw std::runtime_error("cannot open tests/golden/" + name);
  std::string header;
  std::getline(file, header);
  return file;
}

double largest(const Numbers& x) {
  double result = 0;
  for (const double entry : x) result = std::max(result, std::abs(entry));
  return result;
}

/// Worst error, and where.
struct Worst {
  double error = 0;
  std::string where = "nowhere";

  void update(const Numbers& actual, const Numbers& expected, double scale,
              const std::string& here) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const double difference = std::abs(actual[i] - expected[i]);
      // Zero is to be met exactly; NaN is the worst of all.
      const double relative = difference == 0 ? 0 : difference / scale;
      if (!(relative <= error)) error = relative, where = here + " entry " + std::to_string(i);
    }
  }
  void expect_below(double limit, const std::string& what) const {
    testing::Test::RecordProperty("worst_" + what,
                                  std::to_string(error * 1e16) + "e-16 at " + where);
    EXPECT_LE(error, limit) << what << " at " << where;
  }
};

struct WorstOfOrders {
  Worst value, first, second;
  void expect_within(const std::array<double, 3>& limits) const {
    value.expect_below(limits[0], "value");
    first.expect_below(limits[1], "first_derivative");
    second.expect_below(limits[2], "second_derivative");
  }
};

/// One point of lie_groups.txt: v, d, e, and the reference of each object and order.
struct Point {
  std::string name;
  double angle = 0;
  std::map<std::string, Numbers> lines;  // "v", "d", "e", "exp f", "exp d", …
};

std::vector<Point> read_points() {
  std::vector<Point> points;
  std::ifstream file = golden("lie_groups.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "point") {
      points.push_back({});
      points.back().name = line;
      words >> points.back().angle;
      continue;
    }
    if (key != "v" && key != "d" && key != "e") {
      std::string order;
      words >> order;
      key += " " + order;
    }
    for (std::string number; words >> number;)
      points.back().lines[key].push_back(std::stod(number));
  }
  return points;
}

template <class M>
auto flat(const M& m) {
  std::vector<typename M::Scalar> entries;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) entries.push_back(m(i, j));
  }
  return entries;
}

template <class G>
auto evaluate(const std::string& object, const typename G::Tangent& v,
              const typename G::Tangent& s) {
  if (object == "exp") return flat(G::exp(v + s).coeffs());
  if (object == "log") return flat((G::exp(v) * G::exp(s)).log());
  if constexpr (G::kDof == 3) {
    if (object == "log of a matrix") {
      return flat(
          rotation::logarithm<typename G::ScalarType>(G::exp(v).matrix() * G::exp(s).matrix()));
    }
  }
  if (object == "T") return flat(G::tangent_operator(v + s).template leftCols<3>().eval());
  return flat(G::tangent_operator_inverse(v + s).template leftCols<3>().eval());
}

/// The entries of an object of SE(3) that belong to SO(3): its first ones, in all four.
template <class G>
Numbers part_of(const Numbers& reference, std::size_t size) {
  return Numbers(reference.begin(), reference.begin() + static_cast<std::ptrdiff_t>(size));
}

/// v and s d + t e of a point.
template <class G>
std::pair<typename G::Tangent, typename G::Tangent> perturbed(const Point& point,
                                                              const typename G::ScalarType& s,
                                                              const typename G::ScalarType& t) {
  using S = typename G::ScalarType;
  std::pair<typename G::Tangent, typename G::Tangent> result;
  for (int i = 0; i < G::kDof; ++i) {
    const auto k = static_cast<std::size_t>(i);
    result.first(i) = S(point.lines.at("v")[k]);
    result.second(i) = s * S(point.lines.at("d")[k]) + t * S(point.lines.at("e")[k]);
  }
  return result;
}

/// f(s d + t e): value, ∂s, ∂t and ∂s∂t at zero, by Taylor coefficients of one tape.
template <class G>
std::map<std::string, Numbers> differentiate(const std::string& object, const Point& point) requires
    std::same_as<typename G::ScalarType, Taped> {
  std::vector<Taped> st(2, Taped(0));
  CppAD::Independent(st);
  const auto [v, s] = perturbed<G>(point, st[0], st[1]);
  const auto y = evaluate<G>(object, v, s);
  CppAD::ADFun<double> f(st, y);

  // Second-order coefficients along (1,0), (0,1), (1,1): the last less the others is mixed.
  std::map<std::string, Numbers> result;
  result["f"] = f.Forward(0, Numbers{0, 0});
  result["d"] = f.Forward(1, Numbers{1, 0});
  const Numbers dd = f.Forward(2, Numbers{0, 0});
  result["e"] = f.Forward(1, Numbers{0, 1});
  const Numbers ee = f.Forward(2, Numbers{0, 0});
  f.Forward(1, Numbers{1, 1});
  result["de"] = f.Forward(2, Numbers{0, 0});
  for (std::size_t i = 0; i < y.size(); ++i) result["de"][i] -= dd[i] + ee[i];
  return result;
}

/// The same by a tape of a tape: ∂t outside, ∂s inside.
template <class G>
std::map<std::string, Numbers> differentiate(const std::string& object, const Point& point) requires
    std::same_as<typename G::ScalarType, CppAD::AD<Taped>> {
  std::vector<Taped> s(1, Taped(0));
  CppAD::Independent(s);
  std::vector<CppAD::AD<Taped>> t(1, CppAD::AD<Taped>(0));
  CppAD::Independent(t);
  const auto [v, moved] = perturbed<G>(point, CppAD::AD<Taped>(s[0]), t[0]);
  CppAD::ADFun<Taped> outer(t, evaluate<G>(object, v, moved));
  std::vector<Taped> y = outer.Forward(0, std::vector<Taped>(1, Taped(0)));
  const std::vector<Taped> dy = outer.Forward(1, std::vector<Taped>(1, Taped(1)));
  const std::size_t n = y.size();
  y.insert(y.end(), dy.begin(), dy.end());
  CppAD::ADFun<double> inner(s, y);

  const Numbers value = inner.Forward(0, Numbers{0}), first = inner.Forward(1, Numbers{1});
  const auto half = [n](const Numbers& x, bool lower) {
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(n);
    return lower ? Numbers(middle, x.end()) : Numbers(x.begin(), middle);
  };
  return {{"f", half(value, false)},
          {"e", half(value, true)},
          {"d", half(first, false)},
          {"de", half(first, true)}};
}

template <class G>
WorstOfOrders worst_errors(const std::string& object, double min_angle, double max_angle) {
  const bool is_log = object.starts_with("log");
  const std::string reference = is_log ? "log" : object;
  WorstOfOrders worst;
  for (const Point& point : read_points()) {
    if (point.angle < min_angle || point.angle > max_angle) continue;
    const auto actual = differentiate<G>(object, point);
    std::map<std::string, Numbers> expected;
    for (const char* order : {"f", "d", "e", "de"}) {
      expected[order] = part_of<G>(point.lines.at(reference + " " + order), actual.at("f").size());
    }
    const double d = largest(expected["d"]), e = largest(expected["e"]),
                 de = largest(expected["de"]);
    worst.value.update(actual.at("f"), expected["f"], largest(expected["f"]), point.name);
    worst.first.update(actual.at("d"), expected["d"], d, point.name);
    worst.first.update(actual.at("e"), expected["e"], e, point.name);
    worst.second.update(actual.at("de"), expected["de"], is_log ? std::max({d, e, de}) : de,
                        point.name);
  }
  return worst;
}

constexpr double kPromisedAngle = 3.1, kPi = 3.1416;

struct Case {
  const char* name;
  const char* object;
  WorstOfOrders (*worst)(const std::string&, double, double);
};

class Golden : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    All, Golden,
    testing::Values(Case{"SO3_exp_nested", "exp", worst_errors<SO3<CppAD::AD<Taped>>>},
                    Case{"SO3_log_nested", "log", worst_errors<SO3<CppAD::AD<Taped>>>},
                    Case{"SO3_log_of_a_matrix_nested", "log of a matrix",
                         worst_errors<SO3<CppAD::AD<Taped>>>},
                    Case{"SO3_T_nested", "T", worst_errors<SO3<CppAD::AD<Taped>>>},
                    Case{"SO3_TInverse_nested", "Tinv", worst_errors<SO3<CppAD::AD<Taped>>>},
                    Case{"SO3_exp", "exp", worst_errors<SO3<Taped>>},
                    Case{"SO3_log", "log", worst_errors<SO3<Taped>>},
                    Case{"SO3_log_of_a_matrix", "log of a matrix", worst_errors<SO3<Taped>>},
                    Case{"SO3_T", "T", worst_errors<SO3<Taped>>},
                    Case{"SO3_TInverse", "Tinv", worst_errors<SO3<Taped>>},
                    Case{"SE3_exp", "exp", worst_errors<SE3<Taped>>},
                    Case{"SE3_log", "log", worst_errors<SE3<Taped>>},
                    Case{"SE3_T", "T", worst_errors<SE3<Taped>>},
                    Case{"SE3_TInverse", "Tinv", worst_errors<SE3<Taped>>}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(Golden, IsExactUpToAnglesOf3Point1) {
  GetParam().worst(GetParam().object, 0, kPromisedAngle).expect_within(kLimits);
}

TEST_P(Golden, IsAsExactUpToPi) {
  GetParam().worst(GetParam().object, kPromisedAngle, kPi).expect_within(kLimits);
}

TEST(Golden, TableHasTheSingularPoints) {
  const auto points = read_points();
  ASSERT_EQ(points.size(), 38u);
  EXPECT_EQ(points.front().angle, 0);
  EXPECT_GT(points.back().angle, 3.14159264);
  for (const Point& point : points) {
    EXPECT_EQ(point.lines.size(), 3u + 4u * 4u) << point.name;
    // A reference of zeros would be met by anything: the mixed derivatives are not zero.
    for (const char* object : {"exp de", "T de", "Tinv de"}) {
      EXPECT_GT(largest(point.lines.at(object)), 1e-3) << point.name << object;
    }
  }
}

// ---------------------------------------------------------------- the series

/// The value and first two derivatives of f at x, by CppAD.
template <class F>
std::array<double, 3> taylor(F&& f, double x) {
  std::vector<Taped> in(1, Taped(x));
  CppAD::Independent(in);
  CppAD::ADFun<double> tape(in, std::vector<Taped>(1, f(in[0])));
  const double value = tape.Forward(0, Numbers{x})[0];
  const double first = tape.Forward(1, Numbers{1})[0];
  return {value, first, 2 * tape.Forward(2, Numbers{0})[0]};
}

/// From c_0 and c_1 the closed forms of c_k go up ⌊k/2⌋ times by a division by x, 4 at the switch;
/// each of its derivatives, relative to its value at zero n!/(2n+k)!, keeps that absolute error.
std::array<double, 3> stumpff_limits(int k) {
  std::array<double, 3> limits = kLimits;
  for (int n = 0; n < 3; ++n) {
    const double lost = std::tgamma(2 * n + k + 1) / std::tgamma(n + 1) / std::pow(4, k / 2);
    auto& limit = limits[static_cast<std::size_t>(n)];
    limit = std::max(limit, 2 * std::numeric_limits<double>::epsilon() * lost);
  }
  return limits;
}

// Relative to the function's largest value on x ≥ 0, which it has at 0: c_k passes through zero.
TEST(Golden, StumpffFunctionsAndArctanRatioAreExactOnBothSidesOfTheirSwitches) {
  std::map<std::string, WorstOfOrders> worst;
  std::map<std::string, std::array<double, 3>> at_zero;
  std::ifstream file = golden("series.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, x, expected[3];
    words >> name >> x >> expected[0] >> expected[1] >> expected[2];
    const auto actual = taylor(
        [&](const Taped& u) {
          if (name == "arctan_ratio") return arctan_ratio(u);
          return stumpff<7>(u)(name[1] - '0');
        },
        std::stod(x));
    if (!at_zero.contains(name)) {
      for (std::size_t i = 0; i < 3; ++i) at_zero[name][i] = std::abs(std::stod(expected[i]));
    }
    WorstOfOrders& w = worst[name];
    Worst* orders[3] = {&w.value, &w.first, &w.second};
    for (std::size_t i = 0; i < 3; ++i) {
      orders[i]->update({actual[i]}, {std::stod(expected[i])}, at_zero[name][i], line);
    }
  }
  ASSERT_EQ(worst.size(), 9u);
  for (const auto& [name, w] : worst) {
    SCOPED_TRACE(name);
    w.expect_within(name == "arctan_ratio" ? kLimits : stumpff_limits(name[1] - '0'));
  }
}

}  // namespace
}  // namespace liegrad::lie
