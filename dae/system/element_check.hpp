#pragma once

#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/system/model.hpp"
#include "liegrad/dae/system/motion.hpp"

namespace liegrad::dae {

/// Asks elements whether their parameters make sense, see ElementModel::validation_message().
class ElementCheck {
 public:
  explicit ElementCheck(const Model& model)
      : model_(model.shared()), positions_(model.kinds().size()) {}

  /// Throws InvalidArgument naming the first element that says no. A second call allocates nothing unless an element
  /// does.
  void check(std::span<const double> q, std::span<const double> parameters,
             std::span<const double> controls, double t);

 private:
  Position<double>& position_of(const PlacedElement& element);
  void check_points(const PlacedElement& element, const Position<double>& at) const;

  std::shared_ptr<const Model> model_;
  std::vector<std::optional<Position<double>>>
      positions_;  ///< by kind, for one element after the other
};

}  // namespace liegrad::dae
