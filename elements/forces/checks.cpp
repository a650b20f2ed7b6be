#include "liegrad/elements/forces/checks.hpp"

#include "liegrad/dae/system/text.hpp"

namespace liegrad::elements {

std::string negative_parameter(const dae::ElementShape& shape, const dae::Position<double>& at,
                               std::initializer_list<int> parameters) {
  for (const int i : parameters) {
    if (at.parameter(i) >= 0) continue;
    return "has " + shape.parameters[static_cast<std::size_t>(i)].name + " = " +
           dae::number_text(at.parameter(i)) + "; it must not be negative";
  }
  return "";
}

std::string not_positive_parameter(const dae::ElementShape& shape, const dae::Position<double>& at,
                                   std::initializer_list<int> parameters) {
  for (const int i : parameters) {
    if (at.parameter(i) > 0) continue;
    return "has " + shape.parameters[static_cast<std::size_t>(i)].name + " = " +
           dae::number_text(at.parameter(i)) + "; it must be positive";
  }
  return "";
}

}  // namespace liegrad::elements
