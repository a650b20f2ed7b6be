#pragma once

#include <string>
#include <utility>
#include <vector>

namespace liegrad::app {

struct PlotSeries {
  std::string label;  ///< its first letter marks the points in text
  std::vector<std::pair<double, double>> points = {};  ///< those that are not positive are left out
};

/// A plot with logarithmic axes.
struct LogLogPlot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries> series = {};

  /// For a terminal; empty if there is nothing to show.
  std::string text() const;
  std::string svg() const;
};

}  // namespace liegrad::app
