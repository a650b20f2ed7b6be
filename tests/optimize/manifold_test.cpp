// The laws that Ceres asks of a manifold, for every group of lie/.

#include "liegrad/optimize/manifold.hpp"

#include <gtest/gtest.h>

#include <ceres/manifold.h>
#include <Eigen/Dense>

namespace liegrad::testing {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(Manifold, OfEveryGroupKeepsTheLawsOfCeres) {
  using lie::NodeGroup;
  for (const NodeGroup& group : {NodeGroup::rn(5), NodeGroup::so2(), NodeGroup::so3(),
                                 NodeGroup::se2(), NodeGroup::so3xr3(), NodeGroup::se3()}) {
    const auto manifold = optimize::manifold_of(group);
    const int ambient = manifold->AmbientSize(), tangent = manifold->TangentSize();
    ASSERT_EQ(ambient, group.num_coeffs());
    ASSERT_EQ(tangent, group.dof());
    lie::GroupList list({group});
    Eigen::VectorXd identity(ambient), w(tangent), x(ambient), d(tangent), y(ambient),
        back(tangent);
    list.identity<double>({identity.data(), static_cast<std::size_t>(ambient)});
    for (int i = 0; i < tangent; ++i) {
      w(i) = 0.7 - 0.4 * i;
      d(i) = 0.3 * i - 0.5;
    }
    ASSERT_TRUE(manifold->Plus(identity.data(), w.data(), x.data()));
    ASSERT_TRUE(manifold->Plus(x.data(), d.data(), y.data()));
    ASSERT_TRUE(manifold->Minus(y.data(), x.data(), back.data()));
    EXPECT_LT((back - d).norm(), 1e-14);
    RowMajor plus(ambient, tangent), minus(tangent, ambient);
    ASSERT_TRUE(manifold->PlusJacobian(x.data(), plus.data()));
    ASSERT_TRUE(manifold->MinusJacobian(x.data(), minus.data()));
    EXPECT_LT((minus * plus - RowMajor::Identity(tangent, tangent)).norm(), 1e-14);
    for (int j = 0; j < tangent; ++j) {
      constexpr double kStep = 1e-6;
      Eigen::VectorXd e = Eigen::VectorXd::Zero(tangent), up(ambient), down(ambient);
      e(j) = kStep;
      manifold->Plus(x.data(), e.data(), up.data());
      e(j) = -kStep;
      manifold->Plus(x.data(), e.data(), down.data());
      EXPECT_LT(((up - down) / (2 * kStep) - plus.col(j)).norm(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
