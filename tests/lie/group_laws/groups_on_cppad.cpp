#include "groups_on.hpp"
#include "support/derivative_along_cppad.hpp"

namespace liegrad::test {

const Groups& groups_on_cppad();

const Groups& groups_on_cppad() {
  static const Groups groups = make_groups<CppAD::AD<double>>("cppad");
  return groups;
}

}  // namespace liegrad::test
