#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"

namespace liegrad::app {

/// Where the nodes of a system are, with lines between those that an element couples, seen along the axis in which they extend
/// least and, where they extend in that one too, also from above it. All axes have the same scale.
struct ShapePlot {
  using Point = std::array<double, 3>;
  struct Shape {
    std::string label;
    std::vector<Point> points;
    std::vector<std::array<std::size_t, 2>> lines = {};  ///< from which point to which
  };
  std::string title;
  std::vector<Shape> shapes = {};

  void add(const std::string& label, const dae::System& system, std::span<const double> q);
  /// Half the diagonal of the box that holds the first shape.
  double size() const;
  std::string svg() const;
};

/// The longest way of a node between two configurations.
double largest_displacement(const dae::System& system, std::span<const double> from,
                            std::span<const double> to);

}  // namespace liegrad::app
