// The built-in methods against the conditions of their order, one for each rooted tree.

#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Dense>

namespace liegrad::dae {
namespace {

using Sentences = std::vector<std::string>;

/// A rooted tree: the trees that remain when its root is taken away, as places in a list of trees.
struct Tree {
  int num_nodes = 1;
  double gamma = 1;  ///< num_nodes times the γ of the branches
  std::vector<std::size_t> branches = {};
};

/// All rooted trees of up to `max_nodes` nodes, smaller ones first.
class Forest {
 public:
  explicit Forest(int max_nodes) {
    for (int n = 1; n <= max_nodes; ++n) {
      Tree root{.num_nodes = n, .gamma = static_cast<double>(n)};
      grow(root, n - 1, trees_.size());
    }
  }

  const std::vector<Tree>& trees() const { return trees_; }

  int count(int num_nodes) const {
    return static_cast<int>(std::count_if(trees_.begin(), trees_.end(),
                                          [&](const Tree& t) { return t.num_nodes == num_nodes; }));
  }

  /// The largest |b·φ(t) - 1/γ(t)| among the trees of n nodes, where φ(t) is the product of A φ(u)
  /// over the branches u of t. A method has order p if this vanishes for n ≤ p.
  double worst_residual(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, int n) const {
    std::vector<Eigen::ArrayXd> stages;  // A φ(t) of each tree
    double worst = 0;
    for (const Tree& tree : trees_) {
      if (tree.num_nodes > n) break;
      Eigen::ArrayXd phi = Eigen::ArrayXd::Ones(a.rows());
      for (const std::size_t branch : tree.branches) phi *= stages[branch];
      stages.emplace_back(a * phi.matrix());
      if (tree.num_nodes == n)
        worst = std::max(worst, std::abs(b.dot(phi.matrix()) - 1 / tree.gamma));
    }
    return worst;
  }

 private:
  /// Adds all trees that arise from `tree` by branches of `free` nodes together. Branches descend
  /// in the list from `end`, so that no order of them is counted twice.
  void grow(Tree& tree, int free, std::size_t end) {
    if (free == 0) {
      trees_.push_back(tree);
      return;
    }
    for (std::size_t branch = 0; branch < end; ++branch) {
      const int size = trees_[branch].num_nodes;
      if (size > free) break;
      Tree grown = tree;
      grown.gamma *= trees_[branch].gamma;
      grown.branches.push_back(branch);
      grow(grown, free - size, branch + 1);
    }
  }

