#include "liegrad/sensitivity/objective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/sensitivity/observe/measured_orientation.hpp"
#include "liegrad/sensitivity/observe/named_outputs.hpp"

namespace liegrad::sensitivity {
namespace {

/// Measured quaternions this far from unit length are a mistake, not rounding.
constexpr double kUnitTolerance = 1e-3;

}  // namespace

void Objective::add_output(const std::string& column, std::optional<double> t) {
  add_observable(column, named_outputs(*model_, {column}), t ? When::kAtTime : When::kAtEnd,
                 {t.value_or(0)});
}

void Objective::add_outputs(const std::vector<std::string>& columns,
                            const std::vector<double>& times) {
  if (columns.empty()) throw InvalidArgument("a series of outputs needs at least one column");
  add_observable(columns.size() == 1 ? columns.front() : columns.front() + "…",
                 named_outputs(*model_, columns), When::kAtTime, times);
}

void Objective::add_orientations(const std::string& node, const std::vector<double>& times,
                                 const std::vector<double>& quaternions) {
  if (quaternions.size() != 4 * times.size()) {
    throw InvalidArgument("orientations of '" + node + "' have " +
                          std::to_string(quaternions.size()) + " numbers for " +
                          std::to_string(times.size()) +
                          " times; each needs a quaternion (w, x, y, z)");
  }
  std::vector<double> unit = quaternions;
  for (std::size_t i = 0; i < times.size(); ++i) {
    double square = 0;
    for (std::size_t k = 0; k < 4; ++k) square += unit[4 * i + k] * unit[4 * i + k];
    const double norm = std::sqrt(square);
    if (!(std::abs(norm - 1) <= kUnitTolerance)) {
      throw InvalidArgument("the orientation of '" + node + "' measured at t = " +
                            dae::number_text(times[i]) + " has length " + dae::number_text(norm) +
                            " instead of 1; a rotation is a unit quaternion (w, x, y, z)");
    }
    for (std::size_t k = 0; k < 4; ++k) unit[4 * i + k] /= norm;
  }
  add_observable(node + ".q", measured_orientation(*model_, node), When::kAtTime, times, unit);
}

void Objective::add_observable(const std::string& name,
                               std::shared_ptr<const Observable> observable, When when,
                               const std::vector<double>& times, const std::vector<double>& data) {
  items_.push_back({.name = name, .observable = std::move(observable), .when = when});
  Item& item = items_.back();
  if (when == When::kAtTime) item.times = times;
  item.data = data;
  item.first_value = size_;
  size_ += item.size();
}

void Objective::set_times(int item, std::span<const double> times) {
  Item& moved = items_.at(static_cast<std::size_t>(item));
  if (moved.times.size() != times.size()) {
    throw InvalidArgument("'" + moved.name + "' has " + std::to_string(moved.times.size()) +
                          " times; " + std::to_string(times.size()) + " cannot take their place");
  }
  std::ranges::copy(times, moved.times.begin());
}

std::string Objective::name(int value) const {
  for (const Item& item : items_) {
    const int i = value - item.first_value, count = item.observable->size();
    if (i < 0 || i >= item.size()) continue;
    std::string text = item.name;
    if (count > 1) text += "[" + std::to_string(i % count + 1) + "]";
    if (item.times.size() > 1) {
      text += "@" + dae::number_text(item.times[static_cast<std::size_t>(i / count)]);
    }
    return text;
  }
  return {};
}

}  // namespace liegrad::sensitivity
