#pragma once

#include <string>

namespace liegrad::dae {

/// A number for a message: short, and exact enough to be recognised.
std::string number_text(double value, int digits = 6);

}  // namespace liegrad::dae
