#pragma once

#include <functional>
#include <span>

namespace liegrad::dae {

/// Values of the controls at a time.
using ControlLaw = std::function<void(double t, std::span<double> controls)>;

}  // namespace liegrad::dae
