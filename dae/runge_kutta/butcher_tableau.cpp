#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/sentence.hpp"

namespace liegrad::dae {
namespace {

// Sums may be off by so much, or by so much of their terms' magnitude if that is above 1:
// coefficients that were typed as decimals of ten digits pass, a wrong digit among the first eight
// does not. A sentence() has the digits to show it.
constexpr double kSumTolerance = 1e-9;

bool differ(double sum, double expected, double magnitude) {
  return std::abs(sum - expected) > kSumTolerance * std::max(1.0, magnitude);
}

}  // namespace

bool ButcherTableau::is_explicit() const {
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = i; j < a.cols(); ++j) {
      if (a(i, j) != 0.0) return false;
    }
  }
  return true;
}

bool ButcherTableau::first_same_as_last() const {
  const Eigen::Index s = b.size();
  if (s < 2 || a.rows() != s || a.cols() != s) return false;
  return a.row(0).isZero(0.0) && a.row(s - 1) == b.transpose();
}

int ButcherTableau::error_exponent() const {
  return std::min(order, embedded_order) + (extrapolates() ? 1 : 0);
}

std::vector<std::string> ButcherTableau::problems() const {
  std::vector<std::string> found;
  const auto add = [&](const auto&... parts) {
    found.push_back(sentence("Runge-Kutta method '", name, "': ", parts...));
  };

  const Eigen::Index s = a.rows();
  if (s == 0) add("A is empty; a method has at least one stage");
  if (a.cols() != s) add("A is ", s, " x ", a.cols(), " but must be square");
  const auto check_size = [&](const char* vector, Eigen::Index size) {
    if (size != s) {
      add(vector, " has ", size, size == 1 ? " entry" : " entries", " but must have ", s,
          ", one for each row of A");
    }
  };
  check_size("b", b.size());
  check_size("c", c.size());
  if (b_embedded) check_size("b_embedded", b_embedded->size());
  if (!found.empty()) return found;  // the other checks need the sizes

  if (!a.allFinite()) add("A has an entry that is not finite");
  if (!b.allFinite()) add("b has an entry that is not finite");
  if (!c.allFinite()) add("c has an entry that is not finite");
  if (b_embedded && !b_embedded->allFinite()) add("b_embedded has an entry that is not finite");
  if (!found.empty()) return found;

  for (Eigen::Index i = 0; i < s; ++i) {
    const double sum = a.row(i).sum();
    if (differ(sum, c(i), a.row(i).cwiseAbs().sum())) {
      add("c(", i, ") = ", c(i), " but row ", i, " of A sums to ", sum, "; they must be equal");
    }
  }
  const auto check_weights = [&](const char* vector, const Eigen::VectorXd& weights) {
    const double sum = weights.sum();
    if (differ(sum, 1.0, weights.cwiseAbs().sum())) {
      add(vector, " sums to ", sum, " but must sum to 1");
    }
  };
  check_weights("b", b);
  if (b_embedded) check_weights("b_embedded", *b_embedded);

  if (order < 1) add("order = ", order, " but must be at least 1");
  if (b_embedded && embedded_order < 1) {
    add("embedded_order = ", embedded_order, " but must be at least 1");
  }
  return found;
}

// The tests verify all coefficients below by the conditions of their order.
// clang-format off

ButcherTableau rk4() {
  ButcherTableau t{.name = "rkmk-rk4", .order = 4, .a = Eigen::MatrixXd::Zero(4, 4),
                   .b = Eigen::VectorXd(4), .c = Eigen::VectorXd(4)};
  t.a << 0.0,       0.0,       0.0, 0.0,
         1.0 / 2.0, 0.0,       0.0, 0.0,
         0.0,       1.0 / 2.0, 0.0, 0.0,
         0.0,       0.0,       1.0, 0.0;
  t.b << 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0;
  t.c << 0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0;
  return t;
}

