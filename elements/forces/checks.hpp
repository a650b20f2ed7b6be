#pragma once

#include <initializer_list>
#include <string>

#include "liegrad/dae/system/element_interface.hpp"

namespace liegrad::elements {

/// A validation message about the first of these parameters that is negative, by their names in the shape.
std::string negative_parameter(const dae::ElementShape& shape, const dae::Position<double>& at,
                               std::initializer_list<int> parameters);
/// The same about parameters that are not positive.
std::string not_positive_parameter(const dae::ElementShape& shape, const dae::Position<double>& at,
                                   std::initializer_list<int> parameters);

}  // namespace liegrad::elements
