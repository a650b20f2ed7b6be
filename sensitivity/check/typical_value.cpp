#include "liegrad/sensitivity/check/typical_value.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

/// "left." of "left.X2"
std::string element_of(const std::string& parameter) {
  return parameter.substr(0, parameter.rfind('.') + 1);
}

}  // namespace

TypicalValue typical_value(const dae::Model& system, int parameter) {
  const dae::ParameterSpec& own = system.parameters()[dae::index(parameter)];
  if (own.value != 0) return {std::abs(own.value), false};
  double in_element = 0, anywhere = 0;
  for (const dae::ParameterSpec& other : system.parameters()) {
    if (other.unit != own.unit) continue;
    anywhere = std::max(anywhere, std::abs(other.value));
    if (element_of(other.name) != element_of(own.name)) continue;
    in_element = std::max(in_element, std::abs(other.value));
  }
  if (in_element > 0) return {in_element, true};
  return {anywhere > 0 ? anywhere : 1, true};
}

}  // namespace liegrad::sensitivity