ButcherTableau dormand_prince_54() {
  ButcherTableau t{.name = "rkmk-54", .order = 5, .a = Eigen::MatrixXd(7, 7),
                   .b = Eigen::VectorXd(7), .c = Eigen::VectorXd(7),
                   .b_embedded = Eigen::VectorXd(7), .embedded_order = 4};
  t.a << 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
         1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
         3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0, 0.0,
         44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0, 0.0,
         19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0, 0.0,
         9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0,
             0.0,
         35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0;
  t.b << 35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0;
  t.c << 0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0;
  *t.b_embedded << 5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0, -92097.0 / 339200.0,
                   187.0 / 2100.0, 1.0 / 40.0;
  return t;
}

ButcherTableau butcher_6() {
  ButcherTableau t{.name = "rkmk-6", .order = 6, .a = Eigen::MatrixXd(7, 7),
                   .b = Eigen::VectorXd(7), .c = Eigen::VectorXd(7)};
  t.a << 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
         1.0 / 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
         0.0, 2.0 / 3.0, 0.0, 0.0, 0.0, 0.0, 0.0,
         1.0 / 12.0, 1.0 / 3.0, -1.0 / 12.0, 0.0, 0.0, 0.0, 0.0,
         25.0 / 48.0, -55.0 / 24.0, 35.0 / 48.0, 15.0 / 8.0, 0.0, 0.0, 0.0,
         3.0 / 20.0, -11.0 / 24.0, -1.0 / 8.0, 1.0 / 2.0, 1.0 / 10.0, 0.0, 0.0,
         -261.0 / 260.0, 33.0 / 13.0, 43.0 / 156.0, -118.0 / 39.0, 32.0 / 195.0, 80.0 / 39.0, 0.0;
  t.b << 13.0 / 200.0, 0.0, 11.0 / 40.0, 11.0 / 40.0, 4.0 / 25.0, 4.0 / 25.0, 13.0 / 200.0;
  t.c << 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0, 5.0 / 6.0, 1.0 / 6.0, 1.0;
  return t;
}

ButcherTableau gauss_2() {
  ButcherTableau t{.name = "rkmk-gauss2", .order = 4, .a = Eigen::MatrixXd(2, 2),
                   .b = Eigen::VectorXd(2), .c = Eigen::VectorXd(2)};
  const double d = std::sqrt(3.0) / 6.0;
  t.a << 1.0 / 4.0,     1.0 / 4.0 - d,
         1.0 / 4.0 + d, 1.0 / 4.0;
  t.b << 1.0 / 2.0, 1.0 / 2.0;
  t.c << 1.0 / 2.0 - d, 1.0 / 2.0 + d;
  return t;
}

ButcherTableau radau_iia_2() {
  ButcherTableau t{.name = "rkmk-radau2", .order = 3, .a = Eigen::MatrixXd(2, 2),
                   .b = Eigen::VectorXd(2), .c = Eigen::VectorXd(2)};
  t.a << 5.0 / 12.0, -1.0 / 12.0,
         3.0 / 4.0,   1.0 / 4.0;
  t.b << 3.0 / 4.0, 1.0 / 4.0;
  t.c << 1.0 / 3.0, 1.0;
  return t;
}

ButcherTableau radau_iia_3() {
  const double r = std::sqrt(6.0);
  ButcherTableau t{.name = "rkmk-radau3", .order = 5, .a = Eigen::MatrixXd(3, 3),
                   .b = Eigen::VectorXd(3), .c = Eigen::VectorXd(3)};
  t.a << (88 - 7 * r) / 360,     (296 - 169 * r) / 1800, (-2 + 3 * r) / 225,
         (296 + 169 * r) / 1800, (88 + 7 * r) / 360,     (-2 - 3 * r) / 225,
         (16 - r) / 36,          (16 + r) / 36,          1.0 / 9.0;
  t.b << (16 - r) / 36, (16 + r) / 36, 1.0 / 9.0;
  t.c << (4 - r) / 10, (4 + r) / 10, 1.0;
  return t;
}

// clang-format on

}  // namespace liegrad::dae