  std::vector<Tree> trees_;
};

const Forest& forest() {
  static const Forest instance(7);
  return instance;
}

/// Rounding of the conditions.
constexpr double kHolds = 1e-14;
/// Residuals of the order above are fractions with small denominators.
constexpr double kFails = 1e-5;

/// A mistake in a coefficient, and the least that it has to change in some condition.
constexpr double kChange = 1e-3;
constexpr double kNoticed = 1e-7;

void expect_order(const std::string& name, const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                  int order) {
  double worst = 0;
  for (int n = 1; n <= order; ++n) worst = std::max(worst, forest().worst_residual(a, b, n));
  const double above = forest().worst_residual(a, b, order + 1);
  EXPECT_LT(worst, kHolds) << name;
  EXPECT_GT(above, kFails) << name;
}

std::vector<ButcherTableau> built_in() {
  return {rk4(), dormand_prince_54(), butcher_6(), gauss_2(), radau_iia_2(), radau_iia_3()};
}

/// R(z) = 1 + z b·(I - zA)⁻¹ 1, by which a step multiplies the solution of ẏ = λy, z = hλ.
std::complex<double> stability_function(const ButcherTableau& t, std::complex<double> z) {
  const Eigen::Index s = t.b.size();
  const Eigen::MatrixXcd matrix =
      Eigen::MatrixXcd::Identity(s, s) - z * t.a.cast<std::complex<double>>();
  const Eigen::VectorXcd k = matrix.partialPivLu().solve(Eigen::VectorXcd::Ones(s));
  return 1.0 + z * t.b.cast<std::complex<double>>().cwiseProduct(k).sum();
}

ButcherTableau midpoint() {
  ButcherTableau t{.name = "mine",
                   .order = 2,
                   .a = Eigen::MatrixXd::Zero(2, 2),
                   .b = Eigen::Vector2d(0, 1),
                   .c = Eigen::Vector2d(0, 0.5)};
  t.a(1, 0) = 0.5;
  return t;
}

}  // namespace

TEST(ButcherTableau, TheForestHasEveryRootedTreeOnce) {
  // Cayley's numbers; 37 conditions up to order 6.
  const std::vector<int> cayley = {1, 1, 2, 4, 9, 20, 48};
  for (int n = 1; n <= 7; ++n)
    EXPECT_EQ(forest().count(n), cayley[static_cast<std::size_t>(n - 1)]);
  EXPECT_EQ(forest().trees().size(), 37u + 48u);
}

TEST(ButcherTableau, BuiltInMethodsHaveTheirOrderAndNoHigherOne) {
  for (const ButcherTableau& t : built_in()) expect_order(t.name, t.a, t.b, t.order);
}

TEST(ButcherTableau, TheEmbeddedMethodHasItsOrderAndNoHigherOne) {
  int num_embedded = 0;
  for (const ButcherTableau& t : built_in()) {
    if (!t.b_embedded) continue;
    ++num_embedded;
    expect_order(t.name + ".embedded", t.a, *t.b_embedded, t.embedded_order);
  }
  EXPECT_EQ(num_embedded, 1);
}

TEST(ButcherTableau, AChangedCoefficientViolatesASum) {
  for (const ButcherTableau& t : built_in()) {
    for (Eigen::Index i = 0; i < t.b.size(); ++i) {
      for (Eigen::Index j = 0; j < t.b.size(); ++j) {
        ButcherTableau changed = t;
        changed.a(i, j) += kChange;
        EXPECT_EQ(changed.problems().size(), 1u) << t.name << ' ' << i << ' ' << j;
      }
      ButcherTableau changed = t;
      changed.b(i) += kChange;
      changed.c(i) += kChange;
      EXPECT_EQ(changed.problems().size(), 2u) << t.name << ' ' << i;
    }
  }
}

TEST(ButcherTableau, ChangesThatKeepTheSumsViolateAnOrderCondition) {
  // Two coefficients of a row in opposite directions. The last row of Dormand-Prince matters to the
  // embedded method alone.
  int num_changes = 0;
  const auto expect_noticed = [&](const ButcherTableau& t, const Eigen::MatrixXd& a,
                                  const Eigen::VectorXd& b) {
    double worst = 0;
    for (int n = 1; n <= t.order; ++n) worst = std::max(worst, forest().worst_residual(a, b, n));
    for (int n = 1; n <= t.embedded_order; ++n) {
      worst = std::max(worst, forest().worst_residual(a, *t.b_embedded, n));
    }
    EXPECT_GT(worst, kNoticed) << t.name << '\n' << a - t.a << '\n' << b - t.b;
    ++num_changes;
  };
  for (const ButcherTableau& t : built_in()) {
    const Eigen::Index s = t.b.size();
    for (Eigen::Index j = 0; j < s; ++j) {
      for (Eigen::Index k = 0; k < j; ++k) {
        for (Eigen::Index i = t.is_explicit() ? j + 1 : 0; i < s; ++i) {
          Eigen::MatrixXd a = t.a;
          a(i, j) += kChange;
          a(i, k) -= kChange;
          expect_noticed(t, a, t.b);
        }
        Eigen::VectorXd b = t.b;
        b(j) += kChange;
        b(k) -= kChange;
        expect_noticed(t, t.a, b);
      }
    }
  }
  EXPECT_EQ(num_changes, (4 + 6) + 2 * (35 + 21) + 2 * (2 + 1) + (9 + 3));
}

TEST(ButcherTableau, BuiltInMethodsHaveNoProblems) {
  for (const ButcherTableau& t : built_in()) EXPECT_EQ(t.problems(), Sentences{});
  EXPECT_EQ(midpoint().problems(), Sentences{});
}

TEST(ButcherTableau, ExplicitMethodsAreRecognised) {
  EXPECT_TRUE(rk4().is_explicit());
  EXPECT_TRUE(dormand_prince_54().is_explicit());
  EXPECT_TRUE(butcher_6().is_explicit());
  EXPECT_FALSE(gauss_2().is_explicit());
  EXPECT_FALSE(radau_iia_2().is_explicit());
  ButcherTableau implicit_in_one_stage = midpoint();
  implicit_in_one_stage.a(1, 1) = 0.5;
  EXPECT_FALSE(implicit_in_one_stage.is_explicit());
}

TEST(ButcherTableau, OnlyDormandPrinceReusesItsLastStage) {
  EXPECT_TRUE(dormand_prince_54().first_same_as_last());
  EXPECT_FALSE(rk4().first_same_as_last());
  EXPECT_FALSE(butcher_6().first_same_as_last());
  EXPECT_FALSE(gauss_2().first_same_as_last());
  // Its last stage is y_{n+1}, but its first is not y_n.
  EXPECT_FALSE(radau_iia_2().first_same_as_last());
  EXPECT_FALSE(ButcherTableau{}.first_same_as_last());
}

TEST(ButcherTableau, StabilityFunctionsApproximateTheExponential) {
  // R(z) = e^z + O(z^{p+1}); halving z divides the difference by 2^{p+1}, up to O(z).
  for (const ButcherTableau& t : built_in()) {
    const auto error = [&](double z) { return std::abs(stability_function(t, z) - std::exp(z)); };
    EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), t.order + 1, 0.2) << t.name;
  }
}

