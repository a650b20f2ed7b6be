#pragma once

#include "liegrad/dae/system/motion.hpp"

namespace liegrad::elements {

/// The axes that the components of a load belong to: they stay, or turn with the body. (The body's own
/// axes, whichever of its frames the load is attached to.)
enum class LoadAxes { kInertial, kBody };

/// A load in inertial axes, and in those of the body.
template <class S>
lie::Vec<S, 3> load_in_inertial(const dae::Position<S>& at, LoadAxes axes,
                                const lie::Vec<S, 3>& load) {
  return axes == LoadAxes::kInertial ? load : lie::Vec<S, 3>(at.rotation(0) * load);
}
template <class S>
lie::Vec<S, 3> load_in_body(const dae::Position<S>& at, LoadAxes axes, const lie::Vec<S, 3>& load) {
  return axes == LoadAxes::kBody ? load : lie::Vec<S, 3>(at.rotation(0).transpose() * load);
}

}  // namespace liegrad::elements
