#pragma once

#include <memory>

#include "liegrad/lie/group_list.hpp"

namespace ceres {
class Manifold;
}

namespace liegrad::optimize {

/// A group of lie/ as a manifold of Ceres, for least-squares problems of one's own: a parameter block holds the
/// coefficients of an element q, as in node configurations, and steps are δ in q∘exp(δ). Include <ceres/manifold.h>
/// to use it.
std::unique_ptr<ceres::Manifold> manifold_of(const lie::NodeGroup& group);

}  // namespace liegrad::optimize
