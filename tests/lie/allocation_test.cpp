// No operation of a group of fixed size, and none of GroupList, touches the heap.

#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/lie/coordinate_maps.hpp"
#include "liegrad/lie/group_list.hpp"
#include "liegrad/lie/operations.hpp"
#include "liegrad/lie/product.hpp"
#include "liegrad/lie/rn.hpp"
#include "liegrad/lie/se2.hpp"
#include "liegrad/lie/se3.hpp"
#include "liegrad/lie/so2.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/lie/so3xr3.hpp"
#include "support/allocations.hpp"

namespace liegrad::lie {
namespace {

using test::Allocation;
using test::allocations_of;
using test::keep;

TEST_F(Allocation, IsCountedWhenItHappens) {
  EXPECT_EQ(allocations_of([] { keep(*std::make_unique<int>(1)); }), 1);
  EXPECT_EQ(allocations_of([] { keep(std::vector<double>(10)); }), 1);
  EXPECT_EQ(allocations_of([] { keep(Eigen::VectorXd(Eigen::VectorXd::Zero(10))); }), 1);
  EXPECT_EQ(allocations_of([] {
              void* block = std::aligned_alloc(64, 64);
              keep(block);
              std::free(block);
            }),
            1);
  // The one group whose size is known at run time only does use the heap.
  using R = Rn<double, Eigen::Dynamic>;
  const Eigen::VectorXd u = Eigen::VectorXd::Ones(4);
  EXPECT_GT(allocations_of([&] { keep(R::exp(u)); }), 0);
}

template <class G>
class AllocationOf : public Allocation {};

using Groups = testing::Types<Rn<double, 3>, SO2<double>, SO3<double>, SE2<double>, SE3<double>,
                              SO3xR3<double>, Product<SO3<double>, Rn<double, 2>, SE3<double>>>;
TYPED_TEST_SUITE(AllocationOf, Groups);

TYPED_TEST(AllocationOf, GroupOperationsIsNone) {
  using G = TypeParam;
  std::mt19937 rng(1);
  const G a = G::random(rng), b = G::random(rng);
  const typename G::Tangent v = a.log(), w = b.log();

  EXPECT_EQ(allocations_of([&] { keep(G::identity()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::random(rng)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::from_coeffs(a.coeffs())); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(a.template cast<float>()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(compose(a, b)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(a.inverse()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::exp(v)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(a.log()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(a.Ad()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::ad(v)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::tangent_operator(v)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::tangent_operator_inverse(v)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::tangent_operator_derivative(v, w, v)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(a.matrix()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(G::vee(G::hat(v))); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(plus(a, v)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(minus(a, b)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(interpolate(a, b, 0.3)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(distance(a, b)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(squared_distance(a, b)); }), 0);
}

TEST_F(Allocation, OfActionsAndConversionsIsNone) {
  std::mt19937 rng(1);
  const auto rotation = SO3<double>::random(rng);
  const auto pose = SE3<double>::random(rng);
  const auto product = SO3xR3<double>::random(rng);
  const auto planar = SE2<double>::random(rng);
  const auto turn = SO2<double>::random(rng);
  const Vec<double, 3> x(1, 2, 3);
  const Vec<double, 2> y(1, 2);

  EXPECT_EQ(allocations_of([&] { keep(rotation.transform_point(x)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(pose.transform_point(x)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(pose.transform_vector(x)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(product.transform_point(x)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(planar.transform_point(y)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(turn.transform_point(y)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(turn.angle()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(rotation.quaternion()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(rotation.rotation_vector()); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(SO3<double>::from_quaternion(rotation.coeffs())); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(SO3<double>::from_matrix(rotation.matrix())); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(SO3<double>::from_rotation_vector(x)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(SE3<double>::from_matrix(pose.matrix())); }), 0);
}

template <class Map, class G>
void expect_no_allocation_in_map() {
  std::mt19937 rng(1);
  const G g = G::random(rng);
  const typename G::Tangent c = Map::from_group(g);
  EXPECT_EQ(allocations_of([&] { keep(Map::template to_group<G>(c)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(Map::from_group(g)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(Map::template tangent_operator<G>(c)); }), 0);
  EXPECT_EQ(allocations_of([&] { keep(Map::template tangent_operator_inverse<G>(c)); }), 0);
}

TEST_F(Allocation, OfCoordinateMapsIsNone) {
  using Pair = Product<SO3<double>, Rn<double, 2>>;
  expect_no_allocation_in_map<ExponentialMap, Pair>();
  expect_no_allocation_in_map<CayleyMap, SO3<double>>();
  expect_no_allocation_in_map<CayleyMap, SO3xR3<double>>();
  expect_no_allocation_in_map<CayleyMap, Pair>();
  expect_no_allocation_in_map<ConformalRotationVector, SO3<double>>();
  expect_no_allocation_in_map<ConformalRotationVector, SO3xR3<double>>();
  expect_no_allocation_in_map<ConformalRotationVector, Pair>();
}

TEST_F(Allocation, OfGroupListOperationsIsNone) {
  const GroupList list({NodeGroup::rn(5), NodeGroup::so2(), NodeGroup::so3(), NodeGroup::se2(),
                        NodeGroup::so3xr3(), NodeGroup::se3()});
  const auto dof = static_cast<std::size_t>(list.dof());
  const auto num_coeffs = static_cast<std::size_t>(list.num_coeffs());
  const std::vector<double> v(dof, 0.3), w(dof, -0.2);
  std::vector<double> a(num_coeffs), b(num_coeffs), g(num_coeffs), out(dof);
  list.exp<double>(v, a);
  list.exp<double>(w, b);

  EXPECT_EQ(allocations_of([&] { list.identity<double>(g); }), 0);
  EXPECT_EQ(allocations_of([&] { list.compose<double>(a, b, g); }), 0);
  EXPECT_EQ(allocations_of([&] { list.inverse<double>(a, g); }), 0);
  EXPECT_EQ(allocations_of([&] { list.exp<double>(v, g); }), 0);
  EXPECT_EQ(allocations_of([&] { list.log<double>(a, out); }), 0);
  EXPECT_EQ(allocations_of([&] { list.plus<double>(a, w, g); }), 0);
  EXPECT_EQ(allocations_of([&] { list.minus<double>(b, a, out); }), 0);
  EXPECT_EQ(allocations_of([&] { list.interpolate<double>(a, b, 0.3, g); }), 0);
  EXPECT_EQ(allocations_of([&] { list.apply_Ad<double>(a, v, out); }), 0);
  EXPECT_EQ(allocations_of([&] { list.apply_ad<double>(v, w, out); }), 0);
  EXPECT_EQ(allocations_of([&] { list.apply_tangent_operator<double>(v, w, out); }), 0);
  EXPECT_EQ(allocations_of([&] { list.apply_tangent_operator_inverse<double>(v, w, out); }), 0);
  EXPECT_EQ(allocations_of([&] { list.tangent_operator_derivative<double>(v, w, v, out); }), 0);
}

}  // namespace
}  // namespace liegrad::lie
