#include "groups_on.hpp"
#include "support/derivative_along_cppad.hpp"

namespace liegrad::test {

const Groups& groups_on_nested_cppad();

const Groups& groups_on_nested_cppad() {
  static const Groups groups = make_groups<CppAD::AD<CppAD::AD<double>>>("nested_cppad");
  return groups;
}

}  // namespace liegrad::test
