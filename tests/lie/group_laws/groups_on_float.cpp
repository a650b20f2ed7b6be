#include "groups_on.hpp"
#include "support/derivative_along.hpp"

namespace liegrad::test {

const Groups& groups_on_float();

const Groups& groups_on_float() {
  static const Groups groups = make_groups<float>("float");
  return groups;
}

}  // namespace liegrad::test
