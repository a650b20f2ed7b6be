#include "groups_on.hpp"
#include "support/derivative_along_jet.hpp"

namespace liegrad::test {

const Groups& groups_on_jet();

const Groups& groups_on_jet() {
  static const Groups groups = make_groups<ceres::Jet<double, 3>>("jet");
  return groups;
}

}  // namespace liegrad::test