TEST(ButcherTableau, GaussConservesOscillations) {
  for (const double y : {1e-3, 0.1, 1.0, 3.0, 10.0, 1e3, 1e6}) {
    EXPECT_NEAR(std::abs(stability_function(gauss_2(), {0, y})), 1, 1e-13) << y;
  }
}

TEST(ButcherTableau, RadauDampsInfiniteFrequenciesCompletely) {
  // R(∞) = 1 - b·A⁻¹ 1.
  const ButcherTableau t = radau_iia_2();
  const double at_infinity = 1 - t.b.dot(t.a.inverse() * Eigen::Vector2d::Ones());
  EXPECT_NEAR(at_infinity, 0, 4 * std::numeric_limits<double>::epsilon());
  for (const double y : {0.1, 1.0, 10.0, 1e3}) {
    EXPECT_LT(std::abs(stability_function(t, {0, y})), 1) << y;
  }
  // Gauss does not.
  const ButcherTableau gauss = gauss_2();
  EXPECT_NEAR(1 - gauss.b.dot(gauss.a.inverse() * Eigen::Vector2d::Ones()), 1, 1e-14);
}

TEST(ButcherTableau, WrongSizesAreProblems) {
  ButcherTableau t = midpoint();
  t.a = Eigen::MatrixXd::Zero(2, 3);
  EXPECT_EQ(t.problems(), Sentences{"Runge-Kutta method 'mine': A is 2 x 3 but must be square"});
  t = midpoint();
  t.b = Eigen::Vector3d(0, 1, 0);
  t.c = Eigen::VectorXd::Zero(1);
  t.b_embedded = Eigen::VectorXd();
  EXPECT_EQ(
      t.problems(),
      (Sentences{
          "Runge-Kutta method 'mine': b has 3 entries but must have 2, one for each row of A",
          "Runge-Kutta method 'mine': c has 1 entry but must have 2, one for each row of A",
          "Runge-Kutta method 'mine': b_embedded has 0 entries but must have 2, one for each row "
          "of A"}));
  EXPECT_EQ(ButcherTableau{.name = "mine"}.problems(),
            Sentences{"Runge-Kutta method 'mine': A is empty; a method has at least one stage"});
}

TEST(ButcherTableau, InconsistentSumsAreProblems) {
  ButcherTableau t = midpoint();
  t.c(1) = 0.75;
  t.b(0) = 0.125;
  t.b_embedded = Eigen::Vector2d(0.5, 0.25);
  t.embedded_order = 1;
  EXPECT_EQ(t.problems(),
            (Sentences{"Runge-Kutta method 'mine': c(1) = 0.75 but row 1 of A sums to 0.5; they "
                       "must be equal",
                       "Runge-Kutta method 'mine': b sums to 1.125 but must sum to 1",
                       "Runge-Kutta method 'mine': b_embedded sums to 0.75 but must sum to 1"}));
}

TEST(ButcherTableau, TypedDecimalsPassAndAWrongDigitDoesNot) {
  const auto rounded = [](double value) { return std::round(value * 1e10) / 1e10; };
  for (ButcherTableau t : built_in()) {
    t.a = t.a.unaryExpr(rounded).eval();
    t.b = t.b.unaryExpr(rounded).eval();
    t.c = t.c.unaryExpr(rounded).eval();
    EXPECT_EQ(t.problems(), Sentences{});
  }
  ButcherTableau t = radau_iia_2();
  t.a(0, 1) += 1e-8;
  EXPECT_EQ(t.problems().size(), 1u);
}

TEST(ButcherTableau, NumbersThatAreNotFiniteAreProblems) {
  ButcherTableau t = midpoint();
  t.a(1, 1) = std::numeric_limits<double>::quiet_NaN();
  t.b(0) = t.c(0) = std::numeric_limits<double>::infinity();
  t.b_embedded = t.b;
  EXPECT_EQ(t.problems(),
            (Sentences{"Runge-Kutta method 'mine': A has an entry that is not finite",
                       "Runge-Kutta method 'mine': b has an entry that is not finite",
                       "Runge-Kutta method 'mine': c has an entry that is not finite",
                       "Runge-Kutta method 'mine': b_embedded has an entry that is not finite"}));
}

TEST(ButcherTableau, AnOrderBelowOneIsAProblem) {
  ButcherTableau t = midpoint();
  t.order = 0;
  t.b_embedded = Eigen::Vector2d(1, 0);
  EXPECT_EQ(t.problems(),
            (Sentences{"Runge-Kutta method 'mine': order = 0 but must be at least 1",
                       "Runge-Kutta method 'mine': embedded_order = 0 but must be at least 1"}));
}

}  // namespace liegrad::dae
