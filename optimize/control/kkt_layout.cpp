#include "liegrad/control/certificate.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {

using dae::index;

KktLayout::KktLayout(const Program& program) {
  place.reserve(index(program.num_variables()));
  stages.reserve(index(program.num_variables() + program.num_constraints()));
  for (int i = 0; i < program.num_variables(); ++i) {
    const bool fixed = program.variable_interval(i).is_point();
    place.push_back(fixed ? -1 : num_free++);
    if (!fixed) stages.push_back(program.variable_stage(i));
  }
  num_rows = program.num_constraints();
  for (int i = 0; i < num_rows; ++i) stages.push_back(program.constraint_stage(i));
}

}  // namespace liegrad::control
