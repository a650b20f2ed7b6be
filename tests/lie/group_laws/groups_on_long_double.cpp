#include "groups_on.hpp"
#include "support/derivative_along.hpp"

namespace liegrad::test {

const Groups& groups_on_long_double();

const Groups& groups_on_long_double() {
  static const Groups groups = make_groups<long double>("long_double");
  return groups;
}

}  // namespace liegrad::test
