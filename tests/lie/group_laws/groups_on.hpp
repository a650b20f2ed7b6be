#pragma once

// The groups on which the laws are checked, with one scalar. Each groups_on_<scalar>.cpp is one
// instantiation, compiled by itself.

#include "support/group_list_under_test.hpp"

namespace liegrad::test {

using Groups = std::vector<const GroupUnderTest*>;

template <lie::Scalar S>
Groups make_groups(const char* scalar_name) {
  using namespace lie;
  using R2 = Rn<S, 2>;
  using R3 = Rn<S, 3>;
  using Flat = Product<SO3<S>, SE2<S>, R2>;
  using Nested = Product<Product<SO2<S>, R2>, SO3<S>>;
  // The groups live as long as the program: gtest keeps pointers to them.
  static std::vector<std::unique_ptr<GroupUnderTest>> owned;
  const auto own = [&](std::unique_ptr<GroupUnderTest> group) -> const GroupUnderTest* {
    group->scalar_name = scalar_name;
    owned.push_back(std::move(group));
    return owned.back().get();
  };

  own(std::make_unique<GroupAdaptor<R3>>("R3", std::vector<RotationPart>{}));
  const auto* rn = own(std::make_unique<GroupAdaptor<Rn<S, Eigen::Dynamic>>>(
      "RnOfRunTimeSize", std::vector<RotationPart>{}, 4));
  const auto* so2 =
      own(std::make_unique<GroupAdaptor<SO2<S>>>("SO2", std::vector<RotationPart>{{0, 1}}));
  const auto* so3 =
      own(std::make_unique<GroupAdaptor<SO3<S>>>("SO3", std::vector<RotationPart>{{0, 3}}));
  const auto* se2 =
      own(std::make_unique<GroupAdaptor<SE2<S>>>("SE2", std::vector<RotationPart>{{0, 1}}));
  const auto* se3 =
      own(std::make_unique<GroupAdaptor<SE3<S>>>("SE3", std::vector<RotationPart>{{0, 3}}));
  auto pose =
      std::make_unique<GroupAdaptor<SO3xR3<S>>>("SO3xR3", std::vector<RotationPart>{{0, 3}});
  pose->has_action = false;  // see so3xr3.hpp
  const auto* so3xr3 = own(std::move(pose));
  own(std::make_unique<GroupAdaptor<Flat>>("Product", std::vector<RotationPart>{{0, 3}, {3, 1}}));
  own(std::make_unique<GroupAdaptor<Nested>>("ProductOfProduct",
                                             std::vector<RotationPart>{{0, 1}, {3, 3}}));

  const std::vector<NodeGroup> nodes = {NodeGroup::so3(), NodeGroup::rn(4),    NodeGroup::se3(),
                                        NodeGroup::so2(), NodeGroup::so3xr3(), NodeGroup::se2()};
  const Groups parts = {so3, rn, se3, so2, so3xr3, se2};
  own(std::make_unique<GroupListAdaptor<S>>("GroupList", nodes, parts, Sharing::kNone));
  own(std::make_unique<GroupListAdaptor<S>>("GroupListIntoItsFirstInput", nodes, parts,
                                            Sharing::kFirst));
  own(std::make_unique<GroupListAdaptor<S>>("GroupListIntoItsLastInput", nodes, parts,
                                            Sharing::kLast));

  Groups all;
  for (const auto& group : owned) all.push_back(group.get());
  return all;
}

}  // namespace liegrad::test
