#pragma once

namespace liegrad::dae {

enum class Method {
  kAutomatic,  ///< Radau IIA with 3 stages, for all systems (docs/step-control.md says why)
  kAlpha,
  kMuntheKaas,
  kRadau,
};

}  // namespace liegrad::dae
