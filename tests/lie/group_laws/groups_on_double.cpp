#include "groups_on.hpp"
#include "support/derivative_along.hpp"

namespace liegrad::test {

const Groups& groups_on_double();

const Groups& groups_on_double() {
  static const Groups groups = make_groups<double>("double");
  return groups;
}

}  // namespace liegrad::test
